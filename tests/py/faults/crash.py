"""A database server of a test's own that can crash and come back."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psycopg

from knowledgehub.embedded import SUPERUSER
from knowledgehub.migrate import create_roles, migrate
from tests.py.worker.scene import wait_until
from tests.server import Database, Server, running_server


class CrashingDatabase(Database):
    """A migrated database whose server ends as with ``pg_ctl stop -m immediate`` and is started again."""

    def __init__(self, server: Server) -> None:
        super().__init__(server, "hub_crash")
        server.create_database(self.name, "template0")
        create_roles(self.url(SUPERUSER))
        migrate(self.url("hub_migrator"))
        with psycopg.connect(self.url(SUPERUSER), autocommit=True) as connection:
            # What was committed has to be there afterwards; test servers are told not to care.
            connection.execute("ALTER DATABASE hub_crash SET synchronous_commit = on")
            row = connection.execute("SHOW data_directory").fetchone()
        assert row is not None
        self._folder = Path(row[0])
        self._pid = int((self._folder / "postmaster.pid").read_text().split()[0])
        # The arguments it was started with. The program beside the data is the script that starts it.
        arguments = Path(f"/proc/{self._pid}/cmdline").read_text().rstrip("\0").split("\0")
        self._command = [str(self._folder.parent / "postgres"), *arguments[1:]]
        self._process: subprocess.Popen[bytes] | None = None

    def crash(self) -> None:
        """End the server at once, without a checkpoint; return when it is gone."""
        os.kill(self._pid, signal.SIGQUIT)
        os.waitid(os.P_PID, self._pid, os.WEXITED | os.WNOWAIT)
        if self._process is not None:
            self._process.wait()

    def start(self) -> None:
        """Start the server again; return when it has recovered."""
        with (self._folder.parent / "again.log").open("wb") as log:
            self._process = subprocess.Popen(self._command, stdout=log, stderr=log)
        # Each program on the way to the server becomes the next one.
        self._pid = self._process.pid
        wait_until(self._answers, "the server is back", 60)

    def end(self) -> None:
        """End what was started again."""
        self.close()
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(30)

    def _answers(self) -> bool:
        with suppress(psycopg.OperationalError), psycopg.connect(self.url(SUPERUSER), connect_timeout=5):
            return True
        return False


@contextmanager
def crashing_database() -> Iterator[CrashingDatabase]:
    """Run a server with a migrated database for the block's length."""
    with running_server() as server:
        database = CrashingDatabase(server)
        try:
            yield database
        finally:
            database.end()
