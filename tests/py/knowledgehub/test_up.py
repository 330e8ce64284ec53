"""``up`` as people run it: in a folder with spaces, killed in every way, started again."""

import http.client
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from knowledgehub.configuration import SOURCE_TREE
from knowledgehub.demo import SAMPLE_COURSE
from knowledgehub.embedded import EmbeddedServer
from knowledgehub.up import UpError, require_free_port

SECONDS = 60
"""How long anything may take here."""


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(what: str, condition: Callable[[], bool]) -> None:
    """Wait until the condition holds."""
    deadline = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"waited {SECONDS} s for: {what}"
        time.sleep(0.05)


def is_alive(pid: int) -> bool:
    """Tell whether a process runs; a zombie does not."""
    try:
        return (Path("/proc") / str(pid) / "stat").read_text().rpartition(") ")[2][0] != "Z"
    except FileNotFoundError:
        return False


class Home:
    """A data directory, and the processes that run in it."""

    def __init__(self, data_dir: Path) -> None:
        self.data_dir = data_dir
        self.port = free_port()
        self.server = EmbeddedServer(data_dir)
        self._started: list[subprocess.Popen[str]] = []

    def start(self, command: str = "up", **variables: str) -> subprocess.Popen[str]:
        """Start ``up`` or another command that serves."""
        kept = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
        with self.log.open("w") as log:
            process = subprocess.Popen(
                [sys.executable, "-m", "knowledgehub", command, "--json"],
                cwd=SOURCE_TREE,
                env=kept | {"DATA_DIR": str(self.data_dir), "PORT": str(self.port)} | variables,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                start_new_session=True,
            )
        self._started.append(process)
        return process

    def start_ready(self, **variables: str) -> tuple[subprocess.Popen[str], dict[str, Any]]:
        """Start ``up`` and return what it printed when it was ready."""
        process = self.start(**variables)
        assert process.stdout is not None
        printed, _, _ = select.select([process.stdout], [], [], SECONDS)
        line = process.stdout.readline() if printed else ""
        assert line, self.log.read_text()
        return process, json.loads(line)

    @property
    def log(self) -> Path:
        """What the last ``up`` wrote to stderr."""
        return self.data_dir.parent / "up.log"

    def processes(self, title: str = "") -> list[int]:
        """Return the processes of this data directory with the title, or all but PostgreSQL's."""
        found = []
        for process in Path("/proc").glob("[0-9]*"):
            try:
                command = (process / "cmdline").read_bytes().rstrip(b"\0").decode()
                # Each holds one of the directory's locks.
                files = [descriptor.readlink() for descriptor in (process / "fd").iterdir()]
            except OSError:
                continue
            is_ours = any(file.parent == self.data_dir for file in files) and "postgres" not in command
            if is_ours and title in {"", command}:
                found.append(int(process.name))
        return found

    def child(self, name: str) -> int:
        """Return the process that ``up`` started: of the API's, the first."""
        pids = self.processes(f"knowledgehub {name}")
        return min(pids) if pids else 0

    def get(self, path: str) -> int:
        """Return the status that the API answers."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        try:
            connection.request("GET", path)
            return connection.getresponse().status
        except OSError:
            return 0
        finally:
            connection.close()

    def sign_in(self, credentials: dict[str, Any]) -> int:
        """Return the status of a sign-in."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        try:
            body = json.dumps({"email": credentials["email"], "password": credentials["password"]})
            headers = {"Content-Type": "application/json", "X-CSRF-Token": "login"}
            connection.request("POST", "/api/session", body, headers)
            return connection.getresponse().status
        finally:
            connection.close()

    def query(self, query: str) -> list[tuple[Any, ...]]:
        """Ask the embedded server."""
        with psycopg.connect(self.server.superuser_url) as connection:
            return connection.execute(query.encode()).fetchall()

    def stop(self, process: subprocess.Popen[str], number: signal.Signals = signal.SIGTERM) -> None:
        """End ``up`` in the polite way, and see that nothing is left."""
        process.send_signal(number)
        assert process.wait(SECONDS) == 0, self.log.read_text()
        assert self.processes() == []
        assert not self.server.is_running()

    def clean_up(self) -> None:
        """Leave nothing behind, whatever happened."""
        for process in self._started:
            process.kill()
            process.wait()
            if process.stdout is not None:
                process.stdout.close()
        for pid in self.processes():
            os.kill(pid, signal.SIGKILL)
        self.server.stop()
        shutil.rmtree(self.data_dir.parent)


@pytest.fixture
def home() -> Iterator[Home]:
    """A data directory that is not there yet, with spaces in its path."""
    home = Home(Path(tempfile.mkdtemp(prefix="kh up ")) / "da ta")
    try:
        yield home
    finally:
        home.clean_up()


