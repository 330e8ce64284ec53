"""Workers that are killed, stand still, are restarted or meet a page that the database refuses."""

import random
import signal
import time
from uuid import UUID

import psycopg
import pytest

from tests.py.races.auditor import audit, watch
from tests.py.worker.conftest import Workers
from tests.py.worker.scene import Scene, wait_until

PAGES = 1000
KILLS = 20
RESTARTS = 10
STEP_SECONDS = 0.03  # a little more than a step takes

REFUSE_PAGE = """
CREATE FUNCTION public.refuse_page() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF old.title = 'poison' THEN RAISE EXCEPTION 'words of the trigger'; END IF;
    RETURN new;
END $$;
GRANT EXECUTE ON FUNCTION public.refuse_page() TO hub_owner;
CREATE TRIGGER refuse BEFORE UPDATE ON hub_store.page FOR EACH ROW EXECUTE FUNCTION public.refuse_page();
"""


@pytest.fixture
def watched(scene: Scene) -> Scene:
    """The scene with the auditor's logbook in it."""
    watch(scene.connection)
    return scene


def test_a_job_outlives_twenty_kills_at_random_points(watched: Scene, workers: Workers) -> None:
    """E3, E5: whenever a worker is gone, what is counted is what was done; no page is done twice."""
    scene = watched
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")  # noqa: T201 (shown when the test fails)
    chance = random.Random(seed)  # noqa: S311 (guards nothing)
    scene.connection.execute("UPDATE jobs_store.setting SET value = 60 WHERE name = 'LeaseSeconds'")
    scene.connection.execute("UPDATE jobs_store.setting SET value = 21 WHERE name = 'MaxAttempts'")
    course = scene.add_course(PAGES)
    scene.connection.execute("UPDATE hub_store.page SET tags = '{LAW}' WHERE position % 5 = 0")
    job = scene.tag(course, "law")
    scene.connection.execute("DELETE FROM hub_store.page WHERE position % 100 = 1")
    scene.slow_pages(0.004)
    points = sorted(chance.sample(range(PAGES - 100), KILLS))
    for attempt, point in enumerate(points, 1):
        worker = workers()
        _wait_for_point(scene, job, attempt, point)
        time.sleep(chance.uniform(0, STEP_SECONDS))  # anywhere in a step
        worker.kill()
        _end_lease(scene)
        assert audit(scene.connection) == []
    workers()
    row = scene.wait_for_state(job, "succeeded")
    assert scene.counters(job) == (PAGES, PAGES, 790, 200, 10)
    assert scene.page_errors(job) == ["page_missing"] * 10
    assert row["attempt"] == KILLS + 1
    claims = ["job.claimed", *["job.reclaimed"] * KILLS]
    assert scene.events(job) == ["job.queued", *claims, "job.succeeded"]
    assert audit(scene.connection) == []


def test_a_worker_that_stood_still_until_another_had_finished_changes_nothing(
    watched: Scene, workers: Workers
) -> None:
    """E4: its own clock says that it holds the lease, so it is the database that refuses its writes."""
    scene = watched
    scene.connection.execute("UPDATE jobs_store.setting SET value = 60 WHERE name = 'LeaseSeconds'")
    course = scene.add_course(PAGES)
    scene.slow_pages(0.003)
    job = scene.tag(course, "law")
    first = workers()
    scene.wait_for_processed(job, 100)
    first.send(signal.SIGSTOP)
    _end_lease(scene)
    scene.slow_pages(0)
    workers()
    scene.wait_for_state(job, "succeeded")
    before = _everything(scene, job)
    first.send(signal.SIGCONT)
    assert first.wait_for("job abandoned")["reason"] == "the database refused it"
    assert _everything(scene, job) == before
    assert scene.counters(job) == (PAGES, PAGES, PAGES, 0, 0)
    assert scene.events(job) == ["job.queued", "job.claimed", "job.reclaimed", "job.succeeded"]
    assert audit(scene.connection) == []
    scene.wait_for_state(scene.tag(scene.add_course(1), "law"), "succeeded")
    assert first.alive


