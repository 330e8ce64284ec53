"""Query parameters. Those nobody asks for are ignored."""

import re
from collections.abc import Collection
from uuid import UUID

from falcon.asgi import Request

from api.problems import invalid

DEFAULT_LIMIT = 50
MOST_LIMIT = 500

UUID_TEXT = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")


def text(req: Request, name: str) -> str | None:
    """Return a parameter's value, or None. Raises Problem `validation` when repeated or holding NUL."""
    value = req.params.get(name)
    if isinstance(value, list):
        raise invalid(f"/{name}", "must be given once")
    if value is not None and "\0" in value:
        raise invalid(f"/{name}", "must not contain NUL")
    return value


def identifier(req: Request, name: str) -> UUID | None:
    """Return a parameter's value as an id, or None. Raises Problem `validation` when it is none."""
    value = text(req, name)
    if value is None:
        return None
    if not UUID_TEXT.fullmatch(value):
        raise invalid(f"/{name}", "must be an id (a UUID)")
    return UUID(value)


def choice(req: Request, name: str, choices: Collection[str]) -> str | None:
    """Return a parameter's value, or None. Raises Problem `validation` when it is none of the choices."""
    value = text(req, name)
    if value is not None and value not in choices:
        raise invalid(f"/{name}", f"must be one of {', '.join(choices)}")
    return value


def limit(req: Request) -> int:
    """Return how many entries a list may have. Raises Problem `validation` unless 1 to 500."""
    value = text(req, "limit")
    if value is None:
        return DEFAULT_LIMIT
    if not re.fullmatch(r"[0-9]{1,9}", value) or not 1 <= int(value) <= MOST_LIMIT:
        raise invalid("/limit", f"must be a whole number from 1 to {MOST_LIMIT}")
    return int(value)
