"""Whether a bot keeps the protocol: named steps, each with what was expected and what was seen.

    async with Hall(command, Transport.PIPE, "glastonbury", folder) as hall:
        for step in await BotCheck(hall, Syllabus(game, control, policy), print).run():
            …

The bot is spoken with over its real transport and plays at real tables; a spy at its seat notes
what goes in and out. Deals and opponents are the same in every check.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any, Final, NamedTuple, cast

from engine import AnyGame, Event, Options, Seat, Transition, seed_from_text
from referee import (
    BotStartError,
    InProcessPlayer,
    LagMeter,
    MatchPlan,
    NoShowError,
    Player,
    Policy,
    Question,
    Table,
    TimeControl,
)
from referee.player import Gone, Inbox, Submitted, Unreadable
from referee.policy import Fault
from referee.wire import stdio
from tournaments.examinee import (
    GOODBYE,
    Asked,
    CuttingSpy,
    Evidence,
    Examinee,
    Hall,
    RejectingSpy,
    Spy,
    Terms,
    exit_note,
    group_lives,
    shortened,
    standard_error,
)
from tournaments.random_play import chooser, random_steps

SALT: Final = bytes(16)
FIRST: Final = Seat(0)
DEALS_SEARCHED: Final = 40
"""How many deals of each kind are searched for a kind of decision."""
SHOWN: Final = 3
"""How many faults of one sort are shown."""


class Mark(StrEnum):
    """How a step went."""

    PASSED = "passed"
    WARNED = "warning"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a check, done."""

    name: str
    mark: Mark
    summary: str
    details: tuple[str, ...] = ()


class _Finding(NamedTuple):
    mark: Mark
    summary: str
    details: tuple[str, ...] = ()


class _PointlessError(Exception):
    """A step that cannot be done, because of what an earlier one found."""


# Positions for each kind of decision ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Midway:
    """A position that random play has reached, with all that happened before."""

    options: Options
    seat: Seat
    transition: Transition[Any]


class _MidwayGame:
    """A game that is dealt as a position in the middle of one."""

    def __init__(self, game: AnyGame, transition: Transition[Any]) -> None:
        self._game = game
        self._transition = transition

    def __getattr__(self, name: str) -> Any:
        return getattr(self._game, name)

    def deal(self, options: Options, seed: object) -> Transition[Any]:  # noqa: ARG002
        """Return the position, whatever the deal would be."""
        return self._transition


def midway_positions(game: AnyGame) -> dict[str, Midway]:
    """Return the first position found for each kind of decision."""
    found: dict[str, Midway] = {}
    for number in range(DEALS_SEARCHED):
        for options in game.spec.kinds():
            for kind, midway in _along(game, options, number):
                found.setdefault(kind, midway)
        if set(game.spec.decision_kinds) <= set(found):
            break
    return found


def _along(game: AnyGame, options: Options, number: int) -> Iterator[tuple[str, Midway]]:
    seed = seed_from_text(str(number))
    state, events = game.deal(options, seed)
    happened: list[Event] = list(events)
    for step in random_steps(game, state, seed):
        for seat in game.to_act(state):
            legal = game.legal_moves(state, seat)
            if len(legal) > 1:
                kind = game.decision_kind(game.view(state, seat), legal)
                yield kind, Midway(options, seat, Transition(state, tuple(happened)))
        state = step.transition.state
        happened += step.transition.events


# The check --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Syllabus:
    """What a bot is examined in, and how long each thing may take."""

    game: AnyGame
    control: TimeControl
    policy: Policy
    settle_seconds: float = 1.0
    """A process that lives so long has started."""
    join_seconds: float = 30.0
    leave_seconds: float = 5.0
    return_seconds: float = 15.0
    """How long a bot may take to come back after a cut."""
    patience_seconds: float = 2.0
    """How long after its time an answer counts as late, and not as missing."""
    thinking_seconds: float = 15.0
    """When a bot has thought so long in a match, the rest is played for it."""
    matches_in_a_row: int = 3

    def terms(self, most_answers: int | None) -> Terms:
        """Return how one match is examined."""
        return Terms(
            self.control,
            self.game.decision_kind,
            timedelta(seconds=self.patience_seconds),
            timedelta(seconds=self.thinking_seconds),
            most_answers,
        )


