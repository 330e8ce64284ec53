"""How every process connects to PostgreSQL, and which of its errors mean what."""

from collections.abc import Callable
from typing import Any, TypeVar

import psycopg

TRIES = 3
"""How often a call is made at most when its transaction lost against another."""

CONFLICTS = frozenset({"40001", "40P01"})
"""SQLSTATEs of a transaction that lost against another: serialization failure, deadlock."""

_UNAVAILABLE = ("08", "25006", "25P03", "53", "55P03", "57")

Result = TypeVar("Result")


def connection_arguments(application_name: str) -> dict[str, Any]:
    """Arguments beside the URL for psycopg's connect and pools; they win over the URL's.

    Connecting to one host takes at most 5 s; a silent peer is given up after 10 s with data under way, and
    after 25 s without. Autocommit: every call is one transaction. Nothing is prepared, so that poolers in
    transaction mode work.
    """
    return {
        "application_name": application_name,
        "autocommit": True,
        "prepare_threshold": None,
        "connect_timeout": 5,
        "keepalives": 1,
        "keepalives_idle": 10,
        "keepalives_interval": 5,
        "keepalives_count": 3,
        "tcp_user_timeout": 10_000,
    }


def is_conflict(error: psycopg.Error) -> bool:
    """Whether the call may be made again at once, TRIES times in all."""
    return error.sqlstate in CONFLICTS


def is_unavailable(error: psycopg.Error) -> bool:
    """Whether the database could not serve the call now: later it may. The connection is to be dropped.

    Connection lost or refused, server read-only or shutting down, resources used up, a timeout.
    """
    if error.sqlstate is None:
        return isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
    return error.sqlstate.startswith(_UNAVAILABLE)


def with_retries(call: Callable[[], Result]) -> Result:
    """Make ``call``, one whole transaction, at most TRIES times while it meets conflicts.

    Raises the last conflict, and anything else at once.
    """
    for _ in range(TRIES - 1):
        try:
            return call()
        except psycopg.Error as error:
            if not is_conflict(error):
                raise
    return call()
