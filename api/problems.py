"""Errors as problem details (RFC 9457), and the pages their types point to."""

import json
import logging
from dataclasses import dataclass
from html import escape
from typing import Any

import falcon
from falcon.asgi import Request, Response, WebSocket

from api.calls import Unavailable
from api.resource import Resource

MEDIA_TYPE = "application/problem+json"
RETRY_SECONDS = 5
"""What a client is asked to wait when the database cannot serve."""

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ProblemType:
    """What all problems of one code share; `text` tells the client what to do."""

    status: int
    title: str
    text: str


PROBLEMS = {
    "bad-request": ProblemType(400, "Bad request", "The request is not HTTP as this server understands it."),
    "malformed": ProblemType(
        400,
        "Malformed request",
        "Send one JSON text in UTF-8, without duplicate names, NUL or lone surrogates.",
    ),
    "idempotency-key-required": ProblemType(
        400,
        "Idempotency key missing",
        "Send the header Idempotency-Key with a value of your own; repeat the request with the same value.",
    ),
    "idempotency-key-invalid": ProblemType(
        400,
        "Idempotency key not usable",
        "Idempotency-Key is one value of 1 to 128 characters A-Z a-z 0-9 . _ : -, bare or in double quotes.",
    ),
    "unauthenticated": ProblemType(401, "Not signed in", "There is no session, or it has ended: sign in."),
    "credentials": ProblemType(
        401, "Wrong e-mail or password", "No enabled user has this e-mail and this password: check both."
    ),
    "csrf": ProblemType(
        403,
        "Request not from the page",
        "Send the request from the public origin, with the session's csrf_token in the header X-CSRF-Token.",
    ),
    "not-administrator": ProblemType(
        403, "Administrators only", "Only an enabled administrator of the workspace may do this: ask one."
    ),
    "not-editor": ProblemType(
        403,
        "Editors only",
        "Only an administrator or editor of the workspace may do this: ask an administrator.",
    ),
    "not-member": ProblemType(
        403,
        "Membership disabled",
        "Your membership of the workspace is disabled: ask an administrator of it.",
    ),
    "not-found": ProblemType(
        404, "Not found", "Nothing is here, or nothing that you may see: check the address."
    ),
    "method-not-allowed": ProblemType(
        405,
        "Method not allowed",
        "This address does not take that method: use one of those in the header Allow.",
    ),
    "request-timeout": ProblemType(
        408, "Body too slow", "The body did not arrive in a minute: send it again, faster."
    ),
    "already-terminal": ProblemType(
        409, "Job already ended", "The job has succeeded or failed, so there is nothing left to cancel."
    ),
    "idempotency-key-reused": ProblemType(
        409,
        "Idempotency key already used",
        "This key stands for a different request: use a new key for a new request.",
    ),
    "archive-gone": ProblemType(
        410,
        "Archive gone",
        "This backup's archive was deleted, or is missing from the backup folder: make a new backup.",
    ),
    "version-mismatch": ProblemType(
        412, "Changed meanwhile", "It was changed since you read it: read it again and repeat your change."
    ),
    "too-large": ProblemType(413, "Body too large", "The body is larger than this address takes: send less."),
    "media-type": ProblemType(
        415, "Media type not supported", "Send the body as JSON with exactly Content-Type: application/json."
    ),
    "range-not-satisfiable": ProblemType(
        416, "Range not satisfiable", "The range begins beyond the end: ask for one within Content-Range."
    ),
    "validation": ProblemType(422, "Not acceptable as given", "Correct what is listed under errors."),
    "course-too-large": ProblemType(
        422, "Course too large", "The course has more pages than one job may tag: use a smaller one."
    ),
    "precondition-required": ProblemType(
        428,
        "Precondition missing",
        "Send the page's ETag in the header If-Match, so that no change gets lost.",
    ),
    "capacity": ProblemType(
        429, "No room for another job", "A limit on jobs is reached: wait as long as Retry-After says."
    ),
    "request-budget": ProblemType(
        429,
        "Too many job requests",
        "Too many requests for jobs from your address: wait as long as Retry-After says.",
    ),
    "login-throttled": ProblemType(
        429,
        "Too many sign-ins",
        "Too many sign-ins failed from your address: wait as long as Retry-After says.",
    ),
    "stream-limit": ProblemType(
        429, "Too many streams", "This session has too many streams open: close one, or poll the job."
    ),
    "internal": ProblemType(
        500, "Internal error", "Something went wrong here: report the request_id to whoever runs this server."
    ),
    "unavailable": ProblemType(
        503, "Temporarily unavailable", "The database cannot serve now: try again after Retry-After seconds."
    ),
    "archives-unavailable": ProblemType(
        503,
        "No archives here",
        "This server has no folder of archives: ask whoever runs it to set KNOWLEDGEHUB_BACKUP_DIR.",
    ),
    "not-ready": ProblemType(503, "Not ready", "This process cannot serve yet, or not at the moment."),
}


