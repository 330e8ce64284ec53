"""A page as a file: front matter, then the content as it is."""

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from knowledgehub.archive.json_text import is_storable, json_text

_RULE = b"---\n"
_MEMBERS = ("id", "title", "tags", "updated_at")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z", re.ASCII)


class PageFileError(Exception):
    """Not the file of a page; the message says why."""


@dataclass(frozen=True, slots=True)
class BackupPage:
    """A page in a backup."""

    id: UUID
    title: str
    content: str
    tags: list[str]
    updated_at: datetime


def render(page: BackupPage) -> bytes:
    """Return the page's file: the same page always gives the same bytes."""
    tags = ", ".join([json_text(tag) for tag in page.tags])
    return (
        f'---\nid: "{page.id}"\ntitle: {json_text(page.title)}\ntags: [{tags}]\n'
        f'updated_at: "{_time(page.updated_at)}"\n---\n{page.content}'
    ).encode()


def parse(file: bytes) -> BackupPage:
    """Take apart what :func:`render` made. Raises :class:`PageFileError` for anything else."""
    if not file.startswith(_RULE):
        raise PageFileError("does not begin with front matter")
    # A title's line breaks are escaped, so each member is a line.
    *lines, content = file[len(_RULE) :].split(b"\n", len(_MEMBERS) + 1)
    if len(lines) != len(_MEMBERS) + 1 or lines.pop() != b"---":
        raise PageFileError("has front matter without its end")
    try:
        values = [_value(line, member) for line, member in zip(lines, _MEMBERS, strict=True)]
        text = content.decode()
    except UnicodeDecodeError:
        raise PageFileError("is not UTF-8") from None
    page_id, title, tags, updated_at = values
    if not (isinstance(title, str) and isinstance(tags, list) and all(isinstance(tag, str) for tag in tags)):
        raise PageFileError("has front matter with a title or tags that are no texts")
    if "\0" in text or not all(map(is_storable, (title, *tags))):
        raise PageFileError("has a NUL character or half a surrogate pair")
    try:
        return BackupPage(_uuid(page_id), title, text, tags, _read_time(updated_at))
    except (ValueError, TypeError):
        raise PageFileError("has front matter with a wrong id or time") from None


def _time(time: datetime) -> str:
    return time.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def _value(line: bytes, member: str) -> object:
    name, _, value = line.decode().partition(": ")
    if name != member:
        raise PageFileError(f"has front matter without {member} in its place")
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        raise PageFileError(f"has front matter in which {member} cannot be read") from None


def _uuid(value: object) -> UUID:
    if not isinstance(value, str) or str(found := UUID(value)) != value:
        raise ValueError
    return found


def _read_time(value: object) -> datetime:
    if not isinstance(value, str) or not _TIME.fullmatch(value):
        raise ValueError
    return datetime.fromisoformat(value)
