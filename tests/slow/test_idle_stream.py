"""A stream on which nothing happens, behind nginx."""

import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.py.api.conftest import StartApi, own_hub, start_api
from tests.py.api.events import streaming
from tests.py.api.hub import Hub
from tests.py.api.nginx import Behind, behind_nginx, trusting

__all__ = ["own_hub", "start_api"]  # fixtures

IDLE_SECONDS = 125
HEADER_SECONDS = 10


@pytest.fixture
def behind(own_hub: Hub, start_api: StartApi, tmp_path: Path) -> Iterator[Behind]:
    """A workspace at an API behind nginx."""
    with behind_nginx(own_hub, start_api, tmp_path) as behind:
        yield behind


def test_an_idle_stream_survives_two_minutes_and_then_tells_the_end(behind: Behind) -> None:
    hub, place = behind.place.hub, behind.place
    job = hub.add_job(place.administrator, place.workspace, place.course)
    with behind.client() as client, streaming(client, f"{place.path}/jobs/{job}") as stream:
        assert stream.next() is not None
        begun = time.monotonic()
        while time.monotonic() - begun < IDLE_SECONDS:
            event = stream.next(15, heartbeats=True)
            assert event is not None
            assert event.name == "hb"
        hub.cancel(job)
        assert [event.name for event in stream.rest(1)] == ["terminal"]


def test_who_sends_no_header_is_dropped(behind: Behind) -> None:
    context = trusting(behind.nginx.certificate)
    with (
        socket.create_connection(("127.0.0.1", behind.nginx.port), timeout=3 * HEADER_SECONDS) as plain,
        context.wrap_socket(plain, server_hostname="127.0.0.1") as connection,
    ):
        connection.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: ")
        begun = time.monotonic()
        connection.recv(4096)
        assert HEADER_SECONDS - 1 < time.monotonic() - begun < 2 * HEADER_SECONDS
