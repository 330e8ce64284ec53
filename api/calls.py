"""The functions of the database that the API calls. No other module of it names one."""

import asyncio
import json
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple
from uuid import UUID

import psycopg
from psycopg.types.json import Jsonb
from psycopg_pool import AsyncConnectionPool

from knowledgehub.database import TRIES, is_conflict, is_unavailable

CALL_SECONDS = 10
"""After this a call is given up: the server's own statement timeout is shorter, so it is not answering."""

_dumps = partial(json.dumps, ensure_ascii=False, separators=(",", ":"))


class Unavailable(Exception):  # noqa: N818 (the service is)
    """The database cannot serve the call now; its cause says why."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a function answered: `body` is finished JSON in UTF-8, to be passed on unparsed."""

    outcome: str
    detail: dict[str, Any] | None
    body: bytes | None


class Credentials(NamedTuple):
    """Whose password to verify, and against what."""

    user_id: UUID
    password_hash: str


class Snapshot(NamedTuple):
    """A job's public state as JSON text, and the sessions (of those asked for) that may read it now."""

    job_id: UUID
    version: int
    terminal: bool
    snapshot: str
    readers: list[bytes]


class Calls:
    """Calls each function as one autocommit statement on a pooled connection.

    Sessions are SHA-256 hashes of tokens. Every method raises Unavailable when the database cannot serve; a
    conflict with another transaction is tried three times in all before.
    """

    def __init__(self, pool: AsyncConnectionPool) -> None:
        self._pool = pool

    # People and sessions

    async def charge_sign_in(self, email: str, address: str) -> Answer:
        """Count one sign-in that is about to be verified; detail {"delay_ms"} or a refusal."""
        return await self._answer("hub.charge_sign_in", email, address)

    async def refuse_sign_in(self, email: str, address: str) -> Answer:
        """Remember that a sign-in failed; the outcome is `credentials`."""
        return await self._answer("hub.refuse_sign_in", email, address)

    async def find_credentials(self, email: str) -> Credentials | None:
        """Return the credentials of the enabled user with this e-mail, or None."""
        rows = await self._rows("SELECT user_id, password_hash FROM hub.find_credentials(%s)", email)
        return Credentials(*rows[0]) if rows else None

    async def open_session(
        self, user: UUID, verified_hash: str, session: bytes, new_hash: str | None, address: str
    ) -> Answer:
        """Start a session for a user whose password was verified; store `new_hash` if given.

        What `charge_sign_in` counted for the address is taken back.
        """
        return await self._answer("hub.open_session", user, verified_hash, session, new_hash, address)

    async def describe_session(self, session: bytes) -> Answer:
        """Read whose session it is and what it reaches."""
        return await self._answer("hub.describe_session", session)

    async def end_session(self, session: bytes) -> Answer:
        """End the session."""
        return await self._answer("hub.end_session", session)

    async def touch_session(self, session: bytes) -> None:
        """Note that the session is in use."""
        await self._rows("SELECT hub.touch_session(%s)", session)

    # Content

    async def list_workspaces(self, session: bytes) -> Answer:
        """Read the workspaces of the session's user."""
        return await self._answer("hub.list_workspaces", session)

    async def list_courses(self, session: bytes, workspace: UUID) -> Answer:
        """Read a workspace's courses."""
        return await self._answer("hub.list_courses", session, workspace)

    async def list_pages(
        self,
        session: bytes,
        workspace: UUID,
        *,
        course: UUID | None,
        tag: str | None,
        title_part: str | None,
        cursor: str | None,
        limit: int,
    ) -> Answer:
        """Read pages by course and position; None means no filter."""
        filters = (course, tag, title_part)
        return await self._answer("hub.list_pages", session, workspace, *filters, cursor, limit)

    async def read_page(self, session: bytes, workspace: UUID, page: UUID) -> Answer:
        """Read a page with its content."""
        return await self._answer("hub.read_page", session, workspace, page)

    async def edit_page(self, session: bytes, workspace: UUID, page: UUID, etag: str, body: object) -> Answer:
        """Replace a page if its ETag is still `etag`, or `etag` is `*`."""
        return await self._answer("hub.edit_page", session, workspace, page, etag, Jsonb(body, _dumps))

    async def delete_page(self, session: bytes, workspace: UUID, page: UUID, etag: str) -> Answer:
        """Delete a page if its ETag is still `etag`, or `etag` is `*`."""
        return await self._answer("hub.delete_page", session, workspace, page, etag)

    # Jobs

    async def charge_request_budget(self, address: str) -> Answer:
        """Count one request for a job from `address` ('unknown' where there is none)."""
        return await self._answer("jobs.charge_request_budget", address)

    async def create_job(
        self, session: bytes, workspace: UUID, *, key: str, body: object, address: str | None
    ) -> Answer:
        """Admit a job, find it again by its key, or refuse it."""
        return await self._answer("jobs.create_job", session, workspace, key, Jsonb(body, _dumps), address)

    async def list_jobs(
        self,
        session: bytes,
        workspace: UUID,
        *,
        state: str | None,
        kind: str | None,
        cursor: str | None,
        limit: int,
    ) -> Answer:
        """Read jobs, newest first; None means no filter."""
        return await self._answer("jobs.list_jobs", session, workspace, state, kind, cursor, limit)

    async def read_job(self, session: bytes, workspace: UUID, job: UUID) -> Answer:
        """Read a job's snapshot."""
        return await self._answer("jobs.read_job", session, workspace, job)

    async def cancel_job(self, session: bytes, workspace: UUID, job: UUID, address: str | None) -> Answer:
        """Cancel a job, or ask its worker to."""
        return await self._answer("jobs.cancel_job", session, workspace, job, address)

    async def list_page_errors(
        self, session: bytes, workspace: UUID, job: UUID, cursor: str | None, limit: int
    ) -> Answer:
        """Read the pages a job could not tag."""
        return await self._answer("jobs.list_page_errors", session, workspace, job, cursor, limit)

    async def list_job_audit(
        self, session: bytes, workspace: UUID, job: UUID, cursor: str | None, limit: int
    ) -> Answer:
        """Read a job's audit events, oldest first."""
        return await self._answer("jobs.list_job_audit", session, workspace, job, cursor, limit)

    async def list_audit(self, session: bytes, workspace: UUID, cursor: str | None, limit: int) -> Answer:
        """Read a workspace's audit events, newest first."""
        return await self._answer("jobs.list_audit", session, workspace, cursor, limit)

    async def list_backups(self, session: bytes, workspace: UUID, cursor: str | None, limit: int) -> Answer:
        """Read a workspace's backups, newest first."""
        return await self._answer("jobs.list_backups", session, workspace, cursor, limit)

    async def download_archive(
        self, session: bytes, workspace: UUID, job: UUID, address: str | None
    ) -> Answer:
        """Read which archive a backup made, and record that it is downloaded."""
        return await self._answer("jobs.download_archive", session, workspace, job, address)

    async def preview_tagging(self, session: bytes, workspace: UUID, course: UUID, body: object) -> Answer:
        """Count the pages a tagging would change."""
        return await self._answer("jobs.preview_tagging", session, workspace, course, Jsonb(body, _dumps))

    async def read_snapshots(self, sessions: list[bytes], jobs: list[UUID]) -> list[Snapshot]:
        """Read the jobs of the pairs (sessions[n], jobs[n]): each existing job once."""
        rows = await self._rows(
            "SELECT job_id, version, terminal, snapshot, readers"
            " FROM jobs.read_snapshots(%s::bytea[], %s::uuid[])",
            sessions,
            jobs,
        )
        return [Snapshot(*row) for row in rows]

    async def list_missing_limits(self) -> list[str]:
        """Read which of its role's defaults (time limits, UTC) the connection lacks."""
        return [row[0] for row in await self._rows("SELECT setting FROM jobs.list_missing_limits()")]

    async def schema_version(self) -> int:
        """Read which schema the database has."""
        rows = await self._rows("SELECT jobs.schema_version()")
        return int(rows[0][0])

    async def _answer(self, function: str, *arguments: object) -> Answer:
        places = ", ".join(["%s"] * len(arguments))
        rows = await self._rows(f"SELECT outcome, detail, body FROM {function}({places})", *arguments)  # noqa: S608
        outcome, detail, body = rows[0]
        return Answer(outcome, detail, None if body is None else body.encode())

    async def _rows(self, statement: str, *arguments: object) -> list[tuple[Any, ...]]:
        for attempt in range(1, TRIES + 1):
            try:
                async with asyncio.timeout(CALL_SECONDS), self._pool.connection() as connection:
                    try:
                        cursor = await connection.execute(statement, arguments)
                        return await cursor.fetchall()
                    except psycopg.Error as error:
                        if is_unavailable(error):
                            await connection.close()
                        raise
            except TimeoutError as error:
                raise Unavailable from error
            except psycopg.Error as error:
                if is_unavailable(error) or (is_conflict(error) and attempt == TRIES):
                    raise Unavailable from error
                if not is_conflict(error):
                    raise
        raise AssertionError
