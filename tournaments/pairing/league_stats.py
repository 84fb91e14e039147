"""What a league's pairing is made from: the connected versions, and statistics of all versions.

``LeagueStats`` is updated match by match in constant time. Nothing here reads a clock, a socket or
a database.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Final

from tournaments.model import Result, TableKind, Version
from tournaments.ratings import RatingFold

MOST_USED: Final = 3
"""How many times as often as the mean two entrants may meet."""
MOST_ALONE: Final = 4
"""Two entrants may meet this many times more, even if no other entrant is there."""

SeatCounts = Counter[tuple[int, int]]
"""How often a version has had each seat, by the size of the table and the seat."""
Neighbours = Mapping[str, Counter[str]]
"""How often an entrant has sat directly after each other one, at tables of three and more."""

_NONE: Final = Counter[str]()
_NO_NEIGHBOURS: Final[Neighbours] = {}


@dataclass(frozen=True, slots=True)
class Present:
    """A version that is connected now."""

    version: Version
    free: int = 1
    """How many more matches it can play now; 0 for one that is busy."""
    games: frozenset[str] | None = None
    """The games that its ``join`` named; None for all of them."""
    circle: str = ""
    """What it has in common with those with whom it never shares a table: ``circles_of``; empty if
    it is kept apart from no other entrant."""

    def plays(self, game: str) -> bool:
        """Return whether it plays a game."""
        return self.games is None or game in self.games

    @property
    def kept_apart(self) -> str:
        """What no two at a table have in common: the circle, or else the entrant."""
        return self.circle or self.version.entrant


def circles_of(marks: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Return the circle of each entrant: those that a chain of common marks connects.

    ``marks`` are the authors and the network addresses of each entrant. A circle has the name of
    its first entrant; one that has no mark in common with any other is a circle alone.
    """
    parent = {entrant: entrant for entrant in marks}

    def root(entrant: str) -> str:
        while parent[entrant] != entrant:
            parent[entrant] = entrant = parent[parent[entrant]]
        return entrant

    first: dict[str, str] = {}
    for entrant in sorted(marks):
        for mark in marks[entrant]:
            low, high = sorted((root(first.setdefault(mark, entrant)), root(entrant)))
            parent[high] = low
    return {entrant: root(entrant) for entrant in marks}


@dataclass(slots=True)
class PlayerStats:
    """The matches for which one version has been scheduled."""

    kinds: Counter[TableKind] = field(default_factory=Counter)
    """How often it has been scheduled for each kind of table."""
    seats: SeatCounts = field(default_factory=Counter)


@dataclass(slots=True)
class LeagueStats:
    """The ratings and the scheduled matches of all versions of a league.

    A match is entered twice: when it is scheduled (``seat``), so that the next choice takes it into
    account, and when its result is committed (``ratings.add``), in the order of the commits.
    """

    ratings: RatingFold = field(default_factory=RatingFold)
    position: int = 0
    """How many matches have been scheduled."""
    players: dict[str, PlayerStats] = field(default_factory=dict)
    """By the name that ratings have."""
    meetings: dict[str, Counter[str]] = field(default_factory=dict)
    """How often entrants have been scheduled together, in any versions."""
    together: Counter[tuple[str, str]] = field(default_factory=Counter)
    """How often two versions have been scheduled together, by the names that ratings have."""
    seated: Counter[str] = field(default_factory=Counter)
    """For how many matches each entrant has been scheduled, in any versions."""
    last: dict[str, int] = field(default_factory=dict)
    """``position`` when each entrant was last scheduled, in any version: newcomers and those who
    have waited come first, and that belongs to the entrant. A new version changes neither."""
    neighbours: dict[str, Counter[str]] = field(default_factory=dict)
    recent: frozenset[str] | None = None
    """The entrants that have played lately; None for all that have ever been seated."""

    @classmethod
    def of(cls, results: Iterable[Result], ratings: RatingFold) -> LeagueStats:
        """Return the statistics after these results, added to an empty fold."""
        stats = cls(ratings)
        for result in results:
            stats.seat(result.game, result.variant, [Version.of(name) for name in result.entrants])
            ratings.add(result)
        return stats

    def player(self, rated: str) -> PlayerStats:
        """Return the statistics of a version."""
        return self.players.setdefault(rated, PlayerStats())

    def seat(self, game: str, variant: str, table: Sequence[Version]) -> None:
        """Enter a match that has been scheduled, with these versions by seat."""
        self.position += 1
        self._enter(TableKind(game, len(table), variant), table, 1)
        for version in table:
            self.last[version.entrant] = self.position

    def unseat(self, game: str, variant: str, table: Sequence[Version]) -> None:
        """Take back a match that was scheduled and will not be played."""
        self._enter(TableKind(game, len(table), variant), table, -1)

    def _enter(self, kind: TableKind, table: Sequence[Version], times: int) -> None:
        for seat, version in enumerate(table):
            player = self.player(version.rated)
            player.kinds[kind] += times
            player.seats[kind.seats, seat] += times
            self.seated[version.entrant] += times
            met = self.meetings.setdefault(version.entrant, Counter())
            for other in table:
                if other.entrant != version.entrant:
                    met[other.entrant] += times
        for pair in combinations(sorted(version.rated for version in table), 2):
            self.together[pair] += times
        count_neighbours(self.neighbours, table, times)

    def is_later(self, version: Version) -> bool:
        """Return whether the entrant of a version has been scheduled in another one."""
        own = self.players.get(version.rated)
        return self.seated[version.entrant] > (own.kinds.total() if own else 0)

    def met(self, entrant: str) -> Counter[str]:
        """Return how often an entrant has met each other one."""
        return self.meetings.get(entrant, _NONE)

    def met_as(self, one: str, other: str) -> int:
        """Return how often two versions have met, by the names that ratings have."""
        return self.together[min(one, other), max(one, other)]

    def most_meetings(self, entrant: str) -> float:
        """Return how often an entrant may have met another one before the two wait for others.

        The mean is that over all entrants that have played lately, so that two who are alone for a
        night do not raise it, and those who left the league do not lower it. Among four or fewer
        there is no limit: the mean grows as fast.
        """
        others = (self.meetings.keys() if self.recent is None else self.recent) - {entrant}
        met = self.met(entrant)
        mean = sum(met[other] for other in others) / max(1, len(others))
        return MOST_USED * mean + MOST_ALONE


def count_neighbours(
    neighbours: dict[str, Counter[str]], table: Sequence[Version], times: int = 1
) -> None:
    """Count who sits directly after whom; at a table of two that is the same in both orders."""
    if len(table) > 2:
        for before, after in _adjacent(table):
            neighbours.setdefault(after, Counter())[before] += times


def fairest_order(
    orders: Iterable[tuple[Version, ...]],
    seats_had: Mapping[str, SeatCounts],
    neighbours: Neighbours = _NO_NEIGHBOURS,
) -> tuple[Version, ...]:
    """Return the order, of several, with the seats and neighbours that have been least frequent.

    Between equal ones, the first is taken.
    """

    def times(order: tuple[Version, ...]) -> int:
        size = len(order)
        seats = sum(seats_had[each.rated][size, seat] ** 2 for seat, each in enumerate(order))
        return seats + sum(
            neighbours.get(after, _NONE)[before] ** 2 for before, after in _adjacent(order)
        )

    return min(orders, key=times)


def _adjacent(table: Sequence[Version]) -> Iterator[tuple[str, str]]:
    """Return every two entrants that sit next to each other, in the order of the turns."""
    names = [version.entrant for version in table]
    return zip((names[-1], *names), names, strict=False)
