"""Courses and pages: finding, reading and editing them."""

import re
import time
from typing import Any
from uuid import UUID

import pytest
from playwright.sync_api import Page, expect

from tests.py.api.conftest import Place
from tests.py.browser.tabs import Tabs

MARKDOWN = """\
# Heading

A *slanted*, **strong** and `coded` [link](https://example.org/a?b=c),
[no link](javascript:document.title='owned').
![A picture](https://example.org/picture.png)

- one
- two <b>not bold</b>

1. first

```sh
echo "<script>"
```

> quoted
"""


def set_page(place: Place, page: UUID, **columns: object) -> None:
    """Change a page past the API, as somebody else would."""
    for column, value in columns.items():
        place.hub.connection.execute(
            f"UPDATE hub_store.page SET {column} = %s, etag = gen_random_uuid() WHERE id = %s", (value, page)
        )


def stored(place: Place) -> dict[str, Any]:
    """Return the first page of the course."""
    return place.hub.pages(place.course)[0]


def edit(tabs: Tabs, place: Place) -> Page:
    """Open the first page and begin to edit it."""
    page = tabs.open(place, f"/pages/{stored(place)['id']}")
    page.get_by_role("button", name="Edit").click()
    return page


def test_courses_have_counts_and_their_pages_can_be_searched(place: Place, tabs: Tabs) -> None:
    place.hub.add_course(place.workspace, 60, "Another")
    set_page(place, stored(place)["id"], tags=["Physics", "old"], title="The Lever")
    page = tabs.open(place, "/courses")
    courses = page.get_by_role("navigation", name="Courses")
    expect(courses.get_by_role("link")).to_have_count(3)
    assert courses.get_by_role("link").all_inner_texts() == [
        "All courses\n63\npages",
        "Course\n3\npages",
        "Another\n60\npages",
    ]
    rows = page.locator(".pages > li")
    expect(page.get_by_text("50 of 63 pages")).to_be_visible()
    page.get_by_role("button", name="Show more pages").click()
    expect(rows).to_have_count(63)
    page.get_by_label("Title contains").fill("lev")
    expect(rows).to_have_count(1)
    expect(page.locator(".section-head")).to_contain_text("1 page matches")
    page.get_by_label("Title contains").fill("")
    page.get_by_label("Has the tag").fill("PHYSICS")
    expect(page).to_have_url(re.compile("tag=PHYSICS$"))
    page.reload()
    expect(page.get_by_label("Has the tag")).to_have_value("PHYSICS")
    expect(rows).to_have_count(1)
    page.get_by_label("Has the tag").fill("a,b")
    expect(page.locator(".field-error:visible")).to_be_visible()
    courses.get_by_role("link").nth(1).click()
    expect(rows).to_have_count(3)
    rows.first.get_by_role("link", name="old").click()
    expect(rows).to_have_count(1)
    page.go_back()
    expect(rows).to_have_count(3)
    page.get_by_role("link", name="Tag this course").click()
    expect(page.get_by_role("combobox", name="Course")).to_have_value(str(place.course))


def test_a_page_is_shown_as_markdown_and_nothing_of_it_as_html(place: Place, tabs: Tabs) -> None:
    set_page(place, stored(place)["id"], content=MARKDOWN)
    page = tabs.open(place, f"/pages/{stored(place)['id']}")
    article = page.get_by_role("article")
    expect(article.get_by_role("heading", name="Heading")).to_be_visible()
    for selector, text in (
        ("em", "slanted"),
        ("strong", "strong"),
        ("p code", "coded"),
        ("a", "link"),
        ("ul li >> nth=1", "two <b>not bold</b>"),
        ("ol li", "first"),
        ("pre", 'echo "<script>"'),
        ("blockquote", "quoted"),
    ):
        expect(article.locator(selector)).to_have_text(text)
    expect(article.get_by_role("link")).to_have_attribute("href", "https://example.org/a?b=c")
    expect(article).to_contain_text("no link")
    expect(article).to_contain_text("A picture")


@pytest.mark.parametrize(
    "content", ["*" * 200_000, "[" * 200_000, "`" * 199_999, "# " + "#" * 199_000 + "x", "> " * 99_000]
)
def test_no_text_takes_long_to_show(place: Place, tabs: Tabs, content: str) -> None:
    set_page(place, stored(place)["id"], content=content)
    begun = time.monotonic()
    page = tabs.open(place, f"/pages/{stored(place)['id']}")
    expect(page.get_by_role("article")).to_be_visible()
    # An expectation itself waits for as long as the page is busy.
    assert time.monotonic() - begun < 8