def test_it_serves_a_demo_and_leaves_nothing_behind_but_data(home: Home) -> None:
    process, ready = home.start_ready()
    assert ready["address"] == f"http://127.0.0.1:{home.port}"
    assert home.get("/readyz") == 200
    assert home.sign_in(ready) == 200
    assert len(home.processes("knowledgehub up")) == 1
    assert home.processes("knowledgehub worker") != []
    assert home.data_dir.stat().st_mode & 0o777 == 0o700
    kept = home.data_dir / "demo.json"
    assert json.loads(kept.read_text()) == {"email": ready["email"], "password": ready["password"]}
    assert kept.stat().st_mode & 0o777 == 0o600
    pages = len(list(SAMPLE_COURSE.rglob("*.md")))
    contents = (
        "SELECT w.title, m.role, m.enabled, (SELECT count(*) FROM hub_store.page) FROM hub_store.workspace w"
        " JOIN hub_store.membership m ON m.workspace_id = w.id"
    )
    assert home.query(contents) == [("Demo", "administrator", True, pages)]
    home.stop(process)

    process, again = home.start_ready()
    assert again == ready
    assert home.query(contents) == [("Demo", "administrator", True, pages)]
    assert home.sign_in(ready) == 200
    home.stop(process, signal.SIGINT)

    process, given = home.start_ready(DEMO_PASSWORD="a given password")
    assert given["password"] == "a given password"
    assert home.sign_in(given) == 200
    assert home.sign_in(ready) == 401
    home.stop(process, signal.SIGHUP)
    # Where its worker keeps backups.
    assert (home.data_dir / "backups").stat().st_mode & 0o777 == 0o700

    process, kept_password = home.start_ready()
    assert kept_password == given
    assert home.sign_in(given) == 200
    home.stop(process)


def test_a_killed_child_is_started_again(home: Home) -> None:
    process, _ = home.start_ready()
    worker, api = home.child("worker"), home.child("api")
    os.kill(worker, signal.SIGKILL)
    os.kill(api, signal.SIGKILL)
    wait_for("another worker", lambda: home.child("worker") not in {0, worker})
    wait_for("another API", lambda: not is_alive(api) and home.get("/readyz") == 200)
    assert "worker was ended by SIGKILL and is started again" in home.log.read_text()
    assert "api was ended by SIGKILL and is started again" in home.log.read_text()
    home.stop(process)


def test_a_killed_database_is_started_again(home: Home) -> None:
    process, _ = home.start_ready()
    started_at = home.query("SELECT pg_postmaster_start_time()")
    postmaster = int((home.data_dir / "postgres" / "postmaster.pid").read_text().splitlines()[0])
    os.kill(postmaster, signal.SIGKILL)
    wait_for("the API to be ready again", lambda: not is_alive(postmaster) and home.get("/readyz") == 200)
    assert home.query("SELECT pg_postmaster_start_time()") > started_at
    assert "PostgreSQL is gone: starting it again" in home.log.read_text()
    home.stop(process)


def test_five_deaths_in_a_minute_end_it_with_the_last_lines(home: Home) -> None:
    process, _ = home.start_ready()
    killed: set[int] = set()
    while process.poll() is None:
        worker = home.child("worker")
        if worker and worker not in killed:
            killed.add(worker)
            assert len(killed) <= 5
            os.kill(worker, signal.SIGKILL)
        time.sleep(0.02)
    assert process.returncode == 1
    assert len(killed) == 5
    log = home.log.read_text()
    assert "the last lines of the worker:\n{" in log
    assert log.endswith("knowledgehub: the worker ended 5 times within a minute: see its last lines above\n")
    assert home.processes() == []
    assert not home.server.is_running()


def test_after_a_kill_only_the_database_is_left_and_the_next_start_joins_it(home: Home) -> None:
    process, ready = home.start_ready()
    started_at = home.query("SELECT pg_postmaster_start_time()")
    process.kill()
    second, again = home.start_ready()
    assert process.wait() == -signal.SIGKILL
    assert again == ready
    assert home.query("SELECT pg_postmaster_start_time()") == started_at
    assert len(home.processes("knowledgehub worker")) == 1
    assert home.sign_in(ready) == 200

    second.kill()
    second.wait()
    wait_for("the children's end", lambda: home.processes() == [])
    assert home.server.is_running()

    third, _ = home.start_ready()
    home.stop(third)


def test_a_child_that_outlives_a_killed_run_is_replaced(home: Home) -> None:
    process, _ = home.start_ready()
    worker, api = home.child("worker"), home.child("api")
    os.kill(worker, signal.SIGSTOP)
    os.kill(api, signal.SIGSTOP)
    process.kill()
    process.wait()
    assert is_alive(worker)
    second, _ = home.start_ready()
    assert not is_alive(worker)
    assert not is_alive(api)
    assert f"killing process {worker}, which an earlier run left behind" in home.log.read_text()
    home.stop(second)


