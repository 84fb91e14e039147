"""Who is waited for, and for how long: no match waits for ever."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from typing import Final

from tournaments.league.model import LeagueMatch
from tournaments.league.rounds import MOST_SECONDS_AWAY, Dropped, Waiting, dropped
from tournaments.league.situation import Version

There = Mapping[str, AbstractSet[Version]]
"""Who is there for each game: a bot may have said that it plays only some of them."""

_NOBODY: Final = frozenset[Version]()


class Absences:
    """Since when those are away for whom matches wait."""

    def __init__(self, most_seconds: float = MOST_SECONDS_AWAY) -> None:
        self._most_seconds = most_seconds
        self._since: dict[tuple[str, Version], float] = {}
        """By the game for which somebody is missed."""

    def in_vain(
        self, waiting: Iterable[LeagueMatch], there: There, now: float
    ) -> tuple[Dropped, ...]:
        """Look who is away now; return the matches for which somebody has been so for too long.

        Whoever comes back in between is missed anew the next time.
        """
        by_game: defaultdict[str, list[Waiting]] = defaultdict(list)
        for match in waiting:
            by_game[match.game].append(Waiting(match.id, versions_of(match)))
        missed = {
            (game, version)
            for game, matches in by_game.items()
            for each in matches
            for version in each.table
            if version not in there.get(game, _NOBODY)
        }
        self._since = {who: self._since.get(who, now) for who in missed}
        away: defaultdict[str, dict[Version, float]] = defaultdict(dict)
        for (game, version), since in self._since.items():
            away[game][version] = now - since
        return tuple(
            each
            for game, matches in by_game.items()
            for each in dropped(matches, away[game], self._most_seconds)
        )


def versions_of(match: LeagueMatch) -> tuple[Version, ...]:
    """Return who sits at a table, by seat."""
    return tuple(Version(seat.entrant, seat.version) for seat in match.seats)
