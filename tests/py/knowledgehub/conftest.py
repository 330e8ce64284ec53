"""Fixtures for the tests of commands."""

import os
from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from knowledgehub.cli import main
from tests.py.knowledgehub.running import Run
from tests.server import Database


@pytest.fixture
def environment(database: Database, tmp_path: Path) -> dict[str, str]:
    """Variables that name the test's own database."""
    return {
        "KNOWLEDGEHUB_OPERATOR_URL": database.url("hub_operator"),
        "KNOWLEDGEHUB_OWNER_URL": database.url("hub_migrator"),
        "DATA_DIR": str(tmp_path / "no data"),
    }


@pytest.fixture
def run(environment: Mapping[str, str]) -> Run:
    """Run a command in this process; with status 1, it has to say why in ``lines`` lines."""
    kept = {name: None for name in os.environ if name.startswith(("KNOWLEDGEHUB_", "DEMO_", "PORT"))}

    def run(
        *arguments: str, status: int = 0, lines: int = 1, stdin: str | bytes = "", **variables: str | None
    ) -> Result:
        result = CliRunner().invoke(main, arguments, input=stdin, env=kept | dict(environment) | variables)
        assert result.exit_code == status, (result.output, result.exception)
        if status == 1:
            assert result.stderr.startswith("knowledgehub: ")
            assert result.stderr.count("\n") == lines
        return result

    return run
