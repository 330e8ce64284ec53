"""Entity tags and the conditions on them (RFC 9110, sections 8.8.3 and 13.1)."""

import re

from falcon.asgi import Request

from api.headers import lines
from api.problems import Problem

_TAG = r'(?:W/)?"[\x21\x23-\x7e\x80-\xff]*"'
_LIST = re.compile(rf"[ \t,]*{_TAG}(?:[ \t]*,[ \t,]*{_TAG})*[ \t,]*")


def strong(opaque: object) -> str:
    """Return the strong entity tag with this opaque part."""
    return f'"{opaque}"'


def none_match(req: Request, etag: str) -> bool:
    """Return whether If-None-Match leaves nothing to send: `etag` is listed, compared weakly, or it is `*`.

    A malformed field is ignored.
    """
    field = b", ".join(lines(req, b"if-none-match")).decode("latin-1")
    if field.strip(" \t") == "*":
        return True
    if not _LIST.fullmatch(field):
        return False
    return etag in (tag.removeprefix("W/") for tag in re.findall(_TAG, field))


def if_match(req: Request) -> str:
    """Return the opaque part of the one entity tag in If-Match, or `*`.

    A weak tag comes back whole, so that it equals no opaque part: it never matches strongly.
    Raises Problem: `precondition-required` without the header, `bad-request` for a list or anything else.
    """
    values = lines(req, b"if-match")
    if not values:
        raise Problem("precondition-required")
    field = b", ".join(values).decode("latin-1").strip(" \t")
    if field == "*":
        return field
    if not re.fullmatch(_TAG, field):
        raise Problem("bad-request", 'If-Match takes one entity tag in double quotes, as in "5f1c…", or *.')
    # Quoted, a star is a tag like any other, which no page has.
    return field if field.startswith("W/") or field == '"*"' else field[1:-1]
