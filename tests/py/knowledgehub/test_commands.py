"""The command line against a database: what it does, prints and answers."""

import json
import os
import pty
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest
from argon2 import PasswordHasher
from click import Command, Group

from knowledgehub.cli import main
from knowledgehub.configuration import SOURCE_TREE
from tests.py.knowledgehub.running import Run, run_json
from tests.server import Database

PASSWORD = "a long password"


@pytest.fixture
def user(run: Run) -> str:
    """The address of a user."""
    run("user", "add", "ada@example.org", "--name", "Ada", "--password-stdin", stdin=PASSWORD + "\n")
    return "ada@example.org"


@pytest.fixture
def workspace(run: Run) -> str:
    """The id of a workspace."""
    return str(run_json(run, "workspace", "add", "A workspace")["id"])


@pytest.fixture
def make_job(database: Database, run: Run, user: str, workspace: str, tmp_path: Path) -> Callable[[], str]:
    """Queue a tagging of a course of one page, as the API would; return the job's id."""
    run("member", "set", workspace, user, "--role", "administrator")
    (tmp_path / "course").mkdir()
    (tmp_path / "course" / "page.md").write_text("text")
    course = run_json(run, "course", "import", workspace, "A course", str(tmp_path / "course"))["id"]
    session = os.urandom(32)
    database.as_superuser().execute(
        "INSERT INTO hub_store.session (token_hash, user_id) SELECT %s, id FROM hub_store.app_user", [session]
    )
    api = database.as_role("hub_api")

    def make_job() -> str:
        body = json.dumps({"kind": "course_tagging", "course_id": course, "tags": ["new"]})
        row = api.execute(
            "SELECT outcome, detail FROM jobs.create_job(%s, %s, %s, %s, NULL)",
            [session, workspace, str(uuid4()), body],
        ).fetchone()
        assert row is not None
        assert row[0] == "created", row
        return str(row[1]["job_id"])

    return make_job


def claim(database: Database) -> psycopg.Connection[Any]:
    """Claim the oldest job, as a worker."""
    connection = database.as_role("hub_worker")
    connection.execute("SELECT * FROM jobs.claim('w-test', ARRAY['course_tagging'])")
    return connection


def stored_user(database: Database) -> tuple[Any, ...]:
    """Return address, name, password hash and whether enabled of the only user."""
    query = "SELECT email, name, password_hash, enabled FROM hub_store.app_user"
    (row,) = database.as_superuser().execute(query).fetchall()
    return tuple(row)


def test_a_user_is_added_with_a_hashed_password(database: Database, run: Run) -> None:
    added = run_json(
        run,
        "user",
        "add",
        " Ada@Example.org ",
        "--name",
        "Ada Ж",
        "--password-stdin",
        stdin="пароль длинный\r\n",
    )
    UUID(added["id"])
    email, name, password_hash, enabled = stored_user(database)
    assert (email, name, enabled) == ("ada@example.org", "Ada Ж", True)
    assert password_hash.startswith("$argon2id$v=19$m=65536,t=3,p=4$")
    assert PasswordHasher().verify(password_hash, "пароль длинный")


def test_a_user_is_added_once(run: Run, user: str) -> None:
    result = run("user", "add", user, "--name", "X", "--password-stdin", stdin=PASSWORD, status=1)
    assert "set-password" in result.stderr


@pytest.mark.parametrize(
    ("password", "reason"),
    [
        ("", "0 bytes"),
        ("eleven byte", "11 bytes: it should have 12 to 256"),
        ("ж" * 128 + "x", "more than 256 bytes: it should have 12 to 256"),
        ("x" * 5000, "more than 256 bytes"),
        ("two lines\nof text", "control characters"),
        ("with a tab\tin it", "control characters"),
        (b"not utf-8 \xff\xff\xff", "not UTF-8"),
    ],
)
def test_a_password_that_cannot_be_used_is_refused(run: Run, password: str | bytes, reason: str) -> None:
    result = run("user", "add", "a@b", "--name", "A", "--password-stdin", stdin=password, status=1)
    assert reason in result.stderr


