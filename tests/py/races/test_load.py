"""Many sessions at once, as the roles that programs have: every rule holds, and nobody meets a deadlock."""

import json
import random
import statistics
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from itertools import count
from typing import NamedTuple, TypeVar
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg import sql

from knowledgehub.embedded import SUPERUSER
from tests.py.races.auditor import audit, watch
from tests.py.races.world import Claim, Connection, World, one
from tests.server import Database

LOAD_SECONDS = 60
# How many of each, and how many seconds each waits between its calls: whoever disables people and ends leases
# does it less often than others work, or there would be no work.
LOAD_SESSIONS = {
    "hub_api": (28, 0),
    "hub_worker": (17, 0),
    "hub_operator": (4, 0.05),
    SUPERUSER: (1, 0.02),
}
MOST_OF_ACTOR, MOST_OF_WORKSPACE = 6, 10
STUCK_SECONDS = 120
KINDS = ["course_tagging", "probe"]

# A lock or a call that took too long, and a lease that was lost: the caller tries again, or goes away.
EXPECTED_ERRORS = {"55P03", "57014", "KH423"}

Thing = TypeVar("Thing")
Operation = Callable[[Connection], object]


class Ask(NamedTuple):
    """A request for a tagging that was made."""

    world: World
    user: UUID
    key: str
    tags: list[str]


class Nothing(Exception):  # noqa: N818 (it is no error)
    """There is nothing yet that an operation can be made on."""


