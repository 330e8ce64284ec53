"""Roles, migrations, functions: run twice, by several at once, killed in the middle, with a broken file."""

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import count
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import sql

from knowledgehub import migrate as module
from knowledgehub.embedded import SUPERUSER
from knowledgehub.migrate import SQL_DIR, MigrationError, create_roles, migrate
from tests.server import Database, Server, running_server

WAIT_SECONDS = 60

_numbers = count(1)


@pytest.fixture
def blank(server: Server) -> Iterator[Database]:
    """An empty database on which only the roles have their rights."""
    database = Database(server, f"hub_blank_{next(_numbers)}")
    server.create_database(database.name, "template0")
    try:
        create_roles(database.url(SUPERUSER))
        yield database
    finally:
        database.close()
        server.drop_database(database.name)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """An sql folder with one table and two functions."""
    folder = tmp_path / "sql"
    (folder / "functions/jobs").mkdir(parents=True)
    (folder / "migrations").mkdir()
    shutil.copy(SQL_DIR / "migrations/post-apply.py", folder / "migrations")
    (folder / "migrations/0001_first.sql").write_text(
        "CREATE SCHEMA jobs; CREATE TABLE jobs.first (id integer);"
    )
    write_function(folder, "one", "SELECT 1")
    write_function(folder, "two", "SELECT 2")
    return folder


def write_function(folder: Path, name: str, body: str) -> None:
    text = f"CREATE OR REPLACE FUNCTION jobs.{name}() RETURNS integer LANGUAGE sql AS $$ {body} $$;\n"
    (folder / f"functions/jobs/{name}.sql").write_text(text)


def value(database: Database, query: str) -> Any:  # noqa: ANN401
    with psycopg.connect(database.url(SUPERUSER), autocommit=True) as connection:
        row = connection.execute(query.encode()).fetchone()
    assert row is not None
    return row[0]


def wait_until_not_null(database: Database, query: str) -> Any:  # noqa: ANN401
    deadline = time.monotonic() + WAIT_SECONDS
    while (found := value(database, query)) is None:
        assert time.monotonic() < deadline, f"still NULL after {WAIT_SECONDS} s: {query}"
        time.sleep(0.05)
    return found


