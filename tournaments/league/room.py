"""One league while it is played: who sits where next, and what comes of it.

Everything here happens on the event loop that keeps the clocks, and is short; the store is asked
beside it. A bot that is chosen is held from that moment, so that two tables never want it for the
same place.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from random import random
from typing import Final, TypeVar

import zstandard

from engine import Seed
from referee import Cause, LagMeter, MatchPlan, MatchResult, RefereeServer, Table
from referee.server import GrpcPlayer, Session
from tournaments.league import ladder, rounds
from tournaments.league.absence import Absences, versions_of
from tournaments.league.clerk import Clerk
from tournaments.league.door import benched_note
from tournaments.league.live import Gallery, LiveEvent
from tournaments.league.model import (
    Claim,
    ConflictError,
    Deals,
    EntrantState,
    FaultNote,
    Finished,
    League,
    LeagueMatch,
    LeagueState,
    MatchState,
    PlannedSet,
    Scheduler,
)
from tournaments.league.situation import Choice, Ledger, Present, Situation, Version
from tournaments.league.spread import Spread
from tournaments.league.store import LeagueStore
from tournaments.results import Result
from tournaments.store import StoreError

log = logging.getLogger(__name__)

LOOK_AGAIN: Final = 5.0
"""Somebody may have become free, or a round may have ended, without anybody saying so: seconds."""
PAUSE: Final = 2.0
"""Between two attempts at a store that does not answer, in seconds."""
REMEMBERED: Final = 4096
"""How many of our own matches we know by their ids."""
SET_UP_AT_ONCE: Final = 8
"""So many tables at most are scheduled in one transaction: the first of them waits for the last."""
PAUSES: Final = (0.5, 1.0, 2.0, 4.0, 8.0, 15.0)
"""The same while something that was played is not written; the last one again and again."""
MOST_ATTEMPTS: Final = 3
"""A match at which the referee itself fails so often is not tried again."""

T = TypeVar("T")


@dataclass(slots=True)
class Figures:
    """What has happened since the server began, for those who watch it."""

    matches: int = 0
    void: int = 0
    decisions: int = 0
    thought: Spread = field(default_factory=Spread)
    """The seconds that bots took for each decision, as their clocks saw it."""
    strikes: Counter[str] = field(default_factory=Counter)
    """By what led to them."""
    faults: Counter[str] = field(default_factory=Counter)
    """Forfeits, by what led to them."""


@dataclass(slots=True, eq=False)
class Floor:
    """What all leagues of a server share."""

    store: LeagueStore
    server: RefereeServer
    lag: LagMeter
    gallery: Gallery
    clerk: Clerk
    lease: float
    patience: float
    """How many seconds a match waits for a bot that is away."""
    name: str = ""
    """Under which this process claims matches; it is known when we listen."""
    figures: Figures = field(default_factory=Figures)
    held: Counter[Session] = field(default_factory=Counter)
    """How many places at tables that are being set up each session is wanted for."""

    def places(self, session: Session) -> int:
        """Return how many more matches a bot can play at this moment."""
        return session.max_matches - session.playing - self.held[session]

    def hold(self, sessions: Sequence[Session]) -> None:
        """Keep a place of each for a table."""
        self.held.update(sessions)

    def let_go(self, sessions: Sequence[Session]) -> None:
        """Give back the places that were kept."""
        self.held.subtract(sessions)
        for session in set(sessions):
            if self.held[session] <= 0:
                del self.held[session]


class Room:
    """Plays one league."""

    def __init__(self, league: League, floor: Floor) -> None:
        self.league = league
        self._floor = floor
        self._news = asyncio.Event()
        self._halt = asyncio.Event()
        self._ledger: Ledger | None = None
        self._seated: set[str] = set()
        """What the ledger knows and has no result yet."""
        self._waiting: OrderedDict[str, LeagueMatch] = OrderedDict()
        """What is scheduled and not being played here, the oldest first."""
        self._additions = 0
        """How often something was added to this by ourselves."""
        self._benched: tuple[LeagueMatch, ...] = ()
        """What waits for somebody who may not be seated."""
        self._absences = Absences(floor.patience)
        self._tables: dict[asyncio.Task[None], Table | None] = {}
        """What is being played; nothing where the match is still being claimed."""
        self._in_hand: dict[asyncio.Task[None], str] = {}
        """Which match that is, until the store knows what became of it."""
        self._ours: OrderedDict[str, None] = OrderedDict()
        """What this server has begun last, so that it is not taken for somebody else's."""
        self._elsewhere = 0
        """How many matches of the league other servers play."""
        self._stale = False
        """Whether results were taken away, so that the ledger must be made anew."""
        self._unsure = False
        """Whether the store may have done something without our knowing."""

    # From outside -------------------------------------------------------------------------------

    def wake(self) -> None:
        """Look again who is free."""
        self._news.set()

    def recount(self) -> None:
        """Forget the ratings: results have been taken away."""
        self._stale = True
        self.wake()

    @property
    def running(self) -> int:
        """How many matches are being played here."""
        return len(self._tables)

    @property
    def in_hand(self) -> frozenset[str]:
        """The matches of which the store does not know yet what became of them."""
        return frozenset(self._in_hand.values())

    @property
    def _stopping(self) -> bool:
        return self._halt.is_set()

    async def refresh(self) -> None:
        """Look what the store has to play, and whether the league goes on."""
        store, name = self._floor.store, self.league.id
        self.league = await asyncio.to_thread(store.league, name)
        running = await asyncio.to_thread(store.running, name)
        self._benched = await asyncio.to_thread(store.benched, name)
        self._elsewhere = sum(match.id not in self._ours for match in running)
        self._waiting = OrderedDict((match.id, match) for match in await self._claimable())
        self._unsure = False
        self.wake()

    async def _claimable(self) -> Sequence[LeagueMatch]:
        """Return what waits, with what we have scheduled while we asked."""
        while True:
            additions = self._additions
            found = await asyncio.to_thread(self._floor.store.claimable, self.league.id)
            if additions == self._additions:
                return found

    async def run(self) -> None:
        """Seat bots until the league is closed or the server stops."""
        while not self._stopping and self.league.state == LeagueState.OPEN:
            self._news.clear()
            try:
                await self._seat()
            except StoreError as error:
                log.error("%s waits: %s", self.league.id, error, extra=self._about())  # noqa: TRY400
                self._unsure = True
                await self._pause(PAUSE)
                continue
            except Exception:
                log.exception("%s: no table could be set up", self.league.id, extra=self._about())
                await self._pause(PAUSE)
                continue
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_AGAIN):
                    await self._news.wait()

    def close(self) -> None:
        """Seat nobody any more."""
        self._halt.set()
        self.wake()

    async def stop(self, grace: float) -> None:
        """Seat nobody any more; let matches finish for so long, then void them."""
        self.close()
        if self._tables:
            await asyncio.wait(list(self._tables), timeout=grace)
        for table in self._tables.values():
            if table is not None:
                table.stop(Cause.REFEREE, "the server was stopped")
        if self._tables:
            await asyncio.wait(list(self._tables))

    async def _seat(self) -> None:
        """Seat everybody who can be seated now."""
        if self._ledger is None or self._stale:
            await self._open()
        elif self._unsure:
            await self.refresh()
        await self._drop_what_waits_in_vain()
        while await self._seat_next():
            pass

    async def _open(self) -> None:
        self._stale = False
        self._ledger = await self._floor.clerk.ledger(self.league)
        self._seated.clear()
        if self._ledger.position:
            self._floor.clerk.changed(self.league.id)  # the last server may not have counted all
        await self.refresh()
        for match in self._waiting.values():
            self._enter(match)

    def _enter(self, match: LeagueMatch) -> None:
        """Let the ledger know of a match that will be played, once."""
        if self._ledger is not None and match.id not in self._seated:
            self._seated.add(match.id)
            self._ledger.seat(match.game, match.variant, versions_of(match))

    def _add(self, matches: Sequence[LeagueMatch]) -> None:
        """Learn of matches that were scheduled just now."""
        self._additions += 1
        for match in matches:
            self._enter(match)
            if match.state == MatchState.SCHEDULED:
                self._waiting[match.id] = match

    async def _pause(self, seconds: float) -> None:
        """Wait, unless the server stops."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await self._halt.wait()

    def _about(self) -> dict[str, str]:
        return {"league": self.league.id}

    # Who is next --------------------------------------------------------------------------------

    async def _seat_next(self) -> bool:
        """Set up one more table, if there is room and somebody to sit there."""
        if self._stopping or self._stale:
            return False
        if len(self._tables) + self._elsewhere >= self.league.settings.max_tables:
            return False
        if self.league.settings.scheduler == Scheduler.ROUNDS:
            return await self._next_of_round()
        return self._seat_waiting() or await self._next_of_ladder()

    def _seat_waiting(self) -> bool:
        """Begin a match that is scheduled already, if all its bots are free."""
        if not self._waiting:
            return False
        free = {version for version, sessions in self._free().items() if sessions}
        for match in self._waiting.values():
            table = versions_of(match)
            if free.issuperset(table) and (sessions := self._pick(match.game, table)):
                self._begin(match, sessions)
                return True
        return False

    async def _next_of_ladder(self) -> bool:
        """Set up the tables that the ladder wants now, a few at a time."""
        assert self._ledger is not None  # noqa: S101  the room is open
        settings, running = self.league.settings, len(self._tables)
        most = min(settings.max_tables - running - self._elsewhere, SET_UP_AT_ONCE)
        situation = Situation.of(settings.games, self._unreserved(), self._ledger, running)
        tables = [
            (choice, sessions)
            for choice in ladder.choose_several(situation, random, most)
            if (sessions := self._pick(choice.game, choice.table))
        ]
        held = [session for _, sessions in tables for session in sessions]
        self._floor.hold(held)
        try:
            scheduled = await self._schedule([choice for choice, _ in tables])
        finally:
            self._floor.let_go(held)
        for (_, sessions), matches in zip(tables, scheduled, strict=True):
            if matches:
                self._add(matches)
                self._begin(matches[0], sessions)
        return any(scheduled)

    async def _schedule(self, choices: Sequence[Choice]) -> Sequence[Sequence[LeagueMatch]]:
        """Schedule what the ladder has chosen; nothing of a table where somebody was sent away."""
        if not choices:
            return []
        try:
            scheduled = await asyncio.to_thread(self._add_sets, choices)
        except ConflictError as error:
            if len(choices) > 1:  # the others can do without that table
                return [each for one in choices for each in await self._schedule([one])]
            log.info("%s: no table: %s", self.league.id, error, extra=self._about())
            await self._pause(PAUSE)
            return [()]
        for choice, matches in zip(choices, scheduled, strict=True):
            log.info(
                "%s: %s play %s, %s: %s",
                self.league.id,
                " and ".join(map(str, choice.table)),
                choice.game,
                choice.variant,
                choice.why,
                extra={**self._about(), "match": matches[0].id, "why": choice.why},
            )
        return scheduled

    def _add_sets(self, choices: Sequence[Choice]) -> Sequence[Sequence[LeagueMatch]]:
        """Write tables into the schedule, with a claim on the first match of each."""
        return self._floor.store.add_sets(
            self.league.id,
            [PlannedSet(each.game, each.variant, each.table, each.why) for each in choices],
            claim_for=self._floor.name,
            lease_seconds=self._floor.lease,
        )

    def _present(self) -> list[Present]:
        """Return everybody who is there, with how many more matches each can play."""
        there: dict[Version, list[Session]] = {}
        for session in self._sessions():
            there.setdefault(Version(session.entrant, session.bot_version), []).append(session)
        return [
            Present(
                version,
                sum(max(0, self._floor.places(session)) for session in sessions),
                _games(sessions),
            )
            for version, sessions in there.items()
        ]

    def _unreserved(self) -> list[Present]:
        """Return everybody who is there; who has a match waiting here keeps a place for it.

        Otherwise two who never become free together would never play what waits for them.
        """
        there = self._there()
        wanted = Counter(
            version
            for match in self._waiting.values()
            if there[match.game].issuperset(versions_of(match))
            for version in versions_of(match)
        )
        return [
            replace(each, free=max(0, each.free - wanted[each.version])) for each in self._present()
        ]

    def _there(self) -> dict[str, set[Version]]:
        """Return who is there for each game."""
        there: defaultdict[str, set[Version]] = defaultdict(set)
        for session in self._sessions():
            for rules in self.league.settings.games:
                if session.stays_for(rules.game):
                    there[rules.game].add(Version(session.entrant, session.bot_version))
        return there

    async def _drop_what_waits_in_vain(self) -> None:
        """Give up matches of ours for which somebody has not come for too long."""
        ours = {
            match.id: match
            for match in (*self._waiting.values(), *self._benched)
            if match.server == self._floor.name
        }
        now = asyncio.get_running_loop().time()
        hopeless = self._absences.in_vain(ours.values(), self._there(), now)
        if not hopeless:
            return
        ids = [each.match for each in hopeless]
        dropped = await asyncio.to_thread(self._floor.store.drop, ids, self._floor.name)
        self._benched = tuple(match for match in self._benched if match.id not in dropped)
        for each in hopeless:
            self._waiting.pop(each.match, None)
            if each.match in dropped:
                self._forget(ours[each.match], each.why)

    def _forget(self, match: LeagueMatch, why: str) -> None:
        """Let the ledger know that a match will not be played."""
        if self._ledger is not None and match.id in self._seated:
            self._seated.remove(match.id)
            self._ledger.unseat(match.game, match.variant, versions_of(match))
        about = {**self._about(), "match": match.id}
        log.info("match %s is not played: %s", match.id, why, extra=about)

    def _sessions(self) -> list[Session]:
        return [
            session
            for session in self._floor.server.sessions
            if session.league == self.league.id and session.connected and not session.leaving
        ]

    def _free(self) -> dict[Version, list[Session]]:
        """Return the connections that have room for a match, those with most room first."""
        free: dict[Version, list[Session]] = {}
        for session in sorted(self._sessions(), key=self._floor.places, reverse=True):
            if self._floor.places(session) > 0:
                free.setdefault(Version(session.entrant, session.bot_version), []).append(session)
        return free

    def _pick(self, game: str, table: Sequence[Version]) -> list[Session] | None:
        """Return a free connection of everybody at a table; nothing if one has none."""
        free = self._free()
        found = [
            next((session for session in free.get(version, ()) if session.stays_for(game)), None)
            for version in table
        ]
        return None if None in found else [session for session in found if session is not None]

    def _are_there(self, sessions: Sequence[Session]) -> bool:
        return all(
            session.connected and not session.leaving and self._floor.places(session) > 0
            for session in sessions
        )

    # One match ----------------------------------------------------------------------------------

    def _begin(self, match: LeagueMatch, sessions: Sequence[Session]) -> None:
        self._waiting.pop(match.id, None)
        self._ours[match.id] = None
        if len(self._ours) > REMEMBERED:
            self._ours.popitem(last=False)
        self._enter(match)
        self._floor.hold(sessions)
        task = asyncio.create_task(self._play(match, sessions))
        self._tables[task] = None
        self._in_hand[task] = match.id
        task.add_done_callback(self._cleared)

    def _cleared(self, task: asyncio.Task[None]) -> None:
        del self._tables[task]
        match = self._in_hand.pop(task)
        error = None if task.cancelled() else task.exception()
        if isinstance(error, StoreError):
            about = {**self._about(), "match": match}
            log.error("match %s will be played again: %s", match, error, extra=about)
        elif error is not None:
            log.error("a table of %s broke", self.league.id, exc_info=error, extra=self._about())
        self.wake()

    async def _play(self, match: LeagueMatch, sessions: Sequence[Session]) -> None:
        """Claim a match, play it and keep what came of it."""
        held = True
        try:
            claim = await asyncio.to_thread(self._claim, match)
            if claim is None:
                return  # another server has it, or somebody withdrew
            self._floor.let_go(sessions)
            held = False
            if self._stopping or not self._are_there(sessions):
                await self._give_up(claim, Cause.NETWORK, "somebody left before it began")
                return
            await self._play_claimed(claim, sessions)
        finally:
            if held:
                self._floor.let_go(sessions)

    def _claim(self, match: LeagueMatch) -> Claim | None:
        """Take a match, unless it was taken for us when it was scheduled; beside the loop."""
        store, name = self._floor.store, self._floor.name
        if match.state == MatchState.RUNNING:
            return store.held(name, match.id)
        return store.claim(name, match.id, self._floor.lease)

    async def _play_claimed(self, claim: Claim, sessions: Sequence[Session]) -> None:
        plan = self._plan(claim)
        players = [GrpcPlayer(session) for session in sessions]
        for session, player in zip(sessions, players, strict=True):
            session.sit_down(plan.match, player)
        table = Table(plan, players, self._floor.lag)
        task = asyncio.current_task()
        assert task is not None  # noqa: S101  this is it
        self._tables[task] = table
        gallery = self._floor.gallery
        if claim.reveal_seed:  # otherwise the deal will be played again
            gallery.show(claim.match, table, datetime.now(UTC))
        gallery.tell(LiveEvent("began", self.league.id, claim.match.id))
        result = None
        try:
            result = await table.play()
        except Exception:
            log.exception("match %s broke", plan.match, extra=self._about())
        finally:
            gallery.hide(claim.match.id)
            if result is None:
                for session in sessions:
                    session.stand_up(plan.match)
        # Its bots are free: another table may have them while the result is written.
        self.wake()
        if result is None:
            await self._give_up_broken(claim)
        elif result.void:
            self._floor.figures.void += 1
            await self._give_up(claim, result.causes[-1].cause, result.causes[-1].detail)
        else:
            await self._keep(claim, result)
        gallery.tell(LiveEvent("ended", self.league.id, claim.match.id))

    def _plan(self, claim: Claim) -> MatchPlan:
        match, settings = claim.match, self.league.settings
        rules = settings.rules_of(match.game)
        again = f"-a{claim.attempt}" if claim.attempt > 1 else ""
        return MatchPlan(
            f"{match.id}{again}",  # another attempt is another match for the bots
            rules.found,
            rules.options_of(match.variant, len(match.seats)),
            Seed(claim.seed),
            claim.salt,
            tuple(map(str, versions_of(match))),
            settings.time_control,
            settings.policy,
            reveal_seed=claim.reveal_seed,
            about={
                "league": {
                    "name": self.league.id,
                    "match": match.id,
                    "set": match.set_id,
                    "variant": match.variant,
                }
            },
        )

    async def _give_up(self, claim: Claim, cause: Cause, detail: str) -> None:
        """Give a match back that does not count: it will be played again."""
        match = claim.match
        log.warning(
            "match %s is void: %s",
            match.id,
            detail,
            extra={**self._about(), "match": match.id, "cause": cause.value},
        )
        store, name = self._floor.store, self._floor.name
        voided = partial(store.void, name, match.id, claim.attempt, cause.value, detail)
        await self._insist(match.id, voided)
        again = await self._insist(match.id, partial(store.match, match.id))
        if again.state == MatchState.SCHEDULED:
            self._add([again])

    async def _give_up_broken(self, claim: Claim) -> None:
        """Give a match back at which the referee failed; not again and again."""
        self._floor.figures.void += 1
        await self._give_up(claim, Cause.REFEREE, "the referee failed; see the log")
        match = claim.match
        if claim.attempt >= MOST_ATTEMPTS:
            dropped = await self._insist(match.id, partial(self._floor.store.drop, [match.id]))
            self._waiting.pop(match.id, None)
            if dropped:
                self._forget(match, f"the referee failed at it {claim.attempt} times.")

    async def _keep(self, claim: Claim, result: MatchResult) -> None:
        """Commit a result, once."""
        match = claim.match.id
        if not (
            await self._insist(match, partial(self._write, claim, result))
            # It may be there although we were told that it could not be written.
            or await self._insist(match, partial(self._is_written, claim))
        ):
            log.warning(
                "match %s was taken over by another server, and its result is not ours to write",
                match,
                extra={**self._about(), "match": match},
            )
            return
        self._count(claim, result)
        self._floor.clerk.changed(self.league.id)
        for seat in result.forfeits:
            await self._bench(claim.match.seats[seat].entrant, result, seat)

    async def _insist(self, match: str, call: Callable[[], T]) -> T:
        """Tell the store what became of a match, again and again until it listens.

        Nothing that was played is given up while the server runs, however long the store is away.
        One that stops asks once more; then its successor lets the match be played again.
        """
        about, failures = {**self._about(), "match": match}, 0
        while True:
            last = self._stopping
            try:
                said = await asyncio.to_thread(call)
            except StoreError as error:
                log.error("match %s is not written yet: %s", match, error, extra=about)  # noqa: TRY400
                if last:
                    raise
                await self._pause(PAUSES[min(failures, len(PAUSES) - 1)])
                failures += 1
                continue
            if failures:
                log.warning("match %s: the store answers again", match, extra=about)
            return said

    def _write(self, claim: Claim, result: MatchResult) -> bool:
        """Compress the record and commit everything; this runs beside the loop."""
        record = zstandard.ZstdCompressor(write_checksum=True).compress(result.record)
        now = datetime.now(UTC)
        faults = [
            FaultNote(
                claim.match.id,
                claim.match.seats[cause.seat].entrant,
                cause.fault,
                cause.cause.value,
                cause.detail,
                now,
            )
            for cause in result.causes
            if cause.seat is not None
        ]
        return self._floor.store.commit(
            self._floor.name, claim.match.id, claim.attempt, Finished.of(result), record, faults
        )

    def _is_written(self, claim: Claim) -> bool:
        """Tell whether this very attempt counts, by whomever it was written; beside the loop."""
        match = self._floor.store.match(claim.match.id)
        ours = (match.server, match.attempt) == (self._floor.name, claim.attempt)
        return ours and match.state in (MatchState.PLAYED, MatchState.ANNULLED)

    def _count(self, claim: Claim, result: MatchResult) -> None:
        """Learn from a result, for the next choice and for those who watch the server."""
        match, figures = claim.match, self._floor.figures
        self._seated.discard(match.id)
        used = tuple(each.total_seconds() for each in result.used)
        figures.matches += 1
        figures.decisions += result.decisions
        for thought in result.thought:
            figures.thought.add(thought.total_seconds())
        figures.strikes.update(result.strikes)
        figures.faults.update(cause.fault for cause in result.causes)
        if self._ledger is not None:
            self._floor.clerk.learn(
                self._ledger,
                Result(
                    match.id,
                    match.set_id,
                    match.game,
                    match.variant,
                    tuple(seat.rated for seat in match.seats),
                    result.places,
                    result.scores,
                    tuple(result.forfeits),
                    used,
                    result.decisions,
                ),
            )
        log.info(
            "match %s ended: %s",
            match.id,
            ", ".join(
                f"{place}. {version}"
                for place, version in sorted(zip(result.places, versions_of(match), strict=True))
            ),
            extra={**self._about(), "match": match.id, "decisions": result.decisions},
        )

    async def _bench(self, name: str, result: MatchResult, seat: int) -> None:
        """Bench a bot that has forfeited too often in a row, and tell its author why."""
        most, store, match = self.league.settings.bench_after, self._floor.store, result.plan.match
        if not most:
            return
        league = self.league.id
        row = await self._insist(match, partial(store.forfeits_in_a_row, league, name, most))
        if row < most:
            return
        cause = next(cause for cause in result.causes if cause.seat == seat)
        reason = f"it forfeited {row} matches in a row; the last one by {cause.fault}: "
        reason = f"{reason}{_one_line(cause.detail)}."
        try:
            benched = await self._insist(match, partial(store.bench, league, name, reason))
        except ConflictError:
            return  # it was withdrawn or disqualified meanwhile
        if benched.state == EntrantState.BENCHED:
            log.warning("%s/%s is benched: %s", league, name, reason, extra=self._about())
            self.dismiss(name, benched_note(name, reason))

    def dismiss(self, name: str | None, reason: str) -> None:
        """Send all connections of a bot, or of everybody, away when their matches are over."""
        for session in self._sessions():
            if name in (None, session.entrant):
                session.dismiss(reason)

    # Rounds -------------------------------------------------------------------------------------

    async def _next_of_round(self) -> bool:
        """Go on with the round, or begin the next one."""
        waiting = [
            rounds.Waiting(match.id, versions_of(match), match.server == self._floor.name)
            for match in self._waiting.values()
        ]
        running = len(self._tables)
        places = {each.version: each.free for each in self._present()}
        tables = self.league.settings.max_tables - running - self._elsewhere
        look = rounds.look(waiting, places, running, tables)
        begun = False
        for match_id in look.play:
            match = self._waiting[match_id]
            if sessions := self._pick(match.game, versions_of(match)):
                self._begin(match, sessions)
                begun = True
        return begun or (look.is_over and await self._plan_round())

    async def _plan_round(self) -> bool:
        """Schedule the next round among those who are there; nothing if they are too few."""
        assert self._ledger is not None  # noqa: S101  as above
        present, settings = self._present(), self.league.settings
        fewest = min(size for rules in settings.games for size in rules.table_sizes)
        if len({each.version.entrant for each in present}) < fewest:
            return False
        store = self._floor.store
        number = 1 + await asyncio.to_thread(store.last_round, self.league.id)
        duplicate = settings.deals == Deals.DUPLICATE
        planned = await self._floor.clerk.plan_round(
            number, present, settings.games, self._ledger.accounts, duplicate=duplicate
        )
        if not planned:
            return False
        try:
            matches = await asyncio.to_thread(
                store.add_round,
                self.league.id,
                planned,
                keeper=self._floor.name,
                lease_seconds=self._floor.lease,
            )
        except ConflictError as error:
            # Another server was quicker, or somebody was sent away just now.
            log.info("%s: no round: %s", self.league.id, error, extra=self._about())
            await self._pause(PAUSE)
            self.wake()
            return False
        self._add(matches)
        log.info(
            "%s: round %d has %d matches", self.league.id, number, len(matches), extra=self._about()
        )
        return True


def _games(sessions: Sequence[Session]) -> frozenset[str] | None:
    """Return what a bot says that it plays; nothing means everything."""
    if any(not session.games for session in sessions):
        return None
    return frozenset().union(*(session.games for session in sessions))


def _one_line(text: str, most: int = 200) -> str:
    """Make one line of what may be several, for a reason that everybody reads."""
    return "".join(c if c.isprintable() else " " for c in text)[:most].strip().rstrip(".")
