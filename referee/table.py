"""One match: ask, wait, judge, apply, record.

The table knows players, not transports. It reads the time of the event loop and of nothing else,
so a loop with a virtual clock tests it completely.

A match is a generator that yields whenever somebody must be waited for. Whoever brings the answer
lets it run on, at once: a task would have to wait for its turn at every decision.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections import Counter
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, NamedTuple, TypeVar

from engine import Outcome, Seat, Violation
from referee.clock import ZERO, Clock
from referee.lag import LagMeter
from referee.news import Happenings, News
from referee.player import (
    Answer,
    Gone,
    MatchPlan,
    Player,
    Question,
    Rejection,
    Result,
    Unreadable,
)
from referee.policy import Cause, Fault, Reaction
from referee.record import STOPPED, Recorder, places_with_forfeits

log = logging.getLogger(__name__)

MESSAGES_PER_DECISION = 64
"""How much a bot may say before one decision is made, stale answers included."""
SAID = 200
"""How much of an unreadable answer is written into the record."""

T = TypeVar("T")
Steps = Generator[None, None, T]
"""Something that yields when it must wait, and returns a value in the end."""

Watch = Callable[[Mapping[Seat, Any], Any], None]
"""Told after each decision: what was played, and what a spectator may see now."""


class Absence(NamedTuple):
    """Why nobody sits at a seat."""

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
        """Write it as records have it."""
        return {
            "seat": self.seat,
            "fault": self.fault,
            "cause": self.cause.value,
            "n": self.decision,
            "detail": self.detail,
        }


@dataclass(frozen=True, slots=True)
class MatchResult:
    """A match that is over, or that was stopped and does not count."""

    plan: MatchPlan
    ending: str
    scores: tuple[int, ...]
    places: tuple[int, ...]
    forfeits: tuple[Seat, ...]
    causes: tuple[Abnormality, ...]
    decisions: int
    used: tuple[timedelta, ...]
    """The time that each seat used in all."""
    record: bytes
    strikes: Mapping[str, int] = field(default_factory=dict)
    """How many there were, by what led to them; what led to a forfeit is a cause."""
    thought: tuple[timedelta, ...] = ()
    """The time that each decision took that somebody was asked for."""

    @property
    def void(self) -> bool:
        """Whether the match was stopped, so that it does not count."""
        return self.ending == STOPPED


@dataclass(slots=True)
class _SeatState:
    """What the table keeps for a seat."""

    player: Player
    clock: Clock
    used: timedelta = ZERO
    told: int = 0
    """How much of what happened the seat has been told."""
    strikes: int = 0
    ignored: int = 0
    """How many stale or doubled answers were ignored."""


@dataclass(slots=True)
class _Judgement:
    """A decision as it will be recorded."""

    move: Any
    used: timedelta
    legal: int
    verdicts: tuple[dict[str, object], ...] = ()


@dataclass(frozen=True, slots=True)
class _Misdeed:
    """What a bot did wrong."""

    fault: Fault
    detail: str
    violation: Violation | None = None
    said: str | None = None
    final: bool = False
    """Whether there is no point in asking again."""

    def verdict(self, reaction: Reaction, used: timedelta) -> dict[str, object]:
        """Write it as records have it."""
        verdict: dict[str, object] = {"fault": self.fault.value, "reaction": reaction.value}
        if self.violation is not None:
            verdict["rule"] = self.violation.rule
        if self.said is not None:
            verdict["said"] = self.said
        return {**verdict, "detail": self.detail, "ms": _milliseconds(used)}


class Table:
    """One match between players."""

    def __init__(
        self,
        plan: MatchPlan,
        players: Sequence[Player],
        lag: LagMeter,
        watch: Watch | None = None,
        absent: Mapping[Seat, Absence] | None = None,
    ) -> None:
        """Set up a match; whoever is absent has forfeited before it begins, and is told nothing."""
        self.plan = plan
        self._watch = watch
        self.state: Any = None
        self._game = plan.game
        self._lag = lag
        self._loop = asyncio.get_running_loop()
        self._seats = [_SeatState(player, Clock.wound_up(plan.time_control)) for player in players]
        self._happenings = Happenings()
        self._forfeits: list[Seat] = []
        self._causes: list[Abnormality] = []
        self._strikes: Counter[str] = Counter()
        self._thought: list[timedelta] = []
        self._made: list[tuple[Seat, str, _Judgement]] = []
        """The decisions so far, with their moves as text. They are recorded together at the end,
        which takes a third of the time."""
        self._absent = dict(absent or {})
        self._steps: Steps[Outcome] | None = None
        """The match under way; nothing before it begins."""
        self._running = False
        self._over: asyncio.Future[Outcome | None] = self._loop.create_future()
        """How it ended; nothing if it was stopped."""
        self._stopped: Abnormality | None = None

    async def play(self) -> MatchResult:
        """Play the match to its end. A match that is stopped, or that we break, is void."""
        if self._stopped is None:
            self._steps = self._play()
            self._loop.call_soon(self._run_on)
            try:
                outcome = await self._over
                if outcome is not None:
                    places = places_with_forfeits(outcome.scores, self._forfeits)
                    return self._finish(str(outcome.ending), outcome.scores, tuple(places))
            except Exception as error:
                reference = secrets.token_hex(4)
                log.exception("match %s is void, reference %s", self.plan.match, reference)
                detail = f"{type(error).__name__}, reference {reference}"
                self._stopped = Abnormality(Cause.REFEREE, STOPPED, detail)
        self._forget_unrecorded()
        return self._finish(STOPPED, (), ())

    @property
    def decisions(self) -> int:
        """How many decisions have been made so far."""
        return len(self._made)

    @property
    def answered(self) -> int:
        """How many of them somebody was asked for."""
        return len(self._thought)

    def stop(self, cause: Cause, detail: str) -> None:
        """Stop the match; it ends void, and nobody at the table is to blame."""
        if self._stopped is None and not self._over.done():
            self._stopped = Abnormality(cause, STOPPED, detail)
            self._over.set_result(None)

    def _run_on(self) -> None:
        """Play on until somebody must be waited for again."""
        assert self._steps is not None  # noqa: S101  only a match that has begun is woken
        if self._over.done() or self._running:
            return
        self._running = True
        try:
            next(self._steps)
        except StopIteration as end:
            self._over.set_result(end.value)
        except Exception as error:  # noqa: BLE001  whoever brought the answer cannot help it
            self._over.set_exception(error)
        finally:
            self._running = False

    def _play(self) -> Steps[Outcome]:
        game = self._game
        for seat, own in enumerate(self._seats):
            if seat not in self._absent:
                own.player.begin(self.plan, Seat(seat))
        for seat, absence in self._absent.items():
            self._forfeits.append(seat)
            self._causes.append(Abnormality(Cause.BOT, absence.fault, absence.detail, seat, 1))
        transition = game.deal(self.plan.options, self.plan.seed)
        self.state = transition.state
        self._happenings.add(transition.events)
        while seats := game.to_act(self.state):
            if len(seats) == 1:
                seat = seats[0]
                judged = yield from self._decide(seat, len(self._made) + 1)
                moves = {seat: judged.move}
                self._made.append((seat, game.format_move(judged.move), judged))
            else:
                moves = yield from self._decide_sealed(seats)
            transition = game.apply(self.state, moves)
            self.state = transition.state
            self._happenings.add(transition.events)
            if self._watch is not None:
                self._watch(moves, game.view(self.state, None))
        outcome = game.outcome(self.state)
        assert outcome is not None  # noqa: S101  nobody is to act, so it is over
        return outcome

    def _decide_sealed(self, seats: Sequence[Seat]) -> Steps[dict[Seat, Any]]:
        """Ask several seats at once; nobody learns anything before all have answered."""
        judged: dict[Seat, _Judgement] = {}
        deciding = {seat: self._decide(seat, self.decisions + i) for i, seat in enumerate(seats, 1)}
        while deciding:
            for seat, steps in list(deciding.items()):
                try:
                    next(steps)
                except StopIteration as end:
                    judged[seat] = end.value
                    del deciding[seat]
            if deciding and all(self._seats[seat].player.inbox.empty for seat in deciding):
                yield
        for seat in seats:
            self._made.append((seat, self._game.format_move(judged[seat].move), judged[seat]))
        return {seat: judged[seat].move for seat in seats}

    def _decide(self, seat: Seat, decision: int) -> Steps[_Judgement]:
        game, state = self._game, self.state
        legal = game.legal_moves(state, seat)
        if len(legal) == 1:
            return _Judgement(legal[0], ZERO, 1)
        if seat in self._forfeits:
            return _Judgement(game.default_move(state, seat), ZERO, len(legal))
        own = self._seats[seat]
        view, news = game.view(state, seat), self._news(seat)
        question = tuple.__new__(  # as a named tuple is made, without the call of Python's own
            Question, (self.plan, seat, decision, view, news, legal, own.clock)
        )
        start, lag = self._loop.time(), self._lag.total()
        own.player.ask(question)
        judgement = _Judgement(None, ZERO, len(legal))
        inbox, heard = own.player.inbox, 0
        while judgement.move is None:
            answer = inbox.take() or self._overdue(own, start, lag)
            if answer is None:
                yield
                continue
            heard += 1
            if heard > MESSAGES_PER_DECISION:
                answer = Gone(Fault.MALFORMED, f"more than {heard - 1} messages for one decision")
            came = self._loop.time() if isinstance(answer, Gone) else answer.at
            seconds = came - start - (self._lag.total() - lag)
            judgement.used = timedelta(0, seconds) if seconds > 0 else ZERO
            self._judge(question, answer, judgement)
        own.clock = own.clock.after(judgement.used)
        own.used += judgement.used
        self._thought.append(judgement.used)
        return judgement

    def _news(self, seat: Seat) -> News:
        """Return what happened since the seat was last told, as far as it may see it."""
        own = self._seats[seat]
        news = self._happenings.since(own.told, seat)
        own.told = len(self._happenings)
        return news

    def _overdue(self, own: _SeatState, start: float, lag: float) -> Gone | None:
        """Tell whether the clock has run out, but for the lag that was ours.

        If not, the match runs on when something comes in, or when the time is up.
        """
        deadline = start + own.clock.seconds
        if self._loop.time() >= deadline:
            deadline += self._lag.total() - lag
            if self._loop.time() >= deadline:
                return own.player.absence() or Gone(Fault.TIME_OUT, "no answer in time")
        own.player.inbox.call(self._run_on, deadline)
        return None

    def _judge(self, question: Question, answer: Answer, judgement: _Judgement) -> None:
        """Accept an answer, or react to what is wrong with it."""
        own = self._seats[question.seat]
        if isinstance(answer, Gone):
            self._react(question, _Misdeed(answer.fault, answer.detail, final=True), judgement)
        elif isinstance(answer, Unreadable):
            misdeed = _Misdeed(Fault.MALFORMED, answer.problem, said=answer.said[:SAID])
            self._react(question, misdeed, judgement)
        elif answer.decision != question.decision or answer.match != self.plan.match:
            own.ignored += 1
        elif not own.clock.in_time(judgement.used):
            misdeed = _Misdeed(Fault.TIME_OUT, "the answer came too late", final=True)
            self._react(question, misdeed, judgement)
        elif violation := self._game.check(self.state, question.seat, answer.move):
            said = self._game.format_move(answer.move)
            detail = violation.message[:SAID]
            misdeed = _Misdeed(Fault.ILLEGAL_MOVE, detail, violation, said[:SAID])
            self._react(question, misdeed, judgement)
        else:
            judgement.move = answer.move

    def _react(self, question: Question, misdeed: _Misdeed, judgement: _Judgement) -> None:
        """Do what the policy says about a misdeed, and note it."""
        policy, seat = self.plan.policy, question.seat
        own = self._seats[seat]
        reaction = policy.reaction(misdeed.fault)
        left = policy.rejections - len(judgement.verdicts) - 1
        if reaction is Reaction.REJECT and (misdeed.final or left < 0):
            reaction = Reaction.STRIKE
        if reaction is Reaction.STRIKE:
            own.strikes += 1
            if own.strikes > policy.strikes:
                reaction = Reaction.FORFEIT
        judgement.verdicts += (misdeed.verdict(reaction, judgement.used),)
        if reaction is Reaction.REJECT:
            strikes_left = policy.strikes - own.strikes
            own.player.reject(
                Rejection(question, misdeed.violation, misdeed.detail, left, strikes_left)
            )
            return
        judgement.move = self._game.default_move(self.state, seat)
        if reaction is Reaction.STRIKE:
            self._strikes[misdeed.fault.value] += 1
        if reaction is Reaction.FORFEIT:
            self._forfeits.append(seat)
            self._causes.append(
                Abnormality(Cause.BOT, misdeed.fault.value, misdeed.detail, seat, question.decision)
            )

    def _forget_unrecorded(self) -> None:
        """Drop forfeits in decisions that were open when the match was stopped."""
        self._causes = [c for c in self._causes if (c.decision or 0) <= self.decisions]
        known = {cause.seat for cause in self._causes}
        self._forfeits = [seat for seat in self._forfeits if seat in known]
        if self._stopped is not None:
            self._causes.append(self._stopped)

    def _finish(self, ending: str, scores: tuple[int, ...], places: tuple[int, ...]) -> MatchResult:
        record = self._record(ending, scores, places)
        forfeits = tuple(self._forfeits)
        result = MatchResult(
            self.plan,
            ending,
            scores,
            places,
            forfeits,
            tuple(self._causes),
            self.decisions,
            tuple(own.used for own in self._seats),
            record,
            dict(self._strikes),
            tuple(self._thought),
        )
        for seat in map(Seat, range(len(self._seats) if self._steps is not None else 0)):
            if seat in self._absent:
                continue
            try:
                self._tell_end(seat, result)
            except Exception:
                log.exception("seat %s could not be told how %s ended", seat, self.plan.match)
        return result

    def _record(self, ending: str, scores: tuple[int, ...], places: tuple[int, ...]) -> bytes:
        """Write the whole record."""
        plan = self.plan
        recorder = Recorder(
            plan.game,
            plan.options,
            plan.seed,
            plan.salt,
            plan.match,
            _seat_heads(plan),
            plan.time_control.as_dict(),
            plan.policy.as_dict(),
            plan.about,
        )
        for n, (seat, move, judged) in enumerate(self._made, 1):
            ms = judged.used.total_seconds() * 1000
            recorder.decision(n, seat, move, ms, judged.legal, judged.verdicts)
        causes = [cause.as_dict() for cause in self._causes]
        recorder.end(ending, scores, places, self._forfeits, causes)
        return recorder.data()

    def _tell_end(self, seat: Seat, result: MatchResult) -> None:
        try:
            view = self._game.view(self.state, seat) if self.state is not None else None
        except Exception:
            log.exception("seat %s gets no last view of match %s", seat, self.plan.match)
            view = None
        self._seats[seat].player.end(
            Result(
                self.plan,
                seat,
                view,
                self._news(seat),
                result.ending,
                result.scores,
                result.places,
                result.forfeits,
            )
        )


def _milliseconds(duration: timedelta) -> float:
    return round(duration.total_seconds() * 1000, 3)


def _seat_heads(plan: MatchPlan) -> list[dict[str, object]]:
    """Write who sits where as records have it; with pawn colours where a game has them."""
    colours = plan.options.get("colours")
    heads: list[dict[str, object]] = [{"entrant": entrant} for entrant in plan.entrants]
    if isinstance(colours, str):
        for head, colour in zip(heads, colours, strict=False):
            head["colour"] = colour
    return heads