def test_an_edit_is_saved(place: Place, tabs: Tabs) -> None:
    page = edit(tabs, place)
    page.get_by_label("Title").fill("A new title")
    page.get_by_label("Tags", exact=True).fill("one, two")
    page.get_by_label("Content", exact=True).fill("New *text*")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("A new title")
    expect(page.get_by_role("article").locator("em")).to_have_text("text")
    row = stored(place)
    assert (row["title"], row["tags"], row["content"]) == ("A new title", ["one", "two"], "New *text*")


@pytest.mark.parametrize("end", ["\r\n", "\n"])
def test_line_ends_stay_as_they_were(place: Place, tabs: Tabs, end: str) -> None:
    mixed = "a\r\nb\nc\r"
    set_page(place, stored(place)["id"], content=mixed)
    page = edit(tabs, place)
    page.get_by_label("Title").fill("Only the title")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Only the title")
    assert stored(place)["content"] == mixed
    set_page(place, stored(place)["id"], content=f"a{end}b")
    page.reload()
    page.get_by_role("button", name="Edit").click()
    page.get_by_label("Content", exact=True).fill("a\nb\nc")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("article")).to_contain_text("c")
    assert stored(place)["content"] == f"a{end}b{end}c"


def test_a_conflict_keeps_what_was_typed_and_overwrites_nothing(place: Place, tabs: Tabs) -> None:
    page = edit(tabs, place)
    page.get_by_label("Content", exact=True).fill("mine")
    set_page(place, stored(place)["id"], content="theirs", tags=["tagged"])
    page.get_by_role("button", name="Save", exact=True).click()
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("This page was changed while you were editing it")
    expect(page.get_by_label("Content", exact=True)).to_have_value("mine")
    assert stored(place)["content"] == "theirs"
    alert.get_by_text("What is there now").click()
    expect(alert.locator("pre")).to_have_text("theirs")
    expect(alert).to_contain_text("Tags: tagged")
    alert.get_by_role("button", name="Save mine over it").click()
    expect(page.get_by_role("article")).to_have_text("mine")
    assert stored(place)["content"] == "mine"


def test_after_a_conflict_theirs_can_be_taken(place: Place, tabs: Tabs) -> None:
    page = edit(tabs, place)
    page.get_by_label("Content", exact=True).fill("mine")
    set_page(place, stored(place)["id"], content="theirs")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_role("button", name="Discard mine, show theirs").click()
    expect(page.get_by_role("article")).to_have_text("theirs")
    assert stored(place)["content"] == "theirs"


def test_what_was_typed_is_still_there_after_looking_elsewhere(place: Place, tabs: Tabs) -> None:
    page = edit(tabs, place)
    page.get_by_label("Content", exact=True).fill("not saved yet")
    page.get_by_role("link", name="Audit").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Audit")
    page.go_back()
    expect(page.get_by_label("Content", exact=True)).to_have_value("not saved yet")
    page.get_by_role("button", name="Discard changes").click()
    expect(page.get_by_role("article")).to_have_text("Text 1")


def test_what_a_page_cannot_have_is_said_at_its_field(place: Place, tabs: Tabs) -> None:
    page = edit(tabs, place)
    page.get_by_label("Title").fill("x" * 10_001)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_label("Title")).to_have_attribute("aria-invalid", "true")
    expect(page.locator(".field-error:visible")).to_have_text("A title has at most 10,000 characters.")


def test_a_reader_reads_and_an_editor_edits(place: Place, tabs: Tabs) -> None:
    reader = place.hub.add_person()
    place.hub.join(reader, place.workspace, "reader")
    page = tabs.open(place, f"/pages/{stored(place)['id']}", person=reader)
    expect(page.get_by_role("article")).to_have_text("Text 1")
    expect(page.get_by_role("button", name="Edit")).to_be_hidden()
    views = page.get_by_role("navigation", name="Workspace")
    assert views.get_by_role("link").all_inner_texts() == ["Courses"]
    page.goto(f"/workspaces/{place.workspace}")
    expect(page.get_by_role("main")).to_contain_text(
        "Jobs are for administrators of this workspace; you are a reader"
    )
    place.hub.join(reader, place.workspace, "editor")
    page.goto(f"/workspaces/{place.workspace}/pages/{stored(place)['id']}")
    expect(page.get_by_role("button", name="Edit")).to_be_visible()
