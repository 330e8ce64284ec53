"""A tagging, from its claim to its end, by worker processes that nothing is wrong with."""

import statistics
import subprocess
import sys
from pathlib import Path

from tests.py.worker.conftest import Workers
from tests.py.worker.scene import Scene, wait_until
from tests.server import Server


def test_a_job_of_a_thousand_pages_ends_with_exact_counters(scene: Scene, workers: Workers) -> None:
    """E2, E3: pages that have the tag are skipped untouched, a page that is gone is an error of its own."""
    course = scene.add_course(1000)
    scene.connection.execute("UPDATE hub_store.page SET tags = '{LAW}' WHERE position <= 300")
    before = scene.etags(course)
    job = scene.tag(course, "law")
    gone = scene.page_at(course, 500)
    was_skipped = scene.connection.execute(
        "DELETE FROM hub_store.page WHERE id = %s RETURNING position <= 300", (gone,)
    ).fetchone()
    skipped = 300 - int(was_skipped == (True,))
    scene.record_changes()
    workers()
    row = scene.wait_for_state(job, "succeeded")
    assert scene.counters(job) == (1000, 1000, 999 - skipped, skipped, 1)
    assert scene.page_errors(job) == ["page_missing"]
    assert row["attempt"] == 1
    assert scene.events(job) == ["job.queued", "job.claimed", "job.succeeded"]
    after = scene.etags(course)
    assert dict(scene.changes()) == {page: etag for page, etag in after.items() if before[page] != etag}
    assert len(scene.changes()) == 999 - skipped


def test_the_audit_names_the_slot_that_the_log_names(scene: Scene, workers: Workers) -> None:
    job = scene.tag(scene.add_course(1), "law")
    worker = workers()
    scene.wait_for_state(job, "succeeded")
    started = worker.wait_for("worker started")
    assert started["pid"] == worker.pid
    names = scene.connection.execute("SELECT DISTINCT worker FROM jobs_store.audit_event WHERE by = 'worker'")
    assert names.fetchall() == [(f"{started['worker']}/1",)]
    claimed = worker.wait_for("job claimed")
    assert claimed["job_id"] == str(job)
    assert claimed["worker"] == f"{started['worker']}/1"


def test_an_idle_worker_takes_a_new_job_at_once(scene: Scene, workers: Workers) -> None:
    """By the notification: the poll behind it comes every four to five seconds."""
    worker = workers()
    worker.wait_for("worker ready")
    waits = []
    for _ in range(10):
        job = scene.tag(scene.add_course(1), "law")
        row = scene.wait_for_state(job, "succeeded")
        waits.append((row["started_at"] - row["created_at"]).total_seconds())
    assert statistics.median(waits) < 0.1, waits


def test_a_job_that_no_notification_told_of_is_found_by_the_poll(
    scene: Scene, workers: Workers, server: Server
) -> None:
    elsewhere = server.url("hub_worker", "postgres")
    worker = workers(KNOWLEDGEHUB_LISTEN_URL=elsewhere)
    worker.wait_for("worker ready")
    job = scene.tag(scene.add_course(1), "law")
    scene.wait_for_state(job, "succeeded", seconds=6)


def test_a_listener_that_was_cut_off_listens_again(scene: Scene, workers: Workers) -> None:
    worker = workers()
    worker.wait_for("worker ready")
    wait_until(lambda: _listeners(scene), "the worker listens")
    first = _listeners(scene)
    scene.connection.execute("SELECT pg_terminate_backend(%s)", first)
    wait_until(lambda: _listeners(scene) not in ([], first), "the worker listens again")
    job = scene.tag(scene.add_course(1), "law")
    row = scene.wait_for_state(job, "succeeded")
    assert (row["started_at"] - row["created_at"]).total_seconds() < 1
    assert len(worker.lines("the database does not answer: trying until it does")) == 1


