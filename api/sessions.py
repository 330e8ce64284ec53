"""/api/session: signing in, looking, signing out."""

import asyncio
import json

from falcon.asgi import Request, Response

from api import tokens
from api.address import UNKNOWN, effective_address
from api.calls import Answer, Calls
from api.cookies import SessionCookie
from api.headers import lines
from api.outcomes import refusal, render
from api.passwords import Passwords
from api.problems import Problem, invalid
from api.resource import Resource

_MOST_ERRORS = 100
_CROWDED = "Too many people sign in at this moment: try again in 2 s."
_CROWDED_SECONDS = 2


class Session(Resource):
    """The caller's own session."""

    public_methods = frozenset({"POST"})
    body_methods = frozenset({"POST"})

    def __init__(self, calls: Calls, passwords: Passwords, cookie: SessionCookie) -> None:
        self._calls = calls
        self._passwords = passwords
        self._cookie = cookie

    async def on_get(self, req: Request, resp: Response) -> None:
        """Tell who is signed in and what he reaches."""
        render(_with_csrf(await self._calls.describe_session(req.context.session), req.context.token), resp)

    on_head = on_get

    async def on_post(self, req: Request, resp: Response) -> None:
        """Sign in."""
        email, password = _credentials(req.context.body)
        address = effective_address(req) or UNKNOWN
        if self._passwords.crowded:
            raise Problem("login-throttled", _CROWDED, headers={"Retry-After": str(_CROWDED_SECONDS)})
        charge = await self._calls.charge_sign_in(email, address)
        if charge.outcome != "ok" or charge.detail is None:
            raise refusal(charge)
        await asyncio.sleep(charge.detail["delay_ms"] / 1000)
        token = tokens.new()
        answer = await self._open(email, password, token, address)
        if answer is not None and answer.outcome == "credentials":
            # The hash was replaced meanwhile, perhaps by another sign-in with the same password.
            answer = await self._open(email, password, token, address)
        if answer is None or answer.outcome == "credentials":
            answer = await self._calls.refuse_sign_in(email, address)
        render(_with_csrf(answer, token), resp)
        resp.append_header("Set-Cookie", self._cookie.issue(token))
        # The browser forgets the session it had: nobody else shall remember it.
        former = self._cookie.read(lines(req, b"cookie"))
        if former is not None:
            await self._calls.end_session(tokens.digest(former))

    async def on_delete(self, req: Request, resp: Response) -> None:
        """Sign out."""
        render(await self._calls.end_session(req.context.session), resp)
        resp.append_header("Set-Cookie", self._cookie.clear())

    async def _open(self, email: str, password: str, token: str, address: str) -> Answer | None:
        """Verify the password, once whoever it is, and start the session; None where it is wrong."""
        found = await self._calls.find_credentials(email)
        if not await self._passwords.verify(found and found.password_hash, password) or found is None:
            return None
        new_hash = await self._passwords.rehash(found.password_hash, password)
        return await self._calls.open_session(
            found.user_id, found.password_hash, tokens.digest(token), new_hash, address
        )


def _credentials(body: object) -> tuple[str, str]:
    if not isinstance(body, dict):
        raise invalid("", "must be an object")
    errors = [
        {"pointer": f"/{name}", "message": "is missing" if name not in body else "must be a text"}
        for name in ("email", "password")
        if not isinstance(body.get(name), str)
    ]
    errors += [
        {"pointer": f"/{_escaped(name)}", "message": "is not known here"}
        for name in body
        if name not in {"email", "password"}
    ]
    if errors:
        raise Problem("validation", errors=errors[:_MOST_ERRORS])
    return body["email"], body["password"]


def _escaped(name: str) -> str:
    """As a JSON Pointer (RFC 6901) writes it."""
    return name.replace("~", "~0").replace("/", "~1")


def _with_csrf(answer: Answer, token: str) -> Answer:
    if answer.body is None:
        return answer
    body = json.loads(answer.body) | {"csrf_token": tokens.csrf_token(token)}
    return Answer(answer.outcome, answer.detail, json.dumps(body, ensure_ascii=False).encode())
