"""Jobs that Python handlers run: the probe's, each of a kind of its own name."""

import signal
import time
from pathlib import Path

import pytest

from tests import server
from tests.py.worker.conftest import Workers
from tests.py.worker.scene import Scene, wait_until
from worker import calls, handlers
from worker.claim import Claim
from worker.drain import Drain
from worker.lease import Lease, now
from worker.link import Database, Link


def test_a_handler_that_returns_succeeds_with_its_result(scene: Scene, workers: Workers) -> None:
    scene.add_kind("succeed")
    job = scene.create("succeed")
    workers(probe=True)
    row = scene.wait_for_state(job, "succeeded")
    assert row["result"] == {"pages": 3}
    assert scene.counters(job) == (3, 3, 0, 0, 0)
    assert row["attempt"] == 1
    assert scene.events(job) == ["job.queued", "job.claimed", "job.succeeded"]


@pytest.mark.parametrize("kind", ["fail", "leave", "return_nul", "overcount"])
def test_a_handler_at_fault_fails_its_job_and_nothing_else(scene: Scene, workers: Workers, kind: str) -> None:
    """The slot goes on with the next job; what went wrong is in the log and not in the job."""
    scene.add_kind(kind)
    job = scene.create(kind)
    worker = workers(probe=True)
    row = scene.wait_for_state(job, "failed", seconds=3)
    assert row["failure"]["code"] == "worker_error"
    assert "probe" not in row["failure"]["message"]
    next_job = scene.tag(scene.add_course(1), "law")
    scene.wait_for_state(next_job, "succeeded")
    told = [*worker.lines("the handler failed"), *worker.lines("the handler's result cannot be stored")]
    assert [line["job_id"] for line in told] == [str(job)]
    assert ("the probe's own words" in told[0]["error"]) == (kind == "fail")


def test_a_cancel_stops_a_handler_at_its_next_checkpoint(
    scene: Scene, workers: Workers, tmp_path: Path
) -> None:
    """C2; a handler that catches every Exception does not catch that."""
    scene.add_kind("check")
    job = scene.create("check")
    workers(probe=True)
    scene.wait_for_processed(job, 1)
    assert scene.cancel(job) == "asked"
    row = scene.wait_for_state(job, "cancelled", seconds=1)
    assert (row["total"], row["processed"], row["result"]) == (10, 1, None)
    assert not (tmp_path / "caught").exists()


def test_a_revoked_actor_stops_a_handler_at_its_next_checkpoint(scene: Scene, workers: Workers) -> None:
    """E1."""
    scene.add_kind("check")
    job = scene.create("check")
    workers(probe=True)
    scene.wait_for_processed(job, 1)
    scene.revoke()
    row = scene.wait_for_state(job, "failed", seconds=1)
    assert row["failure"]["code"] == "actor_not_authorised"


def test_a_handler_stopped_for_a_lost_right_fails_though_the_right_came_back(
    scene: Scene, workers: Workers, tmp_path: Path
) -> None:
    """E1, C3: what it left undone is never called a success."""
    scene.add_kind("stop_late")
    job = scene.create("stop_late")
    workers(probe=True)
    scene.wait_for_processed(job, 1)
    scene.revoke()
    wait_until((tmp_path / "stopped").exists, "the handler was stopped")
    scene.restore()
    (tmp_path / "go").touch()
    row = scene.wait_for_state(job, "failed")
    assert row["failure"]["code"] == "actor_not_authorised"


def test_a_save_refused_for_its_version_is_made_again_and_keeps_the_cancel_request(
    scene: Scene, workers: Workers, tmp_path: Path
) -> None:
    """V2, C3: the handler reports success, and the job is cancelled."""
    scene.add_kind("save_late")
    job = scene.create("save_late")
    workers(probe=True)
    scene.wait_for_processed(job, 1)
    assert scene.cancel(job) == "asked"
    (tmp_path / "go").touch()
    row = scene.wait_for_state(job, "cancelled")
    assert (row["processed"], row["result"]) == (2, None)
    assert row["cancel_requested_at"] is not None
    assert (tmp_path / "saved").read_text() == "cancelled=True"


def test_a_handler_keeps_its_lease_without_a_checkpoint(
    scene: Scene, workers: Workers, tmp_path: Path
) -> None:
    """For longer than the lease, with another worker waiting for it to end."""
    scene.add_kind("be_deaf")
    job = scene.create("be_deaf")
    workers(probe=True)
    workers(probe=True)
    wait_until(lambda: scene.job(job)["state"] == "running", "the job is claimed")
    first = scene.job(job)["lease_until"]
    query = "SELECT clock_timestamp() > %s"
    wait_until(
        lambda: scene.connection.execute(query, (first,)).fetchone() == (True,),
        "the first lease would be over",
    )
    (tmp_path / "go").touch()
    row = scene.wait_for_state(job, "succeeded")
    assert row["attempt"] == 1


def test_a_drain_stops_a_handler_at_its_next_checkpoint_and_gives_the_claim_back(
    scene: Scene, workers: Workers
) -> None:
    scene.add_kind("check")
    job = scene.create("check")
    worker = workers(probe=True)
    scene.wait_for_processed(job, 1)
    worker.send(signal.SIGTERM)
    assert worker.wait(3) == 0
    row = scene.job(job)
    assert (row["state"], row["attempt"]) == ("queued", 0)


def test_a_second_signal_ends_a_worker_whose_handler_does_not(scene: Scene, workers: Workers) -> None:
    scene.add_kind("be_deaf")
    job = scene.create("be_deaf")
    worker = workers(probe=True)
    worker.wait_for("job claimed")
    worker.send(signal.SIGTERM)
    worker.wait_for("worker drains")
    time.sleep(1.1)  # sooner it counts as the same wish
    worker.send(signal.SIGTERM)
    assert worker.wait(1) == 1
    assert scene.job(job)["state"] == "running"


def test_a_worker_whose_handler_does_not_end_ends_by_itself(scene: Scene, workers: Workers) -> None:
    scene.add_kind("be_deaf")
    scene.create("be_deaf")
    worker = workers(probe=True)
    worker.wait_for("job claimed")
    worker.send(signal.SIGTERM)
    assert worker.wait(7) == 1


def test_a_handler_whose_lease_is_gone_stops_at_its_next_checkpoint(scene: Scene, workers: Workers) -> None:
    """E4."""
    scene.add_kind("check")
    job = scene.create("check")
    worker = workers(probe=True)
    scene.wait_for_processed(job, 1)
    scene.connection.execute("UPDATE jobs_store.job SET lease = gen_random_uuid()")
    worker.wait_for("job abandoned")
    next_job = scene.tag(scene.add_course(1), "law")
    scene.wait_for_state(next_job, "succeeded")
    assert scene.job(job)["state"] == "running"


def test_no_handler_is_started_once_the_process_drains(scene: Scene, database: server.Database) -> None:
    """The drain began while the claim was on its way: it is given back unused."""
    scene.add_kind("succeed")
    job = scene.create("succeed")
    link = Link(Database(database.url("hub_worker")), "test")
    claimed = link.call(calls.claim, "w/1", ["succeed"])
    assert claimed is not None
    drain = Drain()
    drain.begin()
    claim = Claim(Lease(job, claimed.token, claimed.lease_seconds, now()), link, drain)
    started: list[handlers.HandledJob] = []
    assert handlers.run(started.append, claim, claim) == "queued"
    link.close()
    assert not started
    assert scene.job(job)["attempt"] == 0
