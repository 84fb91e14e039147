"""Put to a bot the questions that a seat was asked in a recorded match, and compare.

    recording = Recording.read(read_record(path))
    async for fed in feed(recording, Seat(2), player):
        print(fed.asked.played.n, fed.asked.played.move, fed.answered)

The bot's answers change nothing: the recorded moves are played on. Decision ids, views, events,
legal moves and clocks are those of the match.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, TypeVar

import orjson

from engine import HighstreetError, Seat, UsageError, seed_from_text
from referee import MatchPlan, Player, Policy, Question, Reaction, RecordError, TimeControl
from referee.clock import Clock
from referee.news import Happenings, News
from referee.player import Gone, Rejection, Result, Submitted, Unreadable
from referee.record import Played, Position, Replay, printable, replay_record

T = TypeVar("T", TimeControl, Policy)

LONGEST_WAIT: Final = 60.0
MOST_MESSAGES: Final = 64
"""How much a bot may say for one decision before it is given up."""


class BotFailedError(HighstreetError):
    """A bot that stopped answering."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A question of the match, and what was played."""

    question: Question
    played: Played

    @property
    def by_referee(self) -> bool:
        """Whether the referee played for the bot, which had not answered or not legally."""
        return bool(self.played.verdicts) and self.played.verdicts[-1].get("reaction") != "reject"


@dataclass(frozen=True, slots=True)
class Fed:
    """A question that was put again, and the new answer."""

    asked: Asked
    answered: str
    used: timedelta
    problem: str = ""
    """Why the answer would have been rejected, if it would."""

    @property
    def same(self) -> bool:
        """Whether the answer is what was played."""
        return not self.problem and self.answered == self.asked.played.move


@dataclass(frozen=True, slots=True)
class Recording:
    """A recorded match, ready to be put to a bot."""

    plan: MatchPlan
    replay: Replay

    @classmethod
    def read(cls, data: bytes) -> Recording:
        """Play a record again; raises RecordError if it cannot be played to its end."""
        replay = replay_record(data)
        if replay.problem is not None:
            raise replay.problem
        return cls(_plan(data, replay), replay)

    def questions(self, seat: Seat) -> list[Asked]:
        """Return what a seat was asked, in order."""
        if seat not in range(self.plan.options.seats):
            most = self.plan.options.seats - 1
            raise UsageError(f"there is no seat {seat}: the match has seats 0 to {most}.")
        return list(self._asked(seat))

    def _asked(self, seat: Seat) -> Iterator[Asked]:
        """Ask as the table did: no forced moves, and nothing after a forfeit."""
        clock, told = Clock.wound_up(self.plan.time_control), 0
        for before, position in enumerate(self.replay.positions[1:]):
            played = position.played
            if played is None or played.seat != seat or played.legal == 1:
                continue
            yield Asked(self._question(played, clock, told, before), played)
            told = before + 1
            clock = clock.after(timedelta(milliseconds=played.ms))
            if any(verdict.get("reaction") == Reaction.FORFEIT for verdict in played.verdicts):
                return

    def result(self, seat: Seat) -> Result:
        """Return what a seat was told at the end."""
        asked = list(self.questions(seat))
        told = asked[-1].played.n if asked else 0
        summary, positions = self.replay.summary, self.replay.positions
        assert summary is not None  # noqa: S101  without a problem there is an end
        view = self.plan.game.view(positions[-1].state, seat)
        news = _news(positions[told:], seat)
        return Result(
            self.plan,
            seat,
            view,
            news,
            summary.ending,
            summary.scores,
            summary.places,
            summary.forfeits,
        )

    def _question(self, played: Played, clock: Clock, told: int, before: int) -> Question:
        game, positions = self.plan.game, self.replay.positions
        state, seat = positions[before].state, played.seat
        news = _news(positions[told : before + 1], seat)
        legal = game.legal_moves(state, seat)
        return Question(self.plan, seat, played.n, game.view(state, seat), news, legal, clock)


def _news(positions: Sequence[Position], seat: Seat) -> News:
    happenings = Happenings()
    for position in positions:
        happenings.add(position.events)
    return happenings.since(0, seat)


def _plan(data: bytes, replay: Replay) -> MatchPlan:
    """Return the plan of a match that could be played again, so that its first lines are good."""
    head, deal = map(orjson.loads, data.split(b"\n", 2)[:2])
    return MatchPlan(
        replay.match,
        replay.game,
        replay.options,
        seed_from_text(deal["seed"]),
        bytes.fromhex(deal["salt"]),
        replay.entrants,
        _read("time_control", TimeControl, head, lambda value: timedelta(seconds=value)),
        _read(
            "policy", Policy, head, lambda value: value if type(value) is int else Reaction(value)
        ),
    )


def _read(key: str, kind: type[T], head: Mapping[str, Any], convert: Callable[[Any], Any]) -> T:
    """Read one of the objects of a head; what it does not state has its default."""
    stated: Mapping[str, Any] = head[key]
    names = kind.__dataclass_fields__
    try:
        return kind(**{name: convert(stated[name]) for name in names if name in stated})
    except (TypeError, ValueError, OverflowError, UsageError) as error:
        raise RecordError(f"{key} cannot be read: {error}", 1) from None


async def feed(
    recording: Recording, seat: Seat, player: Player, patience: float = LONGEST_WAIT
) -> AsyncIterator[Fed]:
    """Put the questions of a seat one by one; raises BotFailedError if the bot is gone."""
    questions = recording.questions(seat)
    player.begin(recording.plan, seat)
    for asked in questions:
        yield await _Put(asked, player, patience).fed()
    player.end(recording.result(seat))


class _Put:
    """One question that is put again."""

    def __init__(self, asked: Asked, player: Player, patience: float) -> None:
        self._asked = asked
        self._player = player
        self._patience = patience
        self._start = asyncio.get_running_loop().time()
        self._nonsense: list[Unreadable] = []

    async def fed(self) -> Fed:
        """Ask, and wait for the answer; what cannot be read is rejected, as at a table."""
        question = self._asked.question
        most = question.plan.policy.rejections
        self._player.ask(question)
        for _ in range(MOST_MESSAGES):
            answer = await self._answer()
            if isinstance(answer, Unreadable):
                self._nonsense.append(answer)
                left = most - len(self._nonsense)
                if left < 0:
                    return self._fed(printable(answer.said), answer.at)
                self._player.reject(Rejection(question, None, answer.problem, left, 0))
            elif (answer.match, answer.decision) == (question.plan.match, question.decision):
                return self._judged(answer)
        raise BotFailedError(f"decision {question.decision}: more than {MOST_MESSAGES} messages")

    async def _answer(self) -> Submitted | Unreadable:
        answer = await self._player.inbox.get(self._start + self._patience)
        if answer is None:
            answer = self._player.absence()
        if answer is None or isinstance(answer, Gone):
            why = answer.detail if answer else f"no answer in {self._patience:g} seconds"
            raise BotFailedError(f"decision {self._asked.question.decision}: {why}")
        return answer

    def _judged(self, answer: Submitted) -> Fed:
        question = self._asked.question
        write = question.plan.game.format_move
        illegal = "" if answer.move in question.legal else "illegal"
        return self._fed(write(answer.move), answer.at, illegal)

    def _fed(self, answered: str, at: float, problem: str = "") -> Fed:
        if self._nonsense:
            problem = f"unreadable: {printable(self._nonsense[0].said, 80)}"
        used = timedelta(seconds=max(0.0, at - self._start))
        return Fed(self._asked, answered, used, problem)
