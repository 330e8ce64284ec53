"""What each role can do with its credential in a client of its own: call its functions, and nothing else."""

import re
import time
from collections.abc import Iterator
from contextlib import suppress
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from psycopg import errors, sql

from knowledgehub.embedded import SUPERUSER
from knowledgehub.migrate import create_roles
from tests.py.api.conftest import Place, StartApi, make_place, own_hub, own_place, start_api
from tests.py.api.events import streaming
from tests.py.api.hub import Hub
from tests.server import Database, Server

__all__ = ["own_hub", "own_place", "start_api"]  # fixtures

ROLES = ("hub_api", "hub_worker", "hub_operator")
CHANNELS = ("knowledgehub_job", "knowledgehub_queue")
EVENT_SECONDS = 1

every_role = pytest.mark.parametrize("role", ROLES)

FORBIDDEN = [
    "CREATE TEMPORARY TABLE page (id integer)",
    "CREATE TEMPORARY VIEW page AS SELECT 1",
    "CREATE TEMPORARY SEQUENCE s",
    "CREATE FUNCTION pg_temp.lower(text) RETURNS text LANGUAGE sql AS $$SELECT 'x'$$",
    "SELECT 1 AS a INTO TEMPORARY t",
    "CREATE SCHEMA trap",
    "CREATE TABLE public.t ()",
    "CREATE TABLE hub.t ()",
    "CREATE FUNCTION public.f() RETURNS integer LANGUAGE sql AS $$SELECT 1$$",
    "CREATE FUNCTION jobs.f() RETURNS integer LANGUAGE sql AS $$SELECT 1$$",
    "CREATE OPERATOR public.= (FUNCTION = pg_catalog.uuid_eq, LEFTARG = uuid, RIGHTARG = uuid)",
    "ALTER FUNCTION jobs.schema_version() SET search_path = public",
    "ALTER FUNCTION jobs.schema_version() SECURITY INVOKER",
    "DROP FUNCTION jobs.schema_version()",
    "GRANT EXECUTE ON FUNCTION jobs._setting(text) TO PUBLIC",
    "SET ROLE hub_owner",
    "SET ROLE hub_migrator",
    "SET SESSION AUTHORIZATION hub_owner",
    "ALTER ROLE hub_owner LOGIN",
    "ALTER ROLE hub_migrator PASSWORD 'x'",
    "ALTER ROLE {role} SUPERUSER",
    "ALTER ROLE {role} CONNECTION LIMIT -1",
    "CREATE ROLE mine",
    "GRANT hub_owner TO {role}",
    "ALTER DATABASE {database} SET search_path = public",
    "CREATE EXTENSION dblink",
    "CREATE PUBLICATION p",
    "COPY (SELECT 1) TO PROGRAM 'true'",
    "COPY (SELECT 1) TO '/tmp/x'",
    "SELECT pg_read_file('PG_VERSION')",
    "SELECT lo_import('/etc/passwd')",
    "SET session_replication_role = replica",
    "SELECT * FROM pg_authid",
    "DO $$ BEGIN DELETE FROM jobs_store.audit_event; END $$",
]


def refuse(connection: psycopg.Connection[Any], statement: sql.Composed) -> None:
    """Check that a statement is refused for want of a right, and not for anything else."""
    with pytest.raises((errors.InsufficientPrivilege, errors.InvalidSchemaName)) as refused:
        connection.execute(statement)
    # Who may not use a schema is told so; public has nothing of ours.
    assert isinstance(refused.value, errors.InsufficientPrivilege), refused.value


@every_role
def test_no_role_touches_a_table_in_any_way(database: Database, role: str) -> None:
    tables = database.as_superuser().execute(
        "SELECT n.nspname, c.relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace"
        " WHERE n.nspname IN ('hub_store', 'jobs_store', 'hub_meta') AND c.relkind = 'r'"
    )
    connection = database.as_role(role)
    found = tables.fetchall()
    assert len(found) > 12
    for schema, table in found:
        for statement in (
            "SELECT FROM {}",
            "INSERT INTO {} DEFAULT VALUES",
            "DELETE FROM {}",
            "TRUNCATE {}",
            "DO $$ BEGIN LOCK TABLE {} IN ACCESS SHARE MODE; END $$",
            "COPY {} TO STDOUT",
            "SELECT FROM {} FOR UPDATE",
        ):
            refuse(connection, sql.SQL(statement).format(sql.Identifier(schema, table)))


@every_role
def test_no_role_calls_a_function_of_another(database: Database, role: str) -> None:
    functions = database.as_superuser().execute(
        "SELECT n.nspname, p.proname, has_function_privilege(%s, p.oid, 'EXECUTE'),"
        " ARRAY(SELECT format_type(t.type, NULL) FROM unnest(p.proargtypes) AS t (type))"
        " FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace"
        " WHERE n.nspname IN ('hub', 'jobs') AND p.prorettype <> 'trigger'::regtype",
        [role],
    )
    connection = database.as_role(role)
    allowed = 0
    for schema, name, is_allowed, types in functions.fetchall():
        allowed += is_allowed
        if not is_allowed:
            arguments = sql.SQL(", ").join(sql.SQL(f"NULL::{one}") for one in types)
            refuse(connection, sql.SQL("SELECT {}({})").format(sql.Identifier(schema, name), arguments))
    assert 5 < allowed < 40


@every_role
@pytest.mark.parametrize("statement", FORBIDDEN)
def test_no_role_makes_or_changes_anything(
    role_connections: dict[str, Any], role: str, statement: str
) -> None:
    connection = role_connections[role]
    refuse(
        connection, sql.SQL(statement).format(role=sql.SQL(role), database=sql.SQL(connection.info.dbname))
    )


