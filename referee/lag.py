"""How late the event loop runs, so that no bot pays for it."""

from __future__ import annotations

import asyncio
import math

PUNCTUAL = 0.002
"""A tick that is no later than this is on time: timers come up to a millisecond late by nature."""


class LagMeter:
    """Adds up how late a regular tick comes: the time in which the loop could not listen.

    While a decision is open, the lag of that time is credited to the bot.
    """

    def __init__(self, interval: float = 0.005) -> None:
        self._interval = interval
        self._loop = asyncio.get_running_loop()
        self._total = 0.0
        self._due = self._loop.time() + interval
        self._handle = self._loop.call_at(self._due, self._tick)

    def total(self) -> float:
        """Return the seconds of lag so far, the present delay included."""
        late = self._loop.time() - self._due
        return self._total + late if late > PUNCTUAL else self._total

    def stop(self) -> None:
        """End the ticking; the total stays as it is."""
        self._total = self.total()
        self._due = math.inf
        self._handle.cancel()

    def _tick(self) -> None:
        self._total = self.total()
        self._due = self._loop.time() + self._interval
        self._handle = self._loop.call_at(self._due, self._tick)
