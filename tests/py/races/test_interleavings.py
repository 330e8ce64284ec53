"""Operations that meet on one job, page, key or right: every interleaving of their steps keeps every rule."""

import uuid
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import psycopg
import pytest

from tests.py.races.auditor import audit, watch
from tests.py.races.permutations import Connection, Session, Step, commit, permutations, run
from tests.py.races.world import Claim, World, one
from tests.server import Database

Results = Mapping[str, Sequence[object]]


class Spec(NamedTuple):
    """Sessions, each a role and its steps, and what must hold beyond the auditor's rules."""

    sessions: Mapping[str, tuple[str, list[Step]]]
    check: Callable[[Results], None]


def calls(*functions: Step) -> list[Step]:
    """Steps that make each call and commit it, so that others meet it in between."""
    return [step for function in functions for step in (function, commit)]


def answers(results: Sequence[object]) -> list[object]:
    """What the calls of a session answered; a lost lease by its code."""
    return [
        result.sqlstate if isinstance(result, psycopg.Error) else result
        for result in results
        if result is not None
    ]


def cancel_and_step(world: World) -> Spec:
    """C2, C3: a cancel request and the steps of the job that it asks to stop."""
    claim = world.claimed_job()
    step = partial(world.advance, claim=claim, pages=2)

    def check(results: Results) -> None:
        assert results["cancel"][0] in {"asked", "terminal"}
        state = "cancelled" if results["cancel"][0] == "asked" else "succeeded"
        assert world.finish(claim.job) == state

    cancel = partial(world.cancel, user=world.bob, job=claim.job)
    return Spec(
        {"cancel": ("hub_api", calls(cancel)), "step": ("hub_worker", calls(step, step, step))}, check
    )


def cancel_and_finish(world: World) -> Spec:
    """C3: a handler reports success while somebody cancels."""
    claim = world.claimed_probe()

    def finish(worker: Connection) -> object:
        return one(worker, "SELECT outcome FROM jobs.finish(%s, %s, '{}')", *claim)[0]

    def check(results: Results) -> None:
        assert (results["cancel"][0], results["finish"][0], world.state(claim.job)) in {
            ("asked", "cancelled", "cancelled"),
            ("terminal", "succeeded", "succeeded"),
        }

    cancel = partial(world.cancel, user=world.bob, job=claim.job)
    return Spec({"cancel": ("hub_api", calls(cancel)), "finish": ("hub_worker", calls(finish))}, check)


def cancel_and_claim(world: World) -> Spec:
    """C2: a queued job is cancelled while a worker takes it."""
    job = world.new_job()

    def check(results: Results) -> None:
        claimed = isinstance(results["claim"][0], Claim)
        assert (results["cancel"][0], claimed) in {("ok", False), ("asked", True)}
        assert world.finish(job) == "cancelled" if not claimed else world.state(job) == "running"

    cancel = partial(world.cancel, user=world.ada, job=job)
    return Spec({"cancel": ("hub_api", calls(cancel)), "claim": ("hub_worker", calls(world.claim))}, check)


def release_and_cancel(world: World) -> Spec:
    """C3: a release never leaves a job queued that somebody asked to stop."""
    claim = world.claimed_job()

    def check(results: Results) -> None:
        assert (results["cancel"][0], results["release"][0]) in {("asked", "cancelled"), ("ok", "queued")}
        assert world.state(claim.job) == "cancelled"

    cancel = partial(world.cancel, user=world.ada, job=claim.job)
    release = partial(world.release, claim=claim)
    return Spec({"cancel": ("hub_api", calls(cancel)), "release": ("hub_worker", calls(release))}, check)


def release_and_sweep(world: World) -> Spec:
    """E4, E5: a holder releases after its lease is over, while others sweep and claim."""
    claim = world.claimed_job()
    world.expire(claim.job)

    def check(results: Results) -> None:
        assert answers(results["release"]) == ["KH423"]
        assert isinstance(results["sweep"][2], Claim)
        assert world.job(claim.job, "state", "attempt") == ("running", 2)

    release = partial(world.release, claim=claim)
    return Spec(
        {"release": ("hub_worker", calls(release)), "sweep": ("hub_worker", calls(world.sweep, world.claim))},
        check,
    )


