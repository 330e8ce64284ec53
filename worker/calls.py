"""The functions of the database that the worker calls; each is one autocommitted statement.

A refused lease becomes :class:`LeaseLostError`, a consistent read that was open for too long
:class:`ReadTooLongError`; every other error of the database stays what psycopg raises.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

import psycopg
from psycopg import errors
from psycopg.rows import TupleRow
from psycopg.types.json import Jsonb

from worker.lease import LeaseLostError

Connection = psycopg.Connection[TupleRow]

_LEASE_LOST = "KH423"
_READ_TOO_LONG = "KH408"


class ReadTooLongError(Exception):
    """A consistent read has been open for longer than the setting MaxBackupSeconds allows."""


class Claimed(NamedTuple):
    """What ``jobs.claim`` answers."""

    job_id: UUID
    token: UUID
    kind: str
    lease_seconds: int
    attempt: int


class Saved(NamedTuple):
    """What ``jobs.save_progress`` answers; outcome: ``ok`` or ``version_mismatch``."""

    outcome: str
    version: int
    stop_requested: bool


class ReadWorkspace(NamedTuple):
    """What ``jobs.open_consistent_read`` answers; the last three are numbers."""

    id: UUID
    title: str
    courses: int
    pages: int
    members: int


class ReadCourse(NamedTuple):
    """A row of ``jobs.read_courses``."""

    id: UUID
    position: int
    title: str


class ReadPage(NamedTuple):
    """A row of ``jobs.read_pages``."""

    id: UUID
    position: int
    title: str
    content: str
    tags: list[str]
    updated_at: datetime


class ReadMember(NamedTuple):
    """A row of ``jobs.read_members``."""

    email: str
    name: str
    role: str
    enabled: bool


@contextmanager
def _naming_refusals() -> Iterator[None]:
    try:
        yield
    except psycopg.DatabaseError as error:
        if error.sqlstate == _LEASE_LOST:
            raise LeaseLostError("the database refused it") from None
        if error.sqlstate == _READ_TOO_LONG:
            raise ReadTooLongError from None
        raise


def _rows(connection: Connection, query: str, *arguments: object) -> list[TupleRow]:
    with _naming_refusals():
        return connection.execute(query, arguments).fetchall()


def _row(connection: Connection, query: str, *arguments: object) -> TupleRow | None:
    with _naming_refusals():
        return connection.execute(query, arguments).fetchone()


def _only_row(connection: Connection, query: str, *arguments: object) -> TupleRow:
    row = _row(connection, query, *arguments)
    if row is None:
        raise RuntimeError(f"no row from: {query}")
    return row


def schema_version(connection: Connection) -> int:
    """Return the version of the schema that this database was migrated to; 0 if it never was."""
    try:
        return int(_only_row(connection, "SELECT jobs.schema_version()")[0])
    except (errors.InvalidSchemaName, errors.InsufficientPrivilege, errors.UndefinedFunction):
        return 0


def missing_limits(connection: Connection) -> list[str]:
    """Return which of its role's defaults (time limits, UTC) the connection lacks."""
    return [setting for (setting,) in connection.execute("SELECT setting FROM jobs.list_missing_limits()")]


def read_concurrency(connection: Connection) -> int:
    """Return how many jobs a worker process is to run at a time."""
    return int(_only_row(connection, "SELECT concurrency FROM jobs.read_worker_settings()")[0])


def list_sql_kinds(connection: Connection) -> list[str]:
    """Return the kinds that :func:`advance` can run."""
    return [kind for (kind,) in connection.execute("SELECT kind FROM jobs.list_sql_kinds()")]


def claim(connection: Connection, worker: str, kinds: Sequence[str]) -> Claimed | None:
    """Claim the job whose turn it is among ``kinds``; None if there is none."""
    row = _row(
        connection,
        "SELECT job_id, lease, kind, lease_seconds, attempt FROM jobs.claim(%s, %s)",
        worker,
        list(kinds),
    )
    return None if row is None else Claimed(*row)


