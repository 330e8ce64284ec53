"""A peer: a program of its own that speaks JSON lines, and a database of its own on the same server."""

import json
import subprocess
import threading
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psycopg
from psycopg import sql

from bench.hub import Connection, Hub, one

PAGES = 10_000
ANSWER_SECONDS = 300

# As hub_store.page is, but for the foreign key, which no change of tags looks at.
_PAGE = """
    CREATE TABLE page (
        id uuid DEFAULT gen_random_uuid() NOT NULL,
        course_id uuid NOT NULL,
        position integer NOT NULL,
        title text NOT NULL,
        content text NOT NULL,
        tags text[] DEFAULT '{}'::text[] NOT NULL,
        etag uuid DEFAULT gen_random_uuid() NOT NULL,
        updated_at timestamptz DEFAULT clock_timestamp() NOT NULL,
        CONSTRAINT page_content_is_bounded CHECK (octet_length(content) <= 2097152),
        CONSTRAINT page_tags_are_bounded CHECK (cardinality(tags) <= 200),
        CONSTRAINT page_title_is_short CHECK (char_length(title) <= 10000),
        CONSTRAINT page_has_id PRIMARY KEY (id),
        CONSTRAINT page_position_is_unique UNIQUE (course_id, position) INCLUDE (id)
    ) WITH (fillfactor = 85)
"""
_FILL = """
    INSERT INTO page (course_id, position, title, content)
    SELECT (SELECT gen_random_uuid()), n, 'Page ' || n, repeat('x', 1000) FROM generate_series(1, %s) AS n
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """Its name, the interpreter that was installed for it, and its program."""

    name: str
    interpreter: Path
    program: Path
    environment: Mapping[str, str] = field(default_factory=dict)

    def prepare(self, hub: Hub) -> "Bench":
        """Make its database on the hub's server, start its program, and let it install its schema."""
        database = f"bench_{self.program.stem}"
        name = sql.Identifier(database)
        hub.owner.execute(sql.SQL("DROP DATABASE IF EXISTS {} (FORCE)").format(name))
        hub.owner.execute(sql.SQL("CREATE DATABASE {} TEMPLATE template0").format(name))
        url = urlsplit(hub.url("postgres"))._replace(path=f"/{database}").geturl()
        owner = psycopg.connect(url, autocommit=True)
        owner.execute(_PAGE)
        owner.execute(_FILL, [PAGES])
        process = subprocess.Popen(
            [self.interpreter, self.program, url],
            env=dict(self.environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        bench = Bench(self.name, owner, process)
        bench.ask("install")
        return bench


class Bench:
    """A peer that is ready to be measured; its program ends when this object is no longer used."""

    def __init__(self, name: str, owner: Connection, process: subprocess.Popen[str]) -> None:
        self._name = name
        self._owner = owner
        self._process = process
        weakref.finalize(self, _end, process, owner)

    def work(self, items: int) -> float:
        """Return items a second: jobs enqueued before, one worker, one committed UPDATE a job."""
        if items > PAGES:
            raise ValueError(f"there are {PAGES} pages, a job each")
        self._begin()
        self.ask("fill", items)
        self._settle()
        seconds: float = self.ask("work", items)
        changed, tags = one(
            self._owner, "SELECT count(*), sum(cardinality(tags)) FROM page WHERE tags <> '{}'"
        )
        if not changed == tags == items:
            raise RuntimeError(f"{self._name} changed {changed} pages {tags} times instead of {items} once")
        return items / seconds

    def enqueue(self, jobs: int) -> float:
        """Return jobs a second over one connection, each enqueued within a transaction of the user's."""
        self._begin()
        seconds: float = self.ask("enqueue", jobs)
        return jobs / seconds

    def pick_up(self, jobs: int) -> list[float]:
        """Return milliseconds from the commit of a single enqueue to the start of its handler, queue idle."""
        self._begin()
        milliseconds: list[float] = self.ask("pick_up", jobs)
        return milliseconds

    def ask(self, command: str, count: int = 0) -> Any:  # noqa: ANN401 (each command has its own answer)
        """Let the program do something; return its answer."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None and stdout is not None  # noqa: S101, PT018 (pipes, by prepare)
        bound = threading.Timer(ANSWER_SECONDS, self._process.kill)
        bound.start()
        try:
            stdin.write(json.dumps({"do": command, "count": count}) + "\n")
            stdin.flush()
            line = stdout.readline()
        finally:
            bound.cancel()
        if not line:
            raise RuntimeError(f"the program of {self._name} ended, or was too slow, during {command}")
        answer = json.loads(line)
        if "error" in answer:
            raise RuntimeError(f"{self._name} failed during {command}: {answer['error']}")
        return answer["value"]

    def _begin(self) -> None:
        """Let every round begin alike: no tags, no jobs, no dead rows."""
        self._owner.execute("UPDATE page SET tags = '{}' WHERE tags <> '{}'")
        self.ask("clear")
        self._settle()

    def _settle(self) -> None:
        self._owner.execute("VACUUM ANALYZE")
        self._owner.execute("CHECKPOINT")


def _end(process: subprocess.Popen[str], owner: Connection) -> None:
    process.communicate()
    owner.close()
