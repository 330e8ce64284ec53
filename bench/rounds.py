"""Measuring several things in turn, so that what slows the machine slows all of them."""

import statistics
from collections.abc import Callable, Mapping

ROUNDS = 5


def medians(measures: Mapping[str, Callable[[], float]], rounds: int = ROUNDS) -> dict[str, float]:
    """Call every measure once a round, in turn, and return the median of what each of them returned."""
    values: dict[str, list[float]] = {name: [] for name in measures}
    for _ in range(rounds):
        for name, measure in measures.items():
            values[name].append(measure())
    return {name: statistics.median(found) for name, found in values.items()}


def percentile(values: list[float], percent: float) -> float:
    """Return the value that ``percent`` of the values do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * percent / 100))]
