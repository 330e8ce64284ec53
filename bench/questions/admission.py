"""Admission: jobs a second, with all limits, keys and the audit trail, durably."""

import json
import time
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from bench.figure import Figure
from bench.hub import Connection, Hub, one
from bench.rounds import medians

WORKSPACES = 700
PAGES = 10
FINISHED = 100_000
_LIMIT = 3  # MaxPendingPerActor


class Places:
    """Workspaces with a small course each, and room for as many jobs as an actor may have."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self.courses: list[tuple[uuid.UUID, uuid.UUID]] = []
        for _ in range(WORKSPACES):
            workspace = hub.add_workspace()
            self.courses.append((workspace, hub.add_course(PAGES, workspace=workspace)))
        hub.set("MaxPendingPerWorkspace", 10)
        hub.set("MaxPendingPerActor", _LIMIT)

    def admit(self, connections: list[Connection]) -> float:
        """Fill every workspace over these connections; return jobs a second."""
        self._hub.end_all_jobs()
        shares = [self.courses[number :: len(connections)] for number in range(len(connections))]
        begun = time.monotonic()
        with ThreadPoolExecutor(len(connections)) as pool:
            counts = list(pool.map(self._fill, connections, shares))
        return sum(counts) / (time.monotonic() - begun)

    def _fill(self, connection: Connection, courses: list[tuple[uuid.UUID, uuid.UUID]]) -> int:
        query = "SELECT outcome FROM jobs.create_job(%s, %s, %s, %s, NULL)"
        count = 0
        for number in range(_LIMIT):
            for workspace, course in courses:
                body = {"kind": "course_tagging", "course_id": str(course), "tags": [f"tag {number}"]}
                arguments = (self._hub.session, workspace, str(uuid.uuid4()), json.dumps(body))
                (outcome,) = one(connection, query, *arguments)
                if outcome != "created":
                    raise RuntimeError(f"the job was not created: {outcome}")
                count += 1
        return count


def measure(hub: Hub) -> Iterator[Figure]:
    """Admit over one and eight connections, and with a long history."""
    places = Places(hub)
    connections = [hub.connect("hub_api") for _ in range(8)]
    places.admit(connections)
    young = medians(
        {"one": lambda: places.admit(connections[:1]), "eight": lambda: places.admit(connections)}
    )
    yield Figure(name="admissions, one connection", value=young["one"], unit="/s")
    yield Figure(name="admissions, eight connections", value=young["eight"], unit="/s")