@pytest.mark.parametrize("password", ["x" * 12, "ж" * 128, " with blanks ", "x" * 256])
def test_a_password_of_12_to_256_bytes_is_taken(database: Database, run: Run, password: str) -> None:
    run("user", "add", "a@b", "--name", "A", "--password-stdin", stdin=password + "\n")
    assert PasswordHasher().verify(stored_user(database)[2], password)


@pytest.mark.parametrize(
    ("email", "name", "reason"),
    [("no address", "A", "email"), ("a@b", " ", "name"), ("a@b", "n" * 201, "name")],
)
def test_what_is_wrong_with_a_user_is_said(run: Run, email: str, name: str, reason: str) -> None:
    result = run("user", "add", email, "--name", name, "--password-stdin", stdin=PASSWORD, status=1)
    assert result.stderr.startswith(f"knowledgehub: {reason}: ")


def test_a_password_is_changed_and_sessions_end(database: Database, run: Run, user: str) -> None:
    owner = database.as_superuser()
    owner.execute(
        "INSERT INTO hub_store.session (token_hash, user_id) SELECT sha256('x'), id FROM hub_store.app_user"
    )
    run("user", "set-password", user.upper(), "--password-stdin", stdin="another password")
    assert PasswordHasher().verify(stored_user(database)[2], "another password")
    assert owner.execute("SELECT count(*) FROM hub_store.session").fetchone() == (0,)


def test_a_user_is_disabled_and_enabled(database: Database, run: Run, user: str) -> None:
    assert "disabled" in run("user", "disable", user).stdout
    assert stored_user(database)[3] is False
    run("user", "enable", user)
    assert stored_user(database)[3] is True


@pytest.mark.parametrize(
    "arguments",
    [
        ("user", "disable", "nobody@example.org"),
        ("user", "enable", "nobody@example.org"),
        ("user", "set-password", "nobody@example.org", "--password-stdin"),
        ("member", "set", "{workspace}", "nobody@example.org", "--role", "reader"),
    ],
)
def test_an_unknown_user_is_named(run: Run, workspace: str, arguments: tuple[str, ...]) -> None:
    given = [argument.format(workspace=workspace) for argument in arguments]
    assert "no user nobody@example.org" in run(*given, stdin=PASSWORD, status=1).stderr


def open_session(database: Database, address: str | None) -> str:
    """Sign the only user in, as the API would; return the session's id."""
    query = "SELECT id, password_hash FROM hub_store.app_user"
    row = database.as_superuser().execute(query).fetchone()
    assert row is not None
    token = os.urandom(32)
    database.as_role("hub_api").execute(
        "SELECT hub.open_session(%s, %s, %s, NULL, %s)", [*row, token, address]
    )
    query = "SELECT id FROM hub_store.session WHERE token_hash = %s"
    row = database.as_superuser().execute(query, [token]).fetchone()
    assert row is not None
    return str(row[0])


def test_sessions_are_listed_and_ended(database: Database, run: Run, user: str) -> None:
    first, second = open_session(database, "192.0.2.1"), open_session(database, None)
    sessions = run_json(run, "session", "list", user)["sessions"]
    assert [(one["id"], one["address"]) for one in sessions] == [(second, None), (first, "192.0.2.1")]
    assert first in run("session", "list", user).stdout
    assert run_json(run, "session", "end", user, first)["ended"] == 1
    assert "no such session" in run("session", "end", user, first, status=1).stderr
    assert run("session", "end", user, "--all").stdout == f"ended 1 session of {user}\n"
    assert run_json(run, "session", "list", user) == {"sessions": []}
    assert "name one SESSION" in run("session", "end", user, status=2).stderr
    assert "name one SESSION" in run("session", "end", user, first, "--all", status=2).stderr


