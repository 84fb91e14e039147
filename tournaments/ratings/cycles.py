"""Cycles: three entrants of which each beats the next, as far as the results support it.

For each two that have met, the share of matches in which one was above, less the share in which it
was below, has a mean over their sets. A pair is decided if this mean is further from 0 than the
bound of simultaneous claims (Bonferroni over all pairs that have met in enough sets). One set won
and one set lost are added to each pair, so that a pair that always ends alike has an error too.

Only cycles of three are looked for. If all pairs of a longer cycle's entrants are decided, it
contains one of three; where some are not, a longer cycle is not found.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import combinations
from math import sqrt
from statistics import NormalDist
from typing import Final

from tournaments.model import Claims, Result
from tournaments.ratings.claims import FEWEST_SETS, Pair, anytime, student

MOST_CYCLES: Final = 10

Cycle = tuple[str, str, str]


def cycles(results: Sequence[Result], confidence: float, claims: Claims) -> tuple[Cycle, ...]:
    """Return cycles of three whose every pair is decided, at most ten, the surest first."""
    strength = _decided(results, confidence, claims)
    beaten: defaultdict[str, set[str]] = defaultdict(set)
    for one, other in strength:
        beaten[one].add(other)
    found = [
        (one, other, third)
        for one, other in strength
        for third in beaten.get(other, ())
        if one < min(other, third) and one in beaten.get(third, ())
    ]

    def weakest(cycle: Cycle) -> float:
        return min(strength[pair] for pair in zip(cycle, (*cycle[1:], cycle[0]), strict=True))

    return tuple(sorted(found, key=lambda cycle: (-weakest(cycle), cycle))[:MOST_CYCLES])


def _decided(results: Iterable[Result], confidence: float, claims: Claims) -> dict[Pair, float]:
    """Return the pairs of which the first beats the second, with how far that is beyond doubt."""
    shares = {
        pair: sets for pair, sets in _shares(results).items() if len(sets) >= FEWEST_SETS[claims]
    }
    level = (1 - confidence) / max(1, len(shares))
    found = {}
    for (one, other), sets in shares.items():
        statistic = _statistic(sets)
        excess = abs(statistic) / _bound(level, len(sets), confidence, claims)
        if excess > 1:
            found[(one, other) if statistic > 0 else (other, one)] = excess
    return found


@lru_cache(1024)
def _bound(level: float, sets: int, confidence: float, claims: Claims) -> float:
    """Return how many standard errors decide a pair."""
    fixed = -NormalDist().inv_cdf(level / 2)
    normal = anytime(level, sets, confidence) if claims is Claims.ANYTIME else fixed
    return student(normal, sets - 1)


def _shares(results: Iterable[Result]) -> dict[Pair, list[float]]:
    """Return for each two that have met, by set, the share of wins less that of losses."""
    counts: defaultdict[Pair, defaultdict[str, list[int]]] = defaultdict(
        lambda: defaultdict(lambda: [0, 0])
    )
    for result in results:
        seats = sorted(zip(result.entrants, result.places, strict=True))
        for (one, place), (other, its_place) in combinations(seats, 2):
            row = counts[one, other][result.set_id]
            row[0] += (place < its_place) - (place > its_place)
            row[1] += 1
    return {
        pair: [more / matches for more, matches in sets.values()] for pair, sets in counts.items()
    }


def _statistic(shares: Sequence[float]) -> float:
    """Return the mean divided by its standard error, with one set won and one lost added."""
    sets = len(shares) + 2
    mean = sum(shares) / sets
    squares = sum((share - mean) ** 2 for share in (*shares, 1.0, -1.0))
    return mean / sqrt(squares / (sets - 1) / sets)
