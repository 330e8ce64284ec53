"""Random sequences of all operations, by several people, workspaces and workers, against a plain model.

The model says what the design says and knows no SQL. After every step the answer is what the model expects,
all rows are as the model has them, and the auditor finds nothing. Rows are aged where time has to pass; no
clock is faked.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, NamedTuple, TypeVar, cast
from uuid import UUID

import psycopg
import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.configuration import set_hypothesis_home_dir
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    rule,
    run_state_machine_as_test,
)

from tests.py.races.auditor import audit, watch
from tests.py.races.world import Claim, Connection, World, one
from tests.server import Database, Server

RUNS = 5
EXAMPLES = 10  # Hypothesis makes the later ones of a run by copying parts of the earlier ones
STEPS = 100
STEPS_PER_AUDIT = 5  # its logbook forgets nothing

ADDRESS = "192.0.2.1"
LEASE_SECONDS = 3600  # no lease ends by itself while a test runs, however slow the machine is
DAY = timedelta(hours=25)
MOST_TAGS = 200
TERMINAL = {"succeeded", "failed", "cancelled"}
COMMON_TAGS = ["common", "COMMON"]  # one tag in two spellings
POISON = "poison"  # the title of a page that a trigger of the test's own lets nobody change
SETTINGS = {
    "MaxPendingPerWorkspace": 6,
    "MaxPendingPerActor": 4,
    "MaxCreatedPerDay": 12,
    "MaxCoursePages": 100,
    "MaxAttempts": 2,
}

WORKSPACES = {"physics": UUID(int=1), "music": UUID(int=2)}
USERS = {name: UUID(int=place) for place, name in enumerate(("ada", "bob", "cyd", "dan"), start=11)}
MAIN = {WORKSPACES["physics"]: UUID(int=21), WORKSPACES["music"]: UUID(int=22)}
EMPTY = UUID(int=23)  # a course without pages, of the first workspace
SESSIONS = [(user, place) for user in USERS for place in (0, 1)]

Thing = TypeVar("Thing")
Answer = tuple[Any, ...]
Body = dict[str, Any]


def token(user: UUID, place: int) -> bytes:
    """The token hash of one of the two sessions a user may have; the first is the world's."""
    return hashlib.sha256(user.bytes + bytes(place)).digest()


def lower(tags: Sequence[str]) -> list[str]:
    """What decides whether two tags are the same."""
    return [tag.lower() for tag in tags]


def normalise(tags: Sequence[str]) -> list[str] | None:
    """The tags as they are kept, the first spelling of each; none when one is malformed."""
    kept: dict[str, str] = {}
    for tag in tags:
        kept.setdefault(" ".join(tag.split()).lower(), " ".join(tag.split()))
    return None if any("," in tag for tag in tags) else list(kept.values())


@dataclass
class Page:
    """A page; ``writes`` counts the changes that gave it a new etag."""

    course: UUID
    title: str
    content: str
    tags: list[str]
    writes: int = 0


class Request(NamedTuple):
    """What a job was asked to do, normalised."""

    kind: str
    course: UUID | None = None
    tags: tuple[str, ...] = ()

    def is_same(self, other: "Request") -> bool:
        """Whether both ask for the same."""
        return self[:2] == other[:2] and set(lower(self.tags)) == set(lower(other.tags))


@dataclass
class Job:
    """A job as the design has it. ``expired`` numbers the leases that are over in the order they ended."""

    id: UUID
    workspace: UUID
    actor: UUID
    key: str
    request: Request
    created_at: datetime
    max_attempts: int
    worklist: list[UUID]
    state: str = "queued"
    version: int = 1
    attempt: int = 0
    total: int = 0
    processed: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    lease: UUID | None = None
    worker: str | None = None
    expired: int | None = None
    page_locked: str | None = None
    cancel_requested: bool = False
    days: int = 0
    failure: str | None = None
    result: Body | None = None
    started: bool = False
    errors: dict[str, str] = field(default_factory=dict)
    events: list[Answer] = field(default_factory=list)

    @property
    def itemised(self) -> bool:
        """Whether every processed item has an outcome."""
        return self.request.kind == "course_tagging"

    @property
    def pending(self) -> bool:
        """Whether it is queued or running."""
        return self.state not in TERMINAL

    @property
    def age(self) -> tuple[datetime, UUID]:
        """The oldest job has the least."""
        return self.created_at, self.id

    def row(self) -> Answer:
        """What the database must hold of it, as ``ROWS`` reads it."""
        return (
            self.id,
            self.workspace,
            self.actor,
            self.key,
            self.state,
            self.version,
            (self.attempt, self.max_attempts),
            (self.total, self.processed, *(self.counts[name] for name in ("changed", "skipped", "failed"))),
            (self.lease, self.worker),
            (self.page_locked is not None, self.cancel_requested, self.started),
            (self.failure, self.result),
            self.worklist if self.pending else [],
            self.errors,
            [list(event) for event in self.events],
        )


ROWS = """
    SELECT j.id, j.workspace_id, j.actor_id, j.idempotency_key, j.state, j.version,
        j.attempt, j.max_attempts, j.total, j.processed, j.changed, j.skipped, j.failed, j.lease, j.worker,
        j.page_locked_since IS NOT NULL, j.cancel_requested_at IS NOT NULL, j.started_at IS NOT NULL,
        j.failure ->> 'code', j.result,
        ARRAY(SELECT unnest(w.page_ids) FROM jobs_store.worklist AS w WHERE w.job_id = j.id),
        (SELECT coalesce(jsonb_object_agg(e.page_id, e.code), '{}')
         FROM jobs_store.page_error AS e WHERE e.job_id = j.id),
        (SELECT jsonb_agg(jsonb_build_array(a.event, a.by, coalesce(a.actor_id::text, a.worker),
                          host(a.address), a.detail) ORDER BY a.id)
         FROM jobs_store.audit_event AS a WHERE a.job_id = j.id)
    FROM jobs_store.job AS j"""


def shape_row(row: Answer) -> Answer:
    """A row of ``ROWS`` in the shape of :meth:`Job.row`."""
    return (*row[:6], row[6:8], row[8:13], row[13:15], row[15:18], row[18:20], *row[20:])


