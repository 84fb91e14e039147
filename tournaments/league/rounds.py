"""Rounds: a round robin among those who are present when it begins, again and again.

``plan_round`` makes the sets of a round with the schedule of tournaments. Within a round everybody
plays equally often, as far as that schedule can; over the rounds, whoever has met often so far
meets less where there is a choice, the order round each table changes, and everybody gets each seat
in turn. The sets are scheduled at once; then ``look`` says, whenever something has changed, which
of them can begin, and whether the round is over, so that the next begins. ``dropped`` says which
matches are given up because somebody has been away for too long; so it does for a ladder.

Each server plays rounds of its own among the bots that have dialled it, since only those can meet;
their numbers are those of the league, and no two rounds have the same.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import combinations
from typing import Final

from tournaments.league.model import PlannedSet
from tournaments.league.situation import Account, GamePlayed, Kind, Present, Version
from tournaments.schedule import Entry, GameRequest, Request, count_matches, schedule
from tournaments.schedule.sets import DuplicateSet, round_the_table

MOST_MATCHES: Final = 1000
"""A round with more is a balanced selection of its tables."""
MOST_SECONDS_AWAY: Final = 300.0
"""Who has been away for longer is not waited for."""
ARRANGEMENTS: Final = 16
"""In so many ways those present take their parts in a selection; the most even one is played."""

Rename = Mapping[str, str]
"""Who takes whose part in a selection."""


# Before a round ---------------------------------------------------------------------------------


def plan_round(
    number: int,
    present: Sequence[Present],
    games: Sequence[GamePlayed],
    accounts: Mapping[str, Account],
    *,
    duplicate: bool = False,
    most_matches: int = MOST_MATCHES,
) -> tuple[PlannedSet, ...]:
    """Return the sets of a round, in the order in which they are to be played.

    It is empty if there are too few for any table. ``duplicate`` says that each set will be played
    in every rotation of its seats; otherwise it is one match. A selection has a few matches more
    than ``most_matches`` where each kind of table could not have a set otherwise.
    """
    seats_had: defaultdict[str, Counter[tuple[int, int]]] = defaultdict(Counter)
    for somebody in present:
        name = somebody.version.rated
        seats_had[name].update(accounts[name].seats if name in accounts else {})
    planned = []
    for crowd in _crowds(present, games):
        share = most_matches * len(crowd.games) // len(games)
        sets, whole = _selected(crowd, number, share, accounts, duplicate=duplicate)
        tables = Counter(_kind(each) for each in sets)
        for each in sets:
            kind = _kind(each)
            order = each.order if duplicate else _turned(each.order, seats_had)
            why = _why(number, kind, tables[kind], len(crowd.versions), whole=whole)
            table = tuple(Version.of(name) for name in order)
            planned.append(PlannedSet(kind.game, kind.variant, table, why, number))
    return tuple(planned)


@dataclass(frozen=True, slots=True)
class _Crowd:
    """Some games, and the versions that play all of them."""

    versions: tuple[Version, ...]
    games: tuple[GameRequest, ...]

    def request(self, most_matches: int | None) -> Request:
        """Ask for every table once; versions of one entrant never share one."""
        return Request(
            entries=tuple(Entry(version.rated, version.entrant) for version in self.versions),
            games=self.games,
            max_matches=most_matches,
            separate_authors=True,
        )

    def only_versions(self) -> list[str]:
        """Return those who are there in one version only: they could take each other's parts."""
        times = Counter(version.entrant for version in self.versions)
        return [version.rated for version in self.versions if times[version.entrant] == 1]


def _crowds(present: Iterable[Present], games: Iterable[GamePlayed]) -> list[_Crowd]:
    """Put games together that the same versions play, without tables that are too large."""
    there = sorted(present, key=lambda each: each.version)
    found: defaultdict[tuple[Version, ...], list[GameRequest]] = defaultdict(list)
    for each in games:
        versions = tuple(one.version for one in there if one.plays(each.game))
        entrants = len({version.entrant for version in versions})
        sizes = tuple(size for size in each.table_sizes if size <= entrants)
        if sizes:
            found[versions].append(GameRequest(each.game, sizes, each.variants))
    return [_Crowd(versions, tuple(of_them)) for versions, of_them in found.items()]


