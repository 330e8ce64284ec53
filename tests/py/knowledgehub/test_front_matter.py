"""Front matter: what is taken for it, what stays content, what is refused."""

import time

import pytest

from knowledgehub.front_matter import MAXIMUM_BLOCK, Document, FrontMatterError, read


@pytest.mark.parametrize(
    ("text", "document"),
    [
        pytest.param("", Document(None, (), ""), id="empty"),
        pytest.param("\ufeff", Document(None, (), ""), id="only-bom"),
        pytest.param("Text\n", Document(None, (), "Text\n"), id="none"),
        pytest.param("---\ntitle: A\n---\nText\n", Document("A", (), "Text\n"), id="title"),
        pytest.param("\ufeff---\ntitle: A\n---\nText", Document("A", (), "Text"), id="bom"),
        pytest.param("\ufeff\ufeffText", Document(None, (), "\ufeffText"), id="second-bom-is-content"),
        pytest.param("---\r\ntitle: A\r\n---\r\nX\r\n\rY\n", Document("A", (), "X\r\n\rY\n"), id="crlf"),
        pytest.param("---\ntitle: A\r\n---\n\r\nX", Document("A", (), "\r\nX"), id="mixed-line-ends"),
        pytest.param("---\ntitle: A\n---", Document("A", (), ""), id="nothing-after"),
        pytest.param("---\ntitle: A\n---\n\n\n X \n\n", Document("A", (), "\n\n X \n\n"), id="kept-whole"),
        pytest.param(
            "---\ntitle: A\n---\n---\nb: 1\n---\n", Document("A", (), "---\nb: 1\n---\n"), id="second-block"
        ),
        pytest.param("---\nauthor: me\n---\nX", Document(None, (), "X"), id="only-unknown-members"),
        pytest.param("---\ntitle: A\nauthor: {x: [1]}\n---\nX", Document("A", (), "X"), id="unknown-dropped"),
        pytest.param("---\n? [a, b]\n: c\ntitle: A\n---\n", Document("A", (), ""), id="complex-key"),
        pytest.param("---\n{title: A, tags: [b]}\n---\n", Document("A", ("b",), ""), id="flow-mapping"),
        pytest.param("---\nTitle: A\n---\n", Document(None, (), ""), id="names-are-exact"),
        pytest.param("--- \t\ntitle: A\n---\t \nX", Document("A", (), "X"), id="blanks-after-dashes"),
        pytest.param("--- \r\ntitle: A\r\n--- \r\nX", Document("A", (), "X"), id="blanks-before-crlf"),
        pytest.param("---\ntitle: A\n...\nX", Document("A", (), "X"), id="closing-with-dots"),
        pytest.param("---\ntitle: A\n... ", Document("A", (), ""), id="dots-and-nothing-after"),
        pytest.param("---\n---\n# B\n", Document("B", (), "# B\n"), id="empty-block"),
        pytest.param("---\r\n---\r\nX", Document(None, (), "X"), id="empty-block-crlf"),
    ],
)
def test_what_is_front_matter_goes_and_the_rest_is_kept(text: str, document: Document) -> None:
    assert read(text) == document


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(" ---\ntitle: A\n---\n", id="indented"),
        pytest.param("----\ntitle: A\n----\n", id="four-dashes"),
        pytest.param("\n---\ntitle: A\n---\n", id="second-line"),
        pytest.param("---\ntitle: A\n", id="never-closed"),
        pytest.param("---", id="only-dashes"),
        pytest.param("---\n", id="only-opening"),
        pytest.param("---\ntitle: A\n....\nX", id="four-dots"),
        pytest.param("---\ntitle: A\n ---\nX", id="indented-closing"),
        pytest.param("---\n\n---\nX", id="empty-line"),
        pytest.param("---\n# a comment\n---\nX", id="only-a-comment"),
        pytest.param("---\njust words\n---\nX", id="scalar"),
        pytest.param("---\n- a\n- b\n---\nX", id="list"),
        pytest.param("---\ntitle: [a\n---\nX", id="broken-list"),
        pytest.param("---\ntitle: a: b\n---\nX", id="colon-in-plain-text"),
        pytest.param("---\ntitle: *a\n---\nX", id="unknown-alias"),
        pytest.param("---\n\ttitle: a\n---\nX", id="tab"),
        pytest.param("---\ntitle: a\n--- b\ntitle: c\n---\nX", id="two-documents"),
        pytest.param('---\ntitle: "\\Uffffffff"\n---\nX', id="impossible-escape"),
        pytest.param("---\ntitle: a\x07b\n---\nX", id="control-character"),
        pytest.param(f"---\ntitle: {'[' * 5000}\n---\nX", id="deep-nesting"),
        pytest.param(f"---\ntitle: {'[' * 5000}{']' * 5000}\n---\nX", id="deep-but-closed"),
        pytest.param(f"---\ntitle: a\nb: {'c' * MAXIMUM_BLOCK}\n---\nX", id="over-64-KiB"),
        pytest.param("A\n\n---\ntitle: b\n---\nX", id="in-the-body"),
        pytest.param("***\n\n---\n\nX", id="rules"),
    ],
)
def test_what_is_no_front_matter_stays_content(text: str) -> None:
    document = read(text)
    assert document.content == text
    assert document.tags == ()


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("---\ntitle: a: b\n---\nX", "front matter is not YAML (line 2): kept as text"),
        ("---\r\na: 1\r\nb: *c\r\n---\r\nX", "front matter is not YAML (line 3): kept as text"),
        ("---\na: 1\nb: x\x07\n---\nX", "front matter is not YAML (line 3): kept as text"),
        (f"---\ntitle: {'[' * 5000}{']' * 5000}\n---\nX", "front matter is not YAML: kept as text"),
        (
            "---\n- a\n---\nX",
            "front matter has no names with values, such as title: …, so it is kept as text",
        ),
        ("---\ntitle: a\n---\nX", None),
        ("---\ntitle: a: b\nX", None),
        (f"---\ntitle: [\nb: {'c' * MAXIMUM_BLOCK}\n---\nX", None),
        ("X", None),
    ],
)
def test_a_block_that_stays_content_is_noted(text: str, note: str | None) -> None:
    assert read(text).note == note