def test_a_child_that_does_not_end_is_killed(home: Home) -> None:
    process, _ = home.start_ready()
    os.kill(home.child("worker"), signal.SIGSTOP)
    home.stop(process)
    assert "the worker does not end and is killed" in home.log.read_text()


def test_a_second_one_in_the_same_folder_is_refused(home: Home) -> None:
    process, _ = home.start_ready()
    first_log = home.log.read_text()
    second = home.start(PORT=str(free_port()))
    assert second.wait(SECONDS) == 1
    assert home.log.read_text() == (
        f"knowledgehub: already running in {home.data_dir}, as process {process.pid}: end that one first\n"
    )
    assert "already running" not in first_log
    assert home.get("/readyz") == 200
    home.stop(process)


def test_a_port_in_use_is_one_line_that_names_another(home: Home) -> None:
    with socket.create_server(("127.0.0.1", home.port)):
        process = home.start()
        assert process.wait(SECONDS) == 1
    log = home.log.read_text()
    assert log.startswith(f"knowledgehub: port {home.port} of 127.0.0.1 is in use")
    assert "such as PORT=" in log
    assert log.count("\n") == 1
    assert not home.server.is_running()


def test_a_forbidden_port_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Root may listen on every port: the system's answer is made up."""
    bind = socket.socket.bind

    def refuse(probe: socket.socket, address: tuple[str, int]) -> None:
        if address[1] == 80:
            raise PermissionError(13, "Permission denied")
        bind(probe, address)

    monkeypatch.setattr(socket.socket, "bind", refuse)
    reason = (
        r"80 of 127\.0\.0\.1 cannot be used \(Permission denied\): choose another port, such as PORT=\d+$"
    )
    with pytest.raises(UpError, match=reason):
        require_free_port(80)


def test_a_stop_while_it_starts_leaves_nothing_running(home: Home) -> None:
    process = home.start()
    wait_for("the cluster", (home.data_dir / "postgres.new").exists)
    home.stop(process)


def test_ctrl_c_while_it_starts_fails_what_makes_the_database_and_no_more(home: Home) -> None:
    process = home.start()
    wait_for("the cluster", (home.data_dir / "postgres.new").exists)
    os.killpg(process.pid, signal.SIGINT)
    assert process.wait(SECONDS) == 0, home.log.read_text()
    assert home.processes() == []
    assert not home.server.is_running()


def test_database_urls_are_ignored_and_it_says_so(home: Home) -> None:
    url = "postgresql://nobody@127.0.0.1:1/nothing"
    names = ("KNOWLEDGEHUB_DATABASE_URL", "KNOWLEDGEHUB_WORKER_URL", "KNOWLEDGEHUB_LISTEN_URL")
    process, _ = home.start_ready(**dict.fromkeys(names, url))
    for name in names:
        assert f"{name} is ignored" in home.log.read_text()
    home.stop(process)


@pytest.mark.parametrize(
    ("variables", "reason"),
    [
        ({"DEMO_PASSWORD": "short"}, "DEMO_PASSWORD: the password has 5 bytes"),
        ({"PORT": "http"}, "PORT is 'http'"),
        ({"DATA_DIR": "/dev/null/x"}, "cannot write to /dev/null/x"),
    ],
)
def test_a_wrong_value_is_one_line(home: Home, variables: dict[str, str], reason: str) -> None:
    process = home.start(**variables)
    assert process.wait(SECONDS) == 1
    assert home.log.read_text().splitlines()[-1].startswith(f"knowledgehub: {reason}")
    assert not home.server.is_running()


def test_the_command_line_joins_what_up_runs_and_runs_it_alone_otherwise(home: Home) -> None:
    def run(*arguments: str) -> str:
        return subprocess.run(
            [sys.executable, "-m", "knowledgehub", *arguments],
            cwd=SOURCE_TREE,
            env={"PATH": os.environ["PATH"], "DATA_DIR": str(home.data_dir)},
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=True,
        ).stdout

    run("migrate")
    assert not home.server.is_running()
    workspace = json.loads(run("workspace", "add", "Before", "--json"))["id"]
    process, _ = home.start_ready()
    assert workspace in run("workspace", "list")
    assert home.server.is_running()
    home.stop(process)


def test_the_api_alone_runs_the_database_until_it_ends(home: Home) -> None:
    assert home.start("migrate").wait(SECONDS) == 0
    assert not home.server.is_running()
    process = home.start("api")
    wait_for("the API", lambda: home.get("/readyz") == 200)
    served_by = next(pid for pid in home.processes("knowledgehub api") if pid != process.pid)
    os.kill(served_by, signal.SIGTERM)
    wait_for("another to serve", lambda: not is_alive(served_by) and home.get("/readyz") == 200)
    home.stop(process)
