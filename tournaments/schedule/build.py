"""Building a schedule: which tables, and how many sets of each."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import factorial

from engine import UsageError
from tournaments.schedule.balance import Balance, Group
from tournaments.schedule.request import Request, check_request
from tournaments.schedule.selection import choose
from tournaments.schedule.sets import DuplicateSet, ScheduledMatch, Seatings, round_the_table
from tournaments.schedule.tables import Pool, Table, Tally, count_tables

MOST_MATCHES = 5_000_000
"""A schedule with more is refused: nobody could play it."""

GAME_FIRST = 1 << 30
"""How much more it weighs that entrants are even within a game than over all games."""

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
        from tournaments.schedule.counting import measure  # noqa: PLC0415  numpy loads for long

        hall = _Hall(self.request)
        groups: dict[Group, list[list[tuple[str, ...]]]] = {group: [] for group in hall.groups}
        for played in self.sets:
            groups[Group(played.game, len(played.order), played.variant)].append(played.played())
        sizes = {group.seats for group in hall.groups}
        return measure(groups, hall.names, {size: hall.pairs(size) for size in sizes})


def count_matches(request: Request) -> int:
    """Return how many matches the full schedule has, without making it; the limit plays no part."""
    return _Hall(request).count_matches()


def schedule(request: Request, keep: Sequence[DuplicateSet] = ()) -> Schedule:
    """Return the full schedule, or a selection within the limit; ``keep`` is part of it.

    ``keep`` are the sets that a tournament has already: it can only grow.
    """
    hall = _Hall(request)
    kept = _kept(hall, keep)
    shares = _shares(hall, kept)
    tallies = _Tallies(hall)
    for group, places in kept.items():
        for _, table in places:
            tallies.add(group, table)
    sets = list(keep)
    # Where there is no choice comes first, and small tables last: they can even out the rest.
    for group in sorted(hall.groups, key=lambda g: (shares[g] < hall.count_sets(g), -g.seats, g)):
        sets += _fill(hall, group, shares[group], kept[group], tallies)
    by_id = {played.id: played for played in sets}
    if len(by_id) < len(sets):
        raise UsageError("two duplicate sets have the same id by chance: rename an entrant.")
    order = sorted(by_id, key=lambda set_id: (by_id[set_id].number, set_id))
    return Schedule(request, tuple(by_id[set_id] for set_id in order))


class _Hall:
    """A request that makes sense, and the people to seat as numbers, in the order of their names.

    The challenger of a gauntlet is not among them: a seat at every table is set aside.
    """

    def __init__(self, request: Request) -> None:
        check_request(request)
        self.request = request
        self.groups = sorted(
            Group(asked.game, size, variant)
            for asked in request.games
            for size in asked.table_sizes
            for variant in asked.variants
        )
        self.sets_per_table = {asked.game: asked.sets_per_table for asked in request.games}
        entries = sorted(request.entries, key=lambda entry: entry.name)
        self.always = tuple(entry.name for entry in entries if entry.name == request.challenger)
        people = [entry for entry in entries if entry.name != request.challenger]
        self.names = [entry.name for entry in people]
        self.number = {name: number for number, name in enumerate(self.names)}
        circles = [request.circle(entry) for entry in people]
        self.authors = tuple(circles.index(circle) for circle in circles)

    def free_seats(self, size: int) -> int:
        """Return how many seats of a table there are to fill."""
        return size - len(self.always)

    def pairs(self, size: int) -> list[tuple[str, str]]:
        """Return the pairs who may meet at a table of that size."""
        if self.free_seats(size) < 2:
            return []
        return [
            (self.names[x], self.names[y])
            for x, y in combinations(range(len(self.names)), 2)
            if self.authors[x] != self.authors[y]
        ]

    def matches_per_set(self, size: int) -> int:
        """Return how many seatings a set has."""
        return factorial(size) if self.request.seatings == Seatings.ALL else size

    def count_sets(self, group: Group) -> int:
        """Return how many sets of a group the full schedule has."""
        tables = count_tables(self.free_seats(group.seats), self.authors)
        return tables * self.sets_per_table[group.game]

    def count_matches(self) -> int:
        """Return how many matches the full schedule has."""
        return sum(self.count_sets(g) * self.matches_per_set(g.seats) for g in self.groups)

    def table(self, entrants: Sequence[str]) -> Table:
        """Return the numbers of those who sit at a table besides the challenger."""
        return tuple(sorted(self.number[name] for name in entrants if name not in self.always))

    def duplicate_set(self, group: Group, number: int, table: Table) -> DuplicateSet:
        """Return that set of that table."""
        entrants = [*self.always, *(self.names[x] for x in table)]
        order = round_the_table(group.game, group.variant, entrants, number)
        return DuplicateSet(group.game, group.variant, order, number, self.request.seatings)


class _Tallies:
    """How often everybody has played and met: in each game, and in all of them."""

    def __init__(self, hall: _Hall) -> None:
        self._hall = hall
        self._total = Tally(len(hall.names))
        self._games = {game: Tally(len(hall.names)) for game in hall.sets_per_table}

    def add(self, group: Group, table: Table) -> None:
        """Count a set."""
        matches = self._hall.matches_per_set(group.seats)
        self._total.add(table, matches)
        self._games[group.game].add(table, matches)

    def beside(self, game: str) -> Tally:
        """Return what the next tables of a game shall even out: that game, and then all games."""
        if len(self._games) == 1:
            return self._total
        return self._games[game].plus(self._total, GAME_FIRST)


def _kept(hall: _Hall, keep: Sequence[DuplicateSet]) -> dict[Group, set[Place]]:
    """Return where the sets to keep have their places; refuse one that has none any more."""
    kept: dict[Group, set[Place]] = {group: set() for group in hall.groups}
    for played in keep:
        missing = _missing(hall, played)
        if missing:
            raise UsageError(
                f"the set {played.id} ({', '.join(played.order)}) is part of the tournament"
                f" already, but {missing}: a tournament that has begun can only grow."
            )
        place = played.number, hall.table(played.order)
        places = kept[Group(played.game, len(played.order), played.variant)]
        if place in places:
            raise UsageError(f"the set {played.id} is given twice among those to keep.")
        places.add(place)
    return kept


def _missing(hall: _Hall, played: DuplicateSet) -> str | None:
    """Say what a set needs that the request does not have, or nothing."""
    request = hall.request
    size = len(played.order)
    strangers = [name for name in played.order if name not in {*hall.names, *hall.always}]
    if strangers:
        return f'there is no entrant "{strangers[0]}"'
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
    if not set(hall.always) <= set(played.order):
        return f'the challenger "{request.challenger}" does not sit at its table'
    if len({hall.authors[x] for x in hall.table(played.order)}) < hall.free_seats(size):
        return "separate_authors keeps its entrants apart"
    return None


def _shares(hall: _Hall, kept: Mapping[Group, Collection[Place]]) -> dict[Group, int]:
    """Return how many sets each group gets besides those to keep."""
    full, limit = hall.count_matches(), hall.request.max_matches
    total = full if limit is None else min(full, limit)
    if total > MOST_MATCHES:
        raise UsageError(
            f"the schedule would have {total:,} matches, more than {MOST_MATCHES:,}: give a smaller"
            " limit as max_matches, and a balanced selection is played."
        )
    smallest = min(group.seats for group in hall.groups)
    if total < hall.matches_per_set(smallest):
        raise UsageError(
            f"max_matches is {limit}, but one set at a table of {smallest} already has"
            f" {hall.matches_per_set(smallest)} matches: give a larger limit."
        )
    left = {group: hall.count_sets(group) - len(kept[group]) for group in hall.groups}
    if total == full:
        return left
    planned = {group: len(kept[group]) * hall.matches_per_set(group.seats) for group in kept}
    room = total - sum(planned.values())
    if room < 0:
        raise UsageError(
            f"max_matches is {limit}, but the tournament has {total - room} matches already:"
            " a tournament that has begun can only grow."
        )
    shares = _shared_out(hall, left, planned, room)
    for game in hall.sets_per_table:
        if not any(planned[group] or shares[group] for group in hall.groups if group.game == game):
            raise UsageError(
                f"max_matches is {limit}, which leaves no set for {game}: give a larger limit."
            )
    return shares


def _shared_out(
    hall: _Hall, left: Mapping[Group, int], planned: Mapping[Group, int], room: int
) -> dict[Group, int]:
    """Share the room out evenly by matches: between the games, and in a game between its groups.

    The game with the fewest matches gets the next set, and there the group with the fewest, as long
    as there is room for one. So a game does not get more because it has more sizes and variants.
    """
    shares = dict.fromkeys(left, 0)
    queues: dict[str, list[tuple[int, Group]]] = {game: [] for game in hall.sets_per_table}
    for group, matches in planned.items():
        heapq.heappush(queues[group.game], (matches, group))
    games = [(sum(matches for matches, _ in queue), game) for game, queue in queues.items()]
    heapq.heapify(games)
    while games:
        of_game, game = heapq.heappop(games)
        matches, group = heapq.heappop(queues[game])
        needed = hall.matches_per_set(group.seats)
        if needed <= room and shares[group] < left[group]:
            shares[group] += 1
            room -= needed
            of_game += needed
            heapq.heappush(queues[game], (matches + needed, group))
        if queues[game]:
            heapq.heappush(games, (of_game, game))
    return shares


def _fill(
    hall: _Hall, group: Group, count: int, kept: Collection[Place], tallies: _Tallies
) -> Iterator[DuplicateSet]:
    """Return so many more sets of a group: first sets of all tables, then second ones, and so on.

    The tallies are brought up to date.
    """
    before = Tally(len(hall.names))
    for _, table in kept:
        before.add(table)
    for number in range(1, hall.sets_per_table[group.game] + 1):
        if count == 0:
            return
        taken = frozenset(table for kept_number, table in kept if kept_number == number)
        pool = Pool(hall.free_seats(group.seats), hall.authors, taken)
        tables = (
            list(pool)
            if count >= len(pool)
            else choose(pool, count, before, tallies.beside(group.game))
        )
        count -= len(tables)
        for table in tables:
            before.add(table)
            tallies.add(group, table)
            yield hall.duplicate_set(group, number, table)
