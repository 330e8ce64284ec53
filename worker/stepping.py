"""Runs a job whose kind is SQL: one call a step, until the job has ended."""

from psycopg import errors

from worker import calls
from worker.claim import LOCKED_SECONDS, Claim

MOST_PAGES = 1000
"""How many pages a step takes at most; it is bound by time, too."""


def run(claim: Claim) -> str:
    """Step until the job is terminal (``ended``) or the process drains (the state the job is left in).

    Raises :class:`worker.lease.LeaseLostError`.
    """
    page_limit = MOST_PAGES
    while not claim.drain.begun:
        try:
            outcome = claim.call_unless_locked(calls.advance, page_limit)
            page_limit = min(2 * page_limit, MOST_PAGES)
        except errors.LockNotAvailable:
            # The step is undone as a whole, its renewal too, and the lock may last longer than the lease.
            claim.call(calls.renew)
            outcome = "wait"
        except errors.QueryCanceled:
            # It took too long: its pages may be slow to write, so it takes fewer. Where a single page is too
            # slow, nobody gets any further, and the lease runs out.
            if page_limit > 1:
                claim.call(calls.renew)
            page_limit = 1
            outcome = "wait"
        if outcome == "ended":
            return outcome
        if outcome == "wait":
            claim.drain.wait(LOCKED_SECONDS)
    return claim.call(calls.release)
