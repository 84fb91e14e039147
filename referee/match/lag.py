"""The lag of the event loop, which is not charged to bots."""

from __future__ import annotations

import asyncio
import math

PUNCTUAL = 0.002
"""A tick that is late by at most this many seconds is on time: timers are rarely exact."""

STALL = 1.0
"""A tick that is later than this many seconds is a stall: the process or its machine stopped."""

IDLE = 0.5
"""The interval in seconds while no decisions are being made: a timer costs CPU time."""


class LagMeter:
    """Adds up the delays of a periodic timer: the time in which the event loop was blocked.

    The lag during a decision is credited to the bot, up to a limit.
    """

    def __init__(self, interval: float = 0.005) -> None:
        self._interval = self._close = interval
        self._loop = asyncio.get_running_loop()
        self._totals = (0.0, 0.0)
        """The seconds of lag, and those of them in stalls, until the last tick."""
        self._due = self._loop.time() + interval
        self._handle = self._loop.call_at(self._due, self._tick)

    def totals(self) -> tuple[float, float]:
        """Return the seconds of lag so far, and those of them in stalls.

        Both include the delay of the tick that is due.
        """
        late = self._loop.time() - self._due
        if late <= PUNCTUAL:
            return self._totals
        total, stalled = self._totals
        return total + late, stalled + late if late > STALL else stalled

    def total(self) -> float:
        """Return the seconds of lag so far, with the delay of the tick that is due."""
        return self.totals()[0]

    def watch(self, *, closely: bool) -> None:
        """Tick as often as decisions need it, or rarely while none are being made."""
        interval = self._close if closely else max(self._close, IDLE)
        if interval != self._interval and self._due != math.inf:
            self._interval = interval
            self._handle.cancel()
            self._tick()

    def stop(self) -> None:
        """Stop the timer; the totals stay."""
        self._totals = self.totals()
        self._due = math.inf
        self._handle.cancel()

    def _tick(self) -> None:
        self._totals = self.totals()
        self._due = self._loop.time() + self._interval
        self._handle = self._loop.call_at(self._due, self._tick)
