"""Messages between runner and worker arrive complete and in order, and ``send`` never waits."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any

import pytest

from referee.runtime.event_loop import CHOICE, run_async
from tournaments.worker.channel import Channel
from tournaments.worker.messages import WorkerFailed

LARGE = "x" * 5_000_000
"""Far more than a socket holds."""

Run = Callable[[Coroutine[Any, Any, None]], None]


@pytest.fixture(params=["uvloop", "asyncio"])
def run(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a story on each loop that a runner may have."""
    monkeypatch.setenv(CHOICE, request.param)
    return run_async


class End:
    """One end of a channel, with the messages that arrived there."""

    def __init__(self, end: socket.socket) -> None:
        self.received: list[Any] = []
        self.closed = asyncio.Event()
        self._arrived = asyncio.Event()
        self.channel = Channel(end, self._on_message, self.closed.set)

    def _on_message(self, message: Any) -> None:
        self.received.append(message)
        self._arrived.set()

    async def receive(self, count: int) -> list[Any]:
        """Wait until ``count`` messages have arrived."""
        async with asyncio.timeout(30):
            while len(self.received) < count:
                self._arrived.clear()
                await self._arrived.wait()
        return self.received


@contextlib.asynccontextmanager
async def ends() -> AsyncIterator[tuple[End, End]]:
    ours, theirs = map(End, socket.socketpair())
    yield ours, theirs
    for end in (ours, theirs):
        end.channel.abort()
        if end.channel._transport is not None:
            await end.closed.wait()


def test_messages_of_every_size_arrive_whole_and_in_order_both_ways(run: Run) -> None:
    async def story() -> None:
        async with ends() as (runner, worker):
            await runner.channel.open()
            await worker.channel.open()
            sent = [
                WorkerFailed("x" * size) for size in (0, 1, 16_300, 16_400, 70_000, 5_000_000, 2)
            ]
            for message in sent:
                runner.channel.send(message)
                worker.channel.send(message)
            assert await worker.receive(len(sent)) == sent
            assert await runner.receive(len(sent)) == sent

    run(story())


def test_a_message_that_comes_byte_by_byte_is_received_once_and_complete() -> None:
    received: list[Any] = []
    with socket.socket() as nobody:
        channel = Channel(nobody, received.append, lambda: None)
    channel.send(WorkerFailed("one"))
    channel.send(WorkerFailed("two"))
    for byte in channel._unsent:
        channel.data_received(bytes([byte]))
    assert received == [WorkerFailed("one"), WorkerFailed("two")]
    channel.data_received(channel._unsent * 2)
    assert received == [WorkerFailed("one"), WorkerFailed("two")] * 3


def test_what_is_sent_before_the_channel_is_open_comes_first(run: Run) -> None:
    async def story() -> None:
        async with ends() as (runner, worker):
            runner.channel.send(WorkerFailed("early"))
            runner.channel.send(WorkerFailed("still early"))
            await runner.channel.open()
            runner.channel.send(WorkerFailed("late"))
            await worker.channel.open()
            assert await worker.receive(3) == [
                WorkerFailed("early"),
                WorkerFailed("still early"),
                WorkerFailed("late"),
            ]

    run(story())


def test_send_does_not_wait_for_an_end_that_does_not_read_and_gets_everything_later(
    run: Run,
) -> None:
    async def story() -> None:
        async with ends() as (runner, worker):
            await worker.channel.open()
            sent = [WorkerFailed(str(number) * 1000) for number in range(2000)]
            for message in sent:
                worker.channel.send(message)
            closing = asyncio.create_task(worker.channel.close())
            await asyncio.sleep(0.05)
            assert not closing.done(), "most of it has no place to go to yet"
            await runner.channel.open()
            assert await runner.receive(len(sent)) == sent
            await closing
            await runner.closed.wait()

    run(story())


def test_an_end_that_closes_in_the_middle_of_a_message_is_noticed(run: Run) -> None:
    async def story() -> None:
        async with ends() as (runner, worker):
            await worker.channel.open()
            worker.channel.send(WorkerFailed("whole"))
            worker.channel.send(WorkerFailed(LARGE))
            await runner.channel.open()
            await runner.receive(1)
            worker.channel.abort()
            await runner.closed.wait()
            assert runner.received[0] == WorkerFailed("whole")
            assert len(runner.received) == 1
            await worker.closed.wait()
            runner.channel.send(
                WorkerFailed("is anybody there?")
            )  # nobody is, and that is no reason to fail
            await runner.channel.close()

    run(story())


def test_an_end_that_was_never_opened_can_be_closed(run: Run) -> None:
    async def story() -> None:
        async with ends() as (runner, worker):
            await worker.channel.open()
            runner.channel.abort()
            await worker.closed.wait()

    run(story())
