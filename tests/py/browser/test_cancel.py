"""Cancelling a job from the page."""

from playwright.sync_api import expect

from tests.py.api.conftest import Place
from tests.py.browser.tabs import Tabs, job_path
from tests.py.browser.test_live import running_job


def test_the_question_says_what_stays_and_the_answer_is_seen(place: Place, tabs: Tabs) -> None:
    job, lease = running_job(place)
    page = tabs.open(place, job_path(job))
    expect(page.locator(".mode")).to_have_text("Live")
    page.get_by_role("button", name="Cancel: Tagging of").click()
    dialog = page.get_by_role("dialog", name="Cancel this job?")
    expect(dialog).to_contain_text("Pages already tagged keep their new tags (100 pages so far).")
    expect(dialog.get_by_role("button", name="Let it run")).to_be_focused()
    place.hub.advance(lease, 100)
    expect(dialog).to_contain_text("(200 pages so far)")
    dialog.get_by_role("button", name="Cancel the job").click()
    expect(page.locator(".state")).to_have_text("Cancelling")
    expect(page.locator(".meaning")).to_have_text("It stops before its next page.")
    expect(page.get_by_role("heading", level=1)).to_be_focused()
    assert place.hub.advance(lease) == "ended"
    expect(page.locator(".state")).to_have_text("Cancelled")
    expect(page.locator(".meaning")).to_have_text("What was done before stays done.")
    expect(page.locator(".progress-text")).to_have_text("200 of 1,000 pages")
    expect(page.locator(".events")).to_contain_text(f"Cancel requestedby {place.administrator.name}")


def test_a_queued_job_is_cancelled_from_the_list_at_once(place: Place, tabs: Tabs) -> None:
    place.hub.add_job(place.administrator, place.workspace, place.course)
    page = tabs.open(place)
    page.get_by_role("button", name="Cancel: Tagging of").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("no page has been changed, and none will be")
    dialog.get_by_role("button", name="Cancel the job").click()
    expect(page.locator(".job .state")).to_have_text("Cancelled")
    expect(page.get_by_role("button", name="Cancel: Tagging of")).to_be_hidden()


def test_the_question_can_be_left_without_harm(place: Place, tabs: Tabs) -> None:
    job = place.hub.add_job(place.administrator, place.workspace, place.course)
    page = tabs.open(place, job_path(job))
    page.get_by_role("button", name="Cancel: Tagging of").click()
    page.get_by_role("dialog").get_by_role("button", name="Let it run").click()
    page.get_by_role("button", name="Cancel: Tagging of").click()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_be_hidden()
    assert tabs.sent("POST", "/cancel") == []
    assert place.hub.jobs(place.workspace)[0]["state"] == "queued"


def test_a_job_that_has_ended_meanwhile_cannot_be_cancelled(place: Place, tabs: Tabs) -> None:
    job = place.hub.add_job(place.administrator, place.workspace, place.course)
    page = tabs.open(place)
    page.get_by_role("button", name="Cancel: Tagging of").click()
    page.route("**/jobs?*", lambda route: route.abort())
    place.hub.complete(job)
    page.get_by_role("button", name="Cancel the job").click()
    expect(page.get_by_role("alert")).to_contain_text("Job already ended")
    page.unroute("**/jobs?*")
    expect(page.locator(".job .state")).to_have_text("Succeeded")
    expect(page.get_by_role("dialog")).to_be_hidden()
