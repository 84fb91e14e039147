"""Ask a bot the decisions of a seat in a recorded match again, and compare the answers.

    recording = Recording.read(read_record(path))
    async for decision in rerun_decisions(recording, Seat(2), player):
        print(decision.asked.played.n, decision.asked.played.move, decision.answered)

The match follows the recorded moves, whatever the bot answers. Decision ids, views, events, legal
moves and clocks are those of the match.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from engine import HighstreetError, Seat, UsageError, seed_from_text
from referee.match import (
    Gone,
    MatchPlan,
    Message,
    Player,
    Question,
    Rejection,
    Result,
    Submitted,
    Unreadable,
)
from referee.model import Clock, EventBatches, EventLog, Reaction
from referee.record import Played, Position, Replay, printable, read_terms, replay_record

LONGEST_WAIT: Final = 60.0
MOST_MESSAGES: Final = 64
"""The most messages of a bot for one decision."""


class BotFailedError(HighstreetError):
    """A bot that stopped answering."""


@dataclass(frozen=True, slots=True)
class RecordedDecision:
    """A question of the match, and the move that was played."""

    question: Question
    played: Played

    @property
    def by_referee(self) -> bool:
        """Whether the referee played the default move, without a legal answer in time."""
        return bool(self.played.verdicts) and self.played.verdicts[-1].get("reaction") != "reject"


@dataclass(frozen=True, slots=True)
class RerunDecision:
    """A recorded decision that was asked again, and the new answer."""

    asked: RecordedDecision
    answered: str
    used: timedelta
    problem: str = ""
    """Why the answer would have been rejected; empty if it is legal."""

    @property
    def same(self) -> bool:
        """Whether the answer is the recorded move."""
        return not self.problem and self.answered == self.asked.played.move


@dataclass(frozen=True, slots=True)
class Recording:
    """A recorded match whose decisions can be asked again."""

    plan: MatchPlan
    replay: Replay

    @classmethod
    def read(cls, data: bytes) -> Recording:
        """Replay a record; raises RecordError if it cannot be replayed to its end."""
        replay = replay_record(data)
        if replay.problem is not None:
            raise replay.problem
        return cls(_plan(replay), replay)

    def questions(self, seat: Seat) -> list[RecordedDecision]:
        """Return the decisions of a seat, in order."""
        if seat not in range(self.plan.options.seats):
            most = self.plan.options.seats - 1
            raise UsageError(f"there is no seat {seat}: the match has seats 0 to {most}.")
        return list(self._asked(seat))

    def _asked(self, seat: Seat) -> Iterator[RecordedDecision]:
        """Skip what the seat was not asked, and everything after a forfeit, as the match did."""
        clock, sent = Clock.initial(self.plan.time_control), 0
        for before, position in enumerate(self.replay.positions[1:]):
            played = position.played
            if played is None or played.seat != seat or not played.asked:
                continue
            yield RecordedDecision(self._question(played, clock, sent, before), played)
            sent = before + 1
            clock = clock.after(timedelta(milliseconds=played.ms))
            if any(verdict.get("reaction") == Reaction.FORFEIT for verdict in played.verdicts):
                return

    def result(self, seat: Seat) -> Result:
        """Return the result that a seat received."""
        asked = list(self.questions(seat))
        sent = asked[-1].played.n if asked else 0
        summary, positions = self.replay.summary, self.replay.positions
        assert summary is not None  # noqa: S101  without a problem there is an end
        view = self.plan.game.view(positions[-1].state, seat)
        batches = _events_for(positions[sent:], seat)
        return Result(
            self.plan,
            seat,
            view,
            batches,
            summary.ending,
            summary.scores,
            summary.places,
            summary.forfeits,
        )

    def _question(self, played: Played, clock: Clock, sent: int, before: int) -> Question:
        game, positions = self.plan.game, self.replay.positions
        state, seat = positions[before].state, played.seat
        batches = _events_for(positions[sent : before + 1], seat)
        legal = game.legal_moves(state, seat)
        return Question(self.plan, seat, played.n, game.view(state, seat), batches, legal, clock)


def _events_for(positions: Sequence[Position], seat: Seat) -> EventBatches:
    log = EventLog()
    for position in positions:
        log.add(position.events)
    return log.since(0, seat)


def _plan(replay: Replay) -> MatchPlan:
    """Return the plan of a match whose record was replayed completely."""
    terms, deal = read_terms(replay.head), replay.deal.fields
    return MatchPlan(
        replay.match,
        replay.game,
        replay.options,
        seed_from_text(deal["seed"]),
        bytes.fromhex(deal["salt"]),
        replay.entrants,
        terms.time_control,
        terms.policy,
    )


async def rerun_decisions(
    recording: Recording, seat: Seat, player: Player, wait: float = LONGEST_WAIT
) -> AsyncIterator[RerunDecision]:
    """Ask the decisions of a seat one by one; raises BotFailedError if the bot does not answer."""
    questions = recording.questions(seat)
    player.begin(recording.plan, seat)
    for asked in questions:
        yield await _Exchange(asked, player, wait).rerun_decision()
    player.end(recording.result(seat))


class _Exchange:
    """One decision that is asked again."""

    def __init__(self, asked: RecordedDecision, player: Player, wait: float) -> None:
        self._asked = asked
        self._player = player
        self._wait = wait
        self._start = asyncio.get_running_loop().time()
        self._unreadable: list[Unreadable] = []

    async def rerun_decision(self) -> RerunDecision:
        """Ask, and wait for the answer; unreadable answers are rejected, as in a match."""
        question = self._asked.question
        most = question.plan.policy.rejections
        self._player.ask(question)
        for _ in range(MOST_MESSAGES):
            answer = await self._answer()
            if isinstance(answer, Unreadable):
                self._unreadable.append(answer)
                left = most - len(self._unreadable)
                if left < 0:
                    return self._result(printable(answer.said), answer.at)
                self._player.reject(Rejection(question, None, answer.problem, left, 0))
            elif isinstance(answer, Submitted) and (
                (answer.match, answer.decision) == (question.plan.match, question.decision)
            ):
                return self._judged(answer)
        raise BotFailedError(f"decision {question.decision}: more than {MOST_MESSAGES} messages")

    async def _answer(self) -> Message:
        answer = await self._player.inbox.get(self._start + self._wait)
        if answer is None:
            answer = self._player.absence()
        if answer is None or isinstance(answer, Gone):
            why = answer.detail if answer else f"no answer in {self._wait:g} seconds"
            raise BotFailedError(f"decision {self._asked.question.decision}: {why}")
        return answer

    def _judged(self, answer: Submitted) -> RerunDecision:
        question = self._asked.question
        write = question.plan.game.format_move
        illegal = "" if answer.move in question.legal else "illegal"
        return self._result(write(answer.move), answer.at, illegal)

    def _result(self, answered: str, at: float, problem: str = "") -> RerunDecision:
        if self._unreadable:
            problem = f"unreadable: {printable(self._unreadable[0].said, 80)}"
        used = timedelta(seconds=max(0.0, at - self._start))
        return RerunDecision(self._asked, answered, used, problem)
