"""Verifying passwords without holding up the event loop."""

import asyncio
import logging
import secrets
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import TypeVar

from argon2.exceptions import InvalidHashError, VerificationError, VerifyMismatchError

from knowledgehub.passwords import hasher

AT_ONCE = 2
"""Verifications under way; each holds 64 MiB and several cores for about 80 ms."""

MOST_WAITING = 32
"""So many verifications may wait for a thread: more would be answered too late anyway."""

Result = TypeVar("Result")

logger = logging.getLogger(__name__)


class Passwords:
    """Verifies in threads, a few at a time; an unknown user costs the same time as a known one."""

    def __init__(self) -> None:
        # Threads of their own: slow reads of archives may hold all others. And a verification whose client
        # has gone keeps its thread to the end, so there are never more at once.
        self._threads = ThreadPoolExecutor(AT_ONCE, "passwords")
        self._waiting = 0
        self._nobodys_hash = hasher.hash(secrets.token_urlsafe(32))

    async def verify(self, password_hash: str | None, password: str) -> bool:
        """Return whether `password` belongs to the hash; never where there is none."""
        matches = await self._run(_matches, password_hash or self._nobodys_hash, password)
        return matches and password_hash is not None

    async def rehash(self, password_hash: str, password: str) -> str | None:
        """Return a new hash where the old one was made with other parameters than today's, else None."""
        if not hasher.check_needs_rehash(password_hash):
            return None
        return await self._run(hasher.hash, password)

    @property
    def crowded(self) -> bool:
        """Whether so many wait already that nobody else should begin."""
        return self._waiting >= MOST_WAITING

    async def _run(self, work: Callable[..., Result], *arguments: str) -> Result:
        self._waiting += 1
        try:
            # With the request's context, which log lines name it by.
            return await asyncio.get_running_loop().run_in_executor(
                self._threads, copy_context().run, work, *arguments
            )
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
