"""A worker process under test, and what it logs."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.py.worker.scene import wait_until

_ROOT = Path(__file__).parents[3]
COMMAND = (sys.executable, "-m", "knowledgehub", "worker")


class WorkerProcess:
    """A running worker. Its log is read from a file, so that it never waits for a reader."""

    def __init__(self, log: Path, url: str, command: tuple[str, ...], environment: dict[str, str]) -> None:
        self._log = log
        others = {name: value for name, value in os.environ.items() if not name.startswith("KNOWLEDGEHUB_")}
        with log.open("wb") as stderr:
            self._process = subprocess.Popen(
                command,
                cwd=_ROOT,
                env={**others, "KNOWLEDGEHUB_WORKER_URL": url, **environment},
                stdin=subprocess.DEVNULL,
                stderr=stderr,
            )

    @property
    def pid(self) -> int:
        """The process id."""
        return self._process.pid

    @property
    def alive(self) -> bool:
        """Whether the process runs."""
        return self._process.poll() is None

    def send(self, number: signal.Signals) -> None:
        """Send a signal."""
        self._process.send_signal(number)

    def kill(self) -> None:
        """End the process with SIGKILL and wait until it is gone."""
        self._process.kill()
        self._process.wait()

    def wait(self, seconds: float) -> int:
        """Wait for the end of the process; return its exit status."""
        return self._process.wait(seconds)

    def log_text(self) -> str:
        """Return everything logged so far."""
        return self._log.read_text()

    def lines(self, event: str) -> list[dict[str, Any]]:
        """Return the log lines of an event."""
        complete = self.log_text().rpartition("\n")[0].splitlines()
        return [line for line in map(json.loads, complete) if line["event"] == event]

    def wait_for(self, event: str, times: int = 1, seconds: float = 30) -> dict[str, Any]:
        """Wait until an event was logged so many times; return the last line of it."""

        def logged() -> bool:
            assert self.alive or len(self.lines(event)) >= times, f"the worker ended:\n{self.log_text()}"
            return len(self.lines(event)) >= times

        wait_until(logged, f"the worker logs {event!r} {times} time(s)", seconds)
        return self.lines(event)[-1]
