"""The judge of a match: accepts answers, and reacts to faults according to the policy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from engine import HighstreetError, Seat, Violation
from referee.match.messages import Answer, Gone, Submitted, Unreadable
from referee.match.player import MatchPlan, Player, Question, Rejection
from referee.match.result import Abnormality
from referee.match.timer import DecisionTimer
from referee.model import ZERO, Cause, Clock, Fault, Reaction

SPARE_MESSAGES = 16
"""The most messages for one decision that answer nothing: empty lines, ``leave``, answers to other
decisions."""
QUOTED = 200
"""The most characters of an unreadable answer in the record."""


class VoidMatchError(HighstreetError):
    """A decision that cannot be judged, because the referee or its machine failed."""

    def __init__(self, cause: Cause, detail: str) -> None:
        super().__init__(detail)
        self.cause = cause


@dataclass(slots=True)
class SeatState:
    """The state of a seat during a match."""

    player: Player
    clock: Clock
    timer: DecisionTimer
    """Measures the decision that the seat makes, or made last."""
    used: timedelta = ZERO
    events_sent: int = 0
    """The length of the event log at the last question to this seat."""
    strikes: int = 0
    disconnected: float = 0.0
    """The seconds that the bot had been disconnected when that was last read."""
    paused: float = 0.0
    """The seconds of this match for which the clock was stopped because of that."""


@dataclass(slots=True)
class JudgedDecision:
    """A decision as it will be recorded; its move is None while it is open."""

    move: Any
    used: timedelta
    legal: int
    verdicts: tuple[dict[str, object], ...] = ()
    cpu: timedelta | None = None
    """The CPU time that was used, with the CPU clock; then it is what the clock counts."""
    asked: bool = True
    """Whether the player was asked."""
    spare_messages: int = 0
    """The number of messages that answered nothing."""

    def times(self) -> dict[str, float]:
        """Return the times for the record, in milliseconds."""
        times = {"ms": _milliseconds(self.used)}
        return times if self.cpu is None else {**times, "cpu_ms": _milliseconds(self.cpu)}


def _milliseconds(time: timedelta) -> float:
    return round(time.total_seconds() * 1000, 3)


@dataclass(frozen=True, slots=True)
class _FaultReport:
    """A fault of a bot."""

    fault: Fault
    detail: str
    violation: Violation | None = None
    said: str | None = None
    final: bool = False
    """Whether the decision cannot be asked again."""

    def verdict(self, reaction: Reaction, times: Mapping[str, float]) -> dict[str, object]:
        """Return the verdict for the record."""
        verdict: dict[str, object] = {"fault": self.fault.value, "reaction": reaction.value}
        if self.violation is not None:
            verdict["rule"] = self.violation.rule
        if self.said is not None:
            verdict["said"] = self.said
        return {**verdict, "detail": self.detail, **times}


class Judge:
    """Judges the answers of one match; keeps strikes, forfeits and their causes."""

    def __init__(self, plan: MatchPlan, seats: Sequence[SeatState]) -> None:
        self._plan = plan
        self._seats = seats
        self.forfeits: list[Seat] = []
        self.causes: list[Abnormality] = []
        self.strikes: Counter[str] = Counter()
        """The number of strikes by fault."""

    def forfeit(self, seat: Seat, fault: str, detail: str, decision: int) -> None:
        """Record that a seat has forfeited at a decision."""
        self.forfeits.append(seat)
        self.causes.append(Abnormality(Cause.BOT, fault, detail, seat, decision))

    def drop_causes_after(self, decisions: int) -> None:
        """Drop forfeits at decisions that are not recorded because the match was stopped."""
        self.causes = [cause for cause in self.causes if (cause.decision or 0) <= decisions]
        known = {cause.seat for cause in self.causes}
        self.forfeits = [seat for seat in self.forfeits if seat in known]

    def judge(
        self, state: Any, question: Question, answer: Answer, decision: JudgedDecision
    ) -> None:
        """Accept an answer, or react to its fault; sets the move of a decision that is made."""
        report: _FaultReport | None
        if (
            isinstance(answer, Submitted)
            and answer.decision == question.decision
            and answer.match == self._plan.match
        ):
            seat, move = question.seat, answer.move
            own, cpu = self._seats[seat], decision.cpu
            clock = own.clock
            if decision.used > clock.wall_limit or (cpu is not None and not clock.in_time(cpu)):
                report = _late_answer(question, own, decision)
            elif violation := self._plan.game.check(state, seat, move):
                report = self._illegal_move(move, violation)
            else:
                decision.move, report = move, None
        elif isinstance(answer, Gone):
            report = _FaultReport(answer.fault, answer.detail, final=True)
        elif isinstance(answer, Unreadable):
            report = _FaultReport(Fault.MALFORMED, answer.problem, said=answer.said[:QUOTED])
        else:
            report = _check_spare_messages(decision)
        if report is not None:
            self._react(state, question, report, decision)

    def _illegal_move(self, move: Any, violation: Violation) -> _FaultReport:
        said = self._plan.game.format_move(move)[:QUOTED]
        return _FaultReport(Fault.ILLEGAL_MOVE, violation.message[:QUOTED], violation, said)

    def _react(
        self, state: Any, question: Question, report: _FaultReport, decision: JudgedDecision
    ) -> None:
        """React to a fault according to the policy, and add the verdict."""
        policy, seat = self._plan.policy, question.seat
        own = self._seats[seat]
        reaction = policy.reaction(report.fault)
        rejections_left = policy.rejections - len(decision.verdicts) - 1
        if reaction is Reaction.REJECT and (report.final or rejections_left < 0):
            reaction = Reaction.STRIKE
        if reaction is Reaction.STRIKE:
            own.strikes += 1
            if own.strikes > policy.strikes:
                reaction = Reaction.FORFEIT
        decision.verdicts += (report.verdict(reaction, decision.times()),)
        if reaction is Reaction.REJECT:
            strikes_left = policy.strikes - own.strikes
            own.player.reject(
                Rejection(question, report.violation, report.detail, rejections_left, strikes_left)
            )
            return
        decision.move = self._plan.game.default_move(state, seat)
        if reaction is Reaction.STRIKE:
            self.strikes[report.fault.value] += 1
        else:
            self.forfeit(seat, report.fault.value, report.detail, question.decision)


def _check_spare_messages(decision: JudgedDecision) -> _FaultReport | None:
    """Count a message that answers nothing, and return a fault if there are too many."""
    decision.spare_messages += 1
    if decision.spare_messages <= SPARE_MESSAGES:
        return None
    detail = f"more than {SPARE_MESSAGES} messages that do not answer this decision"
    return _FaultReport(Fault.MALFORMED, detail, said="")


def _late_answer(question: Question, own: SeatState, decision: JudgedDecision) -> _FaultReport:
    """Return the fault of an answer that is late; raises VoidMatchError as ``_check_stalls``."""
    if decision.cpu is None or own.clock.in_time(decision.cpu):
        _check_stalls(question, own, decision.used)
    return _FaultReport(Fault.TIME_OUT, "the answer came too late", final=True)


def _check_stalls(question: Question, own: SeatState, used: timedelta) -> None:
    """Raise VoidMatchError if an answer is late only because the referee was stalled."""
    seconds = own.timer.stalled()
    uncredited = timedelta(0, max(0.0, seconds - own.timer.credit()))
    if used - uncredited <= own.clock.wall_limit:
        detail = f"did not listen for {seconds:.1f} s of decision {question.decision}"
        raise VoidMatchError(Cause.REFEREE, f"the referee {detail}")
