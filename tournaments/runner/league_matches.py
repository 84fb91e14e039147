"""The matches of a league that this server plays: claim, play, commit, bench."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Final

from referee.match import Absence, Match, MatchPlan, MatchResult
from referee.model import Cause, Fault
from tournaments.model import (
    Death,
    DeathKind,
    FaultNote,
    Job,
    MatchState,
    PlayedMatch,
    ScheduledMatch,
    attempt_id,
)
from tournaments.runner.bench import (
    NOT_COUNTED,
    SERVER_STOPS,
    WORKER_FAILED,
    LeagueBench,
    benched_note,
)
from tournaments.runner.dispatch import ProcessDeath
from tournaments.runner.league_bots import LeagueBots
from tournaments.runner.league_context import Hold, LeagueContext, StoreRetry
from tournaments.runner.league_deaths import LeagueDeaths
from tournaments.runner.league_schedule import LeagueSchedule
from tournaments.runner.live_feed import LiveEvent
from tournaments.runner.seatable import MatchCluster, SeatableBot
from tournaments.store import StoreError
from tournaments.worker import (
    Arrivals,
    BotLeftError,
    MatchEnding,
    MatchRunner,
    SeatedBot,
    Seats,
    fault_notes,
    gather_arrivals,
    league_plan,
    played_match,
    seats_of,
)

log = logging.getLogger(__name__)

MOST_ATTEMPTS: Final = 3
"""After how many attempts a match is not tried again at which the referee fails."""
MOST_LOST: Final = 5
"""After how many attempts it is not tried again if it is lost with a worker of a cluster."""
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
        self._deaths = LeagueDeaths(kind=DeathKind.REFEREE)
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
        hold = self._context.hold(_bots(table), here=None in table)
        task = self._runner.start(self._play(match, table, hold))
        self._unresolved[task] = match.id
        task.add_done_callback(self._on_done)

    async def stop(self, grace: float) -> None:
        """Let matches end within the grace period, and void the others."""
        await self._runner.wait(grace)
        self._runner.stop_all(SERVER_STOPS)
        hosting = self._context.hosting
        if hosting is not None and hosting.cluster is not None:
            hosting.cluster.stop_all(SERVER_STOPS)
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

    async def _play(self, match: ScheduledMatch, table: Table, hold: Hold) -> None:
        try:
            claim = await asyncio.to_thread(self._claim, match, with_absent=None in table)
            if claim is None:
                return  # another server has it, or an entrant withdrew
            if self._retry.stopping.is_set() or not all(bot.present for bot in hold.bots):
                await self._void(claim, Cause.NETWORK, LEFT)
            elif hold.cluster is not None:
                await self._play_on_cluster(claim, table, hold.cluster)
            else:
                await self._play_claimed(claim, table)
        finally:
            self._context.release(hold)

    def _claim(self, match: ScheduledMatch, *, with_absent: bool) -> Job | None:
        """Claim a match, unless that was done when it was scheduled; in a thread."""
        store, name = self._context.store, self._context.name
        if match.state == MatchState.RUNNING:
            return store.held(name, match.id)
        return store.claim(name, match.id, self._context.lease, with_absent=with_absent)

    async def _play_claimed(self, claim: Job, table: Table) -> None:
        league, match = self._schedule.league, claim.match.id
        live_feed = self._context.live_feed
        self._deaths.note_started(claim.match)

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
            self._deaths.note_ended(match)
        if ending.cause is not None:
            death = self._charged(claim, ending)
            await self._void_played(claim, ending.cause, ending.detail, death)
        elif ending.result is not None:
            result = ending.result
            await self._bench_forfeits(claim, result.forfeits, fault_notes(claim, result))
        live_feed.publish(LiveEvent("ended", league.id, match))

    async def _play_on_cluster(self, claim: Job, table: Table, cluster: MatchCluster) -> None:
        """Play a match between hosted bots on a worker, which spectators cannot follow."""
        league, match = self._schedule.league, claim.match
        live_feed = self._context.live_feed
        live_feed.publish(LiveEvent("began", league.id, match.id))
        answer = await cluster.play(claim, league, _packages(claim, table))
        if isinstance(answer, PlayedMatch):
            await self._write(claim, answer)
            cluster.acknowledge(match)
            await self._bench_forfeits(claim, answer.result.forfeits, answer.faults)
        else:
            void = answer.void
            await self._void_played(claim, Cause(void.cause), void.detail, answer.death)
        live_feed.publish(LiveEvent("ended", league.id, match.id))

    async def _bench_forfeits(
        self, claim: Job, forfeits: Iterable[int], notes: Iterable[FaultNote]
    ) -> None:
        """Bench the entrants that forfeited a match, if it was one too many in a row."""
        most = self._schedule.league.settings.bench_after
        attempt = attempt_id(claim.match.id, claim.attempt)
        first = {note.entrant: note for note in reversed(tuple(notes))}
        for seat in forfeits:
            note = first[claim.match.seats[seat].entrant]
            await self._bench.after_forfeit(most, attempt, note)

    def _charged(self, claim: Job, ending: MatchEnding) -> Death | None:
        """Return what is charged for an attempt that is void through no bot and no network."""
        if not _is_counted(ending.cause, ending.detail):
            return None
        entrants = {str(version): version.entrant for version in claim.match.versions}
        owners = [entrants[version] for _, version in ending.deaths]
        failure = ProcessDeath(ending.detail, [claim], [])
        return self._deaths.charged(failure, owners).get(self._schedule.league.id)

    async def _void_played(
        self, claim: Job, cause: Cause, detail: str, death: Death | None = None
    ) -> None:
        """Void an attempt that had begun, and charge what it was lost with."""
        self._context.statistics.void += 1
        await self._void(claim, cause, detail)
        if death is not None:
            await self._bench.after_failure(claim.match.id, death)

    def _plan(self, claim: Job, table: Table) -> MatchPlan:
        league = self._schedule.league
        return league_plan(league.id, league.settings, claim, _packages(claim, table))

    async def _void(self, claim: Job, cause: Cause, detail: str) -> None:
        """Void an attempt; the match is scheduled again, unless the referee fails at it always."""
        match, store = claim.match, self._context.store
        extra = {**self._schedule.about, "match": match.id, "cause": cause.value}
        log.warning("match %s is void: %s", match.id, detail, extra=extra)
        voided = partial(
            store.void, self._context.name, match.id, claim.attempt, cause.value, detail
        )
        await self._retry.call(match.id, voided)
        if _is_given_up(claim, cause, detail):
            dropped = await self._retry.call(match.id, partial(store.drop, [match.id]))
            if dropped:
                why = f"the referee failed at it, and it was tried {claim.attempt} times."
                self._schedule.remove(match, why)
                self._context.standings.changed(self._schedule.league.id)
        again = await self._retry.call(match.id, partial(store.match, match.id))
        if again.state == MatchState.SCHEDULED:
            self._schedule.add([again])

    # The result ---------------------------------------------------------------------------------

    async def _commit(self, claim: Job, result: MatchResult) -> bool:
        """Commit what was played here, once; return whether it counts."""
        rated = tuple(seat.rated for seat in claim.match.seats)
        played = await asyncio.to_thread(played_match, claim, rated, result, 0.0)
        counts = await self._write(claim, played)
        if counts:
            self._context.statistics.add_decisions(result)
        return counts

    async def _write(self, claim: Job, played: PlayedMatch) -> bool:
        """Commit a result, once; return whether it counts."""
        match, result = claim.match, played.result
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
        self._context.statistics.add(played)
        first = self._schedule.learn(match, result)
        log.info(
            "match %s ended: %s",
            match.id,
            ", ".join(
                f"{place}. {version}"
                for place, version in sorted(zip(result.places, match.versions, strict=True))
            ),
            extra={**self._schedule.about, "match": match.id, "decisions": result.decisions},
        )
        self._context.standings.changed(self._schedule.league.id, at_once=first)
        return True

    def _is_written(self, claim: Job) -> bool:
        """Return whether this attempt counts already; in a thread."""
        match = self._context.store.match(claim.match.id)
        ours = (match.server, match.attempt) == (self._context.name, claim.attempt)
        return ours and match.state in (MatchState.PLAYED, MatchState.ANNULLED)


def _is_counted(cause: Cause | None, detail: str) -> bool:
    """Return whether a bot may have caused that an attempt is void."""
    return cause in (Cause.REFEREE, Cause.MACHINE) and not detail.startswith(NOT_COUNTED)


def _is_given_up(claim: Job, cause: Cause, detail: str) -> bool:
    """Return whether a match is not tried again after this attempt.

    A bot that makes a match void whenever it is about to lose would otherwise do so without end.
    """
    if _is_counted(cause, detail):
        return claim.attempt >= MOST_ATTEMPTS
    return detail.startswith(WORKER_FAILED) and claim.attempt >= MOST_LOST


def _bots(table: Table) -> list[SeatableBot]:
    return [bot for bot in table if bot is not None]


def _packages(claim: Job, table: Table) -> dict[str, str]:
    """Return the hash of the package of each hosted version, by its name."""
    names = map(str, claim.match.versions)
    return {
        name: bot.package
        for name, bot in zip(names, table, strict=True)
        if bot is not None and bot.hosted
    }


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
