"""What a body may cost to be looked through."""

import time

import pytest

from api import body
from api.problems import Problem

PAGE_BYTES = 2 * 1024 * 1024


@pytest.mark.parametrize(
    "text",
    [
        b"[" + b",".join([b"[" * 60 + b"]" * 60] * 17_000) + b"]",
        b"[" + b"{}," * 600_000 + b"0]",
        b"[" + b"1," * 1_000_000 + b"1]",
        b'"\\' * 1_000_000,
        b'"' + b"\\" * 2_000_000,
        b'"' * 2_000_001,
    ],
    ids=["nested", "objects", "numbers", "quoted quotes", "backslashes", "quotes"],
)
def test_a_body_of_the_largest_size_is_refused_in_no_time(text: bytes) -> None:
    begun = time.process_time()
    with pytest.raises(Problem, match="malformed"):
        body.parse(text)
    assert time.process_time() - begun < 1


def test_what_a_text_holds_counts_as_one_value() -> None:
    content = '[,{"' * (PAGE_BYTES // 5)
    text = b'{"content": "' + content.replace('"', '\\"').encode() + b'", "tags": ["a", "b"]}'
    assert body.parse(text) == {"content": content, "tags": ["a", "b"]}


def test_a_body_may_hold_as_many_values_as_it_says() -> None:
    value = [1] * body.MOST_VALUES
    assert body.parse(str(value).encode()) == value
    with pytest.raises(Problem, match="malformed"):
        body.parse(str([*value, 1]).encode())
