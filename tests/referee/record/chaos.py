"""Honest records of matches in which bots do everything wrong, played in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import cache, partial
from random import Random

from engine.game import Options, Seat
from engine.registry import GAMES, AnyGame
from engine.shuffle import Seed
from referee.match.inbox import Inbox
from referee.match.lag import LagMeter
from referee.match.match import Match
from referee.match.messages import Answer, Gone, Submitted, Unreadable
from referee.match.player import EmptySeat, MatchPlan, Player, Question, Rejection, Result
from referee.match.result import Absence, MatchResult
from referee.model.clock import TimeControl
from referee.model.policy import Cause, Fault, Policy, Reaction
from tests.virtual_time import run, virtual_loop

MOMENTS = (0, 0, 0, 0.01, 0.3, 0.7, 1.1, 1.3)
"""When a bot acts after a question; it has about a second."""


class ChaoticPlayer:
    """Answers most questions, and does something wrong about the others."""

    def __init__(self, chance: Random, trouble: float) -> None:
        self.inbox = Inbox()
        self._chance = chance
        self._trouble = trouble
        self._gone: Gone | None = None
        self._timers: list[asyncio.TimerHandle] = []
        self._seen: list[object] = []

    def begin(self, plan: MatchPlan, seat: Seat) -> None:
        """Do nothing."""

    def ask(self, question: Question) -> None:
        """Act once or several times, and then answer, perhaps."""
        chance = self._chance
        self._seen += question.legal[:3]
        if chance.random() >= self._trouble:
            self._later(chance.choice((0, 0.001, 0.25)), lambda: self._legal(question))
            return
        for _ in range(chance.randrange(1, 6)):
            act = chance.choice(ACTS)
            self._later(chance.choice(MOMENTS), partial(act, self, question))
        if chance.random() < 0.5:
            self._later(chance.choice(MOMENTS), lambda: self._legal(question))

    def absence(self) -> Gone | None:
        """Tell whether the connection is cut."""
        return self._gone

    def reject(self, rejection: Rejection) -> None:
        """Answer well, perhaps."""
        if self._chance.random() < 0.5:
            self._later(self._chance.choice(MOMENTS), lambda: self._legal(rejection.question))

    def end(self, result: Result) -> None:  # noqa: ARG002  the interface has it
        """Stop."""
        for timer in self._timers:
            timer.cancel()
        self.inbox.close()

    def _later(self, seconds: float, act: Callable[[], None]) -> None:
        self._timers.append(virtual_loop().call_later(seconds, act))

    def _say(self, answer: Answer) -> None:
        self.inbox.put(answer)

    def _submit(self, question: Question, move: object, decision: int | None = None) -> None:
        number = question.decision if decision is None else decision
        self._say(Submitted(question.plan.match, number, move, virtual_loop().time()))

    def _legal(self, question: Question) -> None:
        self._submit(question, self._chance.choice(question.legal))

    def _other(self, question: Question) -> None:
        """Play something that was legal at some time."""
        self._submit(question, self._chance.choice(self._seen))

    def _unreadable(self, _question: Question) -> None:
        self._say(Unreadable("this is no move.", "gibberish", virtual_loop().time()))

    def _stale(self, question: Question) -> None:
        self._submit(question, question.legal[0], question.decision - 1)

    def _flood(self, question: Question) -> None:
        for _ in range(70):
            if not self.inbox.full:
                self._stale(question)

    def _crash(self, _question: Question) -> None:
        if self._chance.random() < 0.3:
            self._say(Gone(Fault.CRASH, "exit status 1"))

    def _hang_up(self, _question: Question) -> None:
        self._gone = Gone(Fault.DISCONNECT, "the connection is cut")

    def _come_back(self, _question: Question) -> None:
        self._gone = None

    def _block(self, _question: Question) -> None:
        virtual_loop().advance(self._chance.choice((0.001, 0.003, 0.4)))


ACTS: Sequence[Callable[[ChaoticPlayer, Question], None]] = [
    ChaoticPlayer._legal,
    ChaoticPlayer._other,
    ChaoticPlayer._other,
    ChaoticPlayer._unreadable,
    ChaoticPlayer._unreadable,
    ChaoticPlayer._stale,
    ChaoticPlayer._flood,
    ChaoticPlayer._crash,
    ChaoticPlayer._hang_up,
    ChaoticPlayer._come_back,
    ChaoticPlayer._block,
]

KINDS: Sequence[tuple[AnyGame, Options]] = [
    (game, kind) for game in GAMES.values() for kind in game.spec.kinds()
]


@cache
def chaotic_match(number: int) -> MatchResult:
    """Play the match of this number: game, table, terms and what the bots do follow from it."""
    chance = Random(number)  # noqa: S311  no secret
    game, kind = KINDS[number % len(KINDS)]
    plan = MatchPlan(
        f"chaos-{number}",
        game,
        kind,
        Seed(number.to_bytes(32, "big")),
        b"salt",
        tuple(f"bot {seat}" for seat in range(kind.seats)),
        _control(chance),
        _policy(chance),
    )
    return run(_play(plan, chance))


def chaotic_record(number: int) -> bytes:
    """Return the record of that match."""
    return chaotic_match(number).record


async def _play(plan: MatchPlan, chance: Random) -> MatchResult:
    seats = range(plan.options.seats)
    players: list[Player] = [
        ChaoticPlayer(Random(chance.random()), chance.choice((0, 0.02, 0.1, 0.5)))  # noqa: S311  as above
        for _ in seats
    ]
    absent: dict[Seat, Absence] = {}
    if chance.random() < 0.25:
        for seat in chance.sample(seats, chance.randrange(1, len(seats))):
            players[seat] = EmptySeat()
            fault = chance.choice(("benched", "disconnect", "crash"))
            absent[Seat(seat)] = Absence(fault, f"seat {seat} is away")
    lag = LagMeter()
    table = Match(plan, players, lag, absent=absent)
    stop = None
    if chance.random() < 0.2:
        seconds = chance.choice((0, 0.01, 0.5, 3, 10))
        stop = virtual_loop().call_later(seconds, table.stop, Cause.MACHINE, "a test")
    try:
        return await table.play()
    finally:
        lag.stop()
        if stop is not None:
            stop.cancel()


def _control(chance: Random) -> TimeControl:
    def seconds(*choices: float) -> timedelta:
        return timedelta(seconds=chance.choice(choices))

    return TimeControl(
        per_move=seconds(0.5, 1, 1.234567),
        bank=seconds(0, 0, 1, 3),
        increment=seconds(0, 0, 0.1),
        start_up=seconds(0, 0.5),
        latency=seconds(0, 0.05),
    )


def _policy(chance: Random) -> Policy:
    ends = (Reaction.STRIKE, Reaction.FORFEIT)
    return Policy(
        illegal_move=chance.choice(list(Reaction)),
        malformed=chance.choice(list(Reaction)),
        time_out=chance.choice(ends),
        disconnect=chance.choice(ends),
        crash=chance.choice(ends),
        strikes=chance.choice((0, 1, 3, 20)),
        rejections=chance.choice((0, 1, 3)),
    )
