"""Backup: beside what PostgreSQL's own dump of the same rows takes, and what it does to taggings."""

import random
import statistics
import subprocess
import tempfile
import time
import uuid
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from bench.figure import Figure
from bench.hub import Hub, peak_megabytes
from bench.rounds import ROUNDS
from knowledgehub.embedded import wheel_bin_dir

PAGES = 100_000
COURSES = 10
SPREAD_SECONDS = 60
HELD_SECONDS = 300


def measure(hub: Hub) -> Iterator[Figure]:
    """Back up and dump in turn; then tag while a consistent read is open."""
    courses = _add_text(hub)
    with (
        tempfile.TemporaryDirectory(prefix="kh-bench-") as folder,
        hub.worker(KNOWLEDGEHUB_BACKUP_DIR=folder) as worker,
    ):
        backups, dumps = [], []
        for _ in range(ROUNDS):
            ended = hub.succeed(hub.create({"kind": "backup"}))
            backups.append(_seconds(ended))
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


def _while_read(hub: Hub, courses: list[uuid.UUID]) -> Figure:
    """Tag each course once without and once with a consistent read open, spread over its time."""
    with hub.worker():
        before = _tag_all(hub, courses, SPREAD_SECONDS)
        with hub.connect("postgres") as reader:
            reader.execute("BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            reader.execute("SELECT count(*) FROM hub_store.page")
            during = _tag_all(hub, courses, HELD_SECONDS)
    name = "tagging with a consistent read open for 5 minutes / without"
    return Figure(name=name, value=statistics.median(before) / statistics.median(during), at_least=0.8)


def _tag_all(hub: Hub, courses: list[uuid.UUID], seconds: float) -> list[float]:
    begun = time.monotonic()
    taken = []
    for number, course in enumerate(courses, 1):
        taken.append(_seconds(hub.succeed(hub.create_tagging(course))))
        time.sleep(max(0, begun + number * seconds / len(courses) - time.monotonic()))
    return taken


def _add_text(hub: Hub) -> list[uuid.UUID]:
    """Add courses of pages that read, and compress, like text."""
    dice = random.Random(1)  # noqa: S311 (no secret)
    words = ["".join(dice.choices("abcdefghijklmnopqrstuvwxyz", k=dice.randint(2, 11))) for _ in range(3_000)]
    weights = [1 / rank for rank in range(1, len(words) + 1)]
    paragraphs = [" ".join(dice.choices(words, weights, k=80)) for _ in range(2_000)]
    hub.owner.execute("CREATE TABLE paragraph (id integer PRIMARY KEY, words text)")
    with hub.owner.cursor() as cursor, cursor.copy("COPY paragraph FROM STDIN") as copy:
        for row in enumerate(paragraphs):
            copy.write_row(row)
    content = (
        "(SELECT substr(string_agg(p.words, E'\\n\\n'), 1, 4096) FROM generate_series(1, 9) AS k"
        " JOIN paragraph AS p ON p.id = mod(hashint4(n * 16 + k) & 2147483647, 2000))"
    )
    courses = [hub.add_course(PAGES // COURSES, content) for _ in range(COURSES)]
    hub.settle()
    return courses


def _dump(hub: Hub, folder: str) -> float:
    file = Path(folder) / "dump"
    command = [str(wheel_bin_dir() / "pg_dump"), "-Fc", "--data-only", "--table=hub_store.page"]
    begun = time.monotonic()
    subprocess.run([*command, f"--file={file}", f"--dbname={hub.url('postgres')}"], check=True)
    seconds = time.monotonic() - begun
    file.unlink()
    return seconds


def _seconds(ended: dict[str, Any]) -> float:
    begun, over = (datetime.fromisoformat(ended[name]) for name in ("started_at", "finished_at"))
    return (over - begun).total_seconds()
