"""Verifying passwords without holding up the event loop."""

import asyncio
import logging
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from argon2.exceptions import InvalidHashError, VerificationError, VerifyMismatchError

from knowledgehub.passwords import hasher

AT_ONCE = 2
"""Verifications under way; each holds 64 MiB and several cores for about 80 ms."""

MOST_WAITING = 32
"""So many verifications may wait for a place: more would be answered too late anyway."""

logger = logging.getLogger(__name__)


class Passwords:
    """Verifies in threads, a few at a time; an unknown user costs the same time as a known one."""

    def __init__(self) -> None:
        self._places = asyncio.Semaphore(AT_ONCE)
        self._waiting = 0
        self._nobodys_hash = hasher.hash(secrets.token_urlsafe(32))

    async def verify(self, password_hash: str | None, password: str) -> bool:
        """Return whether `password` belongs to the hash; never where there is none."""
        async with self._place():
            matches = await asyncio.to_thread(_matches, password_hash or self._nobodys_hash, password)
        return matches and password_hash is not None

    async def rehash(self, password_hash: str, password: str) -> str | None:
        """Return a new hash where the old one was made with other parameters than today's, else None."""
        if not hasher.check_needs_rehash(password_hash):
            return None
        async with self._place():
            return await asyncio.to_thread(hasher.hash, password)

    @property
    def crowded(self) -> bool:
        """Whether so many wait already that nobody else should begin."""
        return self._waiting >= MOST_WAITING

    @asynccontextmanager
    async def _place(self) -> AsyncIterator[None]:
        self._waiting += 1
        try:
            async with self._places:
                yield
        finally:
            self._waiting -= 1


def _matches(password_hash: str, password: str) -> bool:
    try:
        return hasher.verify(password_hash, password)
    except VerifyMismatchError:
        return False
    except (VerificationError, InvalidHashError):
        logger.exception("a stored password hash is unusable: set that user's password anew")
        return False
