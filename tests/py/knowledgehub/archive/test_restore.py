"""Restoring into a database: everything as it was, or nothing."""

import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
import pytest

from knowledgehub.archive.page_file import render
from knowledgehub.archive.restore import Restored, RestoreRefusedError, WrongArchiveError, restore
from knowledgehub.calls import Answer, Operator
from tests.py.knowledgehub.archive.samples import (
    Course,
    archive_of,
    forged,
    nasty_workspace,
    page,
    small_workspace,
)
from tests.server import Database

MIB = 1024 * 1024


@pytest.fixture
def operator(database: Database) -> Operator:
    """The operator's functions of a fresh database."""
    return Operator(database.as_role("hub_operator"))


def contents(database: Database, workspace: UUID) -> list[tuple[Any, ...]]:
    """Return title of course, title, content and tags of all pages in order; a course alone has None."""
    query = """
        SELECT c.title, p.title, convert_to(p.content, 'UTF8'), p.tags
        FROM hub_store.course AS c LEFT JOIN hub_store.page AS p ON p.course_id = c.id
        WHERE c.workspace_id = %s ORDER BY c.position, p.position"""
    return database.as_superuser().execute(query, [workspace]).fetchall()


def rows(courses: Sequence[Course]) -> list[tuple[Any, ...]]:
    """Return the same of courses that were written."""
    found: list[tuple[Any, ...]] = []
    for course in courses:
        found += [(course.title, one.title, one.content.encode(), one.tags) for one in course.pages]
        if not course.pages:
            found.append((course.title, None, None, None))
    return found


def counts(database: Database) -> tuple[int, ...]:
    """Return how many workspaces, courses and pages there are."""
    query = """SELECT (SELECT count(*) FROM hub_store.workspace), (SELECT count(*) FROM hub_store.course),
        (SELECT count(*) FROM hub_store.page)"""
    (row,) = database.as_superuser().execute(query).fetchall()
    return tuple(row)


def test_a_restored_workspace_has_everything_as_it_was(
    database: Database, operator: Operator, file: Path
) -> None:
    written = nasty_workspace()
    file.write_bytes(archive_of(written))
    made = restore(operator, file, "Restored")
    pages = sum(len(course.pages) for course in written)
    assert made == Restored(made.workspace_id, len(written), pages)
    assert contents(database, made.workspace_id) == rows(written)
    assert counts(database) == (1, len(written), pages)
    query = "SELECT title FROM hub_store.workspace UNION ALL SELECT email FROM hub_store.app_user"
    assert database.as_superuser().execute(query).fetchall() == [("Restored",)]


def test_ids_are_new_each_time(database: Database, operator: Operator, file: Path) -> None:
    written = small_workspace()
    file.write_bytes(archive_of(written))
    made = [restore(operator, file, "The same title").workspace_id for _ in range(2)]
    assert contents(database, made[0]) == contents(database, made[1]) == rows(written)
    query = "SELECT id FROM hub_store.page UNION ALL SELECT id FROM hub_store.course"
    ids = [found for (found,) in database.as_superuser().execute(query)]
    assert len(set(ids)) == 8
    assert not {one.id for course in written for one in course.pages} & set(ids)


def test_tags_are_kept_that_are_spelled_otherwise_today(
    database: Database, operator: Operator, file: Path
) -> None:
    written = [Course("Course", [page(1, tags=["e\u0301", "\u00e9", "A", "a"])])]
    file.write_bytes(archive_of(written))
    made = restore(operator, file, "Restored")
    assert contents(database, made.workspace_id) == rows(written)


def test_pages_are_sent_in_bounded_batches(
    operator: Operator, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = [page(number, content="") for number in range(1001)]
    second = [page(2000 + number, content="x" * (3 * MIB // 2)) for number in range(5)]
    file.write_bytes(archive_of([Course("First", first), Course("Second", second, page(1).id)]))
    batches = []
    restore_pages = operator.restore_pages

    def record(course: UUID, pages: Sequence[dict[str, Any]]) -> Answer:
        batches.append(len(pages))
        return restore_pages(course, pages)

    monkeypatch.setattr(operator, "restore_pages", record)
    told: list[tuple[int, int]] = []
    restore(operator, file, "Title", restored=lambda done, of: told.append((done, of)))
    assert batches == [500, 500, 1, 2, 2, 1]
    assert told == [(done, 1006) for done in (500, 1000, 1001, 1003, 1005, 1006)]


def test_nobody_sees_half_a_workspace(database: Database, operator: Operator, file: Path) -> None:
    file.write_bytes(archive_of(small_workspace()))
    seen = []
    restore(operator, file, "Title", restored=lambda _done, _of: seen.append(counts(database)))
    assert seen == [(0, 0, 0)]
    assert counts(database) == (1, 2, 2)


def test_a_lost_connection_leaves_nothing(database: Database, operator: Operator, file: Path) -> None:
    file.write_bytes(archive_of([Course("Course", [page(number) for number in range(501)])]))

    def cut(done: int, _of: int) -> None:
        if done == 500:
            database.as_superuser().execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'hub_operator'"
                " AND datname = current_database()"
            )

    with pytest.raises(psycopg.OperationalError):
        restore(operator, file, "Title", restored=cut)
    assert counts(database) == (0, 0, 0)


def test_an_archive_that_changes_under_the_restore_leaves_nothing(
    database: Database, operator: Operator, file: Path
) -> None:
    # The last one's data is too long to be in any buffer before it is wanted.
    last = page(500, content=random.Random(4).randbytes(100_000).hex())  # noqa: S311 (any content)
    whole = archive_of([Course("Course", [*[page(number) for number in range(500)], last])])
    file.write_bytes(whole)
    name = "courses/0001 Course/000501 Title.md"
    place = whole.index(name.encode()) + 50_000

    def damage(done: int, _of: int) -> None:
        if done == 500:
            with file.open("r+b") as open_file:
                open_file.seek(place)
                open_file.write(b"\xff\xff\xff")

    with pytest.raises(WrongArchiveError) as refused:
        restore(operator, file, "Title", restored=damage)
    assert [finding.entry for finding in refused.value.findings] == [name]
    assert counts(database) == (0, 0, 0)


@pytest.mark.parametrize("title", ["", "  ", "x" * 10_001])
def test_a_title_that_no_workspace_can_have_is_refused(
    title: str, database: Database, operator: Operator, file: Path
) -> None:
    file.write_bytes(archive_of(small_workspace()))
    with pytest.raises(RestoreRefusedError) as refused:
        restore(operator, file, title)
    assert (refused.value.answer.outcome, refused.value.about) == ("invalid", "")
    assert counts(database) == (0, 0, 0)


def test_what_only_the_database_refuses_is_named_and_leaves_nothing(
    database: Database, operator: Operator, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"courses/0001 Course/00000{number} Title.md" for number in (1, 2)]
    pages = [page(1), page(2, tags=["a,b"])]
    file.write_bytes(forged([(name, render(one)) for name, one in zip(names, pages, strict=True)]))
    monkeypatch.setattr("knowledgehub.archive.verification._TAG", re.compile(".*"))
    with pytest.raises(RestoreRefusedError) as refused:
        restore(operator, file, "Title")
    assert refused.value.about == names[1]
    assert counts(database) == (0, 0, 0)
