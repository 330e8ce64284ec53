"""How alike refused sign-ins are: whether the time tells an unknown, a disabled and a known account apart."""

import http.client
import json
import statistics
import time
from collections.abc import Iterator

from bench.figure import Figure
from bench.hub import Hub
from knowledgehub.calls import Operator
from knowledgehub.passwords import hasher

SAMPLES = 8
"""Of each kind, each with an account of its own: all together stay below what throttles an address."""

KINDS = ("unknown", "disabled", "wrong")


def measure(hub: Hub) -> Iterator[Figure]:
    """Refuse each kind in turn, over HTTP; the median time of the slowest kind over that of the fastest."""
    password_hash = hasher.hash("a password that nobody guesses")
    operator = Operator(hub.connect("hub_operator"))
    for number in range(SAMPLES):
        for kind in ("disabled", "wrong"):
            operator.add_user(f"{kind}{number}@example.org", kind, password_hash)
        operator.set_user_enabled(f"disabled{number}@example.org", enabled=False)
    times: dict[str, list[float]] = {kind: [] for kind in KINDS}
    with hub.api_process() as api:
        for number in range(SAMPLES):
            for kind in KINDS:
                times[kind].append(_refused(api.port, f"{kind}{number}@example.org"))
    medians = [statistics.median(taken) for taken in times.values()]
    ratio = max(medians) / min(medians)
    yield Figure(name="refused sign-ins: slowest kind / fastest", value=ratio, at_most=1.3)


def _refused(port: int, email: str) -> float:
    body = json.dumps({"email": email, "password": "another password"})
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    begun = time.monotonic()
    headers = {"Content-Type": "application/json", "X-CSRF-Token": "login"}
    connection.request("POST", "/api/session", body, headers)
    status = connection.getresponse().status
    seconds = time.monotonic() - begun
    connection.close()
    if status != http.HTTPStatus.UNAUTHORIZED:
        raise RuntimeError(f"a sign-in that should be refused was answered {status}")
    return seconds
