"""An archive examined: everything that can be wrong with it, before anything is made of it."""

import hashlib
import os
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple
from uuid import UUID

from knowledgehub.archive.backup_writer import MANIFEST, README
from knowledgehub.archive.entry_names import problem_of
from knowledgehub.archive.manifest import Course, Manifest, ManifestError, UnknownFormatError
from knowledgehub.archive.page_file import BackupPage, PageFileError, parse
from knowledgehub.archive.reader import (
    ArchiveError,
    EntryError,
    Finding,
    read_chunks,
    read_directory,
    shown_name,
)
from knowledgehub.archive.records import Entry
from knowledgehub.archive.writer import COMMENT_BYTES

MAXIMUM_TITLE = 10_000
"""Characters a title may have, as the database judges."""
MAXIMUM_CONTENT = 2 * 1024 * 1024
"""Bytes a page's content may have, as the database judges."""
MAXIMUM_TAGS = 200
"""Tags a page may have, as the database judges."""

# A tag as the database keeps it: 1 to 64 characters without controls and commas, of white space only single
# blanks inside. That it is in Unicode's form NFC depends on the version of Unicode.
_SPACE = "\u0020\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_TAG = re.compile(f"(?! )(?!.*  )(?!.* $)(?: |[^,\0-\x1f\x7f-\x9f{_SPACE}]){{1,64}}")

_MAXIMUM_PAGE = MAXIMUM_CONTENT + 512 * 1024  # a title and tags all of escapes have less than 140 KB
_MAXIMUM_README = 64 * 1024
# Members and courses of any real workspace, and a line for each page.
_MAXIMUM_MANIFEST, _MAXIMUM_MANIFEST_LINE = 64 * 1024 * 1024, 1024
_CHUNK = 1024 * 1024

Seen = Callable[[int, int], None]
"""Gets how many bytes of how many have been looked at."""


class PageRecord(NamedTuple):
    """A page of a manifest with its entry."""

    id: UUID
    entry: Entry
    sha256: bytes


@dataclass(slots=True)
class Examination:
    """What was found; ``courses`` and ``pages`` are complete and in order only where nothing is wrong.

    ``bytes`` and ``sha256`` are of the whole file.
    """

    bytes: int = 0
    sha256: str = ""
    findings: list[Finding] = field(default_factory=list)
    title: str = ""
    members: int = 0
    courses: list[Course] = field(default_factory=list)
    pages: list[PageRecord] = field(default_factory=list)


def verify(path: Path, seen: Seen = lambda _done, _of: None) -> Examination:
    """Examine the archive at ``path``. Raises OSError."""
    with path.open("rb") as file:
        return examine(file, seen)


def examine(file: BinaryIO, seen: Seen = lambda _done, _of: None) -> Examination:
    """Examine an archive: the SHA-256 of the whole, the structure, and every entry. Raises OSError.

    Memory grows with the number of entries, not with their sizes.
    """
    size = file.seek(0, os.SEEK_END)
    found = Examination(bytes=size)
    try:
        directory = read_directory(file)
    except ArchiveError as error:
        _, found.sha256 = _hash(file, size, lambda done: seen(done, size))
        found.findings.append(Finding(None, str(error)))
        return found
    digest, found.sha256 = _hash(file, size, lambda done: seen(done, 2 * size))
    found.findings += directory.findings
    try:
        _examine_entries(file, directory.entries, found, lambda done: seen(size + done, 2 * size))
    except UnknownFormatError as error:
        found.findings.append(Finding(None, str(error)))
    if directory.sha256 not in {None, digest}:
        outside = "" if found.findings else "; every entry is right, so it is not their data that changed"
        problem = f"it is not as it was written: SHA-256 {digest} where its comment says {directory.sha256}"
        found.findings.insert(0, Finding(None, problem + outside))
    return found


def read_page(file: BinaryIO, record: PageRecord) -> BackupPage:
    """Read a page and check it against the manifest. Raises :class:`EntryError`, OSError."""
    data = _read(file, record.entry, _MAXIMUM_PAGE)
    if hashlib.sha256(data).digest() != record.sha256:
        raise EntryError("its SHA-256 is not the manifest's")
    page = _parse(data)
    if page.id != record.id:
        raise EntryError("its front matter has another id than the manifest")
    return page


def _hash(file: BinaryIO, size: int, seen: Callable[[int], None]) -> tuple[str, str]:
    """Return the SHA-256 of all before the comment, and of the whole."""
    digest = hashlib.sha256()
    file.seek(0)
    left = max(size - COMMENT_BYTES, 0)
    while chunk := file.read(min(left, _CHUNK)):
        digest.update(chunk)
        left -= len(chunk)
        seen(size - left)
    whole = digest.copy()
    whole.update(file.read())
    return digest.hexdigest(), whole.hexdigest()


