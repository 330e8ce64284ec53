"""Transfer: folders imported and backups restored, beside COPY of the same rows."""

import tempfile
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

from bench.figure import Figure
from bench.hub import Hub
from bench.process import Command
from bench.rounds import medians
from bench.text import add_text

FILES = 10_000
PAGES = 10_000
BLOCK = 1 << 20
_MADE_OF = "interpreter start included"


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
    peaks = []

    def restore() -> float:
        command = _command(hub, "backup", "restore", archive, "--title", "Restored")
        peaks.append(command.peak_megabytes)
        return PAGES / command.seconds

    found = medians({"restore": restore, "copy": lambda: _copy(hub, course, folder, PAGES)})
    yield Figure(
        name=f"restore of {PAGES:,} pages of 4 KB", value=found["restore"], unit="/s", made_of=_MADE_OF
    )
    yield Figure(name="COPY of the restored rows", value=found["copy"], unit="/s")
    yield Figure(name="restore / COPY", value=found["restore"] / found["copy"])
    yield Figure(name="the restoring process's peak memory", value=max(peaks), unit="MB")


def _import(hub: Hub, course: uuid.UUID, folder: Path) -> Iterator[Figure]:
    files = folder / "files"
    files.mkdir()
    query = "SELECT position, content FROM hub_store.page WHERE course_id = %s AND position <= %s"
    for position, content in hub.owner.execute(query, [course, FILES]):
        text = f"---\ntitle: Page {position}\n---\n{content}"
        (files / f"{position:06}.md").write_text(text, encoding="utf-8")
    command = ["course", "import", str(hub.workspace), "Imported", str(files)]
    found = medians(
        {
            "import": lambda: FILES / _command(hub, *command).seconds,
            "copy": lambda: _copy(hub, course, folder, FILES),
        }
    )
    yield Figure(
        name=f"import of {FILES:,} files of 4 KB", value=found["import"], unit="/s", made_of=_MADE_OF
    )
    yield Figure(name="COPY of the imported rows", value=found["copy"], unit="/s")
    yield Figure(name="import / COPY", value=found["import"] / found["copy"])


def _command(hub: Hub, *arguments: str) -> Command:
    hub.settle()
    return hub.command(*arguments)


def _copy(hub: Hub, source: uuid.UUID, folder: Path, pages: int) -> float:
    """Make a course of another's first pages from a file of their rows; return pages a second."""
    path = folder / "rows"
    query = (
        f"COPY (SELECT '{hub.add_course(0)}', position, title, content, tags FROM hub_store.page"
        f" WHERE course_id = '{source}' AND position <= {pages}) TO STDOUT"
    )
    with path.open("wb") as file, hub.owner.cursor() as cursor, cursor.copy(query.encode()) as copy:
        for data in copy:
            file.write(data)
    hub.settle()
    query = "COPY hub_store.page (course_id, position, title, content, tags) FROM STDIN"
    begun = time.monotonic()
    with path.open("rb") as file, hub.owner.cursor() as cursor, cursor.copy(query.encode()) as copy:
        while data := file.read(BLOCK):
            copy.write(data)
    return pages / (time.monotonic() - begun)
