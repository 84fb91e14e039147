"""The pool of bot processes: which are kept, and which are closed first."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from engine import seed_from_text
from referee.match import Gone, Player
from referee.match.player import EmptySeat
from referee.model import BotSpec, Transport
from tournaments.worker import BotPool

DEAL = seed_from_text("1")
OTHER = seed_from_text("2")


class Process:
    """A bot that closes when it is let."""

    games: frozenset[str] = frozenset()
    gone: Gone | None = None
    disconnected = killed = False

    def __init__(self, name: str, may_close: asyncio.Event, closed: list[str]) -> None:
        self.name, self._may_close, self._closed = name, may_close, closed

    def player(self) -> Player:
        """Return a player that does nothing."""
        return EmptySeat()

    async def close(self) -> None:
        """Note the end."""
        await self._may_close.wait()
        self._closed.append(self.name)


class Processes:
    """Starts processes, and keeps the order in which they end."""

    def __init__(self) -> None:
        self.may_close = asyncio.Event()
        self.may_close.set()
        self.closed: list[str] = []

    async def launch(self, spec: BotSpec) -> Process:
        """Start one."""
        return Process(spec.name, self.may_close, self.closed)


def with_pool(test: Callable[[BotPool, Processes, dict[str, BotSpec]], Awaitable[None]]) -> None:
    async def run() -> None:
        processes = Processes()
        specs = {name: BotSpec(name, Transport.PIPE) for name in "abc"}
        pool = BotPool(processes, specs, 8)
        await test(pool, processes, specs)
        await pool.close()
        assert pool.processes == 0

    asyncio.run(run())


def test_idle_bots_are_closed_for_new_ones_the_oldest_first() -> None:
    async def test(pool: BotPool, processes: Processes, _: object) -> None:
        for name in "abc":
            (await pool.take(name, DEAL)).give_back()
        (await pool.take("a", OTHER)).give_back()
        await pool.make_room(2)
        assert processes.closed == ["b", "c"]
        assert pool.processes == 1

    with_pool(test)


def test_a_bot_counts_until_it_has_ended() -> None:
    async def test(pool: BotPool, processes: Processes, _: object) -> None:
        processes.may_close.clear()
        (await pool.take("a", DEAL)).retire()
        waiting = asyncio.create_task(pool.make_room(1))
        await asyncio.sleep(0)
        assert not waiting.done()
        assert pool.processes == 1
        processes.may_close.set()
        await waiting
        assert pool.processes == 0

    with_pool(test)


def test_a_bot_that_was_removed_is_not_kept() -> None:
    async def test(pool: BotPool, processes: Processes, specs: dict[str, BotSpec]) -> None:
        playing, idle = await pool.take("a", DEAL), await pool.take("a", DEAL)
        idle.give_back()
        del specs["a"]
        pool.retire_idle("a")
        playing.give_back()
        await pool.make_room(1)
        assert processes.closed == ["a", "a"]

    with_pool(test)


def test_a_bot_that_may_not_play_again_is_not_kept() -> None:
    async def test(pool: BotPool, processes: Processes, _: object) -> None:
        playing = await pool.take("a", DEAL)
        playing.again = False
        playing.give_back()
        await pool.make_room(1)
        assert processes.closed == ["a"]

    with_pool(test)