class Traffic:
    """What sessions do to a few jobs of some workspaces; they share what they know, as rivals would."""

    def __init__(self, worlds: Sequence[World], number: int) -> None:
        self.worlds = worlds
        self.dice = random.Random(number)  # noqa: S311 (no secret)
        self.asked = count()
        self.asks: deque[Ask] = deque(maxlen=20)
        self.jobs: deque[tuple[World, UUID]] = deque(maxlen=16)
        self.claims: deque[tuple[str, Claim]] = deque(maxlen=6)

    def operations(self) -> dict[str, list[Operation]]:
        """What each role does; what is named twice is done twice as often."""
        return {
            "hub_api": [
                *[self.create, self.create_again, self.create_probe, self.cancel, self.edit] * 3,
                *[self.sign_in] * 4,
                *[self.delete, self.sign_out, self.touch, self.charge, self.list_jobs, self.read_snapshots],
            ],
            "hub_worker": [
                *[self.claim, self.advance, self.advance, self.advance] * 2,
                *[self.renew, self.release, self.finish, self.save_progress, self.sweep],
            ],
            "hub_operator": [
                *[self.set_member, self.set_user, self.set_password, self.set_setting],
                *[self.cancel_by_operator, self.add_page],
            ],
            SUPERUSER: [self.expire, self.expire, self.idle, self.count_pending],
        }

    def pick(self, things: Sequence[Thing]) -> Thing:
        """One of them; raise :class:`Nothing` when there is none."""
        if not things:
            raise Nothing
        return self.dice.choice(things)

    def somebody(self) -> tuple[World, UUID]:
        """An administrator of one of the workspaces."""
        world = self.dice.choice(self.worlds)
        return world, self.dice.choice([world.ada, world.bob])

    # The API

    def create(self, api: Connection) -> object:
        """Ask for a tagging with a new key."""
        world, user = self.somebody()
        return self.ask(api, Ask(world, user, str(uuid4()), self.some_tags()))

    def create_again(self, api: Connection) -> object:
        """Ask with a key that was used, for the same or for something else."""
        ask = self.pick(self.asks)
        return self.ask(api, ask._replace(tags=self.pick([ask.tags, self.some_tags()])))

    def some_tags(self) -> list[str]:
        """A tag of its own, and one that the jobs of the same moment ask for too."""
        return [f"tag {uuid4()}", f"shared {next(self.asked) // 60}"]

    def ask(self, api: Connection, ask: Ask) -> object:
        """Ask for a tagging."""
        self.asks.append(ask)
        world = ask.world
        body = {"kind": "course_tagging", "course_id": str(world.course), "tags": ask.tags}
        query = "SELECT outcome, detail FROM jobs.create_job(%s, %s, %s, %s, '192.0.2.1')"
        session = world.session(ask.user)
        outcome, detail = one(api, query, session, world.workspace, ask.key, json.dumps(body))
        if outcome == "created":
            self.jobs.append((world, UUID(detail["job_id"])))
        return outcome

    def create_probe(self, api: Connection) -> object:
        """Ask for a job that a handler runs."""
        world, user = self.somebody()
        query = 'SELECT outcome, detail FROM jobs.create_job(%s, %s, %s, \'{"kind": "probe"}\', NULL)'
        outcome, detail = one(api, query, world.session(user), world.workspace, str(uuid4()))
        if outcome == "created":
            self.jobs.append((world, UUID(detail["job_id"])))
        return outcome

    def cancel(self, api: Connection) -> object:
        """Ask for the end of a job."""
        world, job = self.pick(self.jobs)
        return world.cancel(api, self.dice.choice([world.ada, world.bob]), job)

    def edit(self, api: Connection) -> object:
        """Read a page and write it with the etag it had, without the tags that it will not be given again."""
        world, user = self.somebody()
        session, page = world.session(user), self.some_page(api, world, user)
        query = "SELECT outcome, body FROM hub.read_page(%s, %s, %s)"
        outcome, body = one(api, query, session, world.workspace, page)
        if outcome != "ok":
            return outcome
        read = json.loads(body)
        tags = [tag for tag in read["tags"] if tag.startswith("shared")]
        new = {"title": str(uuid4()), "content": str(uuid4()), "tags": tags}
        query = "SELECT outcome FROM hub.edit_page(%s, %s, %s, %s, %s)"
        return one(api, query, session, world.workspace, page, read["etag"], json.dumps(new))[0]

    def delete(self, api: Connection) -> object:
        """Delete a page."""
        world, user = self.somebody()
        page = self.some_page(api, world, user)
        query = "SELECT outcome FROM hub.delete_page(%s, %s, %s, '*')"
        return one(api, query, world.session(user), world.workspace, page)[0]

    def some_page(self, api: Connection, world: World, user: UUID) -> UUID:
        """The id of a page, where the user may know."""
        query = "SELECT body FROM hub.list_pages(%s, %s, NULL, NULL, NULL, NULL, 500)"
        (body,) = one(api, query, world.session(user), world.workspace)
        return UUID(self.pick(json.loads(body or '{"pages": []}')["pages"])["id"])

    def sign_in(self, api: Connection) -> object:
        """Open the session of a user, where it is not open."""
        world, user = self.somebody()
        query = "SELECT outcome FROM hub.open_session(%s, '-', %s)"
        try:
            return one(api, query, user, world.session(user))[0]
        except psycopg.errors.UniqueViolation:
            return "open already"

    def sign_out(self, api: Connection) -> object:
        """End the session of a user."""
        world, user = self.somebody()
        return world.sign_out(api, user)

    def touch(self, api: Connection) -> object:
        """Record that a session is in use."""
        world, user = self.somebody()
        return one(api, "SELECT hub.touch_session(%s)::text", world.session(user))[0]

    def charge(self, api: Connection) -> object:
        """Charge a request to one of two addresses."""
        address = self.dice.choice(["192.0.2.1", "192.0.2.2"])
        return one(api, "SELECT outcome FROM jobs.charge_request_budget(%s)", address)[0]

    def list_jobs(self, api: Connection) -> object:
        """List the jobs of a workspace."""
        world, user = self.somebody()
        query = "SELECT outcome FROM jobs.list_jobs(%s, %s, NULL, NULL, NULL, 20)"
        return one(api, query, world.session(user), world.workspace)[0]

    def read_snapshots(self, api: Connection) -> object:
        """Read what streams show."""
        world, job = self.pick(self.jobs)
        query = "SELECT count(*) FROM jobs.read_snapshots(%s, %s)"
        return one(api, query, [world.session(world.ada), world.session(world.bob)], [job, job])[0]

    # The worker

    def claim(self, worker: Connection) -> object:
        """Claim a job."""
        name = self.dice.choice(["w-load/1", "w-load/2", "w-load/3"])
        query = "SELECT kind, job_id, lease FROM jobs.claim(%s, %s)"
        rows = worker.execute(query, [name, KINDS]).fetchall()
        assert len(rows) <= 1, rows
        self.claims.extend((kind, Claim(job, lease)) for kind, job, lease in rows)
        return len(rows)

    def of_kind(self, kind: str) -> Claim:
        """A claim that somebody has, or had."""
        return self.pick([claim for known, claim in list(self.claims) if known == kind])

    def advance(self, worker: Connection) -> object:
        """Make a step, as somebody else may be doing."""
        claim = self.of_kind("course_tagging")
        query = "SELECT outcome FROM jobs.advance(%s, %s, %s)"
        return one(worker, query, *claim, self.dice.choice([1, 3, 10]))[0]

    def renew(self, worker: Connection) -> object:
        """Renew a lease."""
        _, claim = self.pick(self.claims)
        return one(worker, "SELECT stop_requested FROM jobs.renew(%s, %s)", *claim)[0]

    def release(self, worker: Connection) -> object:
        """Give a claim back."""
        _, claim = self.pick(self.claims)
        return one(worker, "SELECT outcome FROM jobs.release(%s, %s)", *claim)[0]

    def finish(self, worker: Connection) -> object:
        """Report how a job ended."""
        claim = self.of_kind("probe")
        code = self.dice.choice([None, None, "worker_error"])
        return one(worker, "SELECT outcome FROM jobs.finish(%s, %s, '{}', %s)", *claim, code)[0]

    def save_progress(self, worker: Connection) -> object:
        """Save progress, unless somebody changed the job since its lease was renewed."""
        claim = self.of_kind("probe")
        (version,) = one(worker, "SELECT version FROM jobs.renew(%s, %s)", *claim)
        query = "SELECT outcome FROM jobs.save_progress(%s, %s, %s, 100, %s)"
        return one(worker, query, *claim, version, self.dice.randrange(100))[0]

    def sweep(self, worker: Connection) -> object:
        """Do the housekeeping."""
        return one(worker, "SELECT jobs.sweep('w-load/4') -> 'jobs'")[0]

    # The operator

    def set_member(self, operator: Connection) -> object:
        """Disable or enable a membership."""
        world, user = self.somebody()
        return world.set_member(operator, user, enabled=self.dice.random() < 0.8)

    def set_user(self, operator: Connection) -> object:
        """Disable or enable a user."""
        world, user = self.somebody()
        return world.set_user(operator, user, enabled=self.dice.random() < 0.8)

    def set_password(self, operator: Connection) -> object:
        """Set the same password once more, which ends the user's sessions."""
        world, user = self.somebody()
        query = "SELECT outcome FROM hub.set_password(%s, '-')"
        return one(operator, query, world.email(user))[0]

    def set_setting(self, operator: Connection) -> object:
        """Change a setting that no rule of the auditor depends on."""
        name, most = self.dice.choice([("MaxAttempts", 3), ("LeaseSeconds", 30)])
        value = self.dice.choice([most, 5 if name == "LeaseSeconds" else 1])
        return one(operator, "SELECT outcome FROM jobs.set_setting(%s, %s)", name, value)[0]

    def cancel_by_operator(self, operator: Connection) -> object:
        """Ask for the end of a job."""
        _, job = self.pick(self.jobs)
        return one(operator, "SELECT outcome FROM jobs.cancel_job_by_operator(%s)", job)[0]

    def add_page(self, operator: Connection) -> object:
        """Add a page to a course."""
        pages = '[{"title": "New", "content": "", "tags": []}]'
        course = self.dice.choice(self.worlds).course
        return one(operator, "SELECT outcome FROM hub.add_pages(%s, %s)", course, pages)[0]

    # Time that passes

    def expire(self, owner: Connection) -> object:
        """The lease of a running job ends."""
        query = (
            "UPDATE jobs_store.job SET lease_until = clock_timestamp() WHERE id = ("
            " SELECT id FROM jobs_store.job WHERE state = 'running' ORDER BY random() LIMIT 1)"
            " AND state = 'running'"
        )
        return owner.execute(query).rowcount

    def idle(self, owner: Connection) -> object:
        """A session was last seen some minutes earlier than it was."""
        query = (
            "UPDATE hub_store.session SET last_seen_at = last_seen_at - interval '5 minutes'"
            " WHERE token_hash = (SELECT token_hash FROM hub_store.session ORDER BY random() LIMIT 1)"
        )
        return owner.execute(query).rowcount

    # What holds at any moment

    def count_pending(self, owner: Connection) -> object:
        """No workspace has more pending jobs than it may, and no actor in it."""
        query = (
            "SELECT workspace_id, actor_id, count(*) FROM jobs_store.job WHERE finished_at IS NULL"
            " GROUP BY ROLLUP (workspace_id, actor_id)"
            " HAVING GROUPING(workspace_id) = 0"
            " AND count(*) > CASE GROUPING(actor_id) WHEN 0 THEN %s ELSE %s END"
        )
        over = owner.execute(query, [MOST_OF_ACTOR, MOST_OF_WORKSPACE]).fetchall()
        assert over == []
        return "as it may be"


