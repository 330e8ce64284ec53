"""What is measured."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """A measured figure and the most it may be."""

    name: str
    value: float
    most: float
    unit: str

    def __str__(self) -> str:
        verdict = "ok" if self.value <= self.most else "MISSED"
        return (
            f"{self.name:<48} {self.value:8.2f} {self.unit:<3} at most {self.most:g} {self.unit}  {verdict}"
        )
