"""Runs the steps of several sessions in every order, as PostgreSQL's own isolation tests do.

A session is a connection and a list of steps. A permutation is one order of all steps that keeps each
session's own. The runner starts a step and goes on when it has ended, or when the server says that it waits
for a lock; the steps after a blocked one of the same session wait with it.
"""

import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import psycopg

Connection = psycopg.Connection[Any]
Step = Callable[[Connection], object]

STUCK_SECONDS = 20


def permutations(lengths: Mapping[str, int]) -> Iterator[tuple[str, ...]]:
    """Yield every order of the sessions' steps, each as the names of the sessions whose turn it is."""
    if not any(lengths.values()):
        yield ()
        return
    for name, length in lengths.items():
        if length:
            for rest in permutations({**lengths, name: length - 1}):
                yield (name, *rest)


def commit(connection: Connection) -> None:
    """The step that ends a session's transaction."""
    connection.commit()


@dataclass
class Session:
    """One connection with a thread of its own; ``results`` holds what each step gave, or its error."""

    connection: Connection
    steps: deque[Step]
    results: list[object] = field(default_factory=list)
    due: int = 0
    busy: bool = False

    def __post_init__(self) -> None:
        self._work: queue.SimpleQueue[Step | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def start_next(self) -> None:
        """Start the next step."""
        self.due -= 1
        self.busy = True
        self._work.put(self.steps.popleft())

    def close(self) -> None:
        """End the thread; the connection stays open."""
        self._work.put(None)

    def _run(self) -> None:
        while (step := self._work.get()) is not None:
            try:
                self.results.append(step(self.connection))
            except psycopg.Error as error:
                self.connection.rollback()
                self.results.append(error)
            finally:
                self.busy = False


def run(monitor: Connection, sessions: Mapping[str, Session], order: Sequence[str]) -> None:
    """Run the sessions' steps in this order; raise :class:`TimeoutError` if they cannot come to an end."""
    for name in order:
        sessions[name].due += 1
        _go_on(monitor, sessions)
    deadline = time.monotonic() + STUCK_SECONDS
    while any(session.busy or session.due for session in sessions.values()):
        _go_on(monitor, sessions)
        if time.monotonic() > deadline:
            raise TimeoutError(f"the sessions are stuck in the order {' '.join(order)}")


def _go_on(monitor: Connection, sessions: Mapping[str, Session]) -> None:
    """Start what is due until every session has nothing due or waits for a lock."""
    deadline = time.monotonic() + STUCK_SECONDS
    while time.monotonic() < deadline:
        for session in sessions.values():
            if session.due and not session.busy:
                session.start_next()
        busy = [session for session in sessions.values() if session.busy]
        blocked = all(_is_blocked(monitor, session.connection) for session in busy)
        # When none of them ended meanwhile, everything is at rest.
        if blocked and not any(session.due and not session.busy for session in sessions.values()):
            return
        time.sleep(0.0005)
    raise TimeoutError("a step neither ends nor waits for a lock")


def _is_blocked(monitor: Connection, connection: Connection) -> bool:
    pid = connection.info.backend_pid
    row = monitor.execute("SELECT cardinality(pg_blocking_pids(%s)) > 0", [pid]).fetchone()
    return row == (True,)
