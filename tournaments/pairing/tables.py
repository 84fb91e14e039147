"""The possible tables, and counts of how often players have played and met.

Players are numbers from 0 here; the schedule has their names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

from engine import Seed

Table = tuple[int, ...]
"""Players by number, in ascending order."""

NO_SEED = Seed(bytes(32))
"""For arbitrary choices that must be the same every time."""


@dataclass(slots=True)
class PairingCounts:
    """How often each player has played and each two have met."""

    plays: list[int]
    pairs: list[list[int]]

    @classmethod
    def of(cls, players: int, tables: Iterable[Table] = ()) -> PairingCounts:
        """Count tables of this number of players, each played once."""
        counts = cls([0] * players, [[0] * players for _ in range(players)])
        for table in tables:
            counts.add(table)
        return counts

    def add(self, table: Sequence[int], times: int = 1) -> None:
        """Count a table that is played ``times`` times."""
        for x in table:
            self.plays[x] += times
        for x, y in combinations(table, 2):
            self.pairs[x][y] += times
            self.pairs[y][x] += times

    def only(self, players: Sequence[int], times: int = 1) -> PairingCounts:
        """Return ``times`` times the counts of these players, numbered from 0 in this order."""
        return PairingCounts(
            [times * self.plays[x] for x in players],
            [[times * self.pairs[x][y] for y in players] for x in players],
        )

    def times(self, factor: int) -> PairingCounts:
        """Return new counts, multiplied by a factor."""
        return self.only(range(len(self.plays)), factor)

    def plus(self, other: PairingCounts) -> PairingCounts:
        """Return the sum of both counts."""
        return PairingCounts(
            list(map(sum, zip(self.plays, other.plays, strict=True))),
            [
                list(map(sum, zip(row, others, strict=True)))
                for row, others in zip(self.pairs, other.pairs, strict=True)
            ],
        )

    def is_level(self) -> bool:
        """Return whether all players have played, and all pairs have met, equally often."""
        met = {times for x, row in enumerate(self.pairs) for times in row[:x]}
        return len(set(self.plays)) <= 1 and len(met) <= 1


@dataclass(frozen=True, slots=True)
class Pool:
    """The tables to choose from: those with ``seats`` players, at most one of each author."""

    seats: int
    authors: tuple[int, ...]
    """The author of each player, by number."""
    taken: frozenset[Table] = frozenset()
    """Tables that are not to be chosen."""

    @property
    def players(self) -> int:
        """How many players there are."""
        return len(self.authors)

    @property
    def is_open(self) -> bool:
        """Whether any players may share a table, and no table is taken."""
        return not self.taken and len(set(self.authors)) == self.players

    def __len__(self) -> int:
        return count_tables(self.seats, self.authors) - len(self.taken)

    def __iter__(self) -> Iterator[Table]:
        for table in combinations(range(self.players), self.seats):
            if table not in self.taken and len({self.authors[x] for x in table}) == self.seats:
                yield table


def count_tables(seats: int, authors: Sequence[int]) -> int:
    """Return how many tables there are with at most one player of each author."""
    ways = [1] + [0] * seats
    for author in sorted(set(authors)):
        for size in range(seats, 0, -1):
            ways[size] += authors.count(author) * ways[size - 1]
    return ways[seats]


class UnevenPairs:
    """The pairs that meet too often or too seldom.

    The right number of meetings is the level to which a choice of ``tables`` tables can raise the
    pairs that have met least before; ``low`` and ``high`` are the two whole numbers around it.
    """

    def __init__(self, pool: Pool, before: PairingCounts, now: PairingCounts, tables: int) -> None:
        self._before = before.pairs
        self._now = now.pairs
        authors = pool.authors
        meeting = [
            p for p in combinations(range(pool.players), 2) if authors[p[0]] != authors[p[1]]
        ]
        self.low, self.high = _levels(
            [self._before[x][y] for x, y in meeting], tables * comb(pool.seats, 2)
        )
        self.pairs: list[tuple[int, int]] = []
        self._places: dict[tuple[int, int], int] = {}
        for x, y in meeting:
            self.update(x, y)

    def update(self, x: int, y: int) -> None:
        """Update a pair after its number of meetings has changed."""
        pair = (x, y) if x < y else (y, x)
        times = self._now[x][y]
        even = self.low <= times <= self.high or times == self._before[x][y] > self.high
        if not even and pair not in self._places:
            self._places[pair] = len(self.pairs)
            self.pairs.append(pair)
        elif even and pair in self._places:
            place, last = self._places.pop(pair), self.pairs.pop()
            if last != pair:
                self.pairs[place] = last
                self._places[last] = place

    def spread(self) -> int:
        """Return the difference of the largest and the smallest number of meetings."""
        times = [self.low, self.high, *(self._now[x][y] for x, y in self.pairs)]
        return max(times) - min(times)

    def off(self) -> int:
        """Return the sum of the differences to the right number of meetings."""
        times = [self._now[x][y] for x, y in self.pairs]
        return sum(max(self.low - n, n - self.high) for n in times)


def _levels(before: Sequence[int], meetings: int) -> tuple[int, int]:
    """Return the level, rounded down and up, if the meetings go to the pairs that met least."""
    low = high = total = 0
    ordered = sorted(before)
    for number, times in enumerate(ordered, 1):
        total += times
        low, rest = divmod(total + meetings, number)
        high = low + bool(rest)
        if number < len(ordered) and high <= ordered[number]:
            break
    return low, high
