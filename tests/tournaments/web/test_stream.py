"""Server-sent events: what comes, to whom, and that a stream ends with its reader."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import pytest

from referee.match.lag import LagMeter
from referee.match.match import Match
from referee.match.player import Question
from referee.transports.in_process import InProcessPlayer
from tests.tournaments.web.leagues_with_matches import (
    LEAGUE,
    PATIENCE,
    SERVER,
    Reader,
    Street,
    ask,
    bearer,
    plan_of,
    seed_of,
)
from tournaments.model import ScheduledMatch
from tournaments.runner.live_feed import LiveEvent
from tournaments.web import stream


@pytest.fixture
def street(own_street: Street) -> Street:
    """Return leagues of our own: tables come and go here, which other tests would count."""
    return own_street


class Stream:
    """A reader of one stream, on the application itself; hangs up when told to."""

    def __init__(
        self, application: Any, path: str, forwarded_for: str = "", token: str = ""
    ) -> None:
        headers = {"X-Forwarded-For": forwarded_for} if forwarded_for else {}
        headers |= bearer(token)
        self._gone = asyncio.Event()
        self._said: asyncio.Queue[bytes] = asyncio.Queue()
        self.status = 0
        self.headers: dict[bytes, bytes] = {}
        self._scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.3"},
            "http_version": "1.1",
            "method": "GET",
            "path": path,
            "raw_path": path.encode(),
            "root_path": "",
            "scheme": "http",
            "query_string": b"",
            "headers": [(name.lower().encode(), text.encode()) for name, text in headers.items()],
            "client": ("127.0.0.1", 1),
            "server": ("street", 80),
        }
        self._asked = False
        self.running = asyncio.create_task(application(self._scope, self._receive, self._send))

    async def _receive(self) -> dict[str, Any]:
        if not self._asked:
            self._asked = True
            return {"type": "http.request", "body": b"", "more_body": False}
        await self._gone.wait()
        return {"type": "http.disconnect"}

    async def _send(self, message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            self.status, self.headers = message["status"], dict(message["headers"])
        else:
            self._said.put_nowait(message.get("body", b""))

    async def next(self, kind: str) -> Any:
        """Return the content of the next event of a kind."""
        async with asyncio.timeout(PATIENCE):
            while True:
                lines = (await self._said.get()).decode().splitlines()
                if lines and lines[0] == f"event: {kind}":
                    return json.loads(lines[1].removeprefix("data: "))

    async def hang_up(self) -> None:
        """Go, and wait until the server has noticed."""
        self._gone.set()
        async with asyncio.timeout(PATIENCE):
            await self.running


@dataclass
class Slow:
    """A table that moves only when it is told to."""

    match: ScheduledMatch
    table: Match
    go: asyncio.Semaphore


@contextlib.asynccontextmanager
async def slow_table(street: Street, reader: Reader) -> AsyncIterator[Slow]:
    """Show a real match in the live feed of the host."""
    (match,) = street.seat("glastonbury", "plain", ("ann", "2"), ("bob", ""))
    claim = street.store.claim(SERVER, match.id, 60.0)
    assert claim is not None
    go, lag = asyncio.Semaphore(0), LagMeter()

    async def choose(question: Question) -> Any:
        await go.acquire()
        return question.legal[0]

    # Whichever tests ran before, the deal is the same, and its first decisions are no forced ones.
    plan = replace(plan_of(street.store, claim), seed=seed_of("slow"))
    table = Match(plan, [InProcessPlayer(choose) for _ in range(2)], lag)
    playing = asyncio.create_task(table.play())
    feed = reader.host._live_feed
    feed.show(claim.match, table, datetime.now(UTC))
    try:
        while table.state is None:
            await asyncio.sleep(0)
        yield Slow(match, table, go)
    finally:
        feed.hide(match.id)
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
        lag.stop()
        street.store.void(SERVER, match.id, claim.attempt, "machine", "the test is over")
        street.store.drop([match.id])


def test_stream_brings_tables_as_they_move_and_ends_with_its_reader(street: Street) -> None:
    async def test(reader: Reader) -> None:
        async with slow_table(street, reader) as slow:
            events = Stream(reader.application, f"/leagues/{LEAGUE}/live/events")
            first = await events.next("table")
            assert first["match"] == slow.match.id
            assert first["drawn"]
            assert [seat["entrant"] for seat in first["seats"]] == ["ann", "bob"]
            assert await events.next("tables") == [slow.match.id]
            assert events.headers[b"content-type"].startswith(b"text/event-stream")
            slow.go.release()
            moved = first
            while moved["decisions"] == first["decisions"]:
                moved = await events.next("table")
            assert moved["decisions"] == slow.table.decisions > 0
            assert moved["view"] != first["view"]
            feed = reader.host._live_feed
            feed.publish(LiveEvent("ended", "twice", "elsewhere"))
            feed.publish(LiveEvent("standings", LEAGUE))
            assert (await events.next("standings"))["league"] == LEAGUE
            feed.publish(LiveEvent("ended", LEAGUE, slow.match.id))
            assert (await events.next("ended"))["match"] == slow.match.id
            assert len(feed._subscribers) == 1
            await events.hang_up()
            assert len(feed._subscribers) == 0
            text = (await reader.get("/metrics")).text
            assert "highstreet_web_onlookers 0.0" in text.splitlines()

    ask(street, test)


def test_spectators_see_nothing_hidden(street: Street) -> None:
    """What is sent is the spectator's view of the game, and pages show the same."""

    async def test(reader: Reader) -> None:
        async with slow_table(street, reader) as slow:
            events = Stream(reader.application, f"/matches/{slow.match.id}/live/events")
            shown = await events.next("table")
            await events.hang_up()
            game = slow.table.plan.game
            from tournaments.replay.document import view_document  # noqa: PLC0415  named here alone

            expected = view_document(game, game.view(slow.table.state, None))
            assert shown["view"] == json.loads(json.dumps(expected["view"]))
            document = await reader.json(f"/matches/{slow.match.id}/live.json")
            assert document["table"]["view"] == shown["view"]
            live = await reader.json(f"/leagues/{LEAGUE}/live.json")
            assert [table["match"] for table in live["tables"]] == [slow.match.id]
            assert live["hidden"] == 0
            page = (await reader.get(f"/leagues/{LEAGUE}/live")).text
            assert f'data-match="{slow.match.id}"' in page
            front = await reader.json("/index.json")
            assert [table["match"] for table in front["playing"]] == [slow.match.id]

    ask(street, test)


