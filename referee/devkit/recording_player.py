"""Players that record what a bot under test sends and receives."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any, Final, TypeGuard

from engine import Seat
from referee.devkit.observations import Observations, ObservedDecision, as_line, shortened
from referee.match import (
    Answer,
    Gone,
    Idle,
    Inbox,
    LagMeter,
    MatchPlan,
    Player,
    Question,
    Rejection,
    Result,
    StaleAnswer,
    Submitted,
    Unreadable,
)
from referee.model import Clock, ClockKind, Fault, TimeControl
from referee.record import commitment
from referee.transports import GrpcPlayer
from referee.wire import stdio

LONGEST_SILENCE: Final = timedelta(seconds=10)
"""The longest wait after a rejected answer; a bot may have a bank of hours."""


@dataclass(frozen=True, slots=True)
class ProbeSettings:
    """The settings of one match with a bot under test."""

    control: TimeControl
    """The time control that is sent to the bot."""
    kind: Callable[[Any, Any], str]
    """Returns the kind of a decision with this view and these legal moves."""
    grace: timedelta
    """How long after its deadline an answer counts as late, and not as missing."""
    max_thinking: timedelta
    """After this much time for its decisions, the rest of the match is played for the bot."""
    cpu_seconds: Callable[[], float]
    """Returns the CPU time of the bot so far."""
    max_answers: int | None = None
    """When the bot has given this many answers, the rest is played for it."""

    def match_control(self) -> TimeControl:
        """Return a time control for the match whose deadlines are after those of the player."""
        longest = Clock.initial(replace(self.control, bank=timedelta(0))).wall_limit
        slack = 2 * (longest + self.grace) + timedelta(minutes=1)
        return replace(self.control, per_move=self.control.per_move + slack, clock=ClockKind.WALL)


class RecordingPlayer:
    """Forwards all messages between a match and a player, and records them.

    It keeps a clock of its own, to distinguish late answers from missing ones. When it has observed
    enough, or the bot does not answer, it plays the rest of the match itself.
    """

    def __init__(
        self, inner: Player, observations: Observations, settings: ProbeSettings, lag: LagMeter
    ) -> None:
        self.inner = inner
        self.inbox = Inbox()
        self._receiving: asyncio.Task[None] | None = None
        self.asked: list[ObservedDecision] = []
        self.gone: Gone | None = None
        self._observations = observations
        self._settings = settings
        self._lag = lag
        self._clock = Clock.initial(settings.control)
        self._plan: MatchPlan | None = None
        self._question: Question | None = None
        self._deadline = self._start = self._lag_before = self._cpu_before = 0.0
        self._elapsed = timedelta(0)
        """The time that all answers took by the wall clock."""
        self._plays_for_bot = False

    @property
    def answers(self) -> int:
        """The number of decisions of this match that the bot answered."""
        return sum(asked.used is not None for asked in self.asked)

    def begin(self, plan: MatchPlan, seat: Seat) -> None:
        """Send the start of the match, with the time control of the settings."""
        self._plan = replace(plan, time_control=self._settings.control)
        self._observations.sent(
            stdio.started_line(self._plan, seat, commitment(plan.seed, plan.salt))
        )
        self.inner.begin(self._plan, seat)

    def ask(self, question: Question) -> None:
        """Send a question, unless the rest of the match is played for the bot."""
        assert self._plan is not None  # noqa: S101  a match begins before its first question
        self._question = question = question._replace(plan=self._plan, clock=self._clock)
        if self._plays_for_bot:
            self.inbox.put(self.substitute_answer())
            return
        kind = self._settings.kind(question.view, question.legal)
        asked = ObservedDecision(kind, self._plan.match, question.decision, self._clock.limit)
        self.asked.append(asked)
        self._observations.asked.append(asked)
        self._observations.sent(stdio.decision_line(question))
        self._start, self._lag_before = self._now(), self._lag.total()
        self._cpu_before = self._cpu_seconds()
        self._wait_for(self._clock.wall_limit)
        self.inner.ask(question)
        self._receiving = asyncio.create_task(self._receive())

    async def _receive(self) -> None:
        """Forward messages until the bot has answered the question or is given up."""
        settled = False
        while not settled:
            answer = await self.next_answer()
            if isinstance(answer, Gone):
                answer, settled = self._give_up(answer), True
            elif self._answers_question(answer):
                self._record_time(answer)
                if self._is_legal(answer):
                    answer = await self.react(answer)
                    settled = self._settles(answer)
            self.inbox.put(answer)

    def absence(self) -> Gone | None:
        """Return why the bot cannot answer now, if it cannot."""
        return self.inner.absence()

    def reject(self, rejection: Rejection) -> None:
        """Send the rejection of an answer."""
        rejection = replace(rejection, question=self.question)
        self._observations.sent(stdio.rejected_line(rejection))
        self.inner.reject(rejection)

    def end(self, result: Result) -> None:
        """Send the result of the match."""
        assert self._plan is not None  # noqa: S101  a match begins before it ends
        result = replace(result, plan=self._plan)
        self._observations.sent(stdio.ended_line(result))
        if self._receiving is not None:
            self._receiving.cancel()
        self.inbox.close()
        self.inner.end(result)

    # For subclasses.

    @property
    def question(self) -> Question:
        """The open question."""
        assert self._question is not None  # noqa: S101  only used after a question
        return self._question

    async def react(self, answer: Submitted) -> Answer:
        """Return the answer that is forwarded in place of a legal answer."""
        return answer

    async def next_answer(self) -> Answer:
        """Wait for the next message of the bot until the deadline, and record it."""
        answer = await self.inner.inbox.get(self._deadline)
        while isinstance(answer, Idle) and self._now() < self._deadline:
            answer = await self.inner.inbox.get(self._deadline)
        if answer is None:
            waited = self._deadline - self._start
            answer = self.inner.absence() or Gone(Fault.TIME_OUT, f"no answer in {waited:.1f} s")
        game = self.question.plan.game.spec.name
        self._observations.received(as_line(answer, game))
        if isinstance(answer, Unreadable):
            said = shortened(answer.said)
            self._observations.faults.append(
                f"cannot be read: {said} ({shortened(answer.problem)})"
            )
        return answer

    def substitute_answer(self) -> Submitted:
        """Return a legal answer in place of the bot."""
        question = self.question
        move = question.legal[0]
        return Submitted(question.plan.match, question.decision, move, self._now())

    def restart_wait(self, duration: timedelta) -> None:
        """Set the deadline of the next message to ``duration`` from now."""
        self._deadline = self._now() + duration.total_seconds()

    def _wait_for(self, limit: timedelta) -> None:
        self._deadline = self._start + (limit + self._settings.grace).total_seconds()

    def _give_up(self, gone: Gone) -> Submitted:
        self.gone, self._plays_for_bot = gone, True
        self.asked[-1].gone, self.asked[-1].last_messages = (
            gone,
            tuple(self._observations.last_messages),
        )
        return self.substitute_answer()

    def _settles(self, answer: Answer) -> bool:
        """Return whether the match will accept an answer."""
        question = self.question
        return (
            isinstance(answer, Submitted)
            and (answer.match, answer.decision) == (question.plan.match, question.decision)
            and answer.move in question.legal
        )

    def _answers_question(self, answer: Answer) -> TypeGuard[Submitted]:
        """Return whether a message answers the open question; record an answer to another."""
        if not isinstance(answer, Submitted | StaleAnswer):
            return False
        if (answer.match, answer.decision) == (self.question.plan.match, self.question.decision):
            return True
        open_now = f"decision {self.question.decision} of {self.question.plan.match} was open"
        said = as_line(answer, self.question.plan.game.spec.name)
        self._observations.stray_answers.append(f"{shortened(said)} came while {open_now}")
        return False

    def _record_time(self, answer: Submitted) -> None:
        lag = self._lag.total() - self._lag_before
        elapsed = timedelta(seconds=max(0.0, answer.at - self._start - lag))
        used = elapsed
        if self._settings.control.clock is ClockKind.CPU and elapsed <= self._clock.wall_limit:
            used = timedelta(seconds=self._cpu_seconds() - self._cpu_before)
        self.asked[-1].used = used
        self._clock = self._clock.after(used)
        self._elapsed += elapsed
        most = self._settings.max_answers
        slow = sum(asked.late for asked in self._observations.asked) > 2 and self.asked[-1].late
        if slow or self._elapsed > self._settings.max_thinking or most == self.answers:
            self._plays_for_bot = True

    def _cpu_seconds(self) -> float:
        """Return the CPU time of the bot so far, if that is what it is charged."""
        if self._settings.control.clock is ClockKind.WALL:
            return 0.0
        return self._settings.cpu_seconds()

    def _is_legal(self, answer: Submitted) -> bool:
        question = self.question
        if answer.move in question.legal:
            return True
        write = question.plan.game.format_move
        legal = ", ".join(map(write, question.legal[:6]))
        more = ", …" if len(question.legal) > 6 else ""
        self._observations.faults.append(
            f'illegal: "{write(answer.move)}" for decision {question.decision} '
            f"({self.asked[-1].kind}); legal are {legal}{more}"
        )
        return False

    def _now(self) -> float:
        return asyncio.get_running_loop().time()


class RejectingPlayer(RecordingPlayer):
    """Rejects the first legal answer, to observe how the bot reacts."""

    again: Answer | None = None
    """The answer of the bot after that."""
    last_messages: Sequence[str] = ()
    """The last messages of the bot until then."""

    async def react(self, answer: Submitted) -> Answer:
        """Reject once; if the bot does not answer again, accept its first answer."""
        if self.again is not None:
            return answer
        message = "check-bot rejects one answer to see what you do: answer this decision again."
        self.reject(Rejection(self.question, None, message, 3, 3))
        self.restart_wait(min(self._clock.limit, LONGEST_SILENCE))
        self.again = again = await self.next_answer()
        self.last_messages = tuple(self._observations.last_messages)
        if not isinstance(again, Gone):
            if self._answers_question(again):
                self._is_legal(again)
            return again
        return answer if again.fault is Fault.TIME_OUT else self._give_up(again)


class CuttingPlayer(RecordingPlayer):
    """Drops the first legal answer and cuts the connection."""

    again: Answer | None = None
    """The answer of the bot after its reconnect."""

    def __init__(
        self,
        inner: Player,
        observations: Observations,
        settings: ProbeSettings,
        lag: LagMeter,
        *,
        cut: Callable[[], None],
        wait: timedelta,
    ) -> None:
        super().__init__(inner, observations, settings, lag)
        self._cut = cut
        self._wait = wait

    async def react(self, answer: Submitted) -> Answer:
        """Drop one answer, as a network failure would, and wait for the bot to reconnect."""
        if self.again is not None:
            return answer
        if isinstance(self.inner, GrpcPlayer):
            self.inner.reopen()
        self._cut()
        self.restart_wait(self._wait)
        self.again = again = await self.next_answer()
        return self._give_up(again) if isinstance(again, Gone) else again
