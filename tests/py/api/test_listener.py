"""Listening survives what connections die of."""

import time
from collections.abc import Iterator

import pytest

from tests.py.api.client import assert_problem
from tests.py.api.conftest import Place, StartApi, make_place
from tests.py.api.events import streaming
from tests.py.api.hub import Hub, wait_until
from tests.py.api.proxy import Proxy
from tests.server import Database


@pytest.fixture
def proxy(database: Database) -> Iterator[Proxy]:
    """A proxy between the listener and its server."""
    proxy = Proxy(database.server.port)
    yield proxy
    proxy.close()


@pytest.fixture
def far_place(database: Database, own_hub: Hub, start_api: StartApi, proxy: Proxy) -> Place:
    """A workspace at a process whose listener goes through the proxy."""
    url = f"postgresql://hub_api@127.0.0.1:{proxy.port}/{database.name}"
    return make_place(own_hub, start_api(KNOWLEDGEHUB_LISTEN_URL=url))


def failing(place: Place) -> list[str]:
    response = place.client.get("/readyz")
    return [] if response.status_code == 200 else assert_problem(response, 503, "not-ready")["failing"]


def test_a_half_open_connection_is_noticed_and_replaced(far_place: Place, proxy: Proxy) -> None:
    assert proxy.accepted == 1
    job = far_place.hub.add_job(far_place.administrator, far_place.workspace, far_place.course)
    with streaming(far_place.client, f"{far_place.path}/jobs/{job}") as stream:
        stream.next()
        proxy.freeze(also_new=True)
        lease = far_place.hub.claim(job)
        started = time.monotonic()
        event = stream.next()
        assert event is not None
        assert event.name == "snapshot"
        assert time.monotonic() - started < 6
        wait_until(lambda: failing(far_place) == ["listener"], "readiness names the listener", 6)
        proxy.thaw_new()
        wait_until(lambda: failing(far_place) == [], "the listener is back", 15)
        far_place.hub.advance(lease)
        started = time.monotonic()
        assert [event.name for event in stream.rest()][-1] == "terminal"
        assert time.monotonic() - started < 2


def test_a_deaf_connection_is_replaced_though_new_ones_work(far_place: Place, proxy: Proxy) -> None:
    proxy.freeze(also_new=False)
    wait_until(lambda: proxy.accepted == 2, "a second connection", 6)
    wait_until(lambda: failing(far_place) == [], "the listener is back")


def test_a_lost_connection_is_replaced_and_everything_read_again(own_place: Place) -> None:
    """What changed while nobody listened shows as soon as listening starts anew."""
    hub = own_place.hub
    job = hub.add_job(own_place.administrator, own_place.workspace, own_place.course)
    with streaming(own_place.client, f"{own_place.path}/jobs/{job}") as stream:
        stream.next()
        started = time.monotonic()
        with hub.connection.transaction():
            hub.connection.execute("UPDATE jobs_store.job SET version = 9 WHERE id = %s", (job,))
            hub.connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE application_name = 'knowledgehub api listener' AND datname = current_database()"
            )
        event = stream.next()
        assert event is not None
        assert event.version == 9
        assert time.monotonic() - started < 2
    wait_until(lambda: failing(own_place) == [], "the listener is back")


def test_self_tests_do_not_swallow_notifications(far_place: Place) -> None:
    """Each of sixty notifications, spread over a few self-tests, is acted on at once."""
    hub = far_place.hub
    job = hub.add_job(far_place.administrator, far_place.workspace, far_place.course)
    with streaming(far_place.client, f"{far_place.path}/jobs/{job}") as stream:
        stream.next()
        slowest = 0.0
        for version in range(2, 62):
            with hub.connection.transaction():
                hub.connection.execute("UPDATE jobs_store.job SET version = %s WHERE id = %s", (version, job))
                hub.connection.execute("SELECT pg_notify('knowledgehub_job', %s)", (str(job),))
            started = time.monotonic()
            event = stream.next()
            slowest = max(slowest, time.monotonic() - started)
            assert event is not None
            assert event.version == version
            time.sleep(0.1)
    assert slowest < 1
