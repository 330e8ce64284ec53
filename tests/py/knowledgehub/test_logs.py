"""Log lines: one JSON object each, and nothing secret in them."""

import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from knowledgehub import logs
from tests.server import Database


@contextmanager
def logging_as_the_api() -> Iterator[logging.Logger]:
    """Give a logger of the process "api"; its lines go to what is stderr now."""
    root = logging.getLogger()
    before = (root.level, root.handlers)
    # Taken away first: configure() closes the handlers it finds, and these watch the test.
    root.handlers = []
    try:
        logs.configure("api")
        yield logging.getLogger("api.some_module")
    finally:
        root.setLevel(before[0])
        root.handlers = before[1]


def lines(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """Return the lines on stderr, parsed."""
    return [json.loads(line) for line in capsys.readouterr().err.splitlines()]


def test_an_event_is_one_line_with_its_time_and_extras(capsys: pytest.CaptureFixture[str]) -> None:
    with logging_as_the_api() as logger:
        logger.info("job claimed\nby %s", "w-1", extra={"attempt": 1, "title": "Жар\u2028\ud800"})
    (line,) = lines(capsys)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", line.pop("time"))
    assert line == {
        "level": "info",
        "process": "api",
        "logger": "api.some_module",
        "event": "job claimed\nby w-1",
        "attempt": 1,
        "title": "Жар\u2028\ud800",
    }


def test_the_ids_of_the_context_are_in_every_line(capsys: pytest.CaptureFixture[str]) -> None:
    with logging_as_the_api() as logger:
        request, job = logs.request_id.set("r-1"), logs.job_id.set("j-1")
        try:
            logger.warning("slow")
        finally:
            logs.request_id.reset(request)
            logs.job_id.reset(job)
        logger.warning("slow")
    first, second = lines(capsys)
    assert (first["request_id"], first["job_id"]) == ("r-1", "j-1")
    assert not {"request_id", "job_id"} & second.keys()


def test_an_error_is_told_with_its_cause_in_the_same_line(capsys: pytest.CaptureFixture[str]) -> None:
    with logging_as_the_api() as logger:
        try:
            try:
                raise KeyError("inner")  # noqa: TRY301 (an error with a cause is wanted)
            except KeyError as error:
                raise ExceptionGroup("outer", [ValueError("member")]) from error
        except ExceptionGroup:
            logger.exception("failed")
    (line,) = lines(capsys)
    assert "outer" in line["error"]
    assert "one of them ValueError: member" in line["error"]
    assert "caused by KeyError: 'inner'" in line["error"]
    assert "test_logs.py" in line["error"]


def test_errors_that_refer_to_each_other_end() -> None:
    first, second = ValueError("first"), ValueError("second")
    first.__cause__, second.__cause__ = second, first
    assert logs.describe(first) == "ValueError: first\ncaused by ValueError: second"


@pytest.mark.parametrize(
    ("statement", "shown"),
    [
        ("SELECT 'the secret'::uuid", "22P02"),
        (
            "INSERT INTO hub_store.app_user (email, name, password_hash) VALUES ('the secret', '', '')",
            "23514",
        ),
        ("DO $$ BEGIN RAISE EXCEPTION 'the secret'; END $$", "P0001"),
    ],
)
def test_values_that_a_database_error_quotes_are_left_out(
    database: Database, statement: str, shown: str
) -> None:
    with pytest.raises(psycopg.Error) as raised:
        database.as_superuser().execute(statement.encode())
    assert "the secret" in str(raised.value)
    described = logs.describe(raised.value)
    assert "the secret" not in described
    assert shown in described


def test_a_missing_function_is_named(database: Database) -> None:
    with pytest.raises(psycopg.Error) as raised:
        database.as_superuser().execute("SELECT jobs.no_such_function()")
    assert "jobs.no_such_function" in logs.describe(raised.value)
