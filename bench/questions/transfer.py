"""Transfer: folders imported and backups restored, beside COPY of the same rows."""

import statistics
import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

from bench.figure import Figure
from bench.hub import Hub
from bench.rounds import medians
from bench.text import add_text

FILES = 10_000
PAGES = 20_000
ROUNDS = 3
BLOCK = 1 << 20


def measure(hub: Hub) -> Iterator[Figure]:
    """Restore and import by the command line, from its start to its end, each in turn with COPY."""
    (course,) = add_text(hub, 1, PAGES)
    with tempfile.TemporaryDirectory(prefix="kh-bench-") as name:
        yield from _restore(hub, course, Path(name))
        yield from _import(hub, course, Path(name))


def _restore(hub: Hub, course: uuid.UUID, folder: Path) -> Iterator[Figure]:
    with hub.worker(KNOWLEDGEHUB_BACKUP_DIR=str(folder)):
        ended = hub.succeed(hub.create({"kind": "backup"}))
    archive = str(folder / ended["result"]["archive"])
    rows = _write_rows(hub, course, folder, PAGES)
    peaks = []

    def restore() -> float:
        command = hub.command("backup", "restore", archive, "--title", "Restored")
        peaks.append(command.peak_megabytes)
        return PAGES / command.seconds

    found = medians({"restore": restore, "copy": lambda: PAGES / _copy(hub, rows)}, ROUNDS)
    yield Figure(name=f"restore of {PAGES:,} pages of 4 KB", value=found["restore"], unit="/s")
    yield Figure(name="COPY of the same rows", value=found["copy"], unit="/s")
    yield Figure(name="restore / COPY", value=found["restore"] / found["copy"])
    yield Figure(name="the restoring process's peak memory", value=statistics.median(peaks), unit="MB")


def _import(hub: Hub, course: uuid.UUID, folder: Path) -> Iterator[Figure]:
    files = folder / "files"
    files.mkdir()
    query = "SELECT position, content FROM hub_store.page WHERE course_id = %s AND position <= %s"
    for position, content in hub.owner.execute(query, [course, FILES]):
        text = f"---\ntitle: Page {position}\n---\n{content}"
        (files / f"{position:06}.md").write_text(text, encoding="utf-8")
    rows = _write_rows(hub, course, folder, FILES)
    command = ["course", "import", str(hub.workspace), "Imported", str(files)]
    found = medians(
        {
            "import": lambda: FILES / hub.command(*command).seconds,
            "copy": lambda: FILES / _copy(hub, rows),
        },
        ROUNDS,
    )
    yield Figure(name=f"import of {FILES:,} files of 4 KB", value=found["import"], unit="/s")
    yield Figure(name="COPY of the same rows", value=found["copy"], unit="/s")
    yield Figure(name="import / COPY", value=found["import"] / found["copy"])


def _write_rows(hub: Hub, course: uuid.UUID, folder: Path, pages: int) -> Path:
    """Write the first pages of a course to a file, as COPY does."""
    path = folder / f"{pages} rows"
    query = (
        "COPY (SELECT position, title, content, tags FROM hub_store.page"
        f" WHERE course_id = '{course}' AND position <= {pages}) TO STDOUT"
    )
    with path.open("wb") as file, hub.owner.cursor() as cursor, cursor.copy(query.encode()) as copy:
        for data in copy:
            file.write(data)
    return path


def _copy(hub: Hub, rows: Path) -> float:
    """Make a course of the rows; return seconds."""
    course = hub.add_course(0)
    hub.owner.execute(f"ALTER TABLE hub_store.page ALTER course_id SET DEFAULT '{course}'".encode())
    query = "COPY hub_store.page (position, title, content, tags) FROM STDIN"
    begun = time.monotonic()
    with rows.open("rb") as file, hub.owner.cursor() as cursor, cursor.copy(query) as copy:
        while data := file.read(BLOCK):
            copy.write(data)
    return time.monotonic() - begun
