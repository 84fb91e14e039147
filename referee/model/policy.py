"""The policy of a match: how the referee reacts to each fault of a bot."""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import StrEnum

from engine import UsageError

MOST = 1_000_000
"""The highest number of faults that a policy can tolerate."""
LONGEST_RECONNECT = 3600
"""The longest time, in seconds, for which a policy can stop a clock in a match."""


class Fault(StrEnum):
    """The faults of a bot."""

    ILLEGAL_MOVE = "illegal_move"
    MALFORMED = "malformed"
    TIME_OUT = "time_out"
    DISCONNECT = "disconnect"
    CRASH = "crash"


class Reaction(StrEnum):
    """How the referee reacts to a fault."""

    REJECT = "reject"
    """Reject the answer; the clock runs on."""
    STRIKE = "strike"
    """Play the default move and count a strike."""
    FORFEIT = "forfeit"
    """Play default moves to the end and place the seat last."""


class Cause(StrEnum):
    """Who caused an abnormal ending."""

    BOT = "bot"
    NETWORK = "network"
    REFEREE = "referee"
    MACHINE = "machine"


@dataclass(frozen=True, slots=True)
class Policy:
    """The reaction to each fault, and how many faults are tolerated.

    A decision may have ``rejections`` rejected answers; the next one is a strike. A seat may have
    ``strikes`` strikes; the next one is a forfeit. While a bot is disconnected its clock is
    stopped, for at most ``reconnect`` seconds of a match in total. With ``ponder`` a bot in a
    sandbox may think on its opponents' time; otherwise it is frozen then.
    """

    illegal_move: Reaction = Reaction.REJECT
    malformed: Reaction = Reaction.REJECT
    time_out: Reaction = Reaction.STRIKE
    disconnect: Reaction = Reaction.FORFEIT
    crash: Reaction = Reaction.FORFEIT
    strikes: int = 3
    rejections: int = 3
    reconnect: int = 10
    ponder: bool = False

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
        if not 0 <= self.reconnect <= LONGEST_RECONNECT:
            raise UsageError(f"reconnect must be 0 to {LONGEST_RECONNECT} seconds.")

    def reaction(self, fault: Fault) -> Reaction:
        """Return the reaction to a fault."""
        reaction: Reaction = getattr(self, fault.value)
        return reaction

    def as_dict(self) -> dict[str, str | int]:
        """Return the policy as in the head of a record; ``ponder`` is stated if it is true."""
        return {
            field.name: value.value if isinstance(value, Reaction) else value
            for field in fields(self)
            for value in [getattr(self, field.name)]
            if field.name != "ponder" or value
        }
