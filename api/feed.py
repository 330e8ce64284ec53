"""The feed: hears which jobs changed and hands their snapshots to the streams that may see them.

Nothing trusts a notification: what a stream gets comes from one authorised read after another, and everything
watched is read again on a timer and whenever listening started anew.
"""

import asyncio
import logging
import os
import secrets
import socket
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any
from uuid import UUID
from weakref import WeakSet

import psycopg
from falcon.asgi import SSEvent
from psycopg import AsyncConnection, sql

from api.calls import Calls, Snapshot
from knowledgehub.backoff import Backoff

CHANNEL = "knowledgehub_job"
"""Where the database says which job changed."""

AGAIN_SECONDS = 0.25
"""A job is read once more this long after its last notification: those of a burst are thinned out."""

EVERYTHING_SECONDS = 5
"""How long a lost notification may go unnoticed."""

SELF_TEST_SECONDS = 2
"""How often the listener sends itself a notification."""

ECHO_SECONDS = 1.5
"""How long an answer or the own notification may take; less than the pause between two tests."""

RETRY_SECONDS = 1

logger = logging.getLogger(__name__)


class Event(SSEvent):
    """An event rendered once for all streams it goes to; `final` ones end the stream."""

    def __init__(self, name: str, data: str, *, version: int | None = None, final: bool = False) -> None:
        super().__init__()
        identity = "" if version is None else f"id: {version}\n"
        self.name = name
        self.version = version
        self.final = final
        self._bytes = f"event: {name}\n{identity}data: {data}\n\n".encode()

    def serialize(self, handler: object = None) -> bytes:  # noqa: ARG002 (the framework's signature)
        """Return the event as it goes over the wire."""
        return self._bytes


HEARTBEAT = Event("hb", "{}")
BYE = Event("bye", "{}", final=True)
GONE = Event("gone", "{}", final=True)


class Place:
    """One stream among those a session may have, from before the stream begins.

    It is free again when its stream has ended or nothing holds this object any more: a request may be cut off
    before its stream begins.
    """

    def __init__(self, session: bytes) -> None:
        self.session = session


