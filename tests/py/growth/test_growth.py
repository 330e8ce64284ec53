"""No call that programs make often costs more when 100,000 jobs have ended or 50,000 are queued."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import pytest

from knowledgehub.embedded import SUPERUSER
from knowledgehub.migrate import create_roles
from tests.py.growth.history import History
from tests.py.growth.plans import Observer, Work
from tests.py.races.world import World
from tests.server import Database, Server

FEW, MORE, MANY = 10, 10_000, 100_000
CROWDED = MANY + MORE
"""The last of them in ten thousand workspaces, so that a plan for any workspace is one for a few jobs."""

TALLER = 24
"""Pages: an index of many rows is two levels taller than one of few, and a job is in ten of them."""

TABLES = ("job", "audit_event", "page_error")
PENDING = {"job_pending", "job_queued", "job_running"}
"""The indexes that hold only what has not ended."""

MANY_QUEUED = 50_000
"""So many that their index has more pages than any call may look at."""

PLANS = ("force_custom_plan", "force_generic_plan")
CALLS_BEFORE = 6
"""Until plans are kept and catalogs are read no more."""
CALLS = 3
"""One may happen to split a page of an index."""


@dataclass(frozen=True)
class Call:
    """A call, and what makes the state that it meets."""

    query: str
    before: str = ""


_CLAIM = "SELECT * FROM jobs.claim('w-test/2', ARRAY['course_tagging'])"
_EXPIRE = "UPDATE jobs_store.job SET lease_until = '2000-01-01', attempt = {} WHERE id = %(running)s"
_CREATE = "SELECT * FROM jobs.create_job(%(session)s, %(workspace)s, {}, {}, NULL)"
_CREATE_NEW = _CREATE.format("'key'", "%(new_request)s")
_CANCEL = "SELECT * FROM jobs.cancel_job(%(session)s, %(workspace)s, {}, NULL)"
_DEMOTE = "UPDATE hub_store.membership SET role = 'editor' WHERE workspace_id = %(workspace)s"
_LIST = "SELECT * FROM jobs.list_jobs(%(session)s, %(workspace)s, {}, {}, {}, 2)"
_OF_OLD_JOB = "SELECT * FROM jobs.{}(%(session)s, %(workspace)s, %(old)s, NULL, 2)"

OPERATIONS = {
    "claim": Call(_CLAIM),
    "claim_expired": Call(_CLAIM, _EXPIRE.format("1")),
    "advance": Call("SELECT * FROM jobs.advance(%(running)s, %(lease)s, 2, '1 minute')"),
    "advance_to_the_end": Call("SELECT * FROM jobs.advance(%(running)s, %(lease)s, 1000, '1 minute')"),
    "renew": Call("SELECT * FROM jobs.renew(%(running)s, %(lease)s)"),
    "release": Call("SELECT * FROM jobs.release(%(running)s, %(lease)s)"),
    "sweep": Call("SELECT * FROM jobs.sweep('w-test/2')", _EXPIRE.format("max_attempts")),
    "create": Call(_CREATE_NEW),
    "create_again": Call(_CREATE.format("%(old_key)s", "%(old_request)s")),
    "create_too_many": Call(
        _CREATE_NEW, "UPDATE jobs_store.setting SET value = 1 WHERE name = 'MaxCreatedPerDay'"
    ),
    "create_refused": Call(_CREATE_NEW, _DEMOTE),
    "cancel_refused": Call(_CANCEL.format("%(old)s"), _DEMOTE),
    "cancel_queued": Call(_CANCEL.format("%(queued)s")),
    "cancel_running": Call(_CANCEL.format("%(running)s")),
    "read": Call("SELECT * FROM jobs.read_job(%(session)s, %(workspace)s, %(old)s)"),
    "read_snapshots": Call(
        "SELECT * FROM jobs.read_snapshots("
        "ARRAY[%(session)s, %(session)s]::bytea[], ARRAY[%(running)s, %(old)s]::uuid[])"
    ),
    "list": Call(_LIST.format("NULL", "NULL", "NULL")),
    "list_next": Call(_LIST.format("NULL", "NULL", "%(old)s::text")),
    "list_queued": Call(_LIST.format("'queued'", "NULL", "NULL")),
    "list_running": Call(_LIST.format("'running'", "NULL", "NULL")),
    "list_cancelled": Call(_LIST.format("'cancelled'", "NULL", "NULL")),
    "list_of_kind": Call(_LIST.format("NULL", "'kind-1'", "NULL")),
    "list_cancelled_of_kind": Call(_LIST.format("'cancelled'", "'kind-1'", "NULL")),
    "list_of_unknown_kind": Call(_LIST.format("NULL", "'unknown'", "NULL")),
    "list_backups": Call("SELECT * FROM jobs.list_backups(%(session)s, %(workspace)s, NULL, 2)"),
    "download": Call("SELECT * FROM jobs.download_archive(%(session)s, %(workspace)s, %(backup)s, NULL)"),
    "judge_archives": Call(
        "SELECT * FROM jobs.judge_archives(ARRAY[%(old)s::text || '.0123456789abcdef.zip'])"
    ),
    "list_audit": Call("SELECT * FROM jobs.list_audit(%(session)s, %(workspace)s, NULL, 2)"),
    "list_audit_next": Call("SELECT * FROM jobs.list_audit(%(session)s, %(workspace)s, %(old_event)s, 2)"),
    "list_job_audit": Call(_OF_OLD_JOB.format("list_job_audit")),
    "list_page_errors": Call(_OF_OLD_JOB.format("list_page_errors")),
}

Costs = dict[tuple[int, str, str], Work]


@pytest.fixture(scope="module")
def costs(server: Server, template: str) -> Costs:
    """(jobs that have ended, plans, operation) -> its work; its plans are made for each call, or for all."""
    found: Costs = {}
    with _database(server, "hub_growth", template) as database:
        history = History(World(database.as_superuser()))
        for jobs in (FEW, MORE, MANY, CROWDED):
            if jobs == CROWDED:
                history.grow_crowd(MORE)
            else:
                history.grow(jobs)
            for plans in PLANS:
                works = _costs(_observer(database, plans), history.parameters())
                found |= {(jobs, plans, name): work for name, work in works.items()}
    return found


@pytest.fixture(scope="module")
def costs_of_queue(server: Server, template: str) -> Costs:
    """(jobs queued elsewhere, plans, operation) -> its work; plans for all calls were made before."""
    found: Costs = {}
    for queued in (0, MANY_QUEUED):
        with _database(server, "hub_growth_of_queue", template) as database:
            history = History(World(database.as_superuser()))
            history.world.owner.execute("ALTER TABLE jobs_store.job SET (autovacuum_enabled = off)")
            history.grow(MORE)
            observers = {plans: _observer(database, plans) for plans in PLANS}
            for observer in observers.values():
                _costs(observer, history.parameters())
            history.grow_queue(queued)
            for plans, observer in observers.items():
                works = _costs(observer, history.parameters())
                found |= {(queued, plans, name): work for name, work in works.items()}
    return found


@contextmanager
def _database(server: Server, name: str, template: str) -> Iterator[Database]:
    database = Database(server, name)
    server.create_database(name, template)
    create_roles(database.url(SUPERUSER))
    try:
        yield database
    finally:
        database.close()
        server.drop_database(name)


def _observer(database: Database, plans: str) -> Observer:
    observer = Observer(database.as_superuser(), TABLES)
    observer.connection.execute(f"SET plan_cache_mode = {plans}".encode())
    return observer


def _costs(observer: Observer, parameters: Mapping[str, object]) -> dict[str, Work]:
    found = {}
    for name, call in OPERATIONS.items():
        for _ in range(CALLS_BEFORE):
            observer.observe(call.query, parameters, call.before)
        works = [observer.observe(call.query, parameters, call.before) for _ in range(CALLS)]
        found[name] = min(works, key=lambda work: work.buffers)
    return found


every_operation = pytest.mark.parametrize("name", OPERATIONS)
with_both_plans = pytest.mark.parametrize("plans", PLANS)


@every_operation
@with_both_plans
def test_a_call_looks_at_no_more_pages_however_long_the_history(costs: Costs, plans: str, name: str) -> None:
    few, more, many = (costs[jobs, plans, name].buffers for jobs in (FEW, MORE, MANY))
    assert max(more, many) <= 1.5 * few + TALLER


@every_operation
@with_both_plans
def test_a_call_looks_at_no_more_pages_where_most_workspaces_have_few_jobs(
    costs: Costs, plans: str, name: str
) -> None:
    many, crowded = (costs[jobs, plans, name].buffers for jobs in (MANY, CROWDED))
    assert crowded <= 1.5 * many + TALLER


@every_operation
@with_both_plans
def test_a_call_reads_no_history_through(costs: Costs, plans: str, name: str) -> None:
    assert costs[MANY, plans, name].read_through <= PENDING


@every_operation
@with_both_plans
def test_a_call_keeps_to_its_indexes_however_long_the_history(costs: Costs, plans: str, name: str) -> None:
    """From some size on: of a few rows on one page each index is as good as any other."""
    more, many = costs[MORE, plans, name], costs[MANY, plans, name]
    assert more.searched - PENDING == many.searched - PENDING


@every_operation
@with_both_plans
def test_a_call_looks_at_no_more_pages_however_long_the_queue(
    costs_of_queue: Costs, plans: str, name: str
) -> None:
    none, many = (costs_of_queue[jobs, plans, name].buffers for jobs in (0, MANY_QUEUED))
    assert many <= 1.5 * none + TALLER