@dataclass
class Model:
    """The whole design in plain Python; every method is an operation and returns its answer."""

    users: dict[UUID, bool]
    members: dict[tuple[UUID, UUID], tuple[str, bool]]
    sessions: dict[bytes, tuple[UUID, bool]]
    courses: dict[UUID, UUID]
    pages: dict[UUID, Page]
    setting: dict[str, int]
    jobs: dict[UUID, Job] = field(default_factory=dict)
    locked_page: UUID | None = None
    ends: int = 0

    # Rights

    def access(self, session: bytes, workspace: UUID, right: str) -> str:
        """What a session may do in a workspace."""
        user, is_live = self.sessions.get(session, (None, False))
        if user is None or not is_live:
            return "unauthenticated"
        if (workspace, user) not in self.members:
            return "not_found"
        role, enabled = self.members[workspace, user]
        if right == "administer":
            return "ok" if enabled and role == "administrator" else "not_administrator"
        if not enabled:
            return "not_member"
        return "ok" if role in {"administrator", "editor"} else "not_editor"

    def is_administrator(self, user: UUID, workspace: UUID) -> bool:
        """Whether a job of this user may go on."""
        return self.users[user] and self.members[workspace, user] == ("administrator", True)

    def set_user(self, user: UUID, *, enabled: bool) -> None:
        """Enable a user, or disable him and end his sessions."""
        self.users[user] = enabled
        if not enabled:
            self.sessions = {key: value for key, value in self.sessions.items() if value[0] != user}

    # Admission

    def judge(self, session: bytes, workspace: UUID, key: str, body: Body) -> tuple[str, UUID | str | None]:
        """What becomes of a request for a job: the outcome, and the job or the limit it is about."""
        outcome = self.access(session, workspace, "administer")
        if outcome != "ok":
            return outcome, None
        request = self.read_request(body)
        if request is None:
            return "invalid", None
        actor = self.sessions[session][0]
        for job in self.jobs.values():
            if (job.workspace, job.actor, job.key) == (workspace, actor, key):
                is_same = job.request.is_same(request)
                return ("replayed", job.id) if is_same else ("idempotency_conflict", None)
        if request.course is not None:
            if self.courses.get(request.course) != workspace:
                return "invalid", None
            if len(self.pages_of(request.course)) > self.setting["MaxCoursePages"]:
                return "course_too_large", "MaxCoursePages"
        limit = self.limit_reached(workspace, actor)
        return ("created", None) if limit is None else ("capacity", limit)

    def read_request(self, body: Body) -> Request | None:
        """The request of a body, or nothing where its shape is wrong."""
        if body["kind"] == "probe":
            return Request("probe") if set(body) == {"kind"} else None
        tags = normalise(body["tags"])
        return Request("course_tagging", UUID(body["course_id"]), tuple(tags)) if tags else None

    def limit_reached(self, workspace: UUID, actor: UUID) -> str | None:
        """The first limit that one more job would break."""
        jobs = [job for job in self.jobs.values() if job.workspace == workspace]
        if sum(job.pending for job in jobs) >= self.setting["MaxPendingPerWorkspace"]:
            return "MaxPendingPerWorkspace"
        if sum(job.pending and job.actor == actor for job in jobs) >= self.setting["MaxPendingPerActor"]:
            return "MaxPendingPerActor"
        if sum(job.days == 0 for job in jobs) >= self.setting["MaxCreatedPerDay"]:
            return "MaxCreatedPerDay"
        return None

    def pages_of(self, course: UUID) -> list[UUID]:
        """The pages of a course in the order in which jobs visit them."""
        return sorted(page for page in self.pages if self.pages[page].course == course)

    def admit(
        self, session: bytes, workspace: UUID, key: str, body: Body, job_id: UUID, created_at: datetime
    ) -> None:
        """Keep the job that was created."""
        request = self.read_request(body)
        assert request is not None
        worklist = [] if request.course is None else self.pages_of(request.course)
        actor = self.sessions[session][0]
        job = Job(job_id, workspace, actor, key, request, created_at, self.setting["MaxAttempts"], worklist)
        job.total = len(worklist)
        job.events.append(("job.queued", "user", str(actor), ADDRESS, {}))
        self.jobs[job_id] = job

    # Cancellation

    def cancel(self, job: Job, actor: UUID | None) -> str:
        """Somebody, or the operator, asks to stop a job."""
        if job.state == "cancelled":
            return "ok"
        if not job.pending:
            return "terminal"
        by = ("operator", None, None) if actor is None else ("user", str(actor), ADDRESS)
        was_asked = job.cancel_requested
        if not was_asked:
            job.cancel_requested = True
            job.events.append(("job.cancel_requested", *by, {}))
        if job.state == "queued" or job.expired is not None:
            self.end(job, "cancelled", by)
            return "ok"
        if was_asked:
            return "ok"
        job.version += 1
        return "asked"

    def end(
        self, job: Job, state: str, by: Answer, code: str | None = None, result: Body | None = None
    ) -> None:
        """Make a job terminal."""
        job.state, job.failure, job.result = state, code, result
        job.lease = job.worker = job.expired = job.page_locked = None
        job.version += 1
        job.events.append((f"job.{state}", *by, {} if code is None else {"code": code}))

    # Execution

    def next_job(self, kinds: Sequence[str]) -> Job | None:
        """The job whose turn it is."""
        jobs = [job for job in self.jobs.values() if job.request.kind in kinds]
        over = [
            (job.expired, job.id)
            for job in jobs
            if job.expired is not None and not job.cancel_requested and job.attempt < job.max_attempts
        ]
        if over:
            return self.jobs[min(over)[1]]
        running = Counter(job.workspace for job in self.jobs.values() if job.state == "running")
        queued = [job for job in jobs if job.state == "queued"]
        return min(queued, key=lambda job: (running[job.workspace], *job.age), default=None)

    def claim(self, job: Job, worker: str, lease: UUID) -> None:
        """Give a job to a worker."""
        event = "job.claimed" if job.state == "queued" else "job.reclaimed"
        job.state, job.lease, job.worker, job.expired, job.page_locked = "running", lease, worker, None, None
        job.attempt += 1
        job.version += 1
        job.started = True
        if not job.itemised:
            job.total = job.processed = 0
        job.events.append((event, "worker", worker, None, {"attempt": job.attempt}))

    def held(self, claim: Claim) -> Job | None:
        """The job of a claim whose lease is still good."""
        job = self.jobs[claim.job]
        return job if job.lease == claim.lease and job.expired is None else None

    def must_stop(self, job: Job) -> bool:
        """Whether the holder has to stop at its next checkpoint."""
        return job.cancel_requested or not self.is_administrator(job.actor, job.workspace)

    def advance(self, job: Job, page_limit: int) -> str:
        """One step of a tagging whose lease is good."""
        if self.must_stop(job):
            self.leave_running(job, "failed", "actor_not_authorised")
            return "ended"
        outcomes, is_locked = self.tag_pages(job, job.worklist[job.processed :][:page_limit])
        job.counts.update(outcomes)
        job.processed += len(outcomes)
        job.version += bool(outcomes)
        if job.processed == job.total:
            self.leave_running(job, "succeeded")
            return "ended"
        return "wait" if is_locked else "continue"

    def tag_pages(self, job: Job, pages: Sequence[UUID]) -> tuple[list[str], bool]:
        """Tag pages up to one that has to wait; return the outcome of each and whether one has to."""
        outcomes: list[str] = []
        for page in pages:
            answer = self.tag_page(job, page)
            if answer == "page_rejected" and outcomes:
                break  # it is the first of the next step
            if answer == "locked" and job.page_locked != "long":
                job.page_locked = "now"
                return outcomes, True
            job.page_locked = None
            if answer in {"changed", "skipped"}:
                outcomes.append(answer)
            else:
                job.errors[str(page)] = "page_busy" if answer == "locked" else answer
                outcomes.append("failed")
            if answer == "page_rejected":
                break
        return outcomes, False

    def tag_page(self, job: Job, page_id: UUID) -> str:
        """Tag one page as it is now."""
        page = self.pages.get(page_id)
        if page is None:
            return "page_missing"
        if page_id == self.locked_page:
            return "locked"
        missing = [tag for tag in job.request.tags if tag.lower() not in lower(page.tags)]
        if not missing:
            return "skipped"
        if len(page.tags) + len(missing) > MOST_TAGS:
            return "tags_full"
        if page.title == POISON:
            return "page_rejected"
        page.tags = page.tags + missing
        page.writes += 1
        return "changed"

    def leave_running(
        self,
        job: Job,
        state: str,
        code: str | None = None,
        result: Body | None = None,
        sweeper: str | None = None,
    ) -> str:
        """Decide how a running job leaves that state."""
        by = ("worker", sweeper or job.worker, None)
        if job.cancel_requested:
            self.end(job, "cancelled", by)
        elif not self.is_administrator(job.actor, job.workspace):
            self.end(job, "failed", by, "actor_not_authorised")
        elif state != "queued":
            self.end(job, state, by, code, result)
        else:
            job.state = "queued"
            job.attempt -= 1
            job.version += 1
            job.lease = job.worker = job.page_locked = None
            job.events.append(("job.released", *by, {}))
        return job.state

    def sweep(self, sweeper: str) -> dict[str, int]:
        """Housekeeping."""
        ended = [
            job
            for job in self.jobs.values()
            if job.expired is not None and (job.cancel_requested or job.attempt >= job.max_attempts)
        ]
        for job in ended:
            self.leave_running(job, "failed", "attempts_exhausted", sweeper=sweeper)
        over = [session for session, (_, is_live) in self.sessions.items() if not is_live]
        for session in over:
            del self.sessions[session]
        return {"jobs": len(ended), "sessions": len(over), "sign_ins": 0, "addresses": 0}

    # Content

    def edit(
        self, session: bytes, workspace: UUID, page_id: UUID, *, is_current: bool, body: Body | None
    ) -> str:
        """Replace a page, or delete it where there is no body."""
        outcome = self.access(session, workspace, "edit")
        if outcome != "ok":
            return outcome
        page = self.pages.get(page_id)
        if page is None or self.courses[page.course] != workspace:
            return "not_found"
        tags = [] if body is None else normalise(body["tags"])
        if tags is None or len(tags) > MOST_TAGS:
            return "invalid"
        if not is_current:
            return "version_mismatch"
        if body is None:
            del self.pages[page_id]
        else:
            page.title, page.content, page.tags = body["title"], body["content"], tags
            page.writes += 1
        return "ok"