def migrate_in_process(url: str, folder: Path = SQL_DIR) -> subprocess.Popen[str]:
    program = """
import sys
from pathlib import Path
from knowledgehub.migrate import migrate
print(migrate(sys.argv[1], Path(sys.argv[2])))
"""
    command = [sys.executable, "-c", program, url, str(folder)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def all_migrations() -> list[str]:
    return [file.stem for file in sorted((SQL_DIR / "migrations").glob("[0-9]*.sql"))]


def test_every_migration_is_applied_once_and_everything_belongs_to_the_owner(blank: Database) -> None:
    url = blank.url("hub_migrator")
    assert migrate(url) == all_migrations()
    assert migrate(url) == []
    owners = """
        SELECT array_agg(DISTINCT owner::regrole::text) FROM (
            SELECT relowner FROM pg_class WHERE relnamespace::regnamespace::text ~ '^(hub|jobs)(_|$)'
            UNION ALL
            SELECT proowner FROM pg_proc WHERE pronamespace::regnamespace::text ~ '^(hub|jobs)(_|$)'
            UNION ALL
            SELECT nspowner FROM pg_namespace WHERE nspname ~ '^(hub|jobs)(_|$)'
        ) AS owned (owner)"""
    assert value(blank, owners) == ["hub_owner"]


def test_several_at_once_apply_each_migration_once(blank: Database) -> None:
    rivals = [migrate_in_process(blank.url("hub_migrator")) for _ in range(3)]
    answers = [rival.communicate(timeout=WAIT_SECONDS) for rival in rivals]
    assert [errors for _, errors in answers] == ["", "", ""]
    assert sorted(out for out, _ in answers) == sorted(["[]\n", "[]\n", f"{all_migrations()}\n"])


def test_an_edited_function_is_loaded_when_no_migration_is_pending(blank: Database, small: Path) -> None:
    url = blank.url("hub_migrator")
    assert migrate(url, small) == ["0001_first"]
    write_function(small, "one", "SELECT 11")
    assert migrate(url, small) == []
    assert value(blank, "SELECT jobs.one()") == 11


def test_a_broken_function_file_is_named_and_nothing_is_replaced(blank: Database, small: Path) -> None:
    url = blank.url("hub_migrator")
    migrate(url, small)
    write_function(small, "one", "SELECT 11")
    write_function(small, "two", "SELECT 22\n FROM nowhere")
    with pytest.raises(MigrationError) as caught:
        migrate(url, small)
    assert str(caught.value) == 'sql/functions/jobs/two.sql, line 2: relation "nowhere" does not exist'
    assert value(blank, "SELECT jobs.one()") == 1

    write_function(small, "two", "SELECT 22")
    assert migrate(url, small) == []
    assert value(blank, "SELECT jobs.one() + jobs.two()") == 33


def test_a_broken_migration_is_named_and_leaves_nothing_behind(blank: Database, small: Path) -> None:
    broken = small / "migrations/0002_second.sql"
    broken.write_text("CREATE TABLE jobs.second (id integer); ALTER TABLE jobs.second ADD missing no_type;")
    with pytest.raises(
        MigrationError, match=r'^sql/migrations/0002_second.sql: type "no_type" does not exist$'
    ):
        migrate(blank.url("hub_migrator"), small)
    assert value(blank, "SELECT to_regclass('jobs.second')") is None

    broken.write_text("CREATE TABLE jobs.second (id integer);")
    assert migrate(blank.url("hub_migrator"), small) == ["0002_second"]


def test_a_migrate_killed_in_the_middle_is_done_again(blank: Database, small: Path) -> None:
    second = small / "migrations/0002_second.sql"
    second.write_text("CREATE TABLE jobs.second (id integer);\nDO $$ BEGIN PERFORM pg_sleep(600); END $$;")
    killed = migrate_in_process(blank.url("hub_migrator"), small)
    asleep = (
        "SELECT max(pid) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname = current_database()"
    )
    pid = wait_until_not_null(blank, asleep)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    value(blank, f"SELECT pg_terminate_backend({pid}, 10000)")  # the server would find out in ten minutes

    second.write_text("CREATE TABLE jobs.second (id integer);")
    started = time.monotonic()
    assert migrate(blank.url("hub_migrator"), small) == ["0002_second"]
    assert time.monotonic() - started < 5, "it waited for the lock of the dead"


def test_a_migration_and_its_mark_commit_together(
    blank: Database, small: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a kill between the two would leave a migration that is applied again, and fails for ever."""

    def die(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(module._Backend, "mark_one", die)  # noqa: SLF001
        with pytest.raises(KeyboardInterrupt):
            migrate(blank.url("hub_migrator"), small)
    assert value(blank, "SELECT to_regnamespace('jobs')") is None
    assert migrate(blank.url("hub_migrator"), small) == ["0001_first"]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (
            "ENCODING 'SQL_ASCII' LOCALE 'C'",
            "has the encoding SQL_ASCII, not UTF8: make another with CREATE DATABASE",
        ),
        (
            "ENCODING 'UTF8' LOCALE 'C'",
            "does not lower-case every alphabet: make another with CREATE DATABASE",
        ),
    ],
)
def test_a_database_that_cannot_hold_the_texts_is_refused(server: Server, options: str, reason: str) -> None:
    database = Database(server, f"hub_blank_{next(_numbers)}")
    create = "CREATE DATABASE {} TEMPLATE template0 LOCALE_PROVIDER libc " + options
    server.execute(sql.SQL(create).format(sql.Identifier(database.name)))
    try:
        create_roles(database.url(SUPERUSER))
        with pytest.raises(MigrationError, match=reason):
            migrate(database.url("hub_migrator"))
        assert value(database, "SELECT to_regnamespace('hub_meta')") is None
    finally:
        database.close()
        server.drop_database(database.name)


def test_options_in_the_owners_url_are_kept(blank: Database, small: Path) -> None:
    limited = blank.url("hub_migrator") + "?options=-c%20statement_timeout%3D50ms"
    (small / "migrations/0002_second.sql").write_text("DO $$ BEGIN PERFORM pg_sleep(30); END $$;")
    with pytest.raises(MigrationError, match="statement timeout"):
        migrate(limited, small)


@pytest.mark.parametrize(
    "script",
    [
        "ALTER ROLE hub_api SET lock_timeout = '1s'",
        """
        DO $$ BEGIN
            IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'hub_scratch') THEN
                CREATE ROLE hub_scratch;
            END IF;
        END $$""",
    ],
)
def test_roles_created_at_the_same_time_elsewhere_on_the_server_are_no_obstacle(
    blank: Database, database: Database, tmp_path: Path, script: str
) -> None:
    """Roles belong to the whole server: the second writer of the same row gets an error, and tries again."""
    file = tmp_path / "roles.sql"
    file.write_text(script)
    waiting = "SELECT max(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
    with psycopg.connect(blank.url(SUPERUSER)) as first, ThreadPoolExecutor() as threads:
        first.execute(script.encode())
        second = threads.submit(create_roles, database.url(SUPERUSER), file)
        wait_until_not_null(blank, waiting)
        first.commit()
        second.result(WAIT_SECONDS)
    database.as_superuser().execute("DROP ROLE IF EXISTS hub_scratch")


def test_an_owner_of_the_database_who_may_create_roles_needs_no_superuser() -> None:
    with running_server() as server:
        server.execute(sql.SQL("CREATE ROLE dba LOGIN CREATEROLE").format())
        server.execute(sql.SQL("CREATE DATABASE knowledge TEMPLATE template0 OWNER dba").format())
        create_roles(server.url("dba", "knowledge"))
        create_roles(server.url("dba", "knowledge"))
        assert migrate(server.url("hub_migrator", "knowledge")) == all_migrations()
