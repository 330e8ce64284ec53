"""The demo workspace that ``up`` makes once: one administrator, the sample course."""

import json
import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from uuid import UUID

import psycopg

from knowledgehub import passwords
from knowledgehub.calls import Answer, Operator
from knowledgehub.course_import import import_course
from knowledgehub.database import connection_arguments

EMAIL = "demo@example.org"
NAME = "Demo Administrator"
WORKSPACE = "Demo"
COURSE = "The KnowledgeHub Jobs handbook"
SAMPLE_COURSE = Path(__file__).resolve().parent / "sample_course"

_FILE = "demo.json"


class DemoError(Exception):
    """The demo cannot be made; the message is one line."""


@dataclass(frozen=True, slots=True)
class Credentials:
    """With what the demo's administrator signs in."""

    email: str
    password: str


def ensure(operator_url: str, data_dir: Path, given_password: str | None) -> Credentials:
    """Make what is missing of the demo, and return its credentials, which are kept in ``data_dir``.

    A workspace that has its course is left as it is. ``given_password``, which has been judged, becomes
    the password.
    Raises :class:`DemoError` and psycopg's errors.
    """
    file, new_file = data_dir / _FILE, data_dir / f"{_FILE}.new"
    kept = _read_password(file)
    # A new password is in the new file until it is set: whatever happens, one of the files is right.
    new = given_password or _read_password(new_file) or (None if kept else secrets.token_urlsafe(12))
    with psycopg.connect(operator_url, **connection_arguments("knowledgehub demo")) as connection:
        operator = Operator(connection)
        if new:
            _write_password(new_file, new)
        password = new or kept or ""
        _ensure_user(operator, password, is_new=new is not None)
        if new:
            new_file.rename(file)
        _ensure_workspace(operator)
    return Credentials(EMAIL, password)


def _ensure_user(operator: Operator, password: str, *, is_new: bool) -> None:
    password_hash = passwords.hasher.hash(password)
    answer = operator.add_user(EMAIL, NAME, password_hash)
    if answer.outcome == "exists":
        if not is_new:
            return
        answer = operator.set_password(EMAIL, password_hash)
    _require_ok(answer)


def _ensure_workspace(operator: Operator) -> None:
    listed = operator.list_all_workspaces()
    _require_ok(listed)
    found = [workspace for workspace in listed.body["workspaces"] if workspace["title"] == WORKSPACE]
    if any(workspace["courses"] for workspace in found):
        return
    if found:
        workspace = UUID(found[0]["id"])
    else:
        added = operator.add_workspace(WORKSPACE)
        _require_ok(added)
        workspace = UUID(added.detail["id"])
    _require_ok(operator.set_membership(workspace, EMAIL, "administrator", enabled=True))
    # Last, and whole or not at all: a course says that the demo is complete.
    imported = import_course(operator, workspace, COURSE, SAMPLE_COURSE)
    if imported.refusals:
        first = imported.refusals[0]
        raise DemoError(f"the sample course is damaged: {first.file}: {first.reason}")


def _require_ok(answer: Answer) -> None:
    if answer.outcome != "ok":
        raise DemoError(f"the demo cannot be made: the database answered {answer.outcome!r}")


def _read_password(file: Path) -> str | None:
    try:
        kept = json.loads(file.read_text(encoding="utf-8"))
    except (FileNotFoundError, ValueError):
        return None
    return kept["password"] if isinstance(kept, dict) and isinstance(kept.get("password"), str) else None


def _write_password(path: Path, password: str) -> None:
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump({"email": EMAIL, "password": password}, file)
