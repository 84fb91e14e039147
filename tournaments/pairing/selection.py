"""Choose tables so that players play and pairs of players meet as evenly as the search finds.

Where players are interchangeable, a choice is computed once for all such cases, beginning with no
table or with a block design; then the players are permuted so that the result is even together with
other tables. Equal arguments give equal tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import combinations
from math import comb

from engine import Chance
from tournaments.pairing.block_designs import design
from tournaments.pairing.local_search import MOST_CHANGES, TableSelection
from tournaments.pairing.tables import NO_SEED, PairingCounts, Pool, Table

MOST_PARTS = 100
"""With more players than this, only their numbers of tables are evened out with other tables."""


def choose(pool: Pool, count: int, before: PairingCounts, overall: PairingCounts) -> list[Table]:
    """Return ``count`` tables of the pool that are even together with ``before``.

    ``before`` is what they must be even together with; ``overall`` decides where that leaves a
    choice.
    """
    if 2 * count > len(pool):
        return _all_but(pool, len(pool) - count, before, overall)
    if pool.is_open and before.is_level():
        return _renamed(_even_tables(pool.players, pool.seats, count), overall)
    choice = TableSelection(pool, before)
    _complete(choice, count, overall.plays)
    return choice.tables()


def _complete(choice: TableSelection, count: int, overall: Sequence[int]) -> int:
    choice.fill(count, overall)
    choice.level(overall)
    unevenness = choice.improve()
    choice.link()
    return unevenness


def _all_but(pool: Pool, count: int, before: PairingCounts, overall: PairingCounts) -> list[Table]:
    """Choose which tables to leave out, which is the smaller choice."""
    if not count:
        return list(pool)
    chosen = PairingCounts.of(pool.players, pool)
    after, after_all = before.plus(chosen), overall.plus(chosen)
    left_out = set(choose(pool, count, after.times(-1), after_all.times(-1)))
    return [table for table in pool if table not in left_out]


@lru_cache(maxsize=64)
def _even_tables(players: int, seats: int, count: int) -> list[Table]:
    """Return ``count`` different tables, as even as the search finds."""
    found = []
    for start in _starts(players, seats, count):
        choice = TableSelection(Pool(seats, tuple(range(players))), PairingCounts.of(players))
        for table in start():
            choice.add(table)
        unevenness = _complete(choice, count, [0] * players)
        found.append((unevenness, choice.tables()))
        if unevenness == 0:
            break
    return min(found)[1]


def _starts(players: int, seats: int, count: int) -> Iterator[Callable[[], Iterable[Table]]]:
    """Return ways to begin: with nothing, and with a design that has about as many tables.

    A design for one player more, without the tables of the last, is a good beginning too.
    """
    yield list
    meetings = round(count * comb(seats, 2) / comb(players, 2)) if seats > 2 else 0
    if meetings:
        yield lambda: _thinned(design(players, seats, meetings) or (), players, count)
    if meetings == 1:
        yield lambda: _thinned(
            [table for table in design(players + 1, seats, 1) or () if table[-1] < players],
            players,
            count,
        )


def _thinned(tables: Sequence[Table], players: int, count: int) -> list[Table]:
    """Return ``count`` of the tables at which players play as equally often as possible."""
    kept, out = list(tables[:count]), list(tables[count:])
    plays, chance = PairingCounts.of(players, kept).plays, Chance(NO_SEED, "thin")
    for _ in range(MOST_CHANGES if out else 0):
        if max(plays) - min(plays) <= 1:
            break
        i, j = chance.below(len(kept)), chance.below(len(out))
        leaves, comes = set(kept[i]) - set(out[j]), set(out[j]) - set(kept[i])
        if sum(plays[x] for x in comes) + len(comes) <= sum(plays[x] for x in leaves):
            for x in leaves:
                plays[x] -= 1
            for x in comes:
                plays[x] += 1
            kept[i], out[j] = out[j], kept[i]
    return kept


def _renamed(tables: Sequence[Table], overall: PairingCounts) -> list[Table]:
    """Permute the players of these tables.

    A player with few tables elsewhere gets the number with many tables here; among equal numbers,
    pairs that meet elsewhere meet here as little as exchanges of two players can achieve.
    """
    players = len(overall.plays)
    parts = PairingCounts.of(players, tables)
    by_plays = sorted(range(players), key=lambda x: (overall.plays[x], x))
    by_parts = sorted(range(players), key=lambda p: (-parts.plays[p], p))
    player = [x for _, x in sorted(zip(by_parts, by_plays, strict=True))]
    if players <= MOST_PARTS and not overall.is_level():
        while _exchange(player, parts, overall):
            pass
    return sorted(tuple(sorted(player[part] for part in table)) for table in tables)


def _exchange(player: list[int], parts: PairingCounts, overall: PairingCounts) -> bool:
    """Exchange every two players where that helps; return whether any exchange did."""
    helped = False
    for p, q in combinations(range(len(player)), 2):
        x, y = player[p], player[q]
        if parts.plays[p] == parts.plays[q] or overall.plays[x] == overall.plays[y]:
            met = zip(parts.pairs[p], parts.pairs[q], player, strict=True)
            of_x, of_y = overall.pairs[x], overall.pairs[y]
            gain = sum((a - b) * (of_x[z] - of_y[z]) for a, b, z in met if z not in (x, y))
            if gain > 0:
                player[p], player[q] = y, x
                helped = True
    return helped
