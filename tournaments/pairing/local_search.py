"""Local search for an even choice of tables.

The choice is filled greedily, each time with the table of those who have played and met least. Then
players with too many tables give seats to players with too few. Then players at two tables change
places, where pairs meet too often or too seldom; that does not change anyone's number of tables.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from engine import Chance
from tournaments.pairing.tables import NO_SEED, PairingCounts, Pool, Table, UnevenPairs

MOST_CHANGES = 60_000
"""How many changes of places are tried; fewer for a few tables."""
CHANGES_PER_TABLE = 500
PATIENCE = 200
"""One of this number of changes is made although it is worse, by the least amount possible."""
MOST_LINKS = 400
"""How many changes of places are tried to connect components of players who never meet."""


class _Change(NamedTuple):
    """Two players at two tables who may change places."""

    table: int
    player: int
    other_table: int
    other: int

    def back(self) -> _Change:
        return _Change(self.table, self.other, self.other_table, self.player)


class TableSelection:
    """Different tables of a pool, to be played after what was played before."""

    def __init__(self, pool: Pool, before: PairingCounts) -> None:
        self._pool = pool
        self._before = before
        self._counts = before.times(1)
        self._tables: list[list[int]] = []
        self._masks: list[int] = []
        self._used = {_mask(table) for table in pool.taken}
        self._tables_of: list[list[int]] = [[] for _ in range(pool.players)]
        self._barred = [
            _mask([y for y, author in enumerate(pool.authors) if author == own])
            for own in pool.authors
        ]

    def tables(self) -> list[Table]:
        """Return the tables that are chosen now."""
        return sorted(tuple(sorted(table)) for table in self._tables)

    def add(self, table: Table) -> None:
        """Choose a table."""
        self._counts.add(table)
        for x in table:
            self._tables_of[x].append(len(self._tables))
        self._tables.append(list(table))
        self._masks.append(_mask(table))
        self._used.add(_mask(table))

    def fill(self, count: int, overall: Sequence[int]) -> None:
        """Add tables of those who have played and met least, until there are that many.

        ``overall`` is how often each player plays elsewhere; it decides between equals.
        """
        order = sorted(range(self._pool.players), key=lambda x: (overall[x], x))
        rank = [order.index(x) for x in range(len(order))]
        while len(self._tables) < count:
            self.add(self._least(order, rank))

    def _least(self, order: Sequence[int], rank: Sequence[int]) -> Table:
        plays = self._counts.plays
        for first in sorted(order, key=lambda x: (plays[x], rank[x])):
            found = self._extended(
                (first,), self._barred[first], self._counts.pairs[first], order, rank
            )
            if found:
                return found
        raise ValueError("the pool has fewer tables than were asked for")

    def _extended(
        self,
        table: Table,
        barred: int,
        met: Sequence[int],
        order: Sequence[int],
        rank: Sequence[int],
    ) -> Table | None:
        if len(table) == self._pool.seats:
            return None if _mask(table) in self._used else table
        plays, players = self._counts.plays, len(order)
        # One number for each player: by meetings, then by plays, then by rank.
        keys = sorted(
            [
                ((met[x] << 40) + plays[x]) * players + rank[x]
                for x in range(players)
                if not barred >> x & 1
            ]
        )
        for key in keys:
            x = order[key % players]
            now_met = [a + b for a, b in zip(met, self._counts.pairs[x], strict=True)]
            found = self._extended((*table, x), barred | self._barred[x], now_met, order, rank)
            if found:
                return found
        return None

    def level(self, overall: Sequence[int]) -> None:
        """Replace players with too many tables by others, as long as that is more even."""
        while self._give_way(overall):
            pass

    def _give_way(self, overall: Sequence[int]) -> bool:
        plays = self._counts.plays
        order = sorted(range(len(plays)), key=lambda x: (plays[x], overall[x], x))
        for x in reversed(order):
            for y in order:
                gap = plays[x] - plays[y]
                if gap < 1 or (gap == 1 and overall[x] <= overall[y]):
                    break
                place = self._cheapest_place(x, y)
                if place is not None:
                    self._replace(place, x, y)
                    return True
        return False

    def _cheapest_place(self, x: int, y: int) -> int | None:
        """Return the table where it is best for the pairs that y takes the place of x, if any."""
        costs = []
        of_x, of_y = self._counts.pairs[x], self._counts.pairs[y]
        for i in self._tables_of[x]:
            if self._admits(i, x, y):
                cost = sum(of_y[z] - of_x[z] for z in self._tables[i] if z != x)
                costs.append((cost, i))
        return min(costs)[1] if costs else None

    def _admits(self, i: int, x: int, y: int) -> bool:
        """Return whether y may take the place of x at that table."""
        rest = self._masks[i] ^ 1 << x
        return not rest & self._barred[y] and rest | 1 << y not in self._used

    def _replace(self, i: int, x: int, y: int) -> None:
        self._used.remove(self._masks[i])
        self._masks[i] ^= 1 << x ^ 1 << y
        self._used.add(self._masks[i])
        table = self._tables[i]
        self._counts.add(table, -1)
        table[table.index(x)] = y
        self._counts.add(table)
        self._tables_of[x].remove(i)
        self._tables_of[y].append(i)

    def improve(self) -> int:
        """Change places until all pairs meet equally often, or for a bounded number of attempts.

        Return by how many meetings the pairs are still off.
        """
        chance = Chance(NO_SEED, "improve")
        uneven = UnevenPairs(self._pool, self._before, self._counts, len(self._tables))
        since_best: list[_Change] = []
        worse, spread = 0, uneven.spread()
        for _ in range(min(MOST_CHANGES, CHANGES_PER_TABLE * (len(self._tables) + 4))):
            if not uneven.pairs:
                return 0
            change = self._proposal(uneven, chance)
            if change is None:
                continue
            cost = self._cost(change)
            if cost > 0 and (cost > 2 or chance.below(PATIENCE**cost)):
                continue
            if not self._allows(change):
                continue
            self._make(change)
            self._update(change, uneven)
            since_best.append(change)
            worse += cost
            if worse < 0 or (worse == 0 and spread > 2 and uneven.spread() < spread):
                worse, spread = 0, uneven.spread()
                since_best.clear()
        for change in reversed(since_best):
            self._make(change.back())
            self._update(change, uneven)
        return uneven.off()

    def _proposal(self, uneven: UnevenPairs, chance: Chance) -> _Change | None:
        """Propose to separate a pair that meets too often, or to join one that meets too seldom."""
        x, z = uneven.pairs[chance.below(len(uneven.pairs))]
        if chance.below(2):
            x, z = z, x
        if self._counts.pairs[x][z] > uneven.high:
            i, y = self._table_of_both(x, z, chance), chance.below(self._pool.players)
        else:
            if not self._tables_of[x] or not self._tables_of[z]:
                return None
            i = _pick(self._tables_of[z], chance)
            x, y = _pick(self._tables[i], chance), x
            if x == z:
                return None
        if self._masks[i] >> y & 1 or not self._tables_of[y]:
            return None
        j = _pick(self._tables_of[y], chance)
        return None if self._masks[j] >> x & 1 else _Change(i, x, j, y)

    def _table_of_both(self, x: int, z: int, chance: Chance) -> int:
        tables = self._tables_of[x]
        start = chance.below(len(tables))
        while not self._masks[tables[start]] >> z & 1:
            start -= 1
        return tables[start]

    def _cost(self, change: _Change) -> int:
        """Return by how much the sum of the squares of all meetings would grow, halved."""
        i, x, j, y = change
        table, other_table = self._tables[i], self._tables[j]
        of_x, of_y = self._counts.pairs[x], self._counts.pairs[y]
        cost = 0
        for z in table:
            if z != x and z not in other_table:
                cost += 1 + of_y[z] - of_x[z]
        for z in other_table:
            if z != y and z not in table:
                cost += 1 + of_x[z] - of_y[z]
        return cost

    def _allows(self, change: _Change) -> bool:
        i, x, j, y = change
        return self._admits(i, x, y) and self._admits(j, y, x)

    def _make(self, change: _Change) -> None:
        i, x, j, y = change
        self._replace(i, x, y)
        self._replace(j, y, x)

    def _update(self, change: _Change, uneven: UnevenPairs) -> None:
        i, x, j, y = change
        for z in {*self._tables[i], *self._tables[j]} - {x, y}:
            uneven.update(x, z)
            uneven.update(y, z)

    def link(self) -> None:
        """Change places until the graph of meetings is connected, where that is possible.

        Nothing gets worse by it: those who come together had never met.
        """
        chance = Chance(NO_SEED, "link")
        components = self._components()
        for _ in range(MOST_LINKS):
            if len(components) < 2:
                return
            first = components[0]
            second = components[1 + chance.below(len(components) - 1)]
            i, j = self._table_in(first, chance), self._table_in(second, chance)
            change = _Change(i, _pick(self._tables[i], chance), j, _pick(self._tables[j], chance))
            if self._allows(change):
                self._make(change)
                now = self._components()
                if len(now) < len(components):
                    components = now
                else:
                    self._make(change.back())

    def _table_in(self, component: int, chance: Chance) -> int:
        return _pick([i for i, mask in enumerate(self._masks) if mask & component], chance)

    def _components(self) -> list[int]:
        """Return a mask of the players of each component, the largest first."""
        met = [_mask([y for y, times in enumerate(row) if times]) for row in self._before.pairs]
        components: list[int] = []
        for group in self._masks + [mask | 1 << x for x, mask in enumerate(met) if mask]:
            together = group
            for component in components:
                if component & group:
                    together |= component
            components = [each for each in components if not each & group] + [together]
        playing = [each for each in components if any(mask & each for mask in self._masks)]
        return sorted(playing, key=lambda component: (-component.bit_count(), component))


def _mask(players: Sequence[int]) -> int:
    return sum(1 << x for x in players)


def _pick(items: Sequence[int], chance: Chance) -> int:
    return items[chance.below(len(items))]
