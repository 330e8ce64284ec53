"""The end of a process."""

import time
from contextlib import ExitStack

import httpx
import pytest

from tests.py.api.conftest import Place
from tests.py.api.events import streaming
from tests.py.api.hub import wait_until


def test_ten_streams_are_told_bye_and_the_process_ends_within_three_seconds(own_place: Place) -> None:
    job = own_place.hub.add_job(own_place.administrator, own_place.workspace, own_place.course)
    path = f"{own_place.path}/jobs/{job}"
    idle = own_place.api.client(own_place.client.token)
    assert idle.get("/api/session").status_code == 200  # its connection stays open
    with ExitStack() as stack:
        streams = [stack.enter_context(streaming(own_place.client, path)) for _ in range(10)]
        for stream in streams:
            event = stream.next()
            assert event is not None
            assert event.name == "snapshot"
        own_place.api.terminate()
        started = time.monotonic()
        for stream in streams:
            assert [(event.name, event.id, event.data) for event in stream.rest(3)] == [("bye", None, "{}")]
        assert time.monotonic() - started < 1
        assert own_place.api.wait(3) == 0
        assert time.monotonic() - started < 3
    log = own_place.api.log()
    assert [line["by"] for line in log if line["event"] == "stream ended"] == ["bye"] * 10
    assert not [line for line in log if line["level"] == "error"]
    with pytest.raises(httpx.TransportError):
        idle.get("/api/session")
    query = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'hub_api' AND datname = current_database()"
    wait_until(lambda: own_place.hub.one(query) == 0, "its connections to the database are closed")