def renew_and_sweep(world: World) -> Spec:
    """E4, C3: a holder renews after its lease is over, while its job, asked to stop, is swept."""
    claim = world.claimed_job()
    world.cancel(world.owner, user=world.ada, job=claim.job)
    world.expire(claim.job)

    def renew(worker: Connection) -> object:
        return one(worker, "SELECT version FROM jobs.renew(%s, %s)", *claim)[0]

    def check(results: Results) -> None:
        assert answers(results["renew"]) == ["KH423"]
        # A sweep waits for nobody: what it passed over is for the next one.
        world.sweep(world.owner)
        assert world.state(claim.job) == "cancelled"

    return Spec({"renew": ("hub_worker", calls(renew)), "sweep": ("hub_worker", calls(world.sweep))}, check)


def claim_and_claim(world: World) -> Spec:
    """E6: three workers claim two jobs at once: never one of them twice."""
    jobs = {world.new_job(world.ada), world.new_job(world.bob)}

    def check(results: Results) -> None:
        claims = [result[0] for result in results.values() if isinstance(result[0], Claim)]
        assert sorted(claim.job for claim in claims) == sorted(jobs)

    return Spec({name: ("hub_worker", calls(world.claim)) for name in ("one", "two", "three")}, check)


def reclaim_and_step(world: World) -> Spec:
    """E4: a job is claimed again while its former holder makes a step."""
    claim = world.claimed_job()
    world.expire(claim.job)

    def claim_and_step(worker: Connection) -> object:
        again = world.claim(worker)
        assert again is not None
        worker.commit()
        return world.advance(worker, again)

    def check(results: Results) -> None:
        assert answers(results["late"]) == ["KH423", "KH423"]
        assert world.job(claim.job, "state", "attempt", "changed") == ("succeeded", 2, world.pages)

    late = partial(world.advance, claim=claim)
    return Spec(
        {"late": ("hub_worker", calls(late, late)), "again": ("hub_worker", calls(claim_and_step))}, check
    )


def step_and_edit(world: World) -> Spec:
    """E2: a page is edited while its job reaches it: wholly before or wholly after, and nothing is lost."""
    claim = world.claimed_job()
    page = world.page_ids()[1]
    etag = one(world.owner, "SELECT etag::text FROM hub_store.page WHERE id = %s", page)[0]

    def edit(api: Connection) -> object:
        body = '{"title": "New", "content": "New text", "tags": ["mine"]}'
        query = "SELECT outcome FROM hub.edit_page(%s, %s, %s, %s, %s)"
        return one(api, query, world.session(world.bob), world.workspace, page, etag, body)[0]

    def check(results: Results) -> None:
        assert world.finish(claim.job) == "succeeded"
        assert world.job(claim.job, "changed", "failed") == (world.pages, 0)
        title, tags = one(world.owner, "SELECT title, tags FROM hub_store.page WHERE id = %s", page)
        if results["edit"][0] == "ok":
            assert (title, tags[0], len(tags)) == ("New", "mine", 2)
        else:
            assert (results["edit"][0], title[:4], len(tags)) == ("version_mismatch", "Page", 1)

    step = partial(world.advance, claim=claim, pages=2)
    return Spec({"edit": ("hub_api", calls(edit)), "step": ("hub_worker", calls(step, step))}, check)


def step_and_delete(world: World) -> Spec:
    """E2: a page is deleted while its job reaches it: tagged before, or recorded as missing."""
    claim = world.claimed_job()
    page = world.page_ids()[1]

    def delete(api: Connection) -> object:
        query = "SELECT outcome FROM hub.delete_page(%s, %s, %s, '*')"
        return one(api, query, world.session(world.bob), world.workspace, page)[0]

    def check(results: Results) -> None:
        assert results["delete"][0] == "ok"
        assert world.finish(claim.job) == "succeeded"
        assert world.job(claim.job, "changed", "failed") in {(world.pages, 0), (world.pages - 1, 1)}

    step = partial(world.advance, claim=claim, pages=2)
    return Spec({"delete": ("hub_api", calls(delete)), "step": ("hub_worker", calls(step, step))}, check)


