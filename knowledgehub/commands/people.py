"""``user``, ``workspace`` and ``member``."""

import sys
from uuid import UUID

import click

from knowledgehub import passwords
from knowledgehub.calls import Answer
from knowledgehub.commands.output import json_option, show, table
from knowledgehub.commands.refusal import Refusal, require_ok
from knowledgehub.commands.session import WorkspaceParameter, operator

_PASSWORD_OPTION = click.option(
    "--password-stdin", is_flag=True, required=True, help="Read the password, one line, from standard input."
)


@click.group()
def user() -> None:
    """People who sign in."""


@user.command()
@click.argument("email")
@click.option("--name", required=True, help="The name others see.")
@_PASSWORD_OPTION
@json_option
def add(email: str, name: str, password_stdin: bool, as_json: bool) -> None:  # noqa: ARG001
    """Add a user."""
    password_hash = _read_password()
    with operator() as calls:
        answer = calls.add_user(email, name, password_hash)
    require_ok(
        answer,
        exists=f"there is a user {email} already: change the password with `knowledgehub user set-password`",
    )
    show(as_json, answer.detail, f"added {email}, user {answer.detail['id']}")


@user.command("set-password")
@click.argument("email")
@_PASSWORD_OPTION
@json_option
def set_password(email: str, password_stdin: bool, as_json: bool) -> None:  # noqa: ARG001
    """Give a user another password; all sessions of the user end."""
    password_hash = _read_password()
    with operator() as calls:
        answer = calls.set_password(email, password_hash)
    _show_user(answer, email, as_json, f"{email} has a new password and is signed out everywhere")


@user.command()
@click.argument("email")
@json_option
def disable(email: str, as_json: bool) -> None:
    """Keep a user out; all sessions of the user end."""
    with operator() as calls:
        answer = calls.set_user_enabled(email, enabled=False)
    _show_user(answer, email, as_json, f"{email} is disabled and signed out everywhere")


@user.command()
@click.argument("email")
@json_option
def enable(email: str, as_json: bool) -> None:
    """Let a disabled user in again."""
    with operator() as calls:
        answer = calls.set_user_enabled(email, enabled=True)
    _show_user(answer, email, as_json, f"{email} is enabled")


def _show_user(answer: Answer, email: str, as_json: bool, text: str) -> None:
    require_ok(answer, not_found=f"there is no user {email}: add one with `knowledgehub user add`")
    show(as_json, answer.detail, text)


def _read_password() -> str:
    """Read the password from standard input and return its hash."""
    if sys.stdin.isatty():
        password = click.prompt("Password", hide_input=True, confirmation_prompt=True, err=True)
    else:
        line = sys.stdin.buffer.read(2 * passwords.MAXIMUM_BYTES).removesuffix(b"\n").removesuffix(b"\r")
        password = line.decode(errors="surrogateescape")
    if problem := passwords.problem(password):
        raise Refusal(problem)
    return passwords.hasher.hash(password)


@click.group()
def session() -> None:
    """Where users are signed in."""


@session.command("list")
@click.argument("email")
@json_option
def list_sessions(email: str, as_json: bool) -> None:
    """List a user's sessions."""
    with operator() as calls:
        answer = calls.list_sessions(email)
    require_ok(answer, not_found=f"there is no user {email}: check the address")
    members = ("id", "created_at", "last_seen_at", "address")
    rows = [[one[member] or "" for member in members] for one in answer.body["sessions"]]
    show(as_json, answer.body, table(members, rows))


@session.command("end")
@click.argument("email")
@click.argument("session_id", metavar="[SESSION]", type=click.UUID, required=False)
@click.option("--all", "all_sessions", is_flag=True, help="End every session of the user.")
@json_option
def end_session(email: str, session_id: UUID | None, all_sessions: bool, as_json: bool) -> None:
    """End a session of a user, streams included, by the id that `session list` shows."""
    if all_sessions == (session_id is not None):
        raise click.UsageError("name one SESSION, or give --all")
    with operator() as calls:
        answer = calls.end_sessions(email, session_id)
    if answer.outcome == "not_found" and answer.detail["missing"] == "session":
        raise Refusal(f"{email} has no such session: see `knowledgehub session list {email}`")
    require_ok(answer, not_found=f"there is no user {email}: check the address")
    ended = answer.detail["ended"]
    show(as_json, answer.detail, f"ended {ended} session{'' if ended == 1 else 's'} of {email}")


@click.group()
def workspace() -> None:
    """Knowledge bases, each with its own members, courses and jobs."""


@workspace.command("add")
@click.argument("title")
@json_option
def add_workspace(title: str, as_json: bool) -> None:
    """Add a workspace."""
    with operator() as calls:
        answer = calls.add_workspace(title)
    require_ok(answer)
    show(as_json, answer.detail, f"added workspace {answer.detail['id']}")


@workspace.command("list")
@json_option
def list_workspaces(as_json: bool) -> None:
    """List all workspaces."""
    with operator() as calls:
        answer = calls.list_all_workspaces()
    require_ok(answer)
    members = ("id", "members", "courses", "title")
    rows = [[one[member] for member in members] for one in answer.body["workspaces"]]
    show(as_json, answer.body, table(members, rows))


@click.group()
def member() -> None:
    """Say what users may do in a workspace."""


@member.command("set")
@click.argument("workspace", type=WorkspaceParameter())
@click.argument("email")
@click.option("--role", required=True, type=click.Choice(["administrator", "editor", "reader"]))
@click.option("--disabled", is_flag=True, help="Keep the membership, but without any right.")
@json_option
def set_member(workspace: UUID, email: str, role: str, disabled: bool, as_json: bool) -> None:
    """Make a user a member of a workspace, or change the role."""
    with operator() as calls:
        answer = calls.set_membership(workspace, email, role, enabled=not disabled)
    if answer.outcome == "not_found" and answer.detail["missing"] == "workspace":
        raise Refusal(f"there is no workspace {workspace}: see `knowledgehub workspace list`")
    _show_user(answer, email, as_json, f"{email} is {'a disabled ' if disabled else ''}{role} of {workspace}")
