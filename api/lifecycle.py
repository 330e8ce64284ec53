"""What starts and stops with the process."""

from typing import Any

from psycopg_pool import AsyncConnectionPool

from api.feed import Feed

CLOSING_SECONDS = 0.2
"""How long calls still under way may hold up the end of the process."""


class Lifecycle:
    """Middleware that opens the pool and starts the feed, and undoes both; it waits for no database."""

    def __init__(self, pool: AsyncConnectionPool, feed: Feed) -> None:
        self._pool = pool
        self._feed = feed

    async def process_startup(self, _scope: dict[str, Any], _event: dict[str, Any]) -> None:
        """Start."""
        await self._pool.open()
        self._feed.start()

    async def process_shutdown(self, _scope: dict[str, Any], _event: dict[str, Any]) -> None:
        """Stop."""
        await self._feed.stop()
        await self._pool.close(timeout=CLOSING_SECONDS)
