"""What notifications cost: they make the database commit one transaction after another."""

import threading
import time
import uuid
from collections.abc import Iterator

from bench.figure import Figure
from bench.hub import Connection, Hub, one
from bench.rounds import medians

SESSIONS = 16
SECONDS = 3

_NOTIFY = "jobs._notify(uuid)"
_SILENT = """
    CREATE OR REPLACE FUNCTION jobs._notify(p_job uuid)
    RETURNS void
    LANGUAGE plpgsql
    VOLATILE
    SECURITY DEFINER
    SET search_path = pg_catalog, pg_temp
    AS $$ BEGIN END; $$
"""


def measure(hub: Hub) -> Iterator[Figure]:
    """Step sixteen jobs from sixteen sessions, a page a step, with notifications and without."""
    courses = [hub.add_course(50_000, "''") for _ in range(SESSIONS)]
    hub.settle()
    query = (
        "SELECT oid::regprocedure::text, pg_get_functiondef(oid) FROM pg_proc"
        " WHERE prosrc LIKE '%pg_notify(%'"
    )
    definitions = dict(hub.owner.execute(query))
    if list(definitions) != [_NOTIFY]:
        raise RuntimeError(
            f"{_NOTIFY} alone is to notify, so that it can be silenced here: {list(definitions)} do"
        )
    workers = [hub.connect("hub_worker") for _ in range(SESSIONS)]
    found = medians(
        {
            "with": lambda: _step(hub, workers, courses, definitions[_NOTIFY]),
            "without": lambda: _step(hub, workers, courses, _SILENT),
        }
    )
    yield Figure(name="steps of one page, sixteen sessions", value=found["with"], unit="/s")
    yield Figure(
        name="the same, with notifications / without", value=found["with"] / found["without"], at_least=0.9
    )


def _step(hub: Hub, workers: list[Connection], courses: list[uuid.UUID], notify: str) -> float:
    """Return how many steps a second all sessions make together."""
    hub.owner.execute(notify.encode())
    hub.end_all_jobs()
    for course in courses:
        hub.create_tagging(course)
    counts = [0] * len(workers)
    go = threading.Barrier(len(workers) + 1)
    over = threading.Event()

    def work(number: int, worker: Connection) -> None:
        claim = one(worker, "SELECT job_id, lease FROM jobs.claim('bench', '{course_tagging}')")
        go.wait()
        while not over.is_set():
            one(worker, "SELECT outcome FROM jobs.advance(%s, %s, 1)", *claim)
            counts[number] += 1

    threads = [threading.Thread(target=work, args=pair) for pair in enumerate(workers)]
    for thread in threads:
        thread.start()
    go.wait()
    begun = time.monotonic()
    time.sleep(SECONDS)
    over.set()
    for thread in threads:
        thread.join()
    return sum(counts) / (time.monotonic() - begun)
