"""A measured figure and what it has to be."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """What was measured, its unit (none: a ratio), the bound that is promised, and what it was made of."""

    name: str
    value: float
    unit: str = ""
    at_most: float | None = None
    at_least: float | None = None
    made_of: str = ""

    @property
    def missed(self) -> bool:
        """Whether the promise is broken."""
        return (self.at_most is not None and self.value > self.at_most) or (
            self.at_least is not None and self.value < self.at_least
        )

    @property
    def bound(self) -> str:
        """The promise in words; nothing when there is none."""
        if self.at_most is not None:
            return f"at most {self.at_most:g}"
        return "" if self.at_least is None else f"at least {self.at_least:g}"

    def __str__(self) -> str:
        verdict = "" if not self.bound else "MISSED" if self.missed else "ok"
        value = f"{self.value:,.0f}" if abs(self.value) >= 1000 else f"{self.value:.3g}"
        return (
            f"{self.name:<58} {value:>9} {self.unit:<6} {self.bound:<14} {verdict:<6} {self.made_of}".rstrip()
        )
