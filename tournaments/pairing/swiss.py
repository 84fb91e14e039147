"""Swiss tournaments: in each round entrants with similar scores meet, as far as they have not met.

The round with the fewest meetings that were there before is chosen; among these the one whose
squared differences of scores within the tables have the smallest sum; among these, one by a hash of
the names. At tables of two this optimum is exact. At larger tables it is what no exchange of two
entrants improves.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from itertools import combinations
from math import lcm

from tournaments.model import DuplicateSet, Request, Result, TableKind, kinds_of, round_the_table
from tournaments.pairing.balance import Compared, Evenness, measure
from tournaments.ratings import half_points

SetResults = Mapping[str, Sequence[Result]]
"""The results of the sets whose every match has been played, by the id of the set."""

Table = tuple[str, ...]
_HASH_BITS = 48


@dataclass(frozen=True, slots=True)
class SwissRound:
    """A round: who sits where, and what came of it."""

    tables: tuple[Table, ...]
    byes: Table
    """Entrants without a table; each gets a full point."""
    sets: tuple[DuplicateSet, ...]
    points: Mapping[str, Fraction] | None
    """Of each entrant, from 0 to 1: the mean over its matches. None until all are played."""


@dataclass(frozen=True, slots=True)
class SwissPlace:
    """A line of the table of a Swiss tournament."""

    rank: int
    name: str
    score: Fraction
    opponents: Fraction
    """The mean score of its opponents, each as often as they met; it settles equal scores."""


def rounds_of(request: Request, results: SetResults) -> list[SwissRound]:
    """Return the rounds so far; only the last one may have matches left to play."""
    seeds = [entry.name for entry in request.entries]
    sets = _Sets(request)
    rounds: list[SwissRound] = []
    while len(rounds) < request.swiss_rounds and (not rounds or rounds[-1].points is not None):
        tables, byes = _next_round(seeds, request.games[0].table_sizes, rounds)
        planned = tuple(each for table in tables for each in sets.of(table))
        points = None
        if all(each.id in results for each in planned):
            points = _points([result for each in planned for result in results[each.id]])
            points |= dict.fromkeys(byes, Fraction(1))
        rounds.append(SwissRound(tables, byes, planned, points))
    return rounds


def swiss_places(request: Request, rounds: Sequence[SwissRound]) -> list[SwissPlace]:
    """Return the table after the rounds that are complete, the best entrant first."""
    score = _scores([entry.name for entry in request.entries], rounds)
    met: defaultdict[str, list[str]] = defaultdict(list)
    for each in rounds:
        for table in each.tables if each.points is not None else ():
            for name in table:
                met[name] += [other for other in table if other != name]
    strength = {
        name: sum((score[other] for other in met[name]), Fraction()) / max(1, len(met[name]))
        for name in score
    }
    keys = {name: (score[name], strength[name]) for name in score}
    order = sorted(keys, key=keys.__getitem__, reverse=True)  # stable: then by seed
    ranks = {name: 1 + sum(keys[other] > keys[name] for other in order) for name in order}
    return [SwissPlace(ranks[name], name, *keys[name]) for name in order]


def swiss_tables(entrants: int, sizes: Sequence[int]) -> list[int]:
    """Return the sizes of the tables of a round: the fewest byes, then the fewest tables.

    Among these the most even ones; the larger tables come first.
    """
    best: dict[int, list[int]] = {0: []}
    for seated in range(1, entrants + 1):
        ways = [[*best[seated - size], size] for size in sizes if seated - size in best]
        if ways:
            best[seated] = min(ways, key=lambda way: (len(way), sum(size * size for size in way)))
    return sorted(best[max(best)], reverse=True)


def evenness_of_rounds(request: Request) -> dict[TableKind, Evenness]:
    """Return for each kind of table how evenly its sets of one round treat those who sit there."""
    sets = _Sets(request)
    found: dict[TableKind, Evenness] = {}
    for size in set(swiss_tables(len(request.entries), request.games[0].table_sizes)):
        table = tuple(entry.name for entry in request.entries[:size])
        planned = list(sets.of(table))
        who = Compared(table, list(combinations(table, 2)))
        found |= measure(planned, dict.fromkeys((each.kind for each in planned), who)).groups
    return found


class _Sets:
    """The sets of each table: those of a later round are further ones."""

    def __init__(self, request: Request) -> None:
        self._request = request
        self._kinds = sorted(kinds_of(request.games))
        self._per_table = {asked.game: asked.sets_per_table for asked in request.games}
        self._rounds: Counter[Table] = Counter()

    def of(self, table: Table) -> Iterator[DuplicateSet]:
        """Return the sets of a table in its next round."""
        before, key = self._rounds[tuple(sorted(table))], tuple(sorted(table))
        self._rounds[key] += 1
        for kind in self._kinds:
            several = self._per_table[kind.game]
            numbers = range(before * several + 1, (before + 1) * several + 1)
            for number in numbers if kind.seats == len(table) else ():
                order = round_the_table(kind.game, kind.variant, table, number)
                yield DuplicateSet(kind.game, kind.variant, order, number, self._request.seatings)


def _points(results: Sequence[Result]) -> dict[str, Fraction]:
    """Return the mean points of each entrant."""
    found: defaultdict[str, list[Fraction]] = defaultdict(list)
    for result in results:
        for name, half in zip(result.entrants, half_points(result.places), strict=True):
            found[name].append(Fraction(half, 2 * result.seats - 2))
    return {name: sum(each, Fraction()) / len(each) for name, each in found.items()}


def _scores(seeds: Sequence[str], rounds: Sequence[SwissRound]) -> dict[str, Fraction]:
    """Return the scores after the rounds that are complete, by seed."""
    complete = [each.points for each in rounds if each.points is not None]
    return {name: sum((points[name] for points in complete), Fraction()) for name in seeds}


def _next_round(
    seeds: Sequence[str], sizes: Sequence[int], rounds: Sequence[SwissRound]
) -> tuple[tuple[Table, ...], Table]:
    """Return the tables of the next round, and who has none."""
    score = _scores(seeds, rounds)
    order = sorted(seeds, key=score.__getitem__, reverse=True)
    layout = swiss_tables(len(seeds), sizes)
    had = Counter(name for each in rounds for name in each.byes)
    last_first = sorted(order, key=lambda name: (had[name], -order.index(name)))
    byes = tuple(last_first[: len(seeds) - sum(layout)])
    seated = [name for name in order if name not in byes]
    if not rounds:
        return tuple(_spread(seated, layout)), byes
    cost = _costs(seated, score, rounds)
    if set(layout) == {2}:
        return tuple(_pairs(seated, cost)), byes
    return tuple(_groups(seated, layout, cost)), byes


def _spread(seeds: Sequence[str], layout: Sequence[int]) -> list[Table]:
    """Return the tables of the first round: the best seeds head them, the next ones follow.

    At tables of two the first of the upper half meets the first of the lower half.
    """
    tables: list[list[str]] = [[] for _ in layout]
    left = iter(seeds)
    for seat in range(max(layout)):
        for table, size in zip(tables, layout, strict=True):
            if seat < size:
                table.append(next(left))
    return [tuple(table) for table in tables]


Cost = Callable[[str, str], int]


def _costs(
    names: Sequence[str], score: Mapping[str, Fraction], rounds: Sequence[SwissRound]
) -> Cost:
    """Return the cost of putting two at one table: meetings, then squared difference, then hash."""
    met = Counter(
        frozenset(pair)
        for each in rounds
        for table in each.tables
        for pair in combinations(table, 2)
    )
    scale = lcm(*(score[name].denominator for name in names))
    whole = {name: int(score[name] * scale) for name in names}
    pairs = len(names) ** 2
    widest = (max(whole.values()) - min(whole.values())) ** 2
    of_square = pairs << _HASH_BITS
    of_meeting = of_square * (pairs * widest + 1)

    def cost(a: str, b: str) -> int:
        square = (whole[a] - whole[b]) ** 2
        return met[frozenset((a, b))] * of_meeting + square * of_square + _hashed(a, b)

    return cost


def _hashed(a: str, b: str) -> int:
    digest = sha256("\n".join(sorted((a, b))).encode()).digest()
    return int.from_bytes(digest) >> (256 - _HASH_BITS)


def _pairs(names: Sequence[str], cost: Cost) -> Iterator[Table]:
    """Return the pairs with the smallest total cost, the best entrants first."""
    import networkx as nx  # noqa: PLC0415  every command would wait for it

    graph = nx.Graph()
    graph.add_weighted_edges_from((a, b, cost(a, b)) for a, b in combinations(names, 2))
    place = {name: number for number, name in enumerate(names)}
    pairs = [sorted(pair, key=place.__getitem__) for pair in nx.min_weight_matching(graph)]
    return (tuple(pair) for pair in sorted(pairs, key=lambda pair: place[pair[0]]))


def _groups(names: Sequence[str], layout: Sequence[int], cost: Cost) -> Iterator[Table]:
    """Return tables of these sizes: cut from the ranking, then exchanged to lower the cost."""
    left = iter(names)
    tables = [[next(left) for _ in range(size)] for size in layout]

    def change(table: Sequence[str], leaves: str, comes: str) -> int:
        return sum(cost(comes, name) - cost(leaves, name) for name in table if name != leaves)

    improved = True
    while improved:
        improved = False
        for one, other in combinations(tables, 2):
            for i, j in ((i, j) for i in range(len(one)) for j in range(len(other))):
                if change(one, one[i], other[j]) + change(other, other[j], one[i]) < 0:
                    one[i], other[j] = other[j], one[i]
                    improved = True
    return map(tuple, tables)
