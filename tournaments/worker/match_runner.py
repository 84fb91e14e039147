"""One attempt at a scheduled match: seat the bots, play, commit, classify the ending.

Tournaments use it in worker processes, leagues on the event loop of their server. It is in this
package because a worker process loads neither the store nor the ratings.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from engine import HighstreetError, Seat
from referee.match import Absence, LagMeter, Match, MatchPlan, MatchResult, Player
from referee.model import Cause, Fault
from referee.record import compressed
from referee.transports import BotStartError, GrpcPlayer, Session
from tournaments.model import (
    DeathKind,
    FaultNote,
    Job,
    LeagueSettings,
    PlayedMatch,
    Result,
    Settings,
    attempt_id,
)
from tournaments.worker.bot_pool import PooledBot

log = logging.getLogger(__name__)

BotDeath = tuple[DeathKind, str]
"""What became of a bot process during a match, and its entrant."""


@dataclass(frozen=True, slots=True)
class SeatedBot:
    """A bot at a seat."""

    player: Player
    pooled: PooledBot | None = None
    """The process of a bot that this machine started."""
    session: Session | None = None
    """The connection of a remote bot."""
    on_end: Callable[[], None] | None = None
    """Called when the match is over, before the process is given back or closed."""

    @classmethod
    def remote(cls, session: Session, match: str) -> SeatedBot:
        """Seat a remote bot."""
        player = GrpcPlayer(session)
        session.attach(match, player)
        return cls(player, session=session)

    def dismiss(self, match: str) -> None:
        """Take the bot from a match that did not come to its end; close its process."""
        self.release(again=False)
        if self.session is not None:
            self.session.detach(match)

    def release(self, *, again: bool) -> None:
        """Give the process back to its pool, or close it if it may not play again."""
        if self.on_end is not None:
            self.on_end()
        if self.pooled is not None and again:
            self.pooled.give_back()
        elif self.pooled is not None:
            self.pooled.retire()


Seats = tuple[Sequence[SeatedBot], Mapping[Seat, Absence]]
"""The bots by seat, and the seats that are absent."""
SeatBots = Callable[[MatchPlan], Awaitable[Seats]]
"""Brings the bots of a match to their seats."""
Commit = Callable[[MatchResult], Awaitable[bool]]
"""Commits a result, and returns whether it counts."""


class BotKilledError(HighstreetError):
    """A bot whose process was ended by SIGKILL before the match began."""

    def __init__(self, entrant: str, message: str) -> None:
        super().__init__(message)
        self.entrant = entrant


class BotLeftError(HighstreetError):
    """A remote bot that left before the match began."""


@dataclass(frozen=True, slots=True)
class MatchEnding:
    """How an attempt ended: it counts, it is void with a cause, or its result was not committed."""

    result: MatchResult | None = None
    counts: bool = False
    cause: Cause | None = None
    """The cause of a void attempt."""
    detail: str = ""
    deaths: tuple[BotDeath, ...] = ()


class MatchRunner:
    """Plays matches side by side on one event loop."""

    def __init__(self, lag: LagMeter, *fatal: type[Exception]) -> None:
        """Take the lag meter of the event loop, and the errors that are not the match's own.

        ``play`` raises those; every other error makes the match void.
        """
        self._lag = lag
        self._fatal = fatal
        self._matches: dict[asyncio.Task[None], Match | None] = {}

    @property
    def running(self) -> int:
        """The number of matches that have begun, or whose bots are being seated."""
        return len(self._matches)

    def start(self, playing: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task that calls ``play`` once."""
        task = asyncio.create_task(playing)
        self._matches[task] = None
        task.add_done_callback(self._matches.pop)
        return task

    async def wait(self, seconds: float | None = None) -> None:
        """Wait until all matches have ended, at most for some time."""
        if self._matches:
            await asyncio.wait(list(self._matches), timeout=seconds)

    def stop_all(self, detail: str) -> list[asyncio.Task[None]]:
        """Stop all matches, which become void; return the tasks whose match has not begun."""
        for match in self._matches.values():
            if match is not None:
                match.stop(Cause.REFEREE, detail)
        return [task for task, match in self._matches.items() if match is None]

    async def play(
        self,
        plan: MatchPlan,
        seat: SeatBots,
        commit: Commit,
        on_start: Callable[[Match], None] | None = None,
    ) -> MatchEnding:
        """Play one match in a task of ``start``, and commit it before its bots are notified.

        A match in which a bot process died is void, and not committed.
        """
        bots: Sequence[SeatedBot] = ()
        deaths: Sequence[BotDeath] = ()
        counts = False

        async def commit_unless_void(result: MatchResult) -> bool:
            nonlocal counts, deaths
            deaths = _processes_killed(result, bots)
            counts = not deaths and await commit(result)
            return counts

        try:
            bots, absent = await seat(plan)
            match = Match(plan, [bot.player for bot in bots], self._lag, absent=absent)
            task = asyncio.current_task()
            if task in self._matches:
                self._matches[task] = match
            if on_start is not None:
                on_start(match)
            result = await match.play(commit_unless_void)
        except BaseException as error:
            for bot in bots:
                bot.dismiss(plan.match)
            if isinstance(error, self._fatal) or not isinstance(error, Exception):
                raise
            return failed(plan.match, error)
        _release(bots, result, counts=counts)
        if result.void:
            stopped = [(DeathKind.STOPPED, plan.entrants[seat]) for seat in result.stopped]
            last = result.causes[-1]
            return MatchEnding(result, False, last.cause, last.detail, tuple(stopped))
        if deaths:
            names = " and that of ".join(name for _, name in deaths)
            detail = f"the process of {names} was ended by SIGKILL"
            return MatchEnding(result, False, Cause.MACHINE, detail, tuple(deaths))
        return MatchEnding(result, counts)