def call(connection: Connection, query: str, *parameters: object) -> Answer | str:
    """Make a call; return its only row, or the code of our own that it raised."""
    try:
        return one(connection, query, *parameters)
    except psycopg.Error as error:
        if error.sqlstate is None or not error.sqlstate.startswith("KH"):
            raise
        return error.sqlstate


class NothingToDo(Exception):  # noqa: N818 (it is no error)
    """There is nothing that an operation can be made on."""


def choose(things: Sequence[Thing], place: int) -> Thing:
    """The thing at a place, counted round; raise :class:`NothingToDo` when there are none."""
    if not things:
        raise NothingToDo
    return things[place % len(things)]


def spell(variant: str, workspace: UUID, name: str, *, is_new: bool) -> Body:
    """The body of a request; ``name`` is the job's own tag."""
    course = {"empty course": EMPTY, "foreign course": MAIN[other(workspace)]}.get(variant, MAIN[workspace])
    tags = {
        "respelled": [f" {name.upper()}\t", name],
        "two tags": [name, *COMMON_TAGS],
        # The auditor looks at the first tag of a job.
        "two tags, reordered": [name, "COMMON"] if is_new else ["COMMON ", name],
        "malformed": [name, "a,b"],
        "no tags": [],
    }
    if variant.startswith("probe"):
        return {"kind": "probe", **({"tags": []} if variant == "probe, malformed" else {})}
    return {"kind": "course_tagging", "course_id": str(course), "tags": tags.get(variant, [name])}


