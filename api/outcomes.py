"""How the outcomes of the database's functions become HTTP answers."""

from collections.abc import Mapping
from typing import Any

import falcon
from falcon.asgi import Response

from api import etags
from api.calls import Answer
from api.problems import Problem

SUCCESSES = {"ok": 200, "created": 201, "replayed": 200, "asked": 202}
"""Outcome -> status; `ok` without a body is 204."""

REFUSALS = {
    "unauthenticated": "unauthenticated",
    "credentials": "credentials",
    "not_administrator": "not-administrator",
    "not_editor": "not-editor",
    "not_member": "not-member",
    "not_found": "not-found",
    "idempotency_conflict": "idempotency-key-reused",
    "archive_gone": "archive-gone",
    "terminal": "already-terminal",
    "version_mismatch": "version-mismatch",
    "invalid": "validation",
    "course_too_large": "course-too-large",
    "capacity": "capacity",
    "request_budget": "request-budget",
    "login_throttled": "login-throttled",
}
"""Outcome -> problem code, which knows its status and title."""

_CAPACITY = {
    "MaxPendingPerWorkspace": "This workspace already has {value} jobs queued or running: let one end.",
    "MaxPendingPerActor": "You already have {value} jobs queued or running here: let one end.",
    "MaxCreatedPerDay": "This workspace has had its {value} jobs in 24 hours: try again in {retry_after} s.",
}


def render(answer: Answer, resp: Response) -> None:
    """Set status and body of `resp` from a function's answer. Raises Problem where it is a refusal."""
    if answer.outcome not in SUCCESSES:
        raise refusal(answer)
    if answer.body is None:
        resp.status = 204
        return
    resp.status = SUCCESSES[answer.outcome]
    resp.content_type = falcon.MEDIA_JSON
    resp.data = answer.body


def refusal(answer: Answer) -> Problem:
    """Return the problem that a refusal is."""
    detail: Mapping[str, Any] = answer.detail or {}
    headers = {}
    if "retry_after" in detail:
        headers["Retry-After"] = str(detail["retry_after"])
    if "etag" in detail:
        headers["ETag"] = etags.strong(detail["etag"])
    members = {name: detail[name] for name in ("errors", "limit", "value") if name in detail}
    return Problem(REFUSALS[answer.outcome], _text(answer.outcome, detail), headers=headers, **members)


def _text(outcome: str, detail: Mapping[str, Any]) -> str | None:
    match outcome:
        case "capacity":
            text = _CAPACITY.get(detail["limit"])
            return text and text.format_map(detail)
        case "request_budget":
            return f"Too many requests for jobs from your address: try again in {detail['retry_after']} s."
        case "login_throttled":
            return f"Too many sign-ins that failed: try again in {detail['retry_after']} s."
        case _:
            return None
