"""Cleanup: what ending a job of many pages costs, for its worklist ends with it."""

import time
import uuid
from collections.abc import Iterator

from bench.figure import Figure
from bench.hub import Hub, one
from bench.rounds import medians

MANY, FEW = 100_000, 10
ENDINGS = 15  # of each


def measure(hub: Hub) -> Iterator[Figure]:
    """Cancel queued jobs of a large and of a small course in turn: that call ends them."""
    many, few = hub.add_course(MANY, "'text'"), hub.add_course(FEW, "'text'")
    hub.settle()
    found = medians({"many": lambda: _end(hub, many), "few": lambda: _end(hub, few)}, ENDINGS)
    yield Figure(name=f"ending a job of {MANY:,} pages", value=found["many"], unit="ms")
    yield Figure(name=f"ending a job of {FEW} pages", value=found["few"], unit="ms")
    yield Figure(name=f"ending a job of {MANY:,} pages / of {FEW} pages", value=found["many"] / found["few"])


def _end(hub: Hub, course: uuid.UUID) -> float:
    """Return the milliseconds of the call that ends a job of the course."""
    job = hub.create_tagging(course)
    begun = time.monotonic()
    hub.cancel(job)
    taken = time.monotonic() - begun
    if one(hub.owner, "SELECT count(*) FROM jobs_store.worklist") != (0,):
        raise RuntimeError("the worklist was not deleted")
    return taken * 1000
