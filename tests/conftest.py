"""Fixtures for all tests: one server a run, a migrated template, and for each test its own database."""

from collections.abc import Iterator
from itertools import count

import pytest

from knowledgehub.embedded import SUPERUSER
from knowledgehub.migrate import create_roles, migrate
from tests.server import TEMPLATE, Database, Server, running_server

_numbers = count(1)


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """The server of this run."""
    with running_server() as server:
        yield server


@pytest.fixture(scope="session")
def template(server: Server) -> str:
    """The name of a migrated database that nobody is connected to."""
    server.create_database(TEMPLATE, "template0")
    create_roles(server.url(SUPERUSER, TEMPLATE))
    migrate(server.url("hub_migrator", TEMPLATE))
    return TEMPLATE


@pytest.fixture
def database(server: Server, template: str) -> Iterator[Database]:
    """A fresh migrated database, dropped after the test."""
    database = Database(server, f"hub_test_{next(_numbers)}")
    server.create_database(database.name, template)
    try:
        # A copy has the template's schema but not the rights on the database itself.
        create_roles(database.url(SUPERUSER))
        yield database
    finally:
        database.close()
        server.drop_database(database.name)
