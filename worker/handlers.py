"""Runs a job whose kind has a Python handler: work with effects outside the database."""

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import psycopg

from knowledgehub import logs
from worker import calls
from worker.claim import Claim
from worker.lease import LeaseLostError

_logger = logging.getLogger(__name__)

_RENEWALS_PER_LEASE = 3


class WorkStopped(BaseException):
    """Ends a handler whose job is cancelled or lost, or whose process drains; handlers let it pass.

    No ``Exception``, so that a handler's own ``except Exception`` does not meet it.
    """


class JobFailedError(Exception):
    """A handler raises it to fail its job with a failure code of its own; the message is for the log."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class HandledJob:
    """What a handler gets: its job, to tell how far it is and to learn when to stop."""

    def __init__(self, claim: Claim) -> None:
        self._claim = claim
        self._version = 0
        self._cancelled = False
        self._undo: Callable[[], None] | None = None

    @property
    def id(self) -> UUID:
        """The job's id."""
        return self._claim.lease.job_id

    @property
    def token(self) -> UUID:
        """The lease, for calls of the handler's own. It is never logged."""
        return self._claim.lease.token

    @property
    def cancelled(self) -> bool:
        """Whether the job was cancelled, or its actor lost the right to it, by the last renewal."""
        return self._cancelled

    def checkpoint(self) -> None:
        """Renew the lease; raise :class:`WorkStopped` if the job is cancelled or lost or the process drains.

        Call it before every effect, and at least once a second: a process that drains does not wait long.
        """
        self.renew(self._claim)
        self.stop_if_asked()

    def stop_if_asked(self) -> None:
        """Do as :meth:`checkpoint`, but by what the last call told: :meth:`progress`, for one."""
        if self._cancelled or self._claim.drain.begun:
            raise WorkStopped

    def progress(self, total: int, processed: int) -> None:
        """Save that ``processed`` of ``total`` items are done; raise :class:`WorkStopped` if the job is lost.

        Where the job has changed meanwhile, the save is refused, what changed is noted, and it is made again.
        """
        outcome = "version_mismatch"
        while outcome == "version_mismatch":
            with _stopping_when_lost():
                saved = self._claim.call(
                    calls.save_progress, version=self._version, total=total, processed=processed
                )
            outcome, self._version, self._cancelled = saved

    def undo_unless_succeeded(self, undo: Callable[[], None]) -> None:
        """Have ``undo`` called after the handler has returned if the job ends otherwise than succeeded.

        It is not called when the lease is lost on the way: then the job may have succeeded or not.
        """
        self._undo = undo

    def undo(self) -> None:
        """Undo what the handler did."""
        if self._undo is not None:
            self._undo()

    def renew(self, claim: Claim) -> None:
        """Renew the lease through ``claim``; raise :class:`WorkStopped` when the job is lost."""
        with _stopping_when_lost():
            self._cancelled = claim.call(calls.renew)


Handler = Callable[[HandledJob], dict[str, Any] | None]
"""Does a whole job and returns its result; raising fails the job."""


def run(handler: Handler, claim: Claim, renewing: Claim) -> str:
    """Run ``handler`` to its end and return the state the job is in then.

    ``renewing`` is the same claim on a connection of its own, which renews the lease meanwhile. Raises
    :class:`worker.lease.LeaseLostError`.
    """
    if claim.drain.begun:
        return claim.call(calls.release)
    job = HandledJob(claim)
    result = None
    failure_code = None
    try:
        with _renewals(job, renewing):
            result = handler(job)
    except WorkStopped:
        if not job.cancelled:
            return claim.call(calls.release)
        # Of the two reasons to stop a job, a cancel request comes first where this is decided.
        failure_code = "actor_not_authorised"
    except JobFailedError as failed:
        _logger.error("the job fails", extra={"code": failed.code, "reason": str(failed)})  # noqa: TRY400
        failure_code = failed.code
    except BaseException:
        _logger.exception("the handler failed")
        failure_code = "worker_error"
    try:
        state = claim.call(calls.finish, result, failure_code)
    except (psycopg.DataError, psycopg.IntegrityError, TypeError, ValueError):
        _logger.exception("the handler's result cannot be stored")
        state = claim.call(calls.finish, None, "worker_error")
    if state != "succeeded":
        job.undo()
    return state


@contextmanager
def _stopping_when_lost() -> Iterator[None]:
    try:
        yield
    except LeaseLostError:
        raise WorkStopped from None


@contextmanager
def _renewals(job: HandledJob, renewing: Claim) -> Iterator[None]:
    over = threading.Event()

    def renew_until_over() -> None:
        logs.job_id.set(str(job.id))
        try:
            while not over.wait(renewing.lease.seconds / _RENEWALS_PER_LEASE):
                job.renew(renewing)
        except WorkStopped:
            pass  # the handler's next checkpoint finds it out
        except Exception:
            _logger.exception("renewing failed")
        finally:
            renewing.close()

    # Not waited for at the end: it may be in the middle of a call that takes its time.
    threading.Thread(target=renew_until_over, name=f"{job.id} renewal", daemon=True).start()
    try:
        yield
    finally:
        over.set()
