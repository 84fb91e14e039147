"""Running tables as they move: server-sent events.

A stream begins with every table that there is to see, and goes on with what happens:

    event: table       a table as it is now; with its board, if there is room for one more
    event: tables      the ids of all tables, now and then: any other is over
    event: ended       a match that is over
    event: standings   the standings of the league have changed
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any, Final

import orjson
from starlette.responses import StreamingResponse

from tournaments.league.gate import TooFastError
from tournaments.league.live import LiveEvent, LiveTable
from tournaments.web.documents import board_document, table_document
from tournaments.web.hosts import Host
from tournaments.web.metrics import WebFigures

HEARTBEAT: Final = 15.0
"""Seconds after which something is sent even if nothing happens."""
MOST_BOARDS: Final = 6
"""A stream of a whole league has so many boards at once; of the other tables, only figures."""
MOST_KEPT: Final = 600
"""Boards that were written and may be sent again."""
MOST_STREAMS: Final = 400
MOST_OF_ONE: Final = 20
"""Streams of one reader."""
HEADERS: Final = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


@dataclass(frozen=True, slots=True)
class Wanted:
    """What somebody looks at: a league, or one table of it."""

    league: str
    match: str = ""

    def includes(self, league: str, match: str) -> bool:
        """Tell whether something concerns whoever looks."""
        return league == self.league and (not self.match or match in ("", self.match))


class Streams:
    """All open streams; what is sent to several is written once."""

    def __init__(self, host: Host, figures: WebFigures, heartbeat: float = HEARTBEAT) -> None:
        self._host = host
        self._figures = figures
        self._heartbeat = heartbeat
        self._open: Counter[str] = Counter()
        self._boards: dict[str, tuple[int, bytes]] = {}
        """Of each match, the last board that was written, and after how many decisions."""

    def open(self, wanted: Wanted, reader: str) -> StreamingResponse:
        """Return a stream; raises TooFastError for one too many."""
        if self._open.total() >= MOST_STREAMS or self._open[reader] >= MOST_OF_ONE:
            raise TooFastError("too many people look on at once; try again in a moment.")
        return StreamingResponse(
            self._events(wanted, reader), headers=HEADERS, media_type="text/event-stream"
        )

    async def _events(self, wanted: Wanted, reader: str) -> AsyncIterator[bytes]:
        self._open[reader] += 1
        self._figures.onlookers.inc()
        events = self._host.subscribe()
        coming = asyncio.ensure_future(anext(events))
        try:
            await asyncio.sleep(0)  # from now on nothing is missed
            boards: set[str] = set()
            yield b"retry: 3000\n\n"
            for table in self._tables(wanted):
                yield self._table(table, boards, wanted)
            yield self._overview(wanted)
            while True:
                await asyncio.wait({coming}, timeout=self._heartbeat)
                if not coming.done():
                    yield self._overview(wanted)
                    continue
                event = coming.result()
                coming = asyncio.ensure_future(anext(events))
                if wanted.includes(event.league, event.match):
                    yield self._written(event, boards, wanted)
        finally:
            coming.cancel()
            with contextlib.suppress(asyncio.CancelledError, StopAsyncIteration):
                await coming
            self._open[reader] -= 1
            if not self._open[reader]:
                del self._open[reader]
            self._figures.onlookers.dec()

    def _tables(self, wanted: Wanted) -> list[LiveTable]:
        shown = self._host.snapshot()
        return [table for table in shown if wanted.includes(table.league, table.match)]

    def _overview(self, wanted: Wanted) -> bytes:
        return _event("tables", [table.match for table in self._tables(wanted)])

    def _written(self, event: LiveEvent, boards: set[str], wanted: Wanted) -> bytes:
        if event.table is not None:
            return self._table(event.table, boards, wanted)
        if event.kind == "ended":
            boards.discard(event.match)
            self._boards.pop(event.match, None)
        return _event(event.kind, {"league": event.league, "match": event.match})

    def _table(self, table: LiveTable, boards: set[str], wanted: Wanted) -> bytes:
        if not wanted.match and table.match not in boards and len(boards) >= MOST_BOARDS:
            return _event("table", table_document(table))
        boards.add(table.match)
        known = self._boards.get(table.match)
        if known is None or known[0] != table.decision:
            known = table.decision, _event("table", board_document(table))
            self._boards[table.match] = known
            if len(self._boards) > MOST_KEPT:  # nobody was there to see some of them end
                del self._boards[next(iter(self._boards))]
        return known[1]


def _event(kind: str, content: Any) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (kind.encode(), orjson.dumps(content))
