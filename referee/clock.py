"""Time as arithmetic: how long a seat may take, and what a decision leaves it.

Nothing here reads a clock.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from datetime import timedelta

from engine import UsageError

ZERO = timedelta(0)
LONGEST = timedelta(days=365)
"""No time is longer than this: what is added to it stays within what the wire can say."""


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How long a bot may think.

    Each decision has ``per_move`` for free; what it takes beyond that is drawn from ``bank``, to
    which each decision adds ``increment``. The first decision of a match has ``start_up`` on top.
    ``latency`` is taken to be the network's and is never charged.
    """

    per_move: timedelta = timedelta(seconds=2)
    bank: timedelta = ZERO
    increment: timedelta = ZERO
    start_up: timedelta = timedelta(seconds=10)
    latency: timedelta = timedelta(milliseconds=50)

    def __post_init__(self) -> None:
        for part in fields(self):
            if getattr(self, part.name) < ZERO:
                raise UsageError(f"{part.name} is negative; a time is 0 or more.")
            if getattr(self, part.name) > LONGEST:
                raise UsageError(f"{part.name} is more than {LONGEST.days} days.")
        if self.per_move + self.bank <= ZERO:
            raise UsageError("the time control leaves no time to think: give per_move or bank.")

    def as_dict(self) -> dict[str, float]:
        """Write it as records have it, in seconds."""
        return {part.name: getattr(self, part.name).total_seconds() for part in fields(self)}


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock of one seat between two of its decisions."""

    control: TimeControl
    bank: timedelta
    first: bool = True
    free: timedelta = field(init=False)
    """How long the next decision may take before it costs anything."""
    limit: timedelta = field(init=False)
    """How long the next decision may take in all."""
    seconds: float = field(init=False)
    """The same in seconds."""

    def __post_init__(self) -> None:
        control = self.control
        free = control.latency + control.per_move
        if self.first:
            free += control.start_up
        object.__setattr__(self, "free", free)
        object.__setattr__(self, "limit", free + self.bank)
        object.__setattr__(self, "seconds", self.limit.total_seconds())

    @classmethod
    def wound_up(cls, control: TimeControl) -> Clock:
        """Return the clock of a seat at the beginning of a match."""
        return cls(control, control.bank)

    def in_time(self, used: timedelta) -> bool:
        """Tell whether a decision that took so long is in time."""
        return used <= self.limit

    def after(self, used: timedelta) -> Clock:
        """Return the clock after a decision that took so long; one that was late has no bank."""
        if used <= self.free and not self.first and not self.control.increment:
            return self
        over = max(ZERO, used - self.free)
        bank = max(ZERO, self.bank - over) + self.control.increment
        return Clock(self.control, bank, first=False)
