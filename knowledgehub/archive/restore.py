"""A new workspace made of an archive."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO
from uuid import UUID

from knowledgehub.archive.page_file import BackupPage
from knowledgehub.archive.reader import EntryError, Finding, shown_name
from knowledgehub.archive.verification import PageRecord, Seen, examine, read_page
from knowledgehub.calls import Answer, Operator

_BATCH_PAGES = 500
_BATCH_BYTES = 4 * 1024 * 1024


class WrongArchiveError(Exception):
    """There is something wrong with the archive: ``findings``, at least one."""

    def __init__(self, findings: list[Finding]) -> None:
        super().__init__(findings[0].problem)
        self.findings = findings


class RestoreRefusedError(Exception):
    """The database took not all; ``answer`` is its answer, ``about`` the course or entry, if any."""

    def __init__(self, answer: Answer, about: str) -> None:
        super().__init__(answer.outcome)
        self.answer = answer
        self.about = about


@dataclass(frozen=True, slots=True)
class Restored:
    """The new workspace and how much is in it."""

    workspace_id: UUID
    courses: int
    pages: int


def restore(
    operator: Operator,
    path: Path,
    title: str,
    examined: Seen = lambda _done, _of: None,
    restored: Callable[[int, int], None] = lambda _done, _of: None,
) -> Restored:
    """Make a workspace ``title`` of the archive at ``path``: all of it, or nothing.

    The whole archive is examined before anything is written, and each page once more when it is sent, in one
    transaction: nobody sees half a workspace. ``restored`` gets how many pages of how many are written.
    Raises :class:`WrongArchiveError`, :class:`RestoreRefusedError`, psycopg's errors and OSError.
    """
    with path.open("rb") as file:
        archive = examine(file, examined)
        if archive.findings:
            raise WrongArchiveError(archive.findings)
        with operator.connection.transaction():
            workspace = _new_id(operator.add_workspace(title), "")
            done = 0
            for course in archive.courses:
                added = _new_id(operator.add_course(workspace, course.title), f"course {course.folder}")
                records = archive.pages[done : done + course.page_count]
                for batch in _batches(records):
                    _send(operator, added, file, batch)
                    done += len(batch)
                    restored(done, len(archive.pages))
    return Restored(workspace, len(archive.courses), len(archive.pages))


def _new_id(answer: Answer, about: str) -> UUID:
    if answer.outcome != "ok":
        raise RestoreRefusedError(answer, about)
    return UUID(answer.detail["id"])


def _batches(records: list[PageRecord]) -> Iterator[list[PageRecord]]:
    """Cut a course's pages into pieces of bounded number and size; none for a course without pages."""
    batch: list[PageRecord] = []
    size = 0
    for record in records:
        if batch and (len(batch) == _BATCH_PAGES or size + record.entry.size > _BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(record)
        size += record.entry.size
    if batch:
        yield batch


def _send(operator: Operator, course: UUID, file: BinaryIO, batch: list[PageRecord]) -> None:
    pages = [_read(file, record) for record in batch]
    answer = operator.restore_pages(
        course, [{"title": page.title, "content": page.content, "tags": page.tags} for page in pages]
    )
    if answer.outcome != "ok":
        place = _place(answer)
        raise RestoreRefusedError(answer, "" if place is None else shown_name(batch[place].entry.name))


def _read(file: BinaryIO, record: PageRecord) -> BackupPage:
    try:
        return read_page(file, record)
    except EntryError as error:
        # Right a moment ago: somebody writes to the file.
        raise WrongArchiveError([Finding(shown_name(record.entry.name), str(error))]) from error


def _place(answer: Answer) -> int | None:
    """Return the place in its batch of the first page that an ``invalid`` answer is about."""
    if answer.outcome != "invalid":
        return None
    place = answer.detail["errors"][0]["pointer"].removeprefix("/").partition("/")[0]
    return int(place) if place.isdigit() else None
