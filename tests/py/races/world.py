"""A small world for a test: a workspace with its people, a course, sessions; and the calls made in it."""

import hashlib
import json
import uuid
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import psycopg
from psycopg import sql

Connection = psycopg.Connection[Any]


class Claim(NamedTuple):
    """A claimed job and its lease."""

    job: uuid.UUID
    lease: uuid.UUID


def one(connection: Connection, query: str, *parameters: object) -> tuple[Any, ...]:
    """Return the only row of a query."""
    row: tuple[Any, ...] | None = connection.execute(query, parameters).fetchone()
    assert row is not None
    return row


@dataclass
class World:
    """A workspace of two administrators and one course of ``pages`` pages, made by the superuser."""

    owner: Connection
    pages: int = 4
    workspace: uuid.UUID = field(default_factory=uuid.uuid4)
    course: uuid.UUID = field(default_factory=uuid.uuid4)
    ada: uuid.UUID = field(default_factory=uuid.uuid4)
    bob: uuid.UUID = field(default_factory=uuid.uuid4)

    def __post_init__(self) -> None:
        execute = self.owner.execute
        execute("INSERT INTO hub_store.workspace (id, title) VALUES (%s, 'Physics')", [self.workspace])
        for user in (self.ada, self.bob):
            execute(
                "INSERT INTO hub_store.app_user (id, email, name, password_hash) VALUES (%s, %s, 'Ada', '-')",
                [user, f"{user}@example.org"],
            )
            execute(
                "INSERT INTO hub_store.membership VALUES (%s, %s, 'administrator', true)",
                [self.workspace, user],
            )
            execute(
                "INSERT INTO hub_store.session (token_hash, user_id) VALUES (%s, %s)",
                [self.session(user), user],
            )
        execute(
            "INSERT INTO hub_store.course (id, workspace_id, position, title)"
            " VALUES (%s, %s, 1, 'Mechanics')",
            [self.course, self.workspace],
        )
        execute(
            "INSERT INTO hub_store.page (course_id, position, title, content)"
            " SELECT %s, n, 'Page ' || n, 'Text ' || n FROM generate_series(1, %s) AS n",
            [self.course, self.pages],
        )

    def session(self, user: uuid.UUID) -> bytes:
        """Return the token hash of the user's session."""
        return hashlib.sha256(user.bytes).digest()

    def email(self, user: uuid.UUID) -> str:
        """Return the user's e-mail address."""
        return f"{user}@example.org"

    def page_ids(self) -> list[uuid.UUID]:
        """Return the course's page ids in the order in which jobs visit them."""
        rows = self.owner.execute(
            "SELECT id FROM hub_store.page WHERE course_id = %s ORDER BY id", [self.course]
        )
        return [row[0] for row in rows]

    def create(
        self, api: Connection, user: uuid.UUID, key: str | None = None, tag: str | None = None
    ) -> tuple[Any, ...]:
        """Ask for a tagging of the course; the key and the tag are new unless given."""
        body = {
            "kind": "course_tagging",
            "course_id": str(self.course),
            "tags": [tag or f"tag {uuid.uuid4()}"],
        }
        return one(
            api,
            "SELECT outcome, detail, body FROM jobs.create_job(%s, %s, %s, %s, '192.0.2.1')",
            self.session(user),
            self.workspace,
            key or str(uuid.uuid4()),
            json.dumps(body),
        )

    def new_job(self, user: uuid.UUID | None = None) -> uuid.UUID:
        """Create a job as the superuser calls it, and return its id."""
        outcome, detail, _ = self.create(self.owner, user or self.ada)
        assert outcome == "created", outcome
        return uuid.UUID(detail["job_id"])

    def outcome(
        self, api: Connection, user: uuid.UUID, key: str | None = None, tag: str | None = None
    ) -> str:
        """Ask for a tagging of the course and return the outcome."""
        outcome: str = self.create(api, user, key, tag)[0]
        return outcome

    def claim(self, worker: Connection) -> Claim | None:
        """Claim a job, if there is one."""
        row = worker.execute(
            "SELECT job_id, lease FROM jobs.claim('w-test/1', ARRAY['course_tagging', 'probe'])"
        )
        found = row.fetchone()
        return None if found is None else Claim(*found)

    def claimed_job(self, user: uuid.UUID | None = None) -> Claim:
        """Create a job and claim it. Nothing else may be queued."""
        job = self.new_job(user)
        claim = self.claim(self.owner)
        assert claim is not None
        assert claim.job == job
        return claim

    def claimed_probe(self) -> Claim:
        """Create a job that a handler runs and claim it. Nothing else may be queued."""
        self.owner.execute(
            "INSERT INTO jobs_store.kind (name, itemised) VALUES ('probe', false) ON CONFLICT DO NOTHING"
        )
        query = 'SELECT outcome FROM jobs.create_job(%s, %s, %s, \'{"kind": "probe"}\', NULL)'
        key = str(uuid.uuid4())
        assert one(self.owner, query, self.session(self.ada), self.workspace, key) == ("created",)
        claim = self.claim(self.owner)
        assert claim is not None
        return claim

    def backup(self) -> uuid.UUID:
        """Create a backup and let it succeed; return its job. No other backup may be queued."""
        query = 'SELECT outcome FROM jobs.create_job(%s, %s, %s, \'{"kind": "backup"}\', NULL)'
        key = str(uuid.uuid4())
        assert one(self.owner, query, self.session(self.ada), self.workspace, key) == ("created",)
        claim = one(self.owner, "SELECT job_id, lease FROM jobs.claim('w-test/1', ARRAY['backup'])")
        query = """SELECT outcome FROM jobs.finish(%s, %s, '{"archive": "a"}')"""
        assert one(self.owner, query, *claim) == ("succeeded",)
        job: uuid.UUID = claim[0]
        return job

    def download(self, api: Connection, user: uuid.UUID, job: uuid.UUID) -> str:
        """Download a backup's archive and return the outcome."""
        query = "SELECT outcome FROM jobs.download_archive(%s, %s, %s, '192.0.2.1')"
        outcome: str = one(api, query, self.session(user), self.workspace, job)[0]
        return outcome

    def delete_archive(self, operator: Connection, job: uuid.UUID) -> str:
        """Delete a backup's archive and return the outcome."""
        outcome: str = one(operator, "SELECT outcome FROM jobs.delete_archive(%s)", job)[0]
        return outcome

    def release(self, worker: Connection, claim: Claim) -> str:
        """Give a claim back and return the outcome."""
        outcome: str = one(worker, "SELECT outcome FROM jobs.release(%s, %s)", *claim)[0]
        return outcome

    def sweep(self, worker: Connection) -> object:
        """Do the housekeeping."""
        return one(worker, "SELECT jobs.sweep('w-test/2')")[0]

    def advance(self, worker: Connection, claim: Claim, pages: int = 1000) -> str:
        """Make one step of a claimed job, bounded by pages and not by time, and return its outcome."""
        outcome: str = one(worker, "SELECT outcome FROM jobs.advance(%s, %s, %s, '1 hour')", *claim, pages)[0]
        return outcome

    def cancel(self, api: Connection, user: uuid.UUID, job: uuid.UUID) -> str:
        """Ask for the cancellation of a job and return the outcome."""
        outcome: str = one(
            api,
            "SELECT outcome FROM jobs.cancel_job(%s, %s, %s, '192.0.2.1')",
            self.session(user),
            self.workspace,
            job,
        )[0]
        return outcome

    def sign_out(self, api: Connection, user: uuid.UUID) -> str:
        """End the user's session and return the outcome."""
        outcome: str = one(api, "SELECT outcome FROM hub.end_session(%s)", self.session(user))[0]
        return outcome

    def set_member(self, operator: Connection, user: uuid.UUID, *, enabled: bool) -> str:
        """Enable or disable an administrator's membership and return the outcome."""
        query = "SELECT outcome FROM hub.set_membership(%s, %s, 'administrator', %s)"
        outcome: str = one(operator, query, self.workspace, self.email(user), enabled)[0]
        return outcome

    def set_user(self, operator: Connection, user: uuid.UUID, *, enabled: bool) -> str:
        """Enable or disable a user and return the outcome."""
        query = "SELECT outcome FROM hub.set_user_enabled(%s, %s)"
        outcome: str = one(operator, query, self.email(user), enabled)[0]
        return outcome

    def note_revocation(self) -> None:
        """Note in the logbook when a right was taken away."""
        self.owner.execute("INSERT INTO logbook.revocation DEFAULT VALUES")

    def set_setting(self, name: str, value: int) -> None:
        """Set a setting."""
        assert one(self.owner, "SELECT outcome FROM jobs.set_setting(%s, %s)", name, value) == ("ok",)

    def job(self, job: uuid.UUID, *columns: str) -> tuple[Any, ...]:
        """Return columns of a job's row."""
        names = sql.SQL(", ").join(map(sql.Identifier, columns))
        query = sql.SQL("SELECT {} FROM jobs_store.job WHERE id = %s").format(names)
        row: tuple[Any, ...] | None = self.owner.execute(query, [job]).fetchone()
        assert row is not None
        return row

    def state(self, job: uuid.UUID) -> str:
        """Return the job's state."""
        state: str = self.job(job, "state")[0]
        return state

    def finish(self, job: uuid.UUID) -> str:
        """Run a job to its end, whoever had it, and return its state."""
        if self.state(job) == "running":
            self.expire(job)
            claim = self.claim(self.owner)
            assert claim is not None
            while self.state(job) == "running":
                self.advance(self.owner, claim)
        return self.state(job)

    def expire(self, job: uuid.UUID) -> None:
        """Age the lease of a running job, so that it is over."""
        self.owner.execute(
            "UPDATE jobs_store.job SET lease_until = clock_timestamp() - interval '1 second' WHERE id = %s",
            [job],
        )
