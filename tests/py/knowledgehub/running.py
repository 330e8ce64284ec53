"""Commands run in the process of the test."""

import json
from collections.abc import Callable
from typing import Any

from click.testing import Result

Run = Callable[..., Result]
"""As the fixture ``run``."""


def run_json(run: Run, *arguments: str, **options: str) -> Any:  # noqa: ANN401 (JSON)
    """Run a command with --json and return what it printed."""
    return json.loads(run(*arguments, "--json", **options).stdout)
