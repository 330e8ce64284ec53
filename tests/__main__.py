"""Run the tests on both versions of PostgreSQL: ``python -m tests``, with the arguments of pytest.

Both run at once, for much of a run is waiting; what the second has to say is shown when both have ended. The
exit status is that of the first run that is not in order. To have no tests (status 5) is in order unless
neither has one, for some tests are there for one version only.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from typing import IO

import pytest

IN_ORDER = {pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED}


def start(version: str, output: IO[bytes]) -> subprocess.Popen[bytes]:
    """Start pytest on one version."""
    output.write(f"PostgreSQL {version}\n".encode())
    output.flush()
    environment = os.environ | {"KNOWLEDGEHUB_TEST_POSTGRES": version}
    command = [sys.executable, "-m", "pytest", *sys.argv[1:]]
    return subprocess.Popen(command, env=environment, stdout=output, stderr=subprocess.STDOUT)


def end(runs: list[subprocess.Popen[bytes]]) -> None:
    """End the runs that are not over."""
    for run in runs:
        run.terminate()


def main() -> int:
    """Run all and return the exit status."""
    with tempfile.TemporaryFile() as second:
        runs = [start("18", sys.stdout.buffer), start("15", second)]
        signal.signal(signal.SIGINT, lambda *_: None)  # pytest gets it too, and ends in its own way
        signal.signal(signal.SIGTERM, lambda *_: end(runs))
        statuses = [run.wait() for run in runs]
        second.seek(0)
        shutil.copyfileobj(second, sys.stdout.buffer)
    if statuses == [pytest.ExitCode.NO_TESTS_COLLECTED] * len(runs):
        return pytest.ExitCode.NO_TESTS_COLLECTED
    return next((abs(status) for status in statuses if status not in IN_ORDER), 0)


if __name__ == "__main__":
    sys.exit(main())
