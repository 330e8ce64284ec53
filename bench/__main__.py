"""``make bench``: measures what is promised; exits with 1 if a promise is broken.

``ARGS="tagging streams"`` measures these questions only. Every figure is a ratio of things measured in turn
in one run, or a time or size with room to spare; real servers with their durable settings, real processes.
"""

import importlib
import json
import os
import pkgutil
import platform
import sys
import tempfile
import time
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

import psycopg

from bench import questions
from bench.figure import Figure
from bench.hub import Hub
from knowledgehub.embedded import EmbeddedServer

RESULTS = Path(__file__).parent / "results.json"
QUESTIONS = [module.name for module in pkgutil.iter_modules(questions.__path__)]


def measure(server: EmbeddedServer, question: str) -> Iterable[Figure]:
    """Measure what one question asks, on a database of its own."""
    figures: Iterable[Figure] = importlib.import_module(f"bench.questions.{question}").measure(
        Hub(server, f"bench_{question}")
    )
    return figures


def machine(server: EmbeddedServer) -> str:
    """Say what the figures were measured on."""
    with psycopg.connect(server.superuser_url) as connection:
        (version,) = connection.execute("SHOW server_version").fetchone() or ("?",)
    return f"{os.cpu_count()} cores, {platform.system()} {platform.machine()}, PostgreSQL {version}"


def main(arguments: list[str]) -> int:
    """Measure, print, write ``bench/results.json``, and say by the exit status whether all is kept."""
    unknown = set(arguments) - set(QUESTIONS)
    if unknown:
        print(f"bench: no such question: {', '.join(sorted(unknown))}", file=sys.stderr)
        print(f"bench: there are {', '.join(QUESTIONS)}", file=sys.stderr)
        return 2
    results: dict[str, list[Figure]] = {}
    with tempfile.TemporaryDirectory(prefix="kh-bench-") as folder:
        server = EmbeddedServer(Path(folder) / "data")
        with server.running():
            place = machine(server)
            print(place, flush=True)
            for question in arguments or QUESTIONS:
                results[question] = []
                print(f"\n{question}", flush=True)
                for figure in measure(server, question):
                    results[question].append(figure)
                    print(figure, flush=True)
    document = {
        "machine": place,
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "figures": {
            question: [asdict(figure) | {"missed": figure.missed} for figure in found]
            for question, found in results.items()
        },
    }
    RESULTS.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")
    return int(any(figure.missed for found in results.values() for figure in found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
