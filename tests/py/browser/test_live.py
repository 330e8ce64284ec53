"""A job's own view: live, with the fallback, never backwards."""

import json
import os
import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

from playwright.sync_api import Locator, Page, Route, expect

from tests.py.api.conftest import Place
from tests.py.api.hub import PASSWORD, Lease, wait_until
from tests.py.api.process import ApiProcess
from tests.py.api.proxy import Proxy
from tests.py.browser.tabs import Tabs, answer, job_path
from tests.server import Database

PAGES = 1000
POLLING = re.compile(r"Checking every \d+ s")


def running_job(place: Place, done: int = 100) -> tuple[UUID, Lease]:
    """Start a job on a course of PAGES pages and take its first step."""
    course = place.hub.add_course(place.workspace, PAGES, "Big")
    job = place.hub.add_job(place.administrator, place.workspace, course, "live")
    lease = place.hub.claim(job)
    place.hub.advance(lease, done)
    return job, lease


def progress(page: Page) -> Locator:
    """Return how far the job is, in words."""
    return page.locator(".progress-text")


def mode(page: Page) -> Locator:
    """Return how the view is kept current, in words."""
    return page.locator(".mode")


def look(page: Page) -> None:
    """Make a page that polls do it at once."""
    page.evaluate("dispatchEvent(new Event('online'))")


def freeze(page: Page) -> None:
    """Stop a clock that was installed: nothing happens of itself any more."""
    page.clock.pause_at(page.evaluate("Date.now() / 1000") + 0.2)


def finish(place: Place, lease: Lease) -> None:
    """Take the steps that are left."""
    while place.hub.advance(lease) != "ended":
        pass


@contextmanager
def no_streams(page: Page) -> Iterator[None]:
    """Answer 503 to every stream meanwhile."""
    page.route("**/events", lambda route: route.fulfill(status=503))
    yield
    page.unroute("**/events")


def test_the_bar_moves_with_every_commit(place: Place, tabs: Tabs) -> None:
    job, lease = running_job(place)
    page = tabs.open(place, job_path(job))
    expect(mode(page)).to_have_text("Live")
    expect(progress(page)).to_have_text("100 of 1,000 pages")
    for done in (200, 300):
        place.hub.advance(lease, 100)
        expect(progress(page)).to_have_text(f"{done} of 1,000 pages")
        expect(page.get_by_role("progressbar")).to_have_attribute("aria-valuetext", f"{done} of 1,000 pages")
    expect(page.locator(".pace")).to_contain_text("pages/s · ")
    expect(page.locator(".pace")).to_contain_text("left")


def test_a_finished_job_has_one_stream_request(place: Place, tabs: Tabs) -> None:
    job, lease = running_job(place)
    page = tabs.open(place, job_path(job))
    expect(mode(page)).to_have_text("Live")
    finish(place, lease)
    expect(page.locator(".state")).to_have_text("Succeeded")
    expect(mode(page)).to_be_hidden()
    # Longer than a browser waits before it opens a stream again.
    page.wait_for_timeout(4000)
    assert len(tabs.sent("GET", "/events")) == 1
    page.reload()
    expect(page.locator(".state")).to_have_text("Succeeded")
    assert len(tabs.sent("GET", "/events")) == 1


def test_a_stream_that_is_refused_once_is_replaced_by_polls(place: Place, tabs: Tabs) -> None:
    job, lease = running_job(place)
    page = tabs.blank(place)
    tabs.sign_in(place, place.administrator)
    with no_streams(page):
        page.goto(f"/workspaces/{place.workspace}{job_path(job)}")
        expect(mode(page)).to_have_text(POLLING)
    place.hub.advance(lease, 100)
    expect(progress(page)).to_have_text("200 of 1,000 pages")
    finish(place, lease)
    expect(page.locator(".state")).to_have_text("Succeeded")
    expect(progress(page)).to_have_text("1,000 pages")


def test_after_good_polls_a_stream_is_tried_again(place: Place, tabs: Tabs) -> None:
    job, lease = running_job(place)
    page = tabs.blank(place)
    tabs.sign_in(place, place.administrator)
    page.clock.install()
    with no_streams(page):
        page.goto(f"/workspaces/{place.workspace}{job_path(job)}")
        expect(mode(page)).to_have_text(POLLING)
    assert len(tabs.sent("GET", "/events")) == 1
    wait_until(lambda: _later(page) and mode(page).text_content() == "Live", "it is live again")
    place.hub.advance(lease, 100)
    expect(progress(page)).to_have_text("200 of 1,000 pages")


