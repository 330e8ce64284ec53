"""Verifying passwords."""

import asyncio
import threading
import time
from typing import Literal

import pytest
from argon2 import PasswordHasher

from api import passwords
from api.passwords import AT_ONCE, Passwords


class RecordingHasher(PasswordHasher):
    """Keeps count of verifications and of how many run at once."""

    def __init__(self) -> None:
        super().__init__(time_cost=1, memory_cost=8, parallelism=1)
        self.verified: list[str | bytes] = []
        self.most_at_once = 0
        self._running = 0
        self._lock = threading.Lock()

    def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:  # noqa: A002 (the library's name)
        """Verify, slowly enough to overlap."""
        with self._lock:
            self.verified.append(hash)
            self._running += 1
            self.most_at_once = max(self.most_at_once, self._running)
        time.sleep(0.05)
        with self._lock:
            self._running -= 1
        return super().verify(hash, password)


@pytest.fixture
def hasher(monkeypatch: pytest.MonkeyPatch) -> RecordingHasher:
    """The hasher that Passwords uses."""
    hasher = RecordingHasher()
    monkeypatch.setattr(passwords, "hasher", hasher)
    return hasher


def test_a_password_fits_its_hash_only(hasher: RecordingHasher) -> None:
    kept = hasher.hash("right")

    async def test() -> None:
        verifier = Passwords()
        assert await verifier.verify(kept, "right")
        assert not await verifier.verify(kept, "wrong")
        assert not await verifier.verify("no hash at all", "right")

    asyncio.run(test())


def test_nobody_costs_as_much_as_somebody(hasher: RecordingHasher) -> None:
    async def test() -> None:
        assert not await Passwords().verify(None, "anything")

    asyncio.run(test())
    (verified,) = hasher.verified
    assert PasswordHasher.check_needs_rehash(hasher, str(verified)) is False


def test_a_few_are_verified_at_once_and_the_loop_goes_on(hasher: RecordingHasher) -> None:
    kept = hasher.hash("right")

    async def test() -> None:
        verifier = Passwords()
        tasks = [asyncio.create_task(verifier.verify(kept, "right")) for _ in range(6)]
        turns = 0
        while not all(task.done() for task in tasks):
            await asyncio.sleep(0.005)
            turns += 1
        assert all(task.result() for task in tasks)
        assert turns > 10

    asyncio.run(test())
    assert hasher.most_at_once == AT_ONCE


@pytest.mark.usefixtures("hasher")
def test_only_other_parameters_ask_for_a_new_hash() -> None:
    old = PasswordHasher(time_cost=2, memory_cost=8, parallelism=1).hash("right")

    async def test() -> None:
        verifier = Passwords()
        new = await verifier.rehash(old, "right")
        assert new is not None
        assert await verifier.verify(new, "right")
        assert await verifier.rehash(new, "right") is None

    asyncio.run(test())
