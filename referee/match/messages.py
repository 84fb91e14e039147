"""The messages that arrive from a player."""

from __future__ import annotations

from typing import Any, NamedTuple

from referee.model import Fault


class Submitted(NamedTuple):
    """A move that answers a decision."""

    match: str
    decision: int
    move: Any
    at: float
    """When it arrived, in the time of the event loop."""


class StaleAnswer(NamedTuple):
    """An answer to a decision that is not open. Its move has not been parsed."""

    match: str
    decision: int
    at: float


class Idle(NamedTuple):
    """A message that answers nothing, such as an empty line or a ``leave``."""

    at: float


class Unreadable(NamedTuple):
    """A message that could not be parsed."""

    problem: str
    said: str
    at: float


class Gone(NamedTuple):
    """The player cannot answer any more."""

    fault: Fault
    detail: str
    stopped: bool = False
    """Whether a signal has stopped a process of the bot; another process may have sent it."""


STOPPED_PROCESS = Gone(
    Fault.TIME_OUT, "no answer in time, and a signal has stopped its process", stopped=True
)

Message = Submitted | StaleAnswer | Idle | Unreadable
"""A message of a bot. Each of them counts towards the limits, whatever its content."""
Answer = Message | Gone

PAUSE = 0.01
"""For how many seconds a transport stops reading from a bot after two consecutive messages that
answer nothing. This limits a flood to a hundred messages per second."""
