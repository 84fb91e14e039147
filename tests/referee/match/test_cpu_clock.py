"""The CPU clock, in virtual time: a sandbox whose bot uses a known share of the time it runs."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from engine import UsageError
from referee.model.clock import Clock, ClockKind, TimeControl
from referee.record.format import RecordError
from referee.record.verify import verify_record
from referee.record.writer import Recorder
from referee.wire import stdio
from tests.referee.match.test_match import (
    GAME,
    ONE_SECOND,
    Act,
    PlayedMatch,
    ScriptedPlayer,
    a_plan,
    always,
    attach,
    legal,
    policy,
)
from tests.virtual_time import run, virtual_loop

CPU = replace(ONE_SECOND, clock=ClockKind.CPU)


class FakeSandbox:
    """A bot that uses ``load`` seconds of CPU time in a second, unless it is frozen."""

    def __init__(self, load: float) -> None:
        self.description = {"kind": "bubblewrap", "enforced_by": "watcher"}
        self._load = load
        self._used = 0.0
        self._since: float | None = None
        self.frozen_at: list[float] = []

    def freeze(self) -> None:
        """Stop using time."""
        self._used, self._since = self.cpu_seconds(), None
        self.frozen_at.append(virtual_loop().time())

    def resume(self) -> None:
        """Use time again."""
        if self._since is None:
            self._since = virtual_loop().time()

    def cpu_seconds(self) -> float:
        """Return the time used so far."""
        running = 0.0 if self._since is None else virtual_loop().time() - self._since
        return self._used + self._load * running


def play(seconds: float, load: float, **changes: Any) -> PlayedMatch:
    """Play a match in which seat 0 answers after some seconds; the others answer at once."""
    players = [
        ScriptedPlayer(always(Act(seconds, legal))),
        ScriptedPlayer(always(Act(0.01, legal))),
    ]
    for player, own in zip(players, (load, 1.0), strict=True):
        player.inbox.sandbox = FakeSandbox(own)
    plan = a_plan(2, **{"time_control": CPU, **changes})

    async def story() -> Any:
        return await attach(plan, players)

    return PlayedMatch(run(story()), players)


def test_cpu_time_is_charged_and_both_times_are_recorded() -> None:
    """Three seconds on a machine that gives the bot a quarter of a core are 0.75 s."""
    match = play(seconds=3, load=0.25)
    asked = [line for line in match.of(0) if line["legal"] > 1]
    assert asked
    for line in asked:
        assert line["ms"] == pytest.approx(3000, abs=1)
        assert line["cpu_ms"] == pytest.approx(750, abs=1)
        assert "verdicts" not in line
    assert match.head["time_control"]["clock"] == "cpu"
    assert all("cpu_ms" not in line for line in match.decisions if line["legal"] == 1)


def test_more_cpu_time_than_the_limit_is_a_time_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four cores use up a second of CPU time in a quarter of a second."""
    monkeypatch.setattr("referee.match.match.CORES", 4)
    match = play(seconds=0.9, load=4.0, policy=policy(strikes=1000))
    first = match.first_of(0)
    (verdict,) = first["verdicts"]
    assert verdict["fault"] == "time_out"
    assert verdict["detail"] == "no answer within its CPU time"
    assert 1000 <= first["cpu_ms"] < 1100
    assert 250 <= first["ms"] < 280
    assert verdict["cpu_ms"] == first["cpu_ms"]


def test_a_bot_that_waits_without_using_cpu_time_is_late_by_the_wall_clock() -> None:
    match = play(seconds=60, load=0.0, policy=policy(strikes=1000))
    first = match.first_of(0)
    assert first["verdicts"][0]["fault"] == "time_out"
    assert first["ms"] == pytest.approx(6000, abs=1)
    assert first["cpu_ms"] == 0


def test_the_bank_is_drawn_by_cpu_time() -> None:
    """0.75 s of CPU time with 0.5 s free draw 0.25 s of 10 s."""
    control = replace(CPU, per_move=timedelta(seconds=0.5), bank=timedelta(seconds=10))
    match = play(seconds=3, load=0.25, time_control=control)
    banks = [question.clock.bank.total_seconds() for question in match.players[0].questions[:3]]
    assert banks == pytest.approx([10, 9.75, 9.5], abs=0.001)


def test_a_bot_is_frozen_but_for_its_own_decisions() -> None:
    match = play(seconds=0.5, load=1.0)
    sandbox = match.players[1].inbox.sandbox
    assert isinstance(sandbox, FakeSandbox)
    asked = sum(line["cpu_ms"] for line in match.of(1) if line["legal"] > 1)
    assert sandbox.cpu_seconds() * 1000 == pytest.approx(asked, abs=1)


def test_a_bot_runs_for_the_whole_of_its_decisions_also_where_several_decide_at_once() -> None:
    """One CPU second a second while it decides, sealed or alone, and none otherwise."""
    times = (0.3, 0.05, 0.2)
    players = [ScriptedPlayer(always(Act(seconds, legal))) for seconds in times]
    sandboxes = [FakeSandbox(1.0) for _ in players]
    for player, sandbox in zip(players, sandboxes, strict=True):
        player.inbox.sandbox = sandbox

    async def story() -> Any:
        return await attach(a_plan(3, time_control=CPU), players)

    match = PlayedMatch(run(story()), players)
    for seat, (seconds, sandbox) in enumerate(zip(times, sandboxes, strict=True)):
        asked = [line["cpu_ms"] for line in match.of(seat) if line["legal"] > 1]
        assert asked == pytest.approx([seconds * 1000] * len(asked), abs=1)
        assert sandbox.cpu_seconds() * 1000 == pytest.approx(sum(asked), abs=1)


