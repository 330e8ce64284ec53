"""Damage anywhere in an archive is found by verify, and a restore makes nothing of it."""

import io
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledgehub.archive.verification import examine
from knowledgehub.archive.writer import COMMENT_BYTES
from tests.py.knowledgehub.archive.samples import (
    MEMBERS,
    Course,
    archive_of,
    assert_refused,
    found_in,
    nasty_workspace,
    page,
    patiently,
    read_back,
    sealed,
    small_workspace,
)
from tests.py.knowledgehub.archive.test_page_file import texts

SMALL = archive_of(small_workspace())
courses = st.lists(
    st.builds(
        lambda title, pages: Course(
            title, [page(number, *parts) for number, parts in enumerate(pages, start=1)]
        ),
        texts,
        st.lists(st.tuples(texts, texts, st.just(["a tag"])), max_size=3),
    ),
    max_size=3,
)


def test_a_whole_archive_has_nothing_wrong() -> None:
    found = found_in(archive_of(nasty_workspace()))
    assert found.findings == []
    assert (found.title, found.members) == ("Wörkspace", len(MEMBERS))


def test_what_is_read_is_what_was_written() -> None:
    written = nasty_workspace()
    assert read_back(archive_of(written)) == [(course.title, course.pages) for course in written]


@patiently
@given(courses)
def test_any_workspace_is_read_as_it_was_written(written: list[Course]) -> None:
    written = [
        Course(
            course.title,
            [page(100 * place + number, one.title, one.content) for number, one in enumerate(course.pages)],
            page(place).id,
        )
        for place, course in enumerate(written, start=1)
    ]
    assert read_back(archive_of(written)) == [(course.title, course.pages) for course in written]


def test_one_byte_changed_anywhere_is_found(file: Path) -> None:
    archive = bytearray(SMALL)
    for place in range(len(archive)):
        archive[place] ^= 1 + place % 255
        assert_refused(bytes(archive), file)
        archive[place] = SMALL[place]
    assert archive == SMALL


def test_every_bit_changed_at_the_end_is_found(file: Path) -> None:
    archive = bytearray(SMALL)
    for place in range(len(archive) - COMMENT_BYTES - 22, len(archive)):
        for bit in range(8):
            archive[place] ^= 1 << bit
            assert_refused(bytes(archive), file)
            archive[place] = SMALL[place]


def test_one_byte_changed_in_a_larger_archive_is_found(file: Path) -> None:
    whole = archive_of(nasty_workspace()[:-1])
    generator = random.Random(4)  # noqa: S311 (places to look at)
    for place in generator.sample(range(len(whole)), 40):
        archive = bytearray(whole)
        archive[place] ^= generator.randrange(1, 256)
        assert_refused(bytes(archive), file)


def cut(archive: bytes) -> Iterator[bytes]:
    """Yield the archive cut short at many places."""
    for size in (*range(0, len(archive), 37), len(archive) - COMMENT_BYTES, len(archive) - 1):
        yield archive[:size]


def test_a_cut_archive_is_found(file: Path) -> None:
    for archive in cut(SMALL):
        ((entry, problem),) = assert_refused(archive, file)
        assert entry is None
        assert problem.startswith("it does not end as a backup does: it was cut short, something was added")


@pytest.mark.parametrize("more", [b"\n", b"\0", b"x" * 100_000, SMALL[-COMMENT_BYTES:]])
def test_an_appended_archive_is_found(more: bytes, file: Path) -> None:
    ((entry, problem),) = assert_refused(SMALL + more, file)
    assert (entry, problem.partition(":")[0]) == (None, "it does not end as a backup does")


@pytest.mark.parametrize("before", [b"\n", b"#!/bin/sh\n", SMALL, archive_of([])])
def test_an_archive_behind_something_else_is_found(before: bytes, file: Path) -> None:
    ((entry, problem),) = assert_refused(before + SMALL, file)
    assert (entry, problem.partition(",")[0]) == (None, "something was put before it")
    assert assert_refused(sealed(before + SMALL), file) == [(entry, problem)]


@pytest.mark.parametrize("other", [b"", b"text", b"\0" * 1000, b"PK\x05\x06" + b"\0" * 18])
def test_another_file_is_no_archive(other: bytes, file: Path) -> None:
    assert len(assert_refused(other, file)) == 1


def test_damaged_data_is_named_by_its_entry_beside_the_whole(file: Path) -> None:
    name = "courses/0001 Course/000002 Zwei.md"
    place = SMALL.index(name.encode()) + len(name) + 20
    archive = bytearray(SMALL)
    archive[place] ^= 255
    whole, damaged = assert_refused(bytes(archive), file)
    assert whole[0] is None
    assert whole[1].startswith("it is not as it was written: SHA-256 ")
    assert not whole[1].endswith("changed")
    assert damaged[0] == name
    assert damaged[1].startswith("its data ")


def test_two_damaged_entries_are_both_named(file: Path) -> None:
    names = [f"courses/0001 Course/{name}.md" for name in ("000001 One", "000002 Zwei")]
    archive = bytearray(SMALL)
    for name in names:
        archive[SMALL.index(name.encode()) + len(name) + 20] ^= 255
    assert [entry for entry, _ in assert_refused(bytes(archive), file)] == [None, *names]


def test_a_wrong_hash_of_the_whole_with_right_entries_is_said_so(file: Path) -> None:
    archive = bytearray(SMALL)
    archive[-1] = ord("0") if archive[-1] != ord("0") else ord("1")
    ((entry, problem),) = assert_refused(bytes(archive), file)
    assert entry is None
    assert problem.endswith("; every entry is right, so it is not their data that changed")


def test_a_damaged_comment_is_said_so(file: Path) -> None:
    archive = SMALL[:-1] + b"X"
    assert assert_refused(archive, file) == [
        (None, "the comment at its end, the SHA-256 of the rest, is damaged")
    ]


def test_a_damaged_directory_is_said_so(file: Path) -> None:
    place = SMALL.index(b"PK\x01\x02", SMALL.index(b"PK\x01\x02") + 1)
    archive = bytearray(SMALL)
    archive[place] ^= 1
    assert assert_refused(bytes(archive), file) == [(None, "its directory is damaged at entry 2")]


def test_verify_tells_how_far_it_is() -> None:
    told: list[tuple[int, int]] = []
    examine(io.BytesIO(SMALL), lambda done, of: told.append((done, of)))
    assert told == sorted(told)
    assert {of for _, of in told} == {2 * len(SMALL)}
    assert told[0][0] == len(SMALL)
    assert len(SMALL) < told[-1][0] <= 2 * len(SMALL)
