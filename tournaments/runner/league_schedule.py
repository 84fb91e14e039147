"""A league and its scheduled matches, as far as this server knows them."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from datetime import UTC, datetime, timedelta
from typing import Final

from tournaments.model import Begun, Competition, MatchState, Result, ScheduledMatch, Version
from tournaments.pairing import MOST_SECONDS_AWAY, Dropped, LeagueStats, dropped
from tournaments.runner.league_context import LeagueContext
from tournaments.runner.league_season import LeagueSeason

log = logging.getLogger(__name__)

REMEMBERED: Final = 4096
"""How many matches that this server began are known by their ids."""
HOUR: Final = timedelta(hours=1)
"""The period of the budgets."""
WEEK: Final = timedelta(days=7)
"""An entrant that has played no match for so long does not keep others waiting for it."""
Connected = Mapping[str, AbstractSet[Version]]
"""The connected versions for each game: a bot may play some games only."""

_NONE: Final = frozenset[Version]()


class LeagueSchedule:
    """The matches of a league that are scheduled, and the statistics that pairing uses."""

    def __init__(self, league: Competition, context: LeagueContext) -> None:
        self.league = league
        self._context = context
        self.season = LeagueSeason(league.id, context)
        self._rated_season = 0
        """The season of the results in the statistics."""
        self.stats: LeagueStats | None = None
        """Nothing before ``load``."""
        self._entered: set[str] = set()
        """Matches that the statistics include as scheduled."""
        self.waiting: OrderedDict[str, ScheduledMatch] = OrderedDict()
        """Matches that are scheduled and not played here, the oldest first."""
        self.benched: tuple[ScheduledMatch, ...] = ()
        """Matches that wait for an entrant that may not be seated."""
        self.elsewhere = 0
        """How many matches of the league other servers play."""
        self.begun = Begun()
        """The matches that began within the last hour, as of the last ``refresh``, and those that
        this server has begun since; without budgets they are not read."""
        self._additions = 0
        """How often this server has added matches."""
        self._begun: OrderedDict[str, None] = OrderedDict()
        """The last matches that this server has begun."""
        self._recent_read = datetime.min.replace(tzinfo=UTC)
        """When the entrants that have played lately were last read."""

    @property
    def about(self) -> dict[str, str]:
        """Fields for the log."""
        return {"league": self.league.id}

    async def load(self) -> None:
        """Compute the statistics from the results, and read the schedule."""
        standings, store = self._context.standings, self._context.store
        self.league = await asyncio.to_thread(store.league, self.league.id)
        self._rated_season = self.league.season
        self.stats = await standings.stats(self.league)
        self._entered.clear()
        self._recent_read = datetime.min.replace(tzinfo=UTC)
        if self.stats.position:
            standings.changed(self.league.id)  # the last server may not have counted all
        await self.refresh()
        for match in self.waiting.values():
            self._enter(match)

    async def refresh(self) -> None:
        """Read the league and its schedule from the store."""
        store, name = self._context.store, self.league.id
        self.league = await asyncio.to_thread(store.league, name)
        if self.league.season:
            await self.season.refresh()
        running = await asyncio.to_thread(store.running, name)
        self.benched = await asyncio.to_thread(store.waiting_for_benched, name)
        pace = self.league.settings.pace
        if pace.matches_per_hour or pace.bot_matches_per_hour:
            self.begun = await asyncio.to_thread(store.begun_within, name, HOUR)
        if self.stats is not None and datetime.now(UTC) - self._recent_read >= HOUR:
            self._recent_read = datetime.now(UTC)
            self.stats.recent = await asyncio.to_thread(store.seated_within, name, WEEK)
        self.elsewhere = sum(match.id not in self._begun for match in running)
        self.waiting = OrderedDict((match.id, match) for match in await self._claimable())

    @property
    def is_outdated(self) -> bool:
        """Whether the statistics are of an earlier season, or there are none yet."""
        return self.stats is None or self._rated_season != self.season.number

    async def _claimable(self) -> Sequence[ScheduledMatch]:
        """Return the waiting matches, with those that were added during the query."""
        while True:
            additions = self._additions
            found = await asyncio.to_thread(self._context.store.claimable, self.league.id)
            if additions == self._additions:
                return found

    def own(self) -> dict[str, ScheduledMatch]:
        """Return the matches that wait and that this server keeps."""
        name = self._context.name
        waiting = (*self.waiting.values(), *self.benched)
        return {match.id: match for match in waiting if match.server == name}

    def add(self, matches: Sequence[ScheduledMatch]) -> None:
        """Add matches that were scheduled just now."""
        self._additions += 1
        for match in matches:
            self._enter(match)
            if match.state == MatchState.SCHEDULED:
                self.waiting[match.id] = match

    def begin(self, match: ScheduledMatch) -> None:
        """Note that a match begins here."""
        self.waiting.pop(match.id, None)
        self.benched = tuple(each for each in self.benched if each.id != match.id)
        self._begun[match.id] = None
        self.begun = self.begun.add(match.entrants, datetime.now(UTC))
        if len(self._begun) > REMEMBERED:
            self._begun.popitem(last=False)
        if self.stats is not None and self.stats.recent is not None:
            self.stats.recent = self.stats.recent.union(match.entrants)
        self._enter(match)

    def learn(self, match: ScheduledMatch, result: Result) -> bool:
        """Add a result to the statistics; return whether it is the first of a version."""
        self._entered.discard(match.id)
        if self.stats is None:
            return False
        ratings = self.stats.ratings
        first = not all(name in ratings.played for name in result.entrants)
        ratings.add(result)
        return first

    def remove(self, match: ScheduledMatch, why: str) -> None:
        """Remove a match that is not played."""
        self.waiting.pop(match.id, None)
        if self.stats is not None and match.id in self._entered:
            self._entered.remove(match.id)
            self.stats.unseat(match.game, match.variant, match.versions)
        about = {**self.about, "match": match.id}
        log.info("match %s is not played: %s", match.id, why, extra=about)

    def _enter(self, match: ScheduledMatch) -> None:
        """Include a match in the statistics as scheduled, once."""
        if self.stats is not None and match.id not in self._entered:
            self._entered.add(match.id)
            self.stats.seat(match.game, match.variant, match.versions)


class Absences:
    """Since when the entrants of waiting matches are not connected."""

    def __init__(self, most_seconds: float = MOST_SECONDS_AWAY) -> None:
        self._most_seconds = most_seconds
        self._since: dict[tuple[str, Version], float] = {}
        """By game and version."""

    def overdue(
        self, waiting: Iterable[ScheduledMatch], connected: Connected, now: float
    ) -> tuple[Dropped, ...]:
        """Note which entrants are away now; return the matches that have waited for too long.

        The time of an entrant that comes back in between begins anew.
        """
        by_game: defaultdict[str, list[ScheduledMatch]] = defaultdict(list)
        for match in waiting:
            by_game[match.game].append(match)
        missing = {
            (game, version)
            for game, matches in by_game.items()
            for each in matches
            for version in each.versions
            if version not in connected.get(game, _NONE)
        }
        self._since = {who: self._since.get(who, now) for who in missing}
        away: defaultdict[str, dict[Version, float]] = defaultdict(dict)
        for (game, version), since in self._since.items():
            away[game][version] = now - since
        return tuple(
            each
            for game, matches in by_game.items()
            for each in dropped(matches, away[game], self._most_seconds)
        )
