"""The matches of a league that this server plays: claim, play, commit, bench."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Final

from referee.match import Absence, Match, MatchPlan, MatchResult
from referee.model import Cause, Fault
from tournaments.model import (
    Job,
    MatchState,
    ScheduledMatch,
)
from tournaments.runner.bench import NOT_COUNTED, SERVER_STOPS, LeagueBench, benched_note
from tournaments.runner.league_bots import LeagueBots
from tournaments.runner.league_context import LeagueContext, StoreRetry
from tournaments.runner.league_schedule import LeagueSchedule
from tournaments.runner.live_feed import LiveEvent
from tournaments.runner.seatable import SeatableBot
from tournaments.store import StoreError
from tournaments.worker import (
    Arrivals,
    BotLeftError,
    MatchRunner,
    SeatedBot,
    Seats,
    gather_arrivals,
    match_plan,
    played_match,
    seats_of,
)

log = logging.getLogger(__name__)

MOST_ATTEMPTS: Final = 3
"""After how many attempts a match is not tried again at which the referee fails."""
LEFT_THE_SET: Final = Absence(
    Fault.DISCONNECT.value, "it was away for too long when the rest of a duplicate set was due"
)
LEFT: Final = "a bot left before it began"
Table = Sequence[SeatableBot | None]
"""The bots by seat; None where an entrant is absent."""


class LeagueMatches:
    """Plays matches of a league between connected bots."""

    def __init__(
        self,
        schedule: LeagueSchedule,
        bots: LeagueBots,
        context: LeagueContext,
        retry: StoreRetry,
        on_end: Callable[[], None],
    ) -> None:
        """Take what a league runner shares, and a function that is called after each match."""
        self._schedule = schedule
        self._context = context
        self._retry = retry
        self._on_end = on_end
        self._bench = LeagueBench(
            context.store,
            schedule.league.id,
            retry,
            lambda name, reason: bots.dismiss(name, benched_note(name, reason)),
        )
        self._runner = MatchRunner(context.lag, StoreError)
        self._unresolved: dict[asyncio.Task[None], str] = {}

    @property
    def running(self) -> int:
        """The number of matches that are played here."""
        return self._runner.running

    @property
    def unresolved(self) -> frozenset[str]:
        """The matches whose end is not in the store yet."""
        return frozenset(self._unresolved.values())

    @property
    def free_tables(self) -> int:
        """How many more matches the league may play."""
        most = self._schedule.league.settings.max_tables
        return most - self._runner.running - self._schedule.elsewhere

    def begin(self, match: ScheduledMatch, table: Table) -> None:
        """Begin a match, and hold its bots until it is over."""
        self._schedule.begin(match)
        self._context.hold(_bots(table))
        task = self._runner.start(self._play(match, table))
        self._unresolved[task] = match.id
        task.add_done_callback(self._on_done)

    async def stop(self, grace: float) -> None:
        """Let matches end within the grace period, and void the others."""
        await self._runner.wait(grace)
        self._runner.stop_all(SERVER_STOPS)
        await self._runner.wait()

    def _on_done(self, task: asyncio.Task[None]) -> None:
        match, about = self._unresolved.pop(task), self._schedule.about
        error = None if task.cancelled() else task.exception()
        if isinstance(error, StoreError):
            extra = {**about, "match": match}
            log.error("match %s will be played again: %s", match, error, extra=extra)
        elif error is not None:
            log.error("match %s failed", match, exc_info=error, extra=about)
        self._on_end()

    # One match ----------------------------------------------------------------------------------

    async def _play(self, match: ScheduledMatch, table: Table) -> None:
        bots = _bots(table)
        try:
            claim = await asyncio.to_thread(self._claim, match, with_absent=None in table)
            if claim is None:
                return  # another server has it, or an entrant withdrew
            if self._retry.stopping.is_set() or not all(bot.present for bot in bots):
                await self._void(claim, Cause.NETWORK, LEFT)
            else:
                await self._play_claimed(claim, table)
        finally:
            self._context.release(bots)

    def _claim(self, match: ScheduledMatch, *, with_absent: bool) -> Job | None:
        """Claim a match, unless that was done when it was scheduled; in a thread."""
        store, name = self._context.store, self._context.name
        if match.state == MatchState.RUNNING:
            return store.held(name, match.id)
        return store.claim(name, match.id, self._context.lease, with_absent=with_absent)

    async def _play_claimed(self, claim: Job, table: Table) -> None:
        league, match = self._schedule.league, claim.match.id
        live_feed = self._context.live_feed

        def on_start(played: Match) -> None:
            if not claim.duplicate:  # otherwise the deal will be played again
                live_feed.show(claim.match, played, datetime.now(UTC))
            live_feed.publish(LiveEvent("began", league.id, match))

        try:
            ending = await self._runner.play(
                self._plan(claim, table),
                partial(_seat, claim.match, table),
                partial(self._commit, claim),
                on_start,
            )
        finally:
            live_feed.hide(match)
        if ending.cause is not None:
            self._context.statistics.void += 1
            await self._void(claim, ending.cause, ending.detail)
        elif ending.result is not None:
            most = league.settings.bench_after
            for seat in ending.result.forfeits:
                name = claim.match.seats[seat].entrant
                await self._bench.after_forfeit(most, name, ending.result, seat)
        live_feed.publish(LiveEvent("ended", league.id, match))

    def _plan(self, claim: Job, table: Table) -> MatchPlan:
        match, league = claim.match, self._schedule.league
        plan = match_plan(
            ("league", league.id),
            league.settings,
            claim,
            tuple(map(str, match.versions)),
            position=match.position,
            started=(match.started_at or datetime.now(UTC)).isoformat(),
        )
        packages = {
            name: bot.package
            for name, bot in zip(plan.entrants, table, strict=True)
            if bot is not None and bot.hosted
        }
        control = league.settings.time_control_of(hosted=len(packages) == len(table))
        return replace(plan, time_control=control, packages=packages)

    async def _void(self, claim: Job, cause: Cause, detail: str) -> None:
        """Void an attempt; the match is scheduled again, unless the referee fails at it always."""
        match, store = claim.match, self._context.store
        extra = {**self._schedule.about, "match": match.id, "cause": cause.value}
        log.warning("match %s is void: %s", match.id, detail, extra=extra)
        voided = partial(
            store.void, self._context.name, match.id, claim.attempt, cause.value, detail
        )
        await self._retry.call(match.id, voided)
        if cause in (Cause.REFEREE, Cause.MACHINE) and not detail.startswith(NOT_COUNTED):
            await self._bench.after_void(claim, detail)
        if cause is Cause.REFEREE and detail != SERVER_STOPS and claim.attempt >= MOST_ATTEMPTS:
            dropped = await self._retry.call(match.id, partial(store.drop, [match.id]))
            if dropped:
                why = f"the referee failed at it, and it was tried {claim.attempt} times."
                self._schedule.remove(match, why)
        again = await self._retry.call(match.id, partial(store.match, match.id))
        if again.state == MatchState.SCHEDULED:
            self._schedule.add([again])

    # The result ---------------------------------------------------------------------------------

    async def _commit(self, claim: Job, result: MatchResult) -> bool:
        """Commit a result, once; return whether it counts."""
        match = claim.match
        rated = tuple(seat.rated for seat in match.seats)
        played = await asyncio.to_thread(played_match, claim, rated, result, 0.0)
        written = partial(self._context.store.commit, self._context.name, [played])
        if not (
            await self._retry.call(match.id, written)
            # A commit that was reported as failed may have been successful.
            or await self._retry.call(match.id, partial(self._is_written, claim))
        ):
            log.warning(
                "match %s was taken over by another server: its result is discarded here",
                match.id,
                extra={**self._schedule.about, "match": match.id},
            )
            return False
        self._context.statistics.add(result)
        self._schedule.learn(match, played.result)
        log.info(
            "match %s ended: %s",
            match.id,
            ", ".join(
                f"{place}. {version}"
                for place, version in sorted(zip(result.places, match.versions, strict=True))
            ),
            extra={**self._schedule.about, "match": match.id, "decisions": result.decisions},
        )
        self._context.standings.changed(self._schedule.league.id)
        return True

    def _is_written(self, claim: Job) -> bool:
        """Return whether this attempt counts already; in a thread."""
        match = self._context.store.match(claim.match.id)
        ours = (match.server, match.attempt) == (self._context.name, claim.attempt)
        return ours and match.state in (MatchState.PLAYED, MatchState.ANNULLED)


def _bots(table: Table) -> list[SeatableBot]:
    return [bot for bot in table if bot is not None]


async def _seat(match: ScheduledMatch, table: Table, plan: MatchPlan) -> Seats:
    """Seat the bots of a match; those that are not there have left the duplicate set, and forfeit.

    Connected bots come last and together: the others may take a while to start, and a connected
    bot that leaves meanwhile has not begun the match.
    """
    found: Arrivals = dict.fromkeys(plan.entrants, LEFT_THE_SET)
    by_name = {name: bot for name, bot in zip(plan.entrants, table, strict=True) if bot is not None}

    async def seat(name: str) -> Arrivals:
        return {name: await by_name[name].seat(match, plan)}

    hosted = [asyncio.create_task(seat(name)) for name, bot in by_name.items() if bot.hosted]
    if hosted:
        await gather_arrivals(hosted, found, plan.match)
        _check_connected(by_name.values(), found, plan.match)
    for name, bot in by_name.items():
        if not bot.hosted:
            found |= await seat(name)
    return seats_of(plan, found)


def _check_connected(bots: Iterable[SeatableBot], found: Arrivals, match: str) -> None:
    """Dismiss the bots of a match if a connected one has left; raises BotLeftError."""
    if all(bot.hosted or bot.present for bot in bots):
        return
    for arrived in found.values():
        if isinstance(arrived, SeatedBot):
            arrived.dismiss(match)
    raise BotLeftError(LEFT)