MakeSpy = Callable[[Player, Evidence, Terms, LagMeter], Spy]
Examination = Callable[[], Awaitable[_Finding]]


class BotCheck:
    """One check of one bot."""

    def __init__(
        self,
        hall: Hall,
        syllabus: Syllabus,
        report: Callable[[Step], None] = lambda _step: None,
        echo: Callable[[str], None] = lambda _line: None,
    ) -> None:
        """Report each step when it is done, and echo the whole conversation line by line."""
        self._hall = hall
        self._syllabus = syllabus
        self._game = syllabus.game
        self._report = report
        self._evidence = Evidence(echo)
        self._lag = LagMeter()
        self._examinee: Examinee | None = None
        self._matches = 0
        self._dies = False
        """Whether some decisions are too much for the bot."""
        self._fresh_each_time = False
        """Whether the bot has to be started again for each match."""
        self._hopeless = ""
        """Why the steps that are left make no sense."""

    async def run(self) -> list[Step]:
        """Do all steps; one that an earlier one makes pointless is skipped."""
        steps: list[Step] = []
        try:
            for name, examine in self._steps().items():
                steps.append(Step(name, *await self._examined(examine)))
                self._report(steps[-1])
        finally:
            self._lag.stop()
        return steps

    def _steps(self) -> dict[str, Examination]:
        return {
            "starts": self._starts,
            "joins": self._joins,
            "answers every kind of decision": self._answers_every_kind,
            "plays several matches in a row": self._plays_in_a_row,
            "survives a rejected move": self._survives_a_rejection,
            "answers in time": self._answers_in_time,
            "answers legally and readably": self._answers_legally,
            "comes back after a cut": self._comes_back,
            "leaves cleanly": self._leaves_cleanly,
        }

    async def _examined(self, examine: Examination) -> _Finding:
        if self._hopeless:
            return _Finding(Mark.SKIPPED, self._hopeless)
        try:
            return await examine()
        except _PointlessError as reason:
            return _Finding(Mark.SKIPPED, str(reason))
        except (BotStartError, NoShowError) as error:
            return self._failed(f"it had to be started again, but {error}", "a bot that starts")

    # The steps.

    async def _starts(self) -> _Finding:
        expected = "a process that runs until it is told to go"
        try:
            self._examinee = await self._hall.start()
        except BotStartError as error:
            self._hopeless = "it does not start"
            return self._failed(str(error), expected)
        try:
            async with asyncio.timeout(self._syllabus.settle_seconds):
                await self._examinee.process.wait()
        except TimeoutError:
            return _Finding(Mark.PASSED, "the process runs")
        if self._examinee.dialled:
            return _Finding(Mark.PASSED, "the process ran, and dialled in")
        self._hopeless = "it does not start"
        return self._failed(f"{exit_note(self._examinee.process)} at once", expected)

    async def _joins(self) -> _Finding:
        assert self._examinee is not None  # noqa: S101  it has started
        try:
            how = await self._examinee.join(self._syllabus.join_seconds)
            self._evidence.echo(f"← join: {how}")
            return _Finding(Mark.PASSED, how)
        except NoShowError as error:
            self._hopeless = "it does not join"
            return self._failed(
                str(error),
                "a call of PlayService.Play at HIGHSTREET_TARGET, and a join with "
                "HIGHSTREET_TOKEN and protocol_version 1 as its first request",
            )

    async def _answers_every_kind(self) -> _Finding:
        for number, options in enumerate(self._game.spec.kinds()):
            await self._match(options, Seat(number % options.seats))
            if not self._evidence.answered:
                break
        else:
            await self._ask_what_is_missing()
        asked, answered = Counter(map(_kind, self._evidence.asked)), self._answered_kinds()
        wanted = self._game.spec.decision_kinds
        counts = ", ".join(f"{kind} {answered[kind]}" for kind in wanted if answered[kind])
        missing = [kind for kind in wanted if not asked[kind] or answered[kind] < asked[kind]]
        if not missing:
            return _Finding(Mark.PASSED, f"{counts}; {_matches(self._matches)}")
        unanswered = [asked for asked in self._evidence.asked if asked.gone is not None]
        self._dies = any(_died(asked.gone) for asked in unanswered)
        return self._failed(
            f"{len(missing)} of {len(wanted)} kinds are not always answered",
            "one submit_move for every decision, with one of its legal_moves",
            *(self._gap(kind, asked[kind], answered[kind]) for kind in missing),
            f"answered: {counts or 'nothing'}",
            heard=next((asked.heard for asked in unanswered), None),
            errors=next((asked.errors for asked in unanswered), None),
        )

    async def _plays_in_a_row(self) -> _Finding:
        self._need_answers()
        examinee = await self._present()
        kinds = list(self._game.spec.kinds())
        for number in range(self._syllabus.matches_in_a_row):
            spy = await self._seat(examinee, kinds[number % len(kinds)], most_answers=10)
            if self._dies and _died(spy.gone):
                raise _PointlessError("it does not live through its matches, as seen above")
            if not spy.answers or _died(spy.gone):
                return self._not_in_a_row(f"in match {examinee.matches} of its process", spy)
        if examinee.most_matches < 2:
            return _Finding(Mark.PASSED, f"{_matches(examinee.matches)} in one process")
        both = await asyncio.gather(
            *(self._seat(examinee, options, most_answers=10) for options in kinds[:2])
        )
        for spy in both:
            if not spy.answers:
                return self._not_in_a_row("when two matches ran at once", spy)
        return _Finding(Mark.PASSED, f"{_matches(examinee.matches)} in one process, two at once")

    async def _survives_a_rejection(self) -> _Finding:
        self._need_answers()
        options = next(self._game.spec.kinds())
        spy = await self._match(options, make=RejectingSpy, most_answers=5)
        assert isinstance(spy, RejectingSpy)  # noqa: S101  made so
        if spy.again is None:
            raise _PointlessError("it gave no legal answer that could be rejected")
        expected = "another submit_move for the same decision_id, and the match played on"
        problem = _after_rejection(spy)
        if problem:
            return self._failed(problem, expected, heard=spy.heard)
        if isinstance(spy.again, Gone):
            return self._warned(
                "it plays on, but did not answer again: in a match its time would run out, which "
                "is a strike",
                expected,
                heard=spy.heard,
            )
        return _Finding(Mark.PASSED, "it answers again and plays on")

    async def _answers_in_time(self) -> _Finding:
        answered = self._evidence.answered
        if not answered:
            raise _PointlessError("it answers nothing")
        slowest = max(answered, key=_used)
        typical = timedelta(seconds=median(_used(asked).total_seconds() for asked in answered))
        times = (
            f"slowest {_milliseconds(_used(slowest))} of {_milliseconds(slowest.limit)}, median "
            f"{_milliseconds(typical)}, {len(answered)} answers"
        )
        late = [asked for asked in answered if asked.late]
        if not late:
            return _Finding(Mark.PASSED, times)
        return self._failed(
            f"{len(late)} of {len(answered)} answers came too late",
            "an answer within the clock of each decision",
            *(_lateness(asked) for asked in late[:SHOWN]),
            times,
            heard=(),
        )

    async def _answers_legally(self) -> _Finding:
        faults, strays = self._evidence.faults, self._evidence.strays
        if faults:
            return self._failed(
                f"{len(faults)} answers were illegal or could not be read",
                "nothing but requests, on one line each, with moves out of legal_moves; "
                "messages for people belong on standard error",
                *list(dict.fromkeys(faults))[:SHOWN],
                heard=(),
            )
        if strays:
            return self._warned(
                f"{len(strays)} answers were to decisions that were not open, and were ignored",
                "one answer to each decision, with its match and decision_id",
                *strays[:SHOWN],
                heard=(),
            )
        if not self._evidence.answered:
            raise _PointlessError("it says nothing")
        return _Finding(Mark.PASSED, f"{len(self._evidence.answered)} legal answers, nothing else")

    async def _comes_back(self) -> _Finding:
        if self._hall.cable is None:
            return _Finding(Mark.PASSED, "not needed over pipes")
        self._need_answers()
        wait = timedelta(seconds=self._syllabus.return_seconds)
        make = partial(CuttingSpy, cut=self._hall.cable.cut, wait=wait)
        spy = await self._match(next(self._game.spec.kinds()), make=make, most_answers=3)
        assert isinstance(spy, CuttingSpy)  # noqa: S101  made so
        if spy.again is None:
            raise _PointlessError("it gave no legal answer before which to cut")
        if isinstance(spy.again, Submitted) and spy.answers > 1:
            return _Finding(Mark.PASSED, "with its resume id, and answers the open decision")
        return self._warned(
            f"it did not come back: {self._why_not_back(spy)}",
            "a join with the resume_id of the welcome, then an answer to the decision that comes "
            "again; without it a cut connection is a forfeit",
        )

    async def _leaves_cleanly(self) -> _Finding:
        examinee = await self._present()
        expected = "after goodbye and the end of its input: exit code 0, and nobody left behind"
        self._evidence.told(stdio.goodbye_line(GOODBYE))
        inbox = examinee.say_goodbye()
        try:
            async with asyncio.timeout(self._syllabus.leave_seconds):
                await examinee.process.wait()
        except TimeoutError:
            seconds = self._syllabus.leave_seconds
            return self._failed(f"it still runs {seconds:g} s after goodbye", expected)
        if examinee.process.returncode != 0:
            return self._failed(str(exit_note(examinee.process)), expected)
        left_behind = await _left_behind(examinee)
        if garbage := _last_words(inbox):
            return self._failed(f"it wrote after goodbye: {garbage}", expected)
        if left_behind:
            return self._failed("a process that it has started still runs", expected)
        return _Finding(Mark.PASSED, "exit code 0")

    # Matches.

    async def _present(self) -> Examinee:
        """Return the bot, started again if it is away."""
        examinee = self._examinee
        if examinee is not None:
            worn_out = self._fresh_each_time and examinee.matches > 0
            if examinee.absence is None and not worn_out:
                return examinee
            await examinee.close()
        self._examinee = examinee = await self._hall.start()
        await examinee.join(self._syllabus.join_seconds)
        return examinee

    async def _match(
        self,
        options: Options,
        seat: Seat = FIRST,
        *,
        game: AnyGame | None = None,
        make: MakeSpy = Spy,
        most_answers: int | None = None,
    ) -> Spy:
        """Play a match; a bot that cannot play two in a row is started again for it."""
        examinee = await self._present()
        first = not examinee.matches
        spy = await self._seat(examinee, options, seat, game, make, most_answers)
        if first or spy.answers or spy.gone is None:
            return spy
        self._fresh_each_time = True
        self._evidence.asked = [asked for asked in self._evidence.asked if asked not in spy.asked]
        examinee = await self._present()
        return await self._seat(examinee, options, seat, game, make, most_answers)

    async def _seat(
        self,
        examinee: Examinee,
        options: Options,
        seat: Seat = FIRST,
        game: AnyGame | None = None,
        make: MakeSpy = Spy,
        most_answers: int | None = None,
    ) -> Spy:
        """Play one match of the bot against random players."""
        self._matches += 1
        examinee.matches += 1
        terms = self._syllabus.terms(most_answers)
        spy = make(examinee.player(), self._evidence, terms, self._lag)
        players: list[Player] = [_random_player(self._matches, i) for i in range(options.seats)]
        players[seat] = spy
        names = ["you" if i == seat else f"random-{i}" for i in range(options.seats)]
        plan = MatchPlan(
            f"check-{self._matches}",
            game or self._game,
            options,
            seed_from_text(str(self._matches)),
            SALT,
            tuple(names),
            terms.table_control(),
            self._syllabus.policy,
        )
        await Table(plan, players, self._lag).play()
        if spy.gone is not None:
            spy.asked[-1].errors = examinee.errors
        return spy

    async def _ask_what_is_missing(self) -> None:
        """Put the kinds of decisions that no match has brought up."""
        positions = midway_positions(self._game)
        for kind in self._game.spec.decision_kinds:
            midway = positions.get(kind)
            if midway is not None and kind not in map(_kind, self._evidence.asked):
                game = cast("AnyGame", _MidwayGame(self._game, midway.transition))
                await self._match(midway.options, midway.seat, game=game, most_answers=4)

    # What is said about them.

    def _need_answers(self) -> None:
        if not self._evidence.answered:
            raise _PointlessError("it answers nothing")

    def _answered_kinds(self) -> Counter[str]:
        return Counter(map(_kind, self._evidence.answered))

    def _gap(self, kind: str, asked: int, answered: int) -> str:
        if not asked:
            return f"{kind}: was not asked"
        problems = [a.gone.detail for a in self._evidence.asked if a.kind == kind and a.gone]
        why = next(iter(problems), "no answer that could be read")
        return f"{kind}: {asked - answered} of {asked} without an answer: {why}"

    def _not_in_a_row(self, when: str, spy: Spy) -> _Finding:
        why = spy.gone.detail if spy.gone else "no answer that could be read"
        return self._failed(
            f"it {'died' if spy.answers else 'answered nothing'} {when}: {why}",
            "a bot that plays one match after the other until it is told to go",
        )

    def _why_not_back(self, spy: CuttingSpy) -> str:
        assert self._examinee is not None  # noqa: S101  it has just played
        if self._examinee.came_as_stranger():
            return "it joined again, but without the resume_id of its welcome"
        if isinstance(spy.again, Gone):
            return spy.again.detail
        return "it joined again, but did not answer the decision that was open"

    def _failed(
        self,
        summary: str,
        expected: str,
        *lines: str,
        heard: Sequence[str] | None = None,
        errors: Path | None = None,
    ) -> _Finding:
        return _Finding(Mark.FAILED, summary, self._details(expected, lines, heard, errors))

    def _warned(
        self, summary: str, expected: str, *lines: str, heard: Sequence[str] | None = None
    ) -> _Finding:
        return _Finding(Mark.WARNED, summary, self._details(expected, lines, heard))

    def _details(
        self,
        expected: str,
        lines: Sequence[str],
        heard: Sequence[str] | None,
        errors: Path | None = None,
    ) -> tuple[str, ...]:
        """Return what is shown of a step that went wrong: by default what the bot said last."""
        said = self._evidence.heard if heard is None else heard
        if errors is None and self._examinee is not None:
            errors = self._examinee.errors
        return (
            *lines,
            f"expected: {expected}",
            *(f"the bot said: {line}" for line in said),
            *(standard_error(errors) if errors is not None else ()),
        )