def _examine_entries(
    file: BinaryIO, entries: list[Entry], found: Examination, seen: Callable[[int], None]
) -> None:
    """Add to ``found`` what the archive holds and what is wrong with it. Raises UnknownFormatError."""
    names = [shown_name(entry.name) for entry in entries]
    if names[:1] != [README] or names[-1:] != [MANIFEST]:
        found.findings.append(
            Finding(None, f"it does not begin with {README} and end with {MANIFEST}: it is no backup")
        )
        return
    broken = {finding.entry for finding in found.findings}
    for name in names[1:-1]:
        if problem := problem_of(name):
            found.findings.append(Finding(name, problem))
    if MANIFEST not in broken:
        _examine_manifest(file, entries, found)
    records = {record.entry.name: record for record in found.pages}
    for name, entry in zip(names, entries, strict=True):
        seen(entry.offset)
        if name in broken or name == MANIFEST:
            continue
        try:
            if name == README:
                _read(file, entry, _MAXIMUM_README)
            elif entry.name in records:
                read_page(file, records[entry.name])
            else:
                _parse(_read(file, entry, _MAXIMUM_PAGE))
        except EntryError as error:
            found.findings.append(Finding(name, str(error)))


def _examine_manifest(file: BinaryIO, entries: list[Entry], found: Examination) -> None:
    maximum = _MAXIMUM_MANIFEST + _MAXIMUM_MANIFEST_LINE * len(entries)
    pages = {entry.name: entry for entry in entries[1:-1]}
    number = 0
    try:
        # Once only to see that it is whole: damaged data would be called something else.
        for _ in read_chunks(file, entries[-1], maximum):
            pass
        manifest = Manifest(read_chunks(file, entries[-1], maximum))
        found.title, found.courses, found.members = manifest.title, manifest.courses, manifest.members
        for line in manifest.read_pages():
            number += 1
            entry = pages.pop(line.entry.encode(), None)
            if entry is None:
                found.findings.append(Finding(line.entry, "the manifest lists it and the archive has it not"))
            elif entry.size != line.size:
                found.findings.append(Finding(line.entry, "its size is not the manifest's"))
            else:
                found.pages.append(PageRecord(line.id, entry, line.sha256))
    except (EntryError, ManifestError) as error:
        found.findings.append(Finding(MANIFEST, str(error)))
        return
    found.findings += [Finding(shown_name(name), "the manifest does not list it") for name in pages]
    if number != manifest.pages:
        found.findings.append(Finding(MANIFEST, f"it counts {manifest.pages} pages and lists {number}"))
    elif len(found.pages) == number:
        found.findings += [Finding(MANIFEST, problem) for problem in _problems_of_order(found)]


def _problems_of_order(found: Examination) -> Iterator[str]:
    """Say what is wrong with how the manifest's pages follow its courses and the archive's entries."""
    offsets = [page.entry.offset for page in found.pages]
    if offsets != sorted(offsets):
        yield "its pages have another order than the entries"
    if len({course.id for course in found.courses}) != len(found.courses):
        yield "it lists a course twice"
    place = 0
    for course in found.courses:
        if len(course.title) > MAXIMUM_TITLE:
            yield f"course {course.id} has a title of over {MAXIMUM_TITLE:,} characters"
        folder = course.folder.encode() + b"/"
        pages = found.pages[place : place + course.page_count]
        place += course.page_count
        if len(pages) != course.page_count or not all(page.entry.name.startswith(folder) for page in pages):
            yield f"the pages of course {course.id} are not the {course.page_count} in its folder"
    if place < len(found.pages):
        yield f"{len(found.pages) - place} of its pages are in no course"


def _read(file: BinaryIO, entry: Entry, maximum: int) -> bytes:
    return b"".join(read_chunks(file, entry, maximum))


def _parse(data: bytes) -> BackupPage:
    try:
        page = parse(data)
    except PageFileError as error:
        raise EntryError(f"it {error}") from error
    if len(page.title) > MAXIMUM_TITLE:
        raise EntryError(f"its title has over {MAXIMUM_TITLE:,} characters")
    if len(page.content.encode()) > MAXIMUM_CONTENT:
        raise EntryError("its content has over 2 MiB")
    if len(page.tags) > MAXIMUM_TAGS:
        raise EntryError(f"it has over {MAXIMUM_TAGS} tags")
    if not all(map(_TAG.fullmatch, page.tags)):
        raise EntryError("it has a tag that no page can have")
    return page
