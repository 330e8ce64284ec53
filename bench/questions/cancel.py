"""Cancel: how long a running job goes on after it was asked to stop, and what ending a queued one takes."""

import random
import time
import uuid
from collections.abc import Iterator
from datetime import datetime

from bench.figure import Figure
from bench.hub import Hub, seconds_between
from bench.rounds import percentile

PAGES = 100_000
RUNNING = 30
QUEUED = 200


def measure(hub: Hub) -> Iterator[Figure]:
    """Cancel taggings while they run, each at another moment of a step; then some that nobody claims."""
    course, small = hub.add_course(PAGES), hub.add_course(10)
    with hub.worker():
        running = [_cancel_running(hub, course) for _ in range(RUNNING)]
    queued = [_cancel_queued(hub, hub.create_tagging(small)) for _ in range(QUEUED)]
    # In effect within a second, counted from when somebody asks: the call waits for the step in flight.
    for name, waits, most in (
        ("running, asked to ended", [asked for asked, _ in running], 1000),
        ("running, request written to ended", [written for _, written in running], None),
    ):
        yield Figure(name=f"{name}, p50", value=percentile(waits, 50), unit="ms")
        slowest = max(waits)
        yield Figure(name=f"{name}, slowest of {RUNNING}", value=slowest, unit="ms", at_most=most)
    for percent in (50, 99):
        name = f"queued, the call that ends it, of {QUEUED}, p{percent}"
        yield Figure(name=name, value=percentile(queued, percent), unit="ms")


def _cancel_running(hub: Hub, course: uuid.UUID) -> tuple[float, float]:
    """Return the milliseconds from the sending of the request, and from its being written, to the end."""
    hub.settle()
    job = hub.create_tagging(course)
    hub.wait(job, processed=1)
    time.sleep(random.uniform(0.05, 0.2))  # noqa: S311 (no secret)
    asked = time.time()
    hub.cancel(job)
    ended = hub.wait(job)
    if ended["state"] != "cancelled" or not 0 < ended["progress"]["processed"] < PAGES:
        raise RuntimeError(f"the job was not cancelled in the middle: {ended}")
    finished = datetime.fromisoformat(ended["finished_at"]).timestamp()
    return (finished - asked) * 1000, seconds_between(ended, "cancel_requested_at", "finished_at") * 1000


def _cancel_queued(hub: Hub, job: str) -> float:
    begun = time.monotonic()
    hub.cancel(job)
    taken = time.monotonic() - begun
    if hub.snapshot(job)["state"] != "cancelled":
        raise RuntimeError("the call did not end the queued job")
    return taken * 1000
