"""pgqueuer: one connection for the queue, as its documentation says, and a pool for the handlers."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg
from pgqueuer import PgQueuer, Queries
from pgqueuer.db import AsyncpgDriver
from pgqueuer.models import Job
from program import PAGES, TAG, URL, Meter, pick_ups, serve

BATCH_SIZE = 200
HANDLER_CONNECTIONS = 16
KIND = "tag"
# As asyncpg's documentation says: its look-up of types is slow where the server compiles it first.
SETTINGS = {"jit": "off"}


@asynccontextmanager
async def _queries() -> AsyncIterator[Queries]:
    connection = await asyncpg.connect(URL, server_settings=SETTINGS)
    try:
        yield Queries(AsyncpgDriver(connection))
    finally:
        await connection.close()


async def install(_: int) -> None:
    """Make the schema, with the settings of autovacuum that are recommended."""
    async with _queries() as queries:
        await queries.install()
        await queries.optimize_autovacuum()


async def clear(_: int) -> None:
    """Remove all jobs and the log of finished ones."""
    async with _queries() as queries:
        await queries.clear_queue()
        await queries.clear_queue_log()
        await queries.clear_statistics_log()


async def fill(count: int) -> None:
    """Enqueue a job for each of so many pages."""
    async with _queries() as queries:
        pages = await queries.driver.fetch(PAGES.format(count=count))
        await queries.enqueue([KIND] * count, [str(row["id"]).encode() for row in pages], [0] * count)


async def enqueue(count: int) -> float:
    """Enqueue so many jobs, each in a transaction of the user's; return seconds."""
    connection = await asyncpg.connect(URL, server_settings=SETTINGS)
    try:
        queries = Queries(AsyncpgDriver(connection))
        for number in range(count + 1):
            if number == 1:  # the first one, untimed, prepares the statements
                begun = time.perf_counter()
            async with connection.transaction():
                await queries.enqueue(KIND, b"page")
        return time.perf_counter() - begun
    finally:
        await connection.close()


async def _keep(_: object) -> None:
    """Spare the round trip that resets a session; nothing in it is ever set."""


@asynccontextmanager
async def _worker() -> AsyncIterator[Meter]:
    meter = Meter()
    statement = TAG.format(page="$1::text::uuid")
    connection = await asyncpg.connect(URL, server_settings=SETTINGS)
    handlers = asyncpg.create_pool(
        URL,
        min_size=HANDLER_CONNECTIONS,
        max_size=HANDLER_CONNECTIONS,
        server_settings=SETTINGS,
        reset=_keep,
    )
    async with handlers as pool:
        pgq = PgQueuer(AsyncpgDriver(connection))

        @pgq.entrypoint(KIND)
        async def tag(job: Job) -> None:
            meter.begin()
            await pool.execute(statement, (job.payload or b"").decode())
            meter.end()

        running = asyncio.create_task(pgq.run(batch_size=BATCH_SIZE))
        running.add_done_callback(meter.worker_ended)
        try:
            yield meter
        finally:
            pgq.shutdown.set()
            await running
            await connection.close()


async def work(count: int) -> float:
    """Run the jobs; return seconds."""
    async with _worker() as meter:
        await meter.reach(count)
        return meter.seconds


async def pick_up(count: int) -> list[float]:
    """Return milliseconds."""
    connection = await asyncpg.connect(URL, server_settings=SETTINGS)
    queries = Queries(AsyncpgDriver(connection))
    page = str(await connection.fetchval(PAGES.format(count=1))).encode()

    async def enqueue_one() -> None:
        await connection.execute("BEGIN")
        await queries.enqueue(KIND, page)

    try:
        async with _worker() as meter:
            return await pick_ups(meter, count, enqueue_one, lambda: connection.execute("COMMIT"))
    finally:
        await connection.close()


if __name__ == "__main__":
    serve(install=install, clear=clear, fill=fill, enqueue=enqueue, work=work, pick_up=pick_up)
