"""A server that seats whoever waits: one match after the other, several tables at once."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import combinations

from referee.lag import LagMeter
from referee.matches import MatchEntry
from referee.player import MatchPlan
from referee.policy import Cause
from referee.record import RecordWriteError
from referee.server import GrpcPlayer, RefereeServer, Session
from referee.shelf import FolderShelf
from referee.table import MatchResult, Table

log = logging.getLogger(__name__)

PlanFor = Callable[[tuple[str, ...]], MatchPlan]
"""Makes the plan of the next match for the entrants at its seats."""


class Lobby:
    """Seats bots of different entrants as they become free, those first who waited longest."""

    def __init__(
        self,
        server: RefereeServer,
        shelf: FolderShelf,
        plan_for: PlanFor,
        seats: int,
        game: str,
        tables: int = 4,
    ) -> None:
        self._server = server
        self._shelf = shelf
        self._plan_for = plan_for
        self._seats = seats
        self._game = game
        self._tables = tables
        self._lag = LagMeter()
        self._running: dict[Table, asyncio.Task[None]] = {}
        self._last_played: dict[str, int] = {}
        self._met: Counter[frozenset[str]] = Counter()
        self._stopping = False
        self.played = 0
        self.void = 0

    async def run(self, matches: int | None = None) -> None:
        """Seat bots until stopped, or until so many matches have been played."""
        started = 0
        while not self._stopping and (matches is None or started < matches):
            seated = self._choose() if len(self._running) < self._tables else None
            if seated is None:
                await self._server.change()
                continue
            started += 1
            self._seat(seated)
        if self._running:
            await asyncio.wait(list(self._running.values()))

    async def stop(self, grace: float) -> None:
        """Seat nobody any more; let matches finish for so long, then void them."""
        self._stopping = True
        await self._server.notify()
        if self._running:
            await asyncio.wait(list(self._running.values()), timeout=grace)
        for table in self._running:
            table.stop(Cause.REFEREE, "the referee was stopped")
        if self._running:
            await asyncio.wait(list(self._running.values()))
        self._lag.stop()

    def _choose(self) -> list[Session] | None:
        """Return sessions of different entrants that are free, if there are enough."""
        free: dict[str, Session] = {}
        for session in self._server.sessions:
            if session.plays(self._game):
                free.setdefault(session.entrant, session)
        if len(free) < self._seats:
            return None
        chosen: list[str] = []
        while len(chosen) < self._seats:
            rest = [entrant for entrant in free if entrant not in chosen]
            chosen.append(min(rest, key=lambda entrant: self._turn(entrant, chosen)))
        shift = self.played % self._seats  # so that seats change from match to match
        return [free[entrant] for entrant in [*chosen[shift:], *chosen[:shift]]]

    def _turn(self, entrant: str, chosen: Sequence[str]) -> tuple[int, int]:
        """Put those first who met the others least, and then those who waited longest."""
        met = sum(self._met[frozenset((entrant, other))] for other in chosen)
        return met, self._last_played.get(entrant, 0)

    def _seat(self, sessions: Sequence[Session]) -> None:
        plan = self._plan_for(tuple(session.entrant for session in sessions))
        self.played += 1
        for entrant in plan.entrants:
            self._last_played[entrant] = self.played
        self._met.update(map(frozenset, combinations(plan.entrants, 2)))
        players = [GrpcPlayer(session) for session in sessions]
        for session, player in zip(sessions, players, strict=True):
            session.sit_down(plan.match, player)
        table = Table(plan, players, self._lag)
        self._running[table] = asyncio.create_task(self._run(table))

    async def _run(self, table: Table) -> None:
        try:
            await self._play(table)
        finally:
            # The table is free before anybody is woken, or the one who waits for it sleeps on.
            del self._running[table]
            with contextlib.suppress(asyncio.CancelledError):
                await self._server.notify()

    async def _play(self, table: Table) -> None:
        plan, started = table.plan, datetime.now(UTC)
        entry = MatchEntry(plan.match, self._game, "playing", plan.entrants, started=started)
        self._shelf.begin(entry)
        result = await table.play()
        self.void += result.void
        entry = _entry(result, started)
        try:
            await asyncio.to_thread(self._shelf.finish, entry, result.record)
        except RecordWriteError as error:
            log.error("match %s is lost: %s", plan.match, error)  # noqa: TRY400  it says it all
            self._shelf.begin(replace(entry, released=False))


def _entry(result: MatchResult, started: datetime) -> MatchEntry:
    return MatchEntry(
        result.plan.match,
        result.plan.game.spec.name,
        "void" if result.void else "finished",
        result.plan.entrants,
        result.ending,
        result.scores,
        result.places,
        result.forfeits,
        started,
        datetime.now(UTC),
        released=True,
    )
