"""Event streams: how long after a change they tell of it, and what each costs the API."""

import json
import resource
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from bench.figure import Figure
from bench.hub import Hub, one
from bench.process import Api, cpu_seconds, megabytes
from bench.rounds import percentile

STREAMS_A_SESSION = 10
MANY, MANY_JOBS = 5_000, 500
MANY_SECONDS = 15


class Told(NamedTuple):
    """What streams told: milliseconds from commit to event, and microseconds an event cost the API."""

    latencies: list[float]
    microseconds: float


def measure(hub: Hub) -> Iterator[Figure]:
    """Measure with few and many streams, on one job and on many."""
    _allow_open_files(2 * MANY)
    course = hub.add_course(1)
    jobs = [hub.create_tagging(course) for _ in range(MANY_JOBS)]
    tokens = [hub.sign_in() for _ in range(MANY // STREAMS_A_SESSION)]
    for streams in (1, 100, 1_000):
        with hub.api_process() as api:
            told = _tell(hub, api, jobs[:1], tokens, streams, pause=0.3, changes=20)
        bounds = {50: 10.0, 99: 50.0} if streams == 100 else {50: None, 99: None}
        for percent, most in bounds.items():
            yield Figure(
                name=f"commit to event, {streams} on one job, p{percent}",
                value=percentile(told.latencies, percent),
                unit="ms",
                at_most=most,
            )
    for count in (1, MANY_JOBS):
        with hub.api_process() as api:
            before = megabytes(api.worker)
            told = _tell(hub, api, jobs[:count], tokens, MANY, pause=0.5, changes=2 * MANY_SECONDS)
            size = (megabytes(api.worker) - before) * 1024 / MANY
        name = f"{MANY} streams on {count} jobs, 2 events/s"
        for percent, most in {50: None, 99: 1000.0}.items():
            value = percentile(told.latencies, percent)
            yield Figure(name=f"{name}, p{percent}", value=value, unit="ms", at_most=most)
        yield Figure(name=f"{name}, memory a stream", value=size, unit="KB", at_most=60)
        yield Figure(name=f"{name}, processor time an event", value=told.microseconds, unit="us")


def _tell(
    hub: Hub, api: Api, jobs: list[str], tokens: list[str], streams: int, *, pause: float, changes: int
) -> Told:
    """Open the streams, change every job ``changes`` times and return what was told."""
    paths = [
        (f"/api/workspaces/{hub.workspace}/jobs/{jobs[n % len(jobs)]}/events", tokens[n // STREAMS_A_SESSION])
        for n in range(streams)
    ]
    committed: dict[int, float] = {}
    with _client() as client:
        assert client.stdin  # noqa: S101 (a pipe)
        assert client.stdout  # noqa: S101 (likewise)
        client.stdin.write(json.dumps({"port": api.port, "paths": paths}) + "\n")
        client.stdin.flush()
        if client.stdout.readline() != "ready\n":
            raise RuntimeError("the streams did not open")
        cpu = cpu_seconds(api.worker)
        for _ in range(changes):
            time.sleep(pause)
            version = _change(hub, jobs)
            committed[version] = time.time()
        time.sleep(2)
        cpu = cpu_seconds(api.worker) - cpu
        client.stdin.write("\n")
        client.stdin.flush()
        arrivals: list[list[tuple[int, float]]] = json.loads(client.stdout.readline())
    for of_stream in arrivals:
        versions = [version for version, _ in of_stream]
        if versions != sorted(set(versions)) or versions[-1] != max(committed):
            raise RuntimeError(f"a stream told {versions}, and the last is {max(committed)}")
    found = [
        (at - committed[version]) * 1000
        for stream in arrivals
        for version, at in stream
        if version in committed
    ]
    return Told(found, cpu / len(found) * 1e6)


def _change(hub: Hub, jobs: list[str]) -> int:
    """Give every job the same next version in one transaction, with notifications; return it."""
    with hub.owner.transaction():
        ids = [uuid.UUID(job) for job in jobs]
        query = "SELECT max(version) + 1 FROM jobs_store.job WHERE id = ANY (%s)"
        (version,) = one(hub.owner, query, ids)
        hub.owner.execute("UPDATE jobs_store.job SET version = %s WHERE id = ANY (%s)", [version, ids])
        query = "SELECT pg_notify('knowledgehub_job', id) FROM unnest(%s::text[]) AS id"
        hub.owner.execute(query, [jobs])
    return int(version)


@contextmanager
def _client() -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, "-m", "bench.stream_client"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as client:
        try:
            yield client
        finally:
            client.kill()


def _allow_open_files(files: int) -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(files + 1_000, most), most))