def step_and_disabled_member(world: World) -> Spec:
    """E1: a membership is disabled while its job runs: at most the step in flight commits."""
    return _step_and_lost_right(world, partial(world.set_member, user=world.ada, enabled=False))


def step_and_disabled_user(world: World) -> Spec:
    """E1: a user is disabled while his job runs: at most the step in flight commits."""
    return _step_and_lost_right(world, partial(world.set_user, user=world.ada, enabled=False))


def _step_and_lost_right(world: World, revoke: Step) -> Spec:
    claim = world.claimed_job()
    step = partial(world.advance, claim=claim, pages=1)
    seen: list[int] = []

    def revoke_and_look(operator: Connection) -> object:
        revoke(operator)
        operator.commit()
        seen.append(world.job(claim.job, "changed")[0])
        return "ok"

    def check(_: Results) -> None:
        state = world.finish(claim.job)
        code = one(world.owner, "SELECT failure ->> 'code' FROM jobs_store.job WHERE id = %s", claim.job)[0]
        assert (state, code) in {("failed", "actor_not_authorised"), ("succeeded", None)}
        # One step of one page may have been in flight, its page checked, when the right went.
        assert world.job(claim.job, "changed")[0] <= seen[0] + 1

    return Spec(
        {
            "revoke": ("hub_operator", [revoke_and_look]),
            "step": ("hub_worker", calls(step, step, step, step)),
        },
        check,
    )


def two_steps_over_the_same_pages(world: World) -> Spec:
    """E2: two jobs over the same pages never wait for each other, and each page gains both tags."""
    first, second = world.claimed_job(world.ada), world.claimed_job(world.bob)

    def check(results: Results) -> None:
        assert set(answers(results["first"]) + answers(results["second"])) <= {
            "continue",
            "wait",
            "ended",
            "KH423",
        }
        for claim in (first, second):
            assert world.finish(claim.job) == "succeeded"
            assert world.job(claim.job, "changed", "failed") == (world.pages, 0)

    return Spec(
        {
            "first": ("hub_worker", calls(*[partial(world.advance, claim=first, pages=2)] * 2)),
            "second": ("hub_worker", calls(*[partial(world.advance, claim=second, pages=3)] * 2)),
        },
        check,
    )


def admissions_with_the_same_key_and_request(world: World) -> Spec:
    """A4: two first requests with one key and one request: one job."""
    create = partial(world.outcome, user=world.ada, key="key", tag="tag same")

    def check(results: Results) -> None:
        assert sorted(str(result[0]) for result in results.values()) == ["created", "replayed", "replayed"]

    return Spec({name: ("hub_api", calls(create)) for name in ("one", "two", "three")}, check)


def admissions_with_the_same_key_and_another_request(world: World) -> Spec:
    """A4: two first requests with one key that ask for different things: one job, one conflict."""

    def check(results: Results) -> None:
        assert {results["one"][0], results["two"][0]} == {"created", "idempotency_conflict"}

    return Spec(
        {
            name: ("hub_api", calls(partial(world.outcome, user=world.ada, key="key", tag=f"tag {name}")))
            for name in ("one", "two")
        },
        check,
    )


def _last_place(setting: str, world: World) -> Spec:
    world.new_job(world.ada)
    world.set_setting(setting, 2)

    def check(results: Results) -> None:
        assert sorted(str(result[0]) for result in results.values()) == ["capacity", "capacity", "created"]

    return Spec(
        {
            name: ("hub_api", calls(partial(world.outcome, user=world.ada)))
            for name in ("one", "two", "three")
        },
        check,
    )


def last_place_of_the_workspace(world: World) -> Spec:
    """A3: three ask for the last place of MaxPendingPerWorkspace: one gets it."""
    return _last_place("MaxPendingPerWorkspace", world)


def last_place_of_the_actor(world: World) -> Spec:
    """A3: three ask for the last place of MaxPendingPerActor: one gets it."""
    return _last_place("MaxPendingPerActor", world)


def last_place_of_the_day(world: World) -> Spec:
    """A3: three ask for the last place of MaxCreatedPerDay: one gets it."""
    return _last_place("MaxCreatedPerDay", world)


