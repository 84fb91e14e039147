"""The bots of a league on this server: which are free, and for which games."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence

from tournaments.model import HOUSE, CompetitionState, Version, folded
from tournaments.pairing import Present, circles_of
from tournaments.runner.league_context import LeagueContext
from tournaments.runner.league_schedule import LeagueSchedule
from tournaments.runner.seatable import ConnectedBot, SeatableBot


class LeagueBots:
    """The bots of a league that are connected to this server, or that it runs."""

    def __init__(self, schedule: LeagueSchedule, context: LeagueContext) -> None:
        self._schedule = schedule
        self._context = context
        self._authors: dict[str, str] = {}
        """The author of each entrant, where authors are kept apart."""
        self._marks: dict[str, frozenset[str]] = {}
        self._circles: dict[str, str] = {}
        """Of the entrants with ``_marks``."""

    def all(self) -> list[SeatableBot]:
        """Return the bots that are present."""
        league, hosting = self._schedule.league.id, self._context.hosting
        connected = (
            ConnectedBot(session)
            for session in self._context.server.sessions
            if session.league == league
        )
        hosted = hosting.bots(league) if hosting is not None else ()
        return [bot for bot in (*connected, *hosted) if bot.present]

    async def refresh(self) -> None:
        """Read from the store which bots this server runs."""
        league, hosting = self._schedule.league, self._context.hosting
        if hosting is not None and league.state == CompetitionState.OPEN:
            await hosting.refresh(league.id)

    def dismiss(self, name: str | None, reason: str) -> None:
        """End all bots of an entrant, or of all, when their matches are over."""
        for bot in self.all():
            if name in (None, bot.version.entrant):
                bot.drain(reason)

    def pick(self, game: str, table: Sequence[Version]) -> list[SeatableBot] | None:
        """Return a free bot of each version for a game; None if one has none, or without a slot."""
        free = self.free()
        found = [
            next((bot for bot in free.get(version, ()) if _plays(bot, game)), None)
            for version in table
        ]
        bots = [bot for bot in found if bot is not None]
        return bots if len(bots) == len(found) and self._context.fit(bots) else None

    def free(self) -> dict[Version, list[SeatableBot]]:
        """Return the bots that can play another match, those for most matches first."""
        places = self._context.places
        free: dict[Version, list[SeatableBot]] = {}
        for bot in sorted(self.all(), key=places, reverse=True):
            if places(bot) > 0:
                free.setdefault(bot.version, []).append(bot)
        return free

    def by_game(self) -> dict[str, set[Version]]:
        """Return the versions that are present for each game."""
        found: defaultdict[str, set[Version]] = defaultdict(set)
        for bot in self.all():
            for rules in self._schedule.league.settings.games:
                if _plays(bot, rules.game):
                    found[rules.game].add(bot.version)
        return found

    def present(self) -> list[Present]:
        """Return the versions that are present, each with how many more matches it can play.

        A bot that has just come is left out until its author is known, where that matters.
        """
        found: dict[Version, list[SeatableBot]] = {}
        separate = self._schedule.league.settings.separate_authors
        for bot in self.all():
            if not separate or bot.version.entrant in self._authors:
                found.setdefault(bot.version, []).append(bot)
        circles = self._circles_of(found)
        return [
            Present(
                version,
                sum(max(0, self._context.places(bot)) for bot in bots),
                _games(bots),
                circles.get(version.entrant, ""),
            )
            for version, bots in found.items()
        ]

    def _circles_of(self, found: Mapping[Version, Sequence[SeatableBot]]) -> Mapping[str, str]:
        """Return which entrants never share a table: those of one author or network address."""
        settings = self._schedule.league.settings
        if not (settings.separate_authors or settings.separate_addresses):
            return {}
        marks = dict.fromkeys((version.entrant for version in found), frozenset[str]())
        for version, bots in found.items():
            own = {f"author {self._authors.get(version.entrant, '')}"} - {"author "}
            if settings.separate_addresses:
                own |= {f"address {bot.address}" for bot in bots if bot.address}
            marks[version.entrant] |= own
        if marks != self._marks:
            self._marks, self._circles = marks, circles_of(marks)
        return self._circles

    async def load_authors(self) -> None:
        """Read the authors of new entrants from the store, where authors are kept apart."""
        league = self._schedule.league
        if not league.settings.separate_authors:
            return
        for name in {bot.version.entrant for bot in self.all()} - self._authors.keys():
            entrant = await asyncio.to_thread(self._context.store.entrant, league.id, name)
            author = folded(entrant.author)
            self._authors[name] = "" if author == folded(HOUSE) else author


def _plays(bot: SeatableBot, game: str) -> bool:
    return not bot.games or game in bot.games


def _games(bots: Sequence[SeatableBot]) -> frozenset[str] | None:
    """Return the games that the bots of a version name together; None for all games."""
    if any(not bot.games for bot in bots):
        return None
    return frozenset().union(*(bot.games for bot in bots))
