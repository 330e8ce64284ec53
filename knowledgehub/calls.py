"""The operator's functions of the database: the one place that names them."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.types.json import Jsonb

from knowledgehub.database import with_retries


@dataclass(frozen=True, slots=True)
class Answer:
    """What a function answered; ``detail`` and ``body`` are parsed from JSON, None where there is none."""

    outcome: str
    detail: Any
    body: Any


class Operator:
    """The functions granted to ``hub_operator``, over one connection; all may raise psycopg's errors."""

    def __init__(self, connection: psycopg.Connection[Any]) -> None:
        self.connection = connection

    def add_user(self, email: str, name: str, password_hash: str) -> Answer:
        """Add an enabled user: ok with detail {"id"}, exists, invalid."""
        return self._call("hub.add_user", email, name, password_hash)

    def set_password(self, email: str, password_hash: str) -> Answer:
        """Replace a user's password and end the user's sessions."""
        return self._call("hub.set_password", email, password_hash)

    def set_user_enabled(self, email: str, enabled: bool) -> Answer:
        """Enable a user, or disable one and end the user's sessions."""
        return self._call("hub.set_user_enabled", email, enabled)

    def list_sessions(self, email: str) -> Answer:
        """List a user's live sessions: {"sessions": [{"id", "created_at", "last_seen_at", "address"}]}."""
        return self._call("hub.list_sessions", email)

    def end_sessions(self, email: str, session: UUID | None) -> Answer:
        """End one session of a user, or all: detail {"id", "ended"}, or {"missing": "user" or "session"}."""
        return self._call("hub.end_sessions", email, session)

    def list_sign_in_refusals(self, cursor: str | None, limit: int) -> Answer:
        """List sign-ins that were refused, newest first: body {"refusals", "next_cursor"}."""
        return self._call("hub.list_sign_in_refusals", cursor, limit)

    def list_hub_audit(self, cursor: str | None, limit: int) -> Answer:
        """List the audit events that belong to no workspace, newest first: body {"events", "next_cursor"}."""
        return self._call("jobs.list_hub_audit", cursor, limit)

    def add_workspace(self, title: str) -> Answer:
        """Add a workspace: ok with detail {"id"}."""
        return self._call("hub.add_workspace", title)

    def list_all_workspaces(self) -> Answer:
        """List every workspace: body {"workspaces": [{"id", "title", "members", "courses"}]}."""
        return self._call("hub.list_all_workspaces")

    def set_membership(self, workspace: UUID, email: str, role: str, enabled: bool) -> Answer:
        """Make a user a member of a workspace, or change the membership."""
        return self._call("hub.set_membership", workspace, email, role, enabled)

    def add_course(self, workspace: UUID, title: str) -> Answer:
        """Add an empty course: ok with detail {"id"}."""
        return self._call("hub.add_course", workspace, title)

    def add_pages(self, course: UUID, pages: Sequence[dict[str, Any]]) -> Answer:
        """Append pages {"title", "content", "tags"} in order: all, or none where the outcome is not ok."""
        return self._call("hub.add_pages", course, Jsonb(pages))

    def restore_pages(self, course: UUID, pages: Sequence[dict[str, Any]]) -> Answer:
        """Append a backup's pages as ``add_pages`` does, with the very tags that they had."""
        return self._call("hub.restore_pages", course, Jsonb(pages))

    def delete_archive(self, job: UUID) -> Answer:
        """Record that a backup's archive is deleted: ok, archive_gone (was before), not_found.

        The detail of both is {"archive": its file's name}.
        """
        return self._call("jobs.delete_archive", job)

    def list_settings(self) -> Answer:
        """List the settings: body {"settings": [{"name", "value", "minimum", "maximum", "description"}]}."""
        return self._call("jobs.list_settings")

    def set_setting(self, name: str, value: int) -> Answer:
        """Change a setting, whose name may start with the section's: ok, not_found, invalid."""
        return self._call("jobs.set_setting", name, value)

    def list_jobs(self, workspace: UUID, cursor: str | None, limit: int) -> Answer:
        """List a workspace's jobs, newest first: body {"jobs", "next_cursor"}."""
        return self._call("jobs.list_jobs_by_operator", workspace, cursor, limit)

    def read_job(self, job: UUID) -> Answer:
        """Read a job: body is its snapshot."""
        return self._call("jobs.read_job_by_operator", job)

    def cancel_job(self, job: UUID) -> Answer:
        """Cancel a job, or ask its worker to: ok, asked, terminal; body is its snapshot."""
        return self._call("jobs.cancel_job_by_operator", job)

    def _call(self, function: str, *arguments: object) -> Answer:
        places = ", ".join(["%s"] * len(arguments))
        query = f"SELECT outcome, detail, body FROM {function}({places})".encode()  # noqa: S608

        def call() -> Answer:
            row = self.connection.execute(query, arguments).fetchone()
            if row is None:
                raise psycopg.DataError(f"{function} answered no row")
            outcome, detail, body = row
            return Answer(outcome, detail, None if body is None else json.loads(body))

        # Inside a transaction only the whole of it could be tried again.
        idle = self.connection.info.transaction_status == TransactionStatus.IDLE
        return with_retries(call) if idle else call()
