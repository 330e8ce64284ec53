"""``make bench``: measures what is promised of a course of 100,000 pages; exits with 1 if it is missed.

A real embedded PostgreSQL with its durable settings, a real worker process with one slot, real pages of 1 KB.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from bench import sign_ins
from knowledgehub.embedded import EmbeddedServer
from knowledgehub.migrate import create_roles, migrate

PAGES = 100_000
WAIT_SECONDS = 120

_SEED = """
    INSERT INTO hub_store.app_user (id, email, name, password_hash)
    VALUES (%(user)s, 'bench@example.org', 'Bench', '-');
    INSERT INTO hub_store.session (token_hash, user_id) VALUES (%(session)s, %(user)s);
    INSERT INTO hub_store.workspace (id, title) VALUES (%(workspace)s, 'Bench');
    INSERT INTO hub_store.membership VALUES (%(workspace)s, %(user)s, 'administrator', true);
    INSERT INTO hub_store.course (id, workspace_id, position, title)
    VALUES (%(course)s, %(workspace)s, 1, 'Bench');
    INSERT INTO hub_store.page (course_id, position, title, content)
    SELECT %(course)s, n, 'Page ' || n, repeat('x', 1000) FROM generate_series(1, %(pages)s) AS n;
"""


@dataclass(frozen=True)
class Figure:
    """A measured figure and the most it may be."""

    name: str
    value: float
    most: float
    unit: str

    def __str__(self) -> str:
        verdict = "ok" if self.value <= self.most else "MISSED"
        return (
            f"{self.name:<48} {self.value:8.2f} {self.unit:<3} at most {self.most:g} {self.unit}  {verdict}"
        )


class Bench:
    """One administrator with one course of ``PAGES`` pages, and a worker with one slot."""

    def __init__(self, server: EmbeddedServer) -> None:
        self._server = server
        self._ids: dict[str, Any] = {name: uuid.uuid4() for name in ("user", "workspace", "course")}
        self._ids |= {"session": hashlib.sha256(b"bench").digest(), "pages": PAGES}
        with psycopg.connect(
            server.superuser_url, autocommit=True, cursor_factory=psycopg.ClientCursor
        ) as owner:
            owner.execute(_SEED, self._ids)
            owner.execute("VACUUM ANALYZE")
        self._api = psycopg.connect(server.url("hub_api"), autocommit=True)

    def create(self, tag: str) -> str:
        """Ask for a tagging of the course; return the job's id."""
        body = {"kind": "course_tagging", "course_id": str(self._ids["course"]), "tags": [tag]}
        outcome, detail = self._one(
            "SELECT outcome, detail FROM jobs.create_job(%s, %s, %s, %s, NULL)",
            *(self._ids["session"], self._ids["workspace"], tag, json.dumps(body)),
        )
        if outcome != "created":
            raise RuntimeError(f"the job was not created: {outcome} {detail}")
        return str(detail["job_id"])

    def cancel(self, job: str) -> None:
        """Ask for the cancellation of a job."""
        self._one(
            "SELECT outcome FROM jobs.cancel_job(%s, %s, %s, NULL)",
            *(self._ids["session"], self._ids["workspace"], job),
        )

    def wait(self, job: str, *, processed: int | None = None) -> dict[str, Any]:
        """Wait until a job has ended, or has processed some pages; return its snapshot."""
        deadline = time.monotonic() + WAIT_SECONDS
        while time.monotonic() < deadline:
            (text,) = self._one(
                "SELECT body FROM jobs.read_job(%s, %s, %s)",
                *(self._ids["session"], self._ids["workspace"], job),
            )
            snapshot: dict[str, Any] = json.loads(text)
            if snapshot["terminal"] or (processed and snapshot["progress"]["processed"] >= processed):
                return snapshot
            time.sleep(0.01)
        raise TimeoutError(f"job {job} did not get there in {WAIT_SECONDS} s")

    @contextmanager
    def worker(self) -> Iterator[subprocess.Popen[bytes]]:
        """Run a worker process with one slot."""
        environment = os.environ | {
            "KNOWLEDGEHUB_WORKER_URL": self._server.url("hub_worker"),
            "KNOWLEDGEHUB_WORKER_CONCURRENCY": "1",
        }
        command = [sys.executable, "-m", "knowledgehub", "worker"]
        with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as process:
            try:
                yield process
            finally:
                process.terminate()

    def _one(self, query: str, *parameters: object) -> tuple[Any, ...]:
        row: tuple[Any, ...] | None = self._api.execute(query.encode(), parameters).fetchone()
        if row is None:
            raise RuntimeError(f"no row from: {query}")
        return row


def measure(bench: Bench) -> list[Figure]:
    """Measure every figure."""
    begun = time.monotonic()
    job = bench.create("first")
    admitted = time.monotonic() - begun
    with bench.worker() as worker:
        # The clock runs from the first page, not from the start of the process.
        bench.wait(job, processed=1)
        begun = time.monotonic()
        ended = bench.wait(job)
        tagged = time.monotonic() - begun
        if ended["state"] != "succeeded" or ended["progress"]["changed"] != PAGES:
            raise RuntimeError(f"the job ended wrongly: {ended}")
        job = bench.create("second")
        bench.wait(job, processed=PAGES // 10)
        begun = time.monotonic()
        bench.cancel(job)
        cancelled = bench.wait(job)
        took_effect = time.monotonic() - begun
        if cancelled["state"] != "cancelled" or not 0 < cancelled["progress"]["changed"] < PAGES:
            raise RuntimeError(f"the job was not cancelled in the middle: {cancelled}")
        peak = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{worker.pid}/status").read_text(encoding="ascii"))
        if peak is None:
            raise RuntimeError("this system does not tell a process's peak memory")
    return [
        Figure("admission of 100,000 pages", admitted, 1, "s"),
        Figure("100,000 pages tagged by one slot", tagged, 20, "s"),
        Figure("a cancel in the middle takes effect", took_effect, 1, "s"),
        Figure("worker's peak memory", int(peak[1]) / 1024, 100, "MB"),
    ]


def main() -> int:
    """Measure, print, and say by the exit status whether every promise is kept."""
    with tempfile.TemporaryDirectory(prefix="kh-bench-") as folder:
        server = EmbeddedServer(Path(folder) / "data")
        with server.running():
            create_roles(server.superuser_url)
            migrate(server.url("hub_migrator"))
            figures = measure(Bench(server))
            figures.append(
                Figure("refused sign-ins: slowest kind over fastest", sign_ins.ratio(server), 1.3, "x")
            )
    for figure in figures:
        print(figure)  # noqa: T201 (the table is the product)
    return int(any(figure.value > figure.most for figure in figures))


if __name__ == "__main__":
    sys.exit(main())
