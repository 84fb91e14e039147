"""Whether one bot is better than another, tested after every duplicate set.

The observation of a set is the difference of the two bots' mean points on the same deal, a number
from -1 to 1. The test bets against a hypothesis such as "the mean difference is 0 or less": a bet
of the fraction f multiplies a capital of 1 by 1 + f x for the difference x. While the hypothesis
holds, no bet is favourable, so that the mean of the capital stays at most 1, and the probability
that it ever reaches 40 is at most 1 / 40 (Ville's inequality). The capital here is the mean over
bets of several fractions. So the test may be looked at after every set and ended at any time; it
assumes nothing about the distribution of the differences but that their mean is the same in each
set, given the sets before. All means that the capital does not reject make the confidence interval.

Waudby-Smith and Ramdas (2023), Estimating means of bounded random variables by betting.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import log
from statistics import fmean
from typing import Any, Final

import numpy as np

from tournaments.model import Result
from tournaments.ratings.figures import points

FRACTIONS: Final = np.arange(1, 32) / 32
"""The fractions of the capital that are bet, each by an equal part of it."""
STEPS: Final = 24
"""Bisections for an end of the interval, which is then exact to 2 / 2**24."""

Array = np.ndarray[Any, np.dtype[np.float64]]


class Verdict(StrEnum):
    """What a comparison has shown at its confidence."""

    BETTER = "better"
    WORSE = "worse"
    NO_DIFFERENCE = "no difference"
    """None that is larger than the margin."""
    UNDECIDED = "undecided"


@dataclass(frozen=True, slots=True)
class Comparison:
    """What the differences of a number of sets show."""

    sets: int
    difference: float
    """The mean over the sets; 0 without a set."""
    low: float
    high: float
    """The interval that has held the true mean after every set so far, at the confidence."""
    verdict: Verdict
    evidence: float
    """How far the test is on its way to "better" (above 0) or "worse" (below): -1 and 1 decide."""

    @property
    def largest(self) -> float:
        """The largest difference, in either direction, that is not ruled out."""
        return max(abs(self.low), abs(self.high))

    @property
    def sets_left(self) -> int | None:
        """How many more sets decide if they are like those so far; None if that is not known."""
        if self.verdict is not Verdict.UNDECIDED or abs(self.evidence) < 1 / 20:
            return None
        return max(1, round(self.sets * (1 / abs(self.evidence) - 1)))


def compare(
    differences: Sequence[float], confidence: float = 0.95, margin: float | None = None
) -> Comparison:
    """Return what the differences show, in the order of their sets.

    "better" and "worse" each have half of the error that the confidence leaves; "no difference"
    means that the interval lies within the margin.
    """
    seen = np.asarray(differences, dtype=float)
    needed = log(2 / (1 - confidence))
    up, down = _capital(seen, 0.0), _capital(-seen, 0.0)
    low, high = _bound(seen, needed), -_bound(-seen, needed)
    rising = up.size > 0 and float(up[-1]) >= float(down[-1])
    evidence = (float(up[-1]) if rising else -float(down[-1])) / needed if up.size else 0.0
    return Comparison(
        sets=len(differences),
        difference=fmean(differences) if len(differences) else 0.0,
        low=low,
        high=high,
        verdict=_verdict(up, down, needed, (low, high), margin),
        evidence=min(1.0, max(-1.0, evidence)),
    )


def _verdict(
    up: Array, down: Array, needed: float, interval: tuple[float, float], margin: float | None
) -> Verdict:
    """Return the verdict; if both capitals reached their goal at some time, the first one counts.

    With a margin the interval may lie within it although it does not hold 0: the bots differ then,
    and the verdict says in which direction.
    """
    first_up, first_down = (
        int(reached[0]) if (reached := np.flatnonzero(capital >= needed)).size else None
        for capital in (up, down)
    )
    if first_up is not None and (first_down is None or first_up < first_down):
        return Verdict.BETTER
    if first_down is not None:
        return Verdict.WORSE
    low, high = interval
    if margin is not None and -margin <= low and high <= margin:
        return Verdict.NO_DIFFERENCE
    return Verdict.UNDECIDED


def _capital(differences: Array, most: float) -> Array:
    """Return the logarithm of the capital after each set, against a mean of at most ``most``."""
    gains = (differences - most) / (1 + most)
    logs = np.log1p(np.outer(FRACTIONS, gains)).cumsum(axis=1)
    capital: Array = np.logaddexp.reduce(logs, axis=0) - log(len(FRACTIONS))
    return capital


def _bound(differences: Array, needed: float) -> float:
    """Return the largest mean such that any smaller one has been rejected after some set.

    The capital against a mean falls when that mean rises, so that bisection finds the bound.
    """
    low, high = -1.0, 1.0
    for _ in range(STEPS if differences.size else 0):
        middle = (low + high) / 2
        if _capital(differences, middle).max() >= needed:
            low = middle
        else:
            high = middle
    return low


def set_differences(results: Iterable[Result], new: str, old: str) -> list[float]:
    """Return the difference of the mean points of two entrants in each set, in the order of sets.

    A set that is not complete is left out: both play in every seat, at the same table or in the
    same place.
    """
    earned: defaultdict[str, dict[str, list[float]]] = defaultdict(lambda: {new: [], old: []})
    seats: dict[str, int] = {}
    for result in results:
        for name, share in zip(result.entrants, points(result.places), strict=True):
            if name in (new, old):
                earned[result.set_id][name].append(share)
        seats[result.set_id] = result.seats
    return [
        fmean(each[new]) - fmean(each[old])
        for set_id, each in earned.items()
        if len(each[new]) == len(each[old]) == seats[set_id]
    ]
