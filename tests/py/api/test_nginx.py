"""The reference configuration of nginx, with Debian's nginx in front of an API process."""

import json
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from tests.py.api.client import assert_problem, tagging
from tests.py.api.conftest import StartApi
from tests.py.api.events import streaming
from tests.py.api.hub import Hub
from tests.py.api.nginx import Behind, behind_nginx, trusting

EVENT_SECONDS = 1


@pytest.fixture
def behind(own_hub: Hub, start_api: StartApi, tmp_path: Path) -> Iterator[Behind]:
    """A workspace at an API behind nginx."""
    with behind_nginx(own_hub, start_api, tmp_path) as behind:
        yield behind


def test_events_pass_at_once(behind: Behind) -> None:
    hub, place = behind.place.hub, behind.place
    job = hub.add_job(place.administrator, place.workspace, place.course)
    begun = time.monotonic()
    with behind.client() as client, streaming(client, f"{place.path}/jobs/{job}") as stream:
        assert stream.next() is not None
        assert time.monotonic() - begun < EVENT_SECONDS
        lease = hub.claim(job)
        begun = time.monotonic()
        event = stream.next()
        assert event is not None
        assert json.loads(event.data)["state"] == "running"
        assert time.monotonic() - begun < EVENT_SECONDS
        hub.advance(lease)
        assert stream.rest()[-1].name == "terminal"


def test_the_trail_names_the_client_and_not_what_he_claims(behind: Behind) -> None:
    place = behind.place
    claims = {
        "X-Forwarded-For": "198.51.100.99",
        "Forwarded": "for=198.51.100.99",
        "X-Real-IP": "198.51.100.99",
    }
    with behind.client(local_address="127.0.0.7") as client:
        response = client.post(
            f"{place.path}/jobs",
            json=tagging(place.course),
            headers={"Idempotency-Key": uuid4().hex, **claims},
        )
        assert response.status_code == 201, response.text
        (event,) = client.get(f"{place.path}/jobs/{response.json()['id']}/audit").json()["events"]
    assert event["address"] == "127.0.0.7"
    assert place.hub.one("SELECT array_agg(address) FROM jobs_store.request_budget") == ["127.0.0.7"]


def test_what_the_api_says_comes_through(behind: Behind) -> None:
    place = behind.place
    with behind.client() as client:
        large = client.post(
            f"{place.path}/jobs",
            content=b" " * 100_000,
            headers={"Content-Type": "application/json", "Idempotency-Key": "a"},
        )
        assert_problem(large, 413, "too-large")
        assert large.json()["type"] == f"{behind.nginx.address}/problems/too-large"
        page = client.get("/")
        assert page.headers["strict-transport-security"]
        assert "script-src 'self'" in page.headers["content-security-policy"]
        assert client.get("/metrics").status_code == 404


def test_http_2_is_offered(behind: Behind) -> None:
    context = trusting(behind.nginx.certificate)
    context.set_alpn_protocols(["h2", "http/1.1"])
    with (
        socket.create_connection(("127.0.0.1", behind.nginx.port), timeout=10) as plain,
        context.wrap_socket(plain, server_hostname="127.0.0.1") as secure,
    ):
        assert secure.selected_alpn_protocol() == "h2"
        assert secure.version() in {"TLSv1.2", "TLSv1.3"}
