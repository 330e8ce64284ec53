"""Workers on machines whose clocks are wrong."""

import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.py.races.auditor import audit, watch
from tests.py.worker.process import WorkerProcess
from tests.py.worker.scene import Scene, wait_until
from tests.server import Database

OFFSET_SECONDS = 600
LEASE_SECONDS = 60
PAGES = 400
COMMAND = (sys.executable, "-m", "tests.py.faults.off_worker", "worker")

StartOff = Callable[[int], WorkerProcess]


def test_no_function_that_a_worker_may_call_takes_or_gives_a_point_in_time(scene: Scene) -> None:
    """E4: so only the database's clock says how long a lease lasts and when it is over."""
    found = scene.connection.execute(
        "SELECT p.oid::regproc::text, format_type(t.oid, NULL) FROM pg_proc AS p,"
        " unnest(coalesce(p.proallargtypes, p.proargtypes::oid[]) || p.prorettype) AS a (type)"
        " JOIN pg_type AS t ON a.type IN (t.oid, t.typarray)"
        " WHERE p.pronamespace IN ('jobs'::regnamespace, 'hub'::regnamespace)"
        " AND has_function_privilege('hub_worker', p.oid, 'EXECUTE')"
    ).fetchall()
    assert {name for name, _ in found} >= {"jobs.claim", "jobs.advance", "jobs.renew", "jobs.sweep"}
    assert [(name, kind) for name, kind in found if kind == "date" or kind.startswith("time")] == []


@pytest.fixture
def start_off(database: Database, tmp_path: Path) -> Iterator[StartOff]:
    """Starts a worker whose clocks are so many seconds off."""
    started: list[WorkerProcess] = []

    def start(offset: int) -> WorkerProcess:
        environment = {"OFFSET_SECONDS": str(offset), "KNOWLEDGEHUB_WORKER_CONCURRENCY": "1"}
        log = tmp_path / f"worker{offset}.log"
        worker = WorkerProcess(log, database.url("hub_worker"), COMMAND, environment)
        started.append(worker)
        shown = datetime.fromisoformat(worker.wait_for("worker ready")["time"]) - datetime.now(UTC)
        assert abs(shown.total_seconds() - offset) < OFFSET_SECONDS / 2
        return worker

    yield start
    for worker in started:
        worker.kill()


@pytest.mark.parametrize("offset", [OFFSET_SECONDS, -OFFSET_SECONDS])
def test_a_worker_with_wrong_clocks_takes_no_lease_early_and_gets_a_whole_one(
    scene: Scene, start_off: StartOff, offset: int
) -> None:
    """E4: one holds the job; the other, twenty minutes away from it, looks for work all the time."""
    watch(scene.connection)
    scene.connection.execute(
        "UPDATE jobs_store.setting SET value = %s WHERE name = 'LeaseSeconds'", (LEASE_SECONDS,)
    )
    scene.slow_pages(0.05)
    job = scene.tag(scene.add_course(PAGES), "law")
    holder = start_off(offset)
    scene.wait_for_processed(job, 1)
    start_off(-offset)
    scene.slow_pages(0.005)

    def wakes_until(processed: int) -> bool:
        scene.connection.execute("NOTIFY knowledgehub_queue")
        return bool(scene.job(job)["processed"] >= processed)

    wait_until(lambda: wakes_until(PAGES // 2), "half of the pages are processed")
    assert scene.job(job)["attempt"] == 1
    holder.kill()
    name = holder.lines("worker started")[0]["worker"]
    wait_until(lambda: not _connections(scene, name), "its last step is over")
    # Nearly all of the lease is waited for by ageing it.
    scene.connection.execute(
        "UPDATE jobs_store.job SET lease_until = clock_timestamp() + interval '1 second'"
    )
    over = scene.job(job)["lease_until"]
    wait_until(lambda: wakes_until(PAGES), "the other one does the rest")
    scene.wait_for_state(job, "succeeded")
    assert scene.events(job) == ["job.queued", "job.claimed", "job.reclaimed", "job.succeeded"]
    (claimed, lease), (reclaimed, next_lease) = _claims(scene)
    assert claimed + timedelta(seconds=LEASE_SECONDS - 1) < lease
    assert over <= reclaimed < over + timedelta(seconds=5)
    assert reclaimed + timedelta(seconds=LEASE_SECONDS - 1) < next_lease
    assert audit(scene.connection) == []


def _connections(scene: Scene, worker: str) -> int:
    return scene.connection.execute(
        "SELECT FROM pg_stat_activity WHERE application_name LIKE %s", (f"%{worker}%",)
    ).rowcount


def _claims(scene: Scene) -> list[tuple[datetime, datetime]]:
    """Return when the job was claimed and until when each lease lasted at first."""
    times = scene.connection.execute(
        "SELECT at FROM jobs_store.audit_event WHERE event IN ('job.claimed', 'job.reclaimed') ORDER BY id"
    )
    leases = scene.connection.execute(
        "SELECT (new ->> 'lease_until')::timestamptz FROM logbook.job_change"
        " WHERE old -> 'lease' <> new -> 'lease' AND new ->> 'state' = 'running' ORDER BY place"
    )
    return [(time, lease) for (time,), (lease,) in zip(times.fetchall(), leases.fetchall(), strict=True)]
