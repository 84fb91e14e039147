"""When a league plays: its budgets, its newcomers, and whether it rests."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, Final

from tournaments.model import (
    ActivityState,
    CompetitionState,
    LeagueActivity,
    Pace,
    Settle,
    Version,
)
from tournaments.pairing import LeagueStats, Present, Settlement, settlement
from tournaments.ratings import Part
from tournaments.runner.league_context import LeagueContext
from tournaments.runner.league_schedule import HOUR, LeagueSchedule
from tournaments.runner.live_feed import LiveEvent

WAKES: Final = (
    "A new bot, a new version, a bot that comes or leaves, or a match that is annulled wakes it."
)
_OPEN: Final = Settlement(is_settled=False, why="the standings are not computed yet")


class LeaguePace:
    """Decides which versions may begin matches now, and states what the league does."""

    def __init__(self, schedule: LeagueSchedule, context: LeagueContext) -> None:
        self._schedule = schedule
        self._context = context
        self._table: Mapping[str, Any] | None = None
        """The standings of all matches; None before the first."""
        self._is_current = False
        """Whether ``_table`` has the standings as they were last computed."""
        self._asked: frozenset[Version] | None = None
        """The versions that ``_settlement`` is about."""
        self._settlement = _OPEN
        self._activity = LeagueActivity(ActivityState.WAITING, None, "The league begins.")

    @property
    def _pace(self) -> Pace:
        return self._schedule.league.settings.pace

    @property
    def activity(self) -> LeagueActivity:
        """What the league does now."""
        if self._schedule.league.state == CompetitionState.CLOSED:
            return closed(self._activity.since)
        return self._activity

    def standings_changed(self) -> None:
        """Ask the question again: there are new standings."""
        self._is_current = False

    async def update(self, present: Iterable[Present], stats: LeagueStats) -> None:
        """Answer the question anew if the standings or those present have changed."""
        versions = frozenset(each.version for each in present)
        if self._pace.settle != Settle.NEVER and not self._is_current:
            self._is_current = True
            league = self._schedule.league.id
            self._table = await self._context.standings.table(league, Part())
            self._asked = None
        if versions != self._asked:
            self._settlement = self._settled(versions, stats)
            self._asked = versions

    def _settled(self, versions: frozenset[Version], stats: LeagueStats) -> Settlement:
        """Return whether the question is settled in every division: only within one do bots meet.

        A division with one bot has nothing to settle.
        """
        divisions = self._schedule.season.divided(versions)
        several = [each for each in divisions if len({one.entrant for one in each}) > 1]
        found = [
            settlement(self._pace, self._table, each, stats) for each in several or divisions[:1]
        ]
        still_open = next((each for each in found if not each.is_settled), None)
        if still_open is not None or len(found) == 1:
            return still_open or found[0]
        parts = ", and ".join(each.why for each in found)
        return Settlement(is_settled=True, why=f"in {len(found)} divisions {parts}")

    # What may be played -------------------------------------------------------------------------

    def newcomers(self, present: Iterable[Present], stats: LeagueStats) -> frozenset[Version]:
        """Return the versions of entrants that have not had their first matches."""
        first = self._pace.newcomer_matches
        return frozenset(
            each.version for each in present if stats.seated[each.version.entrant] < first
        )

    def most_matches(self, wanted: int) -> int:
        """Return how many matches, apart from those of newcomers, may begin now."""
        if self._settlement.is_settled:
            return 0
        most, begun = self._pace.matches_per_hour, self._schedule.begun.matches
        return min(wanted, max(0, most - begun)) if most else wanted

    def within_budget(self, present: Iterable[Present]) -> list[Present]:
        """Return those present, of whom those without a budget are not free."""
        return [
            each if self._has_budget(each.version) else replace(each, free=0) for each in present
        ]

    def for_round(self, present: Iterable[Present]) -> list[Present]:
        """Return those with a budget, each entrant in the version that came last."""
        last = {each.version.entrant: each for each in present if self._has_budget(each.version)}
        return list(last.values())

    def _has_budget(self, version: Version) -> bool:
        most = self._pace.bot_matches_per_hour
        return not most or self._schedule.begun.of_entrants[version.entrant] < most

    # What the league does -----------------------------------------------------------------------

    async def note(self, present: Sequence[Present], running: int) -> None:
        """State what the league does, after all matches have begun that can begin."""
        state, why, wakes = self._state(present, running)
        if (state, why) == (self._activity.state, self._activity.why):
            return
        since = self._activity.since
        if state != self._activity.state:
            store, league = self._context.store, self._schedule.league.id
            is_playing = state == ActivityState.PLAYING
            ended = await asyncio.to_thread(store.last_end, league)
            since = datetime.now(UTC) if is_playing else ended
            self._context.live_feed.publish(LiveEvent("standings", league))  # for the page
        self._activity = LeagueActivity(state, since, why, wakes)

    def _state(self, present: Sequence[Present], running: int) -> tuple[ActivityState, str, str]:
        """Return what the league does, why, and what wakes it."""
        if running or self._schedule.elsewhere:
            return ActivityState.PLAYING, _sentence(self._settlement.why), ""
        season = self._schedule.season
        if season.between and season.season is not None:
            over = f"Season {season.number} is {season.season.state}, and none is open."
            return ActivityState.WAITING, over, "The next season wakes it."
        if self._settlement.is_settled:
            return ActivityState.RESTING, _sentence(self._settlement.why), WAKES
        needed = min(
            size for rules in self._schedule.league.settings.games for size in rules.table_sizes
        )
        entrants = {each.version.entrant for each in present}
        if len(entrants) < needed:
            noun = "bot is" if len(entrants) == 1 else "bots are"
            here = f"{len(entrants)} {noun} here, and a table needs {needed}."
            return ActivityState.WAITING, here, "A bot that comes wakes it."
        divisions = season.divisions(present)
        if all(len({each.version.entrant for each in some}) < needed for some in divisions):
            few = f"No division has {needed} bots that are here, and a table needs {needed}."
            return ActivityState.WAITING, few, "A bot that comes wakes it."
        if all(len({each.kept_apart for each in some}) < needed for some in divisions):
            apart = "The bots that are here have one author or one network address."
            wakes = (
                "A bot of another author wakes it; separate_authors = false would let them meet."
            )
            return ActivityState.WAITING, apart, wakes
        if reached := self._reached(present):
            first = self._schedule.begun.first
            until = f" from {first + HOUR:%H:%M} UTC on" if first else ""
            return ActivityState.WAITING, reached, f"It goes on{until}; a new bot plays at once."
        few = "The bots that are here wait for each other, or have met too often."
        return ActivityState.WAITING, few, "A bot that comes or becomes free wakes it."

    def _reached(self, present: Sequence[Present]) -> str:
        """Return which budget is used up, or nothing."""
        pace, begun = self._pace, self._schedule.begun
        if pace.matches_per_hour and begun.matches >= pace.matches_per_hour:
            most = pace.matches_per_hour
            return f"{begun.matches} matches began within 60 minutes; the budget is {most}."
        if not all(self._has_budget(each.version) for each in present):
            most = pace.bot_matches_per_hour
            return f"Bots have begun {most} matches within 60 minutes, which is the budget of each."
        return ""


def closed(since: datetime | None) -> LeagueActivity:
    """Return the activity of a league that is closed."""
    return LeagueActivity(ActivityState.CLOSED, since, "The league is closed.")


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
