"""A folder of Markdown files made a course."""

import errno
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

from knowledgehub import front_matter
from knowledgehub.calls import Answer, Operator
from knowledgehub.front_matter import FrontMatterError

MAXIMUM_FILE = 2 * 1024 * 1024
"""Bytes a file may have."""

_BATCH_PAGES = 500
_BATCH_BYTES = 4 * 1024 * 1024


class CourseRefusedError(Exception):
    """The course could not be added at all; ``answer`` is the database's."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.outcome)
        self.answer = answer


@dataclass(frozen=True, slots=True)
class Page:
    """A file taken right: its path below the folder, and what becomes a page."""

    file: str
    title: str
    tags: tuple[str, ...]
    content: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """A file not taken: its path below the folder, and why."""

    file: str
    reason: str


@dataclass(slots=True)
class Import:
    """A finished import: the new course, how many pages it got, and the files that are not among them."""

    course_id: UUID
    pages: int = 0
    refusals: list[Refusal] = field(default_factory=list)


def read_folder(folder: Path) -> Iterator[Page | Refusal]:
    """Read every ``*.md`` file below ``folder``, in the order of their paths, one at a time.

    Paths are compared component by component, characters by code point. A link to a file is followed where it
    stays in the folder, a link to a folder is not: both so that a folder from elsewhere brings only itself.
    Raises OSError if ``folder`` itself cannot be read.
    """
    root = Path(os.path.realpath(folder))
    with os.scandir(root):
        pass
    yield from _walk(root, root)


def import_course(
    operator: Operator,
    workspace: UUID,
    title: str,
    folder: Path,
    seen: Callable[[int], None] = lambda _: None,
) -> Import:
    """Make a course of the files below ``folder``, in one transaction: nobody sees half a course.

    Files that cannot be taken are left out and listed. ``seen`` gets the number of files read so far.
    Raises :class:`CourseRefusedError`, psycopg's errors and, if the folder cannot be read, OSError.
    """
    with operator.connection.transaction():
        added = operator.add_course(workspace, title)
        if added.outcome != "ok":
            raise CourseRefusedError(added)
        result = Import(UUID(added.detail["id"]))
        batch: list[Page] = []
        size = 0
        for number, file in enumerate(read_folder(folder), start=1):
            if isinstance(file, Refusal):
                result.refusals.append(file)
            else:
                file_size = len(file.content.encode())
                if batch and (len(batch) == _BATCH_PAGES or size + file_size > _BATCH_BYTES):
                    _send(operator, batch, result)
                    batch, size = [], 0
                batch.append(file)
                size += file_size
            seen(number)
        _send(operator, batch, result)
    return result


def _send(operator: Operator, batch: list[Page], result: Import) -> None:
    """Append the pages the database takes; it judges titles and tags, and names those it refuses."""
    while batch:
        pages = [{"title": page.title, "content": page.content, "tags": page.tags} for page in batch]
        answer = operator.add_pages(result.course_id, pages)
        if answer.outcome == "ok":
            result.pages += len(batch)
            return
        reasons = _reasons(answer)
        if not reasons:
            raise CourseRefusedError(answer)
        result.refusals += [Refusal(batch[place].file, reason) for place, reason in reasons.items()]
        batch = [page for place, page in enumerate(batch) if place not in reasons]


def _reasons(answer: Answer) -> dict[int, str]:
    """Sort the errors of an ``invalid`` answer by the page they are about: its place in the batch."""
    reasons: dict[int, str] = {}
    errors: list[dict[str, Any]] = answer.detail["errors"] if answer.outcome == "invalid" else []
    for error in errors:
        place, _, member = error["pointer"].removeprefix("/").partition("/")
        if not place.isdigit():
            return {}
        name, _, item = member.partition("/")
        subject = f"tag {int(item) + 1}" if name == "tags" and item else name
        reasons.setdefault(int(place), f"{subject}: {error['message']}")
    return reasons


def _walk(folder: Path, root: Path) -> Iterator[Page | Refusal]:
    try:
        with os.scandir(folder) as entries:
            # By name at each level is by path component in the whole.
            found = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        yield Refusal(_name(folder, root), f"the folder cannot be read: {error.strerror}")
        return
    for entry in found:
        path = Path(entry.path)
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(path, root)
        elif entry.is_symlink() and path.is_dir():
            yield Refusal(_name(path, root), "a link to a folder is not followed")
        elif entry.name.endswith(".md"):
            yield _read_file(path, root)


def _read_file(path: Path, root: Path) -> Page | Refusal:
    name = _name(path, root)
    try:
        text = _read_text(path, root)
        document = front_matter.read(text)
    except OSError as error:
        reason = (
            "a link that leads to itself"
            if error.errno == errno.ELOOP
            else f"cannot be read: {error.strerror}"
        )
        return Refusal(name, reason)
    except (_UnfitError, FrontMatterError) as error:
        return Refusal(name, str(error))
    title = path.name.removesuffix(".md") if document.title is None else document.title
    if not title.isascii() and any("\ud800" <= character <= "\udfff" for character in title):
        return Refusal(name, "its name is not UTF-8 and the page has no title: rename it")
    return Page(name, title, document.tags, document.content)


def _read_text(path: Path, root: Path) -> str:
    target = Path(os.path.realpath(path, strict=True))
    if not target.is_relative_to(root):
        raise _UnfitError("a link that leads out of the folder")
    # Without waiting for a writer, should it be a pipe.
    with os.fdopen(os.open(target, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise _UnfitError("not a regular file")
        data = file.read(MAXIMUM_FILE + 1)
    if len(data) > MAXIMUM_FILE:
        raise _UnfitError("over 2 MiB")
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise _UnfitError(f"invalid UTF-8 at byte {error.start}") from None
    if "\0" in text:
        raise _UnfitError(f"a NUL character at byte {data.index(0)}")
    return text


class _UnfitError(Exception):
    """A file that cannot be a page; the message says why."""


def _name(path: Path, root: Path) -> str:
    """Return the path below the folder, with bytes that are not UTF-8 written as escapes."""
    return os.fsencode(path.relative_to(root)).decode(errors="backslashreplace")
