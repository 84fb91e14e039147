"""What a fault leads to, as data."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum

from engine import UsageError

MOST = 1_000_000
"""No more faults than this can be tolerated."""


class Fault(StrEnum):
    """What a bot can do wrong."""

    ILLEGAL_MOVE = "illegal_move"
    MALFORMED = "malformed"
    TIME_OUT = "time_out"
    DISCONNECT = "disconnect"
    CRASH = "crash"


class Reaction(StrEnum):
    """What the referee does about it."""

    REJECT = "reject"
    """Tell the bot, and let its clock run."""
    STRIKE = "strike"
    """Play the default move, and count."""
    FORFEIT = "forfeit"
    """Play default moves to the end, and place the seat last."""


class Cause(StrEnum):
    """Whose fault an abnormal ending is."""

    BOT = "bot"
    NETWORK = "network"
    REFEREE = "referee"
    MACHINE = "machine"


@dataclass(frozen=True, slots=True)
class Policy:
    """The reaction to each fault, and how much is tolerated.

    A decision may have ``rejections`` rejected answers; the next one is a strike. A seat may have
    ``strikes`` strikes; the next one is a forfeit.
    """

    illegal_move: Reaction = Reaction.REJECT
    malformed: Reaction = Reaction.REJECT
    time_out: Reaction = Reaction.STRIKE
    disconnect: Reaction = Reaction.FORFEIT
    crash: Reaction = Reaction.FORFEIT
    strikes: int = 3
    rejections: int = 3

    def __post_init__(self) -> None:
        for fault in (Fault.TIME_OUT, Fault.DISCONNECT, Fault.CRASH):
            if self.reaction(fault) is Reaction.REJECT:
                raise UsageError(
                    f"{fault} cannot lead to reject: there is no answer to reject; "
                    "use strike or forfeit."
                )
        for name in ("strikes", "rejections"):
            if getattr(self, name) < 0:
                raise UsageError(f"{name} is negative; it is a number of tolerated faults.")
            if getattr(self, name) > MOST:
                raise UsageError(f"{name} is more than {MOST}, the most that can be tolerated.")

    def reaction(self, fault: Fault) -> Reaction:
        """Return what a fault leads to."""
        reaction: Reaction = getattr(self, fault.value)
        return reaction

    def as_dict(self) -> dict[str, str | int]:
        """Write it as records have it."""
        return {
            field.name: value.value if isinstance(value, Reaction) else value
            for field in fields(self)
            for value in [getattr(self, field.name)]
        }
