"""How large values are, kept in a few counts: what a histogram of Prometheus is made from."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from math import inf
from typing import Final

SECONDS: Final = (
    *(0.001, 0.0025, 0.005, 0.01, 0.025, 0.05),
    *(0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0),
)
"""From an answer at once to one of a bot that thinks for long."""


@dataclass(slots=True)
class Spread:
    """Values, counted between bounds."""

    bounds: Sequence[float] = SECONDS
    counts: list[int] = field(default_factory=list)
    """How many values are not larger than each bound, but larger than the one before it."""
    total: float = 0.0

    def __post_init__(self) -> None:
        self.counts = self.counts or [0] * (len(self.bounds) + 1)

    def add(self, value: float) -> None:
        """Count a value."""
        self.counts[bisect_left(self.bounds, value)] += 1
        self.total += value

    def up_to(self) -> list[tuple[float, int]]:
        """Return how many values there are up to each bound; the last one has no bound."""
        return list(zip((*self.bounds, inf), accumulate(self.counts), strict=True))
