"""Fixtures for all tests: one server a run, a migrated template, and for each test its own database."""

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from knowledgehub.embedded import SUPERUSER
from knowledgehub.migrate import create_roles, migrate
from tests.server import TEMPLATE, VERSION, Database, Server, running_server

# All tests run on each version, but for these files: what has nothing to do with the server, or starts the
# embedded one for itself, runs once, in the run that has the time; plpgsql_check is there for one version.
ONLY_ON = {
    "18": [
        "py/api/test_address.py",
        "py/api/test_body.py",
        "py/api/test_cookies.py",
        "py/api/test_feed.py",
        "py/api/test_guard.py",
        "py/api/test_nginx.py",
        "py/api/test_openapi.py",
        "py/api/test_passwords.py",
        "py/api/test_protection.py",
        "py/api/test_slow_clients.py",
        "py/api/test_static_files.py",
        "py/faults/test_backups.py",
        "py/knowledgehub/archive/test_damage.py",
        "py/knowledgehub/archive/test_entry_names.py",
        "py/knowledgehub/archive/test_hostile.py",
        "py/knowledgehub/archive/test_page_file.py",
        "py/knowledgehub/archive/test_writer.py",
        "py/knowledgehub/test_configuration.py",
        "py/knowledgehub/test_front_matter.py",
        "py/knowledgehub/test_headings.py",
        "py/knowledgehub/test_logs.py",
        "py/knowledgehub/test_up.py",
        "py/test_embedded.py",
        "py/worker/test_archive_store.py",
        "py/worker/test_backup_storage.py",
        "py/worker/test_lease.py",
        "py/worker/test_outage.py",
        "sql/test_lint.py",
        "sql/test_outcomes.py",
        "sql/test_schema.py",
    ],
    "15": [
        "py/browser/test_accessibility.py",
        "py/browser/test_audit.py",
        "py/browser/test_backups.py",
        "py/browser/test_cancel.py",
        "py/browser/test_content.py",
        "py/browser/test_live.py",
        "py/browser/test_tagging.py",
        "py/browser/test_weight.py",
        "sql/test_plpgsql_check.py",
    ],
}

_numbers = count(1)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is for another version than this run's."""
    folder = Path(__file__).parent
    elsewhere = {folder / file for version, files in ONLY_ON.items() if version != VERSION for file in files}
    left_out = [item for item in items if item.path in elsewhere]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item.path not in elsewhere]


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
