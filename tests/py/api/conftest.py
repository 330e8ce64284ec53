"""Fixtures for the API's tests.

Most tests share one process on one database and keep to people and workspaces of their own; those that set
limits or end processes start one for themselves.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol
from uuid import UUID

import pytest

from knowledgehub.embedded import SUPERUSER
from knowledgehub.migrate import create_roles
from tests.py.api.client import Client
from tests.py.api.hub import Hub, Person
from tests.py.api.process import ApiProcess
from tests.server import Database, Server


@dataclass(frozen=True)
class Place:
    """A workspace with an administrator who is signed in, and a course of three pages."""

    hub: Hub
    api: ApiProcess
    administrator: Person
    workspace: UUID
    course: UUID
    client: Client

    @property
    def path(self) -> str:
        """The workspace's address."""
        return f"/api/workspaces/{self.workspace}"

    def member(self, role: str, enabled: bool = True) -> Client:
        """Return the client of another member."""
        person = self.hub.add_person()
        self.hub.join(person, self.workspace, role, enabled)
        return self.api.client(self.hub.sign_in(person))

    def stranger(self) -> Client:
        """Return the client of somebody who is in no workspace."""
        return self.api.client(self.hub.sign_in(self.hub.add_person()))


class StartApi(Protocol):
    """Starts an API process and waits until it is ready; keyword arguments are environment variables."""

    def __call__(self, *, url: str | None = None, until: str = "/readyz", **environment: str) -> ApiProcess:
        """``url``: of its database; ``until``: the path to wait for."""


def make_place(hub: Hub, api: ApiProcess) -> Place:
    """Make a new workspace."""
    administrator = hub.add_person()
    workspace = hub.add_workspace()
    hub.join(administrator, workspace)
    course = hub.add_course(workspace)
    return Place(hub, api, administrator, workspace, course, api.client(hub.sign_in(administrator)))


@pytest.fixture(scope="session")
def shared(
    server: Server, template: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Hub, ApiProcess]]:
    """The process and database that tests share; there is no limit on requests from one address."""
    database = Database(server, "hub_api_shared")
    server.create_database(database.name, template)
    create_roles(database.url(SUPERUSER))
    hub = Hub(database)
    hub.set("CreationsPerMinutePerAddress", 1_000_000)
    folder = tmp_path_factory.mktemp("api")
    archives = folder / "backups"
    archives.mkdir()
    api = ApiProcess(folder / "api.log", database.url("hub_api"), KNOWLEDGEHUB_BACKUP_DIR=str(archives))
    try:
        api.wait_until("/readyz")
        yield hub, api
    finally:
        api.kill()
        database.close()
        server.drop_database(database.name)


@pytest.fixture
def place(shared: tuple[Hub, ApiProcess]) -> Iterator[Place]:
    """A new workspace at the shared process."""
    hub, api = shared
    yield make_place(hub, api)
    api.close_clients()


@pytest.fixture
def own_hub(database: Database) -> Hub:
    """A database of the test's own."""
    return Hub(database)


@pytest.fixture
def start_api(database: Database, tmp_path: Path) -> Iterator[StartApi]:
    """Starts processes on a database of the test's own; they are ended after it."""
    started: list[ApiProcess] = []

    def start(*, url: str | None = None, until: str = "/readyz", **environment: str) -> ApiProcess:
        api = ApiProcess(tmp_path / f"api-{len(started)}.log", url or database.url("hub_api"), **environment)
        started.append(api)
        api.wait_until(until)
        return api

    try:
        yield start
    finally:
        for api in started:
            api.kill()


@pytest.fixture
def own_place(own_hub: Hub, start_api: StartApi) -> Place:
    """A workspace at a process and a database of the test's own."""
    return make_place(own_hub, start_api())
