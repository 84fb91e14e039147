"""Plain counting: the figures of each entrant, and who met whom with what result."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from itertools import permutations
from statistics import fmean

from tournaments.ratings.values import Figures, Meeting
from tournaments.results import Result


def points(places: Sequence[int]) -> list[float]:
    """Return the share of the opponents that each seat left below, a shared place as a half."""
    others = len(places) - 1
    return [
        (sum(other > place for other in places) + (places.count(place) - 1) / 2) / others
        for place in places
    ]


def figures(results: Sequence[Result]) -> dict[str, Figures]:
    """Return the counts and means of everybody who has played."""
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


def crosstable(
    results: Sequence[Result], entrants: Sequence[str]
) -> tuple[tuple[Meeting, ...], ...]:
    """Return what became of each entrant (row) against each other (column), in this order."""
    above = Counter[tuple[str, str]]()
    level = Counter[tuple[str, str]]()
    for result in results:
        seats = zip(result.entrants, result.places, strict=True)
        for (one, place), (other, its_place) in permutations(seats, 2):
            above[one, other] += place < its_place
            level[one, other] += place == its_place
    return tuple(
        tuple(
            Meeting(
                matches=above[row, column] + level[row, column] + above[column, row],
                above=above[row, column],
                level=level[row, column],
                below=above[column, row],
            )
            for column in entrants
        )
        for row in entrants
    )
