"""Workers that die, stand still, drain or lose their lease in the middle of a tagging."""

import signal

import pytest

from tests.py.worker.conftest import Workers
from tests.py.worker.scene import Scene, wait_until


def test_a_job_outlives_two_killed_workers_and_changes_no_page_twice(scene: Scene, workers: Workers) -> None:
    """E3, E5."""
    course = scene.add_course(1000)
    scene.record_changes()
    scene.slow_pages(0.003)
    job = scene.tag(course, "law")
    for least in (200, 600):
        worker = workers()
        scene.wait_for_processed(job, least)
        worker.kill()
        _assert_consistent(scene, job)
        scene.wait_for_lease_end(job)
    workers()
    row = scene.wait_for_state(job, "succeeded")
    assert scene.counters(job) == (1000, 1000, 1000, 0, 0)
    assert row["attempt"] == 3
    assert len(scene.changes()) == 1000
    assert dict(scene.changes()) == scene.etags(course)
    claims = ["job.claimed", "job.reclaimed", "job.reclaimed"]
    assert scene.events(job) == ["job.queued", *claims, "job.succeeded"]


def test_a_job_whose_workers_were_all_killed_fails_and_the_next_one_runs(
    scene: Scene, workers: Workers
) -> None:
    """E5: a worker that is up sweeps it, without a claim."""
    course = scene.add_course(100)
    scene.slow_pages(0.01)
    job = scene.tag(course, "law")
    scene.connection.execute("UPDATE jobs_store.job SET max_attempts = 1")
    worker = workers()
    scene.wait_for_processed(job, 10)
    worker.kill()
    scene.wait_for_lease_end(job)
    next_job = scene.tag(scene.add_course(1), "law")
    workers()
    row = scene.wait_for_state(job, "failed")
    assert row["failure"]["code"] == "attempts_exhausted"
    assert scene.tagged(course, "law") == row["changed"] >= 10
    scene.wait_for_state(next_job, "succeeded")


def test_a_drain_gives_the_claim_back_and_charges_no_attempt(scene: Scene, workers: Workers) -> None:
    course = scene.add_course(500)
    scene.record_changes()
    scene.slow_pages(0.003)
    job = scene.tag(course, "law")
    for least in (100, 300):
        worker = workers()
        scene.wait_for_processed(job, least)
        # Twice: from a terminal and from a supervisor.
        worker.send(signal.SIGINT)
        worker.send(signal.SIGTERM)
        assert worker.wait(3) == 0
        row = scene.job(job)
        assert (row["state"], row["attempt"]) == ("queued", 0)
        assert row["processed"] >= least
        _assert_consistent(scene, job)
    workers()
    row = scene.wait_for_state(job, "succeeded")
    assert row["attempt"] == 1
    assert scene.counters(job) == (500, 500, 500, 0, 0)
    assert len(scene.changes()) == len(dict(scene.changes())) == 500
    again = ["job.claimed", "job.released"] * 2 + ["job.claimed"]
    assert scene.events(job) == ["job.queued", *again, "job.succeeded"]


def test_a_drain_while_a_page_is_locked_does_not_wait_for_it(scene: Scene, workers: Workers) -> None:
    course = scene.add_course(10)
    job = scene.tag(course, "law")
    with scene.connection.transaction():
        scene.connection.execute(
            "SELECT FROM hub_store.page WHERE id = %s FOR UPDATE", (scene.page_at(course, 5),)
        )
        worker = workers()
        worker.wait_for("job claimed")
        worker.send(signal.SIGTERM)
        assert worker.wait(3) == 0
    assert scene.job(job)["state"] == "queued"