def _later(page: Page) -> bool:
    page.clock.fast_forward(1000)
    return True


def test_a_server_that_is_killed_and_started_again_is_followed_on(
    own_place: Place, database: Database, tabs: Tabs, tmp_path: Path
) -> None:
    job, lease = running_job(own_place)
    page = tabs.open(own_place, job_path(job))
    expect(mode(page)).to_have_text("Live")
    os.kill(own_place.api.pid, signal.SIGKILL)
    expect(mode(page)).to_contain_text("Offline")
    expect(progress(page)).to_have_text("100 of 1,000 pages")
    own_place.hub.advance(lease, 100)
    port = own_place.api.port
    # The killed one's child holds the port for a moment.
    own_place.api.wait(10)
    wait_until(lambda: not _answers(own_place.api), "the port is free")
    again = ApiProcess(tmp_path / "again.log", database.url("hub_api"), PORT=str(port))
    again.port = port
    try:
        again.wait_until("/readyz")
        look(page)
        expect(progress(page)).to_have_text("200 of 1,000 pages")
        expect(mode(page)).to_have_text(POLLING)
        finish(own_place, lease)
        look(page)
        expect(page.locator(".state")).to_have_text("Succeeded")
    finally:
        again.kill()


def _answers(api: ApiProcess) -> bool:
    client = api.new_client(None)
    try:
        return client.get("/healthz").is_success
    except OSError:
        return False
    except Exception as error:  # noqa: BLE001 (httpx's own are no OSError)
        return "refused" not in str(error).lower()
    finally:
        client.close()


def test_a_stream_that_a_proxy_cuts_is_replaced_by_polls(place: Place, tabs: Tabs) -> None:
    job, lease = running_job(place)
    proxy = Proxy(place.api.port)
    try:
        page = tabs.blank(place, base_url=f"http://127.0.0.1:{proxy.port}")
        tabs.sign_in(place, place.administrator)
        page.goto(f"/workspaces/{place.workspace}{job_path(job)}")
        expect(mode(page)).to_have_text("Live")
        proxy.cut()
        expect(mode(page)).to_have_text(POLLING)
        place.hub.advance(lease, 100)
        look(page)
        expect(progress(page)).to_have_text("200 of 1,000 pages")
        page.goto("about:blank")
    finally:
        proxy.close()


def test_no_older_version_is_shown_unless_two_polls_agree_on_it(place: Place, tabs: Tabs) -> None:
    job, lease = running_job(place)
    path = f"{place.path}{job_path(job)}"
    older: dict[str, Any] = place.client.get(path).json()
    place.hub.advance(lease, 100)
    page = tabs.blank(place)
    tabs.sign_in(place, place.administrator)
    page.clock.install()
    conditions: list[str | None] = []

    def answer_older(route: Route) -> None:
        conditions.append(route.request.headers.get("if-none-match"))
        route.fulfill(status=200, content_type="application/json", body=json.dumps(older))

    with no_streams(page):
        page.goto(f"/workspaces/{place.workspace}{job_path(job)}")
        expect(progress(page)).to_have_text("200 of 1,000 pages")
        expect(mode(page)).to_have_text(POLLING)
        freeze(page)
        page.route(f"**{path}", answer_older)
        for shown in ("200", "200", "100"):
            with answer(page, "GET", job_path(job)):
                look(page)
            expect(mode(page)).to_have_text("Checking every 2 s")
            expect(progress(page)).to_have_text(f"{shown} of 1,000 pages")
    assert conditions == [f'"{older["version"] + 1}"', None, None]


def test_what_is_shown_only_rises_while_the_bar_moves(place: Place, tabs: Tabs) -> None:
    job, lease = running_job(place)
    page = tabs.open(place, job_path(job))
    expect(mode(page)).to_have_text("Live")
    texts = page.evaluate_handle(
        """() => {
            const seen = [];
            const shown = document.querySelector('.progress-text');
            new MutationObserver(() => seen.push(shown.textContent))
                .observe(shown, { childList: true, characterData: true, subtree: true });
            return seen;
        }"""
    )
    for _ in range(8):
        place.hub.advance(lease, 100)
    expect(progress(page)).to_have_text("900 of 1,000 pages")
    seen = [int(text.split()[0]) for text in texts.json_value()]
    assert seen == sorted(seen)


