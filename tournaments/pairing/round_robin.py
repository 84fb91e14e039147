"""Building a schedule: which tables, and how many sets of each."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from engine import UsageError
from tournaments.model import (
    DuplicateSet,
    Request,
    ScheduledMatch,
    TableKind,
    check_request,
    kinds_of,
    matches_of_set,
    round_the_table,
)
from tournaments.pairing.balance import Balance, Compared, measure
from tournaments.pairing.selection import choose
from tournaments.pairing.tables import PairingCounts, Pool, Table, count_tables

MOST_MATCHES = 5_000_000
"""A schedule with more is refused."""

GAME_FIRST = 1 << 30
"""The weight of evenness within a game, relative to evenness over all games."""

Place = tuple[int, Table]
"""The number of a set, and its table."""


@dataclass(frozen=True, slots=True)
class Schedule:
    """The duplicate sets of a tournament, in the order in which they are to be played."""

    request: Request
    sets: tuple[DuplicateSet, ...]

    @property
    def matches(self) -> tuple[ScheduledMatch, ...]:
        """The matches of all sets, in order."""
        return tuple(match for played in self.sets for match in played.matches)

    @property
    def balance(self) -> Balance:
        """How even the schedule is, counted."""
        numbered = _NumberedRequest(self.request)
        return measure(self.sets, {kind: numbered.compared(kind) for kind in numbered.groups})


def count_matches(request: Request) -> int:
    """Return how many matches the full schedule has, without making it; the limit plays no part."""
    return _NumberedRequest(request).count_matches()


def schedule(request: Request, keep: Sequence[DuplicateSet] = ()) -> Schedule:
    """Return the full schedule, or a selection within the limit; ``keep`` is part of it.

    ``keep`` are the sets that a tournament has already: it can only grow.
    """
    numbered = _NumberedRequest(request)
    kept = _kept(numbered, keep)
    shares = _shares(numbered, kept)
    counts = _CountsByGame(numbered)
    for group, places in kept.items():
        for _, table in places:
            counts.add(group, table)
    sets = list(keep)
    # Where there is no choice comes first, and small tables last: they can even out the rest.
    for group in sorted(
        numbered.groups, key=lambda g: (shares[g] < numbered.count_sets(g), -g.seats, g)
    ):
        sets += _fill(numbered, group, shares[group], kept[group], counts)
    by_id = {played.id: played for played in sets}
    if len(by_id) < len(sets):
        raise UsageError("two duplicate sets have the same id by chance: rename an entrant.")
    order = sorted(by_id, key=lambda set_id: (by_id[set_id].number, set_id))
    return Schedule(request, tuple(by_id[set_id] for set_id in order))


class _NumberedRequest:
    """A valid request whose entrants are numbered in the order of their names.

    The challenger of a gauntlet has no number: it has a seat at every table.
    """

    def __init__(self, request: Request) -> None:
        check_request(request)
        self.request = request
        self.groups = sorted(kinds_of(request.games))
        self.sets_per_table = {asked.game: asked.sets_per_table for asked in request.games}
        entries = sorted(request.entries, key=lambda entry: entry.name)
        self.always = tuple(entry.name for entry in entries if entry.name == request.challenger)
        players = [entry for entry in entries if entry.name != request.challenger]
        self.names = [entry.name for entry in players]
        self.number = {name: number for number, name in enumerate(self.names)}
        circles = [request.circle(entry) for entry in players]
        self.authors = tuple(circles.index(circle) for circle in circles)
        self.players = {
            asked.game: [x for x, entry in enumerate(players) if entry.plays(asked.game)]
            for asked in request.games
        }
        """The numbers of the entrants that play each game."""

    def authors_of(self, game: str) -> tuple[int, ...]:
        """Return the authors of the entrants that play a game, numbered among themselves."""
        authors = [self.authors[x] for x in self.players[game]]
        return tuple(authors.index(author) for author in authors)

    def within(self, game: str, tables: Iterable[Table]) -> list[Table]:
        """Return the tables at which all play a game, by their numbers among its players."""
        number = {x: i for i, x in enumerate(self.players[game])}
        return [tuple(number[x] for x in table) for table in tables if number.keys() >= set(table)]

    def free_seats(self, size: int) -> int:
        """Return how many seats of a table are left for numbered entrants."""
        return size - len(self.always)

    def compared(self, group: TableKind) -> Compared:
        """Return the entrants of a group, and the pairs of them that may meet at a table."""
        players = self.players[group.game]
        pairs = combinations(players if self.free_seats(group.seats) > 1 else (), 2)
        return Compared(
            [self.names[x] for x in players],
            [
                (self.names[x], self.names[y])
                for x, y in pairs
                if self.authors[x] != self.authors[y]
            ],
        )

    def matches_per_set(self, size: int) -> int:
        """Return how many seatings a set has."""
        return matches_of_set(size, self.request.seatings)

    def count_sets(self, group: TableKind) -> int:
        """Return how many sets of a group the full schedule has."""
        tables = count_tables(self.free_seats(group.seats), self.authors_of(group.game))
        return tables * self.sets_per_table[group.game]

    def count_matches(self) -> int:
        """Return how many matches the full schedule has."""
        return sum(self.count_sets(g) * self.matches_per_set(g.seats) for g in self.groups)

    def table(self, entrants: Sequence[str]) -> Table:
        """Return the numbers of the entrants at a table, without the challenger."""
        return tuple(sorted(self.number[name] for name in entrants if name not in self.always))

    def duplicate_set(self, group: TableKind, number: int, table: Table) -> DuplicateSet:
        """Return that set of that table."""
        entrants = [*self.always, *(self.names[x] for x in table)]
        order = round_the_table(group.game, group.variant, entrants, number)
        return DuplicateSet(group.game, group.variant, order, number, self.request.seatings)


class _CountsByGame:
    """How often entrants have played and met: in each game, and in all of them."""

    def __init__(self, numbered: _NumberedRequest) -> None:
        self._numbered = numbered
        players = len(numbered.names)
        self._total = PairingCounts.of(players)
        self._games = {game: PairingCounts.of(players) for game in numbered.sets_per_table}

    def add(self, group: TableKind, table: Table) -> None:
        """Count a set."""
        matches = self._numbered.matches_per_set(group.seats)
        self._total.add(table, matches)
        self._games[group.game].add(table, matches)

    def beside(self, game: str) -> PairingCounts:
        """Return the counts to even out by the next tables: of that game, and then of all games."""
        if len(self._games) == 1:
            return self._total
        return self._games[game].times(GAME_FIRST).plus(self._total)


def _kept(numbered: _NumberedRequest, keep: Sequence[DuplicateSet]) -> dict[TableKind, set[Place]]:
    """Return the places of the sets to keep; refuse one that the request does not have."""
    kept: dict[TableKind, set[Place]] = {group: set() for group in numbered.groups}
    for played in keep:
        missing = _missing(numbered, played)
        if missing:
            raise UsageError(
                f"the set {played.id} ({', '.join(played.order)}) is part of the tournament"
                f" already, but {missing}: a tournament that has begun can only grow."
            )
        place = played.number, numbered.table(played.order)
        places = kept[played.kind]
        if place in places:
            raise UsageError(f"the set {played.id} is given twice among those to keep.")
        places.add(place)
    return kept


def _missing(numbered: _NumberedRequest, played: DuplicateSet) -> str | None:
    """Return what a set needs that the request does not have, or None."""
    request = numbered.request
    size = len(played.order)
    unknown = [name for name in played.order if name not in {*numbered.names, *numbered.always}]
    if unknown:
        return f'there is no entrant "{unknown[0]}"'
    asked = next((asked for asked in request.games if asked.game == played.game), None)
    if asked is None:
        return f'there is no game "{played.game}"'
    if played.variant not in asked.variants:
        return f'there is no variant "{played.variant}"'
    if size not in asked.table_sizes:
        return f"there are no tables of {size}"
    if played.seatings != request.seatings:
        return f'its seatings are "{played.seatings}", not "{request.seatings}"'
    if not 1 <= played.number <= asked.sets_per_table:
        return f"it is set {played.number} of its table, and sets_per_table is smaller"
    if not set(numbered.always) <= set(played.order):
        return f'the challenger "{request.challenger}" does not sit at its table'
    if len({numbered.authors[x] for x in numbered.table(played.order)}) < numbered.free_seats(size):
        return "separate_authors keeps its entrants apart"
    return None


def _shares(
    numbered: _NumberedRequest, kept: Mapping[TableKind, Collection[Place]]
) -> dict[TableKind, int]:
    """Return how many sets each group gets besides those to keep."""
    full, limit = numbered.count_matches(), numbered.request.max_matches
    total = full if limit is None else min(full, limit)
    if total > MOST_MATCHES:
        raise UsageError(
            f"the schedule would have {total:,} matches, more than {MOST_MATCHES:,}: give a smaller"
            " limit as max_matches, and a balanced selection is played."
        )
    smallest = min(group.seats for group in numbered.groups)
    if total < numbered.matches_per_set(smallest):
        raise UsageError(
            f"max_matches is {limit}, but one set at a table of {smallest} already has"
            f" {numbered.matches_per_set(smallest)} matches: give a larger limit."
        )
    left = {
        group: numbered.count_sets(group)
        - len(numbered.within(group.game, (t for _, t in kept[group])))
        for group in numbered.groups
    }
    if total == full:
        return left
    planned = {group: len(kept[group]) * numbered.matches_per_set(group.seats) for group in kept}
    room = total - sum(planned.values())
    if room < 0:
        raise UsageError(
            f"max_matches is {limit}, but the tournament has {total - room} matches already:"
            " a tournament that has begun can only grow."
        )
    shares = _shared_out(numbered, left, planned, room)
    for game in numbered.sets_per_table:
        if not any(
            planned[group] or shares[group] for group in numbered.groups if group.game == game
        ):
            raise UsageError(
                f"max_matches is {limit}, which leaves no set for {game}: give a larger limit."
            )
    return shares


def _shared_out(
    numbered: _NumberedRequest,
    left: Mapping[TableKind, int],
    planned: Mapping[TableKind, int],
    room: int,
) -> dict[TableKind, int]:
    """Share the room out evenly by matches: between the games, and in a game between its groups.

    The game with the fewest matches gets the next set, and there the group with the fewest, as long
    as there is room for one. So a game does not get more because it has more sizes and variants.
    """
    shares = dict.fromkeys(left, 0)
    queues: dict[str, list[tuple[int, TableKind]]] = {game: [] for game in numbered.sets_per_table}
    for group, matches in planned.items():
        heapq.heappush(queues[group.game], (matches, group))
    games = [(sum(matches for matches, _ in queue), game) for game, queue in queues.items()]
    heapq.heapify(games)
    while games:
        of_game, game = heapq.heappop(games)
        matches, group = heapq.heappop(queues[game])
        needed = numbered.matches_per_set(group.seats)
        if needed <= room and shares[group] < left[group]:
            shares[group] += 1
            room -= needed
            of_game += needed
            heapq.heappush(queues[game], (matches + needed, group))
        if queues[game]:
            heapq.heappush(games, (of_game, game))
    return shares


def _fill(
    numbered: _NumberedRequest,
    group: TableKind,
    count: int,
    kept: Collection[Place],
    counts: _CountsByGame,
) -> Iterator[DuplicateSet]:
    """Return ``count`` more sets of a group: first sets of all tables, then second ones, and so on.

    The counts are updated.
    """
    players = numbered.players[group.game]
    played = numbered.within(group.game, (table for _, table in kept))
    before = PairingCounts.of(len(players), played)
    for number in range(1, numbered.sets_per_table[group.game] + 1):
        if count == 0:
            return
        with_number = (table for kept_number, table in kept if kept_number == number)
        taken = frozenset(numbered.within(group.game, with_number))
        pool = Pool(numbered.free_seats(group.seats), numbered.authors_of(group.game), taken)
        tables = (
            list(pool)
            if count >= len(pool)
            else choose(pool, count, before, counts.beside(group.game).only(players))
        )
        count -= len(tables)
        for chosen in tables:
            before.add(chosen)
            table = tuple(players[x] for x in chosen)
            counts.add(group, table)
            yield numbered.duplicate_set(group, number, table)
