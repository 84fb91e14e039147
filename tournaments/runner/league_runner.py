"""The live run of one league: begins matches between connected bots while the league is open.

Matches that are scheduled come first, then those that the ladder chooses, or a new round.

Everything here runs on the event loop that keeps the clocks, and is short; the store is called in
threads. The bots of a chosen table are held from that moment, so that no two tables take the same
place.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from random import random, shuffle
from typing import Final

from tournaments.model import (
    Competition,
    CompetitionState,
    ConflictError,
    Deals,
    LeagueActivity,
    PlannedSet,
    ScheduledMatch,
    Scheduler,
    Version,
)
from tournaments.pairing import LeagueStats, PairingState, Present, choose_several, rounds
from tournaments.runner.league_bots import LeagueBots
from tournaments.runner.league_context import Hold, LeagueContext, StoreRetry
from tournaments.runner.league_matches import LeagueMatches
from tournaments.runner.league_pace import LeaguePace
from tournaments.runner.league_schedule import Absences, LeagueSchedule
from tournaments.store import StoreError

log = logging.getLogger(__name__)

CHECK_SECONDS: Final = 5.0
"""After how many seconds the tables are checked without a notification."""
PAUSE: Final = 2.0
"""Seconds after an error of the store, or after a conflict between two servers."""
MOST_TOGETHER: Final = 8
"""How many tables at most are scheduled in one transaction: the first of them waits for the last.
"""


class LeagueRunner:
    """Plays one league."""

    def __init__(self, league: Competition, context: LeagueContext) -> None:
        self._context = context
        self._changed = asyncio.Event()
        """Set when a match may begin."""
        self._stopping = asyncio.Event()
        self._schedule = LeagueSchedule(league, context)
        self.bots = LeagueBots(self._schedule, context)
        self._retry = retry = StoreRetry(league.id, self._stopping)
        self._matches = LeagueMatches(self._schedule, self.bots, context, retry, self.notify)
        self._pace = LeaguePace(self._schedule, context)
        self._absences = Absences(context.patience)
        self._outdated = False
        """Whether results were removed, so that the statistics must be computed again."""
        self._unsure = False
        """Whether the schedule may differ from the store, after an error."""

    # For the manager ----------------------------------------------------------------------------

    @property
    def league(self) -> Competition:
        """The league as it was last read."""
        return self._schedule.league

    @property
    def running(self) -> int:
        """The number of matches that are played here."""
        return self._matches.running

    @property
    def unresolved(self) -> frozenset[str]:
        """The matches whose end is not in the store yet."""
        return self._matches.unresolved

    @property
    def activity(self) -> LeagueActivity:
        """What the league does now, and why."""
        return self._pace.activity

    def notify(self) -> None:
        """Check again whether a match can begin."""
        self._changed.set()

    def recount(self) -> None:
        """Compute the statistics again: results were removed."""
        self._outdated = True
        self.notify()

    def standings_changed(self) -> None:
        """Check again whether the league rests: there are new standings."""
        self._pace.standings_changed()
        self.notify()

    async def refresh(self) -> None:
        """Read the league and its schedule from the store."""
        await self._schedule.refresh()
        await self.bots.refresh()
        self._unsure = False
        self.notify()

    async def run(self) -> None:
        """Begin matches until the league is closed or the server stops."""
        while not self._stopping.is_set() and self.league.state == CompetitionState.OPEN:
            self._changed.clear()
            name, about = self.league.id, self._schedule.about
            try:
                await self._begin_matches()
            except StoreError as error:
                log.error("%s waits: %s", name, error, extra=about)  # noqa: TRY400
                self._unsure = True
                await self._retry.pause(PAUSE)
                continue
            except Exception:
                log.exception("%s: no match could begin", name, extra=about)
                await self._retry.pause(PAUSE)
                continue
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(CHECK_SECONDS):
                    await self._changed.wait()

    def close(self) -> None:
        """Begin no more matches."""
        self._stopping.set()
        self.notify()

    async def stop(self, grace: float) -> None:
        """Begin no more matches; those in play have some seconds to end, and are void then."""
        self.close()
        await self._matches.stop(grace)

    # What is played next ------------------------------------------------------------------------

    async def _begin_matches(self) -> None:
        """Begin all matches that can begin now."""
        if await self._schedule.season.advance():
            self._context.standings.changed(self.league.id, at_once=True)
            await self.refresh()
        if self._schedule.is_outdated or self._outdated:
            self._outdated = False
            await self._schedule.load()
            await self.bots.refresh()
            self._unsure = False
        elif self._unsure:
            await self.refresh()
        await self.bots.load_authors()
        await self._drop_matches_of_absent()
        while not (self._stopping.is_set() or self._outdated):
            await self._pace.update(self.bots.present(), self._stats)
            if not await self._begin_next():
                break
        await self._pace.note(self.bots.present(), self._matches.running)

    async def _drop_matches_of_absent(self) -> None:
        """Drop matches that have waited too long for an entrant that is not connected."""
        own = self._schedule.own()
        now = asyncio.get_running_loop().time()
        overdue = self._absences.overdue(own.values(), self.bots.by_game(), now)
        if not overdue:
            return
        store, ids = self._context.store, [each.match for each in overdue]
        begun = await asyncio.to_thread(store.of_begun_sets, ids)
        lost = [
            each
            for each in overdue
            if each.match not in begun or not self._begin_without(own[each.match], each.away)
        ]
        dropped = await asyncio.to_thread(
            store.drop, [each.match for each in lost], self._context.name
        )
        schedule = self._schedule
        schedule.benched = tuple(match for match in schedule.benched if match.id not in dropped)
        for each in lost:
            schedule.waiting.pop(each.match, None)
            if each.match in dropped:
                schedule.remove(own[each.match], each.why)
        if dropped:
            self._context.standings.changed(self.league.id)

    def _begin_without(self, match: ScheduledMatch, away: Sequence[Version]) -> bool:
        """Begin the rest of a duplicate set without the entrants that left; they forfeit it.

        Otherwise the winner of the first match could avoid the return match.
        Return whether it begins, or waits for an entrant that did not leave; if all have left, it
        is lost.
        """
        table = match.versions
        others = [version for version in table if version not in away]
        if others and self._matches.free_tables > 0:
            found = self.bots.pick(match.game, others)
            if found:
                bots = dict(zip(others, found, strict=True))
                self._matches.begin(match, [bots.get(version) for version in table])
        return bool(others)

    async def _begin_next(self) -> bool:
        """Begin at least one match, if it is possible now; return whether one began."""
        if self._matches.free_tables <= 0:
            return False
        if self._schedule.league.settings.scheduler == Scheduler.ROUNDS:
            return await self._begin_of_round()
        return self._begin_waiting() or await self._begin_of_ladder()

    @property
    def _stats(self) -> LeagueStats:
        assert self._schedule.stats is not None  # noqa: S101  the schedule is loaded before
        return self._schedule.stats

    def _begin_waiting(self) -> bool:
        """Begin a match that is scheduled already, if all its bots are free."""
        if not self._schedule.waiting:
            return False
        free = self.bots.free().keys()
        for match in self._schedule.waiting.values():
            table = match.versions
            if free >= set(table) and (bots := self.bots.pick(match.game, table)):
                self._matches.begin(match, bots)
                return True
        return False

    # Ladder -------------------------------------------------------------------------------------

    async def _begin_of_ladder(self) -> bool:
        """Schedule the tables that the ladder chooses now, a few together, and begin them."""
        if self._schedule.season.between:
            return False
        tables = self._held_tables(self._chosen())
        scheduled: Sequence[Sequence[ScheduledMatch]] = ()
        try:
            scheduled = await self._add_tables([choice for choice, _ in tables])
        finally:
            for _, hold in tables:
                self._context.release(hold)
        for (_, hold), matches in zip(tables, scheduled, strict=True):
            if matches:
                self._schedule.add(matches)
                self._matches.begin(matches[0], hold.bots)
        return any(scheduled)

    def _chosen(self) -> Sequence[PlannedSet]:
        """Return the next tables: those of newcomers, or else those within the budgets."""
        most, present = min(self._matches.free_tables, MOST_TOGETHER), self._unreserved()
        newcomers = self._pace.newcomers(present, self._stats)
        if newcomers and (tables := self._choose(present, most, newcomers)):
            return tables
        most = self._pace.most_matches(most)
        return self._choose(self._pace.within_budget(present), most) if most else ()

    def _choose(
        self, present: Sequence[Present], most: int, hosts: frozenset[Version] | None = None
    ) -> Sequence[PlannedSet]:
        """Return tables within the divisions of the season, at most ``most``."""
        settings, running = self._schedule.league.settings, self._matches.running
        divisions = self._schedule.season.divisions(present)
        shuffle(divisions)  # so that none has the free tables first every time
        choices: list[PlannedSet] = []
        for division in divisions:
            state = PairingState(settings.games, division, self._stats, running, hosts)
            choices += choose_several(state, random, most - len(choices))
        return choices

    def _held_tables(self, choices: Iterable[PlannedSet]) -> list[tuple[PlannedSet, Hold]]:
        """Return the tables whose bots are free, and hold them."""
        return [
            (choice, self._context.hold(bots))
            for choice in choices
            if (bots := self.bots.pick(choice.game, choice.table))
        ]

    def _unreserved(self) -> list[Present]:
        """Return the connected versions, without the places that their waiting matches need.

        Otherwise two bots that are never free together would never play their waiting match.
        """
        connected = self.bots.by_game()
        wanted = Counter(
            version
            for match in self._schedule.waiting.values()
            if connected[match.game].issuperset(match.versions)
            for version in match.versions
        )
        return [
            replace(each, free=max(0, each.free - wanted[each.version]))
            for each in self.bots.present()
        ]

    async def _add_tables(
        self, choices: Sequence[PlannedSet]
    ) -> Sequence[Sequence[ScheduledMatch]]:
        """Schedule tables; none where an entrant may not play any more."""
        league, about = self._schedule.league.id, self._schedule.about
        if not choices:
            return []
        try:
            scheduled = await asyncio.to_thread(
                self._context.store.add_sets,
                league,
                choices,
                claim_for=self._context.name,
                lease_seconds=self._context.lease,
            )
        except ConflictError as error:
            if len(choices) > 1:  # the conflict concerns one of them
                return [each for one in choices for each in await self._add_tables([one])]
            log.info("%s: no table: %s", league, error, extra=about)
            await self._retry.pause(PAUSE)
            return [()]
        for choice, matches in zip(choices, scheduled, strict=True):
            log.info(
                "%s: %s play %s, %s: %s",
                league,
                " and ".join(map(str, choice.table)),
                choice.game,
                choice.variant,
                choice.why,
                extra={**about, "match": matches[0].id, "why": choice.why},
            )
        return scheduled

    # Rounds -------------------------------------------------------------------------------------

    async def _begin_of_round(self) -> bool:
        """Begin matches of the round, or schedule the next one."""
        waiting = list(self._schedule.waiting.values())
        places = {each.version: each.free for each in self.bots.present()}
        running, free = self._matches.running, self._matches.free_tables
        begun = False
        for match_id in rounds.playable(waiting, places, free):
            match = self._schedule.waiting[match_id]
            if bots := self.bots.pick(match.game, match.versions):
                self._matches.begin(match, bots)
                begun = True
        return begun or (
            rounds.is_over(waiting, self._context.name, running) and await self._add_round()
        )

    async def _add_round(self) -> bool:
        """Schedule the next round among the connected bots, if they are enough.

        Without a budget, and while the league rests, it has the tables of newcomers only.
        """
        present, league = self.bots.present(), self._schedule.league
        newcomers = self._pace.newcomers(present, self._stats)
        is_whole = bool(self._pace.most_matches(1))
        if not (is_whole or newcomers):
            return False
        if is_whole:
            present = self._pace.for_round(present)
        settings, store, about = league.settings, self._context.store, self._schedule.about
        fewest = min(size for rules in settings.games for size in rules.table_sizes)
        season = self._schedule.season
        divisions = [
            division
            for division in season.divisions(present)
            if len({each.kept_apart for each in division}) >= fewest
        ]
        if season.between or not divisions:
            return False
        number = 1 + await asyncio.to_thread(store.last_round, league.id)
        duplicate = settings.deals == Deals.DUPLICATE
        planned = [
            each
            for division in divisions
            for each in await self._context.standings.plan_round(
                number, division, settings.games, self._stats, duplicate=duplicate
            )
            if is_whole or not newcomers.isdisjoint(each.table)
        ]
        if not planned:
            return False
        try:
            matches = await asyncio.to_thread(
                store.add_round,
                league.id,
                planned,
                keeper=self._context.name,
                lease_seconds=self._context.lease,
            )
        except ConflictError as error:
            # Another server was quicker, or an entrant may not play any more.
            log.info("%s: no round: %s", league.id, error, extra=about)
            await self._retry.pause(PAUSE)
            self.notify()
            return False
        self._schedule.add(matches)
        log.info("%s: round %d has %d matches", league.id, number, len(matches), extra=about)
        return True
