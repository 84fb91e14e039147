"""The timer of the decisions of a seat."""

from __future__ import annotations

import asyncio

from referee.match.inbox import Inbox
from referee.match.lag import LagMeter

MOST_CREDIT = 1.0
"""The most seconds of event-loop lag that are credited to one decision.

With every core busy the longest lag in 100,000 decisions was 0.5 s. If a decision is late only
because of a longer stall of the referee, the match is void.
"""


class DecisionTimer:
    """Measures the time since the last question to a seat, without event-loop lag."""

    def __init__(
        self, loop: asyncio.AbstractEventLoop, lag: LagMeter, inbox: Inbox, *, counts_cpu: bool
    ) -> None:
        self._loop, self._lag, self._inbox = loop, lag, inbox
        self._counts_cpu = counts_cpu
        self._cpu_when_frozen: float | None = None
        self.start(0.0)

    def start(self, limit: float) -> None:
        """Start again, for a decision that may take that many seconds."""
        if self._counts_cpu:
            frozen, self._cpu_when_frozen = self._cpu_when_frozen, None
            self._cpu = self._cpu_seconds() if frozen is None else frozen
        self._start = start = self._loop.time()
        self._lag_before = self._lag.totals()
        self._handling = self._inbox.handling_seconds
        self.deadline = start + limit
        """When the time is up, without credit for lag."""

    def on_frozen(self) -> None:
        """Charge the next decision with what a bot that was frozen uses from now on.

        So it gains nothing if it finds a way to run.
        """
        if self._counts_cpu:
            self._cpu_when_frozen = self._cpu_seconds()

    def pause(self, seconds: float) -> None:
        """Exclude seconds that have passed from the time of the decision."""
        self._start += seconds
        self.deadline += seconds

    def used(self, arrival: float) -> float:
        """Return the seconds that an answer with that arrival time took."""
        if self._lag.totals() == self._lag_before:
            return arrival - self._start
        return arrival - self._start - self.credit()

    def cpu_used(self) -> float:
        """Return the CPU seconds that the bot has used since the question, or it was frozen."""
        return max(0.0, self._cpu_seconds() - self._cpu)

    def _cpu_seconds(self) -> float:
        sandbox = self._inbox.sandbox
        return 0.0 if sandbox is None else sandbox.cpu_seconds()

    def credit(self) -> float:
        """Return the credited seconds of lag; lag that the bot's messages caused is excluded."""
        own = self._inbox.handling_seconds - self._handling
        return min(MOST_CREDIT, max(0.0, self._lag.totals()[0] - self._lag_before[0] - own))

    def stalled(self) -> float:
        """Return the seconds for which the referee was stalled."""
        return self._lag.totals()[1] - self._lag_before[1]
