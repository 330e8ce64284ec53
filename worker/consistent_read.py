"""A workspace read as it is at one moment, beside everything that goes on in it."""

import queue
import threading
import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Self
from uuid import UUID

import psycopg

from knowledgehub.database import connection_arguments
from worker import calls
from worker.calls import Connection, ReadCourse, ReadMember, ReadPage, ReadWorkspace

SILENT_SECONDS = 60.0
"""When nothing was heard for so long, the connection is taken for lost: no call lasts over half of that."""

_AHEAD = 2
_LOOK_SECONDS = 0.5

# Nobody's lease waits for these calls, so one may take its time, and so may the disk that what was read is
# written to. The connection is told so in the transaction, for it may be a pooler's.
_BEGIN = (
    "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
    "SET LOCAL statement_timeout = '30s'",
    "SET LOCAL lock_timeout = '30s'",
    "SET LOCAL idle_in_transaction_session_timeout = '60s'",
)

_LOST = ("08", "25", "40", "53", "55", "57", "58")


class ReadLostError(Exception):
    """The consistent read is over before its end; what was read of it is of no use."""


class ConsistentRead:
    """The consistent read of one claim of a backup: a thread reads a little ahead of who takes the parts.

    Use it in a ``with`` statement, which ends the read, and take in order: the workspace, all contents, all
    members. ``token`` is the lease; ``checkpoint`` is called before anything is taken, and twice a second
    while there is nothing to take. Taking raises what it raises, :class:`ReadLostError`,
    :class:`worker.lease.LeaseLostError` and :class:`worker.calls.ReadTooLongError`.
    """

    def __init__(
        self, url: str, application_name: str, job_id: UUID, token: UUID, checkpoint: Callable[[], None]
    ) -> None:
        self._url = url
        self._application_name = application_name
        self._job = (job_id, token)
        self._checkpoint = checkpoint
        # None ends the contents and the members; an error ends it all.
        self._parts: queue.Queue[Any] = queue.Queue(_AHEAD)
        self._over = threading.Event()

    def __enter__(self) -> Self:
        # Not waited for at the end: it may be in the middle of a call.
        threading.Thread(target=self._run, name=f"{self._job[0]} read", daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()

    def workspace(self) -> ReadWorkspace:
        """Take what there is to read."""
        workspace: ReadWorkspace = self._take()
        return workspace

    def contents(self) -> Iterator[ReadCourse | list[ReadPage]]:
        """Take each course and, after it, its pages, some at a time."""
        yield from iter(self._take, None)

    def members(self) -> Iterator[ReadMember]:
        """Take the members."""
        for members in iter(self._take, None):
            yield from members

    def _take(self) -> Any:  # noqa: ANN401 (of any type)
        end = time.monotonic() + SILENT_SECONDS
        while time.monotonic() < end:
            self._checkpoint()
            try:
                part = self._parts.get(timeout=_LOOK_SECONDS)
            except queue.Empty:
                continue
            if isinstance(part, BaseException):
                raise part
            return part
        raise ReadLostError

    def _run(self) -> None:
        try:
            with psycopg.connect(self._url, **connection_arguments(self._application_name)) as connection:
                for statement in _BEGIN:
                    connection.execute(statement)
                for part in self._read(connection):
                    if not self._put(part):
                        return
            # Only now, when nothing is held open any more.
            self._put(None)
        except psycopg.Error as error:
            if not _is_lost(error):
                self._put(error)
                return
            lost = ReadLostError()
            lost.__cause__ = error
            self._put(lost)
        except BaseException as error:  # noqa: BLE001 (who takes the parts raises it)
            self._put(error)

    def _read(self, connection: Connection) -> Iterator[ReadWorkspace | ReadCourse | list[Any] | None]:
        yield calls.open_consistent_read(connection, *self._job)
        after = None
        while courses := calls.read_courses(connection, *self._job, after):
            for course in courses:
                yield course
                yield from self._read_pages(connection, course.id)
            after = courses[-1].position
        yield None
        email = None
        while members := calls.read_members(connection, *self._job, email):
            yield members
            email = members[-1].email

    def _read_pages(self, connection: Connection, course: UUID) -> Iterator[list[ReadPage]]:
        after = None
        while pages := calls.read_pages(connection, *self._job, course, after):
            yield pages
            after = pages[-1].position

    def _put(self, part: ReadWorkspace | ReadCourse | list[Any] | BaseException | None) -> bool:
        """Hand over a part; return whether it is still wanted."""
        while not self._over.is_set():
            try:
                self._parts.put(part, timeout=_LOOK_SECONDS)
            except queue.Full:
                continue
            return True
        return False


def _is_lost(error: psycopg.Error) -> bool:
    if error.sqlstate is None:
        return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
    return error.sqlstate.startswith(_LOST)
