"""The pairs of a league whose matches are not rated, because one loses to the other on purpose.

An accomplice with a rating that it has earned lifts its friend by every match that it throws. One
match cannot be told from a bad day, but many can: the friend has far more points against the
accomplice than the results of both against all others lead to. A pair is left out if it is
striking (``pair_residuals``) and has ``LEAST_EXCESS`` points a set more than expected. The second
condition spares the small differences that many matches show between styles of play. Both must also
hold if the skills of each game and each size of table are fitted apart: two that mostly meet at
tables of two, where one of them is stronger than at others, do not fit the skills over all either.

**Skills without the pair.** Thrown matches change the skills that show them. So the skills are
fitted again without the pairs that were found, and all pairs are compared with these skills, until
the same pairs are found.

**What is left out** is the comparison of the two. A table of more than two is rated as the tables
that remain without either of them. The matches stay in all counts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import combinations
from typing import Final

from tournaments.model import Result, Version
from tournaments.ratings.fit import Fit, fit
from tournaments.ratings.pair_residuals import (
    Points,
    pair_residuals,
    points_of_pairs,
    residuals_of,
)
from tournaments.ratings.standings import PairResidual
from tournaments.ratings.versions import merge_brief_versions

LEAST_EXCESS: Final = 0.25
"""By how many points a set the results of a pair that is left out are better than expected."""
MOST_ROUNDS: Final = 8
"""How often the skills are fitted at most."""

EntrantPairs = frozenset[frozenset[str]]
NO_PAIRS: Final[EntrantPairs] = frozenset()


def find_left_out(results: Sequence[Result]) -> tuple[PairResidual, ...]:
    """Return the residuals of all pairs of a league, with those marked that are left out."""
    merged = merge_brief_versions(results)
    if not merged:
        return ()
    pairs, first = NO_PAIRS, None
    found: tuple[PairResidual, ...] = ()
    for _ in range(MOST_ROUNDS):
        fitted = fit(list(rated(merged, pairs)), 1)
        first = first or fitted
        found = pair_residuals(merged, fitted, first)
        thrown = frozenset(map(_names, filter(_is_thrown, found)))
        before, pairs = pairs, thrown & _apart(merged, thrown, fitted)
        if pairs == before:
            break
    return tuple(replace(each, left_out=_names(each) in pairs) for each in found)


def pairs_of(residuals: Iterable[PairResidual]) -> EntrantPairs:
    """Return the pairs that are left out."""
    return frozenset(_names(each) for each in residuals if each.left_out)


def rated(results: Iterable[Result], left_out: EntrantPairs) -> Iterator[Result]:
    """Yield the results without the comparison of two entrants that are left out."""
    for result in results:
        yield from _parts(result, left_out) if left_out else (result,)


def _names(pair: PairResidual) -> frozenset[str]:
    return frozenset((pair.entrant, pair.opponent))


def _is_thrown(pair: PairResidual) -> bool:
    return pair.is_striking and pair.observed - pair.expected >= LEAST_EXCESS * pair.sets


def _apart(results: Sequence[Result], left_out: EntrantPairs, over_all: Fit) -> EntrantPairs:
    """Return which pairs are thrown by the skills of each game and size without some pairs."""
    if not left_out:
        return NO_PAIRS
    tables: defaultdict[tuple[str, int], list[Result]] = defaultdict(list)
    for result in results:
        tables[result.game, result.seats].append(result)
    points: defaultdict[tuple[str, str], list[Points]] = defaultdict(list)
    for played in tables.values():
        fitted = fit(list(rated(played, left_out)), 1)
        for pair, of_sets in points_of_pairs(played, fitted, over_all).items():
            points[pair] += of_sets
    return frozenset(map(_names, filter(_is_thrown, residuals_of(points))))


def _parts(result: Result, left_out: EntrantPairs) -> Iterator[Result]:
    tables = _tables(tuple(Version.of(name).entrant for name in result.entrants), left_out)
    return (_at(result, seats) for seats in tables)


@lru_cache(4096)
def _tables(entrants: tuple[str, ...], left_out: EntrantPairs) -> tuple[tuple[int, ...], ...]:
    """Return the largest tables of two and more, as seats, that have no pair that is left out."""
    found: list[tuple[int, ...]] = []
    for size in range(len(entrants), 1, -1):
        for seats in combinations(range(len(entrants)), size):
            apart = all(
                frozenset((entrants[one], entrants[other])) not in left_out
                for one, other in combinations(seats, 2)
            )
            if apart and not any(set(seats) < set(larger) for larger in found):
                found.append(seats)
    return tuple(found)


def _at(result: Result, seats: tuple[int, ...]) -> Result:
    """Return a result as if only the entrants of these seats had been at the table."""
    if len(seats) == result.seats:
        return result
    places = [result.places[seat] for seat in seats]
    return replace(
        result,
        entrants=tuple(result.entrants[seat] for seat in seats),
        places=tuple(1 + sum(other < place for other in places) for place in places),
        scores=tuple(result.scores[seat] for seat in seats),
        forfeits=tuple(n for n, seat in enumerate(seats) if seat in result.forfeits),
        used=tuple(result.used[seat] for seat in seats),
    )
