"""Names of entries: safe everywhere, different, in order."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledgehub.archive.entry_names import course_folder, page_entry, problem_of
from tests.py.knowledgehub.archive.samples import NASTY_TITLES, patiently

titles = st.one_of(st.text(), st.sampled_from(NASTY_TITLES))


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("Plain title", "000007 Plain title.md"),
        ("Größe — мир", "000007 Größe — мир.md"),
        ("a/b", "000007 a_b.md"),
        ("..", "000007.md"),
        ("", "000007.md"),
        (" \t\n", "000007.md"),
        ("CON", "000007 CON.md"),
        ("con.", "000007 con.md"),
        ("C:\\Windows", "000007 C__Windows.md"),
        ("two\nlines\r\nof  text", "000007 two lines of text.md"),
        ("\u202etxt.exe\u202c", "000007 txt.exe.md"),
        ("e\u0301", "000007 \u00e9.md"),
        ("not yet \u0378", "000007 not yet _.md"),
        ("Я" * 200, f"000007 {'Я' * 40}.md"),
        ("a" + "😀" * 200, f"000007 a{'😀' * 19}.md"),
        ("a" * 79 + ". b", f"000007 {'a' * 79}.md"),
    ],
)
def test_a_title_becomes_a_name(title: str, name: str) -> None:
    assert page_entry("f", 7, title) == f"f/{name}"


def test_folders_are_numbered_and_shorter() -> None:
    assert course_folder(3, "x/" + "y" * 100) == f"courses/0003 x_{'y' * 58}"
    assert course_folder(123_456, "") == "courses/123456"


@patiently
@given(titles, titles)
def test_every_name_is_safe(course: str, title: str) -> None:
    name = page_entry(course_folder(1, course), 1, title)
    assert problem_of(name) is None
    assert unicodedata.is_normalized("NFC", name)
    assert len(name.encode()) <= len("courses/0001 /000001 .md") + 60 + 80
    assert name.count("/") == 2


@patiently
@given(st.lists(titles, max_size=20))
def test_names_differ_also_where_case_does_not_count_and_sort_in_order(several: list[str]) -> None:
    names = [page_entry("courses/0001", ordinal, title) for ordinal, title in enumerate(several, start=1)]
    assert len({unicodedata.normalize("NFKC", name.casefold()) for name in names}) == len(names)
    assert names == sorted(names)


@pytest.mark.parametrize(
    "name",
    [
        "../000001.md",
        "courses/../000001.md",
        "courses/0001/../../x.md",
        "/etc/x.md",
        "~/x.md",
        "C:/x.md",
        "c:x.md",
        "courses\\0001\\x.md",
        "courses/./x.md",
    ],
)
def test_a_name_that_leads_elsewhere_is_a_problem(name: str) -> None:
    assert problem_of(name) == "its name leads out of the folder that it is unpacked to"


@pytest.mark.parametrize(
    "name",
    ["", "x.md", "courses/x.md", "courses//x.md", "courses/1/", "courses/1/x.txt", "courses/1/a/x.md",
     "other/1/x.md", "courses/1/x.md\n"],
)  # fmt: skip
def test_a_name_of_another_form_is_a_problem(name: str) -> None:
    assert problem_of(name) == "its name is none of this format: courses/<course>/<page>.md"


@pytest.mark.parametrize("name", ["a\0", "a\x1b[31m", "a\u202e", "a?", "a:b", "a\u2028", "a\ud800"])
def test_a_name_with_unfit_characters_is_a_problem(name: str) -> None:
    for whole in (f"courses/0001/{name}.md", f"courses/{name}/x.md"):
        assert problem_of(whole) == "its name has characters that a name cannot have everywhere"
    assert problem_of("courses/0001. /x.md") == "its name has characters that a name cannot have everywhere"


def test_a_name_too_long_for_a_file_system_is_a_problem() -> None:
    assert problem_of(f"courses/0001/{'я' * 127}.md") == "its name has a part of over 255 bytes"