def own_tag(workspace: UUID, user: UUID, key: str) -> str:
    """The tag that only the job of this key asks for, so that the auditor knows whose change it is."""
    return f"{workspace.int} {user.int} {key}"


def other(workspace: UUID) -> UUID:
    """The other workspace."""
    return next(candidate for candidate in WORKSPACES.values() if candidate != workspace)


GOOD_VARIANTS = ["one tag", "two tags", "respelled", "two tags, reordered", "probe", "probe", "empty course"]
BAD_VARIANTS = ["foreign course", "malformed", "no tags", "probe, malformed"]

Caller = int | tuple[str, int]

users = st.sampled_from(list(USERS))
workspaces = st.sampled_from(list(WORKSPACES))
sessions = st.sampled_from(SESSIONS)
# A number stands for one of those who may, so that most calls do something; the others may be anybody's.
callers = st.sampled_from([*range(3)] * 6 + SESSIONS)
# Things are chosen by their place: 0 is the newest job or claim, or the first page.
places = st.sampled_from(range(6))
rarely = st.sampled_from([False] * 5 + [True])
etags = st.sampled_from(["current", "*", "stale"])


# How often each operation is chosen, and what it takes. The first, Hypothesis' simplest, changes nothing.
OPERATIONS: dict[str, tuple[int, dict[str, st.SearchStrategy[Any]]]] = {
    "read": (1, {"who": callers, "where": workspaces}),
    "create": (
        8,
        {
            "who": callers,
            "where": workspaces,
            "variant": st.sampled_from(GOOD_VARIANTS * 3 + BAD_VARIANTS),
        },
    ),
    "create_again": (
        3,
        {
            "place": places,
            "session": st.sampled_from([0, 1]),
            "is_elsewhere": rarely,
            "variant": st.sampled_from([*GOOD_VARIANTS, "malformed"]),
        },
    ),
    "cancel": (3, {"who": callers, "is_elsewhere": rarely, "place": places}),
    "cancel_by_operator": (1, {"place": places}),
    "claim": (
        10,
        {
            "worker": st.sampled_from(["w-one", "w-two"]),
            "kinds": st.sampled_from([["course_tagging", "probe"]] * 3 + [["course_tagging"], ["probe"]]),
        },
    ),
    "advance": (8, {"place": places, "pages": st.sampled_from([1, 2, 3, 1000])}),
    "release": (2, {"place": places}),
    "renew": (1, {"place": places}),
    "give_up": (1, {"place": places}),
    "finish": (
        4,
        {
            "place": places,
            "code": st.sampled_from([None, None, None, "worker_error", "storage_full", "nonsense"]),
        },
    ),
    "save_progress": (
        3,
        {"place": places, "is_current": st.booleans(), "processed": st.sampled_from([0, 3, 9])},
    ),
    "sweep": (3, {}),
    "edit": (
        4,
        {
            "who": callers,
            "is_elsewhere": rarely,
            "place": places,
            "etag": etags,
            "tags": st.sampled_from(["of the jobs"] * 4 + ["the same", "none", "common", "malformed"]),
        },
    ),
    "delete": (1, {"who": callers, "place": places, "etag": etags}),
    "add_page": (1, {"where": workspaces}),
    "lock_or_unlock_page": (2, {"place": places}),
    "set_member": (
        2,
        {
            "user": users,
            "where": workspaces,
            "role": st.sampled_from(["administrator", "administrator", "editor", "reader"]),
            "enabled": st.sampled_from([True, True, False]),
        },
    ),
    "set_user": (2, {"user": users, "enabled": st.sampled_from([True, True, False])}),
    "sign_in": (5, {"who": sessions}),
    "sign_out": (1, {"who": sessions}),
    "set_setting": (
        2,
        {
            "name": st.sampled_from(list(SETTINGS)),
            "value": st.sampled_from([0, 1, 2, 3, 5]),
            "is_usual": st.booleans(),
        },
    ),
    "expire": (4, {"place": places}),
    "wait_for_pages": (1, {}),
    "age_jobs": (2, {"place": places, "rest": st.booleans()}),
    "age_session": (1, {"who": sessions, "column": st.sampled_from(["created_at", "last_seen_at"])}),
}

steps = st.sampled_from([name for name, (weight, _) in OPERATIONS.items() for _ in range(weight)]).flatmap(
    lambda name: st.tuples(st.just(name), st.fixed_dictionaries(OPERATIONS[name][1]))
)


