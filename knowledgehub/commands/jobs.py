"""``jobs``."""

import time
from typing import Any
from uuid import UUID

import click

from knowledgehub.commands.output import json_option, one_line, show, table
from knowledgehub.commands.progress import progress
from knowledgehub.commands.refusal import refusal, require_ok
from knowledgehub.commands.session import WorkspaceParameter, operator

_MAXIMUM_LIMIT = 500
_WATCH_SECONDS = 0.3
_BAR_WIDTH = 30


@click.group()
def jobs() -> None:
    """Jobs of any workspace."""


@jobs.command("list")
@click.argument("workspace", type=WorkspaceParameter())
@click.option("--limit", type=click.IntRange(1, _MAXIMUM_LIMIT), default=50, show_default=True)
@click.option("--cursor", help="Go on where an earlier list ended.")
@json_option
def list_jobs(workspace: UUID, limit: int, cursor: str | None, as_json: bool) -> None:
    """List a workspace's jobs, newest first."""
    with operator() as calls:
        answer = calls.list_jobs(workspace, cursor, limit)
    require_ok(answer, not_found=f"there is no workspace {workspace}: see `knowledgehub workspace list`")
    heads = ("id", "kind", "state", "processed", "total", "failed", "created", "actor")
    text = table(heads, [_row(job) for job in answer.body["jobs"]])
    if after := answer.body["next_cursor"]:
        text += f"\nolder ones: --cursor {after}"
    show(as_json, answer.body, text)


@jobs.command("show")
@click.argument("job", type=click.UUID)
@json_option
def show_job(job: UUID, as_json: bool) -> None:
    """Show a job."""
    with operator() as calls:
        answer = calls.read_job(job)
    require_ok(answer, not_found=_unknown(job))
    show(as_json, answer.body, _description(answer.body))


@jobs.command("watch")
@click.argument("job", type=click.UUID)
@json_option
def watch_job(job: UUID, as_json: bool) -> None:
    """Show how far a job is until it has ended, then show the job."""
    with operator() as calls, progress() as tell:
        while True:
            answer = calls.read_job(job)
            require_ok(answer, not_found=_unknown(job))
            if answer.body["terminal"]:
                break
            tell(_bar(answer.body))
            time.sleep(_WATCH_SECONDS)
    show(as_json, answer.body, _description(answer.body))


@jobs.command("cancel")
@click.argument("job", type=click.UUID)
@json_option
def cancel_job(job: UUID, as_json: bool) -> None:
    """Cancel a queued job at once, a running one before its next page."""
    with operator() as calls:
        answer = calls.cancel_job(job)
    if answer.outcome == "asked":
        text = f"cancel requested for job {job}: its worker stops before the next page"
    elif answer.outcome == "ok":
        runs = answer.body["state"] == "running"
        text = f"cancel already requested for job {job}" if runs else f"job {job} is cancelled"
    elif answer.outcome == "terminal":
        raise refusal(answer, terminal=f"job {job} has {answer.body['state']} already: nothing to cancel")
    else:
        raise refusal(answer, not_found=_unknown(job))
    show(as_json, answer.body, text)


def _unknown(job: UUID) -> str:
    return f"there is no job {job}: see `knowledgehub jobs list WORKSPACE`"


def _state(job: dict[str, Any]) -> str:
    requested = job["cancel_requested_at"] and not job["terminal"]
    return f"{job['state']}, cancel requested" if requested else str(job["state"])


def _bar(job: dict[str, Any]) -> str:
    processed, total = job["progress"]["processed"], job["progress"]["total"]
    part = processed / total if total else 0
    filled = int(part * _BAR_WIDTH)
    bar = "#" * filled + "-" * (_BAR_WIDTH - filled)
    return f"[{bar}] {int(100 * part):3} %  {processed} of {total} pages  {_state(job)}"


def _row(job: dict[str, Any]) -> tuple[object, ...]:
    counts = tuple(job["progress"][name] for name in ("processed", "total", "failed"))
    return (job["id"], job["kind"], _state(job), *counts, job["created_at"], job["actor"]["name"])


def _description(job: dict[str, Any]) -> str:
    counts = job["progress"]
    lines = {
        "job": job["id"],
        "workspace": job["workspace_id"],
        "kind": job["kind"],
        "state": _state(job),
        **{f"request: {name}": _plain(value) for name, value in job["request"].items()},
        "actor": job["actor"]["name"],
        "progress": f"{counts['processed']} of {counts['total']}: {counts['changed']} changed,"
        f" {counts['skipped']} skipped, {counts['failed']} failed",
        "attempt": f"{job['attempt']} of {job['max_attempts']}",
        "created": job["created_at"],
        "started": job["started_at"],
        "cancel requested": job["cancel_requested_at"],
        "finished": job["finished_at"],
        "failure": job["failure"] and f"{job['failure']['code']}: {job['failure']['message']}",
        **{f"result: {name}": _plain(value) for name, value in (job["result"] or {}).items()},
    }
    width = max(map(len, lines))
    text = [f"{name:{width}}  {one_line(str(value))}" for name, value in lines.items() if value is not None]
    errors = [[error["page_id"], error["code"], error["page_title"] or ""] for error in job["errors"]]
    if errors:
        text += ["", table(("page", "error", "title"), errors)]
    return "\n".join(text)


def _plain(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
