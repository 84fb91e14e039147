"""Rounds of a league: a round robin among the versions that are present when it begins.

``plan_round`` makes the sets of a round with the schedule of tournaments. Within a round every
version plays equally often, as far as that schedule can; over the rounds, entrants that have met
often meet less where there is a choice, the order round each table changes, and every version gets
each seat, and each other entrant before it, in turn. The sets are scheduled at once. After each
change, ``playable`` returns the matches that can begin, and ``is_over`` whether the next round can
be planned. ``dropped`` returns the matches to give up because a version has been away for too long;
the ladder uses it too.

Each server plays its own rounds among the bots that are connected to it, since only those can meet.
The numbers of the rounds are those of the league, and no two rounds have the same.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from itertools import combinations
from typing import Final

from tournaments.model import (
    DuplicateSet,
    Entrant,
    GamePlayed,
    GameRequest,
    PlannedSet,
    Request,
    ScheduledMatch,
    TableKind,
    Version,
    round_the_table,
)
from tournaments.pairing.league_stats import (
    LeagueStats,
    Present,
    SeatCounts,
    count_neighbours,
    fairest_order,
)
from tournaments.pairing.round_robin import count_matches, schedule

MOST_MATCHES: Final = 1000
"""A round with more is a balanced selection of its tables."""
MOST_SECONDS_AWAY: Final = 300.0
"""A match waits no longer for a version that is away."""
ARRANGEMENTS: Final = 16
"""How many permutations of the versions in a selection are tried; the most even one is played."""

Rename = Mapping[str, str]
"""Which version takes the place of which in a selection."""


# Before a round ---------------------------------------------------------------------------------


def plan_round(
    number: int,
    present: Sequence[Present],
    games: Sequence[GamePlayed],
    stats: LeagueStats,
    *,
    duplicate: bool = False,
    most_matches: int = MOST_MATCHES,
) -> tuple[PlannedSet, ...]:
    """Return the sets of a round, in the order in which they are to be played.

    It is empty if there are too few for any table. ``duplicate`` means that each set will be played
    in every rotation of its seats; otherwise it is one match. A selection has a few matches more
    than ``most_matches`` where each kind of table could not have a set otherwise. Tables with two
    who have met too often (``most_meetings``) are left out.
    """
    most_meetings = cache(stats.most_meetings)
    names = [each.version.rated for each in present]
    seats_had = {name: Counter(stats.player(name).seats) for name in names}
    neighbours = {name: Counter(counts) for name, counts in stats.neighbours.items()}
    planned = []
    for field in _fields(present, games):
        share = most_matches * len(field.games) // len(games)
        sets, whole = _selected(field, number, share, stats, duplicate=duplicate)
        sets = [played for played in sets if not _is_capped(played.order, stats, most_meetings)]
        tables = Counter(played.kind for played in sets)
        for played in sets:
            kind = played.kind
            table = _seated(played.order, seats_had, neighbours, rotate=not duplicate)
            why = _why(number, kind, tables[kind], len(field.present), whole=whole)
            planned.append(PlannedSet(kind.game, kind.variant, table, why, number))
    return tuple(planned)


@dataclass(frozen=True, slots=True)
class _Field:
    """Some games, and the versions that play all of them."""

    present: tuple[Present, ...]
    games: tuple[GameRequest, ...]

    def request(self, most_matches: int | None) -> Request:
        """Request every table once; versions of one entrant or author never share one."""
        return Request(
            entries=tuple(Entrant(each.version.rated, each.kept_apart) for each in self.present),
            games=self.games,
            max_matches=most_matches,
            separate_authors=True,
        )

    def interchangeable(self) -> list[str]:
        """Return the versions that are kept apart from no other: they can be permuted."""
        times = Counter(each.kept_apart for each in self.present)
        return [each.version.rated for each in self.present if times[each.kept_apart] == 1]


def _fields(present: Iterable[Present], games: Iterable[GamePlayed]) -> list[_Field]:
    """Group games that the same versions play, without tables that are too large."""
    there = sorted(present, key=lambda each: each.version)
    found: defaultdict[tuple[Present, ...], list[GameRequest]] = defaultdict(list)
    for each in games:
        players = tuple(one for one in there if one.plays(each.game))
        most = len({one.kept_apart for one in players})
        sizes = tuple(size for size in each.table_sizes if size <= most)
        if sizes:
            found[players].append(GameRequest(each.game, sizes, each.variants))
    return [_Field(players, tuple(of_them)) for players, of_them in found.items()]


def _selected(
    field: _Field,
    number: int,
    most_matches: int,
    stats: LeagueStats,
    *,
    duplicate: bool,
) -> tuple[list[DuplicateSet], bool]:
    """Return the sets of a field in a round, and whether these are all possible ones."""
    everything = field.request(None)
    sizes = [size for game in field.games for size in game.table_sizes for _ in game.variants]
    # The schedule counts every rotation as a match; where only one of them is played, the limit
    # is at least the smallest number of seats times as large.
    limit = max(most_matches * (1 if duplicate else min(sizes)), sum(sizes))
    if count_matches(everything) <= limit:
        sets = schedule(everything).sets
        return [_of_round(each, number, each.order) for each in sets], True
    sets = schedule(field.request(limit)).sets
    part = min(
        _arrangements(field.interchangeable(), number),
        key=lambda rename: _count_earlier(sets, rename, stats),
    )
    renamed = [
        _of_round(each, number, [part.get(name, name) for name in each.order]) for each in sets
    ]
    return renamed, False


def _of_round(played: DuplicateSet, number: int, entrants: Sequence[str]) -> DuplicateSet:
    """Return the set of a round at the same kind of table: the order of its seats changes."""
    order = round_the_table(played.game, played.variant, entrants, number)
    return DuplicateSet(played.game, played.variant, order, number)


def _arrangements(names: Sequence[str], number: int) -> Iterator[Rename]:
    """Return permutations of these names: other ones in each round."""
    for attempt in range(ARRANGEMENTS):
        mixed = sorted(names, key=_hashed(f"{number}/{attempt}"))
        yield dict(zip(names, mixed, strict=True))


def _hashed(salt: str) -> Callable[[str], bytes]:
    return lambda name: sha256(f"{salt}/{name}".encode()).digest()


def _count_earlier(sets: Iterable[DuplicateSet], rename: Rename, stats: LeagueStats) -> int:
    """Return the sum of earlier matches and meetings of those who would play these sets."""
    played = {name: player.kinds.total() for name, player in stats.players.items()}
    total = 0
    for each in sets:
        names = [rename.get(name, name) for name in each.order]
        total += sum(played.get(name, 0) for name in names)
        total += sum(stats.met(one)[other] for one, other in _pairs(names))
    return total


def _is_capped(
    names: Iterable[str], stats: LeagueStats, most_meetings: Callable[[str], float]
) -> bool:
    """Return whether two at a table have met too often."""
    return any(
        stats.met(one)[other] >= min(map(most_meetings, (one, other)))
        for one, other in _pairs(names)
    )


def _pairs(names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Return the entrants of each two versions at a table."""
    return combinations([Version.of(name).entrant for name in names], 2)


