"""The end of a worker process: no new claims, the step in flight is finished, claims are given back."""

import threading
import time

_PATIENCE_SECONDS = 2.0
_RETRY_SECONDS = 0.1


class Drain:
    """Tells every thread of the process that it is ending."""

    def __init__(self) -> None:
        self._begun = threading.Event()
        self._begun_at = 0.0

    def begin(self) -> None:
        """Let the process end."""
        self._begun_at = time.monotonic()
        self._begun.set()

    @property
    def begun(self) -> bool:
        """Whether the process is ending."""
        return self._begun.is_set()

    @property
    def impatient(self) -> bool:
        """Whether it has been ending for so long (2 s) that trouble is no longer waited out."""
        return self.begun and time.monotonic() - self._begun_at > _PATIENCE_SECONDS

    def wait(self, seconds: float) -> bool:
        """Wait ``seconds``, or until the process is ending; return whether it is."""
        return self._begun.wait(seconds)

    def pause(self, seconds: float) -> None:
        """Let ``seconds`` pass before something is tried again; a process that is ending tries sooner."""
        if self.wait(seconds):
            time.sleep(_RETRY_SECONDS)
