"""Live matches as server-sent events.

A stream begins with every running table that is public, and continues with changes:

    event: table       a table as it is now; with its position, while fewer than MAX_BOARDS have one
    event: tables      the ids of all tables, at every heartbeat: any other has ended
    event: ended       a match has ended
    event: standings   the standings of the league have changed
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Final

import orjson

from tournaments.runner import LeagueManager, LiveEvent, LiveTable
from tournaments.web.concurrency_limits import ConcurrencyLimit, LimitedResponse
from tournaments.web.documents import board_document, table_document
from tournaments.web.metrics import WebMetrics

HEARTBEAT: Final = 15.0
"""Seconds after which the ids of all tables are sent if nothing has changed."""
MAX_BOARDS: Final = 6
"""How many tables of a stream of a whole league have their position."""
CACHED_BOARDS: Final = 600
"""How many encoded positions are kept to be sent again."""
MOST_STREAMS: Final = 400
MOST_PER_CLIENT: Final = 20
HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


def stream_limit() -> ConcurrencyLimit:
    """Return the limit of open streams, of all kinds together."""
    refusal = "too many live streams are open; try again in a moment."
    return ConcurrencyLimit(MOST_STREAMS, MOST_PER_CLIENT, refusal)


@dataclass(frozen=True, slots=True)
class StreamFilter:
    """What a stream is about: a league, or one match of it."""

    league: str
    match: str = ""

    def includes(self, league: str, match: str) -> bool:
        """Return whether an event belongs to the stream."""
        return league == self.league and (not self.match or match in ("", self.match))


class EventStreams:
    """All open streams; a position that goes to several of them is encoded once."""

    def __init__(
        self, leagues: LeagueManager, metrics: WebMetrics, limit: ConcurrencyLimit
    ) -> None:
        """Make it; ``limit`` is that of all streams of the application."""
        self._leagues = leagues
        self._metrics = metrics
        self._limit = limit
        self._boards: dict[str, tuple[int, bytes]] = {}
        """By match: the last position that was encoded, and its number of decisions."""

    def open(self, chosen: StreamFilter, client: str) -> LimitedResponse:
        """Return a stream; raises RateLimitError."""
        return LimitedResponse(
            self._limit, client, lambda: self._events(chosen), HEADERS, "text/event-stream"
        )

    async def _events(self, chosen: StreamFilter) -> AsyncIterator[bytes]:
        self._metrics.open_streams.inc()
        events = self._leagues.subscribe()
        coming = asyncio.ensure_future(anext(events))
        try:
            await asyncio.sleep(0)  # the subscription begins, before the tables are read
            boards: set[str] = set()
            yield b"retry: 3000\n\n"
            for table in self._tables(chosen):
                yield self._table(table, boards, chosen)
            yield self._overview(chosen)
            while True:
                await asyncio.wait({coming}, timeout=HEARTBEAT)
                if not coming.done():
                    yield self._overview(chosen)
                    continue
                event = coming.result()
                coming = asyncio.ensure_future(anext(events))
                if chosen.includes(event.league, event.match):
                    yield self._encoded(event, boards, chosen)
        finally:
            coming.cancel()
            with contextlib.suppress(asyncio.CancelledError, StopAsyncIteration):
                await coming
            self._metrics.open_streams.dec()

    def _tables(self, chosen: StreamFilter) -> list[LiveTable]:
        tables = self._leagues.snapshot()
        return [table for table in tables if chosen.includes(table.league, table.match)]

    def _overview(self, chosen: StreamFilter) -> bytes:
        return encode_event("tables", [table.match for table in self._tables(chosen)])

    def _encoded(self, event: LiveEvent, boards: set[str], chosen: StreamFilter) -> bytes:
        if event.table is not None:
            return self._table(event.table, boards, chosen)
        if event.kind == "ended":
            boards.discard(event.match)
            self._boards.pop(event.match, None)
        return encode_event(event.kind, {"league": event.league, "match": event.match})

    def _table(self, table: LiveTable, boards: set[str], chosen: StreamFilter) -> bytes:
        """Return the event of a table; ``boards`` are the tables of this stream with a position."""
        if not chosen.match and table.match not in boards and len(boards) >= MAX_BOARDS:
            return encode_event("table", table_document(table))
        boards.add(table.match)
        known = self._boards.get(table.match)
        if known is None or known[0] != table.decision:
            known = table.decision, encode_event("table", board_document(table))
            self._boards[table.match] = known
            if len(self._boards) > CACHED_BOARDS:  # those that ended while no stream was open
                del self._boards[next(iter(self._boards))]
        return known[1]


def encode_event(kind: str, content: Any) -> bytes:
    """Return a server-sent event."""
    return b"event: %b\ndata: %b\n\n" % (kind.encode(), orjson.dumps(content))