def admission_and_disabled_member(world: World) -> Spec:
    """A5: a job is created while its actor loses the membership: before, or not at all."""
    return _admission_and_lost_right(world, partial(world.set_member, user=world.ada, enabled=False))


def admission_and_disabled_user(world: World) -> Spec:
    """A5: a job is created while its actor is disabled: before, or not at all."""
    return _admission_and_lost_right(world, partial(world.set_user, user=world.ada, enabled=False))


def _admission_and_lost_right(world: World, revoke: Step) -> Spec:
    def check(results: Results) -> None:
        assert results["create"][0] in {"created", "not_administrator", "unauthenticated"}
        if results["create"][0] == "created":
            # The revocation came after, so no job begins after it.
            created, now = one(
                world.owner,
                "SELECT max(created_at), (SELECT max(t.at) FROM logbook.revocation AS t) FROM jobs_store.job"
                " WHERE workspace_id = %s",
                world.workspace,
            )
            assert created < now

    def revoke_and_note(operator: Connection) -> object:
        answer = revoke(operator)
        world.note_revocation()
        return answer

    return Spec(
        {
            "create": ("hub_api", calls(partial(world.outcome, user=world.ada))),
            "revoke": ("hub_operator", calls(revoke_and_note)),
        },
        check,
    )


def replay_and_finish(world: World) -> Spec:
    """A4: a key is sent again while its job ends: always the same job."""
    tag = f"tag {uuid.uuid4()}"
    created = world.create(world.owner, world.ada, "key", tag)
    claim = world.claim(world.owner)
    assert claim is not None

    def replay(api: Connection) -> object:
        outcome, detail, _ = world.create(api, world.ada, "key", tag)
        return outcome, detail["job_id"]

    def check(results: Results) -> None:
        assert answers(results["replay"]) == [("replayed", created[1]["job_id"])] * 2
        assert world.state(claim.job) == "succeeded"

    return Spec(
        {
            "replay": ("hub_api", calls(replay, replay)),
            "finish": ("hub_worker", calls(partial(world.advance, claim=claim))),
        },
        check,
    )


def cancel_and_cancel(world: World) -> Spec:
    """C1: two administrators cancel one running job: one request."""
    claim = world.claimed_job()

    def check(results: Results) -> None:
        assert {results["ada"][0], results["bob"][0]} == {"asked", "ok"}

    return Spec(
        {
            name: ("hub_api", calls(partial(world.cancel, user=user, job=claim.job)))
            for name, user in (("ada", world.ada), ("bob", world.bob))
        },
        check,
    )


def sign_out_and_disable_user(world: World) -> Spec:
    """A user signs out while he is disabled: the session is gone, and no one waits for ever."""

    def check(results: Results) -> None:
        assert results["out"][0] in {"ok", "unauthenticated"}
        left = one(world.owner, "SELECT count(*) FROM hub_store.session WHERE user_id = %s", world.ada)
        assert left == (0,)
        assert world.outcome(world.owner, world.ada) == "unauthenticated"

    return Spec(
        {
            "out": ("hub_api", calls(partial(world.sign_out, user=world.ada))),
            "disable": ("hub_operator", calls(partial(world.set_user, user=world.ada, enabled=False))),
        },
        check,
    )


def save_progress_and_cancel(world: World) -> Spec:
    """V2: a handler saves progress while somebody cancels: the request is never overwritten."""
    claim = world.claimed_probe()
    version = world.job(claim.job, "version")[0]

    def save(worker: Connection) -> object:
        query = "SELECT outcome, stop_requested FROM jobs.save_progress(%s, %s, %s, 10, 5)"
        return one(worker, query, *claim, version)

    def check(results: Results) -> None:
        assert results["cancel"][0] == "asked"
        assert results["save"][0] in {("ok", False), ("version_mismatch", True)}
        requested, processed = world.job(claim.job, "cancel_requested_at", "processed")
        assert requested is not None
        assert processed == (5 if results["save"][0] == ("ok", False) else 0)

    cancel = partial(world.cancel, user=world.ada, job=claim.job)
    return Spec({"cancel": ("hub_api", calls(cancel)), "save": ("hub_worker", calls(save))}, check)


