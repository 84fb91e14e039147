"""Residuals of pairs: where the results of two entrants do not fit their skills.

An entrant that loses to a friend on purpose wins against others as often as its skill says, and
against the friend far less. For each two entrants, the points of the first against the second, 1
above, 0.5 level and 0 below, are averaged over the matches of a set, because these share their
luck, and added over the sets. The fit of all results gives what they are expected to be.

**The test.** The sets are independent and their points are between 0 and 1, whatever the sizes of
the tables. So the probability that n sets with an expected mean p have a mean of q or more is at
most exp(-n K), where K = q ln(q/p) + (1-q) ln((1-q)/(1-p)): Hoeffding's first theorem of 1963. It
needs no approximation for few sets or for one-sided pairs. The bound is taken for both directions,
and corrected for the number of pairs by Holm's method: in an honest league the probability of any
striking pair is at most 5 % at each look. The skills come from the same results, which makes
residuals smaller, not larger.

A striking pair is a reason to look at its records. A style that beats another style is one too.
Those with the largest residuals are not rated: ``left_out``.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from math import exp, log, sqrt
from statistics import fmean
from typing import Final, NamedTuple

from tournaments.model import Result, Version
from tournaments.ratings.fit import Fit
from tournaments.ratings.standings import PairResidual

FEWEST_SETS: Final = 5
"""Pairs that have met in fewer sets are not tested."""


class Points(NamedTuple):
    """The mean points of an entrant against another in the matches of a set."""

    observed: float
    expected: float


def pair_residuals(
    results: Iterable[Result], fit: Fit, otherwise: Fit | None = None
) -> tuple[PairResidual, ...]:
    """Return the residuals of all pairs that have met often enough, the most striking first.

    The results name versions as the fit does; the pairs are of entrants, in any versions. A version
    that the fit does not have has its skill in the fit ``otherwise``.
    """
    return residuals_of(points_of_pairs(results, fit, otherwise))


def residuals_of(
    pairs: Mapping[tuple[str, str], Sequence[Points]],
) -> tuple[PairResidual, ...]:
    """Return the residuals of pairs from the points of their sets, the most striking first."""
    found = [
        _residual(*pair, points) for pair, points in pairs.items() if len(points) >= FEWEST_SETS
    ]
    return _corrected(sorted(found, key=lambda each: (each.p_value, -each.z, each.entrant)))


def points_of_pairs(
    results: Iterable[Result], fit: Fit, otherwise: Fit | None = None
) -> dict[tuple[str, str], list[Points]]:
    """Return for each pair, in alphabetical order, the points of the first in each set."""
    fits = [each for each in (otherwise, fit) if each is not None]
    skills = {
        name: skill
        for each in fits
        for name, skill in zip(each.entrants, each.skills.tolist(), strict=True)
    }
    entrant = {name: Version.of(name).entrant for name in skills}
    expected: dict[tuple[str, str], float] = {}
    sets: defaultdict[tuple[str, str], dict[str, list[tuple[float, float]]]]
    sets = defaultdict(lambda: defaultdict(list))
    for result in results:
        table = sorted(zip(result.entrants, result.places, strict=True))
        for (one, place), (other, behind) in combinations(table, 2):
            if (one, other) not in expected:
                expected[one, other] = _expected(skills[one] - skills[other], fit.nu)
            pair = entrant[one], entrant[other]
            if pair[0] != pair[1]:
                points = (_points(place, behind), expected[one, other])
                sets[pair][result.set_id].append(points)
    return {
        pair: [Points(*map(fmean, zip(*of_set, strict=True))) for of_set in of_pair.values()]
        for pair, of_pair in sets.items()
    }


def _points(place: int, behind: int) -> float:
    return 0.5 if place == behind else float(place < behind)


def _expected(difference: float, nu: float) -> float:
    """Return the expected points of the first, as the model of the fit has them."""
    above, below = exp(difference / 2), exp(-difference / 2)
    return (above + nu / 2) / (above + nu + below)


def _residual(one: str, other: str, sets: Sequence[Points]) -> PairResidual:
    """Return the residual of a pair before the correction for the number of pairs."""
    observed = sum(each.observed for each in sets)
    expected = sum(each.expected for each in sets)
    number = len(sets)
    if observed < expected:
        one, other, observed, expected = other, one, number - observed, number - expected
    mean = expected / number
    return PairResidual(
        one,
        other,
        number,
        observed,
        expected,
        (observed - expected) / sqrt(number * mean * (1 - mean)),
        min(1.0, 2 * exp(-number * _divergence(observed / number, mean))),
    )


def _divergence(q: float, p: float) -> float:
    """Return the divergence of Kullback and Leibler between two coins."""
    heads = q * log(q / p) if q else 0.0
    tails = (1 - q) * log((1 - q) / (1 - p)) if q < 1 else 0.0
    return heads + tails


def _corrected(found: Sequence[PairResidual]) -> tuple[PairResidual, ...]:
    """Correct the p-values, in ascending order, for their number, by Holm's method."""
    corrected, highest = [], 0.0
    for number, each in enumerate(found):
        highest = max(highest, min(1.0, (len(found) - number) * each.p_value))
        corrected.append(replace(each, p_value=highest))
    return tuple(corrected)
