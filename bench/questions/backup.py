"""Backup: beside what PostgreSQL's own dump of the same rows takes, and what it does to taggings."""

import statistics
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.figure import Figure
from bench.hub import Hub, seconds_between
from bench.process import peak_megabytes
from bench.rounds import ROUNDS
from bench.text import add_text
from knowledgehub.embedded import wheel_bin_dir

PAGES = 100_000
COURSES = 10
HELD_SECONDS = 300
AGAIN = 10


def measure(hub: Hub) -> Iterator[Figure]:
    """Back up and dump in turn; then tag while a consistent read is open."""
    courses = add_text(hub, COURSES, PAGES // COURSES)
    with (
        tempfile.TemporaryDirectory(prefix="kh-bench-") as folder,
        hub.worker(KNOWLEDGEHUB_BACKUP_DIR=folder) as worker,
    ):
        backups, dumps = [], []
        for _ in range(ROUNDS):
            ended = hub.succeed(hub.create({"kind": "backup"}))
            backups.append(seconds_between(ended, "started_at", "finished_at"))
            size = ended["result"]["bytes"]
            (Path(folder) / ended["result"]["archive"]).unlink()
            dumps.append(_dump(hub, folder))
        peak = peak_megabytes(worker.pid)
    backup, dump = statistics.median(backups), statistics.median(dumps)
    yield Figure(
        name=f"backup of {PAGES:,} pages of 4 KB",
        value=backup,
        unit="s",
        made_of=f"archive of {size / 1e6:.0f} MB",
    )
    yield Figure(name="pg_dump -Fc of the same rows", value=dump, unit="s")
    yield Figure(name="backup / pg_dump -Fc", value=backup / dump, at_most=3)
    yield Figure(name="worker's peak memory", value=peak, unit="MB", at_most=150)
    yield from _while_read(hub, courses)


def _while_read(hub: Hub, courses: list[uuid.UUID]) -> Iterator[Figure]:
    """Tag with a consistent read open, in turn with a second database, which it does not concern."""
    free = hub.another("free")
    free_courses = add_text(free, COURSES, PAGES // COURSES)

    def ratio(number: int) -> float:
        return _tag(free, free_courses[number]) / _tag(hub, courses[number])

    with hub.worker(), free.worker(), _reading(hub):
        begun = time.monotonic()
        once = []
        for number in range(COURSES):
            once.append(ratio(number))
            time.sleep(max(0, begun + (number + 1) * HELD_SECONDS / COURSES - time.monotonic()))
        again = [ratio(0) for _ in range(AGAIN)]
    yield Figure(
        name="tagging with a consistent read open for 5 minutes / without",
        value=statistics.median(once),
        at_least=0.8,
        made_of="each page once, from worst to best: " + " ".join(f"{value:.2f}" for value in sorted(once)),
    )
    yield Figure(
        name=f"tagging the same pages {AGAIN} times more meanwhile / without",
        value=statistics.median(again),
        at_least=0.8,
    )


@contextmanager
def _reading(hub: Hub) -> Iterator[None]:
    """Hold a consistent read open."""
    with hub.connect("postgres") as reader:
        reader.execute("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        reader.execute("SELECT count(*) FROM hub_store.page")
        yield


def _tag(hub: Hub, course: uuid.UUID) -> float:
    """Tag a course; return seconds."""
    return seconds_between(hub.succeed(hub.create_tagging(course)), "started_at", "finished_at")


def _dump(hub: Hub, folder: str) -> float:
    file = Path(folder) / "dump"
    command = [str(wheel_bin_dir() / "pg_dump"), "-Fc", "--data-only", "--table=hub_store.page"]
    begun = time.monotonic()
    subprocess.run([*command, f"--file={file}", f"--dbname={hub.url('postgres')}"], check=True)
    taken = time.monotonic() - begun
    file.unlink()
    return taken