def test_a_drain_with_a_cancel_request_cancels(scene: Scene, workers: Workers) -> None:
    """C3: both arrive while the worker stands still, so it finds both when it goes on."""
    job = scene.tag(scene.add_course(1000), "law")
    scene.slow_pages(0.003)
    worker = workers()
    scene.wait_for_processed(job, 50)
    worker.send(signal.SIGSTOP)
    worker.send(signal.SIGTERM)
    wait_until(lambda: scene.cancel(job) == "ok", "the cancel was asked for, and once more")
    worker.send(signal.SIGCONT)
    assert worker.wait(3) == 0
    assert scene.job(job)["state"] == "cancelled"
    assert scene.events(job)[-2:] == ["job.cancel_requested", "job.cancelled"]


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_an_idle_worker_ends_at_once(scene: Scene, workers: Workers, number: signal.Signals) -> None:
    worker = workers(KNOWLEDGEHUB_WORKER_CONCURRENCY="4")
    worker.wait_for("worker ready")
    wait_until(lambda: _idle(scene), "every slot is idle")
    worker.send(number)
    assert worker.wait(1.5) == 0


def test_a_worker_that_stood_still_beyond_its_lease_writes_nothing_more(
    scene: Scene, workers: Workers
) -> None:
    """E4: it goes on while another one is in the middle of the job, and there is one completion."""
    course = scene.add_course(1000)
    scene.record_changes()
    scene.slow_pages(0.003)
    job = scene.tag(course, "law")
    first = workers()
    scene.wait_for_processed(job, 100)
    first.send(signal.SIGSTOP)
    scene.wait_for_lease_end(job)
    workers()
    wait_until(lambda: scene.job(job)["attempt"] == 2, "another worker has the job")
    first.send(signal.SIGCONT)
    first.wait_for("job abandoned")
    assert scene.job(job)["state"] == "running"
    scene.wait_for_state(job, "succeeded")
    assert scene.counters(job) == (1000, 1000, 1000, 0, 0)
    assert len(scene.changes()) == len(dict(scene.changes())) == 1000
    assert scene.events(job) == ["job.queued", "job.claimed", "job.reclaimed", "job.succeeded"]
    assert not first.lines("job left")


def test_a_worker_whose_lease_the_database_gave_away_abandons_the_job(scene: Scene, workers: Workers) -> None:
    """E4: by the database's word alone; its own clock says the lease still holds."""
    job = scene.tag(scene.add_course(1000), "law")
    scene.slow_pages(0.003)
    worker = workers()
    scene.wait_for_processed(job, 50)
    scene.connection.execute("UPDATE jobs_store.job SET lease = gen_random_uuid()")
    worker.wait_for("job abandoned")
    processed = scene.job(job)["processed"]
    next_job = scene.tag(scene.add_course(1), "law")
    scene.wait_for_state(next_job, "succeeded")
    assert scene.job(job)["processed"] == processed


def test_the_log_never_shows_a_lease(scene: Scene, workers: Workers) -> None:
    job = scene.tag(scene.add_course(1000), "law")
    scene.slow_pages(0.003)
    worker = workers()
    scene.wait_for_processed(job, 50)
    lease = str(scene.job(job)["lease"])
    pid = scene.connection.execute(
        "SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%jobs.advance(%'"
        " AND pid <> pg_backend_pid() AND datname = current_database()"
    ).fetchall()
    assert len(pid) == 1
    scene.wait_for_processed(job, 150)
    scene.connection.execute("UPDATE jobs_store.job SET lease = gen_random_uuid()")
    worker.wait_for("job abandoned")
    assert str(job) in worker.log_text()
    assert lease not in worker.log_text()


def _assert_consistent(scene: Scene, job: object) -> None:
    """What the job counts as changed is what was changed, each page once; a last step may still commit."""
    query = (
        "SELECT processed, changed, (SELECT count(page_id) FROM public.page_change),"
        " (SELECT count(DISTINCT page_id) FROM public.page_change) FROM jobs_store.job WHERE id = %s"
    )
    counted = scene.connection.execute(query, (job,)).fetchone()
    assert counted is not None
    assert len(set(counted)) == 1, counted


def _idle(scene: Scene) -> bool:
    """Tell whether every connection of a worker has been waiting for a while."""
    query = (
        "SELECT bool_and(state = 'idle' AND state_change < clock_timestamp() - interval '0.5 seconds')"
        " FROM pg_stat_activity WHERE usename = 'hub_worker' AND datname = current_database()"
    )
    return scene.connection.execute(query).fetchone() == (True,)
