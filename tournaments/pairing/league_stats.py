"""What a league's pairing is made from: the connected versions, and statistics of all versions.

``LeagueStats`` is updated match by match in constant time. Nothing here reads a clock, a socket or
a database.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tournaments.model import Result, TableKind, Version
from tournaments.ratings import RatingFold

MOST_USED: Final = 3
"""How many times as often as the mean two entrants may meet."""
MOST_ALONE: Final = 4
"""Two entrants may meet this many times more, even if no other entrant is there."""

SeatCounts = Counter[tuple[int, int]]
"""How often a version has had each seat, by the size of the table and the seat."""

_NONE: Final = Counter[str]()


@dataclass(frozen=True, slots=True)
class Present:
    """A version that is connected now."""

    version: Version
    free: int = 1
    """How many more matches it can play now; 0 for one that is busy."""
    games: frozenset[str] | None = None
    """The games that its ``join`` named; None for all of them."""
    author: str = ""
    """Whose bots never share a table with it; empty where authors are not kept apart."""

    def plays(self, game: str) -> bool:
        """Return whether it plays a game."""
        return self.games is None or game in self.games

    @property
    def kept_apart(self) -> str:
        """What no two at a table have in common: the author, or else the entrant."""
        return f"/{self.author}" if self.author else self.version.entrant


@dataclass(slots=True)
class PlayerStats:
    """The matches for which one version has been scheduled."""

    last: int | None = None
    """How many matches the league had scheduled when this version was last scheduled."""
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
            self.player(version.rated).last = self.position

    def unseat(self, game: str, variant: str, table: Sequence[Version]) -> None:
        """Take back a match that was scheduled and will not be played."""
        self._enter(TableKind(game, len(table), variant), table, -1)

    def _enter(self, kind: TableKind, table: Sequence[Version], times: int) -> None:
        for seat, version in enumerate(table):
            player = self.player(version.rated)
            player.kinds[kind] += times
            player.seats[kind.seats, seat] += times
            met = self.meetings.setdefault(version.entrant, Counter())
            for other in table:
                if other.entrant != version.entrant:
                    met[other.entrant] += times

    def met(self, entrant: str) -> Counter[str]:
        """Return how often an entrant has met each other one."""
        return self.meetings.get(entrant, _NONE)

    def most_meetings(self, entrant: str) -> float:
        """Return how often an entrant may have met another one before the two wait for others.

        The mean is that over all entrants that have been seated in the league, so that two who are
        alone there do not raise it. Among four or fewer there is no limit: the mean grows as fast.
        """
        mean = self.met(entrant).total() / max(1, len(self.meetings) - 1)
        return MOST_USED * mean + MOST_ALONE


def fairest_order(
    orders: Iterable[tuple[Version, ...]], seats_had: Mapping[str, SeatCounts]
) -> tuple[Version, ...]:
    """Return the order of seats, of several, that gives the versions those they have had least.

    Between equal ones, the first is taken.
    """

    def times(order: tuple[Version, ...]) -> int:
        size = len(order)
        return sum(seats_had[each.rated][size, seat] ** 2 for seat, each in enumerate(order))

    return min(orders, key=times)
