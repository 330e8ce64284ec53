"""When the operator's calls are made again."""

import psycopg
import pytest
from psycopg import errors

from knowledgehub.calls import Operator
from tests.server import Database


@pytest.fixture
def conflicting(database: Database) -> Operator:
    """An operator whose lists of settings always meet a conflict."""
    database.as_superuser().execute(
        """
        CREATE SEQUENCE hub_store.tries;
        ALTER SEQUENCE hub_store.tries OWNER TO hub_owner;
        CREATE OR REPLACE FUNCTION jobs.list_settings() RETURNS TABLE (outcome text, detail jsonb, body text)
        LANGUAGE plpgsql SECURITY DEFINER AS
        $$ BEGIN PERFORM nextval('hub_store.tries'); RAISE SQLSTATE '40P01'; END $$
        """
    )
    return Operator(database.as_role("hub_operator"))


def tries(database: Database) -> int:
    """Return how often the function was called: a sequence counts on when its caller fails."""
    row = database.as_superuser().execute("SELECT last_value FROM hub_store.tries").fetchone()
    assert row is not None
    return int(row[0])


def test_a_call_of_its_own_is_tried_three_times(database: Database, conflicting: Operator) -> None:
    with pytest.raises(errors.DeadlockDetected):
        conflicting.list_settings()
    assert tries(database) == 3


def test_a_call_in_a_transaction_is_not_tried_again(database: Database, conflicting: Operator) -> None:
    """Only the whole transaction could be, and the first error is the one to tell."""
    with pytest.raises(errors.DeadlockDetected), conflicting.connection.transaction():
        conflicting.list_settings()
    assert tries(database) == 1


def test_a_function_without_an_answer_is_an_error(database: Database) -> None:
    database.as_superuser().execute(
        """
        CREATE OR REPLACE FUNCTION jobs.list_settings() RETURNS TABLE (outcome text, detail jsonb, body text)
        LANGUAGE sql AS $$ SELECT '', NULL::jsonb, '' LIMIT 0 $$
        """
    )
    with pytest.raises(psycopg.DataError, match=r"jobs.list_settings answered no row"):
        Operator(database.as_role("hub_operator")).list_settings()
