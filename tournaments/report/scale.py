"""Axes: round numbers to mark them with, and where on them a value lies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, log10

from tournaments.report.wording import number

MARKS = 5
"""An axis has about so many marks."""

_SLACK = 1e-9


@dataclass(frozen=True, slots=True)
class Mark:
    """A round number on an axis."""

    at: float
    text: str
    is_zero: bool


@dataclass(frozen=True, slots=True)
class Scale:
    """An axis, marked at the multiples of a step."""

    low: float
    high: float
    step: float

    @classmethod
    def over(cls, values: Iterable[float], marks: int = MARKS) -> Scale:
        """Return the scale from the least to the greatest value; from 0 to 1 if there are none."""
        found = list(values) or [0, 1]
        low, high = min(found), max(found)
        if low == high:
            low, high = low - 0.5, high + 0.5
        return cls(low, high, round_up((high - low) / marks))

    def at(self, value: float, length: float = 100) -> float:
        """Return how far along an axis of this length a value lies, to a hundredth."""
        return round(length * (value - self.low) / (self.high - self.low), 2)

    @property
    def marks(self) -> tuple[Mark, ...]:
        """The round numbers from one end to the other, placed in percent of the length."""
        decimals = max(0, -floor(log10(self.step) + _SLACK))
        first, last = ceil(self.low / self.step - _SLACK), floor(self.high / self.step + _SLACK)
        values = [n * self.step for n in range(first, last + 1)]
        return tuple(Mark(self.at(n), number(n, decimals), is_zero=n == 0) for n in values)


def round_up(least: float) -> float:
    """Return the smallest of 1, 2 and 5 times a power of ten that is at least this large."""
    power = 10.0 ** floor(log10(least) + _SLACK)
    return next(n * power for n in (1, 2, 5, 10) if n * power >= least * (1 - _SLACK))
