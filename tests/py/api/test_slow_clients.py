"""Clients that stop reading or sending hold nothing for long."""

import json
import os
import socket
import time
from pathlib import Path

import pytest

from api.stream import STREAMS_A_SESSION
from knowledgehub.configuration import SOURCE_TREE
from tests.py.api.conftest import Place, StartApi, make_place
from tests.py.api.events import streaming
from tests.py.api.hub import Hub, csrf_token

KIB = 1024
GROWTH_KIB = 40 * KIB

PATCH = """
from api import body, server
body.BODY_SECONDS = 1
server.STALLED_SECONDS = 3
"""


@pytest.fixture
def strict_place(own_hub: Hub, start_api: StartApi, tmp_path: Path) -> Place:
    """A workspace at a process that is less patient."""
    (tmp_path / "sitecustomize.py").write_text(PATCH)
    return make_place(own_hub, start_api(PYTHONPATH=f"{tmp_path}{os.pathsep}{SOURCE_TREE}"))


def connect(place: Place) -> socket.socket:
    """Connect with a small buffer, so that not reading is noticed."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4 * KIB)
    connection.settimeout(20)
    connection.connect(("127.0.0.1", place.api.port))
    return connection


def memory_kib(place: Place) -> int:
    """Return how much memory the serving process holds."""
    (worker,) = Path(f"/proc/{place.api.pid}/task/{place.api.pid}/children").read_text().split()
    status = Path(f"/proc/{worker}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS:")))


def is_full(place: Place, path: str) -> bool:
    """Whether the session may have no other stream."""
    with streaming(place.client, path) as stream:
        return stream.response.status_code == 429


def test_streams_that_nobody_reads_are_dropped_and_fill_no_memory(strict_place: Place) -> None:
    """Their snapshots are large: ten page errors with titles of 40,000 bytes each."""
    place, hub = strict_place, strict_place.hub
    job = hub.add_job(place.administrator, place.workspace, hub.add_course(place.workspace, pages=100))
    hub.connection.execute(
        "INSERT INTO jobs_store.page_error (job_id, page_id, page_title, code)"
        " SELECT %s, gen_random_uuid(), repeat('\U0001f642', 10000), 'page_busy' FROM generate_series(1, 10)",
        (job,),
    )
    lease = hub.claim(job)
    path = f"{place.path}/jobs/{job}"
    before = memory_kib(place)
    head = f"GET {path}/events HTTP/1.1\r\nHost: x\r\nCookie: session={place.client.token}\r\n\r\n"
    stalled = [connect(place) for _ in range(STREAMS_A_SESSION)]
    try:
        for connection in stalled:
            connection.sendall(head.encode())
            assert connection.recv(12) == b"HTTP/1.1 200"
        assert is_full(place, path)
        peak = 0
        deadline = time.monotonic() + 20
        while True:
            hub.advance(lease, 1)
            peak = max(peak, memory_kib(place))
            if not is_full(place, path):
                break
            assert time.monotonic() < deadline, "the places are still taken"
            time.sleep(0.2)
        assert peak - before < GROWTH_KIB, (before, peak)
    finally:
        for connection in stalled:
            connection.close()


def test_a_page_that_nobody_reads_is_given_up(strict_place: Place) -> None:
    place = strict_place
    page = place.hub.pages(place.course)[0]["id"]
    place.hub.connection.execute(
        "UPDATE hub_store.page SET content = repeat('x', 2000000) WHERE id = %s", (page,)
    )
    with connect(place) as connection:
        head = f"GET {place.path}/pages/{page} HTTP/1.1\r\nHost: x\r\nCookie: session={place.client.token}"
        connection.sendall(f"{head}\r\n\r\n".encode())
        time.sleep(7)
        received = 0
        try:
            while piece := connection.recv(64 * KIB):
                received += len(piece)
        except ConnectionResetError:
            pass
        assert received < 2_000_000


def test_a_body_that_does_not_come_is_not_waited_for(strict_place: Place) -> None:
    place = strict_place
    head = (
        f"POST {place.path}/jobs HTTP/1.1\r\nHost: x\r\nCookie: session={place.client.token}\r\n"
        f"X-CSRF-Token: {csrf_token(place.client.token or '')}\r\nContent-Type: application/json\r\n"
        "Idempotency-Key: a-key\r\n"
    )
    for framing in ("Content-Length: 100\r\n\r\n{", "Transfer-Encoding: chunked\r\n\r\n1\r\n{\r\n"):
        with connect(place) as connection:
            connection.sendall((head + framing).encode())
            begun = time.monotonic()
            answer = connection.recv(64 * KIB)
            assert 0.9 < time.monotonic() - begun < 6
            status, _, rest = answer.partition(b"\r\n")
            assert status.startswith(b"HTTP/1.1 408 ")
            assert json.loads(rest.partition(b"\r\n\r\n")[2])["code"] == "request-timeout"
    assert place.hub.jobs(place.workspace) == []
