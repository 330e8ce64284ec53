"""Request bodies: read within a limit, and JSON taken strictly."""

import asyncio
import json
import math
import re
from contextlib import suppress
from typing import Any, NoReturn

from falcon.asgi import Request

from api.problems import Problem

MOST_LEVELS = 64
"""How deep arrays and objects may nest."""

MOST_VALUES = 20_000
"""How many values a body may hold: twice as many as the tags of a page that are looked at."""

# Also one that never ends, so that no text is gone through twice.
_STRING = re.compile(rb'"(?:[^"\\]|\\.?)*+"?', re.DOTALL)
BODY_SECONDS = 60
"""How long a body may take to arrive."""

_DISCARDED_BYTES = 8 * 1024 * 1024
_DISCARDING_SECONDS = 2


async def read(req: Request, limit: int) -> bytes:
    """Return the whole body, however it is framed.

    Raises Problem: `too-large` over `limit` bytes, `malformed` when it ended early, `request-timeout`.
    """
    announced = req.content_length
    if announced is not None and announced > limit:
        raise _too_large(limit)
    try:
        async with asyncio.timeout(BODY_SECONDS):
            data: bytes = await req.stream.read(limit + 1)
    except TimeoutError:
        raise Problem("request-timeout") from None
    if len(data) > limit:
        raise _too_large(limit)
    if announced is not None and len(data) < announced:
        raise Problem("malformed", "The body ended before its announced length.")
    return data


async def discard(req: Request) -> None:
    """Take in what is left of a body, within bounds.

    A client that is still sending gets a reset instead of its answer when the connection is closed on it.
    """
    left = _DISCARDED_BYTES
    with suppress(TimeoutError):
        async with asyncio.timeout(_DISCARDING_SECONDS):
            while left > 0 and not req.stream.eof:
                left -= len(await req.stream.read(min(left, 65_536)))


def parse(data: bytes) -> object:
    """Return the value of a JSON text (RFC 8259) in UTF-8.

    Raises Problem `malformed` for anything else, and for what parsers disagree about or the database cannot
    store: duplicate names, numbers without a finite double, NUL, lone surrogates, absurd nesting.
    """
    # Counted first: to parse, and to look through, a body of very many values would hold up everybody.
    bare = _STRING.sub(b"", data)
    if bare.count(b",") + bare.count(b"[") + bare.count(b"{") > MOST_VALUES:
        raise Problem("malformed", f"The body has more than {MOST_VALUES} values.")
    try:
        value: object = json.loads(
            data.decode(), object_pairs_hook=_object, parse_float=_finite, parse_constant=_refuse_constant
        )
        _check(value)
    except UnicodeDecodeError:
        raise Problem("malformed", "The body is not UTF-8.") from None
    except json.JSONDecodeError as error:
        raise Problem(
            "malformed", f"The body is not JSON: line {error.lineno}, column {error.colno} is wrong."
        ) from None
    except RecursionError:
        raise _too_deep() from None
    except ValueError:
        # Python's own limit on the digits of an integer.
        raise Problem("malformed", "The body has a number that is too long.") from None
    return value


def _object(members: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(members)
    if len(value) < len(members):
        raise Problem("malformed", "An object in the body has two members of the same name.")
    return value


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise Problem("malformed", "The body has a number that is out of range.")
    return number


def _refuse_constant(name: str) -> NoReturn:
    raise Problem("malformed", f"The body has {name}, which is not JSON.")


def _check(value: object) -> None:
    pending: list[tuple[object, int]] = [(value, 0)]
    while pending:
        part, level = pending.pop()
        if isinstance(part, str):
            _check_text(part)
        elif isinstance(part, dict | list):
            if level == MOST_LEVELS:
                raise _too_deep()
            pending.extend((member, level + 1) for member in part)
            if isinstance(part, dict):
                pending.extend((member, level + 1) for member in part.values())


def _check_text(text: str) -> None:
    if "\0" in text:
        raise Problem("malformed", "The body has the character NUL (U+0000), which cannot be stored.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Problem("malformed", "The body has a lone surrogate, which is half a character.") from None


def _too_large(limit: int) -> Problem:
    return Problem("too-large", f"The body is larger than {limit} bytes: send less.")


def _too_deep() -> Problem:
    return Problem("malformed", f"The body nests arrays and objects deeper than {MOST_LEVELS} levels.")
