"""Lease: what keeping a job costs, and how long one waits for a slot beside a slot that is at work."""

import time
import uuid
from collections.abc import Iterator

from bench.figure import Figure
from bench.hub import Connection, Hub, one
from bench.rounds import medians, percentile

CALLS = 2_000
PAGES = 100_000
JOBS = 150


def measure(hub: Hub) -> Iterator[Figure]:
    """Renew beside the least that a durable call can cost; then claim while a large course is tagged."""
    yield from _renewals(hub)
    # In the course's own workspace the claim would find no workspace where nothing runs, which is rare.
    neighbour = hub.in_another_workspace()
    course, small = hub.add_course(PAGES), neighbour.add_course(1)
    hub.settle()
    waits: list[float] = []
    with hub.worker(slots=2):
        while len(waits) < JOBS:
            waits += _pick_ups(hub, hub.create_tagging(course), neighbour, small)
    for percent in (50, 99):
        yield Figure(
            name=f"admission to claim, another slot tagging, p{percent}",
            value=percentile(waits, percent),
            unit="ms",
            made_of=f"{len(waits)} jobs of a workspace where nothing else runs",
        )


def _renewals(hub: Hub) -> Iterator[Figure]:
    hub.create_tagging(hub.add_course(10))
    worker = hub.connect("hub_worker")
    claim = one(worker, "SELECT job_id, lease FROM jobs.claim('bench', '{course_tagging}')")
    hub.owner.execute(
        "CREATE TABLE small WITH (fillfactor = 50) AS SELECT 1 AS id, clock_timestamp() AS until"
    )
    hub.owner.execute("ALTER TABLE small ADD PRIMARY KEY (id)")
    update = "UPDATE small SET until = clock_timestamp() WHERE id = %s RETURNING until"
    found = medians(
        {
            "renew": lambda: _rate(worker, "SELECT version FROM jobs.renew(%s, %s)", *claim),
            "update": lambda: _rate(hub.owner, update, 1),
        }
    )
    hub.end_all_jobs()
    yield Figure(name="renewals, one connection", value=found["renew"], unit="/s")
    yield Figure(name="committed UPDATEs of one small row", value=found["update"], unit="/s")
    yield Figure(name="renewals / committed UPDATEs of one small row", value=found["renew"] / found["update"])


def _rate(connection: Connection, statement: str, *arguments: object) -> float:
    begun = time.monotonic()
    for _ in range(CALLS):
        one(connection, statement, *arguments)
    return CALLS / (time.monotonic() - begun)


def _pick_ups(hub: Hub, load: str, neighbour: Hub, small: uuid.UUID) -> list[float]:
    """Return the milliseconds that one small job after another waited while ``load`` was running."""
    found: list[float] = []
    hub.wait(load, processed=1)
    while True:
        milliseconds = neighbour.pick_up(small)
        if hub.snapshot(load)["terminal"]:
            return found
        found.append(milliseconds)