def test_table_whose_deal_is_played_again_is_not_shown(street: Street) -> None:
    async def test(reader: Reader) -> None:
        match = street.matches["to come"]
        claim = street.store.claim(SERVER, match.id, 60.0)
        assert claim is not None
        try:
            live = await reader.json("/leagues/twice/live.json")
            assert (live["tables"], live["hidden"]) == ([], 1)
            assert "1 table is not shown" in (await reader.get("/leagues/twice/live")).text
            page = (await reader.get(f"/matches/{match.id}/live")).text
            assert "This table is not shown" in page
        finally:
            street.store.void(SERVER, match.id, claim.attempt, "machine", "the test is over")

    ask(street, test)


def test_streams_behind_a_proxy_are_limited_reader_by_reader(street: Street) -> None:
    async def test(reader: Reader) -> None:
        path = "/leagues/twice/live/events"
        streams = [
            Stream(reader.application, path, "192.0.2.1") for _ in range(stream.MOST_PER_CLIENT)
        ]
        for each in streams:
            await each.next("tables")
        await reader.get(path, 429, **{"x-forwarded-for": "192.0.2.1"})
        # A client that writes the header itself still has the address that the proxy saw.
        await reader.get(path, 429, **{"x-forwarded-for": "192.0.2.7, 192.0.2.1"})
        other = Stream(reader.application, path, "192.0.2.2")
        assert await other.next("tables") == []
        for each in (*streams, other):
            await each.hang_up()

    ask(street, test, proxies={"127.0.0.1"})


def test_streams_of_one_address_are_limited(street: Street) -> None:
    async def test(reader: Reader) -> None:
        path = "/leagues/twice/live/events"
        streams = [Stream(reader.application, path) for _ in range(stream.MOST_PER_CLIENT)]
        for each in streams:
            await each.next("tables")
        refused = await reader.get(path, 429)
        assert "too many live streams" in refused.text.lower()
        for each in streams:
            await each.hang_up()
        again = Stream(reader.application, path)
        assert await again.next("tables") == []
        await again.hang_up()

    ask(street, test)