def advance(connection: Connection, job_id: UUID, token: UUID, page_limit: int) -> str:
    """Do one step of a job, of so many pages at most.

    Return ``continue``, ``wait`` (a page is locked) or ``ended``.
    """
    query = "SELECT outcome FROM jobs.advance(%s, %s, %s)"
    return str(_only_row(connection, query, job_id, token, page_limit)[0])


def renew(connection: Connection, job_id: UUID, token: UUID) -> bool:
    """Make the lease last its full length from now; return whether the job is to stop."""
    return bool(_only_row(connection, "SELECT stop_requested FROM jobs.renew(%s, %s)", job_id, token)[0])


def save_progress(
    connection: Connection, job_id: UUID, token: UUID, *, version: int, total: int, processed: int
) -> Saved:
    """Save how far a handler is, if the job still has ``version``, and renew the lease in any case."""
    return Saved(
        *_only_row(
            connection,
            "SELECT outcome, version, stop_requested FROM jobs.save_progress(%s, %s, %s, %s, %s)",
            job_id,
            token,
            version,
            total,
            processed,
        )
    )


def finish(
    connection: Connection, job_id: UUID, token: UUID, result: dict[str, Any] | None, failure_code: str | None
) -> str:
    """End a job with a result or a failure; return its state: a cancel request and lost rights come first."""
    row = _only_row(
        connection,
        "SELECT outcome FROM jobs.finish(%s, %s, %s, %s)",
        job_id,
        token,
        None if result is None else Jsonb(result),
        failure_code,
    )
    return str(row[0])


def release(connection: Connection, job_id: UUID, token: UUID) -> str:
    """Give a claim back; return the job's state: ``queued``, unless it had to be cancelled or to fail."""
    return str(_only_row(connection, "SELECT outcome FROM jobs.release(%s, %s)", job_id, token)[0])


def sweep(connection: Connection, worker: str) -> dict[str, int]:
    """Clear away what is over, in the name of ``worker``; return how much of what."""
    return dict(_only_row(connection, "SELECT jobs.sweep(%s)", worker)[0])


def open_consistent_read(connection: Connection, job_id: UUID, token: UUID) -> ReadWorkspace:
    """Return what there is to read for a backup, in the transaction that is to read it.

    That and the ``read_`` calls need a REPEATABLE READ transaction, and may raise :class:`ReadTooLongError`.
    """
    return ReadWorkspace(
        *_only_row(
            connection,
            "SELECT workspace_id, workspace_title, courses, pages, members"
            " FROM jobs.open_consistent_read(%s, %s)",
            job_id,
            token,
        )
    )


def read_courses(connection: Connection, job_id: UUID, token: UUID, after: int | None) -> list[ReadCourse]:
    """Return the next courses after a position, or from the first on; none at the end."""
    query = "SELECT id, position, title FROM jobs.read_courses(%s, %s, %s)"
    return [ReadCourse(*row) for row in _rows(connection, query, job_id, token, after)]


def read_pages(
    connection: Connection, job_id: UUID, token: UUID, course: UUID, after: int | None
) -> list[ReadPage]:
    """Return the next pages of a course after a position, at most 100 of about 1 MB; none at the end."""
    query = "SELECT id, position, title, content, tags, updated_at FROM jobs.read_pages(%s, %s, %s, %s)"
    return [
        ReadPage._make((*row, datetime.fromisoformat(updated_at)))
        for *row, updated_at in _rows(connection, query, job_id, token, course, after)
    ]


def read_members(connection: Connection, job_id: UUID, token: UUID, after: str | None) -> list[ReadMember]:
    """Return the next members after an e-mail address; none at the end."""
    query = "SELECT email, name, role, enabled FROM jobs.read_members(%s, %s, %s)"
    return [ReadMember(*row) for row in _rows(connection, query, job_id, token, after)]


def judge_archives(connection: Connection, names: Sequence[str]) -> list[str]:
    """Return which of these files of the backup folder may go."""
    rows = connection.execute("SELECT name FROM jobs.judge_archives(%s)", (list(names),))
    return [name for (name,) in rows]
