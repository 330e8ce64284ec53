"""The committed dump of the schema."""

from knowledgehub.embedded import SUPERUSER
from tests.schema import FILE, dump
from tests.server import Database


def test_the_committed_dump_is_the_schema_that_migrations_make(database: Database) -> None:
    """It differs after a change of a migration: run ``make schema`` and look at the difference."""
    assert dump(database.url(SUPERUSER)) == FILE.read_text(encoding="utf-8")