def test_any_operations_of_fifty_sessions_on_few_jobs_keep_every_rule(database: Database) -> None:
    """No call meets a deadlock or breaks a rule; nothing terminal changes; the auditor is content."""
    owner = database.as_superuser()
    watch(owner)
    # What the auditor looks up for each job, of which there will be thousands.
    owner.execute("CREATE INDEX ON logbook.job_change (job_id)")
    owner.execute("CREATE INDEX ON logbook.page_change USING gin (gained) WITH (fastupdate = off)")
    # Far shorter than the lock timeout of a role, so that no timeout hides a deadlock.
    name = sql.Identifier(database.name)
    owner.execute(sql.SQL("ALTER DATABASE {} SET deadlock_timeout = '50ms'").format(name))
    worlds = [World(owner, pages=20), World(owner, pages=20)]
    owner.execute("INSERT INTO jobs_store.kind (name, itemised) VALUES ('probe', false)")
    worlds[0].set_setting("MaxPendingPerActor", MOST_OF_ACTOR)
    worlds[0].set_setting("MaxPendingPerWorkspace", MOST_OF_WORKSPACE)
    worlds[0].set_setting("MaxCreatedPerDay", 1_000_000)
    traffic = Traffic(worlds, 1)
    answers: Counter[tuple[str, object]] = Counter()
    faults: list[str] = []
    deadline = time.monotonic() + LOAD_SECONDS

    def run(connection: Connection, operations: Sequence[Operation], pause: float) -> None:
        while time.monotonic() < deadline and not faults:
            operation = traffic.pick(operations)
            time.sleep(pause)
            try:
                answer = operation(connection)
            except Nothing:
                continue
            except (psycopg.Error, AssertionError) as error:
                answer = getattr(error, "sqlstate", None)
                if answer not in EXPECTED_ERRORS:
                    faults.append(f"{operation.__name__}: {answer} {error}")
            answers[operation.__name__, answer] += 1

    operations = traffic.operations()
    threads = [
        threading.Thread(target=run, args=(database.as_role(role), operations[role], pause))
        for role, (number, pause) in LOAD_SESSIONS.items()
        for _ in range(number)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert faults == []
    assert audit(owner) == []
    query = (
        "SELECT id FROM hub_store.page"
        " WHERE cardinality(tags) > (SELECT count(DISTINCT t) FROM unnest(tags) AS t)"
    )
    assert owner.execute(query).fetchall() == [], "a page has a tag twice"
    query = "SELECT page_id FROM jobs_store.page_error WHERE code = 'page_rejected'"
    assert owner.execute(query).fetchall() == [], "a page was rejected, but nothing refuses a page here"
    ends = dict(owner.execute("SELECT state, count(*) FROM jobs_store.job GROUP BY state").fetchall())
    assert {"succeeded", "failed", "cancelled"} <= set(ends), "nothing happened, so nothing was shown"


@contextmanager
def gate(owner: Connection, world: World) -> Iterator[None]:
    """Hold the workspace's row, at which all that would admit a job to it has to wait."""
    with owner.transaction():
        owner.execute("SELECT FROM hub_store.workspace WHERE id = %s FOR NO KEY UPDATE", [world.workspace])
        yield


def all_at_once(
    database: Database,
    world: World,
    calls: Sequence[Callable[[Connection], Thing]],
    meanwhile: Callable[[], None],
) -> list[Thing]:
    """Make the calls in a session each, let them go on when every one waits, and return their answers."""
    monitor, gatekeeper = database.as_superuser(), database.as_superuser()
    connections = [database.as_role("hub_api") for _ in calls]
    for connection in connections:
        # They wait for the last of them, however slow the machine is.
        connection.execute("SET lock_timeout = 0; SET statement_timeout = 0")
    pids = [connection.info.backend_pid for connection in connections]
    with ThreadPoolExecutor(len(calls)) as pool:
        with gate(gatekeeper, world):
            futures = [
                pool.submit(call, connection) for call, connection in zip(calls, connections, strict=True)
            ]
            deadline = time.monotonic() + STUCK_SECONDS
            query = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND pid = ANY (%s)"
            while one(monitor, query, pids)[0] + sum(future.done() for future in futures) < len(calls):
                assert time.monotonic() < deadline, "the calls neither wait nor end"
                time.sleep(0.01)
            meanwhile()
        return [future.result() for future in futures]


def test_of_two_hundred_creations_at_nine_pending_one_is_accepted(database: Database) -> None:
    """A2, A3: and meanwhile other workspaces create their jobs as before."""
    sessions = 200
    owner = database.as_superuser()
    watch(owner)
    world, quiet, waiting = World(owner), World(owner), World(owner)
    world.set_setting("MaxPendingPerActor", 1000)
    for _ in range(9):
        world.new_job()
    # Two sessions of each administrator: one waits for the membership, one for the workspace.
    users = [add_administrator(owner, world) for _ in range(sessions // 2)]
    elsewhere = database.as_role("hub_api")

    def create(user: UUID, api: Connection) -> str:
        return world.outcome(api, user)

    def create_elsewhere(other: World) -> float:
        seconds = []
        for _ in range(10):
            start = time.monotonic()
            assert other.outcome(elsewhere, other.bob) == "created"
            seconds.append(time.monotonic() - start)
        return statistics.median(seconds)

    before = create_elsewhere(quiet)
    during: list[float] = []
    outcomes = all_at_once(
        database,
        world,
        [partial(create, users[number // 2]) for number in range(sessions)],
        lambda: during.append(create_elsewhere(waiting)),
    )
    assert Counter(outcomes) == {"created": 1, "capacity": sessions - 1}
    # Under the lock timeout of the role: none of them waited for the creations that wait.
    assert during[0] < 1, f"half of the creations elsewhere took {during[0]:.3f} s, not {before:.3f} s"
    assert audit(owner) == []


def add_administrator(owner: Connection, world: World) -> UUID:
    """Add one more administrator of the workspace, signed in."""
    user = uuid4()
    owner.execute(
        "INSERT INTO hub_store.app_user (id, email, name, password_hash) VALUES (%s, %s, 'Eve', '-')",
        [user, world.email(user)],
    )
    owner.execute(
        "INSERT INTO hub_store.membership VALUES (%s, %s, 'administrator', true)", [world.workspace, user]
    )
    owner.execute(
        "INSERT INTO hub_store.session (token_hash, user_id) VALUES (%s, %s)", [world.session(user), user]
    )
    return user


def test_of_fifty_requests_with_one_key_there_is_one_job_and_the_one_that_differs_conflicts(
    database: Database,
) -> None:
    """A4: whichever of them is the first."""
    owner = database.as_superuser()
    watch(owner)
    world = World(owner)

    def create(tag: str, api: Connection) -> tuple[str, str | None]:
        outcome, detail, _ = world.create(api, world.ada, "key", tag)
        return outcome, detail and detail["job_id"]

    tags = ["the same"] * 25 + ["another"] + ["the same"] * 24
    answers = all_at_once(database, world, [partial(create, tag) for tag in tags], lambda: None)
    (job, request) = one(owner, "SELECT id::text, request -> 'tags' ->> 0 FROM jobs_store.job")
    first = answers.index(("created", job))
    assert tags[first] == request
    for number, (tag, answer) in enumerate(zip(tags, answers, strict=True)):
        if number != first:
            assert answer == (("replayed", job) if tag == request else ("idempotency_conflict", None))
    assert audit(owner) == []


# Plans that a server may come to choose: without the nodes named.
BAD_PLANS = [
    ["indexscan", "indexonlyscan", "bitmapscan"],
    ["indexscan", "indexonlyscan", "seqscan"],
    ["seqscan", "bitmapscan"],
    ["nestloop"],
    ["hashjoin", "hashagg"],
    ["mergejoin", "sort"],
    ["nestloop", "hashjoin"],
    ["hashjoin", "mergejoin", "hashagg", "sort", "material"],
]


def test_forty_thousand_claims_under_bad_plans_give_each_job_once(database: Database) -> None:
    """E4, E6: eight sessions, each with plans of its own; no call gives or changes two jobs."""
    # Small waves first: the worst plan of a wrong query comes to an end in them, and shows what it gives.
    waves = [200] * 2 + [1980] * 20
    owner = database.as_superuser()
    world = World(owner, pages=0)
    owner.execute("INSERT INTO jobs_store.kind (name, itemised) VALUES ('probe', false)")
    workers = [database.as_role("hub_worker") for _ in BAD_PLANS]
    for worker, nodes in zip(workers, BAD_PLANS, strict=True):
        worker.execute("SET statement_timeout = 0")
        for node in nodes:
            worker.execute(f"SET enable_{node} = off".encode())
    claimed: list[UUID] = []
    given: set[int] = set()

    def work(worker: Connection, until: int) -> None:
        deadline = time.monotonic() + STUCK_SECONDS
        running: list[tuple[UUID, UUID]] = []
        while len(claimed) < until:
            assert time.monotonic() < deadline, "some jobs are never given"
            claims = worker.execute("SELECT job_id, lease FROM jobs.claim('w-load', %s)", [KINDS]).fetchall()
            claimed.extend(job for job, _ in claims)
            given.add(len(claims))
            running.extend(claims)
            # One runs all the time, so that workspaces differ in how many they have running.
            if len(running) > 1:
                worker.execute("SELECT jobs.finish(%s, %s)", running.pop(0))
        for claim in running:
            worker.execute("SELECT jobs.finish(%s, %s)", claim)

    for wave, size in enumerate(waves):
        # Many workspaces, or so few that every one is busy.
        seed_jobs(owner, world, workspaces=[200, 4][wave % 2], jobs=size)
        owner.execute("ANALYZE jobs_store.job")
        with ThreadPoolExecutor(len(workers)) as pool:
            futures = [pool.submit(work, worker, sum(waves[: wave + 1])) for worker in workers]
        for future in futures:
            future.result()
        assert given <= {0, 1}, "a claim gave several jobs"
    assert len(claimed) == len(set(claimed)) == sum(waves)
    query = "SELECT count(*), count(DISTINCT job_id) FROM jobs_store.audit_event WHERE event = 'job.claimed'"
    assert one(owner, query) == (sum(waves), sum(waves))
    query = "SELECT count(*) FROM jobs_store.job WHERE attempt = 1 AND state = 'succeeded'"
    assert one(owner, query) == (sum(waves),)


def seed_jobs(owner: Connection, world: World, workspaces: int, jobs: int) -> None:
    """Queue as many jobs of kind ``probe`` in as many new workspaces, in turn."""
    owner.execute(
        """
        WITH place AS (
            INSERT INTO hub_store.workspace (title) SELECT 'Place ' || n FROM generate_series(1, %s) AS n
            RETURNING id
        ), member AS (
            INSERT INTO hub_store.membership SELECT p.id, %s, 'administrator', true FROM place AS p
            RETURNING workspace_id
        ), numbered AS (
            SELECT m.workspace_id, row_number() OVER () AS number FROM member AS m
        )
        INSERT INTO jobs_store.job (workspace_id, kind, itemised, actor_id, actor_name, idempotency_key,
            request, labels, max_attempts, created_at, notified_at)
        SELECT p.workspace_id, 'probe', false, %s, 'Ada', 'key-' || n, '{}', '{}', 3,
            clock_timestamp() + n * interval '1 microsecond', clock_timestamp()
        FROM generate_series(1, %s) AS n
        JOIN numbered AS p ON p.number = n %% %s + 1""",
        [workspaces, world.ada, world.ada, jobs, workspaces],
    )


def test_a_cancel_and_a_finish_at_the_same_time_make_one_end(database: Database) -> None:
    """C3: in a thousand rounds one terminal state, one event for it, and no change afterwards."""
    rounds = 1000
    owner = database.as_superuser()
    watch(owner)
    owner.execute("CREATE INDEX ON logbook.job_change (job_id)")
    world = World(owner, pages=0)
    world.set_setting("MaxCreatedPerDay", rounds)
    api, worker = database.as_role("hub_api"), database.as_role("hub_worker")
    together = threading.Barrier(2)

    def cancel(job: UUID) -> str:
        together.wait(STUCK_SECONDS)
        return world.cancel(api, world.bob, job)

    def finish(claim: Claim) -> str:
        together.wait(STUCK_SECONDS)
        outcome: str = one(worker, "SELECT outcome FROM jobs.finish(%s, %s, '{}')", *claim)[0]
        return outcome

    ends: dict[UUID, tuple[str, str]] = {}
    with ThreadPoolExecutor(2) as pool:
        for _ in range(rounds):
            claim = world.claimed_probe()
            calls = pool.submit(cancel, claim.job), pool.submit(finish, claim)
            answers = tuple(call.result() for call in calls)
            assert answers in {("asked", "cancelled"), ("terminal", "succeeded")}
            snapshot = one(owner, "SELECT body FROM jobs.read_job_by_operator(%s)", claim.job)[0]
            ends[claim.job] = answers[1], snapshot
    for job, end in ends.items():
        assert (world.state(job), one(owner, "SELECT body FROM jobs.read_job_by_operator(%s)", job)[0]) == end
    assert audit(owner) == []


class Candidate(NamedTuple):
    """A pending job that a worker could run, as the rule sees it."""

    created_at: datetime
    id: UUID
    workspace: UUID
    state: str
    lease_until: datetime | None
    is_for_claim: bool


@pytest.mark.parametrize(("workspaces", "jobs", "running"), [(1000, 10_000, 100), (7, 100, 12)])
def test_claims_are_given_in_the_order_of_the_rule(
    database: Database, workspaces: int, jobs: int, running: int
) -> None:
    """E6: leases that are over, then the workspace with the fewest running jobs, then the oldest job."""
    owner, worker = database.as_superuser(), database.as_role("hub_worker")
    world = World(owner, pages=0)
    world.set_setting("LeaseSeconds", 3600)
    owner.execute("INSERT INTO jobs_store.kind (name, itemised) VALUES ('probe', false), ('other', false)")
    seed_jobs(owner, world, workspaces, jobs)
    number = "split_part(idempotency_key, '-', 2)::integer"
    # Ages in no order, and some the same.
    owner.execute(
        "UPDATE jobs_store.job"
        " SET created_at = created_at + mod(hashtext(idempotency_key), 5000) * interval '1 s'"
    )
    owner.execute(f"UPDATE jobs_store.job SET kind = 'other' WHERE {number} % 7 = 0".encode())
    # Of the jobs that run, every third has a lease that is over, and of those every third is not to be
    # claimed: asked to stop, or with no attempt left.
    owner.execute(
        f"""
        UPDATE jobs_store.job AS j
        SET state = 'running', lease = gen_random_uuid(), lease_seconds = 3600, worker = 'w-gone',
            started_at = clock_timestamp(),
            attempt = CASE WHEN n.number % 9 = 3 THEN max_attempts ELSE 1 END,
            cancel_requested_at = CASE WHEN n.number % 9 = 6 THEN clock_timestamp() END,
            lease_until = clock_timestamp()
                + CASE WHEN n.number % 3 = 0 THEN interval '-1 hour' ELSE interval '1 hour' END
                - hashtext(idempotency_key) % 1000 * interval '1 s'
        FROM (SELECT id, {number} AS number FROM jobs_store.job) AS n
        WHERE n.id = j.id AND n.number <= {running}""".encode()
    )
    query = """
        SELECT created_at, id, workspace_id, state, lease_until,
            kind = 'probe' AND (state = 'queued' OR (lease_until <= clock_timestamp()
                AND cancel_requested_at IS NULL AND attempt < max_attempts))
        FROM jobs_store.job"""
    candidates = [Candidate(*row) for row in owner.execute(query.encode())]
    busy = Counter(job.workspace for job in candidates if job.state == "running")
    waiting = [job for job in candidates if job.is_for_claim]
    for _ in range(50):
        expected = min(
            waiting,
            key=lambda job: (
                (0, job.lease_until, job.id)
                if job.state == "running"
                else (1, busy[job.workspace], job.created_at, job.id)
            ),
        )
        query = "SELECT job_id FROM jobs.claim('w-load', ARRAY['probe'])"
        assert one(worker, query) == (expected.id,)
        waiting.remove(expected)
        if expected.state == "queued":
            busy[expected.workspace] += 1
