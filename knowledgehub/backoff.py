"""How long to wait before trying again."""

import random

_FIRST_SECONDS = 0.2
_MOST_SECONDS = 5.0


class Backoff:
    """Ever longer pauses: from 0.2 s, doubling up to 5 s, each shortened by up to a half at random."""

    def __init__(self) -> None:
        self._longest = _FIRST_SECONDS

    def reset(self) -> None:
        """Begin again with the shortest pause."""
        self._longest = _FIRST_SECONDS

    def next_seconds(self) -> float:
        """Return the seconds to pause now; the next answer is about twice as long."""
        seconds = self._longest * random.uniform(0.5, 1)  # noqa: S311 (spreads load, guards nothing)
        self._longest = min(self._longest * 2, _MOST_SECONDS)
        return seconds
