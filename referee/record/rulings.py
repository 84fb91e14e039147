"""Computing verdicts, clocks and forfeits again from the lines of a record and its terms.

Nothing here is shared with the referee that wrote the record but the names of faults and reactions:
the arithmetic follows ``docs/reference/record-format.md``, in whole microseconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, NamedTuple

from engine import AnyGame, NotationError, Seat
from referee.model import WALL_FACTOR, WALL_GRACE, Cause, ClockKind, Fault, Reaction
from referee.record.format import STOPPED
from referee.record.reader import Line
from referee.record.terms import Terms

ABSENCES: Final = frozenset({"benched", Fault.DISCONNECT, Fault.CRASH})
"""Why a seat can be empty from the beginning."""
TOLERANCE: Final = 5_000
"""By how many microseconds a time-out may be recorded early: event-loop lag that the referee
notices between finding the clock run out and writing down the time."""
CUT: Final = 200
"""A quoted answer of this length may have been longer."""
_MICROSECOND: Final = timedelta(microseconds=1)


def microseconds(ms: float) -> int:
    """Return a time of a record as a whole number."""
    return round(ms * 1000)


class Asked(NamedTuple):
    """One decision: what the record says of it, and what the game says."""

    line: Line
    n: int
    seat: Seat
    state: Any
    move: Any
    legal: int
    asked: bool
    """Whether the seat was asked, as far as the decision itself says; a forfeited seat is not."""
    ms: float
    verdicts: Sequence[Mapping[str, Any]]
    group: int
    """Decisions that are made at the same time share a number."""


class _Forfeit(NamedTuple):
    group: int
    n: int
    fault: str
    detail: str


@dataclass(slots=True)
class _Account:
    """What a seat has left."""

    bank: int
    first: bool = True
    strikes: int = 0
    forfeit: _Forfeit | None = None


class Rulings:
    """The referee's part of a match, computed again decision by decision."""

    def __init__(self, game: AnyGame, terms: Terms, seats: int) -> None:
        control = terms.time_control
        self._game = game
        self._policy = terms.policy
        self._free = (control.per_move + control.latency) // _MICROSECOND
        self._start_up = control.start_up // _MICROSECOND
        self._increment = control.increment // _MICROSECOND
        self._key = "cpu_ms" if control.clock is ClockKind.CPU else "ms"
        """Which time of a decision the clock counts."""
        self._seats = [_Account(control.bank // _MICROSECOND) for _ in range(seats)]

    def decide(self, asked: Asked) -> None:
        """Check verdicts, clock and default move of one decision."""
        own = self._seats[asked.seat]
        self._check_keys(asked.line)
        if not asked.asked or own.forfeit is not None:
            self._check_unasked(asked, own)
            return
        free = self._free + (self._start_up if own.first else 0)
        limit = free + own.bank
        reaction = self._judge(asked, own, limit)
        used = self._charged(asked.line)
        if reaction is not None:
            self._check_default(asked, f"the reaction was {reaction}")
        elif used > limit:
            raise asked.line.wrong(
                f"{self._key} is {asked.line.fields[self._key]}, but seat {asked.seat} had "
                f"{limit / 1000:g} ms, and there is no verdict of a time_out."
            )
        elif microseconds(asked.ms) > self._wall_limit(limit):
            raise asked.line.wrong(
                f"ms is {asked.ms}, but with the CPU clock a decision may take at most "
                f"{WALL_FACTOR} times its {limit / 1000:g} ms and a second."
            )
        own.first = False
        own.bank = max(0, own.bank - max(0, used - free)) + self._increment

    def _charged(self, line: Line) -> int:
        """Return the microseconds that the clock counts."""
        return microseconds(line.milliseconds(self._key))

    def _wall_limit(self, limit: int) -> int:
        return limit if self._key == "ms" else WALL_FACTOR * limit + WALL_GRACE // _MICROSECOND

    def _check_keys(self, line: Line) -> None:
        """Check that CPU time and verdicts are stated only where there are any."""
        if self._key == "ms" and "cpu_ms" in line.fields:
            raise line.wrong("cpu_ms is stated, but the clock of the time control is not cpu.")
        if line.fields.get("verdicts") == []:
            raise line.wrong("verdicts must not be there if there are none.")

    def _check_unasked(self, asked: Asked, own: _Account) -> None:
        """Check a decision that the referee made alone: a forced one, or for a forfeited seat."""
        because = "a forced move takes no time"
        if own.forfeit is not None:
            because = f"seat {asked.seat} forfeited at decision {own.forfeit.n}"
            self._check_default(asked, because)
        if asked.asked and asked.legal == 1:
            raise asked.line.wrong(f"asked must not be there, for {because}.")
        if asked.ms:
            raise asked.line.wrong(f"ms must be 0, for {because}.")
        if asked.line.fields.get("cpu_ms"):
            raise asked.line.wrong(f"cpu_ms must be 0 or missing, for {because}.")
        if asked.verdicts:
            raise asked.line.wrong(f"there can be no verdicts, for {because}.")

    def _check_default(self, asked: Asked, because: str) -> None:
        default = self._game.default_move(asked.state, asked.seat)
        if asked.move != default:
            raise asked.line.wrong(
                f"{because}, but the move is not the default move "
                f'"{self._game.format_move(default)}".'
            )

    def _judge(self, asked: Asked, own: _Account, limit: int) -> Reaction | None:
        """Check the verdicts in turn; return the strike or forfeit that ended the decision."""
        ended: Reaction | None = None
        for before, fields in enumerate(asked.verdicts):
            verdict = Line(asked.line.number, fields)
            if ended is not None:
                raise verdict.wrong(f"a verdict follows the {ended}, which ends a decision.")
            fault, detail = verdict.choice("fault", Fault), verdict.quote("detail")
            self._check_keys(verdict)
            self._check_fault(asked, verdict, fault, limit)
            right = self._reaction(verdict, fault, before, own)
            stated = verdict.choice("reaction", Reaction)
            if stated is not right:
                raise verdict.wrong(f"reaction is {stated}, but the policy gives {right}.")
            if right is not Reaction.REJECT:
                ended = right
                for key in {"ms", self._key}:
                    if verdict.milliseconds(key) != asked.line.milliseconds(key):
                        raise verdict.wrong(
                            f"{key} is {asked.line.fields[key]}, but {fields[key]} in its last "
                            "verdict."
                        )
            if right is Reaction.FORFEIT:
                own.forfeit = _Forfeit(asked.group, asked.n, fault.value, detail)
        return ended

    def _reaction(self, verdict: Line, fault: Fault, before: int, own: _Account) -> Reaction:
        """Return what the policy says about a fault that has ``before`` verdicts before it."""
        reaction = self._policy.reaction(fault)
        # A malformed message is quoted; without a quote there was no message to reject.
        final = fault is Fault.MALFORMED and "said" not in verdict.fields
        if reaction is Reaction.REJECT and (final or before >= self._policy.rejections):
            reaction = Reaction.STRIKE
        if reaction is Reaction.STRIKE:
            own.strikes += 1
            if own.strikes > self._policy.strikes:
                reaction = Reaction.FORFEIT
        return reaction

    def _check_fault(self, asked: Asked, verdict: Line, fault: Fault, limit: int) -> None:
        """Check that a fault is one: a late answer was late, an illegal move is illegal."""
        used, wall = self._charged(verdict), microseconds(verdict.milliseconds())
        early = used < limit - TOLERANCE and wall < self._wall_limit(limit) - TOLERANCE
        if fault is Fault.TIME_OUT and early:
            raise verdict.wrong(
                f"a time_out after {used / 1000:g} ms, but seat {asked.seat} had "
                f"{limit / 1000:g} ms."
            )
        if fault is Fault.ILLEGAL_MOVE:
            if used > limit:
                raise verdict.wrong(
                    f"an illegal_move after {used / 1000:g} ms, but seat {asked.seat} had "
                    f"{limit / 1000:g} ms: it was late."
                )
            self._check_illegal(asked, verdict)

    def _check_illegal(self, asked: Asked, verdict: Line) -> None:
        said, rule = verdict.quote("said"), verdict.text("rule")
        try:
            move = self._game.parse_move(said)
        except NotationError:
            return  # messages can say more than the notation, and long quotes are cut
        if len(said) >= CUT or self._game.format_move(move) != said:
            return
        violation = self._game.check(asked.state, asked.seat, move)
        if violation is None:
            raise verdict.wrong(f'"{said}" is called an illegal_move, but it is legal.')
        if violation.rule != rule:
            raise verdict.wrong(f'rule is {rule}, but "{said}" breaks {violation.rule}.')

    # The end ------------------------------------------------------------------------------------

    def forfeits(self, end: Line, decisions: Sequence[Asked]) -> list[Seat]:
        """Check forfeits and causes of the last line against the verdicts; return the forfeits."""
        causes = [Line(end.number, fields) for fields in end.mappings("causes")]
        if end.fields.get("ending") == STOPPED:
            if not causes:
                raise end.wrong("the match was stopped, but causes is empty.")
            _check_stop(causes.pop())
        stated = [Seat(seat) for seat in end.wholes("forfeits")]
        blamed = [self._seat(cause) for cause in causes]
        if stated != blamed:
            raise end.wrong(f"forfeits is {stated}, but causes names the seats {blamed} in turn.")
        if len(set(blamed)) != len(blamed):
            raise end.wrong("a seat can forfeit only once.")
        for seat, own in enumerate(self._seats):
            if own.forfeit is not None and seat not in blamed:
                raise end.wrong(
                    f"seat {seat} forfeited at decision {own.forfeit.n}, but not at the end."
                )
        last = -1
        for seat, cause in zip(blamed, causes, strict=True):
            group = self._check_cause(seat, cause, decisions)
            if group < last:
                raise end.wrong(f"seat {seat} forfeited earlier than the seat before it.")
            last = group
        return blamed

    def _seat(self, cause: Line) -> Seat:
        seat = cause.whole("seat")
        if seat >= len(self._seats):
            raise cause.wrong(f"a cause names seat {seat}, which is not at the table.")
        return Seat(seat)

    def _check_cause(self, seat: Seat, cause: Line, decisions: Sequence[Asked]) -> int:
        """Check why a seat forfeited; return when, as the number of a group."""
        said = cause.quote("detail")
        if cause.choice("cause", Cause) is not Cause.BOT:
            raise cause.wrong("the cause of a forfeit must be bot.")
        forfeit = self._seats[seat].forfeit
        if forfeit is None:
            self._check_absence(seat, cause, decisions)
            return 0
        stated = (cause.whole("n"), cause.text("fault"), said)
        for key, value in zip(("n", "fault", "detail"), stated, strict=True):
            if value != getattr(forfeit, key):
                raise cause.wrong(
                    f"the cause of the forfeit of seat {seat} has another {key} than the verdict."
                )
        return forfeit.group

    def _check_absence(self, seat: Seat, cause: Line, decisions: Sequence[Asked]) -> None:
        """Check that a seat forfeited before the first decision, and played nothing itself."""
        if cause.whole("n") != 1 or cause.text("fault") not in ABSENCES:
            raise cause.wrong(f"no verdict says that seat {seat} forfeited.")
        if not decisions:
            raise cause.wrong(f"seat {seat} forfeited at decision 1, which was not made.")
        for asked in decisions:
            if asked.seat == seat:
                because = f"seat {seat} was absent"
                if asked.ms or asked.verdicts:
                    raise asked.line.wrong(f"{because}, but decision {asked.n} was asked of it.")
                self._check_default(asked, because)


def _check_stop(cause: Line) -> None:
    """Check the cause of a match that was stopped: no seat is to blame."""
    if cause.text("fault") != STOPPED:
        raise cause.wrong(f"the fault of the last cause must be {STOPPED}, as the ending is.")
    if cause.choice("cause", Cause) is Cause.BOT:
        raise cause.wrong("a bot cannot be the cause of a stop: no seat is to blame for it.")
    cause.quote("detail")
    for key in ("seat", "n"):
        if cause.fields.get(key) is not None:
            raise cause.wrong(f"the match was stopped, so {key} of its cause must be null.")
