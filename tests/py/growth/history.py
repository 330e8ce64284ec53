"""A workspace with a queued job, a running one, a backup, and as many finished ones as wanted."""

import json
import uuid
from dataclasses import dataclass, field
from typing import Any

from tests.py.races.world import Claim, World, one

# Few, for then the best plan for the newest rows of one workspace seems to be to read the newest rows of all.
_WORKSPACES = 2

# The first third of each lot is in the world's workspace, which is silent from then on. Nine tenths of those
# are of one kind and ended in one way, the rest not. All are older than the day that limits look at.
_JOBS = """
    INSERT INTO jobs_store.job
        (id, workspace_id, kind, itemised, state, version, actor_id, actor_name, idempotency_key, request,
         labels, total, processed, changed, skipped, failed, failure, attempt, max_attempts, notified_at,
         cancel_requested_at, created_at, started_at, finished_at)
    SELECT md5('job' || n)::uuid, w.id, k.name, true, s.name, 5, %(actor)s::uuid, 'Ada', 'key-' || n,
           jsonb_build_object('course_id', %(course)s::uuid, 'tags', ARRAY['tag ' || n]), '{}', 4, 4, 2, 1, 1,
           CASE WHEN s.name = 'failed' THEN '{}'::jsonb END, 1, 3, t.at,
           CASE WHEN s.name = 'cancelled' THEN t.at END, t.at, t.at, t.at
    FROM generate_series(%(first)s::integer, %(last)s::integer) AS n,
         LATERAL (SELECT now() - interval '400 days' + n * interval '1 minute') AS t (at),
         LATERAL (SELECT CASE WHEN n < %(change)s::integer THEN 'cancelled'
                              ELSE (ARRAY['succeeded', 'failed'])[n %% 2 + 1] END) AS s (name),
         LATERAL (SELECT CASE WHEN n < %(change)s::integer THEN 'kind-1'
                              ELSE (ARRAY['course_tagging', 'kind-2', 'kind-3'])[n %% 3 + 1] END) AS k (name),
         LATERAL (SELECT CASE WHEN n <= %(middle)s::integer THEN %(workspace)s::uuid
                              ELSE md5('workspace' || n %% %(workspaces)s::integer)::uuid END) AS w (id)
"""
_EVENTS = """
    INSERT INTO jobs_store.audit_event (at, event, workspace_id, job_id, actor_id, actor_name, by, worker)
    SELECT j.created_at, e.event, j.workspace_id, j.id, CASE WHEN e.by = 'user' THEN j.actor_id END,
           CASE WHEN e.by = 'user' THEN j.actor_name END, e.by, CASE WHEN e.by = 'worker' THEN 'w-test/1' END
    FROM generate_series(%(first)s::integer, %(last)s::integer) AS n
    JOIN jobs_store.job AS j ON j.id = md5('job' || n)::uuid,
         (VALUES ('job.queued', 'user'), ('job.claimed', 'worker'), ('job.ended', 'worker')) AS e (event, by)
"""
_ERRORS = """
    INSERT INTO jobs_store.page_error (job_id, page_id, page_title, code)
    SELECT md5('job' || n)::uuid, md5('page' || p)::uuid, 'Page ' || p, 'tags_full'
    FROM generate_series(%(first)s::integer, %(middle)s::integer) AS n, generate_series(1, 3) AS p
"""
_OF_OTHERS = """
    WITH other AS (
        INSERT INTO hub_store.workspace (id, title)
        SELECT gen_random_uuid(), 'Biology ' || n FROM generate_series(1, %(jobs)s / %(each)s) AS n
        RETURNING id
    )
    INSERT INTO jobs_store.job
        (workspace_id, kind, itemised, state, actor_id, actor_name, idempotency_key, request, labels, total,
         max_attempts, notified_at, created_at, cancel_requested_at, finished_at)
    SELECT w.id, 'course_tagging', true, %(state)s, %(actor)s, 'Ada', 'key-' || w.id || n,
           jsonb_build_object('course_id', %(course)s::uuid, 'tags', ARRAY['tag']), '{}', 4, 3,
           clock_timestamp(), clock_timestamp(), e.at, e.at
    FROM other AS w, generate_series(1, %(each)s) AS n,
         LATERAL (SELECT CASE WHEN %(state)s = 'cancelled' THEN now() END) AS e (at)
"""
_BACKUP = """
    INSERT INTO jobs_store.job
        (workspace_id, kind, itemised, state, actor_id, actor_name, idempotency_key, request, labels, result,
         max_attempts, notified_at, created_at, started_at, finished_at)
    VALUES (%s, 'backup', false, 'succeeded', %s, 'Ada', 'backup', '{}', '{}',
            '{"archive": "a.zip", "bytes": 1}', 3, now(), now(), now(), now())
    RETURNING id
"""


