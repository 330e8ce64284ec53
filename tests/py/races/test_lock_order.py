"""The lock order, from user to the counts of sign-ins: whoever waits holds nothing later."""

import threading
import time
import uuid
from collections.abc import Callable

import psycopg
import pytest
from psycopg import sql

from tests.py.races.permutations import Connection
from tests.py.races.world import Claim, World, one
from tests.server import Database

WAIT_SECONDS = 20

ORDER = {
    "user": "SELECT FROM hub_store.app_user WHERE id = %(ada)s",
    "session": "SELECT FROM hub_store.session WHERE user_id = %(ada)s",
    "membership": "SELECT FROM hub_store.membership WHERE (workspace_id, user_id) = (%(workspace)s, %(ada)s)",
    "workspace": "SELECT FROM hub_store.workspace WHERE id = %(workspace)s",
    "job": "SELECT FROM jobs_store.job WHERE workspace_id = %(workspace)s",
    "page": "SELECT FROM hub_store.page WHERE course_id = %(course)s",
    "sign-ins": "SELECT FROM hub_store.sign_in_attempt WHERE account = hub._account_key(%(email)s)",
}
"""The rows of the world that calls lock, in the order in which they may."""

Call = Callable[[World, Connection], object]


def edit(world: World, api: Connection) -> object:
    body = '{"title": "New", "content": "New text", "tags": []}'
    query = "SELECT outcome FROM hub.edit_page(%s, %s, %s, '*', %s)"
    return one(api, query, world.session(world.ada), world.workspace, world.page_ids()[0], body)


def delete(world: World, api: Connection) -> object:
    query = "SELECT outcome FROM hub.delete_page(%s, %s, %s, '*')"
    return one(api, query, world.session(world.ada), world.workspace, world.page_ids()[0])


def set_password(world: World, operator: Connection) -> object:
    return one(operator, "SELECT outcome FROM hub.set_password(%s, 'hash')", world.email(world.ada))


def charge_sign_in(world: World, api: Connection) -> object:
    query = "SELECT outcome FROM hub.charge_sign_in(%s, '192.0.2.1')"
    return one(api, query, world.email(world.ada))


def open_session(world: World, api: Connection) -> object:
    query = "SELECT outcome FROM hub.open_session(%s, '-', %s, NULL, '192.0.2.1')"
    return one(api, query, world.ada, uuid.uuid4().bytes * 2)


def end_sessions(world: World, operator: Connection) -> object:
    return one(operator, "SELECT outcome FROM hub.end_sessions(%s, NULL)", world.email(world.ada))


CALLS: dict[str, tuple[str, Call, set[str]]] = {
    "create_job": ("hub_api", lambda world, api: world.outcome(api, world.ada), {"membership", "workspace"}),
    "cancel_job": (
        "hub_api",
        lambda world, api: world.cancel(api, world.ada, _job(world)),
        {"membership", "job"},
    ),
    "edit_page": ("hub_api", edit, {"membership", "page"}),
    "delete_page": ("hub_api", delete, {"membership", "page"}),
    "end_session": ("hub_api", lambda world, api: world.sign_out(api, world.ada), {"session"}),
    "charge_sign_in": ("hub_api", charge_sign_in, {"sign-ins"}),
    "open_session": ("hub_api", open_session, {"user", "sign-ins"}),
    "end_sessions": ("hub_operator", end_sessions, {"user", "session"}),
    "set_password": ("hub_operator", set_password, {"user", "session"}),
    "set_user_enabled": (
        "hub_operator",
        lambda world, operator: world.set_user(operator, world.ada, enabled=False),
        {"user", "session", "membership"},
    ),
    "set_membership": (
        "hub_operator",
        lambda world, operator: world.set_member(operator, world.ada, enabled=False),
        {"user", "membership"},
    ),
    "advance": ("hub_worker", lambda world, worker: world.advance(worker, _claim(world)), {"job"}),
    "download_archive": (
        "hub_api",
        lambda world, api: world.download(api, world.ada, _job(world)),
        {"membership", "job"},
    ),
    "delete_archive": (
        "hub_operator",
        lambda world, operator: world.delete_archive(operator, _job(world)),
        {"job"},
    ),
    "release": ("hub_worker", lambda world, worker: world.release(worker, _claim(world)), {"job"}),
}
"""Each function that locks: its role, a call of it, and which of the rows it waits for."""


def _job(world: World) -> uuid.UUID:
    job: uuid.UUID = one(
        world.owner, "SELECT id FROM jobs_store.job WHERE workspace_id = %s", world.workspace
    )[0]
    return job


def _claim(world: World) -> Claim:
    query = "SELECT id, lease FROM jobs_store.job WHERE workspace_id = %s"
    return Claim(*one(world.owner, query, world.workspace))


@pytest.mark.parametrize("name", CALLS)
def test_whoever_waits_for_a_row_holds_none_that_comes_later(database: Database, name: str) -> None:
    """And it does wait: a call that takes no lock, or another, is seen here too."""
    role, call, waits_for = CALLS[name]
    owner = database.as_superuser()
    waited_for = set()
    for place, held in enumerate(ORDER):
        world = World(owner)
        if "archive" in name:
            world.backup()
        else:
            world.claimed_job(world.ada)
        charge_sign_in(world, owner)
        names = {
            "ada": world.ada,
            "email": world.email(world.ada),
            "workspace": world.workspace,
            "course": world.course,
        }
        holder, caller = database.as_superuser(), database.as_role(role)
        caller.execute("SET lock_timeout = 0; SET statement_timeout = 0")
        holder.autocommit = False
        holder.execute(sql.SQL(ORDER[held] + " FOR NO KEY UPDATE"), names)
        thread = threading.Thread(target=call, args=(world, caller))
        thread.start()
        if _is_blocked_or_ends(owner, caller, thread):
            waited_for.add(held)
            for later in list(ORDER)[place + 1 :]:
                locked = _rows(owner, ORDER[later], names) - _rows(
                    owner, ORDER[later] + " FOR NO KEY UPDATE SKIP LOCKED", names
                )
                assert not locked, f"{name} waits for the {held} and holds the {later}"
        holder.rollback()
        thread.join(WAIT_SECONDS)
        assert not thread.is_alive()
        owner.execute("UPDATE jobs_store.job SET lease_until = clock_timestamp() WHERE state = 'running'")
        owner.execute("SELECT jobs.cancel_job_by_operator(id) FROM jobs_store.job WHERE finished_at IS NULL")
    assert waited_for == waits_for


def _rows(connection: Connection, query: str, names: dict[str, object]) -> int:
    return connection.execute(sql.SQL(query), names).rowcount


def _is_blocked_or_ends(monitor: Connection, caller: Connection, thread: threading.Thread) -> bool:
    """Wait until the caller waits for a lock (True) or its call has ended (False)."""
    query = "SELECT cardinality(pg_blocking_pids(%s)) > 0"
    deadline = time.monotonic() + WAIT_SECONDS
    while thread.is_alive():
        if one(monitor, query, caller.info.backend_pid)[0]:
            return True
        if time.monotonic() > deadline:
            raise psycopg.OperationalError("the call neither ends nor waits for a lock")
        time.sleep(0.001)
    return False
