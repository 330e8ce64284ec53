"""Run the tests on both versions of PostgreSQL: ``python -m tests``, with the arguments of pytest.

The exit status is that of the first run which is not in order. That a run has no tests (status 5) is in order
unless neither has one, for some tests are there for one version only.
"""

import os
import signal
import subprocess
import sys

VERSIONS = ("18", "15")
NO_TESTS = 5


def run(version: str) -> int:
    """Run pytest on one version and return its exit status."""
    print(f"PostgreSQL {version}", flush=True)  # noqa: T201 (what a command is for)
    environment = os.environ | {"KNOWLEDGEHUB_TEST_POSTGRES": version}
    with subprocess.Popen([sys.executable, "-m", "pytest", *sys.argv[1:]], env=environment) as pytest:
        signal.signal(signal.SIGTERM, lambda *_: pytest.terminate())
        return pytest.wait()


def main() -> int:
    """Run all and return the exit status."""
    statuses = [run(version) for version in VERSIONS]
    if all(status == NO_TESTS for status in statuses):
        return NO_TESTS
    return next((status for status in statuses if status not in {0, NO_TESTS}), 0)


if __name__ == "__main__":
    sys.exit(main())
