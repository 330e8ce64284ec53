"""The manifest of an archive, read line by line and without trust."""

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

from knowledgehub.archive.backup_writer import FORMAT
from knowledgehub.archive.json_text import is_storable

_MAXIMUM_LINE = 256 * 1024
_FORMAT = re.compile(rb'"format": ([0-9]{1,9}),')
_PAGES = b'"pages": {'
_HEAD_LINES = 16  # beside those of courses and members
_WRONG_HEAD = "what it says of the workspace is not of this format"
_SHA256 = re.compile(r"[0-9a-f]{64}")


Element = TypeVar("Element")


class ManifestError(Exception):
    """The manifest cannot be read; the message says why."""


class UnknownFormatError(Exception):
    """The archive is of a format made by a later version; the message says so, in one line."""


class Course(NamedTuple):
    """A course of a backup; ``folder`` is where its pages are."""

    id: UUID
    title: str
    folder: str
    page_count: int


class PageLine(NamedTuple):
    """What the manifest says of a page: the SHA-256 and the size in bytes are of the entry's file."""

    id: UUID
    entry: str
    sha256: bytes
    size: int


class Manifest:
    """The head of a manifest; its pages come one by one."""

    def __init__(self, chunks: Iterator[bytes]) -> None:
        """Read up to the pages. Raises :class:`ManifestError`, :class:`UnknownFormatError`."""
        self._lines = _lines(chunks)
        self.courses: list[Course] = []
        head, listed_members = self._read_head()
        try:
            counts = head["counts"]
            self.title = _text(head["workspace"]["title"])
            self.pages, self.members = _number(counts["pages"]), _number(counts["members"])
            if _list(head["courses"]) or _list(head["members"]):
                raise ManifestError("it does not list a course and a member a line")
            if len(self.courses) != _number(counts["courses"]):
                raise ManifestError(f"it counts {counts['courses']} courses and lists {len(self.courses)}")
            if self.members != listed_members:
                raise ManifestError(f"it counts {self.members} members and lists {listed_members}")
        except (KeyError, TypeError, ValueError) as error:
            raise ManifestError(_WRONG_HEAD) from error

    def read_pages(self) -> Iterator[PageLine]:
        """Read the pages, in the order of their entries. Raises :class:`ManifestError`."""
        ids: set[int] = set()
        while (line := next(self._lines, b"")) != b"}":
            page = _page(line)
            if page.id.int in ids:
                raise ManifestError(f"page {page.id} is in it twice")
            ids.add(page.id.int)
            yield page
        if list(self._lines) != [b"}", b""]:
            raise ManifestError("something follows its pages")

    def _read_head(self) -> tuple[dict[str, Any], int]:
        """Read all before the pages: courses and members, which may be very many, line by line.

        Return what is there beside them, and how many members there are.
        """
        lines: list[bytes] = []
        members = 0
        for line in self._lines:
            if len(lines) == 1:
                _require_format(line)
            elif len(lines) > _HEAD_LINES:
                raise ManifestError(_WRONG_HEAD)
            lines.append(line)
            if line == b'"courses": [':
                self.courses += self._read_list(_course)
                lines.append(b"],")
            elif line == b'"members": [':
                members += sum(1 for _ in self._read_list(_member))
                lines.append(b"],")
            elif line.startswith(_PAGES):
                break
        else:
            raise ManifestError("it lists no pages")
        if lines[-1] == _PAGES + b"}":
            self._lines = iter([b"}", *self._lines])
        elif lines[-1] != _PAGES:
            raise ManifestError("it does not list a page a line")
        lines[-1] = _PAGES + b"}}"
        return _parse(b"\n".join(lines)), members

    def _read_list(self, read: Callable[[dict[str, Any]], Element]) -> Iterator[Element]:
        for line in self._lines:
            if line == b"],":
                return
            try:
                yield read(_parse(line.removesuffix(b",")))
            except (KeyError, TypeError, ValueError) as error:
                raise ManifestError(_WRONG_HEAD) from error


def _course(value: dict[str, Any]) -> Course:
    return Course(
        _uuid(value["id"]), _text(value["title"]), _text(value["folder"]), _number(value["page_count"])
    )


def _member(value: dict[str, Any]) -> None:
    for name in ("email", "name", "role"):
        _text(value[name])
    if not isinstance(value["enabled"], bool):
        raise TypeError


def _require_format(line: bytes) -> None:
    match = _FORMAT.fullmatch(line)
    if match is None:
        raise ManifestError("it does not begin with its format")
    if (found := int(match[1])) != FORMAT:
        raise UnknownFormatError(
            f"it is of format {found}, and this version knows format {FORMAT} only: use a later version"
        )


def _lines(chunks: Iterator[bytes]) -> Iterator[bytes]:
    rest = b""
    for chunk in chunks:
        *lines, rest = (rest + chunk).split(b"\n")
        yield from lines
        if len(rest) > _MAXIMUM_LINE:
            raise ManifestError(f"it has a line of over {_MAXIMUM_LINE:,} bytes")
    yield rest


def _page(line: bytes) -> PageLine:
    value = _parse(b"{" + line.removesuffix(b",") + b"}")
    try:
        ((page_id, page),) = value.items()
        sha256 = _text(page["sha256"])
        if not _SHA256.fullmatch(sha256):
            raise ManifestError(f"page {page_id} has no SHA-256 in it")
        return PageLine(_uuid(page_id), _text(page["entry"]), bytes.fromhex(sha256), _number(page["size"]))
    except (KeyError, TypeError, ValueError) as error:
        raise ManifestError("it has a line that is no page's") from error


def _parse(text: bytes) -> dict[str, Any]:
    try:
        value = json.loads(text.decode(), object_pairs_hook=_unique)
    except (ValueError, RecursionError) as error:
        raise ManifestError("it is not JSON in UTF-8") from error
    if not isinstance(value, dict):
        raise ManifestError("it is no JSON object")
    return value


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ManifestError("it gives a name twice")
    return members


def _text(value: object) -> str:
    if not isinstance(value, str) or not is_storable(value):
        raise TypeError
    return value


def _list(value: object) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError
    return value


def _number(value: object) -> int:
    if type(value) is not int or value < 0:
        raise TypeError
    return value


def _uuid(value: object) -> UUID:
    found = UUID(_text(value))
    if str(found) != value:
        raise ValueError
    return found
