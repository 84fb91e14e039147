"""Which entrants are claimed to be better than which others: all pairs of a table together.

**Simultaneous.** The probability that any claim of a table is wrong is at most 1 less the
confidence, however many pairs there are. Each pair has a statistic: the difference of the skills
divided by its standard error over the replicates. The critical value is the quantile of the largest
of these statistics under a normal distribution with the covariance of the replicates (max-t;
Hothorn, Bretz, Westfall 2008). The replicates themselves have heavy tails where there are few sets.
Their own quantile and Student's t would both count that, and cost power.

**One-sided results.** Where one nearly always wins, the replicates reach far away from zero, and
little towards it: how large the difference is remains open, but not its sign. So the standard error
of a pair is measured on the side of zero, where it is smaller there by more than chance: half of
the replicates measure it less precisely than all of them do, and the largest of many statistics is
often one whose standard error came out too small.

**Few sets.** For a pair that n sets inform, the critical value is that of Student's t with n - 1
degrees of freedom at the same level, and somewhat fewer because the number of replicates is finite
too. The weights of the bootstrap make its variance that of
Student's t already; ``correction`` takes this out again. n is the smaller of the numbers of
sets that the two have played: a difference is also informed by sets in which they did not meet.

**Few matches.** Of p pairs of equals that meet in each of m matches, the first is above the second
in all or in none with a probability of up to p / 2^(m - 1). Nothing is claimed about an entrant
with so few matches that this is more than what the confidence leaves.

**At any time.** Fixed claims hold if one looks once, at a number of sets that was chosen before.
Anytime claims hold at all moments together. They use the normal mixture of Robbins as an asymptotic
confidence sequence (Waudby-Smith, Arbour, Sinha, Kennedy, Ramdas 2021) with the level of the pair
that the critical value has, so that they are simultaneous too.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import ceil, comb, expm1, inf, log, log2, sqrt
from statistics import NormalDist
from typing import Final

import numpy as np

from tournaments.model import Claims
from tournaments.ratings.fit import REPLICATES, SMALLEST_SHAPE, Fit
from tournaments.ratings.likelihood import Floats, Indices

FEWEST_SETS: Final = {Claims.FIXED: 3, Claims.ANYTIME: 8}
"""Nothing is claimed about an entrant with fewer sets."""
FEWEST_OF_TWO: Final = 6
"""The same where only two are compared: of two equals, one wins each of five sets in 2 of 32 cases.
"""
TIGHT_AT: Final = 30
"""The number of sets at which the bound of anytime claims is tightest."""
SEED: Final = 20_261_118
"""Fixed, so that equal results have equal claims; any other number would do."""
MOST_DRAWS: Final = 20_000
FEWEST_DRAWS: Final = 1000
MOST_NUMBERS: Final = 100_000
"""How many numbers the draws of all entrants may have; with more entrants the largest statistic
varies less. Since the seed is fixed, an error of the quantile would be the same everywhere."""
DOUBT: Final = 2.0
"""By how many of its standard errors the spread on the side of zero must be smaller to be used."""
SMALLEST_LEVEL: Final = 1e-300
RIDGE: Final = 1e-9
"""What is added to variances, as a share of the largest: a covariance may have no inverse."""
TINY: Final = 1e-30

Pair = tuple[str, str]
"""The names of a better entrant and of a worse one."""


def told_apart(
    fit: Fit, confidence: float = 0.95, claims: Claims = Claims.FIXED
) -> frozenset[Pair]:
    """Return the pairs of which the first is claimed to be better than the second."""
    compared = np.flatnonzero(fit.sets >= FEWEST_SETS[claims])
    compared = compared[fit.matches[compared] >= fewest_matches(len(compared), confidence)]
    if len(compared) < 2 or len(fit.replicates) < 2:
        return frozenset()
    names = [fit.entrants[n] for n in compared.tolist()]
    skills, replicates, sets = fit.skills[compared], fit.replicates[:, compared], fit.sets[compared]
    first, second = np.triu_indices(len(names), 1)
    fewer = np.minimum(sets[first], sets[second])
    if len(names) == 2 and fewer[0] < FEWEST_OF_TWO:
        return frozenset()
    covariance = _covariance(replicates)
    spread = _spread(covariance)
    critical = _critical(covariance, spread, confidence)
    bounds = _bounds(fewer, len(replicates) // 2, critical, confidence, claims)
    scale = np.concatenate(
        [
            _towards_zero(skills[n:], replicates[:, n:], spread[n, n + 1 :])
            for n in range(len(names) - 1)
        ]
    )
    return _beyond(names, skills, bounds * scale * correction(fewer))


def fewest_matches(entrants: int, confidence: float) -> int:
    """Return after how many matches it is unlikely that any of equals are always one-sided."""
    return ceil(1 + log2(max(1, comb(entrants, 2)) / (1 - confidence)))


def correction(sets: Indices) -> Floats:
    """Return what to multiply the spread of the replicates by to have the standard error.

    With a weight of shape a for each of n sets their mean has the variance v / (n a + 1), where v
    is the mean square deviation; without bias it is v / (n - 1).
    """
    n = np.maximum(sets, 2)
    factors: Floats = np.sqrt((np.maximum(n - 4, SMALLEST_SHAPE * n) + 1) / (n - 1))
    return factors


def freedom(sets: int, replicates: int) -> float:
    """Return the degrees of freedom of a standard error: both numbers make it uncertain."""
    return 1 / (1 / max(1, sets - 1) + 1 / max(1, replicates - 1))


def student(normal: float, freedom: float) -> float:
    """Return the quantile of Student's t at the level of a normal quantile (Wallace 1959)."""
    scaled = normal * (8 * freedom + 3) / (8 * freedom + 1)
    return sqrt(freedom * expm1(min(scaled**2 / freedom, 700.0)))


