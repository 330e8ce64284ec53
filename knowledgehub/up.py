"""Everything on one machine: the embedded server, the demo, and the API and the worker under supervision.

Files in the data directory: ``up.lock``, held while this runs, and ``up-children.lock``, which the API and
the worker inherit held: after a killed run it tells whether any of them is left, and which.
"""

import errno
import http.client
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import IO, TextIO

import psycopg
from setproctitle import setproctitle

from knowledgehub import demo, passwords
from knowledgehub.configuration import SOURCE_TREE, URL_VARIABLES, Configuration
from knowledgehub.demo import DemoError
from knowledgehub.embedded import EmbeddedError, EmbeddedServer
from knowledgehub.file_lock import try_lock
from knowledgehub.migrate import MigrationError, create_roles, migrate

_HOST = "127.0.0.1"
_RESTART_SECONDS = 1.0
_DEATHS = 5
_DEATHS_SECONDS = 60.0
_LAST_LINES = 10
_STOP_SECONDS = 10.0
_LEFTOVER_SECONDS = 10.0
_LOOK_SECONDS = 0.1
_SERVER_LOOK_SECONDS = 1.0
_READY_PROBE_SECONDS = 0.5
_READY_WARNING_SECONDS = 30.0


class UpError(Exception):
    """``up`` cannot start or go on; the message is one line that says what to do."""


@dataclass(frozen=True, slots=True)
class Ready:
    """What to tell once requests are answered: where, and with what to sign in."""

    address: str
    email: str
    password: str


def run(configuration: Configuration, environ: Mapping[str, str], tell: Callable[[Ready], None]) -> None:
    """Run everything until SIGTERM, SIGINT or SIGHUP; call ``tell`` once ``/readyz`` answers 200.

    Only the embedded server is used: database URLs in ``environ`` are ignored, with a word on stderr.
    Raises :class:`UpError`, ``EmbeddedError``, ``MigrationError``, ``DemoError`` and psycopg's errors; by
    then everything is stopped.
    """
    setproctitle("knowledgehub up")
    stop = _stop_on_signals()
    for name in URL_VARIABLES:
        if name in environ:
            _say(f"{name} is ignored: `up` always uses the PostgreSQL in {configuration.data_dir}")
    if configuration.demo_password is not None:
        problem = passwords.problem(configuration.demo_password)
        if problem is not None:
            raise UpError(f"DEMO_PASSWORD: {problem}")
    with _alone(configuration.data_dir) as children_lock:
        require_free_port(configuration.port)
        server = EmbeddedServer(configuration.data_dir)
        try:
            credentials = _prepare(configuration, server, stop)
            if credentials is not None:
                children = _children(configuration, environ, server, children_lock)
                ready = Ready(configuration.public_origin, credentials.email, credentials.password)
                _supervise(server, children, configuration.port, stop, lambda: tell(ready))
        except (EmbeddedError, MigrationError, DemoError, psycopg.Error):
            # Ctrl-C also reaches the programs that are making the database, and fails them.
            if not stop.is_set():
                raise
        finally:
            server.stop()


def _prepare(
    configuration: Configuration, server: EmbeddedServer, stop: threading.Event
) -> demo.Credentials | None:
    """Make the database and what is in it; return None if asked to stop meanwhile."""
    _say(f"starting PostgreSQL in {configuration.data_dir}")
    server.start()
    if stop.is_set():
        return None
    create_roles(server.superuser_url)
    migrate(server.url("hub_migrator"))
    if stop.is_set():
        return None
    return demo.ensure(server.url("hub_operator"), configuration.data_dir, configuration.demo_password)


def _children(
    configuration: Configuration, environ: Mapping[str, str], server: EmbeddedServer, lock: TextIO
) -> list["Child"]:
    shared = {name: value for name, value in environ.items() if name not in {*URL_VARIABLES, "DEMO_PASSWORD"}}
    # Absolute: the children run in the source tree, where they are found whatever is installed.
    shared |= {
        "DATA_DIR": str(configuration.data_dir),
        "KNOWLEDGEHUB_BACKUP_DIR": str(configuration.backup_dir or configuration.data_dir / "backups"),
    }
    return [
        Child("api", shared | {"KNOWLEDGEHUB_DATABASE_URL": server.url("hub_api")}, lock),
        Child("worker", shared | {"KNOWLEDGEHUB_WORKER_URL": server.url("hub_worker")}, lock),
    ]


def _supervise(
    server: EmbeddedServer,
    children: list["Child"],
    port: int,
    stop: threading.Event,
    tell: Callable[[], None],
) -> None:
    """Keep PostgreSQL and the children running until ``stop`` is set, then end the children."""
    begun = next_look = next_probe = time.monotonic()
    told = warned = False
    try:
        while not stop.wait(_LOOK_SECONDS):
            for child in children:
                child.tend()
            now = time.monotonic()
            if now >= next_look:
                next_look = now + _SERVER_LOOK_SECONDS
                if not server.is_running():
                    _say("PostgreSQL is gone: starting it again")
                    server.start()
            if told or now < next_probe:
                continue
            next_probe = now + _READY_PROBE_SECONDS
            answer = _ask_ready(port)
            if answer == "200":
                told = True
                tell()
            elif not warned and now - begun > _READY_WARNING_SECONDS:
                warned = True
                _say(f"not ready after {_READY_WARNING_SECONDS:.0f} s: /readyz answers {answer}; waiting on")
    finally:
        for child in children:
            child.ask_to_end()
        deadline = time.monotonic() + _STOP_SECONDS
        for child in children:
            child.end(deadline)


