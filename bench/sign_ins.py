"""How alike refused sign-ins are: whether the time tells an unknown, a disabled and a known account apart."""

import http.client
import json
import os
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg

from knowledgehub.calls import Operator
from knowledgehub.embedded import EmbeddedServer
from knowledgehub.passwords import hasher

SAMPLES = 8
"""Of each kind, each with an account of its own: all together stay below what throttles an address."""

KINDS = ("unknown", "disabled", "wrong")
START_SECONDS = 30


def ratio(server: EmbeddedServer) -> float:
    """Return the median time of the slowest kind of refusal over that of the fastest, over HTTP."""
    password_hash = hasher.hash("a password that nobody guesses")
    with psycopg.connect(server.url("hub_operator"), autocommit=True) as connection:
        operator = Operator(connection)
        for number in range(SAMPLES):
            for kind in ("disabled", "wrong"):
                operator.add_user(f"{kind}{number}@example.org", kind, password_hash)
            operator.set_user_enabled(f"disabled{number}@example.org", enabled=False)
    times: dict[str, list[float]] = {kind: [] for kind in KINDS}
    with _api(server) as port:
        for number in range(SAMPLES):
            for kind in KINDS:
                times[kind].append(_refused(port, f"{kind}{number}@example.org"))
    medians = [statistics.median(taken) for taken in times.values()]
    return max(medians) / min(medians)


@contextmanager
def _api(server: EmbeddedServer) -> Iterator[int]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    environment = os.environ | {"KNOWLEDGEHUB_DATABASE_URL": server.url("hub_api"), "PORT": str(port)}
    command = [sys.executable, "-m", "knowledgehub", "api"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as process:
        try:
            deadline = time.monotonic() + START_SECONDS
            while _status(port, "GET", "/readyz") != http.HTTPStatus.OK:
                if time.monotonic() > deadline:
                    raise TimeoutError("the API did not start")
                time.sleep(0.05)
            yield port
        finally:
            process.terminate()


def _refused(port: int, email: str) -> float:
    body = json.dumps({"email": email, "password": "another password"})
    begun = time.monotonic()
    status = _status(port, "POST", "/api/session", body)
    if status != http.HTTPStatus.UNAUTHORIZED:
        raise RuntimeError(f"a sign-in that should be refused was answered {status}")
    return time.monotonic() - begun


def _status(port: int, method: str, path: str, body: str | None = None) -> int | None:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    headers = {"Content-Type": "application/json", "X-CSRF-Token": "login"} if body else {}
    try:
        connection.request(method, path, body, headers)
        return connection.getresponse().status
    except OSError:
        return None
    finally:
        connection.close()
