"""Every view of the page, and how to get it on screen."""

from collections.abc import Callable
from dataclasses import dataclass

from playwright.sync_api import Page, expect

from tests.py.browser.scene import Scene


@dataclass(frozen=True)
class View:
    """`open` shows it, completely, in a tab."""

    open: Callable[[Page, Scene], None]
    signed_in: bool = True


def _at(address: str, ready: str) -> View:
    """Return the view at an address (with names of the scene's); `ready`: what is there in the end."""

    def open_it(page: Page, scene: Scene) -> None:
        page.goto(address.format(**vars(scene)))
        expect(page.locator(ready).first).to_be_visible()

    return View(open_it)


def _sign_in(page: Page, _scene: Scene) -> None:
    page.goto("/")
    expect(page.get_by_role("dialog")).to_be_visible()


def _tagging(page: Page, scene: Scene) -> None:
    page.goto(f"/workspaces/{scene.workspace}?course={scene.big}")
    page.get_by_label("Tags", exact=True).fill("physics, summer term,")
    expect(page.locator(".preview")).to_contain_text("would change")


def _cancel(page: Page, scene: Scene) -> None:
    page.goto(f"/workspaces/{scene.workspace}/jobs/{scene.running}")
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_role("dialog")).to_be_visible()


def _edit(page: Page, scene: Scene) -> None:
    page.goto(f"/workspaces/{scene.workspace}/pages/{scene.page}")
    page.get_by_role("button", name="Edit").click()
    expect(page.get_by_label("Title")).to_be_focused()


def _conflict(page: Page, scene: Scene) -> None:
    _edit(page, scene)
    address = f"**/api/workspaces/{scene.workspace}/pages/{scene.page}"
    page.route(
        address,
        lambda route: (
            route.fulfill(
                status=412,
                content_type="application/problem+json",
                body='{"status": 412, "code": "version-mismatch", "title": "Changed meanwhile"}',
            )
            if route.request.method == "PUT"
            else route.fallback()
        ),
    )
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("changed while you were editing")
    page.unroute(address)


def _filtered(page: Page, scene: Scene) -> None:
    page.goto(f"/workspaces/{scene.workspace}?state=succeeded&kind=backup")
    expect(page.locator(".mode")).to_contain_text("Checking")


VIEWS = {
    "sign-in": View(_sign_in, signed_in=False),
    "workspaces": _at("/", ".workspaces"),
    "jobs": _at("/workspaces/{workspace}", ".jobs > li"),
    "jobs-none": View(_filtered),
    "tagging": View(_tagging),
    "job-running": _at("/workspaces/{workspace}/jobs/{running}", "[data-mode=live]"),
    "job-incomplete": _at("/workspaces/{workspace}/jobs/{incomplete}", "td"),
    "job-backup": _at("/workspaces/{workspace}/jobs/{backup}", "[aria-labelledby=archive-title]"),
    "cancel": View(_cancel),
    "courses": _at("/workspaces/{workspace}/courses", ".pages > li"),
    "course": _at("/workspaces/{workspace}/courses?course={sample}&q=in", ".pages > li"),
    "page": _at("/workspaces/{workspace}/pages/{page}", ".prose"),
    "edit": View(_edit),
    "conflict": View(_conflict),
    "backups": _at("/workspaces/{workspace}/backups", ".backups > li"),
    "audit": _at("/workspaces/{workspace}/audit", ".events > li"),
    "missing": _at("/workspaces/{workspace}/jobs/{workspace}", ".problem"),
}