class Child:
    """``knowledgehub api`` or ``worker``, started again whenever it ends.

    It gets a session of its own, so that Ctrl-C reaches it only by way of :meth:`ask_to_end`.
    """

    def __init__(self, name: str, environ: dict[str, str], lock: TextIO) -> None:
        self._name = name
        self._environ = environ
        self._lock = lock
        self._process: subprocess.Popen[bytes] | None = None
        self._start_at = 0.0
        self._deaths: deque[float] = deque(maxlen=_DEATHS)
        self._last_lines: deque[bytes] = deque(maxlen=_LAST_LINES)

    def tend(self) -> None:
        """Start the process when it is time to. Raises :class:`UpError` after five deaths in a minute."""
        now = time.monotonic()
        if self._process is None:
            if now >= self._start_at:
                self._start()
        elif (status := self._process.poll()) is not None:
            self._process = None
            self._start_at = now + _RESTART_SECONDS
            self._deaths.append(now)
            if len(self._deaths) == _DEATHS and now - self._deaths[0] < _DEATHS_SECONDS:
                lines = b"".join(self._last_lines).decode(errors="replace").rstrip()
                _say(f"the last lines of the {self._name}:\n{lines}")
                raise UpError(
                    f"the {self._name} ended {_DEATHS} times within a minute: see its last lines above"
                )
            _say(f"the {self._name} {_how_it_ended(status)} and is started again")

    def ask_to_end(self) -> None:
        """Send SIGTERM."""
        if self._process is not None:
            self._process.terminate()

    def end(self, deadline: float) -> None:
        """Wait until the process has ended; at ``deadline`` kill it and all it started."""
        if self._process is None:
            return
        try:
            self._process.wait(max(0.0, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            _say(f"the {self._name} does not end and is killed")
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()

    def _start(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "knowledgehub", self._name, "--parent", str(os.getpid())],
            cwd=SOURCE_TREE,
            env=self._environ,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=(self._lock.fileno(),),
            start_new_session=True,
        )
        threading.Thread(target=self._pass_on, args=(self._process.stdout,), daemon=True).start()

    def _pass_on(self, output: IO[bytes]) -> None:
        for line in output:
            self._last_lines.append(line)
            with suppress(OSError):  # nobody reads: the child is not to be held up by that
                sys.stderr.buffer.write(line)
                sys.stderr.buffer.flush()


def _how_it_ended(status: int) -> str:
    return f"was ended by {signal.Signals(-status).name}" if status < 0 else f"ended with status {status}"


def _ask_ready(port: int) -> str:
    """Return the status that ``/readyz`` answers, or why there is none."""
    connection = http.client.HTTPConnection(_HOST, port, timeout=1)
    try:
        connection.request("GET", "/readyz")
        return str(connection.getresponse().status)
    except (OSError, http.client.HTTPException) as error:
        return f"not at all ({error})"
    finally:
        connection.close()


def _stop_on_signals() -> threading.Event:
    stop = threading.Event()

    def ask(_number: int, _frame: FrameType | None) -> None:
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, ask)
    return stop


def require_free_port(port: int) -> None:
    """Raise :class:`UpError` if nobody can listen on the port now."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((_HOST, port))
        except OSError as error:
            if error.errno == errno.EADDRINUSE:
                reason = "is in use: end what listens there, or"
            else:
                reason = f"cannot be used ({error.strerror}):"
            raise UpError(
                f"port {port} of {_HOST} {reason} choose another port, such as PORT={_another_port()}"
            ) from error


def _another_port() -> int:
    with socket.socket() as probe:
        probe.bind((_HOST, 0))
        return int(probe.getsockname()[1])


@contextmanager
def _alone(data_dir: Path) -> Iterator[TextIO]:
    """Be the only ``up`` of this data directory, and end children of an earlier one; give their lock."""
    try:
        data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        # "a+", for the file tells who holds it to whom finds it locked.
        lock = (data_dir / "up.lock").open("a+")
        children_lock = (data_dir / "up-children.lock").open("a")
    except OSError as error:
        raise UpError(
            f"cannot write to {data_dir} ({error.strerror}): set DATA_DIR to a folder of yours"
        ) from error
    with lock, children_lock:
        if not try_lock(lock):
            lock.seek(0)
            raise UpError(
                f"already running in {data_dir}, as process {lock.read().strip()}: end that one first"
            )
        lock.truncate(0)
        lock.write(f"{os.getpid()}\n")
        lock.flush()
        _end_leftovers(children_lock)
        yield children_lock


def _end_leftovers(lock: TextIO) -> None:
    """Wait until no child of an earlier run holds the lock: they end when it does, or else are killed."""
    deadline = time.monotonic() + _LEFTOVER_SECONDS
    killed = False
    while not try_lock(lock):
        if time.monotonic() > deadline:
            pids = _holders(Path(lock.name))
            if killed:
                raise UpError(f"processes of an earlier run do not end: kill {' '.join(map(str, pids))}")
            killed = True
            deadline = time.monotonic() + _LEFTOVER_SECONDS
            for pid in pids:
                _say(f"killing process {pid}, which an earlier run left behind")
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        time.sleep(_LOOK_SECONDS)


def _holders(path: Path) -> list[int]:
    """Return the other processes that have the file open."""
    found = []
    for process in Path("/proc").iterdir():
        if process.name.isdigit() and int(process.name) != os.getpid():
            with suppress(OSError):
                if any(descriptor.samefile(path) for descriptor in (process / "fd").iterdir()):
                    found.append(int(process.name))
    return found


def _say(text: str) -> None:
    with suppress(OSError):
        print(f"knowledgehub: {text}", file=sys.stderr, flush=True)  # noqa: T201 (speaks to whom runs it)
