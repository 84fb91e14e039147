"""Rate limits: so many requests of one token, and of one address, and no more.

Whoever is a little too fast waits a little; whoever is much too fast is refused.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from engine import HighstreetError

MOST_KEYS: Final = 10_000
"""So many tokens and addresses are remembered; those who have been silent longest go first."""


class TooFastError(HighstreetError):
    """More requests than are answered."""


@dataclass(frozen=True, slots=True)
class Rate:
    """What somebody may ask for."""

    per_second: float
    burst: int
    """So many at once."""
    patience: float = 2.0
    """A request that would wait longer than this is refused, in seconds."""


JOINS: Final = Rate(per_second=1, burst=40, patience=0)
"""Of one token: a bot that joins once a second for long is broken."""
OF_ADDRESS: Final = Rate(per_second=100, burst=500)
OF_TOKEN: Final = Rate(per_second=50, burst=200)


class Buckets:
    """A bucket for everybody: each request takes a drop, and drops come back with time."""

    def __init__(self, rate: Rate, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate = rate
        self._clock = clock
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """What is left for each key, and when that was."""

    def take(self, key: str) -> float:
        """Return how many seconds a request must wait; raises TooFastError if that is too long."""
        rate, now = self._rate, self._clock()
        level, then = self._levels.pop(key, (float(rate.burst), now))
        level = min(rate.burst, level + (now - then) * rate.per_second)
        wait = max(0.0, (1 - level) / rate.per_second)
        if wait > rate.patience:
            self._keep(key, level, now)
            raise TooFastError(
                f"too many requests: {rate.burst} at once and {rate.per_second:g} a second are "
                f"answered; try again in {wait:.0f} seconds."
            )
        self._keep(key, level - 1, now)
        return wait

    def _keep(self, key: str, level: float, now: float) -> None:
        self._levels[key] = (level, now)
        if len(self._levels) > MOST_KEYS:
            self._levels.popitem(last=False)


def address_of(peer: str) -> str:
    """Return the address in what gRPC calls a peer, such as "ipv4:127.0.0.1:5000"."""
    return peer.rpartition(":")[0] if peer.startswith("ip") else peer
