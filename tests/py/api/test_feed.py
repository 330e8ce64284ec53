"""Parts of the feed that are hard to see from outside."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any
from uuid import UUID, uuid4

import pytest

from api import stream
from api.calls import Calls, Snapshot
from api.feed import BYE, GONE, Event, Feed, Place, Subscription

ANNA, BERT = b"a" * 32, b"b" * 32


class FakeCalls(Calls):
    """A database with jobs of one version each, and who may read them."""

    def __init__(self) -> None:
        self.jobs: dict[UUID, Snapshot] = {}
        self.asked: list[set[tuple[bytes, UUID]]] = []

    async def read_snapshots(self, sessions: list[bytes], jobs: list[UUID]) -> list[Snapshot]:
        """Answer from `jobs`."""
        self.asked.append(set(zip(sessions, jobs, strict=True)))
        return [self.jobs[job] for job in set(jobs) if job in self.jobs]


@pytest.fixture
def calls() -> FakeCalls:
    return FakeCalls()


@pytest.fixture
def feed(calls: FakeCalls) -> Feed:
    return Feed(calls, "postgresql://127.0.0.1:1/nothing", {"connect_timeout": 1})


def take(feed: Feed, session: bytes) -> Place:
    place = feed.take_place(session, 10)
    assert place is not None
    return place


def run(feed: Feed, test: Any) -> None:  # noqa: ANN401 (a coroutine)
    """Run the test while the feed reads."""

    async def framed() -> None:
        feed.start()
        try:
            async with asyncio.timeout(5):
                await test
        finally:
            await feed.stop()

    asyncio.run(framed())


def test_a_slow_stream_gets_the_latest_event_only() -> None:
    async def test() -> None:
        subscription = Subscription(ANNA, uuid4())
        for version in range(1, 6):
            subscription.offer(Event("snapshot", "{}", version=version))
        event = await subscription.next(1)
        assert event is not None
        assert event.version == 5
        assert await subscription.next(0.01) is None

    asyncio.run(test())


def test_what_a_stream_has_is_not_sent_again_and_nothing_follows_its_end() -> None:
    async def test() -> None:
        subscription = Subscription(ANNA, uuid4())
        subscription.offer(Event("snapshot", "{}", version=1))
        await subscription.next(1)
        subscription.offer(Event("snapshot", "{}", version=1))
        assert await subscription.next(0.01) is None
        terminal = Event("terminal", "{}", version=1, final=True)
        for event in (terminal, GONE, BYE, Event("snapshot", "{}", version=2)):
            subscription.offer(event)
        assert await subscription.next(1) is terminal
        assert await subscription.next(0.01) is None

    asyncio.run(test())


def test_one_call_reads_all_jobs_for_all_their_streams_and_bytes_are_shared(
    feed: Feed, calls: FakeCalls
) -> None:
    jobs = [uuid4() for _ in range(3)]
    calls.jobs = {job: Snapshot(job, 1, False, "{}", [ANNA, BERT]) for job in jobs}

    async def test() -> None:
        streams = [(session, job) for session in (ANNA, BERT, ANNA) for job in jobs]
        subscriptions = [feed.subscribed(take(feed, session), job) for session, job in streams]
        events = [await subscription.__enter__().next(1) for subscription in subscriptions[:1]]
        calls.asked.clear()
        entered = [subscription.__enter__() for subscription in subscriptions[1:]]
        events += [await subscription.next(1) for subscription in entered]
        assert calls.asked == [set(streams)]
        assert all(event is not None for event in events)
        assert len({id(event) for event in events[1:] if event}) == len(jobs)
        for subscription in subscriptions:
            subscription.__exit__(None, None, None)
        assert feed.streams(ANNA) == feed.streams(BERT) == 0

    run(feed, test())


def test_only_sessions_that_may_read_get_the_bytes(feed: Feed, calls: FakeCalls) -> None:
    job, missing = uuid4(), uuid4()
    calls.jobs = {job: Snapshot(job, 1, False, "{}", [ANNA])}

    async def test() -> None:
        with (
            feed.subscribed(take(feed, ANNA), job) as may,
            feed.subscribed(take(feed, BERT), job) as may_not,
            feed.subscribed(take(feed, ANNA), missing) as nothing,
        ):
            event = await may.next(1)
            assert event is not None
            assert event.name == "snapshot"
            assert await may_not.next(1) is GONE
            assert await nothing.next(1) is GONE

    run(feed, test())


def test_a_place_is_taken_until_its_stream_ended_or_will_never_begin(feed: Feed, calls: FakeCalls) -> None:
    job = uuid4()
    calls.jobs = {job: Snapshot(job, 1, True, "{}", [ANNA])}

    async def test() -> None:
        never_begun = stream.events(feed, take(feed, ANNA), job)
        streamed = stream.events(feed, take(feed, ANNA), job)
        assert feed.take_place(ANNA, 2) is None
        assert feed.take_place(BERT, 2) is not None
        assert [event.name async for event in streamed] == ["terminal"]
        assert feed.streams(ANNA) == 1
        del never_begun
        assert feed.streams(ANNA) == 0

    run(feed, test())


def test_a_failed_read_is_tried_again(feed: Feed, calls: FakeCalls, monkeypatch: pytest.MonkeyPatch) -> None:
    job = uuid4()
    calls.jobs = {job: Snapshot(job, 1, False, "{}", [ANNA])}
    read, failures = calls.read_snapshots, [RuntimeError(), RuntimeError()]

    async def failing(sessions: list[bytes], jobs: list[UUID]) -> list[Snapshot]:
        if failures:
            raise failures.pop()
        return await read(sessions, jobs)

    monkeypatch.setattr(calls, "read_snapshots", failing)
    monkeypatch.setattr("api.feed.RETRY_SECONDS", 0.01)

    async def test() -> None:
        with feed.subscribed(take(feed, ANNA), job) as subscription:
            event = await subscription.next(2)
            assert event is not None
            assert event.name == "snapshot"

    run(feed, test())


def test_a_stream_ends_with_bye_at_its_age_and_beats_before(
    feed: Feed, calls: FakeCalls, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = uuid4()
    calls.jobs = {job: Snapshot(job, 1, False, "{}", [ANNA])}
    monkeypatch.setattr(stream, "HEARTBEAT_SECONDS", 0.05)
    monkeypatch.setattr(stream, "AGE_SECONDS", (0.2, 0.2))

    async def names(events: AsyncIterator[Event]) -> list[str]:
        return [event.name async for event in events]

    async def test() -> None:
        first, *beats, last = await names(stream.events(feed, take(feed, ANNA), job))
        assert (first, set(beats), last) == ("snapshot", {"hb"}, "bye")
        assert 2 <= len(beats) <= 4
        feed.end_streams()
        assert await names(stream.events(feed, take(feed, ANNA), job)) == ["bye"]
        assert feed.streams(ANNA) == 0

    run(feed, test())
