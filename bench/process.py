"""The processes that work on a hub, and what the system tells of them."""

import os
import re
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from knowledgehub.configuration import URL_VARIABLES

WAIT_SECONDS = 300


class Api(NamedTuple):
    """A running API: its port, the process that serves, and the one that watches over it."""

    port: int
    worker: int
    master: int


class Command(NamedTuple):
    """A command that has ended well: how long it took, and the most memory it had, in MB."""

    seconds: float
    peak_megabytes: float


@contextmanager
def running_worker(url: str, slots: int, **environment: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a worker process that is ready when the block begins."""
    environment |= {"KNOWLEDGEHUB_WORKER_URL": url, "KNOWLEDGEHUB_WORKER_CONCURRENCY": str(slots)}
    with _running("worker", **environment) as (process, log):
        wait_for(lambda: "worker ready" in log.read_text(encoding="utf-8"), "the worker to start")
        yield process


@contextmanager
def running_api(url: str) -> Iterator[Api]:
    """Run an API process that is ready when the block begins."""
    port = _free_port()
    with _running("api", KNOWLEDGEHUB_DATABASE_URL=url, PORT=str(port)) as (process, _):
        wait_for(lambda: _answers(port), "the API to start")
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text(encoding="ascii")
        yield Api(port, int(children.split()[0]), process.pid)


def run_command(url: str, *arguments: str) -> Command:
    """Run a command of the operator's to its end; RuntimeError if it fails."""
    begun = time.monotonic()
    peak = 0.0
    with _running(*arguments, KNOWLEDGEHUB_OPERATOR_URL=url) as (process, log):
        while process.poll() is None:
            # Not asked of the system afterwards: there it counts what this process had when it forked.
            with suppress(RuntimeError):  # over since
                peak = peak_megabytes(process.pid)
            time.sleep(0.01)
        seconds = time.monotonic() - begun
        if process.returncode:
            raise RuntimeError(f"{' '.join(arguments)}: {log.read_text(encoding='utf-8')}")
    return Command(seconds, peak)


def wait_for(condition: Callable[[], bool], what: str) -> None:
    """Wait until the condition holds; TimeoutError, with ``what`` was waited for, if it never does."""
    deadline = time.monotonic() + WAIT_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {WAIT_SECONDS} s for {what}")
        time.sleep(0.02)


def peak_megabytes(pid: int) -> float:
    """Return the most memory a process has had, in MB."""
    return _status(pid, "VmHWM")


def megabytes(pid: int) -> float:
    """Return the memory a process has, in MB."""
    return _status(pid, "VmRSS")


def cpu_seconds(pid: int) -> float:
    """Return the processor time a process has used."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


@contextmanager
def _running(*arguments: str, **environment: str) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """Run a command; its log is a file, for whoever writes to a pipe that nobody reads stands still."""
    inherited = {key: value for key, value in os.environ.items() if key not in URL_VARIABLES}
    command = [sys.executable, "-m", "knowledgehub", *arguments]
    with (
        tempfile.NamedTemporaryFile() as log,
        subprocess.Popen(
            command, env=inherited | environment, stdout=subprocess.DEVNULL, stderr=log
        ) as process,
    ):
        try:
            yield process, Path(log.name)
        finally:
            process.terminate()


def _status(pid: int, name: str) -> float:
    found = re.search(rf"{name}:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text(encoding="ascii"))
    if found is None:
        raise RuntimeError("this system does not tell a process's memory")
    return int(found[1]) / 1024


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/readyz", timeout=5):
            return True
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return False