def download_and_delete(world: World) -> Spec:
    """U1: an archive is downloaded, in sections, while the operator deletes it."""
    job = world.backup()

    def check(results: Results) -> None:
        assert results["delete"] == ["ok", None]
        sections = [result for name in ("one", "two") for result in results[name] if result is not None]
        assert len(sections) == 3
        query = (
            "SELECT count(*) FROM jobs_store.audit_event WHERE job_id = %s AND event = 'backup.downloaded'"
        )
        assert one(world.owner, query, job) == (int("ok" in sections),)
        assert set(sections) <= {"ok", "archive_gone"}

    section = partial(world.download, user=world.ada, job=job)
    return Spec(
        {
            "one": ("hub_api", calls(section, section)),
            "two": ("hub_api", calls(section)),
            "delete": ("hub_operator", calls(partial(world.delete_archive, job=job))),
        },
        check,
    )


def disabled_member_and_download(world: World) -> Spec:
    """A right is taken away while it is used for a download: it is used before that, or refused."""
    job = world.backup()

    def disable(operator: Connection) -> object:
        world.set_member(operator, world.bob, enabled=False)
        return "done"

    def check(results: Results) -> None:
        assert results["download"][0] in {"ok", "not_administrator"}
        assert world.download(world.owner, world.bob, job) == "not_administrator"

    download = partial(world.download, user=world.bob, job=job)
    return Spec(
        {"disable": ("hub_operator", calls(disable)), "download": ("hub_api", calls(download))}, check
    )


SPECS: list[Callable[[World], Spec]] = [
    cancel_and_step,
    cancel_and_finish,
    cancel_and_claim,
    release_and_cancel,
    release_and_sweep,
    renew_and_sweep,
    claim_and_claim,
    reclaim_and_step,
    step_and_edit,
    step_and_delete,
    step_and_disabled_member,
    step_and_disabled_user,
    two_steps_over_the_same_pages,
    admissions_with_the_same_key_and_request,
    admissions_with_the_same_key_and_another_request,
    last_place_of_the_workspace,
    last_place_of_the_actor,
    last_place_of_the_day,
    admission_and_disabled_member,
    admission_and_disabled_user,
    replay_and_finish,
    cancel_and_cancel,
    sign_out_and_disable_user,
    save_progress_and_cancel,
    download_and_delete,
    disabled_member_and_download,
]


@pytest.mark.parametrize("spec", SPECS, ids=lambda spec: spec.__name__)
def test_every_interleaving_keeps_every_rule(database: Database, spec: Callable[[World], Spec]) -> None:
    owner, monitor = database.as_superuser(), database.as_superuser()
    watch(owner)
    shape = spec(World(owner)).sessions
    connections = {}
    for name, (role, _) in shape.items():
        connections[name] = database.as_role(role)
        connections[name].autocommit = False
        # What waits here is let go on by another step, however slow this machine is.
        connections[name].execute("SET lock_timeout = 0; SET statement_timeout = 0")
        connections[name].execute("SET idle_in_transaction_session_timeout = 0")
        connections[name].commit()
    clear(owner)
    for order in permutations({name: len(steps) for name, (_, steps) in shape.items()}):
        world = World(owner)
        made = spec(world)
        sessions = {
            name: Session(connections[name], deque(steps)) for name, (_, steps) in made.sessions.items()
        }
        run(monitor, sessions, order)
        for session in sessions.values():
            session.close()
        where = f"in the order {' '.join(order)}: {[list(map(str, s.results)) for s in sessions.values()]}"
        assert not audit(owner), where
        assert not any("40P01" in map(str, answers(s.results)) for s in sessions.values()), where
        made.check({name: session.results for name, session in sessions.items()})
        clear(owner)
        assert not audit(owner), where


def clear(owner: Connection) -> None:
    """Bring every job to its end and every setting to its default, for the next permutation."""
    owner.execute("UPDATE jobs_store.job SET lease_until = clock_timestamp() WHERE state = 'running'")
    owner.execute("SELECT jobs.cancel_job_by_operator(id) FROM jobs_store.job WHERE finished_at IS NULL")
    for name, value in (("MaxPendingPerWorkspace", 10), ("MaxPendingPerActor", 3), ("MaxCreatedPerDay", 100)):
        owner.execute("SELECT jobs.set_setting(%s, %s)", [name, value])
