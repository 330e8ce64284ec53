"""Fixtures for the browser's tests: one browser and, for most of them, one server for all.

The package's scope, for until its browser is closed this thread runs Playwright's event loop, in which no
other test could run its own.
"""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from knowledgehub.embedded import SUPERUSER
from knowledgehub.migrate import create_roles
from tests.py.api.conftest import Place, make_place
from tests.py.api.hub import Hub
from tests.py.api.process import ApiProcess
from tests.py.browser.chromium import running_chromium
from tests.py.browser.tabs import Tabs
from tests.py.worker.process import COMMAND, WorkerProcess
from tests.server import Database, Server

# Twice the usual, for other tests may run beside these.
expect.set_options(timeout=10_000)


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """The browser of these tests."""
    with running_chromium() as browser:
        yield browser


@pytest.fixture(scope="package")
def served(
    server: Server, template: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Hub, ApiProcess]]:
    """The server that tests share; there is no limit on requests from one address."""
    database = Database(server, "hub_browser_shared")
    server.create_database(database.name, template)
    create_roles(database.url(SUPERUSER))
    hub = Hub(database)
    hub.set("CreationsPerMinutePerAddress", 1_000_000)
    api = ApiProcess(tmp_path_factory.mktemp("browser") / "api.log", database.url("hub_api"))
    try:
        api.wait_until("/readyz")
        yield hub, api
    finally:
        api.kill()
        database.close()
        server.drop_database(database.name)


@pytest.fixture
def place(served: tuple[Hub, ApiProcess]) -> Place:
    """A new workspace with a course of three pages at the shared server."""
    return make_place(*served)


@pytest.fixture
def own_place(database: Database, tmp_path: Path) -> Iterator[Place]:
    """The same at a server of the test's own."""
    api = ApiProcess(tmp_path / "api.log", database.url("hub_api"))
    try:
        api.wait_until("/readyz")
        yield make_place(Hub(database), api)
    finally:
        api.kill()


@pytest.fixture
def worker(database: Database, tmp_path: Path) -> Iterator[WorkerProcess]:
    """A worker on the test's own database."""
    process = WorkerProcess(tmp_path / "worker.log", database.url("hub_worker"), COMMAND, {})
    try:
        yield process
    finally:
        process.send(signal.SIGTERM)
        process.wait(10)


@pytest.fixture
def tabs(browser: Browser) -> Iterator[Tabs]:
    """Opens tabs. After the test none may have had an error or asked another server for anything."""
    tabs = Tabs(browser)
    try:
        yield tabs
        assert tabs.faults == []
    finally:
        tabs.close()
