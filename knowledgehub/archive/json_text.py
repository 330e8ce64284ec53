"""Strings as JSON that is YAML too."""

import json
import re

# Of these JSON wants nothing, but YAML wants an escape for some (DEL to U+009F, line breaks, U+FFFE) and so
# does whoever reads the file for others: they are invisible, or turn the text around them.
_UNSEEN = re.compile(
    "[\x7f-\xa0\xad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ud800-\udfff\ufeff\ufff0-\ufffb\ufffe\uffff]"
)
_SURROGATE = re.compile("[\ud800-\udfff]")
_encode = json.JSONEncoder(ensure_ascii=False).encode


def json_text(text: str) -> str:
    """Return a JSON string in one line that a reader of YAML 1.1 or 1.2 takes for the same text."""
    encoded = _encode(text)
    return _UNSEEN.sub(_escape, encoded) if not encoded.isascii() or "\x7f" in encoded else encoded


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def is_storable(text: str) -> bool:
    """Tell whether the database can keep ``text``: JSON can write a NUL and half a surrogate pair too."""
    return "\0" not in text and (text.isascii() or not _SURROGATE.search(text))