def _random_player(match: int, seat: int) -> InProcessPlayer:
    choose = chooser(seed_from_text(str(match * 10 + seat)))

    def answer(question: Question) -> Any:
        return choose(question.legal)

    return InProcessPlayer(answer)


def _after_rejection(spy: RejectingSpy) -> str:
    """Say what went wrong after a rejected answer, if anything did."""
    again = spy.again
    if isinstance(again, Gone) and again.fault is not Fault.TIME_OUT:
        return f"it did not survive: {again.detail}"
    if isinstance(again, Unreadable):
        return f"its next words could not be read: {shortened(again.said)}"
    if spy.answers < 2 and len(spy.asked) > 1:
        answered = "answered again" if isinstance(again, Submitted) else "did not answer again"
        return f"it {answered}, and left the next decision without an answer"
    return ""


def _died(gone: Gone | None) -> bool:
    return gone is not None and gone.fault is not Fault.TIME_OUT


async def _left_behind(examinee: Examinee) -> bool:
    """Tell whether something of a bot that has ended lives on; its end may take a moment."""
    for _ in range(50):
        if not group_lives(examinee.process) and not examinee.holds_output():
            return False
        await asyncio.sleep(0.02)
    return True


def _last_words(inbox: Inbox | None) -> str:
    while inbox is not None and (answer := inbox.take()) is not None:
        if isinstance(answer, Unreadable):
            return shortened(answer.said)
    return ""


def _kind(asked: Asked) -> str:
    return asked.kind


def _used(asked: Asked) -> timedelta:
    return asked.used or timedelta(0)


def _lateness(asked: Asked) -> str:
    where = f"decision {asked.decision} of {asked.match} ({asked.kind})"
    return f"{where}: {_milliseconds(_used(asked))} of {_milliseconds(asked.limit)}"


def _milliseconds(duration: timedelta) -> str:
    seconds = duration.total_seconds()
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.1f} ms"


def _matches(number: int) -> str:
    return "1 match" if number == 1 else f"{number} matches"
