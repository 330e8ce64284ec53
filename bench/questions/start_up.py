"""Start-up: how long each part of ``make run`` takes once everything is installed; the API's memory."""

import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from bench.figure import Figure
from bench.hub import Hub
from bench.process import megabytes
from bench.rounds import ROUNDS
from knowledgehub import demo
from knowledgehub.embedded import EmbeddedServer
from knowledgehub.migrate import create_roles, migrate

IDLE_SECONDS = 5


def measure(hub: Hub) -> Iterator[Figure]:
    """Start everything anew, part after part, some times."""
    rounds = [_start(hub) for _ in range(ROUNDS)]
    for part in rounds[0]:
        yield Figure(name=part, value=statistics.median(found[part] for found in rounds), unit="s")
    with hub.api_process() as api:
        time.sleep(IDLE_SECONDS)
        yield Figure(name="idle API: serving process's memory", value=megabytes(api.worker), unit="MB")
        yield Figure(name="idle API: master's memory", value=megabytes(api.master), unit="MB")


def _start(hub: Hub) -> dict[str, float]:
    """Return the seconds of each part, the database's on a server of its own."""
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="kh-bench-") as name:
        folder = Path(name)
        server = EmbeddedServer(folder / "data")
        try:
            found["database made and started"] = _seconds(server.start)
            server.stop()
            found["database started again"] = _seconds(server.start)
            found["roles and schema made"] = _seconds(lambda: _migrate(server))
            found["nothing to migrate"] = _seconds(lambda: _migrate(server))
            operator = server.url("hub_operator")
            found["demo made"] = _seconds(lambda: demo.ensure(operator, server.data_dir, None))
        finally:
            server.stop()
    begun = time.monotonic()
    with hub.api_process():
        found["API ready"] = time.monotonic() - begun
    begun = time.monotonic()
    with hub.worker():
        found["worker ready"] = time.monotonic() - begun
    return found


def _migrate(server: EmbeddedServer) -> None:
    create_roles(server.superuser_url)
    migrate(server.url("hub_migrator"))


def _seconds(do: Callable[[], object]) -> float:
    begun = time.monotonic()
    do()
    return time.monotonic() - begun
