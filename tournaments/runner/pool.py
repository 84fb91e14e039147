"""Bot processes that play one match after the other, and never see a deal twice."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from engine import Seed
from referee import Bot, BotSpec, Stage


@dataclass(slots=True, eq=False)
class PooledBot:
    """A bot process, and the deals that it has seen."""

    bot: Bot
    seen: set[Seed] = field(default_factory=set)


class BotPool:
    """Starts bots as they are needed, and keeps some of them for later matches."""

    def __init__(self, stage: Stage, specs: Mapping[str, BotSpec], most_idle: int) -> None:
        self._stage = stage
        self._specs = specs
        self._most_idle = most_idle
        self._idle: list[tuple[str, PooledBot]] = []
        """By name; the one that was used last comes last."""
        self._closing: set[asyncio.Task[None]] = set()

    async def take(self, name: str, deal: Seed) -> PooledBot:
        """Return a bot that has not seen that deal; raises BotStartError and NoShowError."""
        pooled = self.take_idle(name, deal)
        if pooled is None:
            pooled = PooledBot(await self._stage.bring(self._specs[name]))
            pooled.seen.add(deal)
        return pooled

    def take_idle(self, name: str, deal: Seed) -> PooledBot | None:
        """Return a bot that waits for its next match and has not seen that deal, if there is one.

        Those of the same name that turn out to be dead are sent away.
        """
        for i in range(len(self._idle) - 1, -1, -1):
            owner, pooled = self._idle[i]
            if owner != name:
                continue
            if _is_gone(pooled.bot):
                del self._idle[i]
                self.retire(pooled)
            elif deal not in pooled.seen:
                del self._idle[i]
                pooled.seen.add(deal)
                return pooled
        return None

    def give_back(self, name: str, pooled: PooledBot) -> None:
        """Keep a bot for its next match, if it is still there."""
        if _is_gone(pooled.bot):
            self.retire(pooled)
            return
        self._idle.append((name, pooled))
        if len(self._idle) > self._most_idle:
            self._drop_dead()
        while len(self._idle) > self._most_idle:
            self.retire(self._idle.pop(0)[1])

    def retire(self, pooled: PooledBot) -> None:
        """Send a bot away, without waiting for it."""
        closing = asyncio.create_task(pooled.bot.close())
        self._closing.add(closing)
        closing.add_done_callback(self._closing.discard)

    def _drop_dead(self) -> None:
        gone = [(name, pooled) for name, pooled in self._idle if _is_gone(pooled.bot)]
        for pair in gone:
            self._idle.remove(pair)
            self.retire(pair[1])

    async def close(self) -> None:
        """Send all bots away."""
        while self._idle:
            self.retire(self._idle.pop()[1])
        while self._closing:
            with contextlib.suppress(Exception):
                await asyncio.gather(*self._closing)


def _is_gone(bot: Bot) -> bool:
    return bot.gone is not None or bot.away
