"""/api/session: signing in, looking, signing out."""

import json

from falcon.asgi import Request, Response

from api import tokens
from api.calls import Answer, Calls
from api.cookies import SessionCookie
from api.outcomes import render
from api.passwords import Passwords
from api.problems import Problem, invalid
from api.resource import Resource

_MOST_ERRORS = 100


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
        token = tokens.new()
        answer = await self._open(email, password, token)
        if answer.outcome == "credentials":
            # The hash was replaced meanwhile, perhaps by another sign-in with the same password.
            answer = await self._open(email, password, token)
        render(_with_csrf(answer, token), resp)
        resp.append_header("Set-Cookie", self._cookie.issue(token))

    async def on_delete(self, req: Request, resp: Response) -> None:
        """Sign out."""
        render(await self._calls.end_session(req.context.session), resp)
        resp.append_header("Set-Cookie", self._cookie.clear())

    async def _open(self, email: str, password: str, token: str) -> Answer:
        """Verify the password and start the session. Raises Problem `credentials` where it is wrong."""
        found = await self._calls.find_credentials(email)
        if not await self._passwords.verify(found and found.password_hash, password) or found is None:
            raise Problem("credentials")
        new_hash = await self._passwords.rehash(found.password_hash, password)
        return await self._calls.open_session(
            found.user_id, found.password_hash, tokens.digest(token), new_hash
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
