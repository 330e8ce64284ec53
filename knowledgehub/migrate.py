"""Bring a database to the schema of this source tree: roles, numbered migrations, then every function.

Migrations are applied once each, by yoyo; functions are re-applied every time, all in one transaction.
"""

import random
import time
from collections.abc import Iterator
from contextlib import contextmanager
from glob import escape
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import psycopg
from psycopg import errors
from psycopg.conninfo import conninfo_to_dict
from yoyo import read_migrations
from yoyo.backends.core.postgresql import PostgresqlPsycopgBackend
from yoyo.connections import parse_uri
from yoyo.migrations import Migration, default_migration_table

SQL_DIR = Path(__file__).resolve().parent.parent / "sql"
OWNER = "hub_owner"

_SCHEMA = "hub_meta"  # of yoyo's own tables
_OLDEST_SERVER = 150000
_LOCK_KEY = 4_815_162_342
_LOCK_SECONDS = 600
_ROLE_ATTEMPTS = 50
_COLLISIONS = (errors.UniqueViolation, errors.DuplicateObject, errors.DeadlockDetected)


class MigrationError(Exception):
    """The database cannot be migrated; the message is one line, and names the file if one is at fault."""


def create_roles(url: str, script: Path = SQL_DIR / "roles.sql") -> None:
    """Create the roles and their rights on the database of ``url``, a superuser's or a CREATEROLE owner's.

    Idempotent, and safe while others do the same in other databases of the server: roles belong to the whole
    server, so concurrent runs collide, and a collision is tried again. Raises psycopg's errors.
    """
    text = script.read_text(encoding="utf-8")
    with psycopg.connect(url, autocommit=True) as connection:
        for attempt in range(1, _ROLE_ATTEMPTS + 1):
            try:
                connection.execute(text.encode())
            except psycopg.DatabaseError as error:
                collided = isinstance(error, _COLLISIONS) or "concurrently" in str(error)
                if not collided or attempt == _ROLE_ATTEMPTS:
                    raise
                time.sleep(random.uniform(0.01, 0.1))  # noqa: S311 (spreads the rivals, no secret)
            else:
                return


def migrate(owner_url: str, sql_dir: Path = SQL_DIR) -> list[str]:
    """Apply pending migrations and load all functions; return the ids of the migrations applied.

    ``owner_url`` is of a login role that is a member of ``hub_owner`` (``hub_migrator``) and must lead to the
    server itself, not to a pooler. Safe to run again, by several at once, and after one was killed: each
    migration commits together with its mark, and the functions all change or none does. Raises
    :class:`MigrationError`.
    """
    try:
        with _alone(owner_url) as connection:
            _check_database(connection)
            connection.execute(f"CREATE SCHEMA IF NOT EXISTS {_SCHEMA}")
            return _apply(owner_url, sql_dir)
    except psycopg.Error as error:
        reason = error.diag.message_primary or " ".join(str(error).split())
        raise MigrationError(": ".join([*getattr(error, "__notes__", []), reason])) from error


def load_functions(connection: psycopg.Connection[Any], functions: Path = SQL_DIR / "functions") -> None:
    """Run every file under ``functions`` in the order of their paths, in the transaction of ``connection``.

    An error carries the file's path, and the line where it is known, as a note.
    """
    for file in sorted(functions.rglob("*.sql")):
        text = file.read_text(encoding="utf-8")
        try:
            connection.execute(text.encode())
        except psycopg.Error as error:
            position = error.diag.statement_position
            line = f", line {text[: int(position) - 1].count(chr(10)) + 1}" if position else ""
            error.add_note(f"{file.relative_to(functions.parent.parent)}{line}")
            raise


def _apply(owner_url: str, sql_dir: Path) -> list[str]:
    with _Backend(parse_uri(_yoyo_url(owner_url)), default_migration_table) as backend:
        backend.init_database()
        backend.break_lock()  # a row of one that was killed: whoever is here is alone
        with backend.lock():
            migrations = read_migrations(escape(str(sql_dir / "migrations")))
            pending = backend.to_apply(migrations)
            backend.apply_migrations_only(pending)
            backend.run_post_apply(migrations)
            return [migration.id for migration in pending]


class _Backend(PostgresqlPsycopgBackend):  # type: ignore[misc]  # yoyo has no types
    """yoyo's backend, but a migration and its mark commit together: nothing is applied twice after a kill."""

    def apply_one(self, migration: Migration, force: bool = False, mark: bool = True) -> None:
        self.ensure_internal_schema_updated()
        try:
            with self.transaction():
                migration.process_steps(self, "apply", force=force)
                if mark:
                    self.mark_one(migration)
        except psycopg.Error as error:
            if mark:
                error.add_note(f"sql/migrations/{Path(migration.path).name}")
            raise


@contextmanager
def _alone(owner_url: str) -> Iterator[psycopg.Connection[Any]]:
    """Connect as the owner and hold this database's migration lock; wait at most ``_LOCK_SECONDS`` for it."""
    with psycopg.connect(**_owner_arguments(owner_url), autocommit=True) as connection:
        deadline = time.monotonic() + _LOCK_SECONDS
        # Tried again and again, not waited for: a waiting statement keeps a snapshot, and the other migrate
        # may have to wait until no older one is left.
        while not _scalar(connection, f"SELECT pg_try_advisory_lock({_LOCK_KEY})"):
            if time.monotonic() > deadline:
                raise MigrationError(
                    f"another migrate has held this database for {_LOCK_SECONDS} s:"
                    " find knowledgehub-migrate in pg_stat_activity, end it, and try again"
                )
            time.sleep(0.1)
        yield connection


def _check_database(connection: psycopg.Connection[Any]) -> None:
    name = connection.info.dbname
    if connection.info.server_version < _OLDEST_SERVER:
        version = connection.info.parameter_status("server_version")
        raise MigrationError(f"the server is PostgreSQL {version}: 15 is the oldest that works")
    remedy = "make another with CREATE DATABASE … TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8'"
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise MigrationError(f"database {name} has the encoding {encoding}, not UTF8: {remedy}")
    if _scalar(connection, "SELECT lower('ÀÉЖΣI')") != "àéжσi":  # noqa: RUF001 (Greek and Cyrillic on purpose)
        raise MigrationError(
            f"database {name} has a locale that does not lower-case every alphabet: {remedy}"
        )


def _scalar(connection: psycopg.Connection[Any], query: str) -> object:
    row = connection.execute(query.encode()).fetchone()
    return row[0] if row else None


def _owner_arguments(owner_url: str) -> dict[str, Any]:
    """Return connection arguments that make every statement the owner's, with no SET ROLE in migrations."""
    arguments = conninfo_to_dict(owner_url)
    given = arguments.get("options") or ""
    return arguments | {
        "options": f"{given} -c role={OWNER} -c search_path={_SCHEMA}".strip(),
        "application_name": "knowledgehub-migrate",
    }


def _yoyo_url(owner_url: str) -> str:
    # All as query arguments: only so can several hosts be named.
    return "postgresql+psycopg:///?" + urlencode(_owner_arguments(owner_url), quote_via=quote)