@every_role
def test_what_a_role_sets_for_itself_is_taken_back(database: Database, role: str) -> None:
    """A role may change its own defaults; the script of the roles undoes it, here and for the server."""
    query = (
        "SELECT setdatabase = 0, unnest(setconfig) FROM pg_db_role_setting WHERE setrole = %s::regrole"
        " AND setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))"
        " ORDER BY 1, 2"
    )
    owner, connection = database.as_superuser(), database.as_role(role)
    before = owner.execute(query, [role]).fetchall()
    try:
        for setting in ("statement_timeout = 0", "search_path = trap", "work_mem = '1GB'"):
            connection.execute(f"ALTER ROLE {role} SET {setting}".encode())
            connection.execute(f"ALTER ROLE {role} IN DATABASE {database.name} SET {setting}".encode())
        assert owner.execute(query, [role]).fetchall() != before
    finally:
        create_roles(database.url(SUPERUSER))
    assert owner.execute(query, [role]).fetchall() == before


def test_workers_leave_connections_to_the_others(database: Database) -> None:
    """However many jobs at a time a worker is told to run."""
    row = database.as_superuser().execute("SHOW max_connections").fetchone()
    assert row is not None
    opened: list[psycopg.Connection[Any]] = []
    try:
        # Some are open already.
        with suppress(psycopg.OperationalError):
            while len(opened) < int(row[0]) * 6 // 10:
                opened.append(psycopg.connect(database.url("hub_worker")))
        with pytest.raises(psycopg.OperationalError, match="too many connections for role"):
            psycopg.connect(database.url("hub_worker"))
        for role in ("hub_api", "hub_operator"):
            assert database.as_role(role).execute("SELECT 1").fetchone() == (1,)
    finally:
        for connection in opened:
            connection.close()


@every_role
def test_who_listens_hears_ids_that_mean_nothing_to_him(
    own_place: Place, role: str, database: Database
) -> None:
    hub = own_place.hub
    connection = database.as_role(role)
    for channel in CHANNELS:
        connection.execute(f"LISTEN {channel}".encode())
    course = hub.add_course(own_place.workspace, title="A secret")
    job = hub.add_job(own_place.administrator, own_place.workspace, course, "secret")
    hub.complete(job)
    heard = list(connection.notifies(timeout=5, stop_after=3))
    assert len(heard) >= 3
    for one in heard:
        assert re.fullmatch(r"[0-9a-f-]{36}", one.payload)
        assert UUID(one.payload) == job


def test_a_forged_notification_shows_nobody_anything(own_place: Place, database: Database) -> None:
    """It makes the feed read once more, through the function that knows who may see what."""
    hub = own_place.hub
    stranger = make_place(hub, own_place.api)
    foreign = hub.add_job(stranger.administrator, stranger.workspace, stranger.course)
    job = hub.add_job(own_place.administrator, own_place.workspace, own_place.course)
    forger = database.as_role("hub_worker")
    with streaming(own_place.client, f"{own_place.path}/jobs/{job}") as stream:
        first = stream.next()
        assert first is not None
        for payload in (job, foreign, uuid4(), "", "x" * 7000, "\u202e", '{"terminal": true}', "../" * 100):
            for channel in CHANNELS:
                forger.execute("SELECT pg_notify(%s, %s)", [channel, str(payload)])
        hub.complete(job)
        events = stream.rest()
        assert events[-1].name == "terminal"
        assert all(str(foreign) not in event.data for event in events)
        versions = [first.version, *(event.version for event in events)]
        assert versions == sorted(set(versions))


def test_a_flood_of_notifications_delays_no_event(own_place: Place, database: Database) -> None:
    hub = own_place.hub
    course = hub.add_course(own_place.workspace, pages=200)
    job = hub.add_job(own_place.administrator, own_place.workspace, course)
    lease = hub.claim(job)
    flooder = database.as_role("hub_operator")
    with streaming(own_place.client, f"{own_place.path}/jobs/{job}") as stream:
        first = stream.next()
        assert first is not None
        version, worst = first.version, 0.0
        for _ in range(5):
            flooder.execute(
                "SELECT count(pg_notify('knowledgehub_job', CASE WHEN n %% 100 = 0 THEN %s ELSE n::text END))"
                " FROM generate_series(1, 10000) AS n",
                [str(job)],
            )
            hub.advance(lease, 1)
            begun = time.monotonic()
            while version < hub.one("SELECT version FROM jobs_store.job WHERE id = %s", job):
                event = stream.next(5)
                assert event is not None
                version = event.version
            worst = max(worst, time.monotonic() - begun)
        assert worst < EVENT_SECONDS
    assert own_place.client.get("/readyz").status_code == 200


def test_a_process_whose_role_lost_its_limits_is_not_ready(
    own_hub: Hub, start_api: StartApi, database: Database
) -> None:
    own_hub.connection.execute(
        f"ALTER ROLE hub_api IN DATABASE {database.name} SET statement_timeout = 0".encode()
    )
    api = start_api(until="/healthz")
    problem = api.client(None).get("/readyz").json()
    assert "limits" in problem["failing"]
    assert "sql/roles.sql" in problem["detail"]
    create_roles(database.url(SUPERUSER))
    assert start_api().client(None).get("/readyz").status_code == 200


@pytest.fixture(scope="module")
def role_connections(server: Server, template: str) -> Iterator[dict[str, psycopg.Connection[Any]]]:
    """A connection of each role to one database, which nothing that these tests try can change."""
    database = Database(server, "hub_roles")
    server.create_database(database.name, template)
    create_roles(database.url(SUPERUSER))
    try:
        yield {role: database.as_role(role) for role in ROLES}
    finally:
        database.close()
        server.drop_database(database.name)
