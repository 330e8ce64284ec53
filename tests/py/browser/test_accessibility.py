"""Every view for everybody: by axe, by the accessibility tree, by keyboard, at every size."""

import importlib.resources
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.py.api.conftest import Place
from tests.py.api.hub import Hub
from tests.py.api.process import ApiProcess
from tests.py.browser.scene import Scene, build_scene
from tests.py.browser.tabs import Tabs, job_path
from tests.py.browser.test_live import finish, running_job
from tests.py.browser.views import VIEWS

AXE = importlib.resources.files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
WIDTHS = (360, 640, 1280, 2560)
"""Pixels; 640 is what a window of 1280 has at 200 %."""


@pytest.fixture(scope="module")
def scene(served: tuple[Hub, ApiProcess]) -> Scene:
    """What the views show."""
    return build_scene(served[0])


@pytest.fixture(scope="module")
def screen(browser: Browser, served: tuple[Hub, ApiProcess], scene: Scene) -> Iterator[Page]:
    """A tab that somebody is signed in to."""
    hub, api = served
    context = browser.new_context(base_url=api.origin)
    token = hub.sign_in(scene.administrator)
    context.add_cookies([{"name": "session", "value": token, "url": api.origin}])
    yield context.new_page()
    context.close()


def violations(page: Page) -> list[str]:
    """Return what axe finds that is serious or worse, each with the elements it is about."""
    page.evaluate(AXE)
    found: list[dict[str, Any]] = page.evaluate("axe.run().then((results) => results.violations)")
    return [
        f"{one['id']}: {[node['html'] for node in one['nodes']]}"
        for one in found
        if one["impact"] in {"serious", "critical"}
    ]


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_is_right_in_both_schemes_and_at_every_width(screen: Page, scene: Scene, name: str) -> None:
    view = VIEWS[name]
    cookies = screen.context.cookies()
    if not view.signed_in:
        screen.context.clear_cookies()
    errors: list[str] = []
    screen.on("pageerror", lambda error: errors.append(str(error)))
    screen.emulate_media(color_scheme="light", reduced_motion="reduce")
    screen.set_viewport_size({"width": 1280, "height": 800})
    view.open(screen, scene)
    assert violations(screen) == []
    screen.emulate_media(color_scheme="dark", reduced_motion="reduce")
    assert violations(screen) == []
    for width in WIDTHS:
        screen.set_viewport_size({"width": width, "height": 800})
        assert screen.evaluate("document.documentElement.scrollWidth") <= width, f"wider than {width}"
    assert errors == []
    assert screen.title() != "owned"
    screen.context.add_cookies(cookies)  # type: ignore[arg-type]


def test_names_and_roles_of_the_jobs_are_in_the_accessibility_tree(place: Place, tabs: Tabs) -> None:
    job, _ = running_job(place)
    page = tabs.open(place)
    expect(page.locator(".job .state")).to_have_text("Running")
    expect(page.locator("body")).to_match_aria_snapshot(
        f"""
        - banner:
          - link "KnowledgeHub Jobs"
          - button "Sign out"
        - main:
          - navigation "Where you are":
            - link "Workspaces"
          - navigation "Workspace":
            - link "Jobs"
            - link "Courses"
            - link "Backups"
            - link "Audit"
          - heading "Jobs" [level=1]
          - group:
            - heading "Tag a course" [level=2]
            - form "Tag a course":
              - combobox "Course"
              - textbox "Tags"
              - button "Start tagging"
          - region "Jobs":
            - heading "Jobs" [level=2]
            - combobox "State"
            - combobox "Kind"
            - list:
              - listitem:
                - heading "Tagging of Big" [level=3]:
                  - link "Tagging of Big":
                    - /url: /workspaces/{place.workspace}{job_path(job)}
                - list "Tagged with"
                - progressbar /Progress. Tagging of .Big./
                - button /Cancel. Tagging of .Big./
        - status
        """
    )


def test_progress_is_silent_and_only_changes_of_state_are_said(place: Place, tabs: Tabs) -> None:
    job, lease = running_job(place)
    page = tabs.open(place, job_path(job))
    expect(page.locator(".mode")).to_have_text("Live")
    said = page.evaluate_handle(
        """() => {
            const said = [];
            const heard = (element) => element.closest('[role=status], [role=alert], [aria-live]');
            new MutationObserver((changes) => {
                for (const { target } of changes) {
                    const region = heard(target.nodeType === 1 ? target : target.parentElement);
                    if (region && region.textContent) {
                        said.push(region.textContent);
                    }
                }
            }).observe(document.body, { childList: true, characterData: true, subtree: true });
            return said;
        }"""
    )
    for done in (200, 300, 400):
        place.hub.advance(lease, 100)
        expect(page.locator(".progress-text")).to_have_text(f"{done} of 1,000 pages")
    assert said.json_value() == []
    finish(place, lease)
    expect(page.locator("#announcer")).to_have_text("Succeeded. 1,000 pages changed, 0 skipped, 0 failed.")
    assert said.json_value() == ["Succeeded. 1,000 pages changed, 0 skipped, 0 failed."]


def test_a_tagging_is_started_with_the_keyboard_alone(place: Place, tabs: Tabs) -> None:
    page = tabs.open(place)
    expect(page.get_by_role("combobox", name="Course")).to_have_value(str(place.course))
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
    for _ in range(12):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.matches('input[type=text]')"):
            break
    page.keyboard.type("keys")
    page.keyboard.press("Enter")
    expect(page.get_by_role("list", name="Tags entered")).to_contain_text("keys")
    for _ in range(4):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "Start tagging":
            break
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"
    page.keyboard.press("Enter")
    expect(page.locator(".notice").first).to_contain_text("Started")


def test_each_view_takes_the_focus_to_its_heading_and_names_the_tab(place: Place, tabs: Tabs) -> None:
    page = tabs.open(place)
    for name in ("Courses", "Audit", "Jobs"):
        page.get_by_role("navigation", name="Workspace").get_by_role("link", name=name).click()
        expect(page.get_by_role("heading", level=1)).to_be_focused()
        expect(page).to_have_title(f"{name} · Handbook · KnowledgeHub Jobs")