def test_ten_rolling_restarts_charge_no_attempt(watched: Scene, workers: Workers) -> None:
    """E5: the next worker is up before the last one is told to end, and each of them works on the job."""
    scene = watched
    course = scene.add_course(PAGES)
    scene.slow_pages(0.04)
    job = scene.tag(course, "law")
    worker = workers()
    for _ in range(RESTARTS):
        worker.wait_for("job claimed")
        scene.wait_for_processed(job, scene.job(job)["processed"] + 1)
        successor = workers()
        successor.wait_for("worker ready")
        worker.send(signal.SIGTERM)
        assert worker.wait(3) == 0
        assert worker.lines("job left")[-1]["state"] == "queued"
        worker = successor
    worker.wait_for("job claimed")
    assert scene.job(job)["processed"] < PAGES
    scene.slow_pages(0)
    row = scene.wait_for_state(job, "succeeded")
    assert row["attempt"] == 1
    assert scene.counters(job) == (PAGES, PAGES, PAGES, 0, 0)
    turns = ["job.claimed", "job.released"] * RESTARTS
    assert scene.events(job) == ["job.queued", *turns, "job.claimed", "job.succeeded"]
    assert audit(scene.connection) == []


def test_a_page_that_a_trigger_refuses_is_rejected_and_all_others_are_tagged(
    watched: Scene, workers: Workers
) -> None:
    """E2: whether it comes first, in the middle or last, and although its neighbours share its step."""
    scene = watched
    scene.connection.execute(REFUSE_PAGE)
    poisoned = {}
    for place in (0, PAGES // 2, PAGES - 1):
        course = scene.add_course(PAGES)
        page = scene.page_at(course, place)
        scene.connection.execute("UPDATE hub_store.page SET title = 'poison' WHERE id = %s", (page,))
        poisoned[scene.tag(course, f"tag {place}")] = (course, page)
    worker = workers()
    for job, (course, page) in poisoned.items():
        row = scene.wait_for_state(job, "succeeded")
        assert scene.counters(job) == (PAGES, PAGES, PAGES - 1, 0, 1)
        assert row["attempt"] == 1
        errors = scene.connection.execute(
            "SELECT page_id, code FROM jobs_store.page_error WHERE job_id = %s", (job,)
        )
        assert errors.fetchall() == [(page, "page_rejected")]
        untagged = scene.connection.execute(
            "SELECT id FROM hub_store.page WHERE course_id = %s AND tags = '{}'", (course,)
        )
        assert untagged.fetchall() == [(page,)]
        snapshot = scene.connection.execute("SELECT jobs._snapshot(%s)", (job,)).fetchone()
        assert snapshot is not None
        assert "page_rejected" in snapshot[0]
        assert "words of the trigger" not in snapshot[0]
    assert "words of the trigger" not in worker.log_text()
    assert audit(scene.connection) == []


def _wait_for_point(scene: Scene, job: UUID, attempt: int, point: int) -> None:
    """Wait until the job is in its so many-th attempt and has processed that many pages."""

    def reached() -> bool:
        row = scene.job(job)
        assert row["finished_at"] is None, "the job ended before the last kill"
        return bool(row["attempt"] == attempt and row["processed"] >= point)

    wait_until(reached, f"attempt {attempt} has processed {point} pages")


def _end_lease(scene: Scene) -> None:
    """Age the lease of the running job. A step that the server is still doing is waited for."""
    scene.connection.execute(
        "UPDATE jobs_store.job SET lease_until = clock_timestamp() - interval '1 second'"
        " WHERE state = 'running'"
    )


def _everything(scene: Scene, job: UUID) -> list[psycopg.rows.TupleRow]:
    """Return the job's row, and how many changes and events there were of anything."""
    return scene.connection.execute(
        "SELECT j::text, (SELECT count(*) FROM logbook.job_change),"
        " (SELECT count(*) FROM logbook.page_change), (SELECT count(*) FROM jobs_store.page_error),"
        " (SELECT count(*) FROM jobs_store.audit_event) FROM jobs_store.job AS j WHERE j.id = %s",
        (job,),
    ).fetchall()
