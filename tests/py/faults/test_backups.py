"""Workers that are killed or stand still in a backup, and a database that goes away under one."""

import random
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest

from tests.py.faults.crash import CrashingDatabase, crashing_database
from tests.py.races.auditor import audit, watch
from tests.py.worker.archives import Archives, texts
from tests.py.worker.conftest import Workers
from tests.py.worker.scene import Scene

PAGES = 300
KILLS = 20
MOST_ATTEMPTS = 21
SECONDS_A_PAGE = 0.001
WHOLE_SECONDS = 0.8
"""About as long as such a backup takes, from its claim to its end."""


@pytest.fixture
def archives(tmp_path: Path) -> Archives:
    """A backup folder."""
    return Archives(tmp_path / "backups")


@pytest.fixture
def crashing() -> Iterator[CrashingDatabase]:
    """A server of the test's own."""
    with crashing_database() as database:
        yield database


def test_after_twenty_kills_at_random_points_every_archive_is_absent_or_whole(
    scene: Scene, workers: Workers, archives: Archives
) -> None:
    """E3, E5: and the next attempt succeeds; what the killed ones left is swept."""
    watch(scene.connection)
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")  # noqa: T201 (shown when the test fails)
    chance = random.Random(seed)  # noqa: S311 (guards nothing)
    scene.connection.execute("UPDATE jobs_store.setting SET value = 60 WHERE name = 'LeaseSeconds'")
    scene.connection.execute(
        "UPDATE jobs_store.setting SET value = %s WHERE name = 'MaxAttempts'", (MOST_ATTEMPTS,)
    )
    scene.add_course(PAGES)
    jobs = [scene.create("backup")]
    for _ in range(KILLS):
        worker = workers(seconds_a_page=SECONDS_A_PAGE, backup_dir=archives.folder)
        worker.wait_for("job claimed")
        time.sleep(chance.uniform(0, WHOLE_SECONDS))
        worker.kill()
        _end_lease(scene)
        _assert_whole(scene, archives, jobs)
        if scene.job(jobs[-1])["finished_at"] is not None:
            jobs.append(scene.create("backup"))
    # The kills came at work, not after it.
    assert len(jobs) < KILLS
    workers(backup_dir=archives.folder)
    scene.wait_for_state(jobs[-1], "succeeded")
    _assert_whole(scene, archives, jobs)
    rows = [scene.job(job) for job in jobs]
    assert {row["state"] for row in rows} == {"succeeded"}
    assert sum(row["attempt"] for row in rows) <= KILLS + 1
    workers(backup_dir=archives.folder)
    archives.wait_until_only(*(row["result"]["archive"] for row in rows))
    assert audit(scene.connection) == []


def test_a_worker_that_stood_still_until_another_had_finished_touches_only_its_own_file(
    scene: Scene, workers: Workers, archives: Archives
) -> None:
    """E4."""
    watch(scene.connection)
    scene.connection.execute("UPDATE jobs_store.setting SET value = 60 WHERE name = 'LeaseSeconds'")
    course = scene.add_course(PAGES)
    job = scene.create("backup")
    first = workers(seconds_a_page=0.01, backup_dir=archives.folder)
    scene.wait_for_processed(job, 100)
    first.send(signal.SIGSTOP)
    (frozen,) = archives.names()
    _end_lease(scene)
    scene.edit_page(course, 1, "New text")
    workers(backup_dir=archives.folder)
    row = scene.wait_for_state(job, "succeeded")
    assert row["result"]["archive"] != frozen
    first.send(signal.SIGCONT)
    assert first.wait_for("job abandoned")["reason"] == "the database refused it"
    assert archives.names() == [row["result"]["archive"]]
    with archives.assert_is_result(scene, job) as archive:
        assert texts(archive)[0] == "New text"
    assert scene.job(job) == row
    assert scene.events(job) == ["job.queued", "job.claimed", "job.reclaimed", "job.succeeded"]
    assert audit(scene.connection) == []
    scene.wait_for_state(scene.tag(course, "law"), "succeeded")
    assert first.alive


def test_a_backup_outlives_the_loss_of_the_database(
    crashing: CrashingDatabase, workers: Workers, archives: Archives, tmp_path: Path
) -> None:
    """It goes on where its lease lasts, and is claimed again where the loss lasts longer."""
    scene = Scene.build(crashing.as_superuser())
    scene.add_course(PAGES)
    worker = workers(url=crashing.url("hub_worker"), seconds_a_page=0.02, backup_dir=archives.folder)
    for losses, lease_seconds in enumerate((60, 5), 1):
        scene.connection.execute(
            "UPDATE jobs_store.setting SET value = %s WHERE name = 'LeaseSeconds'", (lease_seconds,)
        )
        job = scene.create("backup")
        scene.wait_for_processed(job, 100)
        crashing.crash()
        worker.wait_for("the database does not answer: trying until it does", losses)
        if lease_seconds == 5:
            assert worker.wait_for("job abandoned")["reason"] == "its time is over"
        (tmp_path / "go").touch()
        crashing.start()
        scene.connection = crashing.as_superuser()
        row = scene.wait_for_state(job, "succeeded")
        assert row["attempt"] == losses
        archives.assert_is_result(scene, job).close()
        (tmp_path / "go").unlink()
    workers(url=crashing.url("hub_worker"), backup_dir=archives.folder)
    results = scene.connection.execute("SELECT result ->> 'archive' FROM jobs_store.job").fetchall()
    archives.wait_until_only(*(name for (name,) in results))


def _assert_whole(scene: Scene, archives: Archives, jobs: list[UUID]) -> None:
    """Check every archive that is visible: the result of a job that succeeded, and of no other."""
    for job in jobs:
        if scene.job(job)["state"] == "succeeded":
            archives.assert_is_result(scene, job).close()
        else:
            assert scene.job(job)["result"] is None
    assert {name[:36] for name in archives.names()} <= set(map(str, jobs))


def _end_lease(scene: Scene) -> None:
    """Age the lease of the running job. A call that the server is still doing is waited for."""
    scene.connection.execute(
        "UPDATE jobs_store.job SET lease_until = clock_timestamp() - interval '1 second'"
        " WHERE state = 'running'"
    )