def test_decisions_and_refused_sign_ins_are_shown(database: Database, run: Run, user: str) -> None:
    run("settings", "set", "MaxAttempts", "4")
    run("user", "disable", user)
    events = run_json(run, "audit", "list")["events"]
    assert [event["event"] for event in events] == ["user.disabled", "setting.changed", "user.added"]
    assert events[1]["detail"] == {"name": "MaxAttempts", "value": 4, "before": 3}
    assert [event["event"] for event in run_json(run, "audit", "list", "--limit", "1")["events"]] == [
        "user.disabled"
    ]
    text = run("audit", "list").stdout
    assert re.search(r"setting.changed +MaxAttempts +value=4 before=3", text)
    assert user in text
    api = database.as_role("hub_api")
    for email in (user, "hunter2"):
        api.execute("SELECT hub.refuse_sign_in(%s, '192.0.2.1')", [email])
    refusals = run_json(run, "audit", "sign-ins")["refusals"]
    assert [(one["event"], one["user"] and one["user"]["email"]) for one in refusals] == [
        ("sign_in.failed", None),
        ("sign_in.failed", user),
    ]
    text = run("audit", "sign-ins").stdout
    assert user in text
    assert "hunter2" not in text


def test_workspaces_are_listed_with_their_members_and_courses(run: Run, user: str, workspace: str) -> None:
    run("member", "set", workspace, user, "--role", "reader")
    listed = run_json(run, "workspace", "list")
    assert listed == {"workspaces": [{"id": workspace, "title": "A workspace", "members": 1, "courses": 0}]}
    head, line = run("workspace", "list").stdout.splitlines()
    assert head.split() == ["id", "members", "courses", "title"]
    assert line.split(maxsplit=3) == [workspace, "1", "0", "A workspace"]


def test_a_title_cannot_command_the_terminal(run: Run) -> None:
    run("workspace", "add", "red \x1b[31m\nline\u202e")
    assert "red \\x1b[31m\\nline\\u202e" in run("workspace", "list").stdout


def test_a_membership_is_set_and_changed(database: Database, run: Run, user: str, workspace: str) -> None:
    def stored() -> list[tuple[Any, ...]]:
        return database.as_superuser().execute("SELECT role, enabled FROM hub_store.membership").fetchall()

    run("member", "set", workspace, user, "--role", "editor")
    assert stored() == [("editor", True)]
    run("member", "set", workspace, user, "--role", "administrator", "--disabled")
    assert stored() == [("administrator", False)]
    run("member", "set", workspace, user, "--role", "administrator")
    assert stored() == [("administrator", True)]


@pytest.mark.parametrize(
    "arguments",
    [
        ("member", "set", "{id}", "{user}", "--role", "reader"),
        ("course", "import", "{id}", "T", "."),
        ("jobs", "list", "{id}"),
    ],
)
def test_an_unknown_workspace_is_named(run: Run, user: str, arguments: tuple[str, ...]) -> None:
    unknown = str(UUID(int=7))
    given = [argument.format(id=unknown, user=user) for argument in arguments]
    assert f"no workspace {unknown}" in run(*given, status=1).stderr


def test_an_import_tells_the_course_and_how_many_pages(run: Run, workspace: str, tmp_path: Path) -> None:
    folder = tmp_path / "a folder"
    (folder / "sub").mkdir(parents=True)
    (folder / "a.md").write_text("# A")
    (folder / "sub" / "b c.md").write_text("---\ntags: x\n---\n")
    result = run_json(run, "course", "import", workspace, "T", str(folder))
    UUID(result["id"])
    assert (result["pages"], result["refused"]) == (2, [])
    assert "2 pages" in run("course", "import", workspace, "T", str(folder)).stdout


def test_an_import_names_what_it_refused_and_answers_1(run: Run, workspace: str, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"\xff")
    (tmp_path / "b\nc.md").write_text("---\ntags: {a: b}\n---\n")
    (tmp_path / "d.md").write_text("good")
    result = run("course", "import", workspace, "T", str(tmp_path), "--json", status=1, lines=2)
    body = json.loads(result.stdout)
    assert body["pages"] == 1
    assert [refused["file"] for refused in body["refused"]] == ["a.md", "b\nc.md"]
    first, second = result.stderr.splitlines()
    assert first == "knowledgehub: refused a.md: invalid UTF-8 at byte 0"
    assert second.startswith("knowledgehub: refused b\\nc.md: tags in the front matter")