def test_a_cancel_stops_before_the_next_page_and_keeps_what_is_done(scene: Scene, workers: Workers) -> None:
    """C2, C3, T1."""
    course = scene.add_course(1000)
    scene.slow_pages(0.003)
    job = scene.tag(course, "law")
    workers()
    scene.wait_for_processed(job, 50)
    assert scene.cancel(job) == "asked"
    at_request = scene.job(job)["processed"]
    scene.wait_for_state(job, "cancelled", seconds=1)
    total, processed, changed, skipped, failed = scene.counters(job)
    assert (total, processed, skipped, failed) == (1000, changed, 0, 0)
    assert processed == at_request < 1000
    assert scene.tagged(course, "law") == changed
    assert scene.events(job) == ["job.queued", "job.claimed", "job.cancel_requested", "job.cancelled"]
    left = scene.connection.execute("SELECT count(*) FROM jobs_store.worklist").fetchone()
    assert left == (0,)


def test_a_revoked_actor_ends_the_job_and_keeps_what_is_done(scene: Scene, workers: Workers) -> None:
    """E1."""
    course = scene.add_course(1000)
    scene.slow_pages(0.003)
    job = scene.tag(course, "law")
    workers()
    scene.wait_for_processed(job, 50)
    scene.revoke()
    row = scene.wait_for_state(job, "failed", seconds=1)
    assert row["failure"]["code"] == "actor_not_authorised"
    assert row["processed"] == row["changed"] == scene.tagged(course, "law") < 1000


def test_two_workers_share_the_queue_and_no_job_runs_twice(scene: Scene, workers: Workers) -> None:
    courses = [scene.add_course(20) for _ in range(20)]
    scene.slow_pages(0.003)
    scene.record_changes()
    names = {workers().wait_for("worker ready")["worker"] for _ in range(2)}
    jobs = [scene.tag(course, "law") for course in courses]
    for job in jobs:
        scene.wait_for_state(job, "succeeded")
        assert scene.events(job) == ["job.queued", "job.claimed", "job.succeeded"]
    assert len(scene.changes()) == len(dict(scene.changes())) == 400
    claims = scene.connection.execute(
        "SELECT DISTINCT split_part(worker, '/', 1) FROM jobs_store.audit_event WHERE event = 'job.claimed'"
    )
    assert {name for (name,) in claims} == names


def test_one_process_runs_as_many_jobs_at_once_as_it_has_slots(scene: Scene, workers: Workers) -> None:
    """Three by the environment; two by the setting, where the environment says nothing."""
    scene.slow_pages(0.01)
    worker = workers(KNOWLEDGEHUB_WORKER_CONCURRENCY="3")
    jobs = [scene.tag(scene.add_course(200), "law") for _ in range(5)]
    wait_until(lambda: _running(scene) == 3, "three jobs run")
    for job in jobs:
        scene.cancel(job)
        scene.wait_for_state(job, "cancelled")
    assert worker.wait_for("worker ready")["concurrency"] == 3


def test_kinds_that_a_worker_cannot_run_stay_queued(scene: Scene, workers: Workers) -> None:
    """E6: an older job of such a kind stands in nobody's way."""
    scene.add_kind("unheard_of")
    unknown = scene.create("unheard_of")
    job = scene.tag(scene.add_course(1), "law")
    workers()
    scene.wait_for_state(job, "succeeded")
    assert scene.job(unknown)["state"] == "queued"
    assert scene.job(unknown)["attempt"] == 0


def test_the_worker_loads_nothing_of_the_api() -> None:
    code = "import sys, worker.daemon; print(*sys.modules)"
    root = Path(__file__).parents[3]
    loaded = subprocess.run(
        (sys.executable, "-c", code), cwd=root, stdout=subprocess.PIPE, text=True, check=True
    )
    assert {name.partition(".")[0] for name in loaded.stdout.split()}.isdisjoint(
        {"api", "falcon", "gunicorn"}
    )


def _listeners(scene: Scene) -> list[int]:
    query = "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'"
    return [pid for (pid,) in scene.connection.execute(query)]


def _running(scene: Scene) -> int:
    query = "SELECT count(*) FROM jobs_store.job WHERE state = 'running'"
    return int((scene.connection.execute(query).fetchone() or (0,))[0])
