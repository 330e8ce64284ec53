"""The demo: made once, finished after a crash, and then the operator's to change."""

import json
from pathlib import Path
from typing import Any

import pytest
from argon2 import PasswordHasher
from argon2.exceptions import VerifyMismatchError

from knowledgehub import demo
from knowledgehub.calls import Operator
from tests.server import Database


def ensure(database: Database, data_dir: Path, given_password: str | None = None) -> demo.Credentials:
    """Make the demo as ``up`` does."""
    return demo.ensure(database.url("hub_operator"), data_dir, given_password)


def contents(database: Database) -> list[tuple[Any, ...]]:
    """Return each workspace with its courses, its pages, and the role of its only member."""
    query = """
        SELECT w.title, count(DISTINCT c.id), count(p.id) > 10, min(m.role)
        FROM hub_store.workspace w
        LEFT JOIN hub_store.membership m ON m.workspace_id = w.id
        LEFT JOIN hub_store.course c ON c.workspace_id = w.id
        LEFT JOIN hub_store.page p ON p.course_id = c.id
        GROUP BY w.id
    """
    return database.as_superuser().execute(query).fetchall()


def may_sign_in(database: Database, password: str) -> bool:
    """Tell whether it is the administrator's password."""
    row = database.as_superuser().execute("SELECT password_hash FROM hub_store.app_user").fetchone()
    assert row is not None
    try:
        return PasswordHasher().verify(row[0], password)
    except VerifyMismatchError:
        return False


def test_a_second_run_changes_nothing(database: Database, tmp_path: Path) -> None:
    first = ensure(database, tmp_path)
    assert contents(database) == [("Demo", 1, True, "administrator")]
    assert may_sign_in(database, first.password)
    assert ensure(database, tmp_path) == first
    assert contents(database) == [("Demo", 1, True, "administrator")]
    assert may_sign_in(database, first.password)


def test_passwords_are_not_guessable(database: Database, tmp_path: Path) -> None:
    (tmp_path / "another").mkdir()
    first, second = ensure(database, tmp_path), ensure(database, tmp_path / "another")
    assert first.password != second.password
    assert len(first.password) >= 16


def test_what_the_operator_changed_stays_changed(database: Database, tmp_path: Path) -> None:
    ensure(database, tmp_path)
    operator = Operator(database.as_role("hub_operator"))
    operator.set_password(demo.EMAIL, PasswordHasher().hash("the operator's own"))
    database.as_superuser().execute("UPDATE hub_store.membership SET role = 'reader'")
    ensure(database, tmp_path)
    assert contents(database) == [("Demo", 1, True, "reader")]
    assert may_sign_in(database, "the operator's own")


def test_a_run_that_was_killed_before_the_course_is_finished(database: Database, tmp_path: Path) -> None:
    Operator(database.as_role("hub_operator")).add_workspace("Demo")
    ensure(database, tmp_path)
    assert contents(database) == [("Demo", 1, True, "administrator")]


def test_a_password_that_was_written_but_not_set_is_set(database: Database, tmp_path: Path) -> None:
    first = ensure(database, tmp_path)
    (tmp_path / "demo.json.new").write_text(json.dumps({"email": demo.EMAIL, "password": "a newer password"}))
    assert not may_sign_in(database, "a newer password")
    second = ensure(database, tmp_path)
    assert second.password == "a newer password" != first.password
    assert may_sign_in(database, second.password)
    assert ensure(database, tmp_path) == second


@pytest.mark.parametrize("kept", ["", "{", "[]", "{}", '{"password": 1}'])
def test_a_damaged_file_means_a_new_password(database: Database, tmp_path: Path, kept: str) -> None:
    first = ensure(database, tmp_path)
    (tmp_path / "demo.json").write_text(kept)
    second = ensure(database, tmp_path)
    assert second != first
    assert may_sign_in(database, second.password)
