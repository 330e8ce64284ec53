"""Fixtures for the worker's tests: a scene in a fresh database, and worker processes on it."""

import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Protocol

import pytest

from tests.py.worker.process import COMMAND, WorkerProcess
from tests.py.worker.scene import Scene
from tests.server import Database

_PROBE = (sys.executable, "-m", "tests.py.worker.probe")
_SLOW = (sys.executable, "-m", "tests.py.worker.slow_backup", "worker")


class Workers(Protocol):
    """Starts a worker process with one slot; keyword arguments are further environment variables."""

    def __call__(
        self,
        *,
        url: str | None = None,
        probe: bool = False,
        backup_dir: Path | None = None,
        seconds_a_page: float = 0,
        **environment: str,
    ) -> WorkerProcess:
        """``probe``: with the handlers of ``tests.py.worker.probe``; ``seconds_a_page``: in slow backups."""


@pytest.fixture
def scene(database: Database) -> Scene:
    """A workspace with an administrator in a fresh database."""
    return Scene.build(database.as_superuser())


@pytest.fixture
def workers(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Workers]:
    """Starts worker processes, by default on the database of the test; those left are killed after it."""
    started: list[WorkerProcess] = []

    def start(
        *,
        url: str | None = None,
        probe: bool = False,
        backup_dir: Path | None = None,
        seconds_a_page: float = 0,
        **environment: str,
    ) -> WorkerProcess:
        if url is None:
            database: Database = request.getfixturevalue("database")
            url = database.url("hub_worker")
        environment = {"KNOWLEDGEHUB_WORKER_CONCURRENCY": "1", "PROBE_DIR": str(tmp_path), **environment}
        command = _PROBE if probe else COMMAND
        if backup_dir is not None:
            environment["KNOWLEDGEHUB_BACKUP_DIR"] = str(backup_dir)
        if seconds_a_page:
            command = _SLOW
            environment["SECONDS_A_PAGE"] = str(seconds_a_page)
        worker = WorkerProcess(tmp_path / f"worker-{len(started)}.log", url, command, environment)
        started.append(worker)
        return worker

    try:
        yield start
    finally:
        for worker in started:
            if worker.alive:
                worker.send(signal.SIGCONT)
                worker.kill()
