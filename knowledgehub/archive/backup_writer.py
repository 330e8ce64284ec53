"""A workspace written as an archive of format 1."""

import hashlib
from collections.abc import Callable, Iterable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self
from uuid import UUID

from knowledgehub.archive.entry_names import course_folder, page_entry
from knowledgehub.archive.json_text import json_text
from knowledgehub.archive.page_file import BackupPage, render
from knowledgehub.archive.spool import Spool
from knowledgehub.archive.writer import ArchiveDigest, ArchiveWriter

FORMAT = 1
MANIFEST = "manifest.json"
README = "README.txt"

PRODUCT = f"KnowledgeHub Jobs {version('knowledgehub-jobs')}"

README_TEXT = """\
This is a backup of a workspace of KnowledgeHub Jobs.

courses/        a folder for each course that has pages, in order; in it a Markdown file for each page, in
                order. A file begins with YAML front matter between two lines "---": the page's id, title,
                tags and time of its last change. All after the second of these lines is the page's content,
                byte for byte.
manifest.json   the workspace, its members and courses with their full titles, and for each page the name of
                its file, the file's SHA-256 and its size in bytes.

To read it, any program that opens ZIP files will do.

To check it, and to make a new workspace of it, as the operator of a KnowledgeHub:

    knowledgehub backup verify ARCHIVE
    knowledgehub backup restore ARCHIVE --title 'Title of the new workspace'

The new workspace has the same courses and pages in the same order, with new ids and without members. For
that the archive has to be as it was written: its comment holds the SHA-256 of every byte before the comment.
"""


@dataclass(frozen=True, slots=True)
class Member:
    """A member of the backed-up workspace: ``role`` is administrator, editor or reader."""

    email: str
    name: str
    role: str
    enabled: bool


class BackupWriter:
    """Writes one workspace to ``file``, which is as for :class:`ArchiveWriter`, course by course.

    Use it in a ``with`` statement: it has temporary files in ``spool_dir`` until then. Every method may raise
    OSError; the archive is then of no use.
    """

    def __init__(
        self, file: BinaryIO, *, workspace_id: UUID, workspace_title: str, spool_dir: Path | None
    ) -> None:
        self._workspace = f'{{"id": "{workspace_id}", "title": {json_text(workspace_title)}}}'
        self._course: tuple[UUID, str] | None = None
        self._folder = ""
        self._course_pages = 0
        self.pages = 0
        with ExitStack() as stack:
            self._archive = stack.enter_context(ArchiveWriter(file, spool_dir))
            self._courses = stack.enter_context(closing(_Lines(spool_dir)))
            self._page_lines = stack.enter_context(closing(_Lines(spool_dir)))
            self._members = stack.enter_context(closing(_Lines(spool_dir)))
            self._archive.add(README, README_TEXT.encode())
            self._temporary_files = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._temporary_files.close()

    def start_course(self, course_id: UUID, title: str) -> None:
        """Begin the next course, which may stay empty."""
        self._end_course()
        self._course = (course_id, title)
        self._folder = course_folder(self._courses.number + 1, title)
        self._course_pages = 0

    def add_page(self, page: BackupPage) -> None:
        """Add the next page of the course begun last."""
        self._course_pages += 1
        self.pages += 1
        entry = page_entry(self._folder, self._course_pages, page.title)
        file = render(page)
        self._archive.add(entry, file, page.updated_at)
        sha256 = hashlib.sha256(file).hexdigest()
        self._page_lines.add(
            f'"{page.id}": {{"entry": {json_text(entry)}, "sha256": "{sha256}", "size": {len(file)}}}'
        )

    def finish(self, members: Iterable[Member], pace: Callable[[], None] = lambda: None) -> ArchiveDigest:
        """Write the manifest and end the archive; return its digest. ``file`` is flushed, not closed.

        That takes two seconds for 100,000 pages; ``pace`` is called several times a second, and what it
        raises is passed on.
        """
        self._end_course()
        for member in members:
            self._members.add(
                f'{{"email": {json_text(member.email)}, "name": {json_text(member.name)},'
                f' "role": {json_text(member.role)}, "enabled": {"true" if member.enabled else "false"}}}'
            )
        self._archive.add(MANIFEST, self._manifest(pace))
        return self._archive.close()

    def _end_course(self) -> None:
        if self._course is None:
            return
        course_id, title = self._course
        self._courses.add(
            f'{{"id": "{course_id}", "title": {json_text(title)},'
            f' "folder": {json_text(self._folder)}, "page_count": {self._course_pages}}}'
        )

    def _manifest(self, pace: Callable[[], None]) -> Iterable[bytes]:
        counts = (
            f'{{"courses": {self._courses.number}, "pages": {self.pages}, "members": {self._members.number}}}'
        )
        yield (
            f'{{\n"format": {FORMAT},\n"product": {json_text(PRODUCT)},\n"workspace": {self._workspace},\n'
            f'"counts": {counts},\n"members": ['
        ).encode()
        yield from self._members.chunks()
        yield b'],\n"courses": ['
        yield from self._courses.chunks()
        yield b'],\n"pages": {'
        for chunk in self._page_lines.chunks():
            pace()
            yield chunk
        yield b"}\n}\n"


class _Lines:
    """Elements of a JSON array or object, put aside a line each."""

    def __init__(self, spool_dir: Path | None) -> None:
        self._spool = Spool(spool_dir)
        self.number = 0

    def add(self, element: str) -> None:
        self._spool.write(f"{',' if self.number else ''}\n{element}".encode())
        self.number += 1

    def chunks(self) -> Iterable[bytes]:
        yield from self._spool.chunks()
        if self.number:
            yield b"\n"

    def close(self) -> None:
        self._spool.close()
