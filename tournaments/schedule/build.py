"""Building a schedule: which tables, and how many sets of each."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import factorial

from engine import UsageError
from tournaments.schedule.balance import Balance, measure
from tournaments.schedule.request import Request, check_request
from tournaments.schedule.selection import choose
from tournaments.schedule.sets import DuplicateSet, ScheduledMatch, Seatings, round_the_table
from tournaments.schedule.tables import Pool, Table, Tally, count_tables

MOST_MATCHES = 5_000_000
"""A schedule with more is refused: nobody could play it."""

Group = tuple[int, str]
"""A table size and a variant."""
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
        hall = _Hall(self.request)
        groups: dict[Group, list[list[tuple[str, ...]]]] = {group: [] for group in hall.groups}
        for played in self.sets:
            groups[len(played.order), played.variant].append(played.played())
        return measure(groups, hall.names, {size: hall.pairs(size) for size, _ in hall.groups})


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
    overall = Tally(len(hall.names))
    for (size, _), tables in kept.items():
        for _, table in tables:
            overall.add(table, hall.matches_per_set(size))
    sets = list(keep)
    # Where there is no choice comes first, and small tables last: they can even out the rest.
    for group in sorted(hall.groups, key=lambda g: (shares[g] < hall.count_sets(g[0]), -g[0], g)):
        sets += _fill(hall, group, shares[group], kept[group], overall)
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
        self.groups = [
            (size, variant)
            for size in sorted(request.table_sizes)
            for variant in sorted(request.variants)
        ]
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

    def count_sets(self, size: int) -> int:
        """Return how many sets of each variant the full schedule has at tables of that size."""
        tables = count_tables(self.free_seats(size), self.authors)
        return tables * self.request.sets_per_table

    def count_matches(self) -> int:
        """Return how many matches the full schedule has."""
        return sum(self.count_sets(size) * self.matches_per_set(size) for size, _ in self.groups)

    def table(self, entrants: Sequence[str]) -> Table:
        """Return the numbers of those who sit at a table besides the challenger."""
        return tuple(sorted(self.number[name] for name in entrants if name not in self.always))

    def duplicate_set(self, group: Group, number: int, table: Table) -> DuplicateSet:
        """Return that set of that table."""
        game, variant = self.request.game, group[1]
        entrants = [*self.always, *(self.names[x] for x in table)]
        order = round_the_table(game, variant, entrants, number)
        return DuplicateSet(game, variant, order, number, self.request.seatings)


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
        places = kept[len(played.order), played.variant]
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
    if played.game != request.game:
        return f'its game is "{played.game}", not "{request.game}"'
    if played.variant not in request.variants:
        return f'there is no variant "{played.variant}"'
    if size not in request.table_sizes:
        return f"there are no tables of {size}"
    if played.seatings != request.seatings:
        return f'its seatings are "{played.seatings}", not "{request.seatings}"'
    if not 1 <= played.number <= request.sets_per_table:
        return f"it is set {played.number} of its table, and sets_per_table is smaller"
    if not set(hall.always) <= set(played.order):
        return f'the challenger "{request.challenger}" does not sit at its table'
    if len({hall.authors[x] for x in hall.table(played.order)}) < hall.free_seats(size):
        return "separate_authors keeps its entrants apart"
    return None


def _shares(hall: _Hall, kept: Mapping[Group, Collection[Place]]) -> dict[Group, int]:
    """Return how many sets each table size and variant gets besides those to keep."""
    full, limit = hall.count_matches(), hall.request.max_matches
    total = full if limit is None else min(full, limit)
    if total > MOST_MATCHES:
        raise UsageError(
            f"the schedule would have {total:,} matches, more than {MOST_MATCHES:,}: give a smaller"
            " limit as max_matches, and a balanced selection is played."
        )
    smallest = min(hall.groups)[0]
    if total < hall.matches_per_set(smallest):
        raise UsageError(
            f"max_matches is {limit}, but one set at a table of {smallest} already has"
            f" {hall.matches_per_set(smallest)} matches: give a larger limit."
        )
    if total == full:
        return {group: hall.count_sets(group[0]) - len(kept[group]) for group in hall.groups}
    planned = {group: len(kept[group]) * hall.matches_per_set(group[0]) for group in hall.groups}
    room = total - sum(planned.values())
    if room < 0:
        raise UsageError(
            f"max_matches is {limit}, but the tournament has {total - room} matches already:"
            " a tournament that has begun can only grow."
        )
    return _shared_out(hall, kept, planned, room)


def _shared_out(
    hall: _Hall, kept: Mapping[Group, Collection[Place]], planned: Mapping[Group, int], room: int
) -> dict[Group, int]:
    """Give the next set to the group with the fewest matches, as long as there is room for one."""
    left = {group: hall.count_sets(group[0]) - len(kept[group]) for group in hall.groups}
    shares = dict.fromkeys(hall.groups, 0)
    queue = [(matches, group) for group, matches in planned.items()]
    heapq.heapify(queue)
    while queue:
        matches, group = heapq.heappop(queue)
        needed = hall.matches_per_set(group[0])
        if needed <= room and shares[group] < left[group]:
            shares[group] += 1
            room -= needed
            heapq.heappush(queue, (matches + needed, group))
    return shares


def _fill(
    hall: _Hall, group: Group, count: int, kept: Collection[Place], overall: Tally
) -> Iterator[DuplicateSet]:
    """Return so many more sets of a group: first sets of all tables, then second ones, and so on.

    ``overall`` is brought up to date.
    """
    size = group[0]
    before = Tally(len(hall.names))
    for _, table in kept:
        before.add(table)
    for number in range(1, hall.request.sets_per_table + 1):
        taken = frozenset(table for kept_number, table in kept if kept_number == number)
        pool = Pool(hall.free_seats(size), hall.authors, taken)
        if count == 0:
            return
        tables = list(pool) if count >= len(pool) else choose(pool, count, before, overall)
        count -= len(tables)
        for table in tables:
            before.add(table)
            overall.add(table, hall.matches_per_set(size))
            yield hall.duplicate_set(group, number, table)
