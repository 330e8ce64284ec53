"""What every request passes before its resource, in the contract's order."""

import hmac
import logging
import time
from typing import Any
from uuid import uuid4

from falcon.asgi import Request, Response

from api import body, tokens
from api.address import AddressResolver, peer
from api.calls import Calls
from api.cookies import SessionCookie
from api.headers import lines
from api.outcomes import refusal
from api.problems import Problem
from api.resource import Resource
from api.security_headers import security_headers
from knowledgehub import logs

LOGIN_CSRF_TOKEN = "login"  # noqa: S105 (a constant: there is no session yet to derive one from)

_SAFE_METHODS = frozenset({"GET", "HEAD"})

logger = logging.getLogger(__name__)


class Guard:
    """Middleware: headers of every answer; session, forgery, media type, size and JSON of every request.

    Leaves in `req.context`: request_id; address (the effective one, or None); token and session (its hash)
    where one is needed; body if sent.
    """

    def __init__(
        self, calls: Calls, cookie: SessionCookie, resolver: AddressResolver, public_origin: str
    ) -> None:
        self._calls = calls
        self._cookie = cookie
        self._resolver = resolver
        self._origin = public_origin.encode()
        self._headers = security_headers(public_origin)

    async def process_request(self, req: Request, resp: Response) -> None:
        """Name the request and set what every answer carries."""
        req.context.started = time.monotonic()
        req.context.request_id = uuid4().hex
        req.context.address = self._resolver.resolve(peer(req), lines(req, b"x-forwarded-for"))
        logs.request_id.set(req.context.request_id)
        logs.job_id.set(None)
        resp.set_headers(self._headers)
        resp.set_header("X-Request-Id", req.context.request_id)

    async def process_resource(
        self, req: Request, _resp: Response, resource: Resource, params: dict[str, Any]
    ) -> None:
        """Refuse what may not reach the resource. Raises Problem."""
        if "job" in params:
            logs.job_id.set(str(params["job"]))
        if not hasattr(resource, f"on_{req.method.lower()}"):
            return  # OPTIONS, or a method that is about to be refused
        safe = req.method in _SAFE_METHODS
        public = req.method in resource.public_methods
        if not public:
            await self._authenticate(req, check_now=not safe)
        if not safe:
            self._refuse_forgery(req, LOGIN_CSRF_TOKEN if public else tokens.csrf_token(req.context.token))
            await self._take_body(req, resource)
        if not public and not (safe and resource.polled):
            await self._calls.touch_session(req.context.session)

    async def process_response(
        self, req: Request, resp: Response, _resource: object, _succeeded: bool
    ) -> None:
        """Take in an unread body and log the request."""
        if not req.stream.eof:
            await body.discard(req)
        logger.info(
            "request",
            extra={
                "method": req.method,
                "path": req.path,
                "status": resp.status_code,
                "milliseconds": round((time.monotonic() - req.context.started) * 1000, 1),
            },
        )

    async def _authenticate(self, req: Request, *, check_now: bool) -> None:
        """Read the session. The functions check it themselves: the order of refusals asks for it here."""
        token = self._cookie.read(lines(req, b"cookie"))
        if token is None:
            raise Problem("unauthenticated")
        req.context.token = token
        req.context.session = tokens.digest(token)
        if check_now:
            answer = await self._calls.describe_session(req.context.session)
            if answer.outcome != "ok":
                raise refusal(answer)

    def _refuse_forgery(self, req: Request, csrf_token: str) -> None:
        if any(value != b"same-origin" for value in lines(req, b"sec-fetch-site")):
            raise Problem("csrf", "The request comes from another site (Sec-Fetch-Site).")
        if any(value != self._origin for value in lines(req, b"origin")):
            origin = self._origin.decode()
            raise Problem(
                "csrf",
                f"This server is {origin}, and the request comes from another origin: open {origin} instead,"
                " or set KNOWLEDGEHUB_PUBLIC_ORIGIN to the address in use.",
            )
        sent = lines(req, b"x-csrf-token")
        if len(sent) != 1 or not hmac.compare_digest(sent[0], csrf_token.encode()):
            words = "X-CSRF-Token is missing or wrong: send the session's csrf_token; to sign in, send login."
            raise Problem("csrf", words)

    async def _take_body(self, req: Request, resource: Resource) -> None:
        has_body = bool(req.content_length) or bool(lines(req, b"transfer-encoding"))
        data = b""
        if has_body:
            types = [value.strip(b" \t").lower() for value in lines(req, b"content-type")]
            if types != [b"application/json"]:
                raise Problem("media-type")
            data = await body.read(req, resource.body_limit)
        if data:
            req.context.body = body.parse(data)
        elif req.method in resource.body_methods:
            raise Problem("malformed", "The request needs a JSON body, and has none.")