class Machine(RuleBasedStateMachine):
    """Makes each call in a database of its own and in the model."""

    def __init__(self, server: Server, template: str) -> None:
        super().__init__()
        self.database = Database(server, "hub_model")
        server.create_database(self.database.name, template)
        self.owner, self.holder = self.database.as_superuser(), self.database.as_superuser()
        self.holder.autocommit = False
        self.api, self.worker, self.operator = (
            self.database.as_role(role) for role in ("hub_api", "hub_worker", "hub_operator")
        )
        for connection in (self.api, self.worker, self.operator):
            connection.execute("SET statement_timeout = 0")
        self.model = build_model(self.owner)
        self.claims: list[Claim] = []
        self.keys = self.steps = 0
        self.seen: dict[UUID, Answer] = {}

    def teardown(self) -> None:
        """Drop the database."""
        self.database.close()
        self.database.server.drop_database(self.database.name)

    # Choices

    def job(self, place: int) -> Job:
        """A job, the newest first."""
        return choose(list(self.model.jobs.values()), -1 - place)

    def take(self, place: int, kinds: Sequence[str] = ("course_tagging", "probe")) -> Claim:
        """A claim of such a job, the newest first; mostly one that is still good."""
        claims = [claim for claim in self.claims if self.model.jobs[claim.job].request.kind in kinds]
        held = [claim for claim in claims if self.model.held(claim)]
        return choose(held if held and place < 4 else claims, -1 - place)

    def caller(self, who: Caller, workspace: UUID) -> tuple[UUID, bytes]:
        """Somebody and his session."""
        if isinstance(who, tuple):
            user = USERS[who[0]]
            return user, token(user, who[1])
        able = [
            (user, session)
            for session, (user, _) in self.model.sessions.items()
            if self.model.access(session, workspace, "administer") == "ok"
        ]
        return choose(able or [(user, token(user, 0)) for user in USERS.values()], who)

    def page(self, place: int) -> UUID:
        """A page that nothing stands in the way of changing."""
        pages = [
            page
            for page in sorted(self.model.pages)
            if page != self.model.locked_page and self.model.pages[page].title != POISON
        ]
        return choose(pages, place)

    # Admission and cancellation

    @initialize(
        requests=st.lists(
            st.tuples(places, workspaces, st.sampled_from(GOOD_VARIANTS)), min_size=2, max_size=6
        )
    )
    def begin(self, requests: list[tuple[int, str, str]]) -> None:
        """There are some jobs already."""
        for who, where, variant in requests:
            self.create(who, where, variant)
        self.check()

    # One rule that draws an operation by its weight: of a rule for each, Hypothesis would leave many out of
    # every run, and most runs would do no work.
    @rule(step=steps)
    def make(self, step: tuple[str, Mapping[str, Any]]) -> None:
        """Make an operation, where there is something that it can be made on."""
        name, arguments = step
        with suppress(NothingToDo):
            getattr(self, name)(**arguments)
        self.check()

    def create(self, who: Caller, where: str, variant: str) -> None:
        """Ask for a job with a new key."""
        self.keys += 1
        self.ask(*self.caller(who, WORKSPACES[where]), WORKSPACES[where], f"key-{self.keys}", variant)

    def create_again(self, place: int, session: int, is_elsewhere: bool, variant: str) -> None:
        """Somebody uses the key of a job of his once more, perhaps in the other workspace."""
        job = self.job(place)
        workspace = other(job.workspace) if is_elsewhere else job.workspace
        self.ask(job.actor, token(job.actor, session), workspace, job.key, variant)

    def ask(self, user: UUID, session: bytes, workspace: UUID, key: str, variant: str) -> None:
        """Ask for a job."""
        jobs = self.model.jobs.values()
        is_new = all((job.workspace, job.actor, job.key) != (workspace, user, key) for job in jobs)
        body = spell(variant, workspace, own_tag(workspace, user, key), is_new=is_new)
        expected, subject = self.model.judge(session, workspace, key, body)
        outcome, detail, snapshot = one(
            self.api,
            "SELECT outcome, detail, body FROM jobs.create_job(%s, %s, %s, %s, %s)",
            session,
            workspace,
            key,
            json.dumps(body),
            ADDRESS,
        )
        assert outcome == expected
        if expected == "created":
            subject = UUID(detail["job_id"])
            created_at = datetime.fromisoformat(json.loads(snapshot)["created_at"])
            self.model.admit(session, workspace, key, body, subject, created_at)
        if isinstance(subject, UUID):
            job = self.model.jobs[subject]
            assert detail == {"job_id": str(job.id), "version": job.version}
            self.compare(job, snapshot)
        elif subject is not None:
            assert (detail["limit"], detail["value"]) == (subject, self.model.setting[subject])

    def cancel(self, who: Caller, is_elsewhere: bool, place: int) -> None:
        """Ask for the end of a job, perhaps of another workspace."""
        job = self.job(place)
        workspace = other(job.workspace) if is_elsewhere else job.workspace
        user, session = self.caller(who, workspace)
        expected = self.model.access(session, workspace, "administer")
        if expected == "ok":
            expected = self.model.cancel(job, user) if job.workspace == workspace else "not_found"
        query = "SELECT outcome, body FROM jobs.cancel_job(%s, %s, %s, %s)"
        outcome, snapshot = one(self.api, query, session, workspace, job.id, ADDRESS)
        assert outcome == expected
        if snapshot is not None:
            self.compare(job, snapshot)

    def cancel_by_operator(self, place: int) -> None:
        """The operator asks for the end of a job."""
        job = self.job(place)
        expected = self.model.cancel(job, None)
        query = "SELECT outcome FROM jobs.cancel_job_by_operator(%s)"
        assert one(self.operator, query, job.id) == (expected,)

    # Execution

    def claim(self, worker: str, kinds: list[str]) -> None:
        """A worker asks for a job."""
        expected = self.model.next_job(kinds)
        rows = self.worker.execute(
            "SELECT job_id, lease, kind, lease_seconds, attempt FROM jobs.claim(%s, %s)", [worker, kinds]
        ).fetchall()
        if expected is None:
            assert rows == []
            return
        [(job_id, lease, kind, lease_seconds, attempt)] = rows
        self.model.claim(expected, worker, lease)
        assert (job_id, kind, lease_seconds, attempt) == (
            expected.id,
            expected.request.kind,
            LEASE_SECONDS,
            expected.attempt,
        )
        self.claims.append(Claim(job_id, lease))

    def advance(self, place: int, pages: int) -> None:
        """A worker makes a step, whether it may or not."""
        claim = self.take(place, ["course_tagging"])
        job = self.model.held(claim)
        query = "SELECT outcome FROM jobs.advance(%s, %s, %s, '1 hour')"
        answer = call(self.worker, query, *claim, pages)
        if job is None:
            assert answer == "KH423"
        else:
            assert answer == (self.model.advance(job, pages),)
            # How long a page has been locked is for the rule below alone, however slow the machine is.
            self.move(job, "page_locked_since", "1 hour")

    def release(self, place: int) -> None:
        """A worker gives a claim back."""
        claim = self.take(place)
        job = self.model.held(claim)
        expected = "KH423" if job is None else (self.model.leave_running(job, "queued"),)
        assert call(self.worker, "SELECT outcome FROM jobs.release(%s, %s)", *claim) == expected

    def renew(self, place: int) -> None:
        """A worker renews a lease."""
        claim = self.take(place)
        job = self.model.held(claim)
        expected = "KH423" if job is None else (self.model.must_stop(job), job.version)
        query = "SELECT stop_requested, version FROM jobs.renew(%s, %s)"
        assert call(self.worker, query, *claim) == expected

    def give_up(self, place: int) -> None:
        """A worker meets an error that it did not expect in a tagging."""
        claim = self.take(place, ["course_tagging"])
        job = self.model.held(claim)
        expected = "KH423" if job is None else (self.model.leave_running(job, "failed", "worker_error"),)
        query = "SELECT outcome FROM jobs.finish(%s, %s, NULL, 'worker_error')"
        assert call(self.worker, query, *claim) == expected

    def finish(self, place: int, code: str | None) -> None:
        """A handler reports how its job ended."""
        claim = self.take(place, ["probe"])
        job = self.model.held(claim)
        query = "SELECT outcome FROM jobs.finish(%s, %s, %s, %s)"
        answer = call(self.worker, query, *claim, '{"bytes": 7}', code)
        if job is None:
            assert answer == "KH423"
        elif code == "nonsense":
            assert answer == "KH500"
        else:
            state, result = ("succeeded", {"bytes": 7}) if code is None else ("failed", None)
            assert answer == (self.model.leave_running(job, state, code, result),)

    def save_progress(self, place: int, is_current: bool, processed: int) -> None:
        """A handler saves where it stands, knowing the job's version or an older one."""
        claim = self.take(place, ["probe"])
        job = self.model.held(claim)
        version = self.model.jobs[claim.job].version - (not is_current)
        query = (
            "SELECT outcome, version, stop_requested, snapshot FROM jobs.save_progress(%s, %s, %s, 10, %s)"
        )
        answer = call(self.worker, query, *claim, version, processed)
        if job is None:
            assert answer == "KH423"
            return
        if is_current:
            job.version += (job.total, job.processed) != (10, processed)
            job.total, job.processed = 10, processed
        outcome = "ok" if is_current else "version_mismatch"
        assert answer[:3] == (outcome, job.version, self.model.must_stop(job))
        self.compare(job, answer[3])

    def sweep(self) -> None:
        """Housekeeping."""
        expected = self.model.sweep("w-sweeper")
        assert one(self.worker, "SELECT jobs.sweep('w-sweeper')") == (expected,)

    # Content

    def edit(self, who: Caller, is_elsewhere: bool, place: int, etag: str, tags: str) -> None:
        """Somebody edits a page; he may give it the tags that jobs are going to give it."""
        page_id = self.page(place)
        page = self.model.pages[page_id]
        new = {
            "the same": page.tags,
            "none": [],
            "common": [*page.tags, COMMON_TAGS[0]],
            "of the jobs": [
                *page.tags,
                *(tag for job in self.model.jobs.values() for tag in job.request.tags),
            ],
            "malformed": ["a,b"],
        }[tags]
        body = {"title": f"{page.title}!", "content": f"{page.content}!", "tags": new}
        if self.change_page("hub.edit_page", who, is_elsewhere, page_id, etag, body) == "ok":
            self.forget_edit(page_id)

    def delete(self, who: Caller, place: int, etag: str) -> None:
        """Somebody deletes a page, while there are some left."""
        if len(self.model.pages) > len(USERS):
            self.change_page("hub.delete_page", who, False, self.page(place), etag, None)

    def change_page(
        self, function: str, who: Caller, is_elsewhere: bool, page_id: UUID, etag: str, body: Body | None
    ) -> str:
        """Edit or delete a page, perhaps as if it were of another workspace, and return the outcome."""
        workspace = self.model.courses[self.model.pages[page_id].course]
        if is_elsewhere:
            workspace = other(workspace)
        _, session = self.caller(who, workspace)
        given = {"current": str(self.seen[page_id][1]), "stale": str(UUID(int=0)), "*": "*"}[etag]
        expected = self.model.edit(session, workspace, page_id, is_current=etag != "stale", body=body)
        parameters = [session, workspace, page_id, given] + ([] if body is None else [json.dumps(body)])
        holes = ", ".join(["%s"] * len(parameters))
        assert one(self.api, f"SELECT outcome FROM {function}({holes})", *parameters) == (expected,)
        return expected

    def add_page(self, where: str) -> None:
        """The operator adds a page; jobs that are admitted already do not visit it."""
        course = MAIN[WORKSPACES[where]]
        pages = '[{"title": "New", "content": "", "tags": []}]'
        assert one(self.operator, "SELECT outcome FROM hub.add_pages(%s, %s)", course, pages) == ("ok",)
        # A known id, for jobs visit pages in the order of their ids and a run must be repeatable.
        page_id = UUID(int=max(page.int for page in self.seen) + 1)
        self.owner.execute(
            "UPDATE hub_store.page SET id = %s WHERE course_id = %s AND id <> ALL (%s)",
            [page_id, course, list(self.model.pages)],
        )
        self.model.pages[page_id] = Page(course, "New", "", [])

    def lock_or_unlock_page(self, place: int) -> None:
        """Somebody holds a page, or lets it go."""
        if self.model.locked_page is None:
            page = self.page(place)
            self.holder.execute("SELECT FROM hub_store.page WHERE id = %s FOR UPDATE", [page])
            self.model.locked_page = page
        else:
            self.holder.rollback()
            self.model.locked_page = None

    # People and settings

    def set_member(self, user: str, where: str, role: str, enabled: bool) -> None:
        """The operator changes what somebody may do in a workspace."""
        workspace = WORKSPACES[where]
        query = "SELECT outcome FROM hub.set_membership(%s, %s, %s, %s)"
        parameters = (workspace, f"{USERS[user]}@example.org", role, enabled)
        assert one(self.operator, query, *parameters) == ("ok",)
        self.model.members[workspace, USERS[user]] = role, enabled

    def set_user(self, user: str, enabled: bool) -> None:
        """The operator disables or enables somebody."""
        query = "SELECT outcome FROM hub.set_user_enabled(%s, %s)"
        assert one(self.operator, query, f"{USERS[user]}@example.org", enabled) == ("ok",)
        self.model.set_user(USERS[user], enabled=enabled)

    def sign_in(self, who: tuple[str, int]) -> None:
        """Somebody opens a session of his that is not open."""
        user = USERS[who[0]]
        session = token(user, who[1])
        if session not in self.model.sessions:
            expected = "ok" if self.model.users[user] else "credentials"
            query = "SELECT outcome FROM hub.open_session(%s, '-', %s)"
            assert one(self.api, query, user, session) == (expected,)
            if expected == "ok":
                self.model.sessions[session] = user, True

    def sign_out(self, who: tuple[str, int]) -> None:
        """Somebody ends a session of his."""
        session = token(USERS[who[0]], who[1])
        _, is_live = self.model.sessions.get(session, (None, False))
        expected = "ok" if is_live else "unauthenticated"
        assert one(self.api, "SELECT outcome FROM hub.end_session(%s)", session) == (expected,)
        if is_live:
            del self.model.sessions[session]

    def set_setting(self, name: str, value: int, is_usual: bool) -> None:
        """The operator changes a limit, perhaps to less than there is already."""
        value = SETTINGS[name] if is_usual else value
        is_valid = value > 0 or name not in {"MaxCoursePages", "MaxAttempts"}
        query = "SELECT outcome FROM jobs.set_setting(%s, %s)"
        assert one(self.operator, query, name, value) == ("ok" if is_valid else "invalid",)
        if is_valid:
            self.model.setting[name] = value

    # Time that passes

    def expire(self, place: int) -> None:
        """A lease ends."""
        job = choose([job for job in self.model.jobs.values() if job.state == "running"], -1 - place)
        self.model.ends += 1
        job.expired = self.model.ends
        self.move(job, "lease_until", f"{job.expired - 2 * LEASE_SECONDS} seconds")

    def wait_for_pages(self) -> None:
        """Every job that waits for a page has waited for more than ten seconds."""
        for job in self.model.jobs.values():
            if job.page_locked is not None:
                self.move(job, "page_locked_since", "-11 seconds")
                job.page_locked = "long"

    def age_jobs(self, place: int, rest: bool) -> None:
        """A job was created a day earlier than it was, and perhaps all older ones too."""
        jobs = list(self.model.jobs.values())
        oldest = self.job(place)
        for job in jobs[: jobs.index(oldest) + 1] if rest else [oldest]:
            with self.owner.transaction():
                # Nobody changes a terminal job, and the logbook is not told, for this is no change.
                self.owner.execute("ALTER TABLE jobs_store.job DISABLE TRIGGER USER")
                self.owner.execute(
                    "UPDATE jobs_store.job SET created_at = created_at - %s WHERE id = %s", [DAY, job.id]
                )
                self.owner.execute("ALTER TABLE jobs_store.job ENABLE TRIGGER USER")
                self.owner.execute("ALTER TABLE jobs_store.job ENABLE ALWAYS TRIGGER job_terminal_is_final")
            job.created_at -= DAY
            job.days += 1

    def age_session(self, who: tuple[str, int], column: str) -> None:
        """A session has been idle, or open, for too long."""
        session = token(USERS[who[0]], who[1])
        age = {"created_at": "12 hours", "last_seen_at": "30 minutes"}[column]
        self.owner.execute(
            f"UPDATE hub_store.session SET {column} = {column} - %s::interval WHERE token_hash = %s",
            [age, session],
        )
        if session in self.model.sessions:
            self.model.sessions[session] = USERS[who[0]], False

    def move(self, job: Job, column: str, interval: str) -> None:
        """Set a time of a job so far from now, where it is set; it is no change that shows."""
        self.owner.execute(
            f"UPDATE jobs_store.job SET {column} = clock_timestamp() + %s::interval"
            f" WHERE id = %s AND {column} IS NOT NULL",
            [interval, job.id],
        )

    # What must agree

    def read(self, who: Caller, where: str) -> None:
        """Somebody lists the jobs of a workspace."""
        workspace = WORKSPACES[where]
        _, session = self.caller(who, workspace)
        query = "SELECT outcome, body FROM jobs.list_jobs(%s, %s, NULL, NULL, NULL, 500)"
        outcome, body = one(self.api, query, session, workspace)
        assert outcome == self.model.access(session, workspace, "administer")
        if outcome == "ok":
            jobs = [job for job in self.model.jobs.values() if job.workspace == workspace]
            jobs.sort(key=lambda job: job.age, reverse=True)
            listed = json.loads(body)["jobs"]
            assert [job["id"] for job in listed] == [str(job.id) for job in jobs]
            for job, snapshot in zip(jobs, listed, strict=True):
                self.compare(job, json.dumps(snapshot))

    def compare(self, job: Job, text: str) -> None:
        """A snapshot shows the job as it is."""
        shown: Mapping[str, Any] = json.loads(text)
        failure, errors = shown["failure"], shown["errors"]
        assert (shown["id"], shown["state"], shown["version"]) == (str(job.id), job.state, job.version)
        assert shown["terminal"] == (not job.pending)
        assert (shown["attempt"], shown["max_attempts"]) == (job.attempt, job.max_attempts)
        assert shown["progress"] == {
            "total": job.total,
            "processed": job.processed,
            **{name: job.counts[name] for name in ("changed", "skipped", "failed")},
        }
        assert (failure and failure["code"], shown["result"]) == (job.failure, job.result)
        assert [(error["page_id"], error["code"]) for error in errors] == sorted(job.errors.items())[:10]
        assert (shown["cancel_requested_at"] is not None) == job.cancel_requested

    def check(self) -> None:
        """The database is as the model has it, and the auditor finds nothing."""
        self.check_jobs()
        self.check_pages()
        self.check_people()
        self.steps += 1
        if self.steps % STEPS_PER_AUDIT == 0:
            self.audit()

    def audit(self) -> None:
        """The auditor finds nothing but limits that were set to less than there is, which answers judge."""
        assert [breach for breach in audit(self.owner) if not breach.startswith("A3")] == []

    def check_jobs(self) -> None:
        """States, counters, attempts, leases, worklists, page errors and events are the model's."""
        rows = {row[0]: shape_row(row) for row in self.owner.execute(ROWS).fetchall()}
        for job in self.model.jobs.values():
            assert rows.pop(job.id, None) == job.row()
        assert rows == {}

    def check_pages(self) -> None:
        """Pages are the model's; a page that was not written has its etag and time still."""
        seen = {}
        found = {}
        for page_id, course, title, content, tags, etag, at in self.owner.execute(
            "SELECT id, course_id, title, content, tags, etag, updated_at FROM hub_store.page"
        ):
            page = self.model.pages.get(page_id)
            writes = 0 if page is None else page.writes
            found[page_id] = Page(course, title, content, tags, writes)
            seen[page_id] = writes, etag, at
            if page_id in self.seen:
                before = self.seen[page_id]
                assert [new == old for new, old in zip(seen[page_id], before, strict=True)] in (
                    [True] * 3,
                    [False] * 3,
                )
        assert found == self.model.pages
        self.seen = {**self.seen, **seen}

    def check_people(self) -> None:
        """Users, memberships, sessions and settings are the model's."""
        query = "SELECT id, enabled FROM hub_store.app_user"
        assert dict(self.owner.execute(query).fetchall()) == self.model.users
        query = "SELECT workspace_id, user_id, role, enabled FROM hub_store.membership"
        rows = self.owner.execute(query).fetchall()
        assert {row[:2]: row[2:] for row in rows} == self.model.members
        rows = self.owner.execute("SELECT token_hash FROM hub_store.session").fetchall()
        assert {row[0] for row in rows} == set(self.model.sessions)
        query = "SELECT name, value FROM jobs_store.setting WHERE name = ANY (%s)"
        rows = self.owner.execute(query, [list(SETTINGS)]).fetchall()
        assert dict(rows) == self.model.setting

    def forget_edit(self, page_id: UUID) -> None:
        """Take an edit out of the logbook, where the auditor would take it for the work of a job."""
        self.owner.execute(
            "DELETE FROM logbook.page_change AS c USING hub_store.page AS p"
            " WHERE p.id = %s AND c.page_id = p.id AND c.new_etag = p.etag",
            [page_id],
        )
        # A common tag that the edit took away may be gained once more.
        self.owner.execute(
            "UPDATE logbook.page_change"
            " SET gained = ARRAY(SELECT unnest(gained) EXCEPT SELECT unnest(%s::text[]))"
            " WHERE page_id = %s",
            [COMMON_TAGS, page_id],
        )


