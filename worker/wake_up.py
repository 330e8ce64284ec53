"""How idle slots learn that there may be work."""

import threading
from contextlib import suppress


class WakeUp:
    """At most one call waiting for every slot, so that none is missed and a burst is not answered twice over.

    A slot takes the call before it looks for work: whatever was queued before the call was made, it sees.
    """

    def __init__(self, slots: int) -> None:
        # All are there at first: a new process looks for work at once.
        self._calls = threading.BoundedSemaphore(slots)
        self._slots = slots

    def wake_one(self) -> None:
        """Call one idle slot, or the next that becomes idle."""
        with suppress(ValueError):  # there are as many calls as slots
            self._calls.release()

    def wake_all(self) -> None:
        """Call every slot."""
        for _ in range(self._slots):
            self.wake_one()

    def wait(self, seconds: float) -> None:
        """Wait for a call, at most ``seconds``."""
        self._calls.acquire(timeout=seconds)
