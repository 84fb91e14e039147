"""The timer of one decision."""

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
    """Measures the time since a question was asked, without event-loop lag."""

    __slots__ = (
        "_cpu",
        "_handling",
        "_inbox",
        "_lag",
        "_stalled",
        "_start",
        "_total",
        "deadline",
    )

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        lag: LagMeter,
        inbox: Inbox,
        limit: float,
        *,
        counts_cpu: bool,
    ) -> None:
        self._lag, self._inbox = lag, inbox
        self._cpu = self._cpu_seconds() if counts_cpu else 0.0
        self._start = loop.time()
        self._total, self._stalled = lag.totals()
        self._handling = inbox.handling_seconds
        self.deadline = self._start + limit
        """When the time is up, without credit for lag."""

    def pause(self, seconds: float) -> None:
        """Exclude seconds that have passed from the time of the decision."""
        self._start += seconds
        self.deadline += seconds

    def used(self, arrival: float) -> float:
        """Return the seconds that an answer with that arrival time took."""
        seconds, (total, _) = arrival - self._start, self._lag.totals()
        return seconds if total == self._total else seconds - self.credit()

    def cpu_used(self) -> float:
        """Return the CPU seconds that a bot in a sandbox has used since the question."""
        return max(0.0, self._cpu_seconds() - self._cpu)

    def _cpu_seconds(self) -> float:
        sandbox = self._inbox.sandbox
        return 0.0 if sandbox is None else sandbox.cpu_seconds()

    def credit(self) -> float:
        """Return the credited seconds of lag; lag that the bot's messages caused is excluded."""
        own = self._inbox.handling_seconds - self._handling
        return min(MOST_CREDIT, max(0.0, self._lag.total() - self._total - own))

    def stalled(self) -> float:
        """Return the seconds for which the referee was stalled."""
        return self._lag.totals()[1] - self._stalled
