"""The PostgreSQL server of one test run, and databases on it."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from shlex import quote
from typing import Any

import psycopg
from psycopg import sql
from testing.postgresql import Postgresql

from knowledgehub.embedded import SUPERUSER, Account, choose_account, wheel_bin_dir

TEMPLATE = "hub_template"
VERSION = os.environ.get("KNOWLEDGEHUB_TEST_POSTGRES", "18")
"""18: the embedded server of the wheel; 15: Debian's."""

# Where `make test` unpacks Debian's packages: PostgreSQL 15, pgTAP, plpgsql_check, and what these need that
# this machine has not.
_DEBIAN = Path(sys.prefix) / "debian"
_BUILTIN_LOCALE = "--locale-provider=builtin --builtin-locale=C.UTF-8 --locale=C"
_BOOT_SECONDS = 60
_BOOT_ATTEMPTS = 3  # the free port that was found may be taken meanwhile
_SETTINGS = {
    "jit": "off",  # as in the embedded server, which has none
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "max_connections": "250",
    "shared_buffers": "64MB",
}


@dataclass(frozen=True)
class Server:
    """A running test server; every role may connect to it from this machine without a password."""

    port: int
    debian: Path
    """Debian's packages, where the server can read them."""

    def url(self, role: str, database: str) -> str:
        """Return the URL with which ``role`` connects to ``database``, over TCP."""
        return f"postgresql://{role}@127.0.0.1:{self.port}/{database}"

    def execute(self, statement: sql.Composed) -> None:
        """Run one statement as the superuser, outside any test database."""
        with psycopg.connect(self.url(SUPERUSER, "postgres"), autocommit=True) as connection:
            connection.execute(statement)

    def create_database(self, name: str, template: str) -> None:
        """Make ``name`` as a copy of ``template``."""
        statement = sql.SQL("CREATE DATABASE {} TEMPLATE {}")
        self.execute(statement.format(sql.Identifier(name), sql.Identifier(template)))

    def drop_database(self, name: str) -> None:
        """Drop ``name``, whoever is connected."""
        self.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name)))


@dataclass
class Database:
    """A test's own migrated database."""

    server: Server
    name: str
    _connections: list[psycopg.Connection[Any]] = field(default_factory=list)

    def url(self, role: str) -> str:
        """Return the URL with which ``role`` connects, for processes under test."""
        return self.server.url(role, self.name)

    def as_role(self, role: str) -> psycopg.Connection[Any]:
        """Return a new autocommit connection of ``role``; it is closed after the test."""
        connection: psycopg.Connection[Any] = psycopg.connect(self.url(role), autocommit=True)
        self._connections.append(connection)
        return connection

    def as_superuser(self) -> psycopg.Connection[Any]:
        """Return a new autocommit connection of the superuser; it is closed after the test."""
        return self.as_role(SUPERUSER)

    def close(self) -> None:
        """Close every connection made here."""
        for connection in self._connections:
            connection.close()


@contextmanager
def running_server() -> Iterator[Server]:
    """Run a server in a folder of its own for the block's length; it ends with this process in any case."""
    # Short, because a socket's path may have 107 bytes.
    base_dir = Path(tempfile.mkdtemp(prefix="kh-", dir="/tmp"))
    try:
        account, debian = _choose_programs(base_dir)
        for folder in ("data", "tmp"):
            (base_dir / folder).mkdir(mode=0o700)
            os.chown(base_dir / folder, account.uid, account.gid)
        postgresql = _boot(base_dir, account, debian)
        try:
            yield Server(postgresql.settings["port"], debian)
        finally:
            postgresql.stop()
    finally:
        shutil.rmtree(base_dir)


def _choose_programs(base_dir: Path) -> tuple[Account, Path]:
    """Return who runs which server, and where Debian's packages are for him."""
    if not (_DEBIAN / "usr").exists():
        raise RuntimeError(f"Debian's packages are not in {_DEBIAN}: run the tests with `make test`")
    account = choose_account(base_dir, wheel_bin_dir())
    debian = _DEBIAN
    if account.uid != os.geteuid():
        # This tree may be in a folder that only root can enter.
        debian = base_dir / "debian"
        shutil.copytree(_DEBIAN, debian, symlinks=True)
    if VERSION != "18":
        account = replace(account, bin_dir=debian / f"usr/lib/postgresql/{VERSION}/bin")
    return account, debian


def _boot(base_dir: Path, account: Account, debian: Path) -> Postgresql:
    locale = _BUILTIN_LOCALE if VERSION == "18" else "--locale=C.UTF-8"
    settings = " ".join(f"-c {name}={value}" for name, value in _SETTINGS.items())
    for attempt in range(1, _BOOT_ATTEMPTS + 1):
        try:
            return Postgresql(
                base_dir=str(base_dir),
                initdb=_wrapper(base_dir, account, debian, "initdb"),
                initdb_args=f"-U {SUPERUSER} -A trust --no-sync -E UTF8 {locale}",
                postgres=_wrapper(base_dir, account, debian, "postgres"),
                postgres_args=f"-h 127.0.0.1 {settings}",
                boot_timeout=_BOOT_SECONDS,
            )
        except RuntimeError:
            if attempt == _BOOT_ATTEMPTS:
                raise
    raise AssertionError


def _wrapper(base_dir: Path, account: Account, debian: Path, program: str) -> str:
    """Write a script that runs the program as its account; a killed test run takes the server with it."""
    with_parent = ("setpriv", "--pdeathsig=INT", "--", str(account.bin_dir / program))
    command = " ".join(map(quote, (*account.prefix, *with_parent)))
    libraries = ":".join(map(str, debian.glob("**/lib/*-linux-gnu"))) if VERSION != "18" else ""
    environment = f"LC_ALL=C LD_LIBRARY_PATH={quote(libraries)}"
    script = base_dir / program
    script.write_text(f'#!/bin/sh\n{environment} exec {command} "$@"\n')
    script.chmod(0o755)
    return str(script)