@dataclass
class History:
    """The jobs of a world and of other workspaces; those that have ended are numbered from 1."""

    world: World
    queued: uuid.UUID = field(init=False)
    running: Claim = field(init=False)
    backup: uuid.UUID = field(init=False)
    ended: int = 0
    """How many have ended."""
    old: int = 0
    """The number of the last one of the world's workspace."""

    def __post_init__(self) -> None:
        execute = self.world.owner.execute
        execute("UPDATE jobs_store.setting SET value = 1000 WHERE maximum >= 1000")
        execute(
            "INSERT INTO jobs_store.kind (name, itemised)"
            " SELECT 'kind-' || n, true FROM generate_series(1, 3) AS n"
        )
        execute(
            "INSERT INTO hub_store.workspace (id, title)"
            " SELECT md5('workspace' || n)::uuid, 'Physics ' || n FROM generate_series(0, %s) AS n",
            [_WORKSPACES],
        )
        self.running = self.world.claimed_job()
        self.queued = self.world.new_job()
        (self.backup,) = one(self.world.owner, _BACKUP, self.world.workspace, self.world.ada)

    def grow(self, jobs: int) -> None:
        """Let ``jobs`` have ended in all, with their keys, events and page errors."""
        self.old = self.ended + (jobs - self.ended) // 3
        parameters = {
            "first": self.ended + 1,
            "middle": self.old,
            "change": self.ended + (self.old - self.ended) * 9 // 10,
            "last": jobs,
            "workspace": self.world.workspace,
            "workspaces": _WORKSPACES,
            "actor": self.world.ada,
            "course": self.world.course,
        }
        for statement in (_JOBS, _EVENTS, _ERRORS):
            self._execute_without_foreign_keys(statement, parameters)
        self.world.owner.execute("VACUUM ANALYZE")
        self.ended = jobs

    def grow_crowd(self, jobs: int) -> None:
        """Let ``jobs`` more have ended, without numbers, each in a workspace of its own."""
        self._grow_others("cancelled", jobs, 1)
        self.world.owner.execute("VACUUM ANALYZE")

    def grow_queue(self, jobs: int) -> None:
        """Let ``jobs`` more be queued, in few other workspaces, and the server's statistics be as before."""
        self._grow_others("queued", jobs, 1000)

    def parameters(self) -> dict[str, Any]:
        """Return what calls are made with; ``old…`` is of the last job that ended in the workspace."""
        query = (
            "SELECT j.id, max(a.id)::text"
            " FROM jobs_store.job AS j JOIN jobs_store.audit_event AS a ON a.job_id = j.id"
            " WHERE j.idempotency_key = %s GROUP BY j.id"
        )
        row = self.world.owner.execute(query, [f"key-{self.old}"]).fetchone()
        assert row is not None
        return {
            "session": self.world.session(self.world.ada),
            "workspace": self.world.workspace,
            "queued": self.queued,
            "running": self.running.job,
            "lease": self.running.lease,
            "backup": self.backup,
            "new_request": self._request("another tag"),
            "old": row[0],
            "old_event": row[1],
            "old_key": f"key-{self.old}",
            "old_request": self._request(f"tag {self.old}"),
        }

    def _grow_others(self, state: str, jobs: int, each: int) -> None:
        parameters = {"actor": self.world.ada, "course": self.world.course}
        self._execute_without_foreign_keys(
            _OF_OTHERS, parameters | {"state": state, "jobs": jobs, "each": each}
        )

    def _execute_without_foreign_keys(self, statement: str, parameters: dict[str, Any]) -> None:
        """Execute in the time that this takes without looking at foreign keys."""
        self.world.owner.execute("SET session_replication_role = replica")
        self.world.owner.execute(statement.encode(), parameters)
        self.world.owner.execute("RESET session_replication_role")

    def _request(self, tag: str) -> str:
        return json.dumps({"kind": "course_tagging", "course_id": str(self.world.course), "tags": [tag]})
