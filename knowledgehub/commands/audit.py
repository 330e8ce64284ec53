"""``audit``: what the operator decided about the whole hub, and which sign-ins were refused."""

from collections.abc import Callable
from typing import Any

import click

from knowledgehub.calls import Answer
from knowledgehub.commands.output import json_option, show, table
from knowledgehub.commands.refusal import require_ok
from knowledgehub.commands.session import operator

_PAGE = 500

_LIMIT_OPTION = click.option(
    "--limit", type=click.IntRange(1, 100_000), default=100, show_default=True, help="How many, newest first."
)


@click.group()
def audit() -> None:
    """Show what was decided about users and settings, and which sign-ins were refused."""


@audit.command("list")
@_LIMIT_OPTION
@json_option
def list_events(limit: int, as_json: bool) -> None:
    """List decisions about users and settings; those in a workspace are on its own trail."""
    with operator() as calls:
        events = _read(calls.list_hub_audit, "events", limit)
    rows = [[one["at"], one["event"], _subject(one["detail"]), _rest(one["detail"])] for one in events]
    show(as_json, {"events": events}, table(("at", "event", "subject", "detail"), rows))


@audit.command("sign-ins")
@_LIMIT_OPTION
@json_option
def list_sign_ins(limit: int, as_json: bool) -> None:
    """List sign-ins that were refused in the last 30 days (of any hour the first 500 are kept)."""
    with operator() as calls:
        refusals = _read(calls.list_sign_in_refusals, "refusals", limit)
    rows = [
        [one["at"], one["event"], one["address"], one["user"]["email"] if one["user"] else "(no user's)"]
        for one in refusals
    ]
    show(as_json, {"refusals": refusals}, table(("at", "event", "address", "account"), rows))


def _read(call: Callable[[str | None, int], Answer], member: str, limit: int) -> list[dict[str, Any]]:
    """Read page by page until there are ``limit`` entries or no more."""
    found: list[dict[str, Any]] = []
    cursor: str | None = None
    while len(found) < limit:
        answer = call(cursor, min(_PAGE, limit - len(found)))
        require_ok(answer)
        found += answer.body[member]
        cursor = answer.body["next_cursor"]
        if cursor is None:
            break
    return found


def _subject(detail: dict[str, Any]) -> str:
    user = detail.get("user")
    return str(user["email"] if user else detail.get("name", ""))


def _rest(detail: dict[str, Any]) -> str:
    return " ".join(f"{name}={value}" for name, value in detail.items() if name not in {"user", "name"})
