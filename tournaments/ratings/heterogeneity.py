"""Whether one number for each entrant fits all parts: Cochran's Q over sizes, variants or games.

**The statistic.** Each part has a fit of its own. The skills of the entrants that are in all of
them, less their mean, are compared: Q is the sum over entrants and parts of the squared distance
to the weighted mean over the parts, divided by the variance over the replicates.

**The p value** assumes no distribution: it is the share of the replicates in which Q of the
distances between replicates and estimates is at least as large as Q of the estimates. The skills
of entrants depend on each other, and are not normal with few sets; both are so in the replicates.
These vary more than skills do with few sets; ``correction`` takes that out. A p value that is
too small to be counted in the replicates is that of a gamma distribution with their mean and
variance, by the approximation of Wilson and Hilferty.

**What follows.** Where skills differ between parts, a pair is told apart over all matches only if
it is told apart, in the same order, in each part in which both have played.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import erfc, sqrt
from typing import Final, Protocol

import numpy as np

from tournaments.model import Claims
from tournaments.ratings.claims import Pair, correction
from tournaments.ratings.fit import Fit
from tournaments.ratings.likelihood import Floats
from tournaments.ratings.standings import Estimate, Heterogeneity

FEWEST_SETS: Final = 5
"""An entrant with fewer sets in one of the parts is not compared."""
FEWEST_REPLICATES: Final = 50
LEVELS: Final = {Claims.FIXED: 0.05, Claims.ANYTIME: 0.005}
"""Up to which p value skills are said to differ. Where they are looked at again and again it is
smaller, so that false alarms remain rare."""
FEW: Final = 10
"""With fewer replicates beyond the statistic their share is too rough."""
NO_SPREAD: Final = 1e-12
"""The relative variance of values that differ by rounding alone."""
SHIFT: Final = 7
"""The replicates of all fits are drawn with the same numbers; shifted, they are independent."""
TAILS: Final = (0.025, 0.975)


class FittedPart(Protocol):
    """The fit of one part, and the pairs that are told apart in it."""

    @property
    def fit(self) -> Fit:
        """The fit of its matches alone."""

    @property
    def claimed(self) -> frozenset[Pair]:
        """The better entrant of a pair first."""


def heterogeneities(
    splits: Mapping[str, Mapping[str, FittedPart]], claims: Claims
) -> tuple[Heterogeneity, ...]:
    """Compare the parts of each split, such as the table sizes; the level is shared out."""
    level = LEVELS[claims] / max(1, len(splits))
    found = (_heterogeneity(over, parts, level) for over, parts in splits.items())
    return tuple(each for each in found if each is not None)


def _heterogeneity(
    over: str, parts: Mapping[str, FittedPart], level: float
) -> Heterogeneity | None:
    """Compare the skills of the entrants that all parts have; None if there are too few."""
    fits = [part.fit for part in parts.values()]
    names = _common(fits)
    rows = min((len(fit.replicates) for fit in fits), default=0)
    if len(fits) < 2 or len(names) < 2 or rows < FEWEST_REPLICATES:
        return None
    skills, replicates = _aligned(fits, names, rows)
    weights = 1 / replicates.var(axis=1, ddof=1)
    of_entrants = _q(skills[:, None, :], weights)[0]
    distances = (replicates - skills[:, None, :]) * _corrections(fits, names)[:, None, :]
    by_chance = _q(distances, weights).sum(axis=1)
    q = float(of_entrants.sum())
    reversals = _reversals(parts.values(), names)
    pairs = reversals or _with_others(int(of_entrants.argmax()), len(names))
    first, second = pairs[_largest(skills, replicates, pairs)]
    differences = skills[:, first] - skills[:, second]
    lows, highs = np.quantile(replicates[:, :, first] - replicates[:, :, second], TAILS, axis=1)
    p = tail(by_chance, q)
    return Heterogeneity(
        over=over,
        q=q,
        p=p,
        is_found=p <= level,
        pair=(names[first], names[second]),
        is_reversed=bool(reversals),
        differences={
            name: Estimate(*map(float, numbers))
            for name, *numbers in zip(parts, differences, lows, highs, strict=True)
        },
    )


def tail(by_chance: Floats, q: float) -> float:
    """Return the probability of a value of at least ``q``, from values that chance gives."""
    beyond = int((by_chance >= q).sum())
    share = (1 + beyond) / (1 + len(by_chance))
    mean, variance = float(by_chance.mean()), float(by_chance.var())
    spread = variance / (9 * mean * mean)
    if beyond >= FEW or spread < NO_SPREAD:
        return share
    distance = ((q / mean) ** (1 / 3) - (1 - spread)) / sqrt(spread)
    return min(share, erfc(distance / sqrt(2)) / 2)


def hold_in_each(claimed: Iterable[Pair], parts: Iterable[FittedPart]) -> frozenset[Pair]:
    """Return the claims that hold in each part in which both entrants have played."""
    there = [(frozenset(part.fit.entrants), part.claimed) for part in parts]
    return frozenset(
        pair
        for pair in claimed
        if all(pair in claims for played, claims in there if played.issuperset(pair))
    )


def _common(fits: Iterable[Fit]) -> list[str]:
    """Return the entrants that have enough sets in each part."""
    enough = [
        {name for name, sets in zip(fit.entrants, fit.sets, strict=True) if sets >= FEWEST_SETS}
        for fit in fits
    ]
    return sorted(set.intersection(*enough)) if enough else []


def _aligned(fits: Sequence[Fit], names: Sequence[str], rows: int) -> tuple[Floats, Floats]:
    """Return the skills of these entrants by part, and the replicates by part and row."""
    skills, replicates = [], []
    for n, fit in enumerate(fits):
        columns = [fit.entrants.index(name) for name in names]
        skills.append(_centred(fit.skills[columns]))
        shifted = np.roll(fit.replicates[:, columns], SHIFT * n, axis=0)
        replicates.append(_centred(shifted[:rows]))
    return np.array(skills), np.array(replicates)


def _corrections(fits: Iterable[Fit], names: Sequence[str]) -> Floats:
    """Return the factors that make replicates vary as skills do, by part and entrant."""
    return np.array(
        [correction(fit.sets[[fit.entrants.index(name) for name in names]]) for fit in fits]
    )


def _centred(values: Floats) -> Floats:
    centred: Floats = values - values.mean(axis=-1, keepdims=True)
    return centred


def _q(values: Floats, weights: Floats) -> Floats:
    """Return the weighted squares around the mean over the parts, the first axis."""
    weight = weights[:, None, :]
    mean = (weight * values).sum(axis=0) / weight.sum(axis=0)
    squares: Floats = (weight * (values - mean) ** 2).sum(axis=0)
    return squares


def _reversals(parts: Iterable[FittedPart], names: Sequence[str]) -> list[tuple[int, int]]:
    """Return the pairs, by number, that are told apart in one order here, in the other there."""
    number = {name: n for n, name in enumerate(names)}
    claimed = frozenset[Pair]().union(*(part.claimed for part in parts))
    return sorted(
        (number[one], number[other])
        for one, other in claimed
        if one < other and (other, one) in claimed and number.keys() >= {one, other}
    )


def _with_others(one: int, size: int) -> list[tuple[int, int]]:
    return [(one, other) for other in range(size) if other != one]


def _largest(skills: Floats, replicates: Floats, pairs: Sequence[tuple[int, int]]) -> int:
    """Return which pair of columns has the largest Q of its differences."""
    first, second = np.array(pairs).T
    spread = replicates[:, :, first] - replicates[:, :, second]
    weights = 1 / spread.var(axis=1, ddof=1)
    return int(_q((skills[:, first] - skills[:, second])[:, None, :], weights)[0].argmax())