@pytest.mark.parametrize(
    ("yaml", "title"),
    [
        ("title: plain words", "plain words"),
        ('title: "  kept  "', "  kept  "),
        ("title: 'it''s'", "it's"),
        ("title: 2024-01-02", "2024-01-02"),
        ("title: 1_000", "1_000"),
        ("title: 0x1F", "0x1F"),
        ("title: yes", "yes"),
        ("title: 1.50", "1.50"),
        ("title: !!int 7", "7"),
        ("title: !mine x", "x"),
        ("title: ''", ""),
        ("title: |\n  two\n   lines\n\n  more", "two lines more"),
        ("title: >\n  one\n  line\n", "one line"),
        ('title: "one\\n line "', "one line"),
        ("title: >-\n  one\n  line", "one line"),
        ("title: Über Ж 日本 😀", "Über Ж 日本 😀"),
        ("x: &a shared\ntitle: *a", "shared"),
        ("title:", None),
        ("title: ~", None),
        ("title: null", None),
        ("title: 'null'", "null"),
    ],
)
def test_a_title_is_the_text_that_is_written(yaml: str, title: str | None) -> None:
    assert read(f"---\n{yaml}\n---\n").title == title


@pytest.mark.parametrize(
    ("yaml", "tags"),
    [
        ("tags: [a, 'b c', 3, true, 2024-01-02]", ("a", "b c", "3", "true", "2024-01-02")),
        ("tags:\n- a\n- b", ("a", "b")),
        ("tags: a, b c ,d", ("a", " b c ", "d")),
        ("tags: a,,b, ,", ("a", "b")),
        ("tags: one tag", ("one tag",)),
        ("tags: 7", ("7",)),
        ("tags: []", ()),
        ("tags:", ()),
        ("tags: ~", ()),
        ("tags: ''", ()),
        ("tags: [a, ~]", ("a", "")),
    ],
)
def test_tags_are_a_list_or_a_text_with_commas(yaml: str, tags: tuple[str, ...]) -> None:
    assert read(f"---\n{yaml}\n---\n").tags == tags


@pytest.mark.parametrize(
    ("yaml", "member"),
    [
        ("title: [a]", "title"),
        ("title: {a: b}", "title"),
        ("tags: {a: b}", "tags"),
        ("tags: [a, [b]]", "tags"),
        ("tags: [{a: b}]", "tags"),
        ("title: a\ntitle: b", "title"),
        ("tags: a\ntags: b", "tags"),
        ('title: "a\\0b"', "title"),
        ('title: "\\ud800"', "title"),
        ('tags: ["\\udfff"]', "tags"),
        ('tags: "a,\\x00"', "tags"),
        ("tags: &a [*a]", "tags"),
    ],
)
def test_a_title_or_tags_of_another_shape_are_refused_by_name(yaml: str, member: str) -> None:
    with pytest.raises(FrontMatterError, match=member):
        read(f"---\n{yaml}\n---\n")


def test_an_alias_bomb_costs_nothing() -> None:
    levels = "\n".join(f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * 10)}]" for n in range(1, 100))
    begun = time.monotonic()
    assert read(f"---\nl0: &l0 x\n{levels}\ntitle: A\n---\nX") == Document("A", (), "X")
    assert time.monotonic() - begun < 5
    with pytest.raises(FrontMatterError, match="tags"):
        read(f"---\nl0: &l0 x\n{levels}\ntags: *l99\n---\nX")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: A\n---\n# B\n", "A"),
        ("---\ntitle: ''\n---\n# B\n", ""),
        ("---\ntags: a\n---\n# B\n", "B"),
        ("---\ntitle:\n---\n# B\n", "B"),
        ("---\ntitle: [a\n---\n# B\n", "B"),
        ("---\ntitle: a: b\n---\nX", None),
        ("---\nJust words\n---\n# B\n", "Just words"),
    ],
)
def test_without_a_title_the_first_heading_is_taken(text: str, title: str | None) -> None:
    assert read(text).title == title
