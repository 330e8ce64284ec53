"""Admission: jobs a second, with all limits, keys and the audit trail, durably.

``KNOWLEDGEHUB_BENCH_HISTORY=1000000`` makes the history that many finished jobs long, which takes minutes.
"""

import json
import os
import statistics
import time
import uuid
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from bench.figure import Figure
from bench.hub import Connection, Hub, one
from bench.peers import PEERS
from bench.rounds import ROUNDS, medians

WORKSPACES = 700
PAGES = 10
PROMISED = 100_000
FINISHED = int(os.environ.get("KNOWLEDGEHUB_BENCH_HISTORY", PROMISED))
EVENTS = 10  # of each finished job
PEER_JOBS = 2_000
SLICE = 10  # workspaces
_LIMIT = 3  # MaxPendingPerActor


class Places:
    """Workspaces with a small course each, and room for as many jobs as an actor may have."""

    def __init__(self, hub: Hub) -> None:
        self.hub = hub
        self.courses: list[tuple[uuid.UUID, uuid.UUID]] = []
        for _ in range(WORKSPACES):
            workspace = hub.add_workspace()
            self.courses.append((workspace, hub.add_course(PAGES, workspace=workspace)))
        hub.set("MaxPendingPerWorkspace", 10)
        hub.set("MaxPendingPerActor", _LIMIT)

    def admit(self, connections: list[Connection]) -> float:
        """Fill every workspace over these connections, after a fresh start; return jobs a second."""
        self.hub.end_all_jobs()
        shares = [self.courses[number :: len(connections)] for number in range(len(connections))]
        begun = time.monotonic()
        with ThreadPoolExecutor(len(connections)) as pool:
            counts = list(pool.map(self.fill, connections, shares))
        return sum(counts) / (time.monotonic() - begun)

    def fill(self, connection: Connection, courses: list[tuple[uuid.UUID, uuid.UUID]]) -> int:
        """Admit as many jobs as these empty workspaces take; return how many."""
        query = "SELECT outcome FROM jobs.create_job(%s, %s, %s, %s, NULL)"
        count = 0
        for number in range(_LIMIT):
            for workspace, course in courses:
                body = {"kind": "course_tagging", "course_id": str(course), "tags": [f"tag {number}"]}
                arguments = (self.hub.session, workspace, str(uuid.uuid4()), json.dumps(body))
                (outcome,) = one(connection, query, *arguments)
                if outcome != "created":
                    raise RuntimeError(f"the job was not created: {outcome}")
                count += 1
        return count


def measure(hub: Hub) -> Iterator[Figure]:
    """Admit over one and eight connections beside the peers; then once more with a long history."""
    places = Places(hub)
    connections = [hub.connect("hub_api") for _ in range(8)]
    places.admit(connections)
    peers = {peer.name: peer.prepare(hub) for peer in PEERS}
    measures: dict[str, Callable[[], float]] = {
        "one": lambda: places.admit(connections[:1]),
        "eight": lambda: places.admit(connections),
    }
    for name, peer in peers.items():
        measures[name] = partial(peer.enqueue, PEER_JOBS)
    found = medians(measures)
    one_connection = found["one"]
    yield Figure(name="admissions, one connection", value=one_connection, unit="/s")
    yield Figure(name="admissions, eight connections", value=found["eight"], unit="/s")
    for name in peers:
        yield Figure(name=f"{name}, enqueue in a transaction", value=found[name], unit="/s")
    if peers:
        best = max(peers, key=lambda name: found[name])
        yield Figure(
            name="admissions / best peer's enqueues in a transaction",
            value=one_connection / found[best],
            at_least=0.8,
            made_of=best,
        )
    yield _with_history(hub)


def _with_history(hub: Hub) -> Figure:
    """Compare two more databases, one with finished jobs."""
    young, old = Places(hub.another("young")), Places(hub.another("old"))
    connections = {places: places.hub.connect("hub_api") for places in (young, old)}
    for places, connection in connections.items():
        places.admit([connection])
    _add_history(old.hub)
    ratios = []
    for _ in range(ROUNDS):
        for places in connections:
            places.hub.end_all_jobs()
        ratios.append(_ratio(connections))
    return Figure(
        name=f"admissions with {FINISHED:,} finished jobs / with none",
        value=statistics.median(ratios),
        at_least=0.9 if FINISHED == PROMISED else None,
        made_of=f"{EVENTS} audit events a job; each round leaves {WORKSPACES * _LIMIT:,} more jobs in both",
    )


def _ratio(connections: dict[Places, Connection]) -> float:
    """Fill the workspaces of both, a few at a time in turn, so that both meet the same disturbances."""
    taken = dict.fromkeys(connections, 0.0)
    order = list(connections)
    for first in range(0, WORKSPACES, SLICE):
        for places in order:
            begun = time.monotonic()
            places.fill(connections[places], places.courses[first : first + SLICE])
            taken[places] += time.monotonic() - begun
        order.reverse()
    young, old = taken.values()
    return young / old


def _add_history(hub: Hub) -> None:
    hub.end_all_jobs()
    # Past all rules, as a history of years is to be there in minutes.
    hub.owner.execute("SET session_replication_role = replica")
    hub.owner.execute(
        "INSERT INTO jobs_store.job SELECT t.* FROM jobs_store.job AS j, generate_series(1, %s) AS n,"
        " jsonb_populate_record(j, jsonb_build_object("
        " 'id', gen_random_uuid(), 'idempotency_key', 'old-' || n,"
        " 'workspace_id', (SELECT array_agg(DISTINCT workspace_id) FROM jobs_store.job)[1 + mod(n, %s)],"
        " 'created_at', clock_timestamp() - interval '2 days')) AS t"
        " WHERE j.id = (SELECT id FROM jobs_store.job LIMIT 1)",
        [FINISHED, WORKSPACES],
    )
    hub.owner.execute(
        "INSERT INTO jobs_store.audit_event (at, event, workspace_id, job_id, by)"
        " SELECT j.created_at, 'job.cancelled', j.workspace_id, j.id, 'operator'"
        " FROM generate_series(1, %s), jobs_store.job AS j WHERE j.idempotency_key LIKE 'old-%%'",
        [EVENTS],
    )
    hub.owner.execute("RESET session_replication_role")
