"""Workspaces to write archives of, and archives that nobody should have written."""

import hashlib
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, settings

from knowledgehub.archive.backup_writer import MANIFEST, README, BackupWriter, Member
from knowledgehub.archive.page_file import BackupPage, render
from knowledgehub.archive.reader import Finding
from knowledgehub.archive.restore import WrongArchiveError, restore
from knowledgehub.archive.verification import Examination, examine, read_page
from knowledgehub.archive.writer import COMMENT_BYTES, ArchiveWriter

patiently = settings(deadline=None, database=None, suppress_health_check=[HealthCheck.too_slow])
"""How Hypothesis looks for examples: on a busy machine too, and leaving nothing behind."""

NASTY_TITLES = [
    "a/b",
    "..",
    ".",
    "../../etc/passwd",
    "C:\\Windows\\system.ini",
    "CON",
    "con.",
    "nul.md",
    "Case",
    "case",
    "CASE",
    "Я" * 200,
    "",
    " ",
    *["ten equal"] * 10,
    "😀" * 10_000,
    "👨‍👩‍👧 family, and flags 🇩🇪",
    "\u202etxt.exe\u202c hidden \u2066left\u2069",
    "bell\x07 escape\x1b[31m delete\x7f next\x85line",
    "two\nlines\r\nand\ttabs",
    "  blanks around and  in \u00a0\u2003 between  ",
    "line\u2028and paragraph\u2029separators",
    "\ufeffmark of byte order, \ufffe none, \uffff none",
    "e\u0301 is not \u00e9, but looks it",
    "quotes \" and ' and ` and \\ and {braces} [brackets] # hash: yes, - no & * ! | > % @",
    "title: true",
    "null",
    "2026-01-01",
    "---",
    "# Heading",
    "<b>html</b> & entities &amp;",
    "trailing dots...",
    "~",
    "-rf",
    "مرحبا بالعالم",
    "zero\u200bwidth\u00adhyphen",
    "x" * 10_000,
]

NASTY_CONTENTS = [
    "",
    "\n",
    "text",
    "no newline at the end\nof this",
    "a newline at its end\n",
    "---\ntitle: not this one\ntags: [no]\n---\nfront matter in the content\n",
    "---\n",
    "---",
    "---\n---\n---\n",
    "\r\n",
    "dos\r\nlines\r\nand\rmac lines\r",
    "\ufeffa byte order mark at the start",
    "\x01\x02\x07\x1b\x7f\x85\u2028\u2029\ufffe\uffff",
    "Grüße, мир, 世界, 😀👨‍👩‍👧\n" * 20,
    "trailing blanks   \n\n\n   ",
    "PK\x03\x04 PK\x01\x02 PK\x05\x06",
]

NASTY_TAGS = [
    [],
    ["plain"],
    ['with "quotes"', "with: colon", "with 'single'", "back\\slash", "#hash", "- dash", "[x]", "{y}"],
    ["😀", "Größe", "è", "null", "true", "1", "~", "é" * 64],
    [f"tag {number}" for number in range(200)],
]

MEMBERS = [
    Member("ada@example.org", "Ada", "administrator", True),
    Member("bo@example.org", 'Bo "the editor" Ö\u202e', "editor", False),
]

_TIME = datetime(2026, 11, 29, 18, 10, 0, 123456, tzinfo=UTC)


@dataclass(frozen=True)
class Course:
    """A course to write."""

    title: str
    pages: list[BackupPage]
    id: UUID = field(default_factory=lambda: made_up_id("course"))


def made_up_id(of: object) -> UUID:
    """Return always the same id."""
    return UUID(bytes=hashlib.sha256(repr(of).encode()).digest()[:16])


def page(
    number: int = 1, title: str = "Title", content: str = "Content\n", tags: Iterable[str] = ("tag",)
) -> BackupPage:
    """Return a page; ids and times differ by the number."""
    return BackupPage(
        made_up_id(number), title, content, list(tags), _TIME - timedelta(days=number, microseconds=number)
    )


