"""An API process under test."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx

from knowledgehub.configuration import SOURCE_TREE, URL_VARIABLES
from tests.py.api.client import Client

START_SECONDS = 30


def free_port() -> int:
    """Return a port nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class ApiProcess:
    """A real `knowledgehub api` on a port of its own."""

    def __init__(self, log: Path, database_url: str, **environment: str) -> None:
        self._log = log
        self.port = free_port()
        self._clients: list[Client] = []
        self._environment = environment
        self.origin = environment.get("KNOWLEDGEHUB_PUBLIC_ORIGIN", f"http://127.0.0.1:{self.port}")
        inherited = {name: value for name, value in os.environ.items() if name not in URL_VARIABLES}
        with log.open("wb") as output:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "knowledgehub", "api"],
                cwd=SOURCE_TREE,
                stderr=output,
                env={
                    **inherited,
                    "KNOWLEDGEHUB_DATABASE_URL": database_url,
                    "PORT": str(self.port),
                    **environment,
                },
            )

    @property
    def backup_dir(self) -> Path:
        """The folder of archives."""
        return Path(self._environment["KNOWLEDGEHUB_BACKUP_DIR"])

    @property
    def address(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def pid(self) -> int:
        """The id of the master process."""
        return self._process.pid

    def client(self, token: str | None) -> Client:
        """Return the client of a session, or of nobody; `close_clients` ends it."""
        self._clients.append(self.new_client(token))
        return self._clients[-1]

    def new_client(self, token: str | None) -> Client:
        """Return a client that the caller closes."""
        return Client(self.address, self.origin, token)

    def close_clients(self) -> None:
        """Close the connections of all clients."""
        while self._clients:
            self._clients.pop().close()

    def wait_until(self, path: str) -> None:
        """Wait until a GET of the path answers 200."""
        deadline = time.monotonic() + START_SECONDS
        while True:
            assert self._process.poll() is None, self._log.read_text()
            try:
                if httpx.get(self.address + path, timeout=5).status_code == httpx.codes.OK:
                    return
            except httpx.TransportError:
                pass
            assert time.monotonic() < deadline, self._log.read_text()
            time.sleep(0.02)

    def terminate(self) -> None:
        """Send TERM."""
        self._process.send_signal(signal.SIGTERM)

    def wait(self, seconds: float) -> int:
        """Return the exit status; fail when it takes longer."""
        return self._process.wait(seconds)

    def log(self) -> list[dict[str, Any]]:
        """Return the log's lines; each must be a JSON object."""
        return [json.loads(line) for line in self._log.read_text().splitlines()]

    def log_text(self) -> str:
        """Return the log as it is."""
        return self._log.read_text()

    def kill(self) -> None:
        """End it, if it has not ended."""
        self.close_clients()
        if self._process.poll() is None:
            self.terminate()
            try:
                self.wait(5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self.wait(5)
