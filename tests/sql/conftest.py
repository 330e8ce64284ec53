"""The one migrated database on which every pgTAP file runs and rolls back."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from knowledgehub.embedded import SUPERUSER
from knowledgehub.migrate import create_roles
from tests.server import VERSION, Server

_NAME = "hub_pgtap"


@pytest.fixture(scope="session")
def pgtap_connection(server: Server, template: str) -> Iterator[psycopg.Connection[Any]]:
    """A superuser's connection; pgTAP is in the schema ``tap``, the only one in its search_path."""
    server.create_database(_NAME, template)
    url = server.url(SUPERUSER, _NAME)
    create_roles(url)
    with psycopg.connect(url, autocommit=True) as connection:
        if VERSION == "18":
            path = f"{server.debian}/usr/share/postgresql/15:$system"
            connection.execute("SELECT set_config('extension_control_path', %s, false)", [path])
        connection.execute("CREATE SCHEMA tap; GRANT USAGE ON SCHEMA tap TO PUBLIC")
        connection.execute("CREATE EXTENSION pgtap SCHEMA tap")
        connection.execute("SET search_path = tap; SET timezone = 'UTC'")
        yield connection
    server.drop_database(_NAME)
