"""Block designs: tables at which every two players meet equally often.

They are found by symmetry. The players are the elements of a small group, and if need be one more,
who is never moved; shifting a table by every element makes an orbit of tables, in which two players
meet as often as every two others at the same difference. So a design is a handful of orbits
that cover every difference equally often, and a short search finds them: projective and affine
planes, Steiner systems, and most of the other designs for up to 40 players. Where the search finds
none, smaller designs are put on top of each other.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import combinations, product
from math import comb
from typing import NamedTuple

from engine import shuffled
from tournaments.pairing.tables import NO_SEED, Table

MOST_BASES = 20_000
"""Larger groups have too many orbits to search."""
MOST_TABLES = 5_000
"""Larger designs are only put together from smaller ones."""
MOST_LAYERS = 300
"""How many permutations of a layer are tried until it fits."""
ATTEMPTS = 40
TRIES = (3_000, 3_000, 3_000, 3_000, 30_000)
"""How many orbits an attempt may try to fit in: mostly few, since a lucky order needs few."""
FIXED = 0
"""Stands for the difference to the one who is never moved; two others never have it."""


@lru_cache(maxsize=64)
def design(players: int, seats: int, meetings: int) -> tuple[Table, ...] | None:
    """Return different tables at which every two meet that often, or None if none were found.

    Tables of small orbits come last: the first ones alone are even too, mostly.
    """
    if not possible(players, seats, meetings):
        return None
    return _found(players, seats, meetings) or _stacked(players, seats, meetings)


def possible(players: int, seats: int, meetings: int) -> bool:
    """Return whether the numbers allow a design.

    The tables must be a whole number, and those of each player too; and they must be different.
    """
    tables, rest = divmod(meetings * comb(players, 2), comb(seats, 2))
    return rest == 0 == meetings * (players - 1) % (seats - 1) and tables <= comb(players, seats)


@lru_cache(maxsize=64)
def _found(players: int, seats: int, meetings: int) -> tuple[Table, ...] | None:
    if not possible(players, seats, meetings) or _tables(players, seats, meetings) > MOST_TABLES:
        return None
    families = [_orbits(players, seats, group) for group in _groups(players, seats)]
    for attempt in range(ATTEMPTS):
        for orbits in families:
            order = shuffled(orbits, NO_SEED, f"design {attempt}")
            search = _Search(order, meetings, TRIES[attempt % len(TRIES)])
            if search.succeeds():
                whole = sorted((orbit.tables() for orbit in search.found), key=len, reverse=True)
                return tuple(table for tables in whole for table in tables)
    return None


def _stacked(players: int, seats: int, meetings: int) -> tuple[Table, ...] | None:
    """Put the smallest design on top of itself, its players renamed so that no table repeats."""
    smaller = (n for n in range(1, meetings // 2 + 1) if meetings % n == 0)
    layer = next(filter(None, (_found(players, seats, n) for n in smaller)), ())
    tables = set(layer)
    wanted = _tables(players, seats, meetings)
    for attempt in range(MOST_LAYERS if layer else 0):
        names = shuffled(range(players), NO_SEED, f"layer {attempt}")
        above = {_shifted(table, names) for table in layer}
        if tables.isdisjoint(above):
            tables |= above
        if len(tables) == wanted:
            return tuple(sorted(tables))
    return None


def _tables(players: int, seats: int, meetings: int) -> int:
    return meetings * comb(players, 2) // comb(seats, 2)


class _Group:
    """A product of cyclic groups, its elements numbered from 0, which is the neutral one."""

    def __init__(self, moduli: tuple[int, ...]) -> None:
        elements = list(product(*map(range, moduli)))
        numbers = {element: number for number, element in enumerate(elements)}
        self.plus = [
            [
                numbers[tuple((a + b) % m for a, b, m in zip(x, y, moduli, strict=True))]
                for y in elements
            ]
            for x in elements
        ]
        self.minus = [row.index(0) for row in self.plus]
        self.size = len(elements)


class _Orbit(NamedTuple):
    """The tables that come from one by shifting."""

    group: _Group
    base: Table
    fixed: Table
    """The one who is never moved, if at these tables."""
    meetings: Mapping[int, int]
    """How often two players of that difference meet at these tables."""

    def tables(self) -> list[Table]:
        """Return every table of the orbit."""
        return sorted({_shifted(self.base, row) + self.fixed for row in self.group.plus})


def _groups(players: int, seats: int) -> Iterator[tuple[int, ...]]:
    for size in (players, players - 1):
        if size > 2 and comb(size - 1, seats - 1) <= MOST_BASES:
            yield (size,)
            for prime, power in product((2, 3, 5, 7), range(2, 6)):
                if prime**power == size:
                    yield (prime,) * power


@lru_cache(maxsize=4)
def _orbits(players: int, seats: int, moduli: tuple[int, ...]) -> list[_Orbit]:
    group = _Group(moduli)
    found = []
    for fixed in [(), (group.size,)][: players - group.size + 1]:
        for rest in combinations(range(1, group.size), seats - len(fixed) - 1):
            base = (0, *rest)
            shifts = [_shifted(base, group.plus[group.minus[x]]) for x in base]
            if min(shifts) == base:
                tables = group.size // shifts.count(base)
                found.append(_Orbit(group, base, fixed, _meetings(group, base, fixed, tables)))
    return found


def _shifted(base: Table, row: Sequence[int]) -> Table:
    return tuple(sorted([row[x] for x in base]))


def _meetings(group: _Group, base: Table, fixed: Table, tables: int) -> dict[int, int]:
    at_base: Counter[int] = Counter()
    for x, y in combinations(base, 2):
        difference = group.plus[group.minus[x]][y]
        at_base[min(difference, group.minus[difference])] += 1
    pairs = {d: group.size // 2 if group.minus[d] == d else group.size for d in at_base}
    if fixed:
        at_base[FIXED], pairs[FIXED] = len(base), group.size
    return {d: times * tables // pairs[d] for d, times in at_base.items()}


class _Search:
    """A search for orbits that together cover every difference equally often."""

    def __init__(self, orbits: Sequence[_Orbit], meetings: int, tries: int) -> None:
        self._meetings = meetings
        self._covered = dict.fromkeys(sorted({d for orbit in orbits for d in orbit.meetings}), 0)
        self._covering: dict[int, list[_Orbit]] = {d: [] for d in self._covered}
        for orbit in orbits:
            for difference in orbit.meetings:
                self._covering[difference].append(orbit)
        self._tries = tries
        self.found: list[_Orbit] = []

    def succeeds(self) -> bool:
        """Extend what was found until it is a design; return whether that was possible."""
        rarest = min(self._covered, key=self._covered.__getitem__)
        if self._covered[rarest] == self._meetings:
            return True
        for orbit in self._covering[rarest]:
            self._tries -= 1
            if self._tries < 0:
                return False
            if self._fits(orbit):
                self._count(orbit, 1)
                self.found.append(orbit)
                if self.succeeds():
                    return True
                self._count(self.found.pop(), -1)
        return False

    def _fits(self, orbit: _Orbit) -> bool:
        for difference, times in orbit.meetings.items():
            if self._covered[difference] + times > self._meetings:
                return False
        return orbit not in self.found

    def _count(self, orbit: _Orbit, sign: int) -> None:
        for difference, times in orbit.meetings.items():
            self._covered[difference] += sign * times
