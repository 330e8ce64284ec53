"""A database that comes late, goes away, is not migrated, or has a function that fails."""

import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from knowledgehub import SCHEMA_VERSION
from knowledgehub.embedded import SUPERUSER, EmbeddedServer
from knowledgehub.migrate import create_roles, migrate
from tests.py.worker.conftest import Workers
from tests.py.worker.scene import Scene

_OUT = "the database does not answer: trying until it does"
_BACK = "connected to the database again"


@pytest.fixture
def own_server() -> Iterator[EmbeddedServer]:
    """A migrated server that the test may stop and start."""
    with tempfile.TemporaryDirectory(prefix="kh-outage-") as folder:
        server = EmbeddedServer(Path(folder))
        server.start()
        try:
            create_roles(server.superuser_url)
            migrate(server.url("hub_migrator"))
            yield server
        finally:
            server.stop()


def test_a_job_outlives_a_restart_of_the_database(own_server: EmbeddedServer, workers: Workers) -> None:
    """The same worker goes on with the same claim; the outage is logged once, not by each try or slot."""
    with psycopg.connect(own_server.superuser_url, autocommit=True) as connection:
        scene = Scene.build(connection)
        connection.execute("UPDATE jobs_store.setting SET value = 60 WHERE name = 'LeaseSeconds'")
        course = scene.add_course(1000)
        scene.record_changes()
        scene.slow_pages(0.003)
        job = scene.tag(course, "law")
        worker = workers(url=own_server.url("hub_worker"), KNOWLEDGEHUB_WORKER_CONCURRENCY="3")
        scene.wait_for_processed(job, 100)
    own_server.stop()
    worker.wait_for(_OUT)
    own_server.start()
    with psycopg.connect(own_server.superuser_url, autocommit=True) as connection:
        scene.connection = connection
        row = scene.wait_for_state(job, "succeeded")
        assert scene.counters(job) == (1000, 1000, 1000, 0, 0)
        assert len(scene.changes()) == len(dict(scene.changes())) == 1000
        assert row["attempt"] == 1
    assert len(worker.lines(_OUT)) == len(worker.lines(_BACK)) == 1


def test_a_worker_lets_go_of_a_job_when_its_lease_may_be_over(
    own_server: EmbeddedServer, workers: Workers
) -> None:
    """E4: by its own clock, for there is no database to say so."""
    with psycopg.connect(own_server.superuser_url, autocommit=True) as connection:
        scene = Scene.build(connection)
        scene.slow_pages(0.003)
        job = scene.tag(scene.add_course(1000), "law")
        worker = workers(url=own_server.url("hub_worker"))
        scene.wait_for_processed(job, 50)
    own_server.stop()
    line = worker.wait_for("job abandoned", seconds=12)
    assert line["job_id"] == str(job)
    assert line["reason"] == "its time is over"


def test_a_worker_waits_for_a_database_that_comes_later(own_server: EmbeddedServer, workers: Workers) -> None:
    own_server.stop()
    worker = workers(url=own_server.url("hub_worker"))
    worker.wait_for(_OUT)
    own_server.start()
    worker.wait_for("worker ready")
    with psycopg.connect(own_server.superuser_url, autocommit=True) as connection:
        scene = Scene.build(connection)
        scene.wait_for_state(scene.tag(scene.add_course(1), "law"), "succeeded")
    assert len(worker.lines(_OUT)) == len(worker.lines(_BACK)) == 1


def test_a_drain_without_a_database_ends_in_time(own_server: EmbeddedServer, workers: Workers) -> None:
    with psycopg.connect(own_server.superuser_url, autocommit=True) as connection:
        scene = Scene.build(connection)
        scene.slow_pages(0.003)
        job = scene.tag(scene.add_course(1000), "law")
        worker = workers(url=own_server.url("hub_worker"))
        scene.wait_for_processed(job, 50)
    own_server.stop()
    worker.wait_for(_OUT)
    worker.send(signal.SIGTERM)
    assert worker.wait(4) == 0
    assert worker.lines("job abandoned")


def test_a_worker_waits_for_the_migration_of_its_database_and_says_so(
    own_server: EmbeddedServer, workers: Workers
) -> None:
    with psycopg.connect(own_server.superuser_url, autocommit=True) as connection:
        connection.execute("CREATE DATABASE unmigrated TEMPLATE template0")
    worker = workers(url=own_server.url("hub_worker", "unmigrated"))
    line = worker.wait_for("the database's schema is too old: run `knowledgehub migrate`")
    assert (line["schema"], line["needed"]) == (0, SCHEMA_VERSION)
    create_roles(own_server.url(SUPERUSER, "unmigrated"))
    migrate(own_server.url("hub_migrator", "unmigrated"))
    worker.wait_for("worker ready")
    worker.send(signal.SIGTERM)
    assert worker.wait(2) == 0


def test_a_worker_whose_role_lost_its_limits_waits_for_them_and_says_so(
    own_server: EmbeddedServer, workers: Workers
) -> None:
    with psycopg.connect(own_server.superuser_url, autocommit=True) as connection:
        connection.execute("ALTER ROLE hub_worker SET statement_timeout = 0")
    worker = workers(url=own_server.url("hub_worker"))
    line = worker.wait_for("the worker's role lacks its limits: run sql/roles.sql")
    assert line["missing"] == ["statement_timeout"]
    create_roles(own_server.superuser_url)
    worker.wait_for("worker ready")
    worker.send(signal.SIGTERM)
    assert worker.wait(2) == 0


def test_a_step_that_always_fails_keeps_no_slot_and_no_other_job(scene: Scene, workers: Workers) -> None:
    """Its lease runs out, its attempts are used up; meanwhile the slot works, and does not spin."""
    scene.connection.execute(
        "CREATE FUNCTION jobs._advance_broken(p_argument jsonb) RETURNS jsonb LANGUAGE plpgsql AS"
        " $$ BEGIN RETURN to_jsonb(1 / 0); END $$"
    )
    scene.connection.execute("GRANT EXECUTE ON FUNCTION jobs._advance_broken(jsonb) TO hub_owner")
    scene.add_kind("broken", "_advance_broken")
    broken = scene.create("broken")
    scene.connection.execute("UPDATE jobs_store.job SET total = 1, max_attempts = 1")
    worker = workers()
    worker.wait_for("job abandoned")
    job = scene.tag(scene.add_course(1), "law")
    scene.wait_for_state(job, "succeeded", seconds=3)
    row = scene.wait_for_state(broken, "failed")
    assert row["failure"]["code"] == "attempts_exhausted"
    assert [line["job_id"] for line in worker.lines("job abandoned")] == [str(broken)]
    worker.send(signal.SIGTERM)
    assert worker.wait(2) == 0
