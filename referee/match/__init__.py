"""One match: seats, decisions, clocks, verdicts, result."""

from __future__ import annotations

from referee.match.inbox import Inbox, SandboxControl
from referee.match.lag import LagMeter
from referee.match.match import Match, Watch
from referee.match.messages import (
    PAUSE,
    STOPPED_PROCESS,
    Answer,
    Gone,
    Idle,
    Message,
    StaleAnswer,
    Submitted,
    Unreadable,
)
from referee.match.player import EmptySeat, MatchPlan, Player, Question, Rejection, Result
from referee.match.result import Absence, MatchResult

__all__ = [
    "PAUSE",
    "STOPPED_PROCESS",
    "Absence",
    "Answer",
    "EmptySeat",
    "Gone",
    "Idle",
    "Inbox",
    "LagMeter",
    "Match",
    "MatchPlan",
    "MatchResult",
    "Message",
    "Player",
    "Question",
    "Rejection",
    "Result",
    "SandboxControl",
    "StaleAnswer",
    "Submitted",
    "Unreadable",
    "Watch",
]
