"""Time controls and clocks as values: pure arithmetic that never reads the time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from datetime import timedelta
from enum import StrEnum
from typing import Any, Final

from engine import UsageError

ZERO = timedelta(0)
LONGEST = timedelta(days=365)
"""The longest setting of a time control: sums of them stay within the range of the protocol."""

WALL_FACTOR: Final = 5
WALL_GRACE: Final = timedelta(seconds=1)
"""With the CPU clock a decision may take this many times its limit, and that much more, by the wall
clock."""


class ClockKind(StrEnum):
    """What the time of a decision is measured with."""

    WALL = "wall"
    """The time that passes."""
    CPU = "cpu"
    """The CPU time of all processes of a bot in a sandbox, which other load cannot change."""


@dataclass(frozen=True, slots=True)
class TimeControl:
    """How long a bot may think.

    The first ``per_move`` of a decision are free; time beyond that is taken from ``bank``, to which
    each decision adds ``increment``. The first decision of a match has ``start_up`` in addition.
    ``latency`` is an allowance for the network and is never charged.
    """

    per_move: timedelta = timedelta(seconds=2)
    bank: timedelta = ZERO
    increment: timedelta = ZERO
    start_up: timedelta = timedelta(seconds=10)
    latency: timedelta = timedelta(milliseconds=50)
    clock: ClockKind = field(default=ClockKind.WALL, kw_only=True)

    def __post_init__(self) -> None:
        for name, time in self.times().items():
            if time < ZERO:
                raise UsageError(f"{name} is negative; a time is 0 or more.")
            if time > LONGEST:
                raise UsageError(f"{name} is more than {LONGEST.days} days.")
        if self.per_move + self.bank <= ZERO:
            raise UsageError("the time control leaves no time to think: give per_move or bank.")

    def times(self) -> dict[str, timedelta]:
        """Return the times by name."""
        names = (part.name for part in fields(self) if part.name != "clock")
        return {name: getattr(self, name) for name in names}

    def as_dict(self) -> dict[str, Any]:
        """Return the times in seconds, as in the head of a record, and a clock that is not wall."""
        known: dict[str, Any] = {name: time.total_seconds() for name, time in self.times().items()}
        return known if self.clock is ClockKind.WALL else {**known, "clock": self.clock.value}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> TimeControl:
        """Read what ``as_dict`` returns; raises UsageError, TypeError and ValueError."""
        parts: dict[str, Any] = {
            name: ClockKind(value) if name == "clock" else timedelta(seconds=value)
            for name, value in given.items()
        }
        return cls(**parts)


@dataclass(frozen=True, slots=True)
class Clock:
    """The clock of one seat before its next decision."""

    control: TimeControl
    bank: timedelta
    first: bool = True
    free: timedelta = field(init=False)
    """How long the next decision may take without using the bank."""
    limit: timedelta = field(init=False)
    """How long the next decision may take in total."""
    seconds: float = field(init=False)
    """``limit`` in seconds."""
    wall_limit: timedelta = field(init=False)
    """How long the next decision may take by the wall clock, which is more with the CPU clock."""
    wall_seconds: float = field(init=False)
    """``wall_limit`` in seconds."""

    def __post_init__(self) -> None:
        control = self.control
        free = control.latency + control.per_move
        if self.first:
            free += control.start_up
        object.__setattr__(self, "free", free)
        object.__setattr__(self, "limit", free + self.bank)
        object.__setattr__(self, "seconds", self.limit.total_seconds())
        wall_limit = self.limit
        if control.clock is ClockKind.CPU:
            wall_limit = WALL_FACTOR * self.limit + WALL_GRACE
        object.__setattr__(self, "wall_limit", wall_limit)
        object.__setattr__(self, "wall_seconds", wall_limit.total_seconds())

    @classmethod
    def initial(cls, control: TimeControl) -> Clock:
        """Return the clock of a seat at the beginning of a match."""
        return cls(control, control.bank)

    def in_time(self, used: timedelta) -> bool:
        """Return whether a decision that took ``used`` is in time."""
        return used <= self.limit

    def after(self, used: timedelta) -> Clock:
        """Return the clock after a decision that took ``used``; a late one empties the bank."""
        if used <= self.free and not self.first and not self.control.increment:
            return self
        over = max(ZERO, used - self.free)
        bank = max(ZERO, self.bank - over) + self.control.increment
        return Clock(self.control, bank, first=False)
