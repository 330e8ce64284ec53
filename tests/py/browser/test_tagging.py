"""Starting a tagging: the whole way, and what is in it."""

import pytest
from playwright.sync_api import Page, Route, expect

from tests.py.api.conftest import Place
from tests.py.api.hub import PASSWORD, wait_until
from tests.py.browser.tabs import Tabs, answer
from tests.py.worker.process import WorkerProcess


def fill_in(page: Page, *tags: str) -> None:
    """Enter tags; the only course is chosen already."""
    page.get_by_label("Tags", exact=True).fill(",".join(tags) + ",")


def start(page: Page) -> None:
    """Press the button."""
    page.get_by_role("button", name="Start tagging").click()


def problem(status: int, code: str, title: str, detail: str, **headers: str) -> dict[str, object]:
    """Return the answer that says so."""
    return {
        "status": status,
        "headers": {"Content-Type": "application/problem+json", **headers},
        "json": {"status": status, "code": code, "title": title, "detail": detail, "request_id": "r-1"},
    }


def test_one_signs_in_sees_what_would_change_tags_and_watches_it_to_the_end(
    own_place: Place, worker: WorkerProcess, tabs: Tabs
) -> None:
    assert worker.alive
    hub, course = own_place.hub, own_place.course
    first = hub.pages(course)[0]["id"]
    hub.connection.execute("UPDATE hub_store.page SET tags = '{Physics}' WHERE id = %s", (first,))
    page = tabs.blank(own_place)
    page.goto("/")
    page.get_by_label("E-mail").fill(own_place.administrator.email)
    page.get_by_label("Password").fill("wrong " + PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    expect(page.get_by_role("alert")).to_contain_text("Wrong e-mail or password")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="Handbook").click()
    expect(page.get_by_role("combobox", name="Course")).to_have_value(str(course))
    fill_in(page, "physics")
    expect(page.locator(".preview")).to_have_text("2 of 3 pages would change; 1 has the tags already.")
    start(page)
    expect(page.get_by_role("status").filter(has_text="Started")).to_be_visible()
    page.get_by_role("link", name="Watch it live").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Tagging of Course")
    expect(page.locator(".state")).to_have_text("Succeeded")
    expect(page.locator(".progress-text")).to_have_text("3 pages")
    assert page.locator(".numbers dd").all_inner_texts() == ["2", "1", "0"]
    expect(page.locator(".events li")).to_have_count(3)
    assert {tag for row in hub.pages(course) for tag in row["tags"]} == {"Physics", "physics"}
    page.get_by_role("link", name="Jobs", exact=True).click()
    expect(page.locator(".job .state")).to_have_text("Succeeded")


def test_a_double_click_makes_one_job(place: Place, tabs: Tabs) -> None:
    page = tabs.open(place)
    fill_in(page, "twice")
    expect(page.locator(".preview")).to_be_visible()
    page.get_by_role("button", name="Start tagging").dblclick()
    expect(page.locator(".notice").first).to_contain_text("Started")
    page.get_by_role("button", name="Start tagging").click()
    expect(page.locator(".field-error:visible")).to_have_text("Enter at least one tag.")
    assert len(tabs.sent("POST", "/jobs")) == 1
    assert len(place.hub.jobs(place.workspace)) == 1


def test_what_is_typed_while_a_tagging_starts_is_for_the_next(place: Place, tabs: Tabs) -> None:
    page = tabs.open(place)

    def meanwhile(route: Route) -> None:
        entry = page.get_by_role("textbox", name="Tags")
        entry.fill("next")
        entry.press("Enter")
        route.continue_()

    page.route("**/jobs", meanwhile, times=1)
    fill_in(page, "first")
    start(page)
    expect(page.locator(".notice").first).to_contain_text("Started")
    expect(page.get_by_role("list", name="Tags entered").get_by_role("listitem")).to_contain_text(["next"])


@pytest.mark.parametrize("reload", [False, True], ids=["at once", "after a reload"])
def test_a_retry_after_a_lost_answer_finds_the_first_job(place: Place, tabs: Tabs, reload: bool) -> None:
    page = tabs.open(place)

    def lose(route: Route) -> None:
        route.fetch()
        route.abort()

    page.route("**/jobs", lose, times=1)
    fill_in(page, "lost")
    start(page)
    expect(page.get_by_role("alert")).to_contain_text("The server did not answer")
    if reload:
        page.reload()
        expect(page.get_by_role("combobox", name="Course")).to_have_value(str(place.course))
        fill_in(page, "lost")
    start(page)
    expect(page.locator(".notice").first).to_contain_text("This was already started")
    assert len(place.hub.jobs(place.workspace)) == 1
    first, second = (request.headers["idempotency-key"] for request in tabs.sent("POST", "/jobs"))
    assert first == second


def test_the_same_again_on_purpose_is_another_job(place: Place, tabs: Tabs) -> None:
    page = tabs.open(place)
    for jobs in (1, 2):
        fill_in(page, "again")
        start(page)
        expect(page.locator(".jobs > li")).to_have_count(jobs)
    assert len(place.hub.jobs(place.workspace)) == 2


