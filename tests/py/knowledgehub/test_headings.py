"""The first heading of a page."""

import time

import pytest

from knowledgehub.headings import first_heading


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("", None),
        ("Just a text.\n\nAnother.", None),
        ("# A", "A"),
        ("text\n# A\n# B", "A"),
        ("###### A", "A"),
        ("####### A", None),
        ("#A", None),
        ("#\tA", "A"),
        ("   # A", "A"),
        ("    # A", None),
        ("text\n    # A", None),
        ("# A ##", "A"),
        ("# A#", "A#"),
        ("# C# #", "C#"),
        ("#", None),
        ("# #", None),
        ("#\n## B", "B"),
        ("# A\r\nB", "A"),
        ("#  *A* `b`  ", "*A* `b`"),
        ("# Über 日本 😀\u2028B", "Über 日本 😀\u2028B"),
        ("A\n=", "A"),
        ("A\r\n---\r\n", "A"),
        ("A\nB\n  ===  ", "A B"),
        ("A\n\n===", None),
        ("A\n=-=", None),
        ("---\nA", None),
        ("***\nA\n---", "A"),
        ("- A\n---\n# B", "B"),
        ("1. A\n---", None),
        ("- A\nlazy\n===\n\n# B", "B"),
        ("> A\n---\n# B", "B"),
        ("> # A\n\n# B", "B"),
        ("text\n- A\n---", None),
        ("    code\n---", None),
        ("```\n# A\n```\n# B", "B"),
        ("~~~ md\n# A\n```\n# A\n~~~\n# B", "B"),
        ("````\n```\n# A\n````\n# B", "B"),
        ("```\n# A", None),
        ("``` a`b\n# A", "A"),
        ("<!-- # A -->\n# B", "B"),
        ("<!--\n# A\n-->\n# B", "B"),
        ("<div>\n<p>A\n---\n\n# B", "B"),
        ("| a | b |\n| - | - |\n\n## C", "C"),
    ],
)
def test_the_first_heading_is_that_of_markdown(text: str, heading: str | None) -> None:
    assert first_heading(text) == heading


@pytest.mark.parametrize(
    "line", ["# " + " " * 2_000_000 + "x", "#" * 2_000_000, "`" * 2_000_000 + "x`", "a\n" * 1_000_000]
)
def test_a_page_made_to_be_slow_is_not(line: str) -> None:
    begun = time.monotonic()
    first_heading(line)
    assert time.monotonic() - begun < 5
