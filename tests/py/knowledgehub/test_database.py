"""Which errors mean what, and how often a call is made."""

import psycopg
import pytest
from psycopg import errors

from knowledgehub.database import connection_arguments, is_conflict, is_unavailable, with_retries
from tests.server import Database


def test_a_connection_is_autocommit_unprepared_and_watches_its_peer(database: Database) -> None:
    with psycopg.connect(database.url("hub_api"), **connection_arguments("a name")) as connection:
        assert connection.autocommit
        assert connection.prepare_threshold is None
        assert connection.execute("SELECT current_setting('application_name')").fetchone() == ("a name",)
        parameters = connection.info.get_parameters()
    watch = {"connect_timeout": "5", "keepalives": "1", "keepalives_idle": "10", "keepalives_interval": "5"}
    assert parameters | watch | {"keepalives_count": "3", "tcp_user_timeout": "10000"} == parameters


@pytest.mark.parametrize(
    ("error", "conflict", "unavailable"),
    [
        (errors.SerializationFailure(), True, False),
        (errors.DeadlockDetected(), True, False),
        (errors.ConnectionFailure(), False, True),
        (errors.ReadOnlySqlTransaction(), False, True),
        (errors.IdleInTransactionSessionTimeout(), False, True),
        (errors.TooManyConnections(), False, True),
        (errors.DiskFull(), False, True),
        (errors.LockNotAvailable(), False, True),
        (errors.QueryCanceled(), False, True),
        (errors.AdminShutdown(), False, True),
        (psycopg.OperationalError("server closed the connection unexpectedly"), False, True),
        (psycopg.InterfaceError("the connection is closed"), False, True),
        (errors.UniqueViolation(), False, False),
        (errors.InvalidTextRepresentation(), False, False),
        (errors.UndefinedFunction(), False, False),
        (errors.InFailedSqlTransaction(), False, False),
        (errors.ObjectInUse(), False, False),
        (psycopg.ProgrammingError("the query has 1 placeholder but 0 parameters were passed"), False, False),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else None,
)
def test_errors_are_told_apart(error: psycopg.Error, conflict: bool, unavailable: bool) -> None:
    assert (is_conflict(error), is_unavailable(error)) == (conflict, unavailable)


def test_a_conflict_is_tried_three_times_at_most() -> None:
    tries = []

    def call() -> None:
        tries.append(1)
        raise errors.DeadlockDetected

    with pytest.raises(errors.DeadlockDetected):
        with_retries(call)
    assert len(tries) == 3


def test_a_call_that_succeeds_after_a_conflict_returns_its_result() -> None:
    outcomes = [errors.SerializationFailure(), errors.SerializationFailure()]

    def call() -> str:
        if outcomes:
            raise outcomes.pop()
        return "done"

    assert with_retries(call) == "done"


def test_another_error_is_not_tried_again() -> None:
    tries = []

    def call() -> None:
        tries.append(1)
        raise errors.LockNotAvailable

    with pytest.raises(errors.LockNotAvailable):
        with_retries(call)
    assert len(tries) == 1