def build_model(owner: Connection) -> Model:
    """Fill a database with two workspaces and return the model of it."""
    physics, music = WORKSPACES.values()
    ada, bob, cyd, dan = USERS.values()
    World(owner, 0, physics, MAIN[physics], ada, bob)
    World(owner, 0, music, MAIN[music], cyd, dan)
    members = {(physics, cyd): ("reader", True), (music, ada): ("administrator", True)}
    for (workspace, user), (role, enabled) in members.items():
        owner.execute(
            "INSERT INTO hub_store.membership VALUES (%s, %s, %s, %s)", [workspace, user, role, enabled]
        )
    owner.execute(
        "INSERT INTO hub_store.course (id, workspace_id, position, title) VALUES (%s, %s, 2, 'Empty')",
        [EMPTY, physics],
    )
    tags_to_come = [own_tag(physics, ada, f"key-{number}") for number in range(1, 20)]
    full = [f"filler {number}" for number in range(MOST_TAGS - 1)]
    pages = {
        UUID(int=100 + place): page
        for place, page in enumerate(
            [
                Page(MAIN[physics], "One", "Text", []),
                Page(MAIN[physics], "Two", "Text", ["Common", *tags_to_come]),
                Page(MAIN[physics], POISON, "Text", []),
                Page(MAIN[physics], "Full", "Text", full),
                Page(MAIN[music], "Five", "Text", []),
                Page(MAIN[music], "Six", "Text", []),
            ]
        )
    }
    for position, (page_id, page) in enumerate(pages.items(), start=1):
        owner.execute(
            "INSERT INTO hub_store.page (id, course_id, position, title, content, tags)"
            " VALUES (%s, %s, %s, %s, %s, %s)",
            [page_id, page.course, position, page.title, page.content, page.tags],
        )
    for name, value in {**SETTINGS, "LeaseSeconds": LEASE_SECONDS}.items():
        owner.execute("SELECT jobs.set_setting(%s, %s)", [name, value])
    return Model(
        users=dict.fromkeys(USERS.values(), True),
        members={
            **{(physics, user): ("administrator", True) for user in (ada, bob)},
            **{(music, user): ("administrator", True) for user in (cyd, dan)},
            **members,
        },
        sessions={token(user, 0): (user, True) for user in USERS.values()},
        courses={MAIN[physics]: physics, MAIN[music]: music, EMPTY: physics},
        pages=pages,
        setting=dict(SETTINGS),
    )


