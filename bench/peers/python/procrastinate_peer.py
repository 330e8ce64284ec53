"""procrastinate: an asynchronous worker; finished jobs are deleted as they finish."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import psycopg
from procrastinate import App, PsycopgConnector, SyncPsycopgConnector
from procrastinate.jobs import DeleteJobCondition
from program import PAGES, TAG, URL, Meter, pick_ups, serve
from psycopg_pool import AsyncConnectionPool

CONCURRENCY = 16
CONNECTIONS = 8
KIND = "tag"


async def _autocommit(connection: psycopg.AsyncConnection[Any]) -> None:
    await connection.set_autocommit(True)


def _connector() -> PsycopgConnector:
    return PsycopgConnector(conninfo=URL, min_size=CONNECTIONS, max_size=CONNECTIONS, configure=_autocommit)


async def install(_: int) -> None:
    """Make the schema."""
    async with App(connector=_connector()).open_async() as app:
        await app.schema_manager.apply_schema_async()


async def clear(_: int) -> None:
    """Remove the jobs that were never run, for which it has no call; its worker deletes those it ran."""
    async with App(connector=_connector()).open_async() as app:
        await app.connector.execute_query_async("TRUNCATE procrastinate_jobs CASCADE")


async def fill(count: int) -> None:
    """Enqueue a job for each of so many pages."""
    async with App(connector=_connector()).open_async() as app:
        pages = await app.connector.execute_query_all_async(PAGES.format(count=count))
        await app.configure_task(KIND).batch_defer_async(*({"page": row["id"]} for row in pages))


async def enqueue(count: int) -> float:
    """Enqueue so many jobs, each in a transaction of the user's; return seconds."""
    with App(connector=SyncPsycopgConnector(conninfo=URL)).open() as app, psycopg.connect(URL) as connection:
        task = app.configure_task(KIND, connection=connection)
        for number in range(count + 1):
            if number == 1:  # the first one is untimed, as with every peer
                begun = time.perf_counter()
            task.defer(page="page")
            connection.commit()
        return time.perf_counter() - begun


@asynccontextmanager
async def _worker() -> AsyncIterator[tuple[App, Meter]]:
    meter = Meter()
    statement = TAG.format(page="%s").encode()
    handlers = AsyncConnectionPool(
        URL, min_size=CONCURRENCY, max_size=CONCURRENCY, kwargs={"autocommit": True}, open=False
    )
    async with handlers, App(connector=_connector()).open_async() as app:

        @app.task(name=KIND)
        async def tag(page: str) -> None:
            meter.begin()
            async with handlers.connection() as connection:
                await connection.execute(statement, [page])
            meter.end()

        worker = app.run_worker_async(
            concurrency=CONCURRENCY,
            delete_jobs=DeleteJobCondition.SUCCESSFUL,
            install_signal_handlers=False,
        )
        running = asyncio.create_task(worker)
        running.add_done_callback(meter.worker_ended)
        try:
            yield app, meter
        finally:
            running.cancel()
            await asyncio.wait([running])


async def work(count: int) -> float:
    """Run the jobs; return seconds."""
    async with _worker() as (_, meter):
        await meter.reach(count)
        return meter.seconds


async def pick_up(count: int) -> list[float]:
    """Return milliseconds."""
    async with (
        await psycopg.AsyncConnection.connect(URL) as connection,
        _worker() as (app, meter),
    ):
        task = app.configure_task(KIND, connection=connection)
        (page,) = await (await connection.execute(PAGES.format(count=1).encode())).fetchone() or ("",)
        await connection.commit()

        return await pick_ups(meter, count, lambda: task.defer_async(page=page), connection.commit)


if __name__ == "__main__":
    # It warns of an application made in the main module, which matters where jobs import it by name.
    logging.getLogger("procrastinate").setLevel(logging.ERROR)
    serve(install=install, clear=clear, fill=fill, enqueue=enqueue, work=work, pick_up=pick_up)
