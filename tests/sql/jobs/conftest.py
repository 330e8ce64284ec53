"""The schema ``fixture``, in which the pgTAP files of schema jobs find what they share."""

from pathlib import Path
from typing import Any

import psycopg
import pytest


@pytest.fixture(scope="session", autouse=True)
def load_fixtures(pgtap_connection: psycopg.Connection[Any]) -> None:
    """Load fixtures.sql, functions only: every row is made, and rolled back, by a test."""
    text = Path(__file__).with_name("fixtures.sql").read_text(encoding="utf-8")
    pgtap_connection.execute(text.encode())
