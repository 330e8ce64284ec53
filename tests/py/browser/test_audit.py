"""The audit trail in words."""

import re

from playwright.sync_api import expect

from knowledgehub.configuration import SOURCE_TREE
from tests.py.api.conftest import Place
from tests.py.browser.tabs import Tabs, job_path

NAME = "Ren\u00e9 \u202eevil"
SHOWN = f"\u2068{NAME}\u2069"


def events() -> set[str]:
    """Return every event that a function writes; that of a job's end is put together from its state."""
    texts = (path.read_text(encoding="utf-8") for path in SOURCE_TREE.glob("sql/functions/*/*.sql"))
    written = {event for text in texts for event in re.findall(r"'([a-z]+\.[a-z_]+)'", text)}
    return written | {f"job.{state}" for state in ("succeeded", "failed", "cancelled")}


def test_every_event_has_words(place: Place, tabs: Tabs) -> None:
    page = tabs.open(place, "/audit")
    names = page.evaluate(
        """async (events) => {
            const { href } = document.querySelector('link[href$="/words.js"]');
            const { eventName } = await import(href);
            return Object.fromEntries(events.map((event) => [event, eventName(event)]));
        }""",
        sorted(events()),
    )
    assert len(names) > 15
    assert [event for event, name in names.items() if event == name] == []


def test_the_trail_says_who_may_do_what_now_and_who_was_refused(place: Place, tabs: Tabs) -> None:
    hub, job = place.hub, place.hub.add_job(place.administrator, place.workspace, place.course)
    person = hub.add_person()
    hub.connection.execute("UPDATE hub_store.app_user SET name = %s WHERE id = %s", (NAME, person.id))
    hub.set_member(person, place.workspace, "editor")
    hub.set_member(person, place.workspace, "reader", enabled=False)
    hub.set_member(person, place.workspace, "reader")
    client = place.api.client(hub.sign_in(person))
    assert client.create_job(place.workspace, {"kind": "backup"}).status_code == 403
    assert client.post(f"{place.path}{job_path(job)}/cancel").status_code == 403
    page = tabs.open(place, "/audit")
    rows = page.locator(".events > li")
    expect(rows).to_have_count(6)
    assert rows.locator(".event-what").all_text_contents() == [
        "Tried to cancel a job: refused",
        "Tried to start a job: refused",
        f"Membership changed ({SHOWN}: reader; before: reader, disabled)",
        f"Membership changed ({SHOWN}: reader, disabled; before: editor)",
        f"Membership changed ({SHOWN}: editor)",
        "Queued",
    ]
    assert "the operator" in rows.nth(2).inner_text()
    rows.first.get_by_role("link").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Tagging of Course")


def test_the_trail_of_a_job_says_which_attempt_it_was_and_why_it_failed(place: Place, tabs: Tabs) -> None:
    job = place.hub.add_job(place.administrator, place.workspace, place.course)
    lease = place.hub.claim(job)
    other = place.hub.add_person()
    place.hub.join(other, place.workspace)
    place.hub.join(place.administrator, place.workspace, "reader")
    place.hub.advance(lease)
    page = tabs.open(place, job_path(job), person=other)
    expect(page.locator(".events .event-what")).to_have_text(
        ["Queued", "Claimed (attempt 1)", "Failed (actor_not_authorised)"]
    )