def failed(match: str, error: Exception) -> MatchEnding:
    """Classify an attempt that ended with an error."""
    if isinstance(error, BotStartError):
        return MatchEnding(cause=Cause.MACHINE, detail=str(error))
    if isinstance(error, BotLeftError):
        return MatchEnding(cause=Cause.NETWORK, detail=str(error))
    if isinstance(error, BotKilledError):
        deaths = ((DeathKind.PROCESS, error.entrant),)
        return MatchEnding(cause=Cause.MACHINE, detail=str(error), deaths=deaths)
    reference = secrets.token_hex(4)
    log.error("match %s is void, reference %s", match, reference, exc_info=error)
    detail = f"{type(error).__name__}, reference {reference}"
    return MatchEnding(cause=Cause.REFEREE, detail=detail)


_DEADLY = {Fault.CRASH.value, Fault.DISCONNECT.value}
"""The faults of a process that was ended by SIGKILL."""


def _processes_killed(result: MatchResult, bots: Sequence[SeatedBot]) -> list[BotDeath]:
    """Return the bot processes that died before the match was over.

    A process that dies after its last decision has played the whole match, and its result counts.
    """
    struck = not _DEADLY.isdisjoint(result.strikes)
    failed = {cause.seat for cause in result.causes if cause.fault in _DEADLY}
    return [
        (DeathKind.PROCESS, name)
        for seat, (name, bot) in enumerate(zip(result.plan.entrants, bots, strict=True))
        if bot.pooled is not None and bot.pooled.bot.killed and (struck or seat in failed)
    ]


def _release(bots: Sequence[SeatedBot], result: MatchResult, *, counts: bool) -> None:
    """Give bot processes back to their pool; close those that may not or cannot play on."""
    seen_again = not counts and not result.plan.reveal_seed
    """Whether they have seen a deal that will be played again."""
    for seat, bot in enumerate(bots):
        # One that forfeited may hang: the next one is a new process.
        bot.release(again=not (seen_again or seat in result.forfeits or seat in result.stopped))


def match_plan(
    competition: tuple[str, str],
    settings: Settings,
    job: Job,
    entrants: tuple[str, ...],
    **more: object,
) -> MatchPlan:
    """Return the plan of an attempt at a match.

    ``competition`` is its kind and its name, ``entrants`` their names in the record, and ``more``
    further fields for the head of the record.
    """
    kind, name = competition
    match = job.match
    about = {"name": name, "match": match.id, "set": match.set_id, "variant": match.variant, **more}
    return MatchPlan(
        attempt_id(match.id, job.attempt),
        settings.game(match.game).rules,
        settings.options_of(match),
        job.seed,
        job.salt,
        entrants,
        settings.time_control,
        settings.policy,
        reveal_seed=not job.duplicate,
        about={kind: about},
    )


def league_plan(
    league: str, settings: LeagueSettings, job: Job, packages: Mapping[str, str]
) -> MatchPlan:
    """Return the plan of an attempt at a match of a league.

    ``packages`` has the hash of each hosted version by its name; there may be others in it.
    """
    match = job.match
    names = tuple(map(str, match.versions))
    plan = match_plan(
        ("league", league),
        settings,
        job,
        names,
        position=match.position,
        started=(match.started_at or datetime.now(UTC)).isoformat(),
    )
    hosted = {name: packages[name] for name in names if name in packages}
    control = settings.time_control_of(hosted=len(hosted) == len(names))
    return replace(plan, time_control=control, packages=hosted)


def played_match(
    job: Job, entrants: tuple[str, ...], result: MatchResult, seconds: float
) -> PlayedMatch:
    """Return a result as it is committed, with a compressed record; ``entrants`` are rated names.

    This takes milliseconds.
    """
    match = job.match
    return PlayedMatch(
        Result(
            match.id,
            match.set_id,
            match.game,
            match.variant,
            entrants,
            tuple(result.places),
            tuple(result.scores),
            tuple(map(int, result.forfeits)),
            tuple([used.total_seconds() for used in result.used]),
            result.decisions,
        ),
        job.attempt,
        seconds,
        compressed(result.record),
        result.ending,
        fault_notes(job, result),
    )


def fault_notes(job: Job, result: MatchResult) -> tuple[FaultNote, ...]:
    """Return what entrants did wrong in a match, or what was done to them."""
    match, now = job.match, datetime.now(UTC)
    return tuple(
        FaultNote(
            match.id,
            match.seats[cause.seat].entrant,
            cause.fault,
            cause.cause.value,
            cause.detail,
            now,
        )
        for cause in result.causes
        if cause.seat is not None
    )
