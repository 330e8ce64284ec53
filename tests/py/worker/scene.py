"""A workspace with an administrator, courses and jobs, set up and looked at past the functions under test."""

import hashlib
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from uuid import UUID, uuid4

import psycopg
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

SESSION = hashlib.sha256(b"a session of the administrator").digest()


def wait_until(condition: Callable[[], object], what: str, seconds: float = 30) -> None:
    """Wait until ``condition()`` is true; fail after ``seconds``, saying ``what`` was waited for."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(0.02)


@dataclass
class Scene:
    """What a worker meets in a database; ``connection`` is the superuser's."""

    connection: psycopg.Connection[Any]
    workspace: UUID
    administrator: UUID

    @classmethod
    def build(cls, connection: psycopg.Connection[Any]) -> "Scene":
        """Add a workspace with one administrator, signed in; limits are high, leases short."""
        connection.execute("UPDATE jobs_store.setting SET value = 1000 WHERE name LIKE 'Max%Pe%'")
        connection.execute("UPDATE jobs_store.setting SET value = 5 WHERE name = 'LeaseSeconds'")
        administrator = _one(
            connection,
            "INSERT INTO hub_store.app_user (email, name, password_hash)"
            " VALUES ('ada@example.org', 'Ada', '-') RETURNING id",
        )
        connection.execute(
            "INSERT INTO hub_store.session (token_hash, user_id) VALUES (%s, %s)", (SESSION, administrator)
        )
        scene = cls(connection, UUID(int=0), administrator)
        scene.workspace = scene.add_workspace()
        return scene

    def add_workspace(self) -> UUID:
        """Add a workspace of the administrator."""
        workspace: UUID = _one(
            self.connection, "INSERT INTO hub_store.workspace (title) VALUES ('Handbook') RETURNING id"
        )
        self.connection.execute(
            "INSERT INTO hub_store.membership (workspace_id, user_id, role) VALUES (%s, %s, 'administrator')",
            (workspace, self.administrator),
        )
        return workspace

    def add_course(self, pages: int, workspace: UUID | None = None) -> UUID:
        """Add a course of ``pages`` pages without tags."""
        workspace = workspace or self.workspace
        course: UUID = _one(
            self.connection,
            "INSERT INTO hub_store.course (workspace_id, position, title)"
            " SELECT %s, count(*), 'Course' FROM hub_store.course RETURNING id",
            workspace,
        )
        self.connection.execute(
            "INSERT INTO hub_store.page (course_id, position, title, content)"
            " SELECT %s, n, 'Page ' || n, 'Text ' || n FROM generate_series(1, %s) AS n",
            (course, pages),
        )
        return course

    def page_at(self, course: UUID, place: int) -> UUID:
        """Return the id of the page that a tagging of the course comes to after ``place`` others."""
        page: UUID = _one(
            self.connection,
            "SELECT id FROM hub_store.page WHERE course_id = %s ORDER BY id LIMIT 1 OFFSET %s",
            course,
            place,
        )
        return page

    def tag(self, course: UUID, *tags: str, workspace: UUID | None = None) -> UUID:
        """Create a job that tags the course."""
        return self.create("course_tagging", workspace, course_id=str(course), tags=tags)

    def create(self, kind: str, workspace: UUID | None = None, **request: object) -> UUID:
        """Create a job in the administrator's name."""
        outcome, detail = self._call(
            "SELECT outcome, detail FROM jobs.create_job(%s, %s, %s, %s, NULL)",
            SESSION,
            workspace or self.workspace,
            str(uuid4()),
            Jsonb({"kind": kind, **request}),
        )
        assert outcome == "created", (outcome, detail)
        return UUID(detail["job_id"])

    def cancel(self, job: UUID) -> str:
        """Ask to cancel a job in the administrator's name; return the outcome."""
        (outcome,) = self._call(
            "SELECT outcome FROM jobs.cancel_job(%s, %s, %s, NULL)", SESSION, self.workspace, job
        )
        return str(outcome)

    def edit_page(self, course: UUID, position: int, content: str) -> None:
        """Give a page another content, as the administrator does."""
        query = "SELECT id, title FROM hub_store.page WHERE course_id = %s AND position = %s"
        row = self.connection.execute(query, (course, position)).fetchone()
        assert row is not None
        page, title = row
        body = {"title": title, "content": content, "tags": []}
        (outcome,) = self._call(
            "SELECT outcome FROM hub.edit_page(%s, %s, %s, '*', %s)",
            SESSION,
            self.workspace,
            page,
            Jsonb(body),
        )
        assert outcome == "ok", outcome

    def revoke(self) -> None:
        """Take the administrator's right to the workspace."""
        self.connection.execute(
            "UPDATE hub_store.membership SET enabled = false WHERE workspace_id = %s", (self.workspace,)
        )

    def restore(self) -> None:
        """Let the actor be a member again."""
        self.connection.execute(
            "UPDATE hub_store.membership SET enabled = true WHERE workspace_id = %s", (self.workspace,)
        )

    def add_kind(self, name: str, advance_function: str | None = None) -> None:
        """Add a kind of job that needs a request of its name only; its items are counted if it is SQL."""
        self.connection.execute(
            "INSERT INTO jobs_store.kind (name, advance_function, itemised) VALUES (%s, %s, %s)",
            (name, advance_function, advance_function is not None),
        )

    def slow_pages(self, seconds: float, when: str = "BEFORE") -> None:
        """Make every change of a page take ``seconds`` from now on, so that a job has a middle."""
        self.connection.execute(
            "CREATE OR REPLACE FUNCTION public.slow_page() RETURNS trigger LANGUAGE plpgsql AS"
            f" $$ BEGIN PERFORM pg_catalog.pg_sleep({seconds}); RETURN new; END $$"
        )
        self.connection.execute("GRANT EXECUTE ON FUNCTION public.slow_page() TO hub_owner")
        self.connection.execute(
            f"CREATE OR REPLACE TRIGGER slow {when} UPDATE ON hub_store.page"
            " FOR EACH ROW EXECUTE FUNCTION public.slow_page()"
        )

    def record_changes(self) -> None:
        """Record every change of a page from now on, in the transaction that makes it."""
        self.connection.execute("CREATE TABLE public.page_change (page_id uuid, etag uuid)")
        self.connection.execute("GRANT INSERT ON public.page_change TO hub_owner")
        self.connection.execute(
            "CREATE FUNCTION public.record_change() RETURNS trigger LANGUAGE plpgsql AS"
            " $$ BEGIN INSERT INTO public.page_change VALUES (new.id, new.etag); RETURN NULL; END $$"
        )
        self.connection.execute("GRANT EXECUTE ON FUNCTION public.record_change() TO hub_owner")
        self.connection.execute(
            "CREATE TRIGGER record AFTER UPDATE ON hub_store.page"
            " FOR EACH ROW EXECUTE FUNCTION public.record_change()"
        )

    def changes(self) -> list[tuple[UUID, UUID]]:
        """Return (page id, new etag) of the recorded changes."""
        return self.connection.execute("SELECT page_id, etag FROM public.page_change").fetchall()

    def etags(self, course: UUID) -> dict[UUID, UUID]:
        """Return the etag of every page of the course."""
        query = "SELECT id, etag FROM hub_store.page WHERE course_id = %s"
        return dict(self.connection.execute(query, (course,)).fetchall())

    def tagged(self, course: UUID, tag: str) -> int:
        """Return how many pages of the course have the tag."""
        query = "SELECT count(*) FROM hub_store.page WHERE course_id = %s AND %s = ANY (tags)"
        return int(_one(self.connection, query, course, tag))

    def job(self, job: UUID) -> dict[str, Any]:
        """Return a job's row."""
        with self.connection.cursor(row_factory=dict_row) as cursor:
            row = cursor.execute("SELECT * FROM jobs_store.job WHERE id = %s", (job,)).fetchone()
        assert row is not None
        return row

    def counters(self, job: UUID) -> tuple[int, ...]:
        """Return total, processed, changed, skipped and failed."""
        row = self.job(job)
        return tuple(row[name] for name in ("total", "processed", "changed", "skipped", "failed"))

    def events(self, job: UUID) -> list[str]:
        """Return the names of the job's audit events, oldest first."""
        query = "SELECT event FROM jobs_store.audit_event WHERE job_id = %s ORDER BY id"
        return [event for (event,) in self.connection.execute(query, (job,))]

    def page_errors(self, job: UUID) -> list[str]:
        """Return the codes of the job's page errors."""
        query = "SELECT code FROM jobs_store.page_error WHERE job_id = %s ORDER BY page_id"
        return [code for (code,) in self.connection.execute(query, (job,))]

    def wait_for_state(self, job: UUID, state: str, seconds: float = 30) -> dict[str, Any]:
        """Wait until the job is in the state; return its row. A terminal state in its place fails at once."""

        def reached() -> bool:
            row = self.job(job)
            assert row["state"] == state or row["finished_at"] is None, f"{row['state']}: {row['failure']}"
            return bool(row["state"] == state)

        wait_until(reached, f"the job is {state}", seconds)
        return self.job(job)

    def wait_for_processed(self, job: UUID, least: int, seconds: float = 30) -> None:
        """Wait until the job has processed at least that many items."""
        wait_until(lambda: self.job(job)["processed"] >= least, f"{least} items are processed", seconds)

    def wait_for_lease_end(self, job: UUID) -> None:
        """Wait until the job's lease is over."""
        query = "SELECT lease_until <= clock_timestamp() FROM jobs_store.job WHERE id = %s"
        wait_until(lambda: _one(self.connection, query, job), "the lease is over")

    def _call(self, query: str, *arguments: object) -> tuple[Any, ...]:
        self.connection.execute("SET ROLE hub_api")
        try:
            row = self.connection.execute(query, arguments).fetchone()
            assert row is not None
            return tuple(row)
        finally:
            self.connection.execute("RESET ROLE")


def _one(connection: psycopg.Connection[Any], query: str, *arguments: object) -> Any:  # noqa: ANN401 (of any type)
    row = connection.execute(query, arguments).fetchone()
    assert row is not None
    return row[0]