def anytime(level: float, sets: int, confidence: float) -> float:
    """Return the bound of the normal mixture at that level, in standard errors after these sets.

    The confidence of the table sets how wide the mixture is: that must not change between looks.
    """
    wide = -2 * log(1 - confidence)
    grown = sets * (wide + log(wide + 1)) / TIGHT_AT
    return sqrt(2 * (grown + 1) / grown * log(sqrt(grown + 1) / level))


def reach(claims: Claims, sets: int, freedom: float, confidence: float = 0.95) -> float:
    """Return how many standard errors an interval extends to either side, looked at alone."""
    level = 1 - confidence
    if claims is Claims.ANYTIME:
        return student(anytime(level, sets, confidence), freedom)
    return student(NormalDist().inv_cdf(1 - level / 2), freedom)


def errors_and_bound(
    covariance: Floats, sets: int, confidence: float, replicates: int = REPLICATES
) -> tuple[Floats, float]:
    """Return the standard error of each difference, and by how many of them two must differ.

    That is for claims at any time, if skills have that covariance after that many sets of each.
    """
    spread = _spread(covariance)
    critical = _critical(covariance, spread, confidence)
    bounds = _bounds(np.array([sets]), replicates // 2, critical, confidence, Claims.ANYTIME)
    return spread, float(bounds[0])


def _bounds(
    sets: Indices, replicates: int, critical: float, confidence: float, claims: Claims
) -> Floats:
    """Return by how many standard errors each pair must differ."""
    level = max(2 * NormalDist().cdf(-critical), SMALLEST_LEVEL)
    normal_for = {
        n: anytime(level, n, confidence) if claims is Claims.ANYTIME else critical
        for n in set(sets.tolist())
    }
    bound_for = {n: student(normal, freedom(n, replicates)) for n, normal in normal_for.items()}
    return np.array([bound_for[n] for n in sets.tolist()])


def _covariance(replicates: Floats) -> Floats:
    """Return the covariance over the replicates of the differences to the first entrant."""
    relative = replicates - replicates[:, :1]
    centred = relative - relative.mean(axis=0)
    # Not a product of matrices: the threads of a library for these take longer than it does.
    found: Floats = np.einsum("ri,rj->ij", centred, centred) / (len(replicates) - 1)
    return found


def _spread(covariance: Floats) -> Floats:
    """Return the standard deviation of the difference of every two entrants."""
    variance = covariance.diagonal()
    squares = variance[:, None] + variance[None, :] - 2 * covariance
    spread: Floats = np.sqrt(np.maximum(squares, 0))
    return spread


def _towards_zero(skills: Floats, replicates: Floats, spread: Floats) -> Floats:
    """Return the spread of the differences between the first entrant and the others.

    It is the root mean square of the replicates that lie on the side of zero, which are about half
    of them, where that is smaller than ``spread``, the one of all replicates, by more than
    ``DOUBT`` of its own standard errors.
    """
    differences = skills[0] - skills[1:]
    off = replicates[:, :1] - replicates[:, 1:] - differences
    nearer = off * np.where(differences > 0, 1, -1) < 0
    count = np.maximum(nearer.sum(axis=0), 1)
    near = np.sqrt((off**2 * nearer).sum(axis=0) / count)
    found: Floats = np.where(near < spread * (1 - DOUBT / np.sqrt(2 * count)), near, spread)
    return found


def _critical(covariance: Floats, spread: Floats, confidence: float) -> float:
    """Return the quantile of the largest statistic of all pairs, if all entrants were equal."""
    size = len(covariance)
    draws = min(MOST_DRAWS, max(FEWEST_DRAWS, MOST_NUMBERS // size))
    ridge = RIDGE * covariance.diagonal().max() * np.eye(size)
    root = np.linalg.cholesky(covariance + ridge + TINY * np.eye(size))
    drawn = np.einsum("ij,jd->id", root, _normal_numbers(size, draws))
    largest = np.zeros(draws)
    scale = np.where(spread > 0, spread, inf)
    for n in range(size - 1):
        apart = np.abs(drawn[n] - drawn[n + 1 :]) / scale[n, n + 1 :, None]
        np.maximum(largest, apart.max(axis=0), out=largest)
    of_one = NormalDist().inv_cdf((1 + confidence) / 2)
    return max(of_one, float(np.quantile(largest, confidence)))


@lru_cache(maxsize=16)
def _normal_numbers(size: int, draws: int) -> Floats:
    """Return standard normal numbers: a row for each entrant, a column for each draw."""
    numbers = np.random.Generator(np.random.PCG64(SEED)).standard_normal((draws, size))
    return np.ascontiguousarray(numbers.T)


def _beyond(names: Sequence[str], skills: Floats, bounds: Floats) -> frozenset[Pair]:
    """Return the pairs that differ by more than their bounds, the better entrant first."""
    first, second = np.triu_indices(len(names), 1)
    differences = skills[first] - skills[second]
    better, worse = np.where(differences > 0, (first, second), (second, first))
    found = np.abs(differences) > bounds
    pairs = zip(better[found].tolist(), worse[found].tolist(), strict=True)
    return frozenset((names[a], names[b]) for a, b in pairs)
