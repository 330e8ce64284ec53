"""Connections to the database that are made again after they were lost."""

import logging
import threading
from collections.abc import Callable
from typing import Concatenate, ParamSpec, TypeVar

import psycopg
from psycopg import errors

from knowledgehub.database import connection_arguments, with_retries
from worker.calls import Connection

_logger = logging.getLogger(__name__)

Parameters = ParamSpec("Parameters")
Answer = TypeVar("Answer")


class Database:
    """A database URL, and whether it is answered: an outage is logged once, not by all who meet it."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.outages = 0
        self._out = False
        self._lock = threading.Lock()

    def found(self) -> None:
        """Note that a connection was made."""
        with self._lock:
            if self._out:
                self._out = False
                _logger.info("connected to the database again")

    def lost(self, error: psycopg.Error, outages: int) -> None:
        """Note that a connection made, or tried, when there had been ``outages`` is lost or was refused."""
        with self._lock:
            if self._out or outages != self.outages:
                return
            self._out = True
            self.outages += 1
        # What the client library says of a connection holds no data of ours.
        reason = str(error).strip()
        _logger.warning("the database does not answer: trying until it does", extra={"error": reason})


class Link:
    """A connection of one thread: opened when first needed, and again when needed after it was lost."""

    def __init__(self, database: Database, application_name: str) -> None:
        self._database = database
        self._application_name = application_name
        self._connection: Connection | None = None
        self._outages = 0

    def call(
        self,
        function: Callable[Concatenate[Connection, Parameters], Answer],
        *arguments: Parameters.args,
        **options: Parameters.kwargs,
    ) -> Answer:
        """Call ``function`` with the connection, at most three times while its transaction meets conflicts.

        Any ``psycopg.Error`` is logged and raised, and the next call gets a new connection; only
        ``LockNotAvailable`` is no trouble of the connection's.
        """
        try:
            connection = self._open()
            return with_retries(lambda: function(connection, *arguments, **options))
        except errors.LockNotAvailable:
            raise
        except psycopg.Error as error:
            self._fail(error)
            raise

    def close(self) -> None:
        """Close the connection if there is one."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _open(self) -> Connection:
        if self._connection is None:
            self._outages = self._database.outages
            arguments = connection_arguments(self._application_name)
            self._connection = psycopg.connect(self._database.url, **arguments)
            self._database.found()
        return self._connection

    def _fail(self, error: psycopg.Error) -> None:
        if self._connection is None or self._connection.closed:
            self._database.lost(error, self._outages)
        else:
            _logger.error("a call of the database failed", exc_info=error)
        self.close()