def test_eight_tabs_on_one_job_all_load_and_move(place: Place, tabs: Tabs) -> None:
    job, lease = running_job(place)
    pages = [tabs.open(place, job_path(job)) for _ in range(8)]
    for page in pages:
        expect(progress(page)).to_have_text("100 of 1,000 pages")
        expect(mode(page)).to_have_text(re.compile("Live|Checking"))
    modes = [mode(page).get_attribute("data-mode") for page in pages]
    assert sorted(map(str, modes)) == ["live"] * 3 + ["polling"] * 5
    place.hub.advance(lease, 100)
    for page in pages:
        expect(progress(page)).to_have_text("200 of 1,000 pages")


def test_a_page_that_comes_into_view_looks_at_once(place: Place, tabs: Tabs) -> None:
    job, lease = running_job(place)
    page = tabs.blank(place)
    tabs.sign_in(place, place.administrator)
    page.clock.install()
    with no_streams(page):
        page.goto(f"/workspaces/{place.workspace}{job_path(job)}")
        expect(mode(page)).to_have_text(POLLING)
        freeze(page)
        place.hub.advance(lease, 100)
        with answer(page, "GET", job_path(job)):
            page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        expect(progress(page)).to_have_text("200 of 1,000 pages")


def test_a_stream_that_fell_silent_while_the_machine_slept_is_opened_anew(place: Place, tabs: Tabs) -> None:
    job, _ = running_job(place)
    page = tabs.open(place, job_path(job))
    expect(mode(page)).to_have_text("Live")
    page.evaluate("const now = Date.now; Date.now = () => now() + 60_000;")
    with answer(page, "GET", "/events"):
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    expect(mode(page)).to_have_text("Live")


def test_who_loses_the_role_sees_it_and_nothing_more(place: Place, tabs: Tabs) -> None:
    job, lease = running_job(place)
    page = tabs.open(place, job_path(job))
    expect(mode(page)).to_have_text("Live")
    place.hub.join(place.administrator, place.workspace, "editor")
    place.hub.advance(lease, 100)
    expect(page.get_by_role("alert")).to_contain_text("Only an enabled administrator")
    expect(page.get_by_role("button", name="Cancel")).to_be_hidden()


def test_who_is_signed_out_in_the_middle_signs_in_and_the_view_goes_on(place: Place, tabs: Tabs) -> None:
    job, lease = running_job(place)
    page = tabs.open(place, job_path(job))
    expect(mode(page)).to_have_text("Live")
    place.hub.set_enabled(place.administrator, False)
    place.hub.set_enabled(place.administrator, True)
    place.hub.connection.execute("UPDATE hub_store.membership SET enabled = true")
    # The step tells the stream's reader, who finds the session gone.
    place.hub.advance(lease, 100)
    dialog = page.get_by_role("dialog", name="Sign in again")
    dialog.get_by_label("E-mail").fill(place.administrator.email)
    dialog.get_by_label("Password").fill(PASSWORD)
    dialog.get_by_role("button", name="Sign in").click()
    expect(progress(page)).to_have_text("200 of 1,000 pages")
    finish(place, lease)
    expect(page.locator(".state")).to_have_text("Succeeded")


def test_a_page_error_leads_to_its_page(place: Place, tabs: Tabs) -> None:
    pages = place.hub.pages(place.course)
    job = place.hub.add_job(place.administrator, place.workspace, place.course, "one more")
    place.hub.connection.execute("DELETE FROM hub_store.page WHERE id = %s", (pages[0]["id"],))
    place.hub.connection.execute(
        "UPDATE hub_store.page SET tags = array(SELECT 'tag ' || n FROM generate_series(1, 200) AS n)"
        " WHERE id = %s",
        (pages[1]["id"],),
    )
    place.hub.complete(job)
    page = tabs.open(place, job_path(job))
    errors = page.get_by_role("region", name="Page errors")
    expect(errors).to_contain_text("2 pages could not be tagged; the job went on with the others.")
    expect(errors).to_contain_text("The page was deleted before its turn came.")
    expect(errors.get_by_role("link")).to_have_count(1)
    errors.get_by_role("link", name="Page 2").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Page 2")
