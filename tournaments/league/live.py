"""What people may see while matches are played.

A table is looked at when somebody asks, at most a few times a second, and never by the table
itself: the loop that keeps the clocks has better things to do.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from engine import find_game
from referee import Table
from referee.wire.codec import find_codec, view_fields
from tournaments.league.model import LeagueMatch

log = logging.getLogger(__name__)

LOOKS_PER_SECOND: Final = 2.0
MOST_WAITING: Final = 256
"""An onlooker who has so much left to read misses what comes."""


@dataclass(frozen=True, slots=True)
class LiveTable:
    """A table as a spectator sees it."""

    match: str
    league: str
    game: str
    variant: str
    entrants: tuple[str, ...]
    """With their versions, as ``name@version``."""
    decision: int
    """How many decisions have been made."""
    since: datetime
    view: Any
    """The position as the game itself has it for a spectator, for those who draw it."""

    @property
    def text(self) -> str:
        """The position, drawn with letters."""
        return find_game(self.game).render(self.view)

    @property
    def fields(self) -> dict[str, Any]:
        """The position in the words of the game's messages."""
        return dict(view_fields(find_codec(self.game), self.view))


@dataclass(frozen=True, slots=True)
class LiveEvent:
    """Something that has happened: ``began``, ``moved``, ``ended`` or ``standings``."""

    kind: str
    league: str
    match: str = ""
    table: LiveTable | None = None
    """As it is now, if it has moved."""


@dataclass(slots=True, eq=False)
class Shown:
    """A running match of which everybody may see what a spectator sees."""

    match: LeagueMatch
    table: Table
    since: datetime
    seen: int = -1
    """How many decisions it had when it was last looked at."""

    def look(self) -> LiveTable | None:
        """Return what there is to see; nothing before the deal."""
        if self.table.state is None:
            return None
        return LiveTable(
            self.match.id,
            self.match.league,
            self.match.game,
            self.match.variant,
            tuple(seat.rated for seat in self.match.seats),
            self.table.decisions,
            self.since,
            self.table.plan.game.view(self.table.state, None),
        )


class Gallery:
    """Where onlookers sit."""

    def __init__(self) -> None:
        self._shown: dict[str, Shown] = {}
        self._onlookers: set[asyncio.Queue[LiveEvent]] = set()
        self._looking: asyncio.Task[None] | None = None

    def show(self, match: LeagueMatch, table: Table, since: datetime) -> None:
        """Let a table be seen from now on; never one whose deal will be played again."""
        self._shown[match.id] = Shown(match, table, since)

    def hide(self, match: str) -> None:
        """Let a table be seen no more."""
        self._shown.pop(match, None)

    def snapshot(self) -> tuple[LiveTable, ...]:
        """Return what there is to see at this moment."""
        looks = [shown.look() for shown in self._shown.values()]
        return tuple(look for look in looks if look is not None)

    def tell(self, event: LiveEvent) -> None:
        """Tell every onlooker."""
        for queue in self._onlookers:
            with contextlib.suppress(asyncio.QueueFull):
                queue.put_nowait(event)

    async def subscribe(self) -> AsyncIterator[LiveEvent]:
        """Return what happens, as long as somebody wants to know."""
        queue: asyncio.Queue[LiveEvent] = asyncio.Queue(MOST_WAITING)
        self._onlookers.add(queue)
        if self._looking is None:
            self._looking = asyncio.create_task(self._look_again_and_again())
        try:
            while True:
                yield await queue.get()
        finally:
            self._onlookers.discard(queue)
            if not self._onlookers and self._looking is not None:
                self._looking.cancel()
                self._looking = None

    @property
    def onlookers(self) -> int:
        """How many there are."""
        return len(self._onlookers)

    async def _look_again_and_again(self) -> None:
        while True:
            for shown in list(self._shown.values()):
                self._look(shown)
                await asyncio.sleep(0)  # the clocks come first
            await asyncio.sleep(1 / LOOKS_PER_SECOND)

    def _look(self, shown: Shown) -> None:
        if shown.table.decisions == shown.seen:
            return
        shown.seen = shown.table.decisions
        try:
            look = shown.look()
        except Exception:
            log.exception("match %s cannot be shown", shown.match.id)
            self.hide(shown.match.id)
            return
        if look is not None:
            self.tell(LiveEvent("moved", shown.match.league, shown.match.id, look))
