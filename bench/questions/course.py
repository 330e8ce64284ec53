"""A course of 100,000 pages: how long an administrator waits, and what the worker needs."""

import time
from collections.abc import Iterator

from bench.figure import Figure
from bench.hub import Hub
from bench.process import peak_megabytes

PAGES = 100_000


def measure(hub: Hub) -> Iterator[Figure]:
    """Admit and tag."""
    course = hub.add_course(PAGES)
    begun = time.monotonic()
    job = hub.create_tagging(course)
    yield Figure(name="admission of 100,000 pages", value=time.monotonic() - begun, unit="s", at_most=1)
    with hub.worker() as worker:
        # The clock runs from the first page, not from the start of the process.
        hub.wait(job, processed=1)
        begun = time.monotonic()
        ended = hub.succeed(job)
        seconds = time.monotonic() - begun
        if ended["progress"]["changed"] != PAGES:
            raise RuntimeError(f"the job ended wrongly: {ended}")
        yield Figure(name="100,000 pages tagged by one slot", value=seconds, unit="s", at_most=20)
        yield Figure(name="worker's peak memory", value=peak_megabytes(worker.pid), unit="MB", at_most=100)
