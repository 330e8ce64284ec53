"""A claimed job in the hands of a slot."""

from collections.abc import Callable
from typing import Concatenate
from uuid import UUID

import psycopg
from psycopg import errors

from knowledgehub.backoff import Backoff
from worker.calls import Connection
from worker.drain import Drain
from worker.lease import Lease, LeaseLostError, now
from worker.link import Answer, Link, Parameters

LOCKED_SECONDS = 0.2
"""How long to wait before trying again what another session's lock was in the way of."""


class Claim:
    """A job and the lease to work on it, for one thread: calls go through ``link``.

    They outlast the loss of their connection, not that of the lease.
    """

    def __init__(self, lease: Lease, link: Link, drain: Drain) -> None:
        self.lease = lease
        self.drain = drain
        self._link = link

    def call(
        self,
        function: Callable[Concatenate[Connection, UUID, UUID, Parameters], Answer],
        *arguments: Parameters.args,
        **options: Parameters.kwargs,
    ) -> Answer:
        """Call one of ``worker.calls`` on this job, again while a lock or the connection is in the way.

        Raises :class:`LeaseLostError` when the lease is over, or the process is ending and cannot wait; and
        ``psycopg.DataError`` or ``psycopg.IntegrityError`` when the arguments are refused.
        """
        while True:
            try:
                return self.call_unless_locked(function, *arguments, **options)
            except (errors.LockNotAvailable, errors.QueryCanceled):
                self._pause(LOCKED_SECONDS)

    def call_unless_locked(
        self,
        function: Callable[Concatenate[Connection, UUID, UUID, Parameters], Answer],
        *arguments: Parameters.args,
        **options: Parameters.kwargs,
    ) -> Answer:
        """Do as :meth:`call`, but raise ``psycopg.errors.LockNotAvailable`` when a lock is in the way.

        And ``QueryCanceled`` when the call took too long.
        """
        backoff = Backoff()
        while not self.lease.expired:
            sent = now()
            try:
                answer = self._link.call(function, self.lease.job_id, self.lease.token, *arguments, **options)
            except (
                errors.LockNotAvailable,
                errors.QueryCanceled,
                psycopg.DataError,
                psycopg.IntegrityError,
            ):
                raise
            except psycopg.Error:
                self._pause(backoff.next_seconds())
            except LeaseLostError:
                self.lease.lose()
                raise
            else:
                self.lease.renewed(sent)
                return answer
        raise LeaseLostError("the database refused it" if self.lease.lost else "its time is over")

    def close(self) -> None:
        """Close the connection."""
        self._link.close()

    def _pause(self, seconds: float) -> None:
        if self.drain.impatient:
            raise LeaseLostError("the process is ending and the database did not answer in time")
        self.drain.pause(seconds)
