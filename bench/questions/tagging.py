"""Tagging: pages a second, beside what the server can do at all and beside what others do."""

import time
import uuid
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial

from bench.figure import Figure
from bench.hub import Hub
from bench.peers import PEERS
from bench.rounds import medians

PAGES = 50_000
SINGLE_PAGES = 5_000
PEER_ITEMS = 10_000

_CHANGE = "SET tags = tags || 'x'::text, etag = gen_random_uuid(), updated_at = clock_timestamp()"


def measure(hub: Hub) -> Iterator[Figure]:
    """Measure the floors, one slot, two slots and the peers in turn."""
    courses = [hub.add_course(PAGES), hub.add_course(PAGES)]
    query = "SELECT id FROM hub_store.page ORDER BY course_id, position LIMIT %s"
    pages = [page for (page,) in hub.owner.execute(query, [SINGLE_PAGES])]
    measures: dict[str, Callable[[], float]] = {
        "one": lambda: _tag(hub, courses[:1]),
        "two": lambda: _tag(hub, courses),
        "page": lambda: _update_each(hub, pages),
        "all": lambda: _update_all(hub, courses[0]),
    }
    peers = {peer.name: peer.prepare(hub) for peer in PEERS}
    for name, peer in peers.items():
        measures[name] = partial(peer.work, PEER_ITEMS)
    found = medians(measures)
    one = found["one"]
    yield Figure(name="one slot", value=one, unit="/s")
    yield Figure(name="two slots on two courses", value=found["two"], unit="/s")
    yield Figure(name="one committed UPDATE per page", value=found["page"], unit="/s")
    yield Figure(name="one UPDATE for all pages", value=found["all"], unit="/s")
    for name in peers:
        yield Figure(name=f"{name}, a job per page", value=found[name], unit="/s")
    yield Figure(name="one slot / one committed UPDATE per page", value=one / found["page"], at_least=8)
    yield Figure(name="one slot / one UPDATE for all pages", value=one / found["all"], at_least=0.35)
    yield Figure(name="two slots on two courses / one slot", value=found["two"] / one, at_least=1.3)
    if peers:
        best = max(peers, key=lambda name: found[name])
        yield Figure(name="one slot / best peer", value=one / found[best], at_least=4, made_of=best)


def _tag(hub: Hub, courses: list[uuid.UUID]) -> float:
    """Tag the courses with a slot for each; return pages a second from the first claim to the last end."""
    hub.clear_tags()
    with hub.worker(slots=len(courses)):
        ended = [hub.succeed(job) for job in [hub.create_tagging(course) for course in courses]]
    begun = min(datetime.fromisoformat(job["started_at"]) for job in ended)
    over = max(datetime.fromisoformat(job["finished_at"]) for job in ended)
    return PAGES * len(courses) / (over - begun).total_seconds()


def _update_each(hub: Hub, pages: list[uuid.UUID]) -> float:
    hub.clear_tags()
    begun = time.monotonic()
    for page in pages:
        hub.owner.execute(f"UPDATE hub_store.page {_CHANGE} WHERE id = %s".encode(), [page])
    return len(pages) / (time.monotonic() - begun)


def _update_all(hub: Hub, course: uuid.UUID) -> float:
    hub.clear_tags()
    begun = time.monotonic()
    hub.owner.execute(f"UPDATE hub_store.page {_CHANGE} WHERE course_id = %s".encode(), [course])
    return PAGES / (time.monotonic() - begun)
