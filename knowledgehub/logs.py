"""Logging of the API and the worker: one JSON object a line to stderr.

Events are short constant texts, what varies goes into ``extra``:

    logger.info("job claimed", extra={"attempt": 1})

``request_id`` and ``job_id``, where set in this context, stand in every line. Never log a password, token,
key or cookie.
"""

import json
import logging
import sys
import traceback
from contextvars import ContextVar
from datetime import UTC, datetime

import psycopg

request_id: ContextVar[str | None] = ContextVar("request_id", default=None)
"""The request being answered in this context."""

job_id: ContextVar[str | None] = ContextVar("job_id", default=None)
"""The job being run in this context."""

_RECORD_FIELDS = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime"}

# Their messages name objects of the schema, hosts and settings; those of others may quote a row's values.
_PLAIN_CLASSES = ("08", "40", "42", "53", "55", "57", "KH")


class JsonFormatter(logging.Formatter):
    """Formats a record as one JSON line: time, level, process, logger, event, ids, extras, error."""

    def __init__(self, process: str) -> None:
        super().__init__()
        self._process = process

    def format(self, record: logging.LogRecord) -> str:
        """Return the line, without its end."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")[:-6] + "Z",
            "level": record.levelname.lower(),
            "process": self._process,
            "logger": record.name,
            "event": record.getMessage(),
        }
        for name, variable in (("request_id", request_id), ("job_id", job_id)):
            if (value := variable.get()) is not None:
                line[name] = value
        line.update({name: value for name, value in vars(record).items() if name not in _RECORD_FIELDS})
        if record.exc_info and record.exc_info[1] is not None:
            line["error"] = describe(record.exc_info[1])
        return json.dumps(line, default=str)


def configure(process: str, level: int = logging.INFO) -> None:
    """Send everything logged in this process to stderr as JSON lines; ``process`` is "api" or "worker"."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonFormatter(process))
    logging.basicConfig(level=level, handlers=[handler], force=True)


def describe(error: BaseException) -> str:
    """Type, text and stack of ``error`` and its causes, without values that a database error may quote."""
    parts: list[str] = []
    seen: set[int] = set()
    current: BaseException | None = error
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        stack = "".join(traceback.format_tb(current.__traceback__))
        prefix = "caused by " if parts else ""
        parts.append(f"{prefix}{type(current).__name__}: {_text(current)}\n{stack}".rstrip())
        if isinstance(current, BaseExceptionGroup):
            parts.extend(f"one of them {describe(member)}" for member in current.exceptions)
        current = current.__cause__ or (None if current.__suppress_context__ else current.__context__)
    return "\n".join(parts)


def _text(error: BaseException) -> str:
    if not isinstance(error, psycopg.Error) or error.sqlstate is None:
        return str(error)
    if error.sqlstate.startswith(_PLAIN_CLASSES):
        return f"{error.sqlstate} {error.diag.message_primary or error}"
    names = (error.diag.schema_name, error.diag.table_name, error.diag.constraint_name)
    return " ".join([error.sqlstate, *filter(None, names)])
