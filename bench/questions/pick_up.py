"""Pick-up: how long a job waits for a worker that has nothing to do, and what such a worker costs."""

import time
from collections.abc import Iterator

from bench.figure import Figure
from bench.hub import Hub
from bench.peers import PEERS
from bench.process import cpu_seconds, megabytes
from bench.rounds import percentile

JOBS = 300
PEER_JOBS = 100
IDLE_SECONDS = 20


def measure(hub: Hub) -> Iterator[Figure]:
    """Ask for one job after another; then for none."""
    course = hub.add_course(1)
    with hub.worker(slots=2) as worker:
        waits = [hub.pick_up(course) for _ in range(JOBS)]
        for percent, most in {50: 3, 99: 10}.items():
            yield Figure(
                name=f"admission to claim, idle worker, p{percent}",
                value=percentile(waits, percent),
                unit="ms",
                at_most=most,
                made_of="both by the database's clock, so with admission's commit and without the claim's",
            )
        for peer in PEERS:
            value = percentile(peer.prepare(hub).pick_up(PEER_JOBS), 50)
            yield Figure(
                name=f"{peer.name}, commit to handler, p50",
                value=value,
                unit="ms",
                made_of="from the commit's sending to the handler's start, so with the claim's commit",
            )
        time.sleep(2)
        cpu = cpu_seconds(worker.pid)
        time.sleep(IDLE_SECONDS)
        cpu = cpu_seconds(worker.pid) - cpu
        yield Figure(name="idle worker's processor", value=100 * cpu / IDLE_SECONDS, unit="%", at_most=1)
        yield Figure(name="idle worker's memory", value=megabytes(worker.pid), unit="MB", at_most=60)
