"""One league while it is played: who sits where next, and what comes of it.

Everything here happens on the event loop that keeps the clocks, and is short; the store is asked
beside it. A bot that is chosen is held from that moment, so that two tables never want it for the
same place.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from random import random
from typing import Final

import zstandard

from engine import Seed
from referee import Cause, LagMeter, MatchPlan, MatchResult, RefereeServer, Table
from referee.server import GrpcPlayer, Session
from tournaments.league import ladder, rounds
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
    NotFoundError,
    Scheduler,
)
from tournaments.league.situation import Choice, Ledger, Present, Situation, Version
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
COMMIT_PAUSES: Final = (0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 30.0)


@dataclass(slots=True)
class Figures:
    """What has happened since the server began, for those who watch it."""

    matches: int = 0
    void: int = 0
    decisions: int = 0
    seconds_used: float = 0.0
    """By all bots, as their clocks saw it."""
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
        self._stopping = False
        self._ledger: Ledger | None = None
        self._waiting: OrderedDict[str, LeagueMatch] = OrderedDict()
        """What is scheduled and not being played here, the oldest first."""
        self._tables: dict[asyncio.Task[None], Table | None] = {}
        """What is being played; nothing where the match is still being claimed."""
        self._away: dict[Version, float] = {}
        """Since when those are away for whom a match of the round waits."""
        self._ours: OrderedDict[str, None] = OrderedDict()
        """What this server has begun last, so that it is not taken for somebody else's."""
        self._elsewhere = 0
        """How many matches of the league other servers play."""
        self._stale = False
        """Whether results were taken away, so that the ledger must be made anew."""

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

    async def refresh(self) -> None:
        """Look what the store has to play, and whether the league goes on."""
        store, name = self._floor.store, self.league.id
        self.league = await asyncio.to_thread(store.league, name)
        found = await asyncio.to_thread(store.claimable, name)
        running = await asyncio.to_thread(store.running, name)
        self._elsewhere = sum(match.id not in self._ours for match in running)
        self._waiting = OrderedDict((match.id, match) for match in found)
        self.wake()

    async def run(self) -> None:
        """Seat bots until the league is closed or the server stops."""
        while not self._stopping and self.league.state == LeagueState.OPEN:
            self._news.clear()
            try:
                if self._ledger is None or self._stale:
                    await self._open()
                while await self._seat_next():
                    pass
            except StoreError as error:
                log.error("%s waits: %s", self.league.id, error, extra=self._about())  # noqa: TRY400
                await asyncio.sleep(PAUSE)
                continue
            except Exception:
                log.exception("%s: no table could be set up", self.league.id, extra=self._about())
                await asyncio.sleep(PAUSE)
                continue
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(LOOK_AGAIN):
                    await self._news.wait()

    async def stop(self, grace: float) -> None:
        """Seat nobody any more; let matches finish for so long, then void them."""
        self._stopping = True
        self.wake()
        if self._tables:
            await asyncio.wait(list(self._tables), timeout=grace)
        for table in self._tables.values():
            if table is not None:
                table.stop(Cause.REFEREE, "the server was stopped")
        if self._tables:
            await asyncio.wait(list(self._tables))

    async def _open(self) -> None:
        self._stale = False
        self._ledger = await self._floor.clerk.ledger(self.league)
        if self._ledger.position:
            self._floor.clerk.changed(self.league.id)  # the last server may not have counted all
        await self.refresh()

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
            table = _versions(match)
            if free.issuperset(table) and (sessions := self._pick(match.game, table)):
                self._begin(match, sessions)
                return True
        return False

    async def _next_of_ladder(self) -> bool:
        assert self._ledger is not None  # noqa: S101  the room is open
        situation = Situation.of(
            self.league.settings.games, self._present(), self._ledger, len(self._tables)
        )
        choice = ladder.choose(situation, random)
        sessions = self._pick(choice.game, choice.table) if choice is not None else None
        if choice is None or sessions is None:
            return False
        self._floor.hold(sessions)
        try:
            matches = await self._add(choice)
        finally:
            self._floor.let_go(sessions)
        if not matches:
            return False
        first, *others = matches
        self._waiting.update((match.id, match) for match in others)
        self._begin(first, sessions)
        return True

    async def _add(self, choice: Choice) -> Sequence[LeagueMatch]:
        """Schedule what the ladder has chosen; nothing if somebody was sent away just now."""
        assert self._ledger is not None  # noqa: S101  as above
        try:
            matches = await asyncio.to_thread(
                self._floor.store.add_set,
                self.league.id,
                choice.game,
                choice.variant,
                choice.table,
                why=choice.why,
                claim_for=self._floor.name,
                lease_seconds=self._floor.lease,
            )
        except ConflictError as error:
            log.info("%s: no table: %s", self.league.id, error, extra=self._about())
            await asyncio.sleep(PAUSE)
            return ()
        for match in matches:
            self._ledger.seat(match.game, match.variant, _versions(match))
        log.info(
            "%s: %s play %s, %s: %s",
            self.league.id,
            " and ".join(map(str, choice.table)),
            choice.game,
            choice.variant,
            choice.why,
            extra={**self._about(), "match": matches[0].id, "why": choice.why},
        )
        return matches

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
        self._floor.hold(sessions)
        task = asyncio.create_task(self._play(match, sessions))
        self._tables[task] = None
        task.add_done_callback(self._cleared)

    def _cleared(self, task: asyncio.Task[None]) -> None:
        del self._tables[task]
        if not task.cancelled() and (error := task.exception()) is not None:
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
        try:
            result = await table.play()
        except BaseException:
            for session in sessions:
                session.stand_up(plan.match)
            raise
        finally:
            gallery.hide(claim.match.id)
        # Its bots are free: another table may have them while the result is written.
        self.wake()
        if result.void:
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
            tuple(map(str, _versions(match))),
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
        await asyncio.to_thread(
            self._floor.store.void, self._floor.name, match.id, claim.attempt, cause.value, detail
        )
        with contextlib.suppress(NotFoundError):
            again = await asyncio.to_thread(self._floor.store.match, match.id)
            if again.state == MatchState.SCHEDULED:
                self._waiting[again.id] = again

    async def _keep(self, claim: Claim, result: MatchResult) -> None:
        """Commit a result, once."""
        if not await self._commit(claim, result):
            log.warning(
                "match %s was taken over by another server, and its result is not ours to write",
                claim.match.id,
                extra={**self._about(), "match": claim.match.id},
            )
            return
        self._count(claim, result)
        for seat in result.forfeits:
            await self._bench(claim.match.seats[seat].entrant, result, seat)
        self._floor.clerk.changed(self.league.id)

    async def _commit(self, claim: Claim, result: MatchResult) -> bool:
        """Write a result, and try again for a while if the store does not answer."""
        for pause in COMMIT_PAUSES:
            try:
                return await asyncio.to_thread(self._write, claim, result)
            except StoreError as error:
                log.error(  # noqa: TRY400  it says it all
                    "match %s is not written yet: %s",
                    claim.match.id,
                    error,
                    extra={**self._about(), "match": claim.match.id},
                )
                if self._stopping:
                    raise
                await asyncio.sleep(pause)
        return await asyncio.to_thread(self._write, claim, result)

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

    def _count(self, claim: Claim, result: MatchResult) -> None:
        """Learn from a result, for the next choice and for those who watch the server."""
        match, figures = claim.match, self._floor.figures
        used = tuple(each.total_seconds() for each in result.used)
        figures.matches += 1
        figures.decisions += result.decisions
        figures.seconds_used += sum(used)
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
                for place, version in sorted(zip(result.places, _versions(match), strict=True))
            ),
            extra={**self._about(), "match": match.id, "decisions": result.decisions},
        )

    async def _bench(self, name: str, result: MatchResult, seat: int) -> None:
        """Bench a bot that has forfeited too often in a row, and tell its author why."""
        most, store = self.league.settings.bench_after, self._floor.store
        if not most:
            return
        row = await asyncio.to_thread(store.forfeits_in_a_row, self.league.id, name, most)
        if row < most:
            return
        cause = next(cause for cause in result.causes if cause.seat == seat)
        reason = f"it forfeited {row} matches in a row; the last one by {cause.fault}: "
        reason = f"{reason}{_one_line(cause.detail)}."
        try:
            benched = await asyncio.to_thread(store.bench, self.league.id, name, reason)
        except ConflictError:
            return  # it was withdrawn or disqualified meanwhile
        if benched.state == EntrantState.BENCHED:
            log.warning("%s/%s is benched: %s", self.league.id, name, reason, extra=self._about())
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
            rounds.Waiting(match.id, tuple(_versions(match))) for match in self._waiting.values()
        ]
        running = len(self._tables) + self._elsewhere
        places = {each.version: each.free for each in self._present()}
        look = rounds.look(
            waiting,
            places,
            self._seconds_away(waiting, places),
            running,
            self.league.settings.max_tables - running,
        )
        if look.drop:
            await self._drop(look.drop)
        begun = False
        for match_id in look.play:
            match = self._waiting[match_id]
            if sessions := self._pick(match.game, _versions(match)):
                self._begin(match, sessions)
                begun = True
        return begun or (look.is_over and await self._plan_round())

    def _seconds_away(
        self, waiting: Sequence[rounds.Waiting], there: Mapping[Version, int]
    ) -> dict[Version, float]:
        """Return for how long those have been away for whom a match waits."""
        now = asyncio.get_running_loop().time()
        missing = {version for each in waiting for version in each.table if version not in there}
        self._away = {version: self._away.get(version, now) for version in missing}
        return {version: now - since for version, since in self._away.items()}

    async def _drop(self, given_up: Sequence[rounds.Dropped]) -> None:
        """Give up matches of a round for which somebody did not come."""
        await asyncio.to_thread(self._floor.store.drop, [each.match for each in given_up])
        for each in given_up:
            match = self._waiting.pop(each.match)
            if self._ledger is not None:
                self._ledger.unseat(match.game, match.variant, _versions(match))
            about = {**self._about(), "match": match.id}
            log.info("match %s is not played: %s", match.id, each.why, extra=about)

    async def _plan_round(self) -> bool:
        """Schedule the next round among those who are there; nothing if they are too few."""
        assert self._ledger is not None  # noqa: S101  as above
        present, settings = self._present(), self.league.settings
        fewest = min(size for rules in settings.games for size in rules.table_sizes)
        if len({each.version.entrant for each in present}) < fewest:
            return False
        store = self._floor.store
        newest = await asyncio.to_thread(store.matches, self.league.id, page_size=1)
        number = 1 + max((match.round or 0 for match in newest.items), default=0)
        duplicate = settings.deals == Deals.DUPLICATE
        planned = await self._floor.clerk.plan_round(
            number, present, settings.games, self._ledger.accounts, duplicate=duplicate
        )
        try:
            matches = await asyncio.to_thread(store.add_sets, self.league.id, planned)
        except ConflictError as error:
            log.info("%s: no round: %s", self.league.id, error, extra=self._about())
            await asyncio.sleep(PAUSE)
            return False
        for match in matches:
            self._waiting[match.id] = match
            self._ledger.seat(match.game, match.variant, _versions(match))
        log.info(
            "%s: round %d has %d matches", self.league.id, number, len(matches), extra=self._about()
        )
        return bool(matches)


def _versions(match: LeagueMatch) -> list[Version]:
    return [Version(seat.entrant, seat.version) for seat in match.seats]


def _games(sessions: Sequence[Session]) -> frozenset[str] | None:
    """Return what a bot says that it plays; nothing means everything."""
    if any(not session.games for session in sessions):
        return None
    return frozenset().union(*(session.games for session in sessions))


def _one_line(text: str, most: int = 200) -> str:
    """Make one line of what may be several, for a reason that everybody reads."""
    return "".join(c if c.isprintable() else " " for c in text)[:most].strip().rstrip(".")
