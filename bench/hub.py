"""A migrated database with people, courses, pages and jobs."""

import copy
import hashlib
import json
import random
import secrets
import subprocess
import time
import uuid
from contextlib import AbstractContextManager
from datetime import datetime
from typing import Any

import psycopg
from psycopg import sql

from bench.process import WAIT_SECONDS, Api, Command, run_command, running_api, running_worker
from knowledgehub.database import connection_arguments
from knowledgehub.embedded import EmbeddedServer
from knowledgehub.migrate import create_roles, migrate

_UNLIMITED = ("MaxPendingPerWorkspace", "MaxPendingPerActor", "MaxCreatedPerDay", "MaxCoursePages")

Connection = psycopg.Connection[Any]


class Hub:
    """A database of its own on the server, with one administrator of one workspace; there are no limits."""

    def __init__(self, server: EmbeddedServer, database: str) -> None:
        self._server = server
        self._database = database
        with psycopg.connect(server.superuser_url, autocommit=True) as connection:
            connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} (FORCE)").format(sql.Identifier(database)))
            connection.execute(
                sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(sql.Identifier(database))
            )
        create_roles(server.url("postgres", database))
        migrate(server.url("hub_migrator", database))
        self.owner = self.connect("postgres")
        self.api = self.connect("hub_api")
        self.user = uuid.uuid4()
        self.owner.execute(
            "INSERT INTO hub_store.app_user (id, email, name, password_hash) VALUES (%s, %s, 'Bench', '-')",
            [self.user, "bench@example.org"],
        )
        self.token = self.sign_in()
        self.workspace = self.add_workspace()
        for name in _UNLIMITED:
            self.set(name, 1_000_000)

    @property
    def session(self) -> bytes:
        """The hash by which the database knows the administrator's session."""
        return _hash(self.token)

    def url(self, role: str) -> str:
        """Return the URL with which a role connects."""
        return self._server.url(role, self._database)

    def another(self, name: str) -> "Hub":
        """Return one more hub, with a database of its own on the same server."""
        return Hub(self._server, f"{self._database}_{name}")

    def in_another_workspace(self) -> "Hub":
        """Return this hub as it is seen from one more workspace of the administrator's."""
        other = copy.copy(self)
        other.workspace = self.add_workspace()
        return other

    def connect(self, role: str) -> Connection:
        """Return a new connection of a role: the product's are made as the product makes them."""
        arguments = {"autocommit": True} if role == "postgres" else connection_arguments("bench")
        return psycopg.connect(self.url(role), **arguments)

    def set(self, setting: str, value: int) -> None:
        """Set one of the settings."""
        self.owner.execute("UPDATE jobs_store.setting SET value = %s WHERE name = %s", [value, setting])

    def add_workspace(self) -> uuid.UUID:
        """Add a workspace of the administrator's."""
        workspace = uuid.uuid4()
        self.owner.execute("INSERT INTO hub_store.workspace (id, title) VALUES (%s, 'Bench')", [workspace])
        self.owner.execute(
            "INSERT INTO hub_store.membership VALUES (%s, %s, 'administrator', true)", [workspace, self.user]
        )
        return workspace

    def add_course(
        self, pages: int, content: str = "repeat('x', 1000)", workspace: uuid.UUID | None = None
    ) -> uuid.UUID:
        """Add a course; ``content`` is SQL, in which ``n`` is the page's number."""
        course, workspace = uuid.uuid4(), workspace or self.workspace
        self.owner.execute(
            "INSERT INTO hub_store.course (id, workspace_id, position, title)"
            " SELECT %s, %s, count(*) + 1, 'Bench' FROM hub_store.course WHERE workspace_id = %s",
            [course, workspace, workspace],
        )
        self.owner.execute(
            "INSERT INTO hub_store.page (course_id, position, title, content)"
            f" SELECT %s, n, 'Page ' || n, {content} FROM generate_series(1, %s) AS n".encode(),
            [course, pages],
        )
        return course

    def settle(self) -> None:
        """Do what a server does in quiet times, so that it does not while something is measured."""
        self.owner.execute("VACUUM ANALYZE")
        self.owner.execute("CHECKPOINT")

    def end_all_jobs(self) -> None:
        """Make every job a cancelled one, past all rules."""
        self.owner.execute("DELETE FROM jobs_store.worklist")
        self.owner.execute(
            "UPDATE jobs_store.job SET state = 'cancelled', cancel_requested_at = created_at,"
            " finished_at = created_at, lease = NULL, lease_until = NULL, lease_seconds = NULL, worker = NULL"
            " WHERE finished_at IS NULL"
        )
        self.settle()

    def clear_tags(self) -> None:
        """Take all tags from all pages, so that every round begins alike."""
        self.owner.execute("UPDATE hub_store.page SET tags = '{}' WHERE tags <> '{}'")
        self.settle()

    def create_tagging(self, course: uuid.UUID, tag: str | None = None) -> str:
        """Ask for a tagging; return the job's id."""
        return self.create({"kind": "course_tagging", "course_id": str(course), "tags": [tag or _new_name()]})

    def create(self, body: object) -> str:
        """Ask for a job; return its id."""
        outcome, detail = one(
            self.api,
            "SELECT outcome, detail FROM jobs.create_job(%s, %s, %s, %s, NULL)",
            *(self.session, self.workspace, _new_name(), json.dumps(body)),
        )
        if outcome != "created":
            raise RuntimeError(f"the job was not created: {outcome} {detail}")
        return str(detail["job_id"])

    def cancel(self, job: str) -> None:
        """Ask for the cancellation of a job that is queued or running."""
        (outcome,) = one(
            self.api,
            "SELECT outcome FROM jobs.cancel_job(%s, %s, %s, NULL)",
            *(self.session, self.workspace, job),
        )
        if outcome not in {"ok", "asked"}:
            raise RuntimeError(f"the job cannot be cancelled: {outcome}")

    def snapshot(self, job: str) -> dict[str, Any]:
        """Read a job."""
        query = "SELECT body FROM jobs.read_job(%s, %s, %s)"
        (text,) = one(self.api, query, self.session, self.workspace, job)
        snapshot: dict[str, Any] = json.loads(text)
        return snapshot

    def wait(self, job: str, *, processed: int | None = None) -> dict[str, Any]:
        """Wait until a job has ended, or has processed some pages; return its snapshot."""
        deadline = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < deadline:
            snapshot = self.snapshot(job)
            if snapshot["terminal"] or (processed and snapshot["progress"]["processed"] >= processed):
                return snapshot
            time.sleep(0.01)
        raise TimeoutError(f"job {job} did not get there in {WAIT_SECONDS} s")

    def succeed(self, job: str) -> dict[str, Any]:
        """Wait until a job has ended, and see that it succeeded."""
        snapshot = self.wait(job)
        if snapshot["state"] != "succeeded":
            raise RuntimeError(f"the job ended wrongly: {snapshot}")
        return snapshot

    def sign_in(self) -> str:
        """Return the token of one more session of the administrator's."""
        token = secrets.token_urlsafe(32)
        query = "INSERT INTO hub_store.session (token_hash, user_id) VALUES (%s, %s)"
        self.owner.execute(query, [_hash(token), self.user])
        return token

    def pick_up(self, course: uuid.UUID) -> float:
        """After a moment ask for a tagging; return the milliseconds from its admission to its claim.

        The tag is always the same, for a page has room for 200.
        """
        time.sleep(random.uniform(0.005, 0.03))  # noqa: S311 (no secret)
        job = self.succeed(self.create_tagging(course, "x"))
        return seconds_between(job, "created_at", "started_at") * 1000

    def worker(self, slots: int = 1, **environment: str) -> AbstractContextManager[subprocess.Popen[bytes]]:
        """Run a worker process that is ready when the block begins."""
        return running_worker(self.url("hub_worker"), slots, **environment)

    def api_process(self) -> AbstractContextManager[Api]:
        """Run an API process that is ready when the block begins."""
        return running_api(self.url("hub_api"))

    def command(self, *arguments: str) -> Command:
        """Run a command of the operator's to its end; RuntimeError if it fails."""
        return run_command(self.url("hub_operator"), *arguments)


def one(connection: Connection, query: str, *parameters: object) -> tuple[Any, ...]:
    """Return the first row."""
    row: tuple[Any, ...] | None = connection.execute(query.encode(), parameters).fetchone()
    if row is None:
        raise RuntimeError(f"no row from: {query}")
    return row


def seconds_between(snapshot: dict[str, Any], begun: str, over: str) -> float:
    """Return the seconds between two of a job's times, such as ``created_at`` and ``started_at``."""
    between = datetime.fromisoformat(snapshot[over]) - datetime.fromisoformat(snapshot[begun])
    return between.total_seconds()


def _hash(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()


def _new_name() -> str:
    return str(uuid.uuid4())