def _selected(
    crowd: _Crowd,
    number: int,
    most_matches: int,
    accounts: Mapping[str, Account],
    *,
    duplicate: bool,
) -> tuple[list[DuplicateSet], bool]:
    """Return the sets that a crowd plays in a round, and whether these are all that there are."""
    everything = crowd.request(None)
    sizes = [size for game in crowd.games for size in game.table_sizes for _ in game.variants]
    # The schedule counts every rotation as a match; where only one of them is played, there is
    # room for at least so many times more.
    limit = max(most_matches * (1 if duplicate else min(sizes)), sum(sizes))
    if count_matches(everything) <= limit:
        sets = schedule(everything).sets
        return [_of_round(each, number, each.order) for each in sets], True
    sets = schedule(crowd.request(limit)).sets
    part = min(
        _arrangements(crowd.only_versions(), number),
        key=lambda rename: _familiarity(sets, rename, accounts),
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
    """Return ways in which these take each other's parts: other ones in each round."""
    for attempt in range(ARRANGEMENTS):
        mixed = sorted(names, key=_hashed(f"{number}/{attempt}"))
        yield dict(zip(names, mixed, strict=True))


def _hashed(salt: str) -> Callable[[str], bytes]:
    return lambda name: sha256(f"{salt}/{name}".encode()).digest()


def _familiarity(
    sets: Iterable[DuplicateSet], rename: Rename, accounts: Mapping[str, Account]
) -> int:
    """Return how much those who would play have played already, and met each other."""
    unknown: Counter[str] = Counter()
    met = {name: account.met for name, account in accounts.items()}
    played = {name: account.kinds.total() for name, account in accounts.items()}
    total = 0
    for each in sets:
        names = [rename.get(name, name) for name in each.order]
        total += sum(played.get(name, 0) for name in names)
        total += sum(met.get(one, unknown)[other] for one, other in combinations(names, 2))
    return total


def _turned(
    order: Sequence[str], seats_had: Mapping[str, Counter[tuple[int, int]]]
) -> tuple[str, ...]:
    """Return the rotation that gives everybody the seats they have had least, and count it."""
    size = len(order)
    turns = [(*order[n:], *order[:n]) for n in range(size)]
    best = min(
        turns, key=lambda turn: sum(seats_had[name][size, n] ** 2 for n, name in enumerate(turn))
    )
    for seat, name in enumerate(best):
        seats_had[name][size, seat] += 1
    return best


def _kind(played: DuplicateSet) -> Kind:
    return Kind(played.game, len(played.order), played.variant)


def _why(number: int, kind: Kind, tables: int, present: int, *, whole: bool) -> str:
    what = "one of all" if whole else "one of a balanced selection of"
    return (
        f"Round {number}: {what} {tables} tables of {kind.game} ({kind.variant}) for {kind.seats}"
        f" among the {present} who were there when it began."
    )


# During a round ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Waiting:
    """A match that has not begun."""

    match: str
    table: tuple[Version, ...]
    ours: bool = True
    """Whether it is of a round of ours. That of another server is played if its bots are here, but
    not waited for."""


@dataclass(frozen=True, slots=True)
class Dropped:
    """A match that is given up, and why; nobody is punished for it."""

    match: str
    why: str


@dataclass(frozen=True, slots=True)
class Look:
    """What can be done now."""

    play: tuple[str, ...]
    """The matches that can begin, all at once."""
    is_over: bool
    """Whether nothing of the round is left: then the next one can be planned."""


def look(
    waiting: Sequence[Waiting], free: Mapping[Version, int], running: int, tables: int
) -> Look:
    """Say what can be done with the matches of a round that have not begun.

    ``free`` is how many more matches everybody can play who is present; ``running`` is how many
    matches of the round are in play, ``tables`` how many may begin now.
    """
    over = not running and not any(each.ours for each in waiting)
    return Look(playable(waiting, free, tables), over)


def dropped(
    waiting: Iterable[Waiting],
    seconds_away: Mapping[Version, float],
    most_seconds_away: float = MOST_SECONDS_AWAY,
) -> tuple[Dropped, ...]:
    """Return the matches that wait for somebody who has been away for too long."""
    found = []
    for each in waiting:
        away = [(seconds_away.get(version, 0.0), version) for version in each.table]
        seconds, version = max(away)
        if seconds > most_seconds_away:
            allowed = f"a match waits for {most_seconds_away:.0f} s"
            found.append(Dropped(each.match, f"{version} was away for {seconds:.0f} s; {allowed}."))
    return tuple(found)


def playable(
    waiting: Sequence[Waiting], free: Mapping[Version, int], tables: int
) -> tuple[str, ...]:
    """Return the matches that can begin now, at most so many, all of whose versions are free.

    Those come first whose versions have most left to play, so that the round does not end with one
    version that plays all the others in turn; after that, the order of the round decides.
    """
    to_play = Counter(version for each in waiting for version in each.table)
    places = Counter(dict(free))
    begun: list[str] = []
    by_need = sorted(waiting, key=lambda each: -max(to_play[version] for version in each.table))
    for each in by_need:
        if len(begun) >= tables:
            break
        if all(places[version] > 0 for version in each.table):
            places.subtract(each.table)
            begun.append(each.match)
    return tuple(begun)
