"""Fixtures for the tests of archives."""

from pathlib import Path

import pytest


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """Where an archive may be put."""
    return tmp_path / "archive.zip"
