"""Bot processes that play one match after the other, and never see a deal twice."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from engine import Seed
from referee.model import BotSpec
from referee.transports import Bot


class Launcher(Protocol):
    """Starts bots, as ``BotLauncher`` does."""

    async def launch(self, spec: BotSpec) -> Bot:
        """Start a bot; raises BotStartError and BotNotConnectedError."""


@dataclass(slots=True, eq=False)
class PooledBot:
    """A bot process, and the deals that it has seen."""

    name: str
    bot: Bot
    pool: BotPool
    seen: set[Seed] = field(default_factory=set)
    again: bool = True
    """Whether the process may play another match."""

    @property
    def gone(self) -> bool:
        """Whether the process has ended or its connection is cut."""
        return self.bot.gone is not None or self.bot.disconnected

    def give_back(self) -> None:
        """Keep the process for its next match, if it still runs."""
        self.pool.give_back(self)

    def retire(self) -> None:
        """End the process, without waiting for it."""
        self.pool.retire(self)


class BotPool:
    """Starts bots as they are needed, and keeps some of them for later matches."""

    def __init__(self, launcher: Launcher, specs: Mapping[str, BotSpec], most_idle: int) -> None:
        """Take the bots by name; one that is removed from them later is not kept any more."""
        self._launcher = launcher
        self._specs = specs
        self._most_idle = most_idle
        self._idle: list[PooledBot] = []
        """The one that was used last comes last."""
        self._closing: set[asyncio.Task[None]] = set()
        self._running: Counter[str] = Counter()
        """How many bots of each name there are, with those that are being started or closed."""

    @property
    def processes(self) -> int:
        """How many bots there are, with those that are being started or closed."""
        return self._running.total()

    def runs(self, name: str) -> bool:
        """Return whether there is a bot of a name, or one is being started or closed."""
        return self._running[name] > 0

    async def take(self, name: str, deal: Seed) -> PooledBot:
        """Return a bot that has not seen a deal; raises BotStartError and BotNotConnectedError."""
        pooled = self.take_idle(name, deal)
        if pooled is None:
            pooled = PooledBot(name, await self._launch(name), self)
            pooled.seen.add(deal)
        return pooled

    async def _launch(self, name: str) -> Bot:
        spec = self._specs[name]
        self._running[name] += 1
        try:
            return await self._launcher.launch(spec)
        except BaseException:
            self._ended(name)
            raise

    def _ended(self, name: str) -> None:
        self._running -= Counter([name])

    def take_idle(self, name: str, deal: Seed) -> PooledBot | None:
        """Return an idle bot that has not seen a deal, if there is one; close those that died."""
        for i in range(len(self._idle) - 1, -1, -1):
            pooled = self._idle[i]
            if pooled.name != name:
                continue
            if pooled.gone:
                del self._idle[i]
                self.retire(pooled)
            elif deal not in pooled.seen:
                del self._idle[i]
                pooled.seen.add(deal)
                return pooled
        return None

    def give_back(self, pooled: PooledBot) -> None:
        """Keep a bot for its next match, if it still runs and may play on."""
        if pooled.gone or not pooled.again or pooled.name not in self._specs:
            self.retire(pooled)
            return
        self._idle.append(pooled)
        if len(self._idle) > self._most_idle:
            self._close_dead()
        while len(self._idle) > self._most_idle:
            self.retire(self._idle.pop(0))

    def retire(self, pooled: PooledBot) -> None:
        """Close a bot, without waiting for it."""
        closing = asyncio.create_task(self._close(pooled))
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)

    async def _close(self, pooled: PooledBot) -> None:
        try:
            await pooled.bot.close()
        finally:
            self._ended(pooled.name)

    def retire_idle(self, name: str) -> None:
        """Close all idle bots of a name."""
        for pooled in [each for each in self._idle if each.name == name]:
            self._idle.remove(pooled)
            self.retire(pooled)

    async def make_room(self, most: int) -> None:
        """Wait until there are fewer bots than ``most``; close idle ones, the oldest first."""
        while self.processes >= most and (self._idle or self._closing):
            if self.processes - len(self._closing) >= most and self._idle:
                self.retire(self._idle.pop(0))
            else:
                await asyncio.wait(self._closing, return_when=asyncio.FIRST_COMPLETED)

    def _close_dead(self) -> None:
        for pooled in [each for each in self._idle if each.gone]:
            self._idle.remove(pooled)
            self.retire(pooled)

    async def close(self) -> None:
        """Close all bots."""
        while self._idle:
            self.retire(self._idle.pop())
        while self._closing:
            with contextlib.suppress(Exception):
                await asyncio.gather(*self._closing)
