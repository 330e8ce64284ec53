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
SPREAD_SECONDS = 60
HELD_SECONDS = 300
AGAIN = 5


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
        name="backup of 100,000 pages of 4 KB",
        value=backup,
        unit="s",
        made_of=f"archive of {size / 1e6:.0f} MB",
    )
    yield Figure(name="pg_dump -Fc of the same rows", value=dump, unit="s")
    yield Figure(name="backup / pg_dump -Fc", value=backup / dump, at_most=3)
    yield Figure(name="worker's peak memory", value=peak, unit="MB", at_most=150)
    yield _while_read(hub, courses)
    yield _again_while_read(hub, courses[0])


def _while_read(hub: Hub, courses: list[uuid.UUID]) -> Figure:
    """Tag each course once without and once with a consistent read open, spread over its time."""
    with hub.worker():
        before = _tag_all(hub, courses, SPREAD_SECONDS)
        with _reading(hub):
            during = _tag_all(hub, courses, HELD_SECONDS)
    name = "tagging with a consistent read open for 5 minutes / without"
    return Figure(
        name=name,
        value=statistics.median(before) / statistics.median(during),
        at_least=0.8,
        made_of="each page once in each",
    )


def _again_while_read(hub: Hub, course: uuid.UUID) -> Figure:
    """Tag one course again and again, without and with a consistent read open."""
    hub.settle()
    with hub.worker():
        before = _tag_all(hub, [course] * AGAIN, 0)
        hub.settle()
        with _reading(hub):
            during = _tag_all(hub, [course] * AGAIN, 0)
    name = f"tagging the same pages {AGAIN} times with a consistent read open / without"
    return Figure(name=name, value=sum(before) / sum(during))


@contextmanager
def _reading(hub: Hub) -> Iterator[None]:
    """Hold a consistent read open."""
    with hub.connect("postgres") as reader:
        reader.execute("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        reader.execute("SELECT count(*) FROM hub_store.page")
        yield


def _tag_all(hub: Hub, courses: list[uuid.UUID], spread: float) -> list[float]:
    begun = time.monotonic()
    taken = []
    for number, course in enumerate(courses, 1):
        ended = hub.succeed(hub.create_tagging(course))
        taken.append(seconds_between(ended, "started_at", "finished_at"))
        time.sleep(max(0, begun + number * spread / len(courses) - time.monotonic()))
    return taken


def _dump(hub: Hub, folder: str) -> float:
    file = Path(folder) / "dump"
    command = [str(wheel_bin_dir() / "pg_dump"), "-Fc", "--data-only", "--table=hub_store.page"]
    begun = time.monotonic()
    subprocess.run([*command, f"--file={file}", f"--dbname={hub.url('postgres')}"], check=True)
    taken = time.monotonic() - begun
    file.unlink()
    return taken
