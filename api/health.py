"""Whether the process lives, and whether it can serve."""

import asyncio

import psycopg
from falcon.asgi import Request, Response

from api.calls import Calls, Unavailable
from api.feed import Feed
from api.problems import Problem
from api.resource import Resource
from knowledgehub import SCHEMA_VERSION

DATABASE_SECONDS = 2

_FAILINGS = {
    "database": "the database does not answer",
    "schema": "the database's schema is older than this code: run knowledgehub migrate",
    "limits": "the API's role lacks its time limits or UTC: run sql/roles.sql, and start this process anew",
    "listener": "changes of jobs are not heard of, streams and lists lag by up to 5 s",
}


class Healthz(Resource):
    """GET /healthz: the process answers."""

    public_methods = frozenset({"GET", "HEAD"})

    async def on_get(self, _req: Request, resp: Response) -> None:
        """Answer."""
        resp.media = {"status": "ok"}

    on_head = on_get


class Readyz(Resource):
    """GET /readyz: the process can serve, or 503 with the names of what fails."""

    public_methods = frozenset({"GET", "HEAD"})

    def __init__(self, calls: Calls, feed: Feed) -> None:
        self._calls = calls
        self._feed = feed

    async def on_get(self, _req: Request, resp: Response) -> None:
        """Ask the database, and whether its notifications arrive."""
        failing = await self._database_failings()
        if not self._feed.listening:
            failing.append("listener")
        if failing:
            text = "; ".join(f"{name}: {_FAILINGS[name]}" for name in failing)
            raise Problem("not-ready", text, failing=failing)
        resp.media = {"status": "ready"}

    on_head = on_get

    async def _database_failings(self) -> list[str]:
        # Waited for, not cancelled on time: cancelling a call waits for the server to agree.
        call = asyncio.create_task(self._ask())
        await asyncio.wait({call}, timeout=DATABASE_SECONDS)
        if not call.done():
            call.cancel()
            return ["database"]
        try:
            return call.result()
        except Unavailable:
            return ["database"]
        except psycopg.Error:
            return ["schema"]  # no such function yet, or no right to it

    async def _ask(self) -> list[str]:
        if await self._calls.schema_version() < SCHEMA_VERSION:
            return ["schema"]
        return ["limits"] if await self._calls.list_missing_limits() else []