@pytest.mark.parametrize(
    ("answered", "words"),
    [
        (
            problem(429, "capacity", "No room for another job", "Let one end.", **{"Retry-After": "10"}),
            ["No room for another job", "Let one end.", "Try again in 10 seconds, at"],
        ),
        (
            problem(429, "request-budget", "Too many job requests", "Wait.", **{"Retry-After": "1"}),
            ["Too many job requests", "Try again in 1 second, at"],
        ),
        (
            problem(503, "unavailable", "Temporarily unavailable", "Try later.", **{"Retry-After": "5"}),
            ["Temporarily unavailable", "Try again in 5 seconds, at", "the request was r-1"],
        ),
        (
            problem(409, "idempotency-key-reused", "Idempotency key already used", "Use a new key."),
            ["Idempotency key already used"],
        ),
        ({"status": 502, "body": "<html>"}, ["The server gave an unexpected answer (502)"]),
    ],
    ids=["capacity", "budget", "unavailable", "key reused", "no problem"],
)
def test_a_refusal_is_said_in_words_and_what_was_entered_stays(
    place: Place, tabs: Tabs, answered: dict[str, object], words: list[str]
) -> None:
    page = tabs.open(place)
    page.route("**/jobs", lambda route: route.fulfill(**answered), times=1)
    fill_in(page, "kept")
    start(page)
    for part in words:
        expect(page.get_by_role("alert")).to_contain_text(part)
    expect(page.get_by_role("list", name="Tags entered")).to_contain_text("kept")
    start(page)
    expect(page.locator(".notice").first).to_contain_text("Started")


def test_who_has_lost_the_role_is_told_so(place: Place, tabs: Tabs) -> None:
    page = tabs.open(place)
    fill_in(page, "late")
    place.hub.join(place.administrator, place.workspace, "reader")
    start(page)
    expect(page.get_by_role("alert")).to_contain_text("Only an enabled administrator of the workspace")
    expect(page.locator(".mode")).to_contain_text("No longer checking. Administrators only")


def test_who_is_signed_out_in_the_middle_signs_in_and_goes_on(place: Place, tabs: Tabs) -> None:
    page = tabs.open(place)
    fill_in(page, "kept")
    expect(page.locator(".preview")).to_contain_text("would change")
    place.hub.set_enabled(place.administrator, False)
    place.hub.set_enabled(place.administrator, True)
    start(page)
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Your session has ended. Sign in to continue where you were.")
    page.keyboard.press("Escape")
    expect(dialog).to_be_visible()
    dialog.get_by_label("E-mail").fill(place.administrator.email)
    dialog.get_by_label("Password").fill(PASSWORD)
    dialog.get_by_role("button", name="Sign in").click()
    expect(page.locator(".notice").first).to_contain_text("Started")
    assert [job["request"]["tags"] for job in place.hub.jobs(place.workspace)] == [["kept"]]


def test_the_list_filters_and_turns_its_parts(place: Place, tabs: Tabs) -> None:
    for setting in ("MaxPendingPerWorkspace", "MaxPendingPerActor"):
        place.hub.set(setting, 1000)
    jobs = [place.hub.add_job(place.administrator, place.workspace, place.course, f"n{n}") for n in range(30)]
    place.hub.cancel(jobs[0])
    page = tabs.open(place)
    rows = page.locator(".jobs > li")
    expect(rows).to_have_count(25)
    expect(rows.first).to_contain_text("n29")
    expect(page.get_by_role("button", name="Newer jobs")).to_be_hidden()
    page.get_by_role("button", name="Older jobs").click()
    expect(rows).to_have_count(5)
    expect(rows.last).to_contain_text("n0")
    expect(page.get_by_role("button", name="Older jobs")).to_be_hidden()
    page.get_by_role("button", name="Newer jobs").click()
    expect(rows.first).to_contain_text("n29")
    page.get_by_label("State").select_option("Cancelled")
    expect(rows).to_have_count(1)
    page.reload()
    expect(rows).to_have_count(1)
    expect(page.get_by_label("State")).to_have_value("cancelled")
    page.get_by_label("Kind").select_option("Backup")
    expect(page.get_by_text("No job is like that.")).to_be_visible()


def test_the_list_shows_what_others_start(place: Place, tabs: Tabs) -> None:
    page = tabs.open(place)
    expect(page.get_by_text("No jobs yet")).to_be_visible()
    with answer(page, "GET", "/jobs"):
        job = place.hub.add_job(place.administrator, place.workspace, place.course)
        page.evaluate("dispatchEvent(new Event('online'))")
    expect(page.locator(".jobs > li .state")).to_have_text("Queued")
    place.hub.complete(job)
    expect(page.locator(".jobs > li .state")).to_have_text("Succeeded")
    wait_until(lambda: page.locator("#announcer").text_content(), "the change is said")
    expect(page.locator("#announcer")).to_contain_text("Succeeded")
