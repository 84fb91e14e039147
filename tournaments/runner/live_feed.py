"""Events and positions of running matches, for spectators.

Positions are computed while there are subscribers, at most a few times a second, so that a match
spends no time on them.
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
from referee.match import Match
from referee.wire import find_codec, view_fields
from tournaments.model import ScheduledMatch

log = logging.getLogger(__name__)

UPDATES_PER_SECOND: Final = 2.0
MOST_QUEUED: Final = 256
"""How many events wait for a subscriber before further ones are discarded."""


@dataclass(frozen=True, slots=True)
class LiveTable:
    """A match as a spectator sees it."""

    match: str
    league: str
    game: str
    variant: str
    entrants: tuple[str, ...]
    """With their versions, as ``name@version``."""
    decision: int
    """The number of decisions so far."""
    since: datetime
    view: Any
    """The spectator's view of the game, for drawing."""

    @property
    def text(self) -> str:
        """The position as text."""
        return find_game(self.game).render(self.view)

    @property
    def fields(self) -> dict[str, Any]:
        """The position with the field names of the game's messages."""
        return dict(view_fields(find_codec(self.game), self.view))


@dataclass(frozen=True, slots=True)
class LiveEvent:
    """An event of the kind ``began``, ``moved``, ``ended`` or ``standings``."""

    kind: str
    league: str
    match: str = ""
    table: LiveTable | None = None
    """The position after a move."""


@dataclass(slots=True, eq=False)
class ShownMatch:
    """A running match whose position spectators may see."""

    match: ScheduledMatch
    table: Match
    since: datetime
    seen: int = -1
    """The number of decisions at the last update."""

    def snapshot(self) -> LiveTable | None:
        """Return the position; None before the deal."""
        if self.table.state is None:
            return None
        return LiveTable(
            self.match.id,
            self.match.competition,
            self.match.game,
            self.match.variant,
            tuple(seat.rated for seat in self.match.seats),
            self.table.decisions,
            self.since,
            self.table.plan.game.view(self.table.state, None),
        )


class LiveFeed:
    """Publishes events to subscribers."""

    def __init__(self) -> None:
        self._shown: dict[str, ShownMatch] = {}
        self._subscribers: set[asyncio.Queue[LiveEvent]] = set()
        self._updating: asyncio.Task[None] | None = None

    def show(self, match: ScheduledMatch, table: Match, since: datetime) -> None:
        """Show a match from now on; never one whose deal will be played again."""
        self._shown[match.id] = ShownMatch(match, table, since)

    def hide(self, match: str) -> None:
        """Show a match no more."""
        self._shown.pop(match, None)

    def snapshot(self) -> tuple[LiveTable, ...]:
        """Return the positions of all shown matches."""
        tables = [shown.snapshot() for shown in self._shown.values()]
        return tuple(table for table in tables if table is not None)

    def publish(self, event: LiveEvent) -> None:
        """Send an event to every subscriber."""
        for queue in self._subscribers:
            with contextlib.suppress(asyncio.QueueFull):
                queue.put_nowait(event)

    async def subscribe(self) -> AsyncIterator[LiveEvent]:
        """Return the events from now on, until the iterator is closed."""
        queue: asyncio.Queue[LiveEvent] = asyncio.Queue(MOST_QUEUED)
        self._subscribers.add(queue)
        if self._updating is None:
            self._updating = asyncio.create_task(self._update_repeatedly())
        try:
            while True:
                yield await queue.get()
        finally:
            self._subscribers.discard(queue)
            if not self._subscribers and self._updating is not None:
                self._updating.cancel()
                self._updating = None

    async def _update_repeatedly(self) -> None:
        while True:
            for shown in list(self._shown.values()):
                self._update(shown)
                await asyncio.sleep(0)  # the clocks come first
            await asyncio.sleep(1 / UPDATES_PER_SECOND)

    def _update(self, shown: ShownMatch) -> None:
        """Publish the position of a match that has moved."""
        if shown.table.decisions == shown.seen:
            return
        shown.seen = shown.table.decisions
        try:
            table = shown.snapshot()
        except Exception:
            log.exception("match %s cannot be shown", shown.match.id)
            self.hide(shown.match.id)
            return
        if table is not None:
            self.publish(LiveEvent("moved", shown.match.competition, shown.match.id, table))