def nasty_workspace() -> list[Course]:
    """Return courses with every title, content and tag of this module."""
    count = max(len(NASTY_TITLES), len(NASTY_CONTENTS))
    everything = [
        page(
            number,
            NASTY_TITLES[number % len(NASTY_TITLES)],
            NASTY_CONTENTS[number % len(NASTY_CONTENTS)],
            NASTY_TAGS[number % len(NASTY_TAGS)],
        )
        for number in range(count)
    ]
    courses = [
        Course(title, [page(1000 + number, title)] if number % 2 else [], made_up_id((number, title)))
        for number, title in enumerate(NASTY_TITLES)
    ]
    large = page(5000, "large", "0123456789abcdeж" * (2 * 1024 * 1024 // 17))
    return [Course("All", everything), *courses, Course("Large", [large], made_up_id("large"))]


def small_workspace() -> list[Course]:
    """Return two pages and an empty course."""
    pages = [page(1, "One", "first\n"), page(2, "Zwei", "zweite ä", [])]
    return [Course("Course", pages), Course("Empty", [], made_up_id("empty"))]


def archive_of(courses: Sequence[Course], members: Sequence[Member] = MEMBERS) -> bytes:
    """Write an archive."""
    file = io.BytesIO()
    with BackupWriter(
        file, workspace_id=made_up_id("workspace"), workspace_title="Wörkspace", spool_dir=None
    ) as writer:
        for course in courses:
            writer.start_course(course.id, course.title)
            for one in course.pages:
                writer.add_page(one)
        digest = writer.finish(members)
    assert digest.bytes == len(file.getvalue())
    assert digest.sha256 == hashlib.sha256(file.getvalue()).hexdigest()
    return file.getvalue()


def read_back(archive: bytes) -> list[tuple[str, list[BackupPage]]]:
    """Return the titles and pages of an archive that is in order."""
    file = io.BytesIO(archive)
    found = examine(file)
    assert found.findings == []
    pages = [read_page(file, record) for record in found.pages]
    courses = []
    for course in found.courses:
        courses.append((course.title, pages[: course.page_count]))
        del pages[: course.page_count]
    assert pages == []
    return courses


def findings_of(archive: bytes) -> list[Finding]:
    """Return what is found wrong with an archive."""
    return found_in(archive).findings


def found_in(archive: bytes) -> Examination:
    """Examine an archive."""
    return examine(io.BytesIO(archive))


def sealed(archive: bytes) -> bytes:
    """Return an archive of other bytes with the SHA-256 of these in its comment."""
    body = archive[:-COMMENT_BYTES]
    return body + b"sha256:" + hashlib.sha256(body).hexdigest().encode()


def forged(
    entries: Iterable[tuple[str, bytes]],
    listed: Sequence[tuple[str, bytes]] | None = None,
    head: dict[str, object] | None = None,
) -> bytes:
    """Write an archive of one course whose pages are ``entries``, whatever their names and data.

    The manifest lists them, or ``listed``; ``head`` replaces members of it.
    """
    entries = list(entries)
    listed = entries if listed is None else listed
    course = {"id": str(made_up_id("course")), "title": "Course", "folder": "courses/0001 Course"}
    members = {
        "format": 1,
        "product": "a forger's",
        "workspace": {"id": str(made_up_id("workspace")), "title": "Workspace"},
        "counts": {"courses": 1, "pages": len(listed), "members": 0},
        "members": [],
        "courses": [course | {"page_count": len(listed)}],
    } | (head or {})
    lines = [
        json.dumps(str(made_up_id(number)))
        + ": "
        + json.dumps({"entry": name, "sha256": hashlib.sha256(data).hexdigest(), "size": len(data)})
        for number, (name, data) in enumerate(listed, start=1)
    ]
    text = "{\n" + "".join(f"{json.dumps(name)}: {_shown(value)},\n" for name, value in members.items())
    text += '"pages": {' + "".join(f"{',' if place else ''}\n{line}" for place, line in enumerate(lines))
    text += "\n}\n}\n" if lines else "}\n}\n"
    return zipped([(README, b"Read me"), *entries, (MANIFEST, text.encode())])


def _shown(value: object) -> str:
    """Return the value as a manifest shows it: an element of a list a line."""
    if not isinstance(value, list) or not value:
        return json.dumps(value)
    return "[\n" + ",\n".join(map(json.dumps, value)) + "\n]"


def zipped(entries: Iterable[tuple[str, bytes]]) -> bytes:
    """Write an archive of these entries."""
    file = io.BytesIO()
    with ArchiveWriter(file, None) as writer:
        for name, data in entries:
            writer.add(name, data)
        writer.close()
    return file.getvalue()


def entry(number: int = 1, name: str = "", **parts: str) -> tuple[str, bytes]:
    """Return an entry for ``forged``: the page of this number."""
    return name or f"courses/0001 Course/{number:06} Title.md", render(page(number, **parts))


class NoDatabase:
    """Stands where the database is: whoever comes near has gone too far."""

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        raise AssertionError(f"{name} was asked for")


def assert_refused(archive: bytes, file: Path) -> list[Finding]:
    """Assert that verify and restore find the same things wrong; return them."""
    found = findings_of(archive)
    assert found
    file.write_bytes(archive)
    with pytest.raises(WrongArchiveError) as refused:
        restore(NoDatabase(), file, "Title")  # type: ignore[arg-type]
    assert refused.value.findings == found
    return found
