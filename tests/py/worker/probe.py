"""A worker process with probe handlers, each of a kind of its own name. They meet the test through files."""

import os
import sys
import time
from pathlib import Path
from typing import Any

from knowledgehub import configuration, logs
from worker import daemon
from worker.handlers import HandledJob

_DIR = Path(os.environ["PROBE_DIR"])


def succeed(job: HandledJob) -> dict[str, Any]:
    """Report progress and return a result."""
    job.checkpoint()
    job.progress(3, 3)
    return {"pages": 3}


def fail(_job: HandledJob) -> None:
    """Raise."""
    raise RuntimeError("the probe's own words")


def leave(_job: HandledJob) -> None:
    """Try to end the thread."""
    sys.exit(3)


def return_nul(_job: HandledJob) -> dict[str, Any]:
    """Return what JSON in the database cannot hold."""
    return {"text": "\0"}


def overcount(job: HandledJob) -> None:
    """Report more progress than there is."""
    job.progress(1, 2)


def check(job: HandledJob) -> None:
    """Reach checkpoints until one stops it; catch all a handler may catch."""
    job.progress(10, 1)
    while True:
        try:
            job.checkpoint()
        except Exception:  # noqa: BLE001 (what careless handlers do)
            (_DIR / "caught").touch()
        time.sleep(0.02)


def save_late(job: HandledJob) -> dict[str, Any]:
    """Save once, wait for the test without a checkpoint, save again and return a result."""
    job.progress(10, 1)
    _wait_for("go")
    job.progress(10, 2)
    (_DIR / "saved").write_text(f"cancelled={job.cancelled}")
    return {"pages": 2}


def stop_late(job: HandledJob) -> None:
    """Reach checkpoints until one stops it; then wait for the test before it lets that pass."""
    job.progress(10, 1)
    try:
        while True:
            job.checkpoint()
            time.sleep(0.02)
    finally:
        (_DIR / "stopped").touch()
        _wait_for("go")


def be_deaf(_job: HandledJob) -> dict[str, Any]:
    """Wait for the test without a checkpoint."""
    _wait_for("go")
    return {}


def _wait_for(name: str) -> None:
    while not (_DIR / name).exists():
        time.sleep(0.02)


if __name__ == "__main__":
    probes = (succeed, fail, leave, return_nul, overcount, check, save_late, stop_late, be_deaf)
    logs.configure("worker")
    url = os.environ["KNOWLEDGEHUB_WORKER_URL"]
    sys.exit(daemon.main(url, configuration.load(os.environ), {probe.__name__: probe for probe in probes}))
