"""Load every function again, whichever way the migrations were applied."""

from pathlib import Path
from typing import Any

from psycopg import Connection
from yoyo import step

from knowledgehub.migrate import load_functions


def _load(connection: Connection[Any]) -> None:
    load_functions(connection, Path(__file__).resolve().parent.parent / "functions")


step(_load)
