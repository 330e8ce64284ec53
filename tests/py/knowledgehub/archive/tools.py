"""Programs of others that read ZIP files."""

import os
import subprocess
import sys
from pathlib import Path

# Where `make test` unpacks Debian's packages.
_BIN = Path(sys.prefix) / "debian" / "usr" / "bin"


def unzip(*arguments: str) -> str:
    """Run Info-ZIP's unzip and return what it printed; it has to find nothing wrong."""
    return _run(_BIN / "unzip", *arguments)


def seven_zip(*arguments: str) -> str:
    """Run 7-Zip likewise."""
    # The name depends on Debian's version.
    program = next(path for path in (_BIN / "7z", _BIN / "7zz") if path.exists())
    return _run(program, *arguments)


def _run(program: Path, *arguments: str) -> str:
    done = subprocess.run(
        [program, *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | {"LC_ALL": "C.UTF-8"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
