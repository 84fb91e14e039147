"""The result of a match."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import NamedTuple

from engine import Seat
from referee.match.player import MatchPlan
from referee.model import Cause
from referee.record import STOPPED


class Absence(NamedTuple):
    """Why a seat is empty."""

    fault: str
    detail: str


@dataclass(frozen=True, slots=True)
class Abnormality:
    """Why a seat forfeited, or why a match was stopped."""

    cause: Cause
    fault: str
    detail: str
    seat: Seat | None = None
    decision: int | None = None

    def as_dict(self) -> dict[str, object]:
        """Return it as in the last line of a record."""
        return {
            "seat": self.seat,
            "fault": self.fault,
            "cause": self.cause.value,
            "n": self.decision,
            "detail": self.detail,
        }


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The result of a match that is over, or that was stopped and is void."""

    plan: MatchPlan
    ending: str
    scores: tuple[int, ...]
    places: tuple[int, ...]
    forfeits: tuple[Seat, ...]
    causes: tuple[Abnormality, ...]
    decisions: int
    used: tuple[timedelta, ...]
    """The total time that each seat used."""
    record: bytes
    strikes: Mapping[str, int] = field(default_factory=dict)
    """The number of strikes by fault, without those that led to a forfeit."""
    thought: tuple[timedelta, ...] = ()
    """The time of each decision that a player was asked for."""
    stopped: tuple[Seat, ...] = ()
    """The seats whose process was stopped by a signal at their time-out; the match is void."""

    @property
    def void(self) -> bool:
        """Whether the match was stopped and does not count."""
        return self.ending == STOPPED
