"""Jobs: creating, listing, reading, cancelling; their page errors and the audit trail."""

import re
from collections.abc import Awaitable, Callable
from typing import Any
from uuid import UUID

from falcon.asgi import Request, Response

from api import etags, query
from api.address import UNKNOWN, effective_address
from api.calls import Answer
from api.headers import lines
from api.outcomes import refusal, render
from api.problems import Problem
from api.resource import CallingResource, Resource
from knowledgehub import logs

STATES = ("queued", "running", "succeeded", "failed", "cancelled")

_KEY = re.compile(rb'(?P<quote>"?)(?P<key>[A-Za-z0-9._:-]{1,128})(?P=quote)')


class Jobs(CallingResource):
    """/api/workspaces/{workspace}/jobs."""

    body_methods = frozenset({"POST"})
    polled = True

    async def on_get(self, req: Request, resp: Response, workspace: UUID) -> None:
        """List the jobs, newest first."""
        answer = await self._calls.list_jobs(
            req.context.session,
            workspace,
            state=query.choice(req, "state", STATES),
            kind=query.text(req, "kind"),
            cursor=query.text(req, "cursor"),
            limit=query.limit(req),
        )
        render(answer, resp)

    on_head = on_get

    async def on_post(self, req: Request, resp: Response, workspace: UUID) -> None:
        """Create a job, or find the one this key already made."""
        key = _idempotency_key(req)
        address = effective_address(req)
        budget = await self._calls.charge_request_budget(address or UNKNOWN)
        if budget.outcome != "ok":
            raise refusal(budget)
        answer = await self._calls.create_job(
            req.context.session, workspace, key=key, body=req.context.body, address=address
        )
        render(answer, resp)
        detail = _detail(answer)
        logs.job_id.set(detail["job_id"])
        resp.location = f"/api/workspaces/{workspace}/jobs/{detail['job_id']}"
        resp.set_header("ETag", etags.strong(detail["version"]))
        if answer.outcome == "replayed":
            resp.set_header("Idempotency-Replayed", "true")


class Job(CallingResource):
    """GET /api/workspaces/{workspace}/jobs/{job}."""

    polled = True

    async def on_get(self, req: Request, resp: Response, workspace: UUID, job: UUID) -> None:
        """Read the snapshot."""
        answer = await self._calls.read_job(req.context.session, workspace, job)
        render(answer, resp)
        etag = etags.strong(_detail(answer)["version"])
        resp.set_header("ETag", etag)
        if etags.none_match(req, etag):
            resp.status = 304

    on_head = on_get


class Cancel(CallingResource):
    """POST /api/workspaces/{workspace}/jobs/{job}/cancel."""

    async def on_post(self, req: Request, resp: Response, workspace: UUID, job: UUID) -> None:
        """Cancel the job, or ask its worker to."""
        address = effective_address(req)
        answer = await self._calls.cancel_job(req.context.session, workspace, job, address)
        render(answer, resp)
        resp.set_header("ETag", etags.strong(_detail(answer)["version"]))


class Entries(Resource):
    """GET …/jobs/{job}/errors, …/jobs/{job}/audit and …/audit: lists that differ only in the call."""

    polled = True

    def __init__(self, read: Callable[..., Awaitable[Answer]]) -> None:
        """Take one of the calls with the arguments session, workspace, perhaps job, cursor and limit."""
        self._read = read

    async def on_get(self, req: Request, resp: Response, **ids: UUID) -> None:
        """List the entries."""
        cursor, limit = query.text(req, "cursor"), query.limit(req)
        render(await self._read(req.context.session, **ids, cursor=cursor, limit=limit), resp)

    on_head = on_get


class TaggingPreview(CallingResource):
    """POST /api/workspaces/{workspace}/courses/{course}/tagging-preview."""

    body_methods = frozenset({"POST"})

    async def on_post(self, req: Request, resp: Response, workspace: UUID, course: UUID) -> None:
        """Count what a tagging would change."""
        answer = await self._calls.preview_tagging(req.context.session, workspace, course, req.context.body)
        render(answer, resp)


def _idempotency_key(req: Request) -> str:
    values = lines(req, b"idempotency-key")
    if not values:
        raise Problem("idempotency-key-required")
    match = _KEY.fullmatch(values[0].strip(b" \t"))
    if len(values) > 1 or match is None:
        raise Problem("idempotency-key-invalid")
    return match["key"].decode()


def _detail(answer: Answer) -> dict[str, Any]:
    assert answer.detail is not None  # noqa: S101 (a job's answer says its version)
    return answer.detail
