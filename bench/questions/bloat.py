"""Bloat: how much the table of jobs grows while jobs save their progress again and again.

``KNOWLEDGEHUB_BENCH_STEPS=1000000`` makes so many steps instead of 60,000, which takes minutes.
"""

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

from bench.figure import Figure
from bench.hub import Connection, Hub, one
from bench.process import wait_for

JOBS = 4
STEPS = (1_000, 10_000, int(os.environ.get("KNOWLEDGEHUB_BENCH_STEPS", "60000")))


def measure(hub: Hub) -> Iterator[Figure]:
    """Step a few jobs at once, a page a step, and look at the table in between."""
    for _ in range(JOBS):  # each of its own course, or they wait for each other's pages
        hub.create_tagging(hub.add_course(STEPS[-1] // JOBS + 1, "''"))
    hub.settle()
    workers = [hub.connect("hub_worker") for _ in range(JOBS)]
    claims = [
        one(worker, "SELECT job_id, lease FROM jobs.claim('bench', '{course_tagging}')") for worker in workers
    ]
    updates_before, hot_before = _updates(hub)
    sizes: list[tuple[int, int]] = []
    for before, steps in pairwise((0, *STEPS)):
        _step(workers, claims, steps - before)
        sizes.append(_sizes(hub))
    for worker in workers:  # which counts what it did when it ends, at the latest
        worker.close()
    wait_for(lambda: _updates(hub)[0] - updates_before >= STEPS[-1], "the statistics")
    updates, hot = _updates(hub)
    for name, found in zip(("heap", "heap and indexes"), zip(*sizes, strict=True), strict=True):
        for steps, size in zip(STEPS, found, strict=True):
            yield Figure(name=f"{name} of {JOBS} jobs after {steps:,} steps", value=size / 1024, unit="KB")
        growth = f"{name} after {STEPS[-1]:,} steps / after {STEPS[0]:,}"
        yield Figure(name=growth, value=found[-1] / found[0])
    share = (hot - hot_before) / (updates - updates_before)
    yield Figure(name="HOT updates / updates", value=share)


def _step(workers: list[Connection], claims: list[tuple[object, ...]], steps: int) -> None:
    def work(worker: Connection, claim: tuple[object, ...]) -> None:
        for _ in range(steps // JOBS):
            outcome = one(worker, "SELECT outcome FROM jobs.advance(%s, %s, 1)", *claim)
            if outcome != ("continue",):
                raise RuntimeError(f"a step was answered {outcome}")

    with ThreadPoolExecutor(len(workers)) as pool:
        list(pool.map(work, workers, claims))


def _sizes(hub: Hub) -> tuple[int, int]:
    """Return the bytes of the table alone, and with its indexes."""
    query = "SELECT pg_relation_size(t), pg_relation_size(t) + pg_indexes_size(t)"
    heap, whole = one(hub.owner, f"{query} FROM (SELECT 'jobs_store.job'::regclass AS t)")
    return heap, whole


def _updates(hub: Hub) -> tuple[int, int]:
    query = "SELECT n_tup_upd, n_tup_hot_upd FROM pg_stat_all_tables WHERE relid = 'jobs_store.job'::regclass"
    updates, hot = one(hub.owner, query)
    return updates, hot