def _seated(
    names: Sequence[str],
    seats_had: Mapping[str, SeatCounts],
    neighbours: dict[str, Counter[str]],
    *,
    rotate: bool,
) -> tuple[Version, ...]:
    """Return the order of a table, or its reverse, in the fairest rotation, and count it.

    Without rotating the seats are not compared: each version has all of them in a duplicate set.
    """
    first, *others = map(Version.of, names)
    orders = [(first, *others), (first, *reversed(others))]
    if not rotate:
        best = fairest_order(orders, defaultdict(Counter), neighbours)
        count_neighbours(neighbours, best, len(best))
        return best
    turns = [(*each[n:], *each[:n]) for each in orders for n in range(len(each))]
    best = fairest_order(turns, seats_had, neighbours)
    count_neighbours(neighbours, best)
    for seat, version in enumerate(best):
        seats_had[version.rated][len(best), seat] += 1
    return best


def _why(number: int, kind: TableKind, tables: int, present: int, *, whole: bool) -> str:
    what = "one of all" if whole else "one of a balanced selection of"
    return (
        f"Round {number}: {what} {tables} tables of {kind.game} ({kind.variant}) for {kind.seats}"
        f" among the {present} who were there when it began."
    )


# During a round ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Dropped:
    """A match that is given up, and why; no entrant is punished for it."""

    match: str
    why: str
    away: tuple[Version, ...]
    """The versions that have been away for too long."""


def is_over(waiting: Iterable[ScheduledMatch], server: str, running: int) -> bool:
    """Return whether nothing of a server's round is left, so that the next one can be planned.

    A match of another server's round is played if its bots are connected here, but not waited for.
    ``running`` is how many matches of the round are running.
    """
    return not running and not any(match.server == server for match in waiting)


def dropped(
    waiting: Iterable[ScheduledMatch],
    seconds_away: Mapping[Version, float],
    most_seconds_away: float = MOST_SECONDS_AWAY,
) -> tuple[Dropped, ...]:
    """Return the matches that wait for a version that has been away for too long."""
    found = []
    for each in waiting:
        away = [(seconds_away.get(version, 0.0), version) for version in each.versions]
        seconds, version = max(away)
        if seconds > most_seconds_away:
            allowed = f"a match waits for {most_seconds_away:.0f} s"
            why = f"{version} was away for {seconds:.0f} s; {allowed}."
            too_long = tuple(who for its, who in away if its > most_seconds_away)
            found.append(Dropped(each.id, why, too_long))
    return tuple(found)


def playable(
    waiting: Sequence[ScheduledMatch], free: Mapping[Version, int], tables: int
) -> tuple[str, ...]:
    """Return the matches that can begin now, at most ``tables``, all of whose versions are free.

    Those come first whose versions have most left to play, so that the round does not end with one
    version that plays all the others in turn; after that, the order of the round decides.
    """
    to_play = Counter(version for each in waiting for version in each.versions)
    places = Counter(dict(free))
    begun: list[str] = []
    by_need = sorted(waiting, key=lambda each: -max(to_play[version] for version in each.versions))
    for each in by_need:
        if len(begun) >= tables:
            break
        if all(places[version] > 0 for version in each.versions):
            places.subtract(each.versions)
            begun.append(each.id)
    return tuple(begun)
