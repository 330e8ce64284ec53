"""Pages that others hold for far longer than a lease: the job itself is never out of reach for long."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Self

import psycopg
import pytest

from tests.py.races.auditor import audit, watch
from tests.py.worker.conftest import Workers
from tests.py.worker.scene import Scene, wait_until
from tests.server import Database

PAGES = 200
LEASE_SECONDS = 10
ROW_SECONDS = 35
BUSY_SECONDS = 10
TABLE_SECONDS = 12
MOST_SECONDS = 1.5


class RowWatch:
    """Asks for the row lock of whatever job runs, over and over, as a cancel request does."""

    def __init__(self, connection: psycopg.Connection) -> None:
        self._connection = connection
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self.longest = 0.0
        """The longest wait for the lock, in seconds."""
        self.times = 0
        """How often the row of a running job was locked."""

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(0.005):
            begun = time.monotonic()
            locked = self._connection.execute(
                "SELECT FROM jobs_store.job WHERE state = 'running' FOR NO KEY UPDATE"
            )
            self.longest = max(self.longest, time.monotonic() - begun)
            self.times += locked.rowcount


@pytest.fixture
def row_watch(database: Database) -> RowWatch:
    """A watch that waits as long as it takes."""
    return RowWatch(database.as_superuser())


def test_locked_pages_keep_nobody_from_the_job_and_cost_no_attempt(
    scene: Scene, workers: Workers, database: Database, row_watch: RowWatch
) -> None:
    """First one page, for the turns of three and a half jobs, then the whole table in the middle of a job."""
    watch(scene.connection)
    scene.connection.execute(
        "UPDATE jobs_store.setting SET value = %s WHERE name = 'LeaseSeconds'", (LEASE_SECONDS,)
    )
    course = scene.add_course(PAGES)
    page = scene.page_at(course, PAGES // 2)
    jobs = []
    # The second has nothing to do but to claim what seems to be left.
    workers().wait_for("worker ready")
    workers().wait_for("worker ready")
    with row_watch:
        with _locked(database, "SELECT FROM hub_store.page WHERE id = %s FOR UPDATE", page):
            end = time.monotonic() + ROW_SECONDS
            for turn in range(ROW_SECONDS // BUSY_SECONDS):
                jobs.append(scene.tag(course, f"turn {turn}"))
                scene.wait_for_state(jobs[-1], "succeeded", seconds=BUSY_SECONDS + 10)
                assert scene.counters(jobs[-1]) == (PAGES, PAGES, PAGES - 1, 0, 1)
                assert scene.page_errors(jobs[-1]) == ["page_busy"]
            jobs.append(scene.tag(course, "last turn"))
            wait_until(lambda: scene.job(jobs[-1])["page_locked_since"], "the page was found locked")
            time.sleep(max(0, end - time.monotonic()))
        scene.wait_for_state(jobs[-1], "succeeded", seconds=5)
        assert scene.counters(jobs[-1]) == (PAGES, PAGES, PAGES, 0, 0)
        scene.slow_pages(0.01)
        jobs.append(scene.tag(course, "table"))
        scene.wait_for_processed(jobs[-1], 20)
        with _locked(database, "LOCK TABLE hub_store.page IN ACCESS EXCLUSIVE MODE"):
            processed = scene.job(jobs[-1])["processed"]
            assert processed < PAGES
            time.sleep(TABLE_SECONDS)
            assert scene.job(jobs[-1])["processed"] == processed
        scene.wait_for_state(jobs[-1], "succeeded", seconds=10)
        assert scene.counters(jobs[-1]) == (PAGES, PAGES, PAGES, 0, 0)
    assert row_watch.longest < MOST_SECONDS
    assert row_watch.times > 1000
    for job in jobs:
        assert scene.job(job)["attempt"] == 1
        assert scene.events(job) == ["job.queued", "job.claimed", "job.succeeded"]
    assert audit(scene.connection) == []


@contextmanager
def _locked(database: Database, query: str, *arguments: object) -> Iterator[None]:
    """Hold what the query locks for the block's length."""
    connection = database.as_superuser()
    with connection.transaction():
        connection.execute(query, arguments)
        yield
