"""What the page weighs, and where it comes from."""

from playwright.sync_api import expect

from tests.py.api.conftest import Place
from tests.py.browser.tabs import Tabs

MOST_BYTES = 50_000


def test_the_page_weighs_under_50_kb_and_all_of_it_is_from_here(place: Place, tabs: Tabs) -> None:
    page = tabs.open(place)
    expect(page.get_by_text("No jobs yet")).to_be_visible()
    files = [request for request in tabs.requests if "/api/" not in request.url]
    assert {request.url.rpartition(".")[2] for request in files} >= {"js", "css"}
    weights = {request.url: request.sizes()["responseBodySize"] for request in files if request.response()}
    assert 0 < sum(weights.values()) < MOST_BYTES, weights
    assert all(request.url.startswith((place.api.origin, "data:")) for request in tabs.requests)


def test_its_files_are_asked_for_once(place: Place, tabs: Tabs) -> None:
    page = tabs.open(place)
    expect(page.get_by_text("No jobs yet")).to_be_visible()
    page.goto(f"/workspaces/{place.workspace}/audit")
    expect(page.get_by_text("Nothing has happened here yet.")).to_be_visible()
    scripts = page.evaluate(
        "performance.getEntriesByType('resource').filter((entry) => entry.name.includes('/static/'))"
        ".map((entry) => entry.transferSize)"
    )
    assert scripts
    assert set(scripts) == {0}
