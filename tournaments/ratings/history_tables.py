"""The results of a whole history as arrays: equal matches once, tables of one size together.

A *slot* is a player in a kind of match: the same players in the same places, with the same margin.
A *row* is a kind of match in an order of its places; where players are level there are several.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain, combinations, groupby, pairwise, permutations, product
from math import factorial, prod
from operator import itemgetter
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from tournaments.model import Result, Version
from tournaments.ratings.likelihood import Floats, Indices, Pairs
from tournaments.ratings.rating_fold import PROBATION

MOST_ORDERS: Final = 120
"""In how many orders players who are level are compared; in more, they rotate by their seats."""


class _Kind(NamedTuple):
    """Matches with the same outcome."""

    runs: tuple[tuple[int, ...], ...]
    """The players by place; those who are level stand together."""
    margin: float
    hearing: frozenset[int]
    """The players that are rated by it."""


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """All rows of one size; arrays have a line for each place, or a number for each row."""

    slots: Indices
    level: npt.NDArray[np.bool_]
    margin: Floats
    share: Floats
    """One, divided by the number of orders."""
    matches: Floats
    """How many there are of the kind."""
    mutual: npt.NDArray[np.bool_]
    """Whether all players of the row are rated by it."""
    pairs: tuple[tuple[int, int, Indices], ...]
    """Two places, and the number of the pair of players there in each row."""
    size: int
    """How many slots there are in all."""

    def by_slot(self, values: Floats) -> Floats:
        """Return the mean over the orders of each kind, by slot."""
        return sums(self.slots.ravel(), (values * self.share).ravel(), self.size)


@dataclass(frozen=True, slots=True, eq=False)
class History:
    """The matches of a competition."""

    names: tuple[str, ...]
    """Of the players: the versions, in the order of their first matches."""
    before: Indices
    """The version before each; -1 for the first one of an entrant."""
    players: Indices
    """By slot."""
    matches: Floats
    """By slot: how many matches of the kind there are."""
    hears: Floats
    """By slot: 1 if the player is rated by the match, else 0."""
    alone: Floats
    """By slot: 1 if some other player at the table is not rated by the match, else 0."""
    rows: tuple[Rows, ...]
    pairs: Pairs
    """Of players that are rated by the same match."""
    played: tuple[Indices, Indices, Floats]
    """For slots in sets: the slot, the number of the set and how often it was played there."""

    def add_up(self, values: Floats) -> Floats:
        """Return the sum for each player over all its matches, of values by slot."""
        return sums(self.players, values * self.matches, len(self.names))

    def squared_by_set(self, values: Floats) -> tuple[Floats, Floats]:
        """Return for each player the sum over sets of squared sums, and the number of sets."""
        slots, sets, times = self.played
        heard = self.hears[slots] > 0
        slots, sets, times = slots[heard], sets[heard], times[heard]
        size = len(self.names)
        cells, cell = np.unique(sets * size + self.players[slots], return_inverse=True)
        pulls = sums(cell, values[slots] * times, len(cells))
        players = cells % size
        return sums(players, pulls**2, size), sums(players, np.ones(len(cells)), size)


def sums(groups: Indices, values: Floats, size: int) -> Floats:
    """Add up the values of each group, in their order."""
    return np.bincount(groups, values, size).astype(np.float64, copy=False)


def read_history(
    results: Sequence[Result], margins: Mapping[str, float]
) -> tuple[History, History]:
    """Return the matches among settled versions, and those that rate versions on probation.

    ``margins`` has the draw margin of each game.
    """
    reader = _Reader()
    for result in results:
        reader.add(result, margins[result.game])
    return reader.settled.history(reader), reader.trials.history(reader)


class _Reader:
    """Collects the players, and who is on probation."""

    def __init__(self) -> None:
        self.players: dict[str, int] = {}
        self.before: list[int] = []
        self.settled = _Kinds()
        self.trials = _Kinds()
        self._newest: dict[str, int] = {}
        self._matches: list[int] = []

    def add(self, result: Result, margin: float) -> None:
        """Add a match."""
        players = [self._player(name) for name in result.entrants]
        trying = {n for n in players if self.before[n] >= 0 and self._matches[n] < PROBATION}
        placed = sorted(zip(result.places, players, strict=True), key=itemgetter(0))
        settled = [seat for seat in placed if seat[1] not in trying] if trying else placed
        if len(settled) > 1:
            self.settled.add(settled, margin, frozenset(n for _, n in settled), result.set_id)
        if trying:
            self.trials.add(placed, margin, frozenset(trying), result.set_id)
        for n in players:
            self._matches[n] += 1

    def _player(self, name: str) -> int:
        if name not in self.players:
            entrant = Version.of(name).entrant
            self.before.append(self._newest.get(entrant, -1))
            self._newest[entrant] = self.players[name] = len(self.players)
            self._matches.append(0)
        return self.players[name]


class _Kinds:
    """Collects the kinds of matches."""

    def __init__(self) -> None:
        self._kinds: dict[_Kind, int] = {}
        self._sets: dict[str, int] = {}
        self._played: Counter[tuple[int, int]] = Counter()
        """How often each kind was played in each set."""

    def add(
        self,
        placed: Sequence[tuple[int, int]],
        margin: float,
        hearing: frozenset[int],
        set_id: str,
    ) -> None:
        """Add a match of players by place."""
        if len({place for place, _ in placed}) == len(placed):
            runs: list[tuple[int, ...]] = [(n,) for _, n in placed]
        else:
            runs = [tuple(n for _, n in run) for _, run in groupby(placed, key=itemgetter(0))]
            if _orders(runs) <= MOST_ORDERS:
                runs = [tuple(sorted(run)) for run in runs]
        kind = self._kinds.setdefault(_Kind(tuple(runs), margin, hearing), len(self._kinds))
        self._played[kind, self._sets.setdefault(set_id, len(self._sets))] += 1

    def history(self, reader: _Reader) -> History:
        """Return the arrays."""
        counts: Counter[int] = Counter()
        for (kind, _), times in self._played.items():
            counts[kind] += times
        tables = [tuple(chain.from_iterable(kind.runs)) for kind in self._kinds]
        starts = np.cumsum([0, *map(len, tables)])
        players = np.array([n for table in tables for n in table], dtype=np.intp)
        of_slot = [
            (counts[number], n in kind.hearing, len(kind.hearing) < len(table))
            for number, (kind, table) in enumerate(zip(self._kinds, tables, strict=True))
            for n in table
        ]
        matches, hears, alone = np.array(of_slot, dtype=np.float64).reshape(-1, 3).T
        pairs, numbers = self._pairs(tables, len(reader.players))
        return History(
            names=tuple(reader.players),
            before=np.array(reader.before),
            players=players,
            matches=matches,
            hears=hears,
            alone=alone,
            rows=tuple(self._rows(starts, players, matches, numbers)),
            pairs=pairs,
            played=self._slots_in_sets(starts),
        )

    def _pairs(
        self, tables: Sequence[Sequence[int]], players: int
    ) -> tuple[Pairs, dict[tuple[int, int], int]]:
        """Return the pairs that were rated by a match together, and the number of each."""
        found = {
            pair
            for kind, table in zip(self._kinds, tables, strict=True)
            if len(kind.hearing) == len(table)
            for pair in combinations(sorted(table), 2)
        }
        first, second = np.array(sorted(found), dtype=np.intp).reshape(-1, 2).T
        numbers = {pair: number for number, pair in enumerate(sorted(found))}
        return Pairs.of(players, first, second), numbers

    def _rows(
        self,
        starts: Indices,
        players: Indices,
        matches: Floats,
        numbers: Mapping[tuple[int, int], int],
    ) -> Iterator[Rows]:
        """Yield the rows of each size."""
        by_size: defaultdict[int, list[tuple[_Kind, tuple[int, ...], float]]] = defaultdict(list)
        for kind, start in zip(self._kinds, starts.tolist(), strict=False):
            orders = _all_orders(tuple(map(len, kind.runs)))
            for order in orders:
                row = tuple(start + place for place in order)
                by_size[len(order)].append((kind, row, 1 / len(orders)))
        for size, rows in sorted(by_size.items()):
            slots = np.array([row for _, row, _ in rows]).T
            yield Rows(
                slots=slots,
                level=np.array([_level(tuple(map(len, kind.runs))) for kind, *_ in rows])
                .reshape(-1, size - 1)
                .T,
                margin=np.array([kind.margin for kind, *_ in rows]),
                share=np.array([share for *_, share in rows]),
                matches=matches[slots[0]],
                mutual=np.array([len(kind.hearing) == size for kind, *_ in rows]),
                pairs=tuple(_numbered(players[slots], numbers)),
                size=len(players),
            )

    def _slots_in_sets(self, starts: Indices) -> tuple[Indices, Indices, Floats]:
        kinds, sets = np.array([*self._played], dtype=np.intp).reshape(-1, 2).T
        times = np.array([*self._played.values()], dtype=np.float64)
        sizes = np.diff(starts)[kinds]
        cell = np.repeat(np.arange(len(kinds)), sizes)
        within = np.arange(len(cell)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        return starts[kinds][cell] + within, sets[cell], times[cell]


def _numbered(
    players: Indices, numbers: Mapping[tuple[int, int], int]
) -> Iterator[tuple[int, int, Indices]]:
    """Yield each two places with the numbers of the pairs there; 0 for those that are no pair."""
    for one, other in combinations(range(len(players)), 2):
        low, high = np.sort(players[[one, other]], axis=0)
        seated = zip(low.tolist(), high.tolist(), strict=True)
        yield one, other, np.array([numbers.get(pair, 0) for pair in seated])


@lru_cache(1024)
def _level(sizes: tuple[int, ...]) -> tuple[bool, ...]:
    """Return for each two neighbours whether they share a place, from how many share each."""
    places = [place for place, size in enumerate(sizes) for _ in range(size)]
    return tuple(one == other for one, other in pairwise(places))


def _orders(runs: Iterable[Sequence[int]]) -> int:
    return prod(factorial(len(run)) for run in runs)


@lru_cache(1024)
def _all_orders(sizes: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Return the orders in which to compare runs of players who are level."""
    ends = np.cumsum(sizes).tolist()
    runs = [range(end - size, end) for size, end in zip(sizes, ends, strict=True)]
    if _orders(runs) <= MOST_ORDERS:
        return tuple(
            tuple(chain.from_iterable(order)) for order in product(*map(permutations, runs))
        )
    return tuple(
        tuple(run[(n + turn) % len(run)] for run in runs for n in range(len(run)))
        for turn in range(max(sizes))
    )