def test_an_import_notes_front_matter_that_stays_text(run: Run, workspace: str, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("---\ntitle: a: b\n---\n")
    result = run("course", "import", workspace, "T", str(tmp_path), "--json")
    reason = "front matter is not YAML (line 2): kept as text"
    body = json.loads(result.stdout)
    assert (body["pages"], body["refused"], body["notes"]) == (1, [], [{"file": "a.md", "reason": reason}])
    assert result.stderr == f"knowledgehub: note on a.md: {reason}\n"


def test_an_import_of_nothing_makes_no_course(run: Run, workspace: str, tmp_path: Path) -> None:
    result = run("course", "import", workspace, "T", str(tmp_path), status=1)
    assert result.stderr == f"knowledgehub: no Markdown file in {tmp_path}\n"
    (tmp_path / "a.md").write_bytes(b"\xff")
    result = run("course", "import", workspace, "T", str(tmp_path), "--json", status=1, lines=2)
    assert json.loads(result.stdout)["id"] is None
    assert result.stderr.splitlines()[1].startswith("knowledgehub: no course was made")
    assert run_json(run, "workspace", "list")["workspaces"][0]["courses"] == 0


def test_a_long_import_tells_how_far_it_is_where_there_is_no_terminal(
    run: Run, workspace: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.md").write_text("")
    (tmp_path / "b.md").write_text("")
    assert run("course", "import", workspace, "T", str(tmp_path)).stderr == ""
    monkeypatch.setattr("knowledgehub.commands.progress._LINE_SECONDS", 0)
    shown = run("course", "import", workspace, "T", str(tmp_path)).stderr
    assert shown == "knowledgehub: 1 files read\nknowledgehub: 2 files read\n"


@pytest.mark.parametrize(
    "command",
    [
        ("course", "import", "Demo", "T", "."),
        ("jobs", "list", "Demo"),
        ("member", "set", "Demo", "ada@example.org", "--role", "reader"),
    ],
)
def test_a_title_in_the_place_of_a_workspace_is_told_where_the_ids_are(
    run: Run, command: tuple[str, ...]
) -> None:
    result = run(*command, status=2)
    assert "'Demo' is not a valid UUID: see `knowledgehub workspace list`" in result.stderr


def test_a_title_too_long_for_a_course_is_refused(run: Run, workspace: str, tmp_path: Path) -> None:
    result = run("course", "import", workspace, "T" * 10_001, str(tmp_path), status=1)
    assert "title: a title has at most 10,000 characters" in result.stderr


def test_settings_are_shown_with_their_ranges(run: Run) -> None:
    names = {one["name"]: one["value"] for one in run_json(run, "settings", "show")["settings"]}
    assert names == {
        "MaxPendingPerWorkspace": 10,
        "MaxPendingPerActor": 3,
        "MaxCreatedPerDay": 100,
        "MaxCoursePages": 100_000,
        "CreationsPerMinutePerAddress": 10,
        "IPv6PrefixLength": 128,
        "LeaseSeconds": 30,
        "MaxAttempts": 3,
        "WorkerConcurrency": 2,
        "MaxBackupSeconds": 3600,
    }
    assert "MaxPendingPerActor" in run("settings", "show").stdout


@pytest.mark.parametrize("name", ["MaxPendingPerActor", "KnowledgeHub:Jobs:MaxPendingPerActor"])
def test_a_setting_is_changed_by_either_name(database: Database, run: Run, name: str) -> None:
    assert run_json(run, "settings", "set", name, "1000000") == {
        "name": "MaxPendingPerActor",
        "value": 1_000_000,
    }
    query = "SELECT value FROM jobs_store.setting WHERE name = 'MaxPendingPerActor'"
    assert database.as_superuser().execute(query).fetchone() == (1_000_000,)


@pytest.mark.parametrize(
    ("name", "value", "status", "reason"),
    [
        ("NoSuchSetting", "1", 1, "settings show"),
        ("maxattempts", "1", 1, "settings show"),
        ("LeaseSeconds", "4", 1, "from 5 to 1000000"),
        ("MaxAttempts", "0", 1, "from 1 to 1000000"),
        ("MaxAttempts", "-1", 1, "from 1 to 1000000"),
        ("MaxAttempts", "1000001", 1, "from 1 to 1000000"),
        ("MaxAttempts", "9" * 30, 1, "from 1 to 1000000"),
        ("MaxAttempts", "three", 2, "not a valid integer"),
        ("MaxAttempts", "1.5", 2, "not a valid integer"),
    ],
)
def test_a_setting_out_of_range_is_refused(run: Run, name: str, value: str, status: int, reason: str) -> None:
    assert reason in run("settings", "set", name, value, status=status).stderr


def test_jobs_are_listed_newest_first_and_page_by_page(
    run: Run, workspace: str, make_job: Callable[[], str]
) -> None:
    jobs = [make_job() for _ in range(3)]
    first = run_json(run, "jobs", "list", workspace, "--limit", "2")
    assert [job["id"] for job in first["jobs"]] == [jobs[2], jobs[1]]
    rest = run_json(run, "jobs", "list", workspace, "--limit", "2", "--cursor", first["next_cursor"])
    assert [job["id"] for job in rest["jobs"]] == [jobs[0]]
    assert rest["next_cursor"] is None
    text = run("jobs", "list", workspace, "--limit", "2").stdout
    heads = ["id", "kind", "state", "processed", "total", "failed", "created", "actor"]
    assert text.splitlines()[0].split() == heads
    assert jobs[2] in text
    assert f"--cursor {first['next_cursor']}" in text
    assert "cursor" in run("jobs", "list", workspace, "--cursor", "nonsense", status=1).stderr


def test_a_job_is_shown(run: Run, make_job: Callable[[], str]) -> None:
    job = make_job()
    assert run_json(run, "jobs", "show", job)["id"] == job
    text = run("jobs", "show", job).stdout
    for words in (job, "course_tagging", "queued", "0 of 1", "A course", "new", "Ada"):
        assert words in text


def test_a_job_is_watched_until_it_has_ended(
    database: Database, run: Run, make_job: Callable[[], str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("knowledgehub.commands.progress._LINE_SECONDS", 0)
    job = make_job()

    def work() -> None:
        time.sleep(0.5)
        with database.as_role("hub_worker") as worker:
            claim = worker.execute("SELECT job_id, lease FROM jobs.claim('w', '{course_tagging}')").fetchone()
            worker.execute("SELECT jobs.advance(%s, %s)", claim)

    worker = threading.Thread(target=work)
    worker.start()
    result = run("jobs", "watch", job)
    worker.join()
    assert f"[{'-' * 30}]   0 %  0 of 1 pages  queued" in result.stderr
    assert "succeeded" in result.stdout
    assert run_json(run, "jobs", "watch", job)["state"] == "succeeded"
    unknown = run("jobs", "watch", str(uuid4()), status=1).stderr
    assert "there is no job" in unknown


def test_a_queued_job_is_cancelled_at_once(database: Database, run: Run, make_job: Callable[[], str]) -> None:
    job = make_job()
    assert "is cancelled" in run("jobs", "cancel", job).stdout
    assert run_json(run, "jobs", "cancel", job)["state"] == "cancelled"
    events = "SELECT event, by, actor_id FROM jobs_store.audit_event WHERE job_id IS NOT NULL ORDER BY id"
    assert database.as_superuser().execute(events).fetchall()[1:] == [
        ("job.cancel_requested", "operator", None),
        ("job.cancelled", "operator", None),
    ]


def test_a_cancel_of_a_running_job_is_requested(
    database: Database, run: Run, make_job: Callable[[], str]
) -> None:
    job = make_job()
    claim(database)
    assert f"cancel requested for job {job}" in run("jobs", "cancel", job).stdout
    assert f"cancel already requested for job {job}" in run("jobs", "cancel", job).stdout
    assert "running, cancel requested" in run("jobs", "show", job).stdout


def test_a_finished_job_cannot_be_cancelled(
    database: Database, run: Run, make_job: Callable[[], str]
) -> None:
    job = make_job()
    worker = database.as_role("hub_worker")
    worker.execute(
        "SELECT a.outcome FROM jobs.claim('w-test', ARRAY['course_tagging']) AS c,"
        " LATERAL jobs.advance(c.job_id, c.lease) AS a"
    )
    assert "succeeded already" in run("jobs", "cancel", job, status=1).stderr
    assert "1 of 1: 1 changed" in run("jobs", "show", job).stdout


@pytest.mark.parametrize("command", ["show", "cancel"])
def test_an_unknown_job_is_named(run: Run, command: str) -> None:
    unknown = str(UUID(int=7))
    assert f"no job {unknown}" in run("jobs", command, unknown, status=1).stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("no-such-command",),
        ("user", "add", "a@b", "--password-stdin"),
        ("user", "add", "a@b", "--name", "A"),
        ("user", "set-password", "a@b"),
        ("member", "set", "not-an-id", "a@b", "--role", "reader"),
        ("member", "set", str(UUID(int=7)), "a@b", "--role", "owner"),
        ("course", "import", str(UUID(int=7)), "T", "/no/such/folder"),
        ("course", "import", str(UUID(int=7)), "T", __file__),
        ("jobs", "list", str(UUID(int=7)), "--limit", "0"),
        ("jobs", "show", "7"),
        ("settings", "set", "MaxAttempts"),
    ],
)
def test_a_command_called_wrongly_answers_2(run: Run, arguments: tuple[str, ...]) -> None:
    assert run(*arguments, status=2).stderr


def test_migrate_tells_what_it_applied(run: Run) -> None:
    assert run_json(run, "migrate") == {"applied": []}
    assert "no migration was pending" in run("migrate").stdout


def test_a_wrong_variable_is_one_line(run: Run) -> None:
    result = run("workspace", "list", status=1, KNOWLEDGEHUB_OPERATOR_URL="mysql://db")
    assert result.stderr.startswith("knowledgehub: KNOWLEDGEHUB_OPERATOR_URL is no PostgreSQL URL")


@pytest.mark.parametrize("command", [("workspace", "list"), ("migrate",), ("settings", "show")])
def test_an_unreachable_database_is_one_line(run: Run, command: tuple[str, ...]) -> None:
    url = "postgresql://hub@127.0.0.1:1/knowledgehub"
    result = run(*command, status=1, KNOWLEDGEHUB_OPERATOR_URL=url, KNOWLEDGEHUB_OWNER_URL=url)
    assert "refused" in result.stderr


def test_another_database_than_the_one_named_is_never_used(run: Run, tmp_path: Path) -> None:
    url = "postgresql://hub_api@127.0.0.1/knowledgehub"
    missing: dict[str, str | None] = {"KNOWLEDGEHUB_OPERATOR_URL": None, "KNOWLEDGEHUB_OWNER_URL": None}
    for command, variable in (
        (("workspace", "list"), "KNOWLEDGEHUB_OPERATOR_URL"),
        (("migrate",), "KNOWLEDGEHUB_OWNER_URL"),
        (("worker",), "KNOWLEDGEHUB_WORKER_URL"),
    ):
        result = run(*command, status=1, **missing | {"KNOWLEDGEHUB_DATABASE_URL": url})
        assert f"{variable} is not set, but KNOWLEDGEHUB_DATABASE_URL is" in result.stderr
    assert not (tmp_path / "no data").exists()


@pytest.mark.parametrize(
    "command",
    [("workspace", "list"), ("course", "import", str(UUID(int=7)), "T", "."), ("worker",), ("api",)],
)
def test_where_no_cluster_is_none_is_made(run: Run, tmp_path: Path, command: tuple[str, ...]) -> None:
    unset: dict[str, str | None] = {"KNOWLEDGEHUB_OPERATOR_URL": None, "KNOWLEDGEHUB_OWNER_URL": None}
    with socket.create_server(("127.0.0.1", 0)) as free:
        unset["PORT"] = str(free.getsockname()[1])
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path / "no data", tmp_path / "empty"):
        result = run(*command, status=1, **unset | {"DATA_DIR": str(folder)})
        assert result.stderr == (
            f"knowledgehub: there is no KnowledgeHub in {folder}: run `make run` first, or set DATA_DIR\n"
        )
    assert [path.name for path in tmp_path.iterdir()] == ["empty"]
    assert list((tmp_path / "empty").iterdir()) == []


@pytest.mark.parametrize("command", [("workspace", "list"), ("migrate",)])
def test_a_data_directory_that_takes_no_files_is_one_line(run: Run, command: tuple[str, ...]) -> None:
    unset = {"KNOWLEDGEHUB_OPERATOR_URL": None, "KNOWLEDGEHUB_OWNER_URL": None}
    result = run(*command, status=1, DATA_DIR="/proc", **unset)
    assert "set DATA_DIR" in result.stderr


def test_an_api_whose_port_is_in_use_is_one_line(run: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = run(
            "api", status=1, PORT=str(port), KNOWLEDGEHUB_DATABASE_URL="postgresql://hub@127.0.0.1:1/x"
        )
    start = (
        f"knowledgehub: port {port} of 127.0.0.1 is in use: end what listens there, or choose another port"
    )
    assert result.stderr.startswith(start)


def test_a_database_that_is_not_migrated_is_one_line(run: Run, database: Database) -> None:
    database.as_superuser().execute("DROP FUNCTION jobs.list_settings()")
    assert "run `knowledgehub migrate`" in run("settings", "show", status=1).stderr


def test_a_role_without_the_right_is_one_line(run: Run, database: Database) -> None:
    result = run("settings", "show", status=1, KNOWLEDGEHUB_OPERATOR_URL=database.url("hub_api"))
    assert "hub_operator" in result.stderr


def test_a_locked_row_is_one_line(run: Run, database: Database) -> None:
    rival = database.as_superuser()
    with rival.transaction():
        rival.execute("SELECT FROM jobs_store.setting FOR UPDATE")
        assert "try again" in run("settings", "set", "MaxAttempts", "5", status=1).stderr


def test_every_command_takes_json() -> None:
    def leaves(command: Command) -> Iterator[Command]:
        if isinstance(command, Group):
            for one in command.commands.values():
                yield from leaves(one)
        else:
            yield command

    for command in leaves(main):
        assert any(option.name == "as_json" for option in command.params), command.name


def run_process(
    environment: Mapping[str, str], *arguments: bytes | str, stdin: bytes = b""
) -> subprocess.CompletedProcess[bytes]:
    """Run the command line as a process of its own, under an old locale."""
    return subprocess.run(
        [sys.executable, "-m", "knowledgehub", *arguments],
        cwd=SOURCE_TREE,
        env={"PATH": os.environ["PATH"], "LC_ALL": "C", **environment},
        input=stdin,
        capture_output=True,
        timeout=60,
        check=False,
    )


def test_as_a_process_it_prints_and_answers_the_same(environment: Mapping[str, str]) -> None:
    added = run_process(environment, "workspace", "add", "Ж 日本", "--json")
    assert added.returncode == 0, added.stderr
    listed = run_process(environment, "workspace", "list")
    assert listed.stdout.decode().endswith("Ж 日本\n")
    refused = run_process(environment, "settings", "set", "MaxAttempts", "0")
    assert (refused.returncode, refused.stdout) == (1, b"")
    assert refused.stderr.count(b"\n") == 1
    assert run_process(environment, "settings", "set").returncode == 2


def test_an_argument_that_is_not_utf8_is_one_line(environment: Mapping[str, str]) -> None:
    result = run_process(environment, "workspace", "add", b"a\xff")
    assert result.returncode == 1
    assert result.stderr == b"knowledgehub: an argument is not UTF-8: write it in UTF-8\n"


def test_a_password_typed_on_a_terminal_is_not_shown(
    environment: Mapping[str, str], database: Database
) -> None:
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "knowledgehub", "user", "add", "a@b", "--name", "A", "--password-stdin"],
        cwd=SOURCE_TREE,
        env={"PATH": os.environ["PATH"], **environment},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    ) as process:
        os.close(theirs)
        shown = b""
        for prompt in (b"Password: ", b"confirmation: "):
            while not shown.endswith(prompt):
                shown += os.read(ours, 1000)
            os.write(ours, PASSWORD.encode() + b"\n")
        while True:
            try:
                shown += os.read(ours, 1000)
            except OSError:  # the other end is closed
                break
        os.close(ours)
        assert process.wait(60) == 0, shown
    assert PASSWORD.encode() not in shown
    assert PasswordHasher().verify(stored_user(database)[2], PASSWORD)
