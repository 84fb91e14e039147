"""The interface between a match and the player at a seat, and the messages that they exchange."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

from engine import AnyGame, Event, Options, Seat, Seed, Violation
from referee.match.inbox import Inbox
from referee.match.messages import Gone
from referee.model import Clock, EventBatches, Policy, TimeControl, flatten
from referee.record import STOPPED


@dataclass(frozen=True, slots=True)
class MatchPlan:
    """Everything that is fixed before the first decision of a match."""

    match: str
    game: AnyGame
    options: Options
    seed: Seed
    salt: bytes
    entrants: tuple[str, ...]
    time_control: TimeControl
    policy: Policy
    reveal_seed: bool = True
    """Whether the bots receive the seed at the end; False if the deal will be played again."""
    about: Mapping[str, object] = field(default_factory=dict)
    """Further keys for the head of the record; they are not sent to the bots."""
    packages: Mapping[str, str] = field(default_factory=dict)
    """SHA-256 of the package of each entrant that is one, for the head of the record."""


class Question(NamedTuple):
    """A decision that a seat must make."""

    plan: MatchPlan
    seat: Seat
    decision: int
    view: Any
    event_batches: EventBatches
    """The events since the last question to this seat."""
    legal: Sequence[Any]
    clock: Clock

    @property
    def events(self) -> list[Event]:
        """The events since the last question to this seat, in one list."""
        return flatten(self.event_batches)


@dataclass(frozen=True, slots=True)
class Rejection:
    """An answer that was not accepted; the question stays open."""

    question: Question
    violation: Violation | None
    """The broken rule; None if the answer could not be parsed."""
    message: str
    rejections_left: int
    strikes_left: int


@dataclass(frozen=True, slots=True)
class Result:
    """The end of a match, as it is sent to a seat."""

    plan: MatchPlan
    seat: Seat
    view: Any
    event_batches: EventBatches
    ending: str
    scores: tuple[int, ...]
    places: tuple[int, ...]
    forfeits: tuple[Seat, ...]

    @property
    def events(self) -> list[Event]:
        """The events since the last question to this seat, in one list."""
        return flatten(self.event_batches)

    @property
    def seed(self) -> str:
        """The seed in hexadecimal; empty if the deal will be played again, or may be."""
        revealed = self.plan.reveal_seed and self.ending != STOPPED
        return self.plan.seed.hex() if revealed else ""


class Player(Protocol):
    """The connection of a seat for one match. No method blocks; answers arrive in the inbox."""

    @property
    def inbox(self) -> Inbox:
        """The queue of everything that the player sends."""

    def begin(self, plan: MatchPlan, seat: Seat) -> None:
        """Send the start of the match."""

    def ask(self, question: Question) -> None:
        """Send a question."""

    def absence(self) -> Gone | None:
        """Return why the player cannot answer now, if it cannot; called at a time-out."""

    def reject(self, rejection: Rejection) -> None:
        """Send the rejection of an answer."""

    def end(self, result: Result) -> None:
        """Send the result of the match."""


class EmptySeat:
    """The player of a seat whose bot is absent from the beginning: it does nothing."""

    def __init__(self) -> None:
        self.inbox = Inbox()

    def begin(self, plan: MatchPlan, seat: Seat) -> None:
        """Do nothing."""

    def ask(self, question: Question) -> None:
        """Do nothing."""

    def absence(self) -> Gone | None:
        """Return None."""
        return None

    def reject(self, rejection: Rejection) -> None:
        """Do nothing."""

    def end(self, result: Result) -> None:
        """Do nothing."""
