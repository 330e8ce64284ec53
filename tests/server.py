"""The PostgreSQL server of one test run, and databases on it."""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from shlex import quote
from typing import Any

import psycopg
from psycopg import sql
from testing.postgresql import Postgresql

from knowledgehub.embedded import SUPERUSER, Account, choose_account, wheel_bin_dir

TEMPLATE = "hub_template"
VERSION = os.environ.get("KNOWLEDGEHUB_TEST_POSTGRES", "18")

# `make test` unpacks Debian's packages here; where they are installed, the system's folder serves as well.
_UNPACKED = Path(sys.prefix) / "debian"
_BUILTIN_LOCALE = "--locale-provider=builtin --builtin-locale=C.UTF-8 --locale=C"
_BOOT_SECONDS = 60
_BOOT_ATTEMPTS = 3  # the free port that was found may be taken meanwhile
_SETTINGS = {
    "fsync": "off",
    "full_page_writes": "off",
    "synchronous_commit": "off",
    "max_connections": "200",
    "shared_buffers": "64MB",
}


@dataclass(frozen=True)
class Server:
    """A running test server; every role may connect to it from this machine without a password."""

    port: int

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


def pgtap_share_dir() -> Path:
    """Return the share directory of Debian's PostgreSQL 15 in which pgTAP lies."""
    candidates = [root / "usr/share/postgresql/15" for root in (_UNPACKED, Path("/"))]
    for candidate in candidates:
        if (candidate / "extension" / "pgtap.control").exists():
            return candidate
    raise RuntimeError(f"pgTAP is not in {' or '.join(map(str, candidates))}: run the tests with `make test`")


def _bin_dir() -> Path:
    if VERSION == "18":
        return wheel_bin_dir()
    candidates = [root / f"usr/lib/postgresql/{VERSION}/bin" for root in (_UNPACKED, Path("/"))]
    for candidate in candidates:
        if (candidate / "postgres").exists():
            return candidate
    raise RuntimeError(
        f"KNOWLEDGEHUB_TEST_POSTGRES is {VERSION}, but no server is in {' or '.join(map(str, candidates))}"
    )


@contextmanager
def running_server() -> Iterator[Server]:
    """Run a server in a folder of its own for the block's length; it ends with this process in any case."""
    # Short, because a socket's path may have 107 bytes.
    base_dir = Path(tempfile.mkdtemp(prefix="kh-", dir="/tmp"))
    try:
        account = choose_account(base_dir, _bin_dir())
        for folder in ("data", "tmp"):
            (base_dir / folder).mkdir(mode=0o700)
            os.chown(base_dir / folder, account.uid, account.gid)
        postgresql = _boot(base_dir, account)
        try:
            yield Server(postgresql.settings["port"])
        finally:
            postgresql.stop()
    finally:
        shutil.rmtree(base_dir)


def _boot(base_dir: Path, account: Account) -> Postgresql:
    locale = _BUILTIN_LOCALE if VERSION == "18" else "--locale=C.UTF-8"
    settings = " ".join(f"-c {name}={value}" for name, value in _SETTINGS.items())
    for attempt in range(1, _BOOT_ATTEMPTS + 1):
        try:
            return Postgresql(
                base_dir=str(base_dir),
                initdb=_wrapper(base_dir, account, "initdb"),
                initdb_args=f"-U {SUPERUSER} -A trust --no-sync -E UTF8 {locale}",
                postgres=_wrapper(base_dir, account, "postgres"),
                postgres_args=f"-h 127.0.0.1 {settings}",
                boot_timeout=_BOOT_SECONDS,
            )
        except RuntimeError:
            if attempt == _BOOT_ATTEMPTS:
                raise
    raise AssertionError


def _wrapper(base_dir: Path, account: Account, program: str) -> str:
    """Write a script that runs the program as its account; a killed test run takes the server with it."""
    with_parent = ("setpriv", "--pdeathsig=INT", "--", str(account.bin_dir / program))
    command = " ".join(map(quote, (*account.prefix, *with_parent)))
    script = base_dir / program
    script.write_text(f'#!/bin/sh\nLC_ALL=C exec {command} "$@"\n')
    script.chmod(0o755)
    return str(script)