@pytest.fixture
def watched_template(server: Server, template: str) -> Iterator[str]:
    """The name of a database to copy: with the logbook, a kind of a handler, a page nobody may write."""
    name = "hub_model_template"
    server.create_database(name, template)
    database = Database(server, name)
    owner = database.as_superuser()
    watch(owner)
    owner.execute("INSERT INTO jobs_store.kind (name, itemised) VALUES ('probe', false)")
    owner.execute(
        "CREATE FUNCTION logbook.refuse() RETURNS trigger LANGUAGE plpgsql AS"
        " $$ BEGIN RAISE EXCEPTION 'nobody changes this page'; END $$"
    )
    owner.execute(
        "CREATE TRIGGER refuse BEFORE UPDATE ON hub_store.page"
        f" FOR EACH ROW WHEN (old.title = '{POISON}') EXECUTE FUNCTION logbook.refuse()"
    )
    database.close()
    yield name
    server.drop_database(name)


@pytest.mark.parametrize("number", range(RUNS))
def test_random_sequences_of_all_operations_agree_with_the_model(
    server: Server, watched_template: str, tmp_path: Path, number: int
) -> None:
    """A run makes the same sequences always; a failure is shrunk and printed as its steps."""
    set_hypothesis_home_dir(tmp_path)
    run_state_machine_as_test(
        # A factory serves as well as a class.
        cast("type[Machine]", seed(number)(lambda: Machine(server, watched_template))),
        settings=settings(
            max_examples=EXAMPLES,
            stateful_step_count=STEPS,
            derandomize=True,
            database=None,
            deadline=None,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=list(HealthCheck),
        ),
    )