class WakefulSandbox(FakeSandbox):
    """A bot that goes on as before while it is frozen, at half its speed."""

    def freeze(self) -> None:
        """Do not stop."""
        self._used, self._since = self.cpu_seconds(), virtual_loop().time()
        self._load *= 0.5

    def resume(self) -> None:
        """Use all its speed again."""
        if self._since is not None:
            self._used, self._load = self.cpu_seconds(), self._load * 2
        self._since = virtual_loop().time()


def test_what_a_bot_uses_while_it_is_frozen_is_charged_to_its_next_decision() -> None:
    """It takes 0.1 s for its own decision, and uses half of the 0.8 s of its opponent's."""
    players = [ScriptedPlayer(always(Act(seconds, legal))) for seconds in (0.1, 0.8)]
    players[0].inbox.sandbox = WakefulSandbox(1.0)
    players[1].inbox.sandbox = FakeSandbox(1.0)

    async def story() -> Any:
        return await attach(a_plan(2, time_control=CPU), players)

    match = PlayedMatch(run(story()), players)
    charged = 0
    for before, line in itertools.pairwise(match.decisions):
        if (before["seat"], line["seat"]) == (1, 0) and min(before["legal"], line["legal"]) > 1:
            assert line["cpu_ms"] > 499
            charged += 1
    assert charged > 10


def test_with_ponder_a_bot_is_never_frozen() -> None:
    match = play(seconds=0.5, load=0.5, policy=policy(ponder=True))
    for player in match.players:
        assert isinstance(player.inbox.sandbox, FakeSandbox)
        assert player.inbox.sandbox.frozen_at == []
    assert match.head["policy"]["ponder"] is True


def test_a_bot_without_a_sandbox_cannot_have_the_cpu_clock() -> None:
    async def story() -> Any:
        return await attach(a_plan(2, time_control=CPU), [ScriptedPlayer(), ScriptedPlayer()])

    with pytest.raises(UsageError, match="bot 0 is in no sandbox"):
        run(story())


def test_bots_are_told_of_the_cpu_clock_and_of_no_other() -> None:
    told = json.loads(stdio.started_line(a_plan(2, time_control=CPU), 0, ""))
    assert told["match_started"]["time_control"]["clock"] == "CLOCK_KIND_CPU"
    plain = json.loads(stdio.started_line(a_plan(2), 0, ""))
    assert "clock" not in plain["match_started"]["time_control"]


def test_a_time_control_comes_back_from_its_dict() -> None:
    assert TimeControl.from_dict(CPU.as_dict()) == CPU
    assert TimeControl.from_dict(ONE_SECOND.as_dict()) == ONE_SECOND
    assert "clock" not in ONE_SECOND.as_dict()


def test_the_wall_limit_is_longer_with_the_cpu_clock_only() -> None:
    assert Clock.initial(CPU).wall_limit == timedelta(seconds=6)
    assert Clock.initial(ONE_SECOND).wall_limit == timedelta(seconds=1)


def without(key: str) -> Callable[[dict[str, Any]], None]:
    return lambda line: line.pop(key)


def more_cpu(line: dict[str, Any]) -> None:
    line["cpu_ms"] = 1000.001


def more_wall(line: dict[str, Any]) -> None:
    line["ms"] = 6000.001


def early(line: dict[str, Any]) -> None:
    verdict = {"fault": "time_out", "reaction": "strike", "detail": ""}
    line["verdicts"] = [{**verdict, "ms": line["ms"], "cpu_ms": line["cpu_ms"]}]


@pytest.mark.parametrize(
    ("forge", "sentence"),
    [
        (without("cpu_ms"), "cpu_ms must be a number"),
        (more_cpu, r"cpu_ms is 1000\.001, but seat 0 had 1000 ms"),
        (more_wall, r"at most 5 times its 1000 ms and a second"),
        (early, "a time_out after 750 ms"),
    ],
)
def test_verify_computes_the_cpu_clock_again(
    forge: Callable[[dict[str, Any]], None], sentence: str
) -> None:
    match = play(seconds=3, load=0.25)
    plan = match.result.plan
    line = match.first_of(0)
    forge(line)
    recorder = Recorder(
        GAME, plan.options, plan.seed, plan.salt, plan.match, match.head["seats"],
        match.head["time_control"], match.head["policy"],
    )  # fmt: skip
    for each in match.decisions:
        recorder.decision(
            each["n"],
            each["seat"],
            each["move"],
            each["ms"],
            each["legal"],
            each.get("verdicts", ()),
            each.get("cpu_ms"),
        )
    end = match.end
    recorder.end(end["ending"], end["scores"], end["places"], end["forfeits"], end["causes"])
    with pytest.raises(RecordError, match=sentence):
        verify_record(recorder.data())
