"""One of the places of a worker process where jobs run, one at a time."""

import logging
import random
from collections.abc import Mapping, Sequence

import psycopg

from knowledgehub import logs
from knowledgehub.backoff import Backoff
from worker import calls, handlers, stepping
from worker.calls import Claimed
from worker.claim import Claim
from worker.drain import Drain
from worker.handlers import Handler
from worker.lease import Lease, LeaseLostError, now
from worker.link import Database, Link
from worker.wake_up import WakeUp

_POLL_SECONDS = 5

_logger = logging.getLogger(__name__)


class Slot:
    """Claims a job, runs it and looks for the next, until the process drains; ``run`` is its thread."""

    def __init__(
        self,
        worker: str,
        database: Database,
        *,
        sql_kinds: Sequence[str],
        handlers_by_kind: Mapping[str, Handler],
        wake_up: WakeUp,
        drain: Drain,
    ) -> None:
        self._worker = worker
        self._kinds = [*sql_kinds, *handlers_by_kind]
        self._handlers = handlers_by_kind
        self._database = database
        self._wake_up = wake_up
        self._drain = drain
        self._link = self._new_link()

    def run(self) -> None:
        """Work until the process drains, whatever one job or the database does."""
        backoff = Backoff()
        idle = True
        while not self._drain.begun:
            if idle:
                self._wake_up.wait(random.uniform(0.8, 1) * _POLL_SECONDS)  # noqa: S311 (spreads load)
            try:
                idle = not self._run_next()
                backoff.reset()
            except psycopg.Error:  # the link has told
                idle = False
                self._drain.wait(backoff.next_seconds())
            except Exception:
                _logger.exception("a slot failed and goes on")
                idle = False
                self._drain.wait(backoff.next_seconds())
            finally:
                logs.job_id.set(None)
        self._link.close()

    def _run_next(self) -> bool:
        """Claim a job and run it; return whether there was one."""
        if self._drain.begun:
            return False
        sent = now()
        claimed = self._link.call(calls.claim, self._worker, self._kinds)
        if claimed is None:
            return False
        # Where one job was, there may be more than notifications told of.
        self._wake_up.wake_one()
        lease = Lease(claimed.job_id, claimed.token, claimed.lease_seconds, sent)
        logs.job_id.set(str(claimed.job_id))
        self._run_job(claimed, lease)
        return True

    def _run_job(self, claimed: Claimed, lease: Lease) -> None:
        _logger.info(
            "job claimed", extra={"worker": self._worker, "kind": claimed.kind, "attempt": claimed.attempt}
        )
        claim = Claim(lease, self._link, self._drain)
        handler = self._handlers.get(claimed.kind)
        try:
            if handler is None:
                state = stepping.run(claim)
            else:
                state = handlers.run(handler, claim, Claim(lease, self._new_link(), self._drain))
        except LeaseLostError as lost:
            _logger.warning("job abandoned", extra={"worker": self._worker, "reason": str(lost)})
        except Exception as error:
            reason = f"an unexpected {type(error).__name__}"
            _logger.error("job abandoned", extra={"worker": self._worker, "reason": reason})  # noqa: TRY400 (run tells)
            raise
        else:
            _logger.info("job left", extra={"worker": self._worker, "state": state})

    def _new_link(self) -> Link:
        return Link(self._database, f"knowledgehub worker {self._worker}")