class Problem(Exception):  # noqa: N818 (it is what RFC 9457 calls it)
    """An answer that is an error. `members` go into the body beside the standard ones."""

    def __init__(
        self,
        code: str,
        detail: str | None = None,
        *,
        headers: dict[str, str] | None = None,
        **members: object,
    ) -> None:
        super().__init__(code)
        self.code = code
        self.type = PROBLEMS[code]
        self.detail = detail or self.type.text
        self.headers = headers or {}
        self.members = members


def invalid(pointer: str, message: str) -> Problem:
    """Return the problem `validation` with one error."""
    return Problem("validation", errors=[{"pointer": pointer, "message": message}])


class ErrorHandlers:
    """Turns whatever was raised into a problem. `public_origin` stands before its type."""

    def __init__(self, public_origin: str) -> None:
        self._types = f"{public_origin}/problems/"

    def add_to(self, app: falcon.asgi.App[Request, Response]) -> None:
        """Make `app` answer every error with a problem."""
        app.add_error_handler(Exception, self._internal)
        app.add_error_handler(falcon.HTTPError, self._http)
        app.add_error_handler(Unavailable, self._unavailable)
        app.add_error_handler(Problem, self._problem)

    async def _problem(self, req: Request, resp: Response, problem: Problem, _params: dict[str, Any]) -> None:
        resp.status = problem.type.status
        resp.content_type = MEDIA_TYPE
        resp.set_headers(problem.headers)
        body = {
            "type": self._types + problem.code,
            "title": problem.type.title,
            "status": problem.type.status,
            "detail": problem.detail,
            "code": problem.code,
            "request_id": req.context.request_id,
            **problem.members,
        }
        resp.data = json.dumps(body, ensure_ascii=False).encode()

    async def _http(
        self,
        req: Request,
        resp: Response,
        error: falcon.HTTPError,
        params: dict[str, Any],
        ws: WebSocket | None = None,
    ) -> None:
        if ws is not None:
            await ws.close()  # no address takes one: the handshake is refused, there is no `resp`
            return
        code = {404: "not-found", 405: "method-not-allowed"}.get(error.status_code, "bad-request")
        await self._problem(req, resp, Problem(code, headers=dict(error.headers or {})), params)

    async def _unavailable(
        self, req: Request, resp: Response, error: Unavailable, params: dict[str, Any]
    ) -> None:
        logger.warning("database unavailable", exc_info=error)
        problem = Problem("unavailable", headers={"Retry-After": str(RETRY_SECONDS)})
        await self._problem(req, resp, problem, params)

    async def _internal(self, req: Request, resp: Response, error: Exception, params: dict[str, Any]) -> None:
        logger.error("request failed", exc_info=error)
        await self._problem(req, resp, Problem("internal"), params)


class ProblemPage(Resource):
    """GET /problems/{slug}: what a problem's type means, for people."""

    public_methods = frozenset({"GET", "HEAD"})

    async def on_get(self, _req: Request, resp: Response, slug: str) -> None:
        """Answer with a small HTML page."""
        if slug not in PROBLEMS:
            raise Problem("not-found")
        problem = PROBLEMS[slug]
        resp.content_type = "text/html; charset=utf-8"
        resp.text = (
            '<!doctype html><html lang="en"><meta charset="utf-8">'
            '<meta name="viewport" content="width=device-width">'
            f"<title>{escape(problem.title)}</title><h1>{escape(problem.title)}</h1>"
            f"<p>{escape(problem.text)}</p>"
            f"<p>HTTP status {problem.status}, code <code>{slug}</code>.</p></html>\n"
        )

    on_head = on_get
