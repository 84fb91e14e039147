"""The season of a league while it is played: who may meet, when it ends, and how it is archived."""

from __future__ import annotations

import asyncio
import logging
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime

from tournaments.model import (
    UNFINISHED,
    ConflictError,
    NotFoundError,
    Season,
    SeasonState,
    Version,
)
from tournaments.pairing import Present
from tournaments.runner.league_context import LeagueContext

log = logging.getLogger(__name__)


class LeagueSeason:
    """The newest season of a league, if it has any."""

    def __init__(self, league: str, context: LeagueContext) -> None:
        self._league = league
        self._context = context
        self.season: Season | None = None

    async def refresh(self) -> None:
        """Read the season from the store."""
        try:
            self.season = await asyncio.to_thread(self._context.store.season, self._league)
        except NotFoundError:
            self.season = None

    @property
    def number(self) -> int:
        """Its number; 0 without a season."""
        return 0 if self.season is None else self.season.number

    @property
    def between(self) -> bool:
        """Whether nothing is scheduled, because no season is open."""
        return self.season is not None and self.season.state != SeasonState.OPEN

    def divisions(self, present: Sequence[Present]) -> list[list[Present]]:
        """Return the versions that may meet each other, by division."""
        of = {each.version: each for each in present}
        return [[of[version] for version in each] for each in self.divided(of)]

    def divided(self, versions: Iterable[Version]) -> list[list[Version]]:
        """Return versions by division; all of them together without divisions."""
        if self.season is None or self.season.divisions == 1:
            return [list(versions)]
        found: defaultdict[int, list[Version]] = defaultdict(list)
        for each in versions:
            found[self.season.division_of(each.entrant)].append(each)
        return [found[number] for number in sorted(found)]

    async def advance(self) -> bool:
        """End a season whose date has come, archive one that is over; return whether one was.

        A server that is killed in between leaves the season as it was before or after.
        """
        season, store = self.season, self._context.store
        if season is None:
            return False
        if season.state == SeasonState.OPEN:
            if season.ends_at is None or datetime.now(UTC) < season.ends_at:
                return False
            await asyncio.to_thread(store.end_season, self._league, another=season.another)
            await self.refresh()
        if self.season is None or self.season.state != SeasonState.FINAL:
            return False
        counts = await asyncio.to_thread(store.season_counts, self._league, season.number)
        return not any(counts.get(state, 0) for state in UNFINISHED) and await self._archive()

    async def _archive(self) -> bool:
        """Archive the season with its standings; return False if another server was first."""
        found = await self._context.standings.of_season(self._league)
        try:
            season = await asyncio.to_thread(
                self._context.store.archive_season,
                self._league,
                found.played,
                found.order,
                found.sections,
            )
        except ConflictError as error:
            log.info("%s: %s", self._league, error, extra={"league": self._league})
            return False
        finally:
            await self.refresh()
        about = {"league": self._league}
        log.info("%s: season %d is archived", self._league, season.number, extra=about)
        return True
