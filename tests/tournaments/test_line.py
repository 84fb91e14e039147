"""What runner and worker say to each other arrives whole and in order, and nobody waits for it."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import pytest

from referee.loop import CHOICE, run_async
from tournaments.runner.jobs import Failed
from tournaments.runner.line import Line

LARGE = "x" * 5_000_000
"""Far more than a socket holds."""

Run = Callable[[Coroutine[Any, Any, None]], None]


@pytest.fixture(params=["uvloop", "asyncio"])
def run(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a story on each loop that a runner may have."""
    monkeypatch.setenv(CHOICE, request.param)
    return run_async


class End:
    """One end of a line, with what was heard at it."""

    def __init__(self, end: socket.socket) -> None:
        self.heard: list[Any] = []
        self.lost = asyncio.Event()
        self._news = asyncio.Event()
        self.line = Line(end, self._hear, self.lost.set)

    def _hear(self, message: Any) -> None:
        self.heard.append(message)
        self._news.set()

    async def hear(self, count: int) -> list[Any]:
        """Wait until there are so many messages."""
        async with asyncio.timeout(30):
            while len(self.heard) < count:
                self._news.clear()
                await self._news.wait()
        return self.heard


@contextlib.asynccontextmanager
async def ends() -> AsyncIterator[tuple[End, End]]:
    ours, theirs = map(End, socket.socketpair())
    yield ours, theirs
    for end in (ours, theirs):
        end.line.abort()
        if end.line._transport is not None:
            await end.lost.wait()


def test_messages_of_every_size_arrive_whole_and_in_order_both_ways(run: Run) -> None:
    async def story() -> None:
        async with ends() as (runner, worker):
            await runner.line.open()
            await worker.line.open()
            sent = [Failed("x" * size) for size in (0, 1, 16_300, 16_400, 70_000, 5_000_000, 2)]
            for message in sent:
                runner.line.put(message)
                worker.line.put(message)
            assert await worker.hear(len(sent)) == sent
            assert await runner.hear(len(sent)) == sent

    run(story())


def test_a_message_that_comes_byte_by_byte_is_heard_once_and_whole() -> None:
    heard: list[Any] = []
    with socket.socket() as nobody:
        line = Line(nobody, heard.append, lambda: None)
    line.put(Failed("one"))
    line.put(Failed("two"))
    for byte in line._early:
        line.data_received(bytes([byte]))
    assert heard == [Failed("one"), Failed("two")]
    line.data_received(line._early * 2)
    assert heard == [Failed("one"), Failed("two")] * 3


def test_what_is_said_before_the_line_is_open_comes_first(run: Run) -> None:
    async def story() -> None:
        async with ends() as (runner, worker):
            runner.line.put(Failed("early"))
            runner.line.put(Failed("still early"))
            await runner.line.open()
            runner.line.put(Failed("late"))
            await worker.line.open()
            assert await worker.hear(3) == [Failed("early"), Failed("still early"), Failed("late")]

    run(story())


def test_nobody_waits_for_an_end_that_does_not_read_and_it_hears_everything_later(
    run: Run,
) -> None:
    async def story() -> None:
        async with ends() as (runner, worker):
            await worker.line.open()
            sent = [Failed(str(number) * 1000) for number in range(2000)]
            for message in sent:
                worker.line.put(message)
            closing = asyncio.create_task(worker.line.close())
            await asyncio.sleep(0.05)
            assert not closing.done(), "most of it has no place to go to yet"
            await runner.line.open()
            assert await runner.hear(len(sent)) == sent
            await closing
            await runner.lost.wait()

    run(story())


def test_an_end_that_hangs_up_in_the_middle_of_a_message_is_lost(run: Run) -> None:
    async def story() -> None:
        async with ends() as (runner, worker):
            await worker.line.open()
            worker.line.put(Failed("whole"))
            worker.line.put(Failed(LARGE))
            await runner.line.open()
            await runner.hear(1)
            worker.line.abort()
            await runner.lost.wait()
            assert runner.heard[0] == Failed("whole")
            assert len(runner.heard) == 1
            await worker.lost.wait()
            runner.line.put(Failed("is anybody there?"))  # nobody is, and that is no reason to fail
            await runner.line.close()

    run(story())


def test_an_end_that_was_never_opened_can_hang_up(run: Run) -> None:
    async def story() -> None:
        async with ends() as (runner, worker):
            await worker.line.open()
            runner.line.abort()
            await worker.lost.wait()

    run(story())
