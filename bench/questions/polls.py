"""Polls: what asking for a job again and again costs, where it has changed and where it has not."""

import http.client
import time
from collections.abc import Iterator

from bench.figure import Figure
from bench.hub import Hub
from bench.process import Api, cpu_seconds
from bench.rounds import medians, percentile

POLLS = 1_000


class Poller:
    """One client with one connection; ``latencies``, in ms, and ``processor``, in seconds, add up."""

    def __init__(self, api: Api, path: str, headers: dict[str, str]) -> None:
        self.latencies: list[float] = []
        self.processor = 0.0
        self._connection = http.client.HTTPConnection("127.0.0.1", api.port, timeout=10)
        self._api = api
        self._path = path
        self._headers = headers

    def poll(self, status: int) -> float:
        """Poll one time after another; return polls a second. RuntimeError at another status."""
        cpu = cpu_seconds(self._api.worker)
        begun = at = time.monotonic()
        for _ in range(POLLS):
            answer = self.ask()
            if answer.status != status:
                raise RuntimeError(f"a poll was answered {answer.status}")
            before, at = at, time.monotonic()
            self.latencies.append((at - before) * 1000)
        self.processor += cpu_seconds(self._api.worker) - cpu
        return POLLS / (at - begun)

    def ask(self) -> http.client.HTTPResponse:
        """Poll once; the body has been read."""
        self._connection.request("GET", self._path, headers=self._headers)
        answer = self._connection.getresponse()
        answer.read()
        return answer


def measure(hub: Hub) -> Iterator[Figure]:
    """Poll a job that does not change, in turn with and without If-None-Match."""
    job = hub.create_tagging(hub.add_course(10))
    path = f"/api/workspaces/{hub.workspace}/jobs/{job}"
    cookie = {"Cookie": f"session={hub.token}"}
    with hub.api_process() as api:
        whole = Poller(api, path, cookie)
        etag = whole.ask().headers["ETag"]
        same = Poller(api, path, cookie | {"If-None-Match": etag})
        found = medians({"304": lambda: same.poll(304), "200": lambda: whole.poll(200)})
    for name, poller in {"304": same, "200": whole}.items():
        yield Figure(name=f"polls answered {name}, one client", value=found[name], unit="/s")
        yield Figure(name=f"polls answered {name}, p50", value=percentile(poller.latencies, 50), unit="ms")
        each = poller.processor / len(poller.latencies) * 1e6
        yield Figure(name=f"polls answered {name}, processor time of the API each", value=each, unit="us")
    yield Figure(name="polls answered 304 / 200", value=found["304"] / found["200"])
