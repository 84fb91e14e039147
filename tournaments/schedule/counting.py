"""How even a schedule is, by plain counting.

This is apart from what it counts: numpy takes longer to load than everything else that a worker of
a tournament needs, and workers count nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, permutations

import numpy as np
from numpy.typing import NDArray

from tournaments.schedule.balance import Balance, Evenness, Group, Range

Numbers = NDArray[np.int_]

Seating = tuple[str, ...]
"""The entrants of one match, by seat."""


def measure(
    groups: Mapping[Group, Sequence[Sequence[Seating]]],
    entrants: Sequence[str],
    pairs: Mapping[int, Sequence[tuple[str, str]]],
) -> Balance:
    """Count the sets of each group; each is given as the seatings it plays.

    ``entrants`` are those to compare, ``pairs`` those of them who may meet at a table of a size.
    """
    seated = {name for sets in groups.values() for played in sets for name in played[0]}
    number = {name: i for i, name in enumerate(sorted(seated.union(entrants)))}
    compared = [number[name] for name in entrants]
    meeting = {size: [(number[a], number[b]) for a, b in found] for size, found in pairs.items()}
    counts = {group: _count(sets, number, group.seats) for group, sets in groups.items()}

    def together(chosen: Sequence[Group]) -> Evenness:
        sizes = {group.seats for group in chosen}
        sum_ = _Counts.none(len(number), max(sizes))
        for group in chosen:
            sum_.include(counts[group])
        may_meet = sorted(set(chain.from_iterable(meeting[size] for size in sizes)))
        return sum_.evenness(max(sizes), compared, may_meet)

    games = dict.fromkeys(group.game for group in groups)
    return Balance(
        {
            group: one.evenness(group.seats, compared, meeting[group.seats])
            for group, one in counts.items()
        },
        {game: together([group for group in groups if group.game == game]) for game in games},
        together(list(groups)),
    )


@dataclass(slots=True)
class _Counts:
    """Everything that is counted, in arrays by entrant."""

    sets: int
    matches: int
    sets_of: Numbers
    seats_of: Numbers
    """By seat and entrant."""
    pair_sets: Numbers
    pair_matches: Numbers
    neighbours: Numbers
    """By the entrant before and the entrant after."""

    @classmethod
    def none(cls, entrants: int, seats: int) -> _Counts:
        """Return counts with nothing in them yet."""
        square = (entrants, entrants)
        return cls(
            0,
            0,
            np.zeros(entrants, int),
            np.zeros((seats, entrants), int),
            np.zeros(square, int),
            np.zeros(square, int),
            np.zeros(square, int),
        )

    def include(self, other: _Counts) -> None:
        """Add what another has counted, at tables of at most as many seats."""
        self.sets += other.sets
        self.matches += other.matches
        self.sets_of += other.sets_of
        self.seats_of[: len(other.seats_of)] += other.seats_of
        self.pair_sets += other.pair_sets
        self.pair_matches += other.pair_matches
        self.neighbours += other.neighbours

    def evenness(
        self, seats: int, entrants: Sequence[int], pairs: Sequence[tuple[int, int]]
    ) -> Evenness:
        """Compare these entrants and these pairs."""
        first, second = [x for x, _ in pairs], [y for _, y in pairs]
        return Evenness(
            sets=self.sets,
            matches=self.matches,
            sets_each=_range(self.sets_of[entrants]),
            matches_each=_range(self.seats_of.sum(axis=0)[entrants]),
            pair_sets=_range(self.pair_sets[first, second]) if pairs else None,
            pair_matches=_range(self.pair_matches[first, second]) if pairs else None,
            seats=tuple(_range(self.seats_of[seat, entrants]) for seat in range(seats)),
            left_neighbours=(
                _range(self.neighbours[first + second, second + first]) if pairs else None
            ),
        )


def _count(sets: Sequence[Sequence[Seating]], number: Mapping[str, int], size: int) -> _Counts:
    tables = _numbered([played[0] for played in sets], number, size)
    seatings = _numbered(list(chain.from_iterable(sets)), number, size)
    entrants = len(number)
    return _Counts(
        sets=len(tables),
        matches=len(seatings),
        sets_of=np.bincount(tables.ravel(), minlength=entrants),
        seats_of=np.array([np.bincount(column, minlength=entrants) for column in seatings.T]),
        pair_sets=_meetings(tables, entrants),
        pair_matches=_meetings(seatings, entrants),
        neighbours=_together(np.roll(seatings, 1, axis=1), seatings, entrants),
    )


def _numbered(seatings: Sequence[Seating], number: Mapping[str, int], size: int) -> Numbers:
    flat = [number[name] for seating in seatings for name in seating]
    return np.array(flat, int).reshape(-1, size)


def _meetings(seatings: Numbers, entrants: int) -> Numbers:
    met = np.zeros((entrants, entrants), int)
    for one, other in permutations(seatings.T, 2):
        met += _together(one, other, entrants)
    return met


def _together(one: Numbers, other: Numbers, entrants: int) -> Numbers:
    both = np.bincount((one * entrants + other).ravel(), minlength=entrants**2)
    return both.reshape(entrants, entrants)


def _range(numbers: Numbers) -> Range:
    return Range(int(numbers.min()), int(numbers.max()))
