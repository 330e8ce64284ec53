"""A folder of Markdown files made a course."""

import errno
import os
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg

from knowledgehub import front_matter
from knowledgehub.calls import Answer, Operator
from knowledgehub.front_matter import FrontMatterError

MAXIMUM_FILE = 2 * 1024 * 1024
"""Bytes a file may have."""

MAXIMUM_TAGS = 200
"""Different tags a page may have, as the database judges; here only to say so."""

_SUFFIX = ".md"
_BATCH_PAGES = 500
_BATCH_BYTES = 4 * 1024 * 1024


class CourseRefusedError(Exception):
    """The course could not be added at all; ``answer`` is the database's."""

    def __init__(self, answer: Answer) -> None:
        super().__init__(answer.outcome)
        self.answer = answer


class EmptyFolderError(Exception):
    """The folder has no Markdown file."""


@dataclass(frozen=True, slots=True)
class Page:
    """A file taken right: its path below the folder, what becomes a page, and what is odd about it."""

    file: str
    title: str
    tags: tuple[str, ...]
    content: str
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """A file not taken: its path below the folder, and why."""

    file: str
    reason: str


@dataclass(frozen=True, slots=True)
class Note:
    """A file taken, but perhaps not as it was meant: its path below the folder, and why."""

    file: str
    reason: str


@dataclass(slots=True)
class Import:
    """A finished import: the new course, how many pages it got, and the files with a word on them in order.

    ``course_id`` is None where every file was refused: then no course was made.
    """

    course_id: UUID | None = None
    pages: int = 0
    refusals: list[Refusal] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)


def read_folder(folder: Path) -> Iterator[Page | Refusal]:
    """Read every ``*.md`` file below ``folder``, in the order of their paths, one at a time.

    The ending is taken in any case. Files and folders whose names begin with a dot are skipped, such as a
    version control's, and other files too, without a word.
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
    Raises :class:`CourseRefusedError`, :class:`EmptyFolderError`, psycopg's errors and, if the folder cannot
    be read, OSError.
    """
    refusals: dict[int, Refusal] = {}  # by the number of the file
    notes: dict[int, Note] = {}
    pages = 0
    with operator.connection.transaction():
        added = operator.add_course(workspace, title)
        if added.outcome != "ok":
            raise CourseRefusedError(added)
        course = UUID(added.detail["id"])
        batch: dict[int, Page] = {}
        size = number = 0
        for number, file in enumerate(read_folder(folder), start=1):
            if isinstance(file, Refusal):
                refusals[number] = file
            else:
                file_size = len(file.content.encode())
                if batch and (len(batch) == _BATCH_PAGES or size + file_size > _BATCH_BYTES):
                    pages += _send(operator, course, batch, refusals)
                    batch, size = {}, 0
                batch[number] = file
                size += file_size
                if file.note is not None:
                    notes[number] = Note(file.file, file.note)
            seen(number)
        if not number:
            raise EmptyFolderError
        pages += _send(operator, course, batch, refusals)
        if not pages:
            raise psycopg.Rollback
    return Import(
        course if pages else None,
        pages,
        [refusals[number] for number in sorted(refusals)],
        [note for number, note in notes.items() if number not in refusals],
    )


def _send(operator: Operator, course: UUID, batch: dict[int, Page], refusals: dict[int, Refusal]) -> int:
    """Append the pages the database takes, and return how many; it judges titles and tags.

    Those it refuses go to ``refusals``.
    """
    while batch:
        pages = [{"title": page.title, "content": page.content, "tags": page.tags} for page in batch.values()]
        answer = operator.add_pages(course, pages)
        if answer.outcome == "ok":
            return len(batch)
        reasons = _reasons(answer, list(batch.values()))
        if not reasons:
            raise CourseRefusedError(answer)
        numbers = list(batch)
        for place, reason in reasons.items():
            refusals[numbers[place]] = Refusal(batch.pop(numbers[place]).file, reason)
    return 0


def _reasons(answer: Answer, batch: list[Page]) -> dict[int, str]:
    """Sort the errors of an ``invalid`` answer by the page they are about: its place in the batch."""
    reasons: dict[int, str] = {}
    errors: list[dict[str, Any]] = answer.detail["errors"] if answer.outcome == "invalid" else []
    for error in errors:
        place, _, member = error["pointer"].removeprefix("/").partition("/")
        if not place.isdigit():
            return {}
        reasons.setdefault(int(place), _reason(member, error["message"], batch[int(place)].tags))
    return reasons


def _reason(member: str, message: str, tags: tuple[str, ...]) -> str:
    """Say what is wrong in terms of a file; ``member`` is such as ``title``, ``tags`` and ``tags/3``."""
    name, _, item = member.partition("/")
    if name != "tags":
        return f"{name}: {message}"
    if not item:
        return f"has {len(tags)} tags; a page has at most {MAXIMUM_TAGS} different ones"
    if not tags[int(item)].strip():
        return f"tag {int(item) + 1} is empty"
    return f"tag {int(item) + 1}: {message}"


def _walk(folder: Path, root: Path) -> Iterator[Page | Refusal]:
    try:
        with os.scandir(folder) as entries:
            # By name at each level is by path component in the whole.
            found = sorted(
                (entry for entry in entries if not entry.name.startswith(".")), key=lambda entry: entry.name
            )
    except OSError as error:
        yield Refusal(_name(folder, root), f"the folder cannot be read: {error.strerror}")
        return
    for entry in found:
        path = Path(entry.path)
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(path, root)
        elif entry.is_symlink() and path.is_dir():
            yield Refusal(_name(path, root), "a link to a folder is not followed")
        elif entry.name.lower().endswith(_SUFFIX):
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
    title = path.name[: -len(_SUFFIX)] if document.title is None else document.title
    if not title.isascii() and any("\ud800" <= character <= "\udfff" for character in title):
        return Refusal(name, "its name is not UTF-8 and the page has no title: rename it")
    return Page(name, title, document.tags, document.content, document.note)


def _read_text(path: Path, root: Path) -> str:
    target = Path(os.path.realpath(path, strict=True))
    if not target.is_relative_to(root):
        raise _UnfitError("a link that leads out of the folder")
    # Without waiting for a writer, should it be a pipe.
    with os.fdopen(os.open(target, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise _UnfitError("not a regular file")
        data = file.read(MAXIMUM_FILE + 1)
        size = max(len(data), os.fstat(file.fileno()).st_size)
    if len(data) > MAXIMUM_FILE:
        raise _UnfitError(f"over 2 MiB: it has {size:,} bytes")
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
