"""Counts and means of each entrant, and the results of each against each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from itertools import permutations
from statistics import fmean

from tournaments.model import Result
from tournaments.ratings.standings import Figures, Meeting


@lru_cache(4096)
def half_points(places: tuple[int, ...]) -> tuple[int, ...]:
    """Return two for each opponent that a seat left below, and one for each on its place."""
    return tuple(
        2 * sum(other > place for other in places) + places.count(place) - 1 for place in places
    )


@lru_cache(4096)
def points(places: tuple[int, ...]) -> tuple[float, ...]:
    """Return the share of the opponents that each seat left below, a shared place as a half."""
    return tuple(half / (2 * len(places) - 2) for half in half_points(places))


def tie_rate(results: Sequence[Result]) -> float:
    """Return the share of neighbouring places that were level; 0 without a match.

    A match of k has k - 1 pairs of neighbours in the order of the places: 1, 1, 3, 4 has three, and
    one of them is level. All pairs of all matches count alike.
    """
    level = sum(result.seats - len(set(result.places)) for result in results)
    pairs = sum(result.seats - 1 for result in results)
    return level / pairs if pairs else 0.0


def figures(results: Sequence[Result]) -> dict[str, Figures]:
    """Return the counts and means of every entrant that has played."""
    largest = max((result.seats for result in results), default=0)
    comparable = len({result.game for result in results}) == 1
    seats: defaultdict[str, list[tuple[Result, int, float]]] = defaultdict(list)
    for result in results:
        for seat, share in enumerate(points(result.places)):
            seats[result.entrants[seat]].append((result, seat, share))
    return {
        name: _figures(mine, largest, comparable=comparable) for name, mine in sorted(seats.items())
    }


def _figures(
    mine: Sequence[tuple[Result, int, float]], largest: int, *, comparable: bool
) -> Figures:
    """Return the figures of one entrant; scores have a mean only where they can be compared."""
    scores = [result.scores[seat] for result, seat, _ in mine]
    places = [result.places[seat] for result, seat, _ in mine]
    seconds = sum(result.used[seat] for result, seat, _ in mine)
    return Figures(
        matches=len(mine),
        forfeits=sum(seat in result.forfeits for result, seat, _ in mine),
        wins=sum(
            1 / result.places.count(1) for result, seat, _ in mine if result.places[seat] == 1
        ),
        places=tuple(places.count(place) for place in range(1, largest + 1)),
        mean_place=fmean(places),
        mean_score=fmean(scores) if comparable else None,
        points=fmean(share for _, _, share in mine),
        seconds=seconds,
        seconds_per_match=seconds / len(mine),
    )


def head_to_head(results: Sequence[Result]) -> dict[str, dict[str, Meeting]]:
    """Return how often each was above, level with and below each other that it has met."""
    counts: defaultdict[str, defaultdict[str, list[int]]] = defaultdict(
        lambda: defaultdict(lambda: [0, 0, 0])
    )
    for result in results:
        seats = zip(result.entrants, result.places, strict=True)
        for (one, place), (other, its_place) in permutations(seats, 2):
            counts[one][other][(place > its_place) + (place >= its_place)] += 1
    return {
        name: {other: Meeting(*met) for other, met in sorted(others.items())}
        for name, others in sorted(counts.items())
    }
