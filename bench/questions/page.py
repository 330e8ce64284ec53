"""The page in Chromium: how long after a commit the bar moves."""

import secrets
import time
from collections.abc import Iterator

from playwright.sync_api import Page

from bench.figure import Figure
from bench.hub import Connection, Hub, one
from bench.rounds import percentile
from tests.py.browser.chromium import running_chromium

STEPS = 30

# When the bar was painted with its new value: in the frame after the one that the change asked for.
_WATCH = """() => {
    window.moved = [];
    const bar = document.querySelector('progress');
    new MutationObserver(() => requestAnimationFrame(() => requestAnimationFrame(
        () => window.moved.push([bar.value, Date.now()])))).observe(bar, { attributes: true });
}"""


def measure(hub: Hub) -> Iterator[Figure]:
    """Measure with a job that takes one page a step; a step has a wall-clock time, and the bar, too."""
    job = hub.create_tagging(hub.add_course(1_000, "'text'"))
    worker = hub.connect("hub_worker")
    claimed = one(worker, "SELECT job_id, lease FROM jobs.claim('bench', '{course_tagging}')")
    with hub.api_process() as api, running_chromium() as browser:
        origin = f"http://127.0.0.1:{api.port}"
        context = browser.new_context(base_url=origin)
        context.add_cookies([{"name": "session", "value": hub.token, "url": origin}])
        page = context.new_page()
        page.goto(f"/workspaces/{hub.workspace}/jobs/{job}")
        page.wait_for_selector("[data-mode=live]")
        page.evaluate(_WATCH)
        delays = [_step(worker, claimed, page) for _ in range(STEPS)]
        context.close()
    name = "commit to the bar moving"
    yield Figure(name=f"{name}, p50", value=percentile(delays, 50), unit="ms", at_most=200)
    yield Figure(name=f"{name}, slowest of {STEPS}", value=max(delays), unit="ms", at_most=400)


def _step(worker: Connection, claimed: tuple[object, ...], page: Page) -> float:
    """Take one page; return after how many milliseconds the bar showed it."""
    before = page.evaluate("window.moved.length")
    worker.execute("SELECT outcome FROM jobs.advance(%s, %s, 1, '1 second')", claimed)
    committed = time.time() * 1000
    page.wait_for_function("before => window.moved.length > before", arg=before)
    moved: float = page.evaluate("before => window.moved[before][1]", before)
    # Not in step with the five notifications a second.
    time.sleep(0.05 + secrets.randbelow(300) / 1000)
    return moved - committed
