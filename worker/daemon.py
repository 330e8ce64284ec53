"""The worker process: slots that run jobs, what wakes them, the sweep, and how it all ends."""

import logging
import os
import secrets
import signal
import socket
import threading
import time
from collections.abc import Callable, Mapping
from types import MappingProxyType

import psycopg

from knowledgehub import SCHEMA_VERSION
from knowledgehub.backoff import Backoff
from knowledgehub.configuration import Configuration
from worker import calls
from worker.archive_store import ArchiveStore
from worker.backup import Backup
from worker.drain import Drain
from worker.handlers import Handler
from worker.housekeeping import keep_house
from worker.link import Database, Link
from worker.listener import listen
from worker.slot import Slot
from worker.wake_up import WakeUp

_SIGNALS = {signal.SIGTERM, signal.SIGINT, signal.SIGHUP}
_DRAIN_SECONDS = 5.0
_LOOK_SECONDS = 0.01
# One wish to stop may arrive twice: from the terminal and from the supervisor.
_SAME_WISH_SECONDS = 1.0

_logger = logging.getLogger(__name__)


def main(
    url: str, configuration: Configuration, more_handlers: Mapping[str, Handler] = MappingProxyType({})
) -> int:
    """Run the jobs of the database at ``url`` until SIGTERM, SIGINT or SIGHUP.

    ``more_handlers``: of further kinds, by their names. Without a backup folder no backup is claimed.
    Return the exit status: 0, or 1 if a slot did not end in time.
    The database may come up later, and go away meanwhile. Draining takes the length of a step, at most 5 s;
    another signal, more than a second after the first, ends it at once.
    """
    # Every thread inherits the mask; this one hears signals when it asks for them.
    signal.pthread_sigmask(signal.SIG_BLOCK, _SIGNALS)
    worker = _Worker(url, configuration, more_handlers)
    worker.start()
    signal.sigwait(_SIGNALS)
    return worker.drain()


class _Worker:
    def __init__(self, url: str, configuration: Configuration, handlers: Mapping[str, Handler]) -> None:
        self._name = f"w-{secrets.token_hex(4)}"
        self._database = Database(url)
        direct_url = configuration.listen_url or url
        self._listen_database = self._database if direct_url == url else Database(direct_url)
        self._concurrency = configuration.worker_concurrency
        self._store = None if configuration.backup_dir is None else ArchiveStore(configuration.backup_dir)
        self._handlers = dict(handlers)
        if self._store is not None:
            reader = f"knowledgehub worker {self._name} backup"
            self._handlers["backup"] = Backup(direct_url, reader, self._store)
        self._drain = Drain()
        self._wake_up: WakeUp | None = None
        self._slots: list[threading.Thread] = []

    def start(self) -> None:
        """Start working as soon as the database is there; return at once."""
        place = {"host": socket.gethostname(), "pid": os.getpid()}
        _logger.info("worker started", extra={"worker": self._name, **place})
        if self._store is not None:
            self._store.make_folder()
        self._start_thread("start", self._start_when_ready)

    def drain(self) -> int:
        """Wait until the slots have finished their steps and given back their claims; return the status."""
        begun = time.monotonic()
        _logger.info("worker drains", extra={"worker": self._name})
        self._drain.begin()
        if self._wake_up is not None:
            self._wake_up.wake_all()
        while any(slot.is_alive() for slot in self._slots):
            again = signal.sigtimedwait(_SIGNALS, _LOOK_SECONDS) is not None
            elapsed = time.monotonic() - begun
            if elapsed > _DRAIN_SECONDS or (again and elapsed > _SAME_WISH_SECONDS):
                _logger.warning("worker ends before its slots do", extra={"worker": self._name})
                return 1
        _logger.info("worker ended", extra={"worker": self._name})
        return 0

    def _start_when_ready(self) -> None:
        link = self._new_link(self._database, "start")
        backoff = Backoff()
        told = None
        while not self._drain.begun:
            try:
                version = link.call(calls.schema_version)
                missing = link.call(calls.missing_limits) if version >= SCHEMA_VERSION else []
                if missing:
                    _logger.warning(
                        "the worker's role lacks its limits: run sql/roles.sql", extra={"missing": missing}
                    )
                    link.close()  # they come with the next connection
                elif version >= SCHEMA_VERSION:
                    concurrency = self._concurrency or link.call(calls.read_concurrency)
                    sql_kinds = link.call(calls.list_sql_kinds)
                    break
                elif version != told:
                    told = version
                    _logger.warning(
                        "the database's schema is too old: run `knowledgehub migrate`",
                        extra={"schema": version, "needed": SCHEMA_VERSION},
                    )
            except psycopg.Error:
                pass  # the link has told
            except Exception:
                _logger.exception("the worker could not start and tries again")
            self._drain.wait(backoff.next_seconds())
        else:
            return
        link.close()
        self._start_slots(concurrency, sql_kinds)

    def _start_slots(self, concurrency: int, sql_kinds: list[str]) -> None:
        self._wake_up = wake_up = WakeUp(concurrency)
        for number in range(1, concurrency + 1):
            name = f"{self._name}/{number}"
            slot = Slot(
                name,
                self._database,
                sql_kinds=sql_kinds,
                handlers_by_kind=self._handlers,
                wake_up=wake_up,
                drain=self._drain,
            )
            self._slots.append(self._start_thread(name, slot.run))
        listening = self._new_link(self._listen_database, "listener")
        self._start_thread("listener", lambda: listen(listening, wake_up, self._drain))
        sweeping = self._new_link(self._database, "sweep")
        self._start_thread("sweep", lambda: keep_house(sweeping, self._name, self._store, self._drain))
        _logger.info(
            "worker ready",
            extra={"worker": self._name, "concurrency": concurrency, "kinds": [*sql_kinds, *self._handlers]},
        )

    def _new_link(self, database: Database, purpose: str) -> Link:
        return Link(database, f"knowledgehub worker {self._name} {purpose}")

    def _start_thread(self, name: str, target: Callable[[], None]) -> threading.Thread:
        # Daemons: what a step or a claim waits for does not keep the process from ending.
        thread = threading.Thread(target=target, name=name, daemon=True)
        thread.start()
        return thread
