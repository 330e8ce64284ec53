"""What the peers' programs in Python share: commands as JSON lines, the item's work, and its clock."""

import asyncio
import json
import sys
import time
import traceback
from collections.abc import Awaitable, Callable

import uvloop

URL = sys.argv[1] if len(sys.argv) > 1 else ""
START_SECONDS = 1  # until a worker is idle
IDLE_SECONDS = 0.05  # between two jobs whose pick-up is measured
PAGES = "SELECT id::text FROM page ORDER BY id LIMIT {count}"
TAG = (
    "UPDATE page SET tags = tags || 'x'::text, etag = gen_random_uuid(), updated_at = clock_timestamp()"
    " WHERE id = {page}"
)

Command = Callable[[int], Awaitable[object]]


def serve(**commands: Command) -> None:
    """Answer lines ``{"do": name, "count": n}`` by ``{"value": …}`` or ``{"error": …}`` until input ends."""
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = {"value": uvloop.run(_called(commands[request["do"]], request["count"]))}
        except Exception:  # noqa: BLE001 (the bench process raises it)
            answer = {"error": traceback.format_exc()}
        print(json.dumps(answer), flush=True)


async def _called(command: Command, count: int) -> object:
    return await command(count)


class Meter:
    """When items began and ended, in seconds of one clock."""

    def __init__(self) -> None:
        self.begun: list[float] = []
        self.ended: list[float] = []
        self._goal = 0
        self._reached = asyncio.Event()

    def begin(self) -> None:
        """Note that an item's handler starts."""
        self.begun.append(time.perf_counter())

    def end(self) -> None:
        """Note that an item's change is committed."""
        self.ended.append(time.perf_counter())
        if len(self.ended) == self._goal:
            self._reached.set()

    async def reach(self, count: int) -> None:
        """Wait until that many items have ended; RuntimeError if the worker ends before."""
        self._goal = count
        self._reached.clear()
        if len(self.ended) < count:
            await self._reached.wait()
        if len(self.ended) < count:
            raise RuntimeError(f"the worker ended after {len(self.ended)} of {count} items")

    def worker_ended(self, _: asyncio.Task[None]) -> None:
        """Let nobody wait for a worker that is no longer there."""
        self._reached.set()

    @property
    def seconds(self) -> float:
        """The time from the first item's start to the last item's commit."""
        return max(self.ended) - min(self.begun)


async def pick_ups(
    meter: Meter,
    count: int,
    enqueue_one: Callable[[], Awaitable[object]],
    commit: Callable[[], Awaitable[object]],
) -> list[float]:
    """Return the milliseconds from each commit of a single enqueue to the start of its handler.

    The clock starts as the commit is sent: its answer may come after the notification.
    """
    await asyncio.sleep(START_SECONDS)
    found = []
    for number in range(count):
        await asyncio.sleep(IDLE_SECONDS)
        await enqueue_one()
        committing = time.perf_counter()
        await commit()
        await meter.reach(number + 1)
        found.append((meter.begun[number] - committing) * 1000)
    return found
