"""The page in Chromium: how long after a commit the bar moves."""

import hashlib
import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from playwright.sync_api import Page

from bench.figure import Figure
from knowledgehub.embedded import EmbeddedServer
from tests.py.browser.chromium import running_chromium

STEPS = 30
START_SECONDS = 30

_SEED = """
    INSERT INTO hub_store.app_user (id, email, name, password_hash)
    VALUES (%(user)s, 'page@example.org', 'Page', '-');
    INSERT INTO hub_store.session (token_hash, user_id) VALUES (%(session)s, %(user)s);
    INSERT INTO hub_store.workspace (id, title) VALUES (%(workspace)s, 'Page');
    INSERT INTO hub_store.membership VALUES (%(workspace)s, %(user)s, 'administrator', true);
    INSERT INTO hub_store.course (id, workspace_id, position, title)
    VALUES (%(course)s, %(workspace)s, 1, 'Page');
    INSERT INTO hub_store.page (course_id, position, title, content)
    SELECT %(course)s, n, 'Page ' || n, 'text' FROM generate_series(1, 1000) AS n;
"""
# When the bar was painted with its new value: in the frame after the one that the change asked for.
_WATCH = """() => {
    window.moved = [];
    const bar = document.querySelector('progress');
    new MutationObserver(() => requestAnimationFrame(() => requestAnimationFrame(
        () => window.moved.push([bar.value, Date.now()])))).observe(bar, { attributes: true });
}"""


def measure(server: EmbeddedServer) -> list[Figure]:
    """Measure with a job that takes one page a step; a step has a wall-clock time, and the bar, too."""
    token = secrets.token_urlsafe(32)
    ids = {name: uuid.uuid4() for name in ("user", "workspace", "course")}
    session = hashlib.sha256(token.encode()).digest()
    with psycopg.connect(server.superuser_url, autocommit=True, cursor_factory=psycopg.ClientCursor) as owner:
        owner.execute(_SEED, {**ids, "session": session})
        body = {"kind": "course_tagging", "course_id": str(ids["course"]), "tags": ["page"]}
        owner.execute(
            "SELECT outcome FROM jobs.create_job(%s, %s, 'page', %s, NULL)",
            (session, ids["workspace"], json.dumps(body)),
        )
        claimed = owner.execute(
            "SELECT job_id, lease FROM jobs.claim('bench', '{course_tagging}')"
        ).fetchone()
        if claimed is None:
            raise RuntimeError("there is no job to claim")
        with _api(server) as origin, running_chromium() as browser:
            context = browser.new_context(base_url=origin)
            context.add_cookies([{"name": "session", "value": token, "url": origin}])
            page = context.new_page()
            page.goto(f"/workspaces/{ids['workspace']}/jobs/{claimed[0]}")
            page.wait_for_selector("[data-mode=live]")
            page.evaluate(_WATCH)
            delays = sorted(_step(owner, claimed, page) for _ in range(STEPS))
            context.close()
    return [
        Figure(f"commit to the bar moving, median of {STEPS}", delays[STEPS // 2], 200, "ms"),
        Figure(f"commit to the bar moving, slowest of {STEPS}", delays[-1], 400, "ms"),
    ]


def _step(owner: psycopg.Connection[tuple[object, ...]], claimed: tuple[object, ...], page: Page) -> float:
    """Take one page; return after how many milliseconds the bar showed it."""
    before = page.evaluate("window.moved.length")
    owner.execute("SELECT outcome FROM jobs.advance(%s, %s, 1, '1 second')", claimed)
    committed = time.time() * 1000
    page.wait_for_function("before => window.moved.length > before", arg=before)
    moved: float = page.evaluate("before => window.moved[before][1]", before)
    # Not in step with the five notifications a second.
    time.sleep(0.05 + secrets.randbelow(300) / 1000)
    return moved - committed


@contextmanager
def _api(server: EmbeddedServer) -> Iterator[str]:
    """Run the API; give its origin."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    environment = os.environ | {"KNOWLEDGEHUB_DATABASE_URL": server.url("hub_api"), "PORT": str(port)}
    command = [sys.executable, "-m", "knowledgehub", "api"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as process:
        try:
            origin = f"http://127.0.0.1:{port}"
            _wait_until_ready(origin)
            yield origin
        finally:
            process.terminate()


def _wait_until_ready(origin: str) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            with urllib.request.urlopen(f"{origin}/readyz", timeout=5):  # noqa: S310 (our own address)
                return
        except (urllib.error.URLError, OSError):
            if time.monotonic() > deadline:
                raise
        time.sleep(0.05)
