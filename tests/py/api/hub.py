"""People, content and jobs for the API's tests, set up past the API and the functions under test."""

import hashlib
import hmac
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from typing import Any
from uuid import UUID, uuid4

from argon2 import PasswordHasher
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from tests.server import Database

PASSWORD = "correct horse battery"

_numbers = count(1)
_cheap_hasher = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


def wait_until(condition: Callable[[], object], what: str, seconds: float = 10) -> None:
    """Wait until `condition()` is true; fail after `seconds`, saying `what` was waited for."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(0.02)


@dataclass(frozen=True)
class Person:
    """A user of the hub."""

    id: UUID
    email: str
    name: str


@dataclass(frozen=True)
class Lease:
    """A worker's hold on a job."""

    job: UUID
    token: UUID


class Hub:
    """What is in a database; everything is written as its superuser, jobs move by the worker's functions."""

    def __init__(self, database: Database) -> None:
        self.connection = database.as_superuser()
        self._worker = database.as_role("hub_worker")
        self._operator = database.as_role("hub_operator")

    def one(self, query: str, *arguments: object) -> Any:  # noqa: ANN401 (a column of any type)
        """Return the first column of the first row."""
        row = self.connection.execute(query, arguments).fetchone()
        assert row is not None
        return row[0]

    def set(self, setting: str, value: int) -> None:
        """Set one of the limits."""
        self.connection.execute("UPDATE jobs_store.setting SET value = %s WHERE name = %s", (value, setting))

    # People

    def add_person(self) -> Person:
        """Add an enabled user whose password is PASSWORD."""
        number = next(_numbers)
        email, name = f"person{number}@example.org", f"Përson {number}"
        person = self.one(
            "INSERT INTO hub_store.app_user (email, name, password_hash) VALUES (%s, %s, %s) RETURNING id",
            email,
            name,
            _cheap_hasher.hash(PASSWORD),
        )
        return Person(person, email, name)

    def set_enabled(self, person: Person, enabled: bool) -> None:
        """Disable or enable a user as the operator does."""
        self._operator.execute("SELECT hub.set_user_enabled(%s, %s)", (person.email, enabled))

    def sign_in(self, person: Person) -> str:
        """Return the token of a new session."""
        token = secrets.token_urlsafe(32)
        self.connection.execute(
            "INSERT INTO hub_store.session (token_hash, user_id) VALUES (%s, %s)",
            (hashlib.sha256(token.encode()).digest(), person.id),
        )
        return token

    def age_session(self, token: str, column: str, interval: str) -> None:
        """Move a session's created_at or last_seen_at back."""
        self.connection.execute(
            f"UPDATE hub_store.session SET {column} = {column} - %s::interval WHERE token_hash = %s",
            (interval, hashlib.sha256(token.encode()).digest()),
        )

    def session_age(self, token: str) -> float:
        """Return for how many seconds a session was not seen."""
        return float(
            self.one(
                "SELECT extract(epoch FROM clock_timestamp() - last_seen_at)::float8"
                " FROM hub_store.session WHERE token_hash = %s",
                hashlib.sha256(token.encode()).digest(),
            )
        )

    # Content

    def add_workspace(self, title: str = "Handbook") -> UUID:
        """Add a workspace without members."""
        workspace: UUID = self.one("INSERT INTO hub_store.workspace (title) VALUES (%s) RETURNING id", title)
        return workspace

    def join(
        self, person: Person, workspace: UUID, role: str = "administrator", enabled: bool = True
    ) -> None:
        """Make somebody a member, or change what he is."""
        self.connection.execute(
            "INSERT INTO hub_store.membership (workspace_id, user_id, role, enabled) VALUES (%s, %s, %s, %s)"
            " ON CONFLICT (workspace_id, user_id)"
            " DO UPDATE SET role = excluded.role, enabled = excluded.enabled",
            (workspace, person.id, role, enabled),
        )

    def set_member(self, person: Person, workspace: UUID, role: str, enabled: bool = True) -> None:
        """The same as the operator does it, which is on the audit trail."""
        self._operator.execute(
            "SELECT hub.set_membership(%s, %s, %s, %s)", (workspace, person.email, role, enabled)
        )

    def add_course(self, workspace: UUID, pages: int = 3, title: str = "Course") -> UUID:
        """Add a course with pages 'Page 1' and so on, without tags."""
        course: UUID = self.one(
            "INSERT INTO hub_store.course (workspace_id, position, title)"
            " SELECT %s, count(*) + 1, %s FROM hub_store.course WHERE workspace_id = %s RETURNING id",
            workspace,
            title,
            workspace,
        )
        self.connection.execute(
            "INSERT INTO hub_store.page (course_id, position, title, content)"
            " SELECT %s, n, 'Page ' || n, 'Text ' || n FROM generate_series(1, %s) AS n",
            (course, pages),
        )
        return course

    def pages(self, course: UUID) -> list[dict[str, Any]]:
        """Return the rows of a course's pages in order."""
        with self.connection.cursor(row_factory=dict_row) as cursor:
            query = "SELECT * FROM hub_store.page WHERE course_id = %s ORDER BY position"
            return cursor.execute(query, (course,)).fetchall()

    # Jobs

    def jobs(self, workspace: UUID) -> list[dict[str, Any]]:
        """Return the rows of a workspace's jobs, oldest first."""
        with self.connection.cursor(row_factory=dict_row) as cursor:
            query = "SELECT * FROM jobs_store.job WHERE workspace_id = %s ORDER BY created_at"
            return cursor.execute(query, (workspace,)).fetchall()

    def footprint(self) -> list[tuple[Any, ...]]:
        """Return what must not change when a request is refused: all jobs, worklists, events and pages.

        That it was refused may be among the events.
        """
        return self.connection.execute(
            "SELECT (SELECT count(*) FROM jobs_store.job), (SELECT sum(version) FROM jobs_store.job),"
            " (SELECT count(*) FROM jobs_store.worklist), (SELECT count(*) FROM jobs_store.audit_event"
            " WHERE event NOT LIKE '%_refused'),"
            " (SELECT md5(string_agg(etag::text || title, '' ORDER BY id)) FROM hub_store.page)"
        ).fetchall()

    def add_job(self, person: Person, workspace: UUID, course: UUID, *tags: str) -> UUID:
        """Create a job that tags the course, in somebody's name."""
        body = {"kind": "course_tagging", "course_id": str(course), "tags": tags or ("tag",)}
        token = hashlib.sha256(self.sign_in(person).encode()).digest()
        row = self.connection.execute(
            "SELECT outcome, detail FROM jobs.create_job(%s, %s, %s, %s, NULL)",
            (token, workspace, str(uuid4()), Jsonb(body)),
        ).fetchone()
        assert row is not None
        assert row[0] == "created", row
        return UUID(row[1]["job_id"])

    def claim(self, job: UUID, kind: str = "course_tagging") -> Lease:
        """Claim the job as a worker; jobs of other tests that come first are claimed along the way."""
        while True:
            row = self._worker.execute(
                "SELECT job_id, lease FROM jobs.claim('worker', %s)", ([kind],)
            ).fetchone()
            assert row is not None, "the job cannot be claimed"
            if row[0] == job:
                return Lease(*row)

    def advance(self, lease: Lease, pages: int = 1000) -> str:
        """Let the worker take a step; return what it says: continue, wait or ended."""
        row = self._worker.execute(
            "SELECT outcome FROM jobs.advance(%s, %s, %s, '1 second')", (lease.job, lease.token, pages)
        ).fetchone()
        assert row is not None
        return str(row[0])

    def complete(self, job: UUID) -> None:
        """Run the job to its end."""
        lease = self.claim(job)
        while self.advance(lease) != "ended":
            pass

    def add_backup(self, person: Person, workspace: UUID, archive: str, content: bytes) -> UUID:
        """Run a backup to its end in somebody's name, with a result that names ``archive``."""
        token = hashlib.sha256(self.sign_in(person).encode()).digest()
        row = self.connection.execute(
            "SELECT detail->>'job_id' FROM jobs.create_job(%s, %s, %s, '{\"kind\": \"backup\"}', NULL)",
            (token, workspace, str(uuid4())),
        ).fetchone()
        assert row is not None
        job = UUID(row[0])
        lease = self.claim(job, "backup")
        digest = hashlib.sha256(content).hexdigest()
        result = {"archive": archive, "bytes": len(content), "pages": 3, "sha256": digest}
        self._worker.execute("SELECT jobs.finish(%s, %s, %s)", (lease.job, lease.token, Jsonb(result)))
        return job

    def delete_archive(self, job: UUID) -> None:
        """Delete a backup's archive as the operator does."""
        self._operator.execute("SELECT jobs.delete_archive(%s)", (job,))

    def cancel(self, job: UUID) -> None:
        """Cancel the job as the operator does."""
        self._operator.execute("SELECT jobs.cancel_job_by_operator(%s)", (job,))


def csrf_token(token: str) -> str:
    """Return the CSRF token of a session as documented."""
    return hmac.new(token.encode(), b"csrf-v1", hashlib.sha256).hexdigest()
