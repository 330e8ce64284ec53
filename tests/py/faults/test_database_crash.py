"""The database server ends without a word while browsers look on and workers work."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

from tests.py.api.client import Client, assert_problem, tagging
from tests.py.api.events import streaming
from tests.py.api.hub import Hub
from tests.py.api.process import ApiProcess
from tests.py.faults.crash import CrashingDatabase, crashing_database
from tests.py.races.auditor import audit, watch
from tests.py.worker.conftest import Workers
from tests.py.worker.scene import Scene, wait_until

PAGES = 500
STREAMS = 20
JOBS = 4


@pytest.fixture
def crashing() -> Iterator[CrashingDatabase]:
    """A server of the test's own."""
    with crashing_database() as database:
        yield database


@pytest.fixture
def api(crashing: CrashingDatabase, tmp_path: Path) -> Iterator[ApiProcess]:
    """An API process on it."""
    api = ApiProcess(tmp_path / "api.log", crashing.url("hub_api"))
    try:
        api.wait_until("/readyz")
        yield api
    finally:
        api.kill()


def test_streams_and_jobs_go_on_by_themselves_after_a_crash_of_the_server(
    crashing: CrashingDatabase, api: ApiProcess, workers: Workers
) -> None:
    """V1, E5: two jobs run and two wait; nobody opens a stream anew, no claim is lost, no version falls."""
    scene = Scene.build(crashing.as_superuser())
    watch(scene.connection)
    scene.connection.execute("UPDATE jobs_store.setting SET value = 60 WHERE name = 'LeaseSeconds'")
    scene.slow_pages(0.004)
    jobs = [scene.tag(scene.add_course(PAGES), f"tag {number}") for number in range(JOBS)]
    clients = _administrators(Hub(crashing), scene, api)
    path = f"/api/workspaces/{scene.workspace}/jobs"
    with ExitStack() as stack:
        streams = [
            stack.enter_context(streaming(clients[number % 2], f"{path}/{jobs[number % JOBS]}"))
            for number in range(STREAMS)
        ]
        for stream in streams:
            event = stream.next()
            assert event is not None
            assert event.name == "snapshot"
        worker = workers(url=crashing.url("hub_worker"), KNOWLEDGEHUB_WORKER_CONCURRENCY="2")
        for job in jobs[:2]:
            scene.wait_for_processed(job, 30)
        assert [scene.job(job)["state"] for job in jobs] == ["running"] * 2 + ["queued"] * 2
        crashing.crash()
        worker.wait_for("the database does not answer: trying until it does")
        wait_until(lambda: _status(api, "/readyz") == httpx.codes.SERVICE_UNAVAILABLE, "readiness says so")
        assert_problem(clients[0].get(path), 503, "unavailable")
        assert _status(api, "/healthz") == httpx.codes.OK
        crashing.start()
        for number, stream in enumerate(streams):
            events = stream.rest(60)
            assert [event.name for event in events if event.name != "snapshot"] == ["terminal"]
            assert events[-1].name == "terminal"
            versions = [event.version for event in events]
            assert versions == sorted(versions)
            last = json.loads(events[-1].data)
            assert (last["id"], last["state"]) == (str(jobs[number % JOBS]), "succeeded")
    wait_until(lambda: _status(api, "/readyz") == httpx.codes.OK, "the process is ready", 15)
    scene.connection = crashing.as_superuser()
    for job in jobs:
        assert scene.job(job)["attempt"] == 1
        assert scene.counters(job) == (PAGES, PAGES, PAGES, 0, 0)
        assert scene.events(job) == ["job.queued", "job.claimed", "job.succeeded"]
    created = clients[0].create_job(scene.workspace, tagging(scene.add_course(1)))
    assert created.status_code == httpx.codes.CREATED
    with streaming(clients[0], f"{path}/{created.json()['id']}") as stream:
        assert stream.rest()[-1].name == "terminal"
    assert audit(scene.connection) == []


def _administrators(hub: Hub, scene: Scene, api: ApiProcess) -> list[Client]:
    """Return two administrators of the scene's workspace; a session may have ten streams."""
    people = [hub.add_person() for _ in range(2)]
    for person in people:
        hub.join(person, scene.workspace)
    return [api.client(hub.sign_in(person)) for person in people]


def _status(api: ApiProcess, path: str) -> int:
    return httpx.get(api.address + path, timeout=15).status_code
