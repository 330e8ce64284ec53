"""How the statements of a call were run, those inside functions too, as auto_explain reports it."""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import psycopg
from psycopg.errors import Diagnostic

_SETTINGS = {
    "auto_explain.log_min_duration": "0",
    "auto_explain.log_nested_statements": "on",
    "auto_explain.log_analyze": "on",
    "auto_explain.log_buffers": "on",
    "auto_explain.log_timing": "off",
    "auto_explain.log_format": "json",
    "client_min_messages": "log",
}


@dataclass(frozen=True)
class Work:
    """What a call did; indexes and tables are those that the observer watches."""

    buffers: int
    """Pages looked at, of tables and indexes, as often as they were looked at."""
    searched: frozenset[str]
    """The indexes in which it looked for a key."""
    read_through: frozenset[str]
    """The indexes and tables which it read from the first row on."""


class Observer:
    """A superuser's connection that keeps the plan of everything it runs and watches some tables."""

    def __init__(self, connection: psycopg.Connection[Any], tables: Collection[str]) -> None:
        self.connection = connection
        self._tables = tables
        self._indexes = tuple(f"{table}_" for table in tables)
        self._plans: list[Mapping[str, Any]] = []
        connection.execute("LOAD 'auto_explain'")
        for name, value in _SETTINGS.items():
            connection.execute("SELECT set_config(%s, %s, false)", [name, value])
        connection.add_notice_handler(self._keep)

    def observe(self, query: str, parameters: Mapping[str, object], before: str = "") -> Work:
        """Return the work of a call, which is undone; ``before`` makes its state and does not count."""
        with self.connection.transaction(force_rollback=True):
            if before:
                self.connection.execute(before.encode(), parameters)
            self._plans.clear()
            self.connection.execute(query.encode(), parameters)
        # The call's own plan is the last to be reported, and what is inside it is counted in it.
        call = self._plans[-1]
        nodes = [node for plan in self._plans for node in _nodes(plan)]
        return Work(
            call["Shared Hit Blocks"] + call["Shared Read Blocks"],
            frozenset(self._index(node) for node in nodes if "Index Cond" in node) - {""},
            frozenset(self._index(node) or self._table(node) for node in nodes if "Index Cond" not in node)
            - {""},
        )

    def _index(self, node: Mapping[str, Any]) -> str:
        name: str = node.get("Index Name", "")
        return name if name.startswith(self._indexes) else ""

    def _table(self, node: Mapping[str, Any]) -> str:
        name: str = node["Relation Name"] if node["Node Type"] == "Seq Scan" else ""
        return name if name in self._tables else ""

    def _keep(self, notice: Diagnostic) -> None:
        head, _, report = (notice.message_primary or "").partition("plan:\n")
        if head.startswith("duration: "):
            self._plans.append(json.loads(report)["Plan"])


def _nodes(plan: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    yield plan
    for child in plan.get("Plans", []):
        yield from _nodes(child)
