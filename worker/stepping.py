"""Runs a job whose kind is SQL: one call a step, until the job has ended."""

from psycopg import errors

from worker import calls
from worker.claim import LOCKED_SECONDS, Claim


def run(claim: Claim) -> str:
    """Step until the job is terminal (``ended``) or the process drains (the state the job is left in).

    Raises :class:`worker.lease.LeaseLostError`.
    """
    while not claim.drain.begun:
        try:
            outcome = claim.call_unless_locked(calls.advance)
        except errors.LockNotAvailable:
            # The step is undone as a whole, its renewal too, and the lock may last longer than the lease.
            claim.call(calls.renew)
            outcome = "wait"
        if outcome == "ended":
            return outcome
        if outcome == "wait":
            claim.drain.wait(LOCKED_SECONDS)
    return claim.call(calls.release)
