"""Any game as the messages that a bot sees, written by the referee's own codec."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import timedelta
from typing import Any

from google.protobuf.json_format import MessageToDict
from highstreet.v1 import play_pb2

from engine.game import Event, Options, Seat
from engine.registry import find_game
from engine.shuffle import seed_from_text
from referee.match.messages import Submitted
from referee.match.player import MatchPlan, Question
from referee.model import EventBatch
from referee.model.clock import Clock, TimeControl
from referee.model.policy import Policy
from referee.wire.messages import decision_message, read_submission, started_message


class Wire:
    """One match after another of one game; it has the functions of the module ``messages``."""

    def __init__(self, game: str) -> None:
        self.GAME = find_game(game)

    def started(self, match: str, options: Options, seat: int) -> play_pb2.MatchStarted:
        """Return how a match begins for a seat; later messages are about this match."""
        self.plan = MatchPlan(
            match,
            self.GAME,
            options,
            seed_from_text("0"),
            b"salt",
            tuple(f"bot {i}" for i in range(options.seats)),
            TimeControl(),
            Policy(),
        )
        said = started_message(self.plan, seat, "commitment")
        return play_pb2.PlayResponse.FromString(said).match_started

    def decision(
        self, match: str, number: int, state: Any, seat: Seat, events: Iterable[Event], seconds: int
    ) -> play_pb2.Decision:
        """Return what a seat is asked, and what has happened since it was last asked."""
        assert match == self.plan.match
        question = Question(
            self.plan,
            seat,
            number,
            self.GAME.view(state, seat),
            [EventBatch([event for event in events if event.visible_to(seat)])],
            self.GAME.legal_moves(state, seat),
            Clock.initial(TimeControl(per_move=timedelta(seconds=seconds))),
        )
        return play_pb2.PlayResponse.FromString(decision_message(question)).decision

    def ended(
        self, match: str, state: Any, _seat: Seat, _events: Iterable[Event]
    ) -> play_pb2.MatchEnded:
        """Return how a match ended."""
        outcome = self.GAME.outcome(state)
        assert outcome is not None
        return play_pb2.MatchEnded(
            match=match, ending=outcome.ending, scores=outcome.scores, places=outcome.places
        )

    def move_in(self, message: play_pb2.Move) -> Any:
        """Translate a move of a bot."""
        read = read_submission(self.GAME.spec.name, play_pb2.SubmitMove(move=message), 0.0)
        assert isinstance(read, Submitted), MessageToDict(message)
        return read.move
