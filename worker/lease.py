"""What makes a worker the only one that may write for a job, and its own idea of how long."""

import time
from uuid import UUID


class LeaseLostError(Exception):
    """The job is no longer this worker's: nothing more is written for it. The message says what showed it."""


def now() -> float:
    """Return seconds on a clock that nobody sets and that goes on while the machine sleeps."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Lease:
    """The lease of one claim.

    The database decides whether it holds. This is the holder's own account of it, which errs on the short
    side: the time is counted from before the call that got or renewed the lease was sent (``sent``, of
    :func:`now`). It may be renewed from several threads.
    """

    def __init__(self, job_id: UUID, token: UUID, seconds: int, sent: float) -> None:
        self.job_id = job_id
        self.token = token
        self.seconds = seconds
        self._deadline = sent + seconds
        self._lost = False

    def renewed(self, sent: float) -> None:
        """Note that a call sent at ``sent`` renewed the lease."""
        # Two threads here at once may leave the earlier of two deadlines, which is the safe one.
        self._deadline = max(self._deadline, sent + self.seconds)

    def lose(self) -> None:
        """Note that the database refused the lease."""
        self._lost = True

    @property
    def lost(self) -> bool:
        """Whether the database refused it."""
        return self._lost

    @property
    def expired(self) -> bool:
        """Whether the lease may be over."""
        return self._lost or now() >= self._deadline
