"""Pages that other sessions hold while a tagging comes to them."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta

import pytest

from tests.py.worker.conftest import Workers
from tests.py.worker.scene import Scene, wait_until
from tests.server import Database


def test_a_page_locked_for_ten_seconds_is_busy_and_the_job_goes_on(
    scene: Scene, workers: Workers, database: Database
) -> None:
    """Twice the length of the lease: the job is renewed meanwhile, and nobody else claims it."""
    course = scene.add_course(1000)
    page = scene.page_at(course, 500)
    job = scene.tag(course, "law")
    with _locked(database, "SELECT FROM hub_store.page WHERE id = %s FOR UPDATE", page):
        workers()
        workers()
        scene.wait_for_processed(job, 500)
        wait_until(lambda: scene.job(job)["page_locked_since"], "the page was found locked")
        since = scene.job(job)["page_locked_since"]
        row = scene.wait_for_state(job, "succeeded")
        assert 10 <= (row["finished_at"] - since).total_seconds() < 11.5
    assert scene.counters(job) == (1000, 1000, 999, 0, 1)
    assert scene.page_errors(job) == ["page_busy"]
    assert row["attempt"] == 1
    assert scene.events(job) == ["job.queued", "job.claimed", "job.succeeded"]


def test_a_page_locked_for_a_moment_is_waited_for(scene: Scene, workers: Workers, database: Database) -> None:
    course = scene.add_course(1000)
    job = scene.tag(course, "law")
    with _locked(database, "SELECT FROM hub_store.page WHERE id = %s FOR UPDATE", scene.page_at(course, 500)):
        workers()
        wait_until(lambda: scene.job(job)["page_locked_since"], "the page was found locked")
        later = scene.job(job)["page_locked_since"] + timedelta(seconds=1)
        wait_until(lambda: _over(scene, later), "the page was tried again")
        assert scene.job(job)["processed"] == 500
    scene.wait_for_state(job, "succeeded", seconds=2)
    assert scene.counters(job) == (1000, 1000, 1000, 0, 0)


@pytest.mark.parametrize("mode", ["ACCESS EXCLUSIVE", "SHARE"])
def test_a_locked_table_makes_no_page_busy(
    scene: Scene, workers: Workers, database: Database, mode: str
) -> None:
    """Locked for so much longer than the lease that no call made in its time can save it.

    SHARE is what the making of an index takes: pages can be locked, but not written.
    """
    job = scene.tag(scene.add_course(1000), "law")
    with _locked(database, f"LOCK TABLE hub_store.page IN {mode} MODE"):
        workers()
        workers()
        wait_until(lambda: scene.job(job)["state"] == "running", "the job is claimed")
        long_after = scene.job(job)["lease_until"] + timedelta(seconds=2)
        wait_until(lambda: _over(scene, long_after), "the first lease would long be over")
    row = scene.wait_for_state(job, "succeeded", seconds=3)
    assert scene.counters(job) == (1000, 1000, 1000, 0, 0)
    assert row["attempt"] == 1
    assert scene.events(job) == ["job.queued", "job.claimed", "job.succeeded"]


def test_pages_that_are_slow_to_write_are_tagged_a_few_at_a_time(scene: Scene, workers: Workers) -> None:
    """Where a block of them takes longer than a statement may, as an AFTER trigger can bring about."""
    scene.slow_pages(0.25, "AFTER")
    job = scene.tag(scene.add_course(10), "law")
    workers()
    row = scene.wait_for_state(job, "succeeded")
    assert scene.counters(job) == (10, 10, 10, 0, 0)
    assert row["attempt"] == 1


def test_a_worker_ends_in_time_while_the_table_is_locked(
    scene: Scene, workers: Workers, database: Database
) -> None:
    job = scene.tag(scene.add_course(10), "law")
    with _locked(database, "LOCK TABLE hub_store.page IN ACCESS EXCLUSIVE MODE"):
        worker = workers()
        worker.wait_for("job claimed")
        worker.send(signal.SIGTERM)
        assert worker.wait(3) == 0
    assert scene.job(job)["state"] == "queued"


@contextmanager
def _locked(database: Database, query: str, *arguments: object) -> Iterator[None]:
    """Hold what the query locks for the block's length."""
    connection = database.as_superuser()
    with connection.transaction():
        connection.execute(query, arguments)
        yield


def _over(scene: Scene, moment: object) -> bool:
    return scene.connection.execute("SELECT clock_timestamp() > %s", (moment,)).fetchone() == (True,)
