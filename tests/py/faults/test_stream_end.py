"""Streams that are opened at any moment around the end of a job."""

import asyncio
import os
import random
import re
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import pytest

from api.feed import EVERYTHING_SECONDS
from api.stream import STREAMS_A_SESSION
from knowledgehub.configuration import SOURCE_TREE
from tests.py.api.conftest import Place, StartApi, make_place
from tests.py.api.hub import Hub

ROUNDS = 20
STREAMS = 200
OPENING_SECONDS = 0.6
NEVER_SECONDS = 1000 * EVERYTHING_SECONDS
LOST_SECONDS = 20


@pytest.fixture
def patient_place(own_hub: Hub, start_api: StartApi, tmp_path: Path) -> Place:
    """A workspace at a process that reads nothing on a timer: what a stream misses stays missed."""
    patch = f"from api import feed\nfeed.EVERYTHING_SECONDS = {NEVER_SECONDS}\n"
    (tmp_path / "sitecustomize.py").write_text(patch)
    return make_place(own_hub, start_api(PYTHONPATH=f"{tmp_path}{os.pathsep}{SOURCE_TREE}"))


def test_every_stream_around_the_end_of_a_job_is_told_of_it_once_and_ends(patient_place: Place) -> None:
    """V3: whether it was there before, comes after, or is being opened just then."""
    seed = random.SystemRandom().randrange(2**32)
    print(f"seed {seed}")  # noqa: T201 (shown when the test fails)
    chance = random.Random(seed)  # noqa: S311 (guards nothing)
    hub = patient_place.hub
    tokens = [hub.sign_in(patient_place.administrator) for _ in range(STREAMS // STREAMS_A_SESSION)]
    before = after = 0
    for number in range(ROUNDS):
        job = hub.add_job(patient_place.administrator, patient_place.workspace, patient_place.course)
        path = f"{patient_place.path}/jobs/{job}/events"
        end = _cancelling(hub, job) if number % 2 else _finishing(hub, job)
        for events in asyncio.run(_visit(patient_place.api.port, path, tokens, chance, end)):
            assert events[-1:] == ["terminal"], events
            assert set(events[:-1]) <= {"snapshot"}, events
            before += len(events) > 1
            after += len(events) == 1
    # Neither of them by exception: the openings did straddle the ends.
    assert min(before, after) > ROUNDS * STREAMS // 10, (before, after)


def _cancelling(hub: Hub, job: UUID) -> Callable[[], object]:
    return lambda: hub.cancel(job)


def _finishing(hub: Hub, job: UUID) -> Callable[[], object]:
    lease = hub.claim(job)
    return lambda: hub.advance(lease)


async def _visit(
    port: int, path: str, tokens: list[str], chance: random.Random, end: Callable[[], object]
) -> list[list[str]]:
    """Open ten streams a session and call ``end`` at random moments; return the events of each stream."""

    async def end_job() -> None:
        # Often after the last opening: what is read for a new stream is good for the others, too.
        await asyncio.sleep(chance.uniform(0.2, 1.8) * OPENING_SECONDS)
        await asyncio.to_thread(end)

    async def visit(token: str) -> list[str]:
        await asyncio.sleep(chance.uniform(0, OPENING_SECONDS))
        return await _read(port, path, token)

    async with asyncio.TaskGroup() as group:
        group.create_task(end_job())
        visits = [group.create_task(visit(token)) for token in tokens for _ in range(STREAMS_A_SESSION)]
    return [visit.result() for visit in visits]


async def _read(port: int, path: str, token: str) -> list[str]:
    """Read a stream to its end, which has to be a proper one; return the names of its events."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        headers = (f"Host: 127.0.0.1:{port}", f"Cookie: session={token}", "Connection: close")
        writer.write("\r\n".join((f"GET {path} HTTP/1.1", *headers, "", "")).encode())
        async with asyncio.timeout(LOST_SECONDS):
            answer = await reader.read()
    finally:
        writer.close()
    head, _, chunks = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 "), answer
    assert chunks.endswith(b"\r\n0\r\n\r\n"), answer
    body = b""
    while chunks:
        size, _, chunks = chunks.partition(b"\r\n")
        length = int(size, 16)
        body += chunks[:length]
        chunks = chunks[length + 2 :]
    return re.findall("^event: (.*)$", body.decode(), re.MULTILINE)
