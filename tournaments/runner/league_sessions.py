"""The connected bots of a league: which are free, and for which games."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Sequence

from referee.transports import Session
from tournaments.model import Version, folded
from tournaments.pairing import Present
from tournaments.runner.league_context import LeagueContext
from tournaments.runner.league_schedule import LeagueSchedule


class LeagueSessions:
    """The sessions of a league on this server."""

    def __init__(self, schedule: LeagueSchedule, context: LeagueContext) -> None:
        self._schedule = schedule
        self._context = context
        self._authors: dict[str, str] = {}
        """The author of each entrant, where authors are kept apart."""

    def all(self) -> list[Session]:
        """Return the sessions that stay connected."""
        league = self._schedule.league.id
        return [
            session
            for session in self._context.server.sessions
            if session.league == league and session.connected and not session.leaving
        ]

    def dismiss(self, name: str | None, reason: str) -> None:
        """End all sessions of an entrant, or of all, when their matches are over."""
        for session in self.all():
            if name in (None, session.entrant):
                session.drain(reason)

    def pick(self, game: str, table: Sequence[Version]) -> list[Session] | None:
        """Return a free session of each version for a game; None if one has none."""
        free = self.free()
        found = [
            next((session for session in free.get(version, ()) if session.supports(game)), None)
            for version in table
        ]
        return None if None in found else [session for session in found if session is not None]

    def free(self) -> dict[Version, list[Session]]:
        """Return the sessions that can play another match, those for most matches first."""
        places = self._context.places
        free: dict[Version, list[Session]] = {}
        for session in sorted(self.all(), key=places, reverse=True):
            if places(session) > 0:
                free.setdefault(_version(session), []).append(session)
        return free

    def are_free(self, sessions: Sequence[Session]) -> bool:
        """Return whether sessions are still connected and can play another match."""
        return all(
            session.connected and not session.leaving and self._context.places(session) > 0
            for session in sessions
        )

    def by_game(self) -> dict[str, set[Version]]:
        """Return the connected versions for each game."""
        connected: defaultdict[str, set[Version]] = defaultdict(set)
        for session in self.all():
            for rules in self._schedule.league.settings.games:
                if session.supports(rules.game):
                    connected[rules.game].add(_version(session))
        return connected

    def present(self) -> list[Present]:
        """Return the connected versions, each with how many more matches it can play."""
        connected: dict[Version, list[Session]] = {}
        for session in self.all():
            connected.setdefault(_version(session), []).append(session)
        return [
            Present(
                version,
                sum(max(0, self._context.places(session)) for session in sessions),
                _games(sessions),
                self._authors.get(version.entrant, ""),
            )
            for version, sessions in connected.items()
        ]

    async def load_authors(self) -> None:
        """Read the authors of new entrants from the store, where authors are kept apart."""
        league = self._schedule.league
        if not league.settings.separate_authors:
            return
        for name in {session.entrant for session in self.all()} - self._authors.keys():
            entrant = await asyncio.to_thread(self._context.store.entrant, league.id, name)
            self._authors[name] = folded(entrant.author)


def _version(session: Session) -> Version:
    return Version(session.entrant, session.bot_version)


def _games(sessions: Sequence[Session]) -> frozenset[str] | None:
    """Return the games that the sessions of a bot name together; None for all games."""
    if any(not session.games for session in sessions):
        return None
    return frozenset().union(*(session.games for session in sessions))
