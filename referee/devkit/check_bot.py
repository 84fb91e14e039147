"""Check whether a bot implements the protocol: named steps with expectation and observation.

    async with CheckBench(command, Transport.PIPE, "glastonbury", folder) as bench:
        for step in await BotCheck(bench, CheckConfig(game, control, policy), print).run():
            …

The bot runs over its real transport in real matches; a recording player at its seat observes both
directions. Deals and opponents are the same in every check.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from enum import StrEnum
from functools import partial
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from engine import Seat
from referee.devkit.check_matches import CheckConfig, CheckMatches
from referee.devkit.observations import Observations, ObservedDecision, shortened
from referee.devkit.probe import (
    GOODBYE,
    CheckBench,
    Probe,
    exit_note,
    group_runs,
    standard_error,
)
from referee.devkit.recording_player import CuttingPlayer, RecordingPlayer, RejectingPlayer
from referee.match import Gone, Inbox, Submitted, Unreadable
from referee.model import Fault
from referee.transports import BotNotConnectedError, BotStartError
from referee.wire import stdio

SHOWN: Final = 3
"""The most faults of one kind that are shown."""


class StepStatus(StrEnum):
    """The outcome of a step."""

    PASSED = "passed"
    WARNED = "warning"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Step:
    """The result of one step of a check."""

    name: str
    status: StepStatus
    summary: str
    details: tuple[str, ...] = ()


class _Finding(NamedTuple):
    status: StepStatus
    summary: str
    details: tuple[str, ...] = ()


class _SkippedStepError(Exception):
    """A step that is skipped because of the result of an earlier one."""


RunStep = Callable[[], Awaitable[_Finding]]


class BotCheck:
    """One check of one bot."""

    def __init__(
        self,
        bench: CheckBench,
        config: CheckConfig,
        report: Callable[[Step], None] = lambda _step: None,
        echo: Callable[[str], None] = lambda _line: None,
    ) -> None:
        """Report each step when it is done, and echo all messages."""
        self._bench = bench
        self._config = config
        self._game = config.game
        self._report = report
        self._observations = Observations(echo)
        self._matches = CheckMatches(bench, config, self._observations)
        self._dies_in_matches = False
        """Whether the process has ended during a match."""
        self._skip_reason = ""
        """Why the remaining steps are skipped."""

    async def run(self) -> list[Step]:
        """Run all steps and return their results."""
        steps: list[Step] = []
        try:
            for name, run in self._steps().items():
                steps.append(Step(name, *await self._run_step(run)))
                self._report(steps[-1])
        finally:
            self._matches.close()
        return steps

    def _steps(self) -> dict[str, RunStep]:
        return {
            "starts": self._starts,
            "joins": self._joins,
            "answers every kind of decision": self._answers_every_kind,
            "plays several matches in a row": self._plays_in_a_row,
            "survives a rejected move": self._survives_a_rejection,
            "answers in time": self._answers_in_time,
            "answers legally and readably": self._answers_legally,
            "comes back after a cut": self._reconnects,
            "leaves cleanly": self._leaves_cleanly,
        }

    async def _run_step(self, run: RunStep) -> _Finding:
        if self._skip_reason:
            return _Finding(StepStatus.SKIPPED, self._skip_reason)
        try:
            return await run()
        except _SkippedStepError as reason:
            return _Finding(StepStatus.SKIPPED, str(reason))
        except (BotStartError, BotNotConnectedError) as error:
            return self._failed(f"it had to be started again, but {error}", "a bot that starts")

    # The steps.

    async def _starts(self) -> _Finding:
        expected = "a process that runs until goodbye"
        try:
            probe = await self._matches.start()
        except BotStartError as error:
            self._skip_reason = "it does not start"
            return self._failed(str(error), expected)
        try:
            async with asyncio.timeout(self._config.settle_seconds):
                await probe.process.wait()
        except TimeoutError:
            return _Finding(StepStatus.PASSED, "the process runs")
        if probe.has_connected:
            return _Finding(StepStatus.PASSED, "the process ran, and dialled in")
        self._skip_reason = "it does not start"
        return self._failed(f"{exit_note(probe.process)} at once", expected)

    async def _joins(self) -> _Finding:
        assert self._matches.probe is not None  # noqa: S101  it has started
        try:
            how = await self._matches.probe.join(self._config.join_seconds)
            self._observations.echo(f"← join: {how}")
            return _Finding(StepStatus.PASSED, how)
        except BotNotConnectedError as error:
            self._skip_reason = "it does not join"
            return self._failed(
                str(error),
                "a call of PlayService.Play at HIGHSTREET_TARGET, and a join with "
                "HIGHSTREET_TOKEN and protocol_version 1 as its first request",
            )

    async def _answers_every_kind(self) -> _Finding:
        for number, options in enumerate(self._game.spec.kinds()):
            await self._matches.play(options, Seat(number % options.seats))
            if not self._observations.answered:
                break
        else:
            await self._matches.ask_missing_kinds()
        asked, answered = Counter(map(_kind, self._observations.asked)), self._answered_kinds()
        wanted = self._game.spec.decision_kinds
        counts = ", ".join(f"{kind} {answered[kind]}" for kind in wanted if answered[kind])
        missing = [kind for kind in wanted if not asked[kind] or answered[kind] < asked[kind]]
        if not missing:
            return _Finding(StepStatus.PASSED, f"{counts}; {_count(self._matches.count)}")
        unanswered = [asked for asked in self._observations.asked if asked.gone is not None]
        self._dies_in_matches = any(_process_died(asked.gone) for asked in unanswered)
        return self._failed(
            f"{len(missing)} of {len(wanted)} kinds are not always answered",
            "one submit_move for every decision, with one of its legal_moves",
            *(self._gap(kind, asked[kind], answered[kind]) for kind in missing),
            f"answered: {counts or 'nothing'}",
            last_messages=next((asked.last_messages for asked in unanswered), None),
            errors=next((asked.errors for asked in unanswered), None),
        )

    async def _plays_in_a_row(self) -> _Finding:
        self._need_answers()
        probe = await self._matches.ready_probe()
        kinds = list(self._game.spec.kinds())
        for number in range(self._config.matches_in_a_row):
            player = await self._matches.play_with(
                probe, kinds[number % len(kinds)], max_answers=10
            )
            if self._dies_in_matches and _process_died(player.gone):
                raise _SkippedStepError("it does not live through its matches, as seen above")
            if not player.answers or _process_died(player.gone):
                return self._match_failed(f"in match {probe.matches} of its process", player)
        if probe.max_matches < 2:
            return _Finding(StepStatus.PASSED, f"{_count(probe.matches)} in one process")
        both = await asyncio.gather(
            *(self._matches.play_with(probe, options, max_answers=10) for options in kinds[:2])
        )
        for player in both:
            if not player.answers:
                return self._match_failed("when two matches ran at once", player)
        return _Finding(StepStatus.PASSED, f"{_count(probe.matches)} in one process, two at once")

    async def _survives_a_rejection(self) -> _Finding:
        self._need_answers()
        options = next(self._game.spec.kinds())
        player = await self._matches.play(options, make=RejectingPlayer, max_answers=5)
        assert isinstance(player, RejectingPlayer)  # noqa: S101  see make
        if player.again is None:
            raise _SkippedStepError("it gave no legal answer that could be rejected")
        expected = "another submit_move for the same decision_id, and the match played on"
        problem = _after_rejection(player)
        if problem:
            return self._failed(problem, expected, last_messages=player.last_messages)
        if isinstance(player.again, Gone):
            return self._warned(
                "it plays on, but did not answer again: in a match its time would run out, which "
                "is a strike",
                expected,
                last_messages=player.last_messages,
            )
        return _Finding(StepStatus.PASSED, "it answers again and plays on")

    async def _answers_in_time(self) -> _Finding:
        answered = self._observations.answered
        if not answered:
            raise _SkippedStepError("it answers nothing")
        slowest = max(answered, key=_used)
        typical = timedelta(seconds=median(_used(asked).total_seconds() for asked in answered))
        times = (
            f"slowest {_milliseconds(_used(slowest))} of {_milliseconds(slowest.limit)}, median "
            f"{_milliseconds(typical)}, {len(answered)} answers"
        )
        late = [asked for asked in answered if asked.late]
        if not late:
            return _Finding(StepStatus.PASSED, times)
        return self._failed(
            f"{len(late)} of {len(answered)} answers came too late",
            "an answer within the clock of each decision",
            *(_lateness(asked) for asked in late[:SHOWN]),
            times,
            last_messages=(),
        )

    async def _answers_legally(self) -> _Finding:
        faults, stray_answers = self._observations.faults, self._observations.stray_answers
        if faults:
            return self._failed(
                f"{len(faults)} answers were illegal or could not be read",
                "nothing but requests, on one line each, with moves out of legal_moves; "
                "messages for people belong on standard error",
                *list(dict.fromkeys(faults))[:SHOWN],
                last_messages=(),
            )
        if stray_answers:
            return self._warned(
                f"{len(stray_answers)} answers were to decisions that were not open, and were "
                "ignored",
                "one answer to each decision, with its match and decision_id",
                *stray_answers[:SHOWN],
                last_messages=(),
            )
        if not self._observations.answered:
            raise _SkippedStepError("it answers nothing")
        return _Finding(
            StepStatus.PASSED, f"{len(self._observations.answered)} legal answers, nothing else"
        )

    async def _reconnects(self) -> _Finding:
        if self._bench.relay is None:
            return _Finding(StepStatus.PASSED, "not needed over pipes")
        self._need_answers()
        wait = timedelta(seconds=self._config.return_seconds)
        make = partial(CuttingPlayer, cut=self._bench.relay.cut, wait=wait)
        player = await self._matches.play(next(self._game.spec.kinds()), make=make, max_answers=3)
        assert isinstance(player, CuttingPlayer)  # noqa: S101  see make
        if player.again is None:
            raise _SkippedStepError("it gave no legal answer before which to cut")
        if isinstance(player.again, Submitted) and player.answers > 1:
            return _Finding(StepStatus.PASSED, "with its resume id, and answers the open decision")
        return self._warned(
            f"it did not come back: {self._reconnect_problem(player)}",
            "a join with the resume_id of the welcome, then an answer to the decision that comes "
            "again; without it a cut connection is a forfeit",
        )

    async def _leaves_cleanly(self) -> _Finding:
        probe = await self._matches.ready_probe()
        expected = "after goodbye and the end of its input: exit code 0, and no process left"
        self._observations.sent(stdio.goodbye_line(GOODBYE))
        inbox = probe.send_goodbye()
        try:
            async with asyncio.timeout(self._config.leave_seconds):
                await probe.process.wait()
        except TimeoutError:
            seconds = self._config.leave_seconds
            return self._failed(f"it still runs {seconds:g} s after goodbye", expected)
        if probe.process.returncode != 0:
            return self._failed(str(exit_note(probe.process)), expected)
        children_left = await _children_left(probe)
        if garbage := _output_after_goodbye(inbox):
            return self._failed(f"it wrote after goodbye: {garbage}", expected)
        if children_left:
            return self._failed("a process that it has started still runs", expected)
        return _Finding(StepStatus.PASSED, "exit code 0")

    # Results.

    def _need_answers(self) -> None:
        if not self._observations.answered:
            raise _SkippedStepError("it answers nothing")

    def _answered_kinds(self) -> Counter[str]:
        return Counter(map(_kind, self._observations.answered))

    def _gap(self, kind: str, asked: int, answered: int) -> str:
        if not asked:
            return f"{kind}: was not asked"
        problems = [a.gone.detail for a in self._observations.asked if a.kind == kind and a.gone]
        why = next(iter(problems), "no answer that could be read")
        return f"{kind}: {asked - answered} of {asked} without an answer: {why}"

    def _match_failed(self, when: str, player: RecordingPlayer) -> _Finding:
        why = player.gone.detail if player.gone else "no answer that could be read"
        return self._failed(
            f"it {'died' if player.answers else 'answered nothing'} {when}: {why}",
            "a bot that plays one match after the other until goodbye",
        )

    def _reconnect_problem(self, player: CuttingPlayer) -> str:
        assert self._matches.probe is not None  # noqa: S101  it has just played
        if self._matches.probe.joined_as_new_session():
            return "it joined again, but without the resume_id of its welcome"
        if isinstance(player.again, Gone):
            return player.again.detail
        return "it joined again, but did not answer the decision that was open"

    def _failed(
        self,
        summary: str,
        expected: str,
        *lines: str,
        last_messages: Sequence[str] | None = None,
        errors: Path | None = None,
    ) -> _Finding:
        return _Finding(
            StepStatus.FAILED, summary, self._details(expected, lines, last_messages, errors)
        )

    def _warned(
        self, summary: str, expected: str, *lines: str, last_messages: Sequence[str] | None = None
    ) -> _Finding:
        return _Finding(StepStatus.WARNED, summary, self._details(expected, lines, last_messages))

    def _details(
        self,
        expected: str,
        lines: Sequence[str],
        last_messages: Sequence[str] | None,
        errors: Path | None = None,
    ) -> tuple[str, ...]:
        """Return the details of a step with a problem, by default with the last messages."""
        said = self._observations.last_messages if last_messages is None else last_messages
        if errors is None and self._matches.probe is not None:
            errors = self._matches.probe.errors
        return (
            *lines,
            f"expected: {expected}",
            *(f"the bot said: {line}" for line in said),
            *(standard_error(errors) if errors is not None else ()),
        )


def _after_rejection(player: RejectingPlayer) -> str:
    """Return the problem after a rejected answer; empty if there is none."""
    again = player.again
    if isinstance(again, Gone) and again.fault is not Fault.TIME_OUT:
        return f"it did not survive: {again.detail}"
    if isinstance(again, Unreadable):
        return f"its next message could not be read: {shortened(again.said)}"
    if player.answers < 2 and len(player.asked) > 1:
        answered = "answered again" if isinstance(again, Submitted) else "did not answer again"
        return f"it {answered}, and left the next decision without an answer"
    return ""


def _process_died(gone: Gone | None) -> bool:
    return gone is not None and gone.fault is not Fault.TIME_OUT


async def _children_left(probe: Probe) -> bool:
    """Return whether children of a process that has ended still run after a second."""
    for _ in range(50):
        if not group_runs(probe.process) and not probe.output_open():
            return False
        await asyncio.sleep(0.02)
    return True


def _output_after_goodbye(inbox: Inbox | None) -> str:
    while inbox is not None and (answer := inbox.take()) is not None:
        if isinstance(answer, Unreadable):
            return shortened(answer.said)
    return ""


def _kind(asked: ObservedDecision) -> str:
    return asked.kind


def _used(asked: ObservedDecision) -> timedelta:
    return asked.used or timedelta(0)


def _lateness(asked: ObservedDecision) -> str:
    where = f"decision {asked.decision} of {asked.match} ({asked.kind})"
    return f"{where}: {_milliseconds(_used(asked))} of {_milliseconds(asked.limit)}"


def _milliseconds(duration: timedelta) -> str:
    seconds = duration.total_seconds()
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.1f} ms"


def _count(number: int) -> str:
    return "1 match" if number == 1 else f"{number} matches"