class Subscription:
    """One stream's view of the feed. It keeps the latest event only, so a slow client skips versions."""

    def __init__(self, session: bytes, job: UUID) -> None:
        self.session = session
        self.job = job
        self._pending: Event | None = None
        self._last: Event | None = None
        self._wake = asyncio.Event()

    def offer(self, event: Event) -> None:
        """Make `event` the next one, unless the stream has it already or is to end anyway."""
        if self._last is not None and (
            self._last.final or (not event.final and event.version == self._last.version)
        ):
            return
        self._pending = self._last = event
        self._wake.set()

    async def next(self, seconds: float) -> Event | None:
        """Return the next event, or None if there is none for that long."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._wake.wait()
        self._wake.clear()
        event, self._pending = self._pending, None
        return event


class Feed:
    """Watches the jobs that streams subscribe to. One per process; `start` and `stop` frame its life."""

    def __init__(self, calls: Calls, listen_url: str, connection_arguments: dict[str, Any]) -> None:
        self._calls = calls
        self._listen_url = listen_url
        self._connection_arguments = connection_arguments
        self._subscriptions: dict[UUID, set[Subscription]] = {}
        self._places: WeakSet[Place] = WeakSet()
        self._to_read: set[UUID] = set()
        self._something_to_read = asyncio.Event()
        self._again: dict[UUID, asyncio.TimerHandle] = {}
        self._tasks: list[asyncio.Task[None]] = []
        self._ending = False
        self._backoff = Backoff()
        self.listening = False
        """Whether the listener's last self-test came back."""

    def start(self) -> None:
        """Start listening and reading, in the running event loop."""
        for loop in (self._listen(), self._read_changes(), self._read_everything()):
            self._tasks.append(asyncio.create_task(loop))

    def end_streams(self) -> None:
        """Say `bye` to every stream, also to those that still come."""
        self._ending = True
        for subscription in self._all():
            subscription.offer(BYE)

    async def stop(self) -> None:
        """Stop listening and reading."""
        self.end_streams()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def streams(self, session: bytes) -> int:
        """Return how many streams a session has, or is about to have."""
        return sum(place.session == session for place in self._places)

    @property
    def open_streams(self) -> int:
        """How many streams there are."""
        return len(self._places)

    def take_place(self, session: bytes, most: int) -> Place | None:
        """Return a place for one more stream of the session, or None where it has `most` already."""
        if self.streams(session) >= most:
            return None
        place = Place(session)
        self._places.add(place)
        return place

    @contextmanager
    def subscribed(self, place: Place, job: UUID) -> Iterator[Subscription]:
        """Watch a job for one stream. Its state is read after this began, so no change is missed."""
        subscription = Subscription(place.session, job)
        self._subscriptions.setdefault(job, set()).add(subscription)
        if self._ending:
            subscription.offer(BYE)
        self._read_soon([job])
        try:
            yield subscription
        finally:
            self._subscriptions[job].remove(subscription)
            if not self._subscriptions[job]:
                del self._subscriptions[job]
            self._places.discard(place)

    def _all(self) -> list[Subscription]:
        return [one for those in self._subscriptions.values() for one in those]

    # Reading

    def _read_soon(self, jobs: Iterable[UUID]) -> None:
        self._to_read.update(jobs)
        self._something_to_read.set()

    async def _read_everything(self) -> None:
        while True:
            await asyncio.sleep(EVERYTHING_SECONDS)
            self._read_soon(self._subscriptions)

    async def _read_changes(self) -> None:
        """Read what changed, one read after another: versions reach a stream in the order they were read."""
        works = True
        while True:
            await self._something_to_read.wait()
            self._something_to_read.clear()
            jobs, self._to_read = self._to_read, set()
            try:
                await self._read(jobs)
            except Exception:
                # Whatever it is, streams wait for the next try rather than for ever.
                if works:
                    logger.exception("feed cannot read jobs")
                works = False
                await asyncio.sleep(RETRY_SECONDS)
                self._read_soon(jobs)
            else:
                if not works:
                    logger.info("feed reads jobs again")
                works = True

    async def _read(self, jobs: Iterable[UUID]) -> None:
        # Those that subscribe from here on are read in the next round.
        subscriptions = [one for job in jobs for one in self._subscriptions.get(job, ())]
        pairs = list({(one.session, one.job) for one in subscriptions})
        if not pairs:
            return
        rows = await self._calls.read_snapshots([session for session, _ in pairs], [job for _, job in pairs])
        found = {row.job_id: (_event(row), frozenset(row.readers)) for row in rows}
        for one in subscriptions:
            event, readers = found.get(one.job, (GONE, frozenset[bytes]()))
            one.offer(event if one.session in readers else GONE)

    # Listening

    async def _listen(self) -> None:
        while True:
            try:
                connection = await AsyncConnection.connect(self._listen_url, **self._connection_arguments)
                try:
                    await self._follow(connection)
                finally:
                    self.listening = False
                    await connection.close()
            except psycopg.Error as error:
                logger.warning("listener lost its connection", exc_info=error)
            except Exception:
                logger.exception("listener failed")
            await asyncio.sleep(self._backoff.next_seconds())

    async def _follow(self, connection: AsyncConnection[Any]) -> None:
        """Take notifications until the connection is lost or turns out to be deaf. Raises psycopg.Error."""
        own_channel = f"knowledgehub_listener_{secrets.token_hex(8)}"
        with _closing_in(ECHO_SECONDS, connection):
            for channel in (CHANNEL, own_channel):
                await connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
        self._read_soon(self._subscriptions)
        while True:
            token = secrets.token_hex(8)
            test = sql.SQL("NOTIFY {}, {}").format(sql.Identifier(own_channel), sql.Literal(token))
            with _closing_in(ECHO_SECONDS, connection) as bound:
                await connection.execute(test)
                async for notification in connection.notifies(timeout=SELF_TEST_SECONDS):
                    if notification.channel == CHANNEL:
                        self._heard_of(notification.payload)
                    elif notification.payload == token:
                        bound.cancel()
                        self._is_well()

    def _is_well(self) -> None:
        if not self.listening:
            logger.info("listener listens")
        self.listening = True
        self._backoff.reset()

    def _heard_of(self, payload: str) -> None:
        try:
            job = UUID(payload)
        except ValueError:
            return  # any role may notify on any channel
        if job not in self._subscriptions:
            return
        self._read_soon([job])
        if job in self._again:
            self._again[job].cancel()
        self._again[job] = asyncio.get_running_loop().call_later(AGAIN_SECONDS, self._read_again, job)

    def _read_again(self, job: UUID) -> None:
        del self._again[job]
        self._read_soon([job])


def _event(row: Snapshot) -> Event:
    name = "terminal" if row.terminal else "snapshot"
    return Event(name, row.snapshot, version=row.version, final=row.terminal)


@contextmanager
def _closing_in(seconds: float, connection: AsyncConnection[Any]) -> Iterator[asyncio.TimerHandle]:
    """Break the connection after that long unless the block ended or the yielded timer was cancelled.

    Cancelling the call would not do: it waits for a server that may be gone without a word.
    """
    timer = asyncio.get_running_loop().call_later(seconds, _break, connection)
    try:
        yield timer
    finally:
        timer.cancel()


def _break(connection: AsyncConnection[Any]) -> None:
    """Make whatever waits on the socket see its end; closing it stays the driver's task."""
    with suppress(OSError, psycopg.Error), socket.socket(fileno=os.dup(connection.fileno())) as twin:
        twin.shutdown(socket.SHUT_RDWR)
