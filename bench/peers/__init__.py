"""The peers: what people would use instead, each in an environment of its own and tuned as it asks to be."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path

from bench.peers.peer import Peer

_HERE = Path(__file__).parent
_INSTALLED = _HERE.parents[1] / ".venv" / "peers"
_NODE = _INSTALLED / "node" / "node_modules"
_NODE_INTERPRETER = next(iter(sorted(_NODE.glob("node-linux-*/bin/node"))), _NODE / "no node")
_NODE_ENVIRONMENT = os.environ | {"NODE_PATH": str(_NODE), "NODE_ENV": "production"}

_KNOWN = (
    # asyncpg, one connection for the queue, batches of 200, its settings of autovacuum, durable; 16
    # connections for the handlers, no reset between them; uvloop.
    Peer(
        name="pgqueuer",
        interpreter=_INSTALLED / "pgqueuer" / "bin" / "python",
        program=_HERE / "python" / "pgqueuer_peer.py",
        environment=os.environ,
    ),
    # Concurrency 16 with a connection each, 8 more in autocommit for the queue, jobs deleted as they
    # succeed; psycopg in C, uvloop.
    Peer(
        name="procrastinate",
        interpreter=_INSTALLED / "procrastinate" / "bin" / "python",
        program=_HERE / "python" / "procrastinate_peer.py",
        environment=os.environ,
    ),
    # A table of its own for the queue, two workers, batches of 250 fetched without a pause and completed
    # together, notifications; 16 connections for the handlers.
    Peer(
        name="pg-boss",
        interpreter=_NODE_INTERPRETER,
        program=_HERE / "node" / "pg_boss.js",
        environment=_NODE_ENVIRONMENT,
    ),
    # Local queue of 500, concurrency 24, completions batched without delay, notifications; add_job as a
    # prepared statement; 24 connections for the handlers.
    Peer(
        name="graphile-worker",
        interpreter=_NODE_INTERPRETER,
        program=_HERE / "node" / "graphile_worker.js",
        environment=_NODE_ENVIRONMENT,
    ),
)


def _installed() -> list[Peer]:
    missing = [peer.name for peer in _KNOWN if not peer.interpreter.exists()]
    if missing:
        print(
            f"bench: left out, since not installed: {', '.join(missing)} (`make bench` installs them from"
            " PyPI and, where npm is present, from the npm registry)",
            file=sys.stderr,
            flush=True,
        )
    return [peer for peer in _KNOWN if peer.name not in missing]


PEERS: Sequence[Peer] = _installed()
