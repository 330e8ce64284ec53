"""Verifying passwords."""

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import Literal
from uuid import uuid4

import pytest
from argon2 import PasswordHasher
from falcon.asgi import Request, Response
from falcon.testing import ASGIRequestEventEmitter, create_scope

from api import passwords
from api.calls import Answer, Credentials
from api.cookies import SessionCookie
from api.passwords import AT_ONCE, MOST_WAITING, Passwords
from api.problems import Problem
from api.sessions import Session


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


def test_who_goes_away_makes_no_room_for_another_verification(hasher: RecordingHasher) -> None:
    kept = hasher.hash("right")

    async def test() -> None:
        verifier = Passwords()
        gone = [asyncio.create_task(verifier.verify(kept, "right")) for _ in range(AT_ONCE)]
        async with asyncio.timeout(10):
            while hasher.most_at_once < AT_ONCE:  # noqa: ASYNC110 (threads have no event for it)
                await asyncio.sleep(0.001)
        for task in gone:
            task.cancel()
        assert await asyncio.gather(*(verifier.verify(kept, "right") for _ in range(AT_ONCE)))

    asyncio.run(test())
    assert hasher.most_at_once == AT_ONCE


def test_verifications_wait_for_no_other_work_in_threads(hasher: RecordingHasher) -> None:
    kept, over = hasher.hash("right"), threading.Event()

    async def test() -> None:
        loop = asyncio.get_running_loop()
        loop.set_default_executor(ThreadPoolExecutor(1))
        stuck = loop.run_in_executor(None, over.wait)
        try:
            async with asyncio.timeout(10):
                assert await Passwords().verify(kept, "right")
        finally:
            over.set()
            await stuck

    asyncio.run(test())


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


@pytest.mark.parametrize("account", ["unknown", "disabled", "wrong"])
def test_a_refused_sign_in_costs_exactly_one_verification(hasher: RecordingHasher, account: str) -> None:
    """Disabled users are not found, like unknown ones; whoever it is, the same happens in the same order."""
    steps: list[str] = []

    class Recorded:
        async def charge_sign_in(self, _email: str, _address: str) -> Answer:
            steps.append("charge")
            return Answer("ok", {"delay_ms": 0}, None)

        async def find_credentials(self, _email: str) -> Credentials | None:
            steps.append("find")
            return Credentials(uuid4(), hasher.hash("right")) if account == "wrong" else None

        async def refuse_sign_in(self, _email: str, _address: str) -> Answer:
            steps.append(f"refuse after {len(hasher.verified)}")
            return Answer("credentials", None, None)

    request = Request(create_scope(), ASGIRequestEventEmitter())
    request.context.body = {"email": "ada@example.org", "password": "guess"}
    request.context.address = "192.0.2.1"

    async def test() -> None:
        resource = Session(Recorded(), Passwords(), SessionCookie("http://localhost"))  # type: ignore[arg-type]
        with pytest.raises(Problem) as refused:
            await resource.on_post(request, Response())
        assert refused.value.code == "credentials"

    asyncio.run(test())
    assert steps == ["charge", "find", "refuse after 1"]
    assert hasher.check_needs_rehash(str(hasher.verified[0])) is False


def test_only_so_many_wait_for_their_verification(hasher: RecordingHasher) -> None:
    kept = hasher.hash("right")

    async def test() -> None:
        verifier = Passwords()
        tasks = [asyncio.create_task(verifier.verify(kept, "right")) for _ in range(MOST_WAITING)]
        crowded = [verifier.crowded]
        await asyncio.sleep(0)
        crowded.append(verifier.crowded)
        await tasks[0]
        crowded.append(verifier.crowded)
        await asyncio.gather(*tasks)
        assert crowded == [False, True, False]

    asyncio.run(test())
