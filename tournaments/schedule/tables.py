"""The tables that people can sit at, and a tally of who has played and met how often.

People are numbers from 0 here; who they are is the schedule's business.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

from engine import Seed

Table = tuple[int, ...]
"""People by number, in ascending order."""

NO_SEED = Seed(bytes(32))
"""For choices that look arbitrary and must be the same every time."""


class Tally:
    """How often each person has played and each two have met."""

    __slots__ = ("pairs", "plays")

    def __init__(self, people: int) -> None:
        self.plays = [0] * people
        self.pairs = [[0] * people for _ in range(people)]

    def add(self, table: Sequence[int], times: int = 1) -> None:
        """Count a table that is played that often."""
        for x in table:
            self.plays[x] += times
        for x, y in combinations(table, 2):
            self.pairs[x][y] += times
            self.pairs[y][x] += times

    def copy(self) -> Tally:
        """Return a tally of its own with the same numbers."""
        result = Tally(0)
        result.plays = self.plays[:]
        result.pairs = [row[:] for row in self.pairs]
        return result

    def plus(self, other: Tally, times: int) -> Tally:
        """Return these numbers so many times, and those of another tally added."""
        result = Tally(0)
        result.plays = [times * a + b for a, b in zip(self.plays, other.plays, strict=True)]
        result.pairs = [
            [times * a + b for a, b in zip(row, others, strict=True)]
            for row, others in zip(self.pairs, other.pairs, strict=True)
        ]
        return result

    def opposite(self) -> Tally:
        """Return a tally with every number negated."""
        result = Tally(0)
        result.plays = [-plays for plays in self.plays]
        result.pairs = [[-times for times in row] for row in self.pairs]
        return result

    def is_level(self) -> bool:
        """Tell whether everybody has played equally often, and every two have met equally often."""
        met = {times for x, row in enumerate(self.pairs) for times in row[:x]}
        return len(set(self.plays)) <= 1 and len(met) <= 1


@dataclass(frozen=True, slots=True)
class Pool:
    """The tables to choose from: so many seats, at most one person of each author."""

    seats: int
    authors: tuple[int, ...]
    """The author of each person, by number."""
    taken: frozenset[Table] = frozenset()
    """Tables that are not to be chosen."""

    @property
    def people(self) -> int:
        """How many people there are."""
        return len(self.authors)

    @property
    def is_open(self) -> bool:
        """Tell whether any people may sit at a table together, and no table is taken."""
        return not self.taken and len(set(self.authors)) == self.people

    def __len__(self) -> int:
        return count_tables(self.seats, self.authors) - len(self.taken)

    def __iter__(self) -> Iterator[Table]:
        tables = _tables(self.seats, self.authors, 0, ())
        return (table for table in tables if table not in self.taken)


def count_tables(seats: int, authors: Sequence[int]) -> int:
    """Return how many tables there are with at most one person of each author."""
    ways = [1] + [0] * seats
    for author in sorted(set(authors)):
        for size in range(seats, 0, -1):
            ways[size] += authors.count(author) * ways[size - 1]
    return ways[seats]


def _tables(seats: int, authors: Sequence[int], start: int, table: Table) -> Iterator[Table]:
    if len(table) == seats:
        yield table
        return
    present = {authors[x] for x in table}
    for x in range(start, len(authors) - (seats - len(table)) + 1):
        if authors[x] not in present:
            yield from _tables(seats, authors, x + 1, (*table, x))


class Uneven:
    """The pairs that meet too often or too seldom.

    The right number of meetings is the level to which a choice of so many tables can lift those
    who have met least before; ``low`` and ``high`` are the two whole numbers around it.
    """

    def __init__(self, pool: Pool, before: Tally, now: Tally, tables: int) -> None:
        self._before = before.pairs
        self._now = now.pairs
        authors = pool.authors
        meeting = [p for p in combinations(range(pool.people), 2) if authors[p[0]] != authors[p[1]]]
        self.low, self.high = _levels(
            [self._before[x][y] for x, y in meeting], tables * comb(pool.seats, 2)
        )
        self.pairs: list[tuple[int, int]] = []
        self._places: dict[tuple[int, int], int] = {}
        for x, y in meeting:
            self.look(x, y)

    def look(self, x: int, y: int) -> None:
        """Take in how often these two meet now."""
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
        """Return how far apart they are, counting the right numbers too."""
        times = [self.low, self.high, *(self._now[x][y] for x, y in self.pairs)]
        return max(times) - min(times)

    def off(self) -> int:
        """Return by how many meetings all of them together are off."""
        times = [self._now[x][y] for x, y in self.pairs]
        return sum(max(self.low - n, n - self.high) for n in times)


def _levels(before: Sequence[int], meetings: int) -> tuple[int, int]:
    """Return the level, rounded down and up, when so many meetings go to those who met least."""
    low = high = total = 0
    ordered = sorted(before)
    for number, times in enumerate(ordered, 1):
        total += times
        low, rest = divmod(total + meetings, number)
        high = low + bool(rest)
        if number < len(ordered) and high <= ordered[number]:
            break
    return low, high
