"""The file of a page: YAML to others, the same page to us."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from knowledgehub.archive.json_text import json_text
from knowledgehub.archive.page_file import BackupPage, PageFileError, parse, render
from tests.py.knowledgehub.archive.samples import (
    NASTY_CONTENTS,
    NASTY_TAGS,
    NASTY_TITLES,
    made_up_id,
    page,
    patiently,
)

texts = st.one_of(
    st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"])),
    st.text(
        st.sampled_from(
            "\"'\\/:#-,[]{}&*!|>%@` \t\r\n\x07\x1b\x7f\x85\xa0\u2028\u2029\u202e\ufeff\ufffe😀e\u0301"
        )
    ),
    st.sampled_from(NASTY_TITLES),
)
pages = st.builds(
    BackupPage,
    st.uuids(),
    texts,
    st.one_of(texts, st.sampled_from(NASTY_CONTENTS)),
    st.lists(texts, max_size=5),
    st.datetimes(timezones=st.just(UTC)),
)


@patiently
@given(pages)
def test_a_page_is_read_back_as_it_was(one: BackupPage) -> None:
    assert parse(render(one)) == one


@patiently
@given(pages)
def test_a_reader_of_yaml_gets_the_same_values(one: BackupPage) -> None:
    _, front_matter, content = render(one).decode().split("---\n", 2)
    assert yaml.safe_load(front_matter) == {
        "id": str(one.id),
        "title": one.title,
        "tags": one.tags,
        "updated_at": one.updated_at.isoformat(timespec="microseconds").replace("+00:00", "Z"),
    }
    assert content == one.content


@pytest.mark.parametrize("title", NASTY_TITLES)
@pytest.mark.parametrize("tags", NASTY_TAGS, ids=range(len(NASTY_TAGS)))
def test_nasty_titles_and_tags_are_the_same_to_both(title: str, tags: list[str]) -> None:
    one = page(1, title, "---\n", tags)
    assert parse(render(one)) == one
    values = yaml.safe_load(render(one).decode().split("---\n", 2)[1])
    assert (values["title"], values["tags"]) == (title, tags)


def test_a_page_looks_like_this() -> None:
    one = BackupPage(
        made_up_id(1),
        'A "title": Größe\n\u202e😀',
        "\r\nText",
        ["a: b", "ж"],
        datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
    )
    assert render(one).decode() == (
        f'---\nid: "{made_up_id(1)}"\ntitle: "A \\"title\\": Größe\\n\\u202e😀"\ntags: ["a: b", "ж"]\n'
        'updated_at: "2026-01-02T03:04:05.000000Z"\n---\n\r\nText'
    )


def test_times_are_written_in_utc() -> None:
    elsewhere = datetime(2026, 1, 1, 1, tzinfo=timezone(timedelta(hours=3)))
    one = BackupPage(made_up_id(1), "", "", [], elsewhere)
    assert b'updated_at: "2025-12-31T22:00:00.000000Z"' in render(one)


@patiently
@given(texts)
def test_nothing_invisible_is_written_raw(text: str) -> None:
    written = json_text(text)
    assert not set(written) & set("\x7f\x85\xa0\xad\u200b\u202e\u2028\u2029\ufeff\ufffe\uffff")
    assert all(character >= " " for character in written)


@pytest.mark.parametrize(
    ("was", "put", "problem"),
    [
        ("---\nid", "--- \nid", "does not begin with front matter"),
        ("\n---\nText", "\n--\nText", "has front matter without its end"),
        ('id: "', 'ID: "', "has front matter without id in its place"),
        ("tags: [", "other: 1\ntags: [", "has front matter without its end"),
        ("title: ", "title: |\n  ", "has front matter without its end"),
        ('"Title"', "Title", "has front matter in which title cannot be read"),
        ('"Title"', '"Title', "has front matter in which title cannot be read"),
        ('"Title"', "[" * 100_000, "has front matter in which title cannot be read"),
        ('"Title"', "1", "has front matter with a title or tags that are no texts"),
        ('["tag"]', '"tag"', "has front matter with a title or tags that are no texts"),
        ('["tag"]', '["tag", null]', "has front matter with a title or tags that are no texts"),
        ('"Title"', '"\\u0000"', "has a NUL character or half a surrogate pair"),
        ('["tag"]', '["\\ud800"]', "has a NUL character or half a surrogate pair"),
        ("Text", "\0", "has a NUL character or half a surrogate pair"),
        ('id: "', 'id: "x', "has front matter with a wrong id or time"),
        ('id: "', 'id: "{', "has front matter with a wrong id or time"),
        ('updated_at: "2', 'updated_at: "x', "has front matter with a wrong id or time"),
        ("T", "t", "has front matter with a wrong id or time"),
    ],
)
def test_another_file_is_no_page(was: str, put: str, problem: str) -> None:
    file = render(page(1, content="Text")).decode()
    assert was in file
    place = file.rindex(was) if was == "T" else file.index(was)
    if was == "T":
        place = file.index("T", file.index("updated_at"))
    with pytest.raises(PageFileError, match=problem):
        parse((file[:place] + put + file[place + len(was) :]).encode())


def test_a_page_is_utf8() -> None:
    with pytest.raises(PageFileError, match="is not UTF-8"):
        parse(render(page()) + b"\xff")
    with pytest.raises(PageFileError, match="is not UTF-8"):
        parse(render(page()).replace(b"Title", b"\xed\xa0\x80"))
