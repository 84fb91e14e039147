"""Every misbehaving bot: the match ends as it should, the others' game is whole, nothing is left.

The bots are real processes from sample_bots/misbehaving. Each sits with two good players.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import resource
import secrets
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from referee import (
    BotCommand,
    BotSpec,
    InProcessPlayer,
    LagMeter,
    NoShowError,
    Policy,
    RefereeServer,
    Stage,
    Table,
    TimeControl,
    Transport,
)
from referee.processes import ProcessLimits
from referee.record import verify_record
from referee.table import MatchResult
from tests.referee.dialling import plan, run
from tests.waiting import DYING, PATIENCE, until

BOTS = Path(__file__).parents[2] / "sample_bots" / "misbehaving"
PATIENT = TimeControl(per_move=timedelta(seconds=PATIENCE))
"""For bots whose fault is no matter of time."""
BRIEF = TimeControl(per_move=timedelta(seconds=5), start_up=timedelta(seconds=PATIENCE))
"""For a bot that answers at once until it is gone, and whose time must run out then."""
IMPATIENT = TimeControl(per_move=timedelta(seconds=0.3), start_up=timedelta(0))
"""For bots that never answer in time."""


@dataclass(frozen=True)
class Expected:
    """What a match with a misbehaving bot comes to."""

    fault: str | None
    """The fault for which it forfeits, or none if it does not."""
    verdicts: set[str] = field(default_factory=set)
    """The faults that the record has."""
    transport: Transport = Transport.PIPE
    control: TimeControl = PATIENT
    environment: dict[str, str] = field(default_factory=dict)
    policy: Policy = field(default_factory=Policy)


CASES = {
    "crash_at_start": Expected("crash", {"crash"}),
    "crash_mid_game": Expected("crash", {"crash"}),
    "hang": Expected("time_out", {"time_out"}, control=IMPATIENT),
    # Its first answer comes while it is asked something else. On a machine that is busy most of the
    # time that passes is the referee's own and is credited, so it must be late by far.
    "late": Expected(
        "time_out",
        {"time_out"},
        control=replace(IMPATIENT, per_move=timedelta(seconds=0.1)),
        environment={"BOT_SLEEP": "2"},
        policy=Policy(strikes=16),
    ),
    "illegal": Expected("illegal_move", {"illegal_move"}),
    "garbage": Expected("malformed", {"malformed"}),
    "huge": Expected(None, {"malformed"}),  # one line, however long, is one message
    "flood": Expected("malformed", {"malformed"}),
    "stale": Expected(None),
    "never_reads": Expected("time_out", {"time_out"}, control=IMPATIENT),
    "forks": Expected("crash", {"crash"}),
    "ignores_sigterm": Expected(None),
    "stderr_noise": Expected(None),
    "reconnect": Expected(None, transport=Transport.GRPC),
    "drop_for_good": Expected(
        "disconnect", {"disconnect"}, transport=Transport.GRPC, control=BRIEF
    ),
}


@dataclass
class Seen:
    """What a match left behind."""

    result: MatchResult
    seconds: float
    left_over: list[str]
    stderr: bytes


async def match_with(name: str, case: Expected, folder: Path) -> Seen:
    """Play a match with a misbehaving bot at seat 1 and good players around it."""
    mark = secrets.token_hex(8)
    command = BotCommand(
        (sys.executable, str(BOTS / f"{name}.py")),
        environment={**case.environment, "HIGHSTREET_TEST_MARK": mark},
    )
    server = RefereeServer() if case.transport is Transport.GRPC else None
    if server is not None:
        await server.start()
    lag, loop = LagMeter(), asyncio.get_running_loop()
    try:
        bot = await Stage(server, folder).bring(BotSpec(name, case.transport, command))
        good = [InProcessPlayer(lambda question: question.legal[-1]) for _ in range(2)]
        start = loop.time()
        made = plan("good", name, "fine", control=case.control, policy=case.policy)
        result = await Table(made, [good[0], bot.player(), good[1]], lag).play()
        seconds = loop.time() - start
        await bot.close()
    finally:
        lag.stop()
        if server is not None:
            await server.stop(grace=0)
    stderr = (folder / f"{name}.stderr.log").read_bytes()
    with contextlib.suppress(TimeoutError):  # who was killed needs a moment to be gone
        await until(lambda: not processes_with(mark), DYING)
    return Seen(result, seconds, processes_with(mark), stderr)


def processes_with(mark: str) -> list[str]:
    """Return the processes whose environment has the mark; a zombie has none."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and entry.name != str(os.getpid()):
            try:
                if mark.encode() in (entry / "environ").read_bytes():
                    found.append((entry / "cmdline").read_text())
            except OSError:
                continue
    return found


def decisions(result: MatchResult) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in result.record.splitlines()]
    return [line for line in lines if line["kind"] == "decision"]


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "case"), CASES.items(), ids=CASES)
def test_a_misbehaving_bot_harms_nobody_but_itself(
    name: str, case: Expected, tmp_path: Path
) -> None:
    async def test() -> None:
        seen = await match_with(name, case, tmp_path)
        result = seen.result
        assert not result.void
        verify_record(result.record)
        faults = Counter(
            verdict["fault"] for line in decisions(result) for verdict in line.get("verdicts", ())
        )
        assert set(faults) == case.verdicts
        if case.fault is None:
            assert result.forfeits == ()
            assert result.causes == ()
        else:
            assert result.forfeits == (1,)
            assert [(c.seat, c.fault, c.cause) for c in result.causes] == [(1, case.fault, "bot")]
            assert result.places[1] == 3
        for line in decisions(result):
            if line["seat"] != 1:
                assert "verdicts" not in line, "the others' game is whole"
        assert seen.left_over == [], "every process is ended"
        assert seen.seconds < PATIENCE

    run(test)


def test_no_file_stays_open_after_many_bots(tmp_path: Path) -> None:
    async def once() -> None:
        await match_with("crash_mid_game", CASES["crash_mid_game"], tmp_path)

    run(once)
    before = open_files()
    for _ in range(5):
        run(once)
    assert open_files() <= before


def test_memory_stays_bounded_under_a_flood(tmp_path: Path) -> None:
    """A flooding bot writes as fast as it can; the referee takes in only what it asks for."""

    async def test() -> None:
        await match_with("flood", CASES["flood"], tmp_path)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for _ in range(3):
            await match_with("flood", CASES["flood"], tmp_path)
            await match_with("huge", CASES["huge"], tmp_path)
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        assert grown < 64 * 1024, f"grew by {grown} KiB"

    run(test)


def test_a_bot_that_ends_before_it_dials_in_is_a_no_show(tmp_path: Path) -> None:
    async def test() -> None:
        case = Expected(None, transport=Transport.GRPC)
        with pytest.raises(NoShowError, match="did not dial in: the process ended with exit code"):
            await match_with("crash_at_start", case, tmp_path)

    run(test)


Judge = Callable[[str], bool]


@pytest.mark.parametrize("name", ["wrong_token", "silent_join"])
def test_who_is_not_let_in_is_a_no_show(name: str, tmp_path: Path) -> None:
    async def test() -> None:
        server = RefereeServer()
        await server.start()
        command = BotCommand((sys.executable, str(BOTS / f"{name}.py")))
        stage = Stage(server, tmp_path, arrival_seconds=1.5)
        with pytest.raises(NoShowError):
            await stage.bring(BotSpec(name, Transport.GRPC, command))
        await server.stop(grace=0)

    run(test)


def test_a_signal_without_a_name_is_a_crash_like_any_other() -> None:
    async def test() -> None:
        code = "import os, sys; sys.stdin.readline(); os.kill(os.getpid(), 40)"
        command = BotCommand((sys.executable, "-c", code))
        bot = await Stage(None).bring(BotSpec("odd", Transport.PIPE, command))
        good = InProcessPlayer(lambda question: question.legal[0])
        lag = LagMeter()
        result = await Table(plan("odd", "good"), [bot.player(), good], lag).play()
        lag.stop()
        await bot.close()
        assert result.causes[0].fault == "crash"
        assert "signal 40" in result.causes[0].detail

    run(test)


def test_how_a_process_ended_is_known_however_long_it_takes_after_its_output(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whether it was killed decides whether a match counts."""
    monkeypatch.setattr("referee.pipe.LAST_BREATH", PATIENCE)
    close_and_die = "import os, time; os.close(1); time.sleep(0.5); os.kill(os.getpid(), 9)"

    async def test() -> None:
        command = BotCommand((sys.executable, "-c", close_and_die))
        bot = await Stage(None).bring(BotSpec("slow", Transport.PIPE, command))
        good, lag = InProcessPlayer(lambda question: question.legal[0]), LagMeter()
        made = plan("slow", "good", control=PATIENT)
        result = await Table(made, [bot.player(), good], lag).play()
        lag.stop()
        assert bot.killed
        assert "SIGKILL" in result.causes[0].detail
        await bot.close()

    run(test)


def test_limits_that_are_lower_already_stay() -> None:
    """Only root may raise them again, and a bot must be able to start without."""
    with subprocess.Popen(["/bin/sleep", "3600"]) as process:
        try:
            resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (200, 200))
            ProcessLimits(open_files=256).apply(process.pid)
            assert resource.prlimit(process.pid, resource.RLIMIT_NOFILE) == (200, 200)
            assert resource.prlimit(process.pid, resource.RLIMIT_CORE) == (0, 0)
        finally:
            process.kill()


def test_what_a_bot_prints_between_matches_counts_in_none(tmp_path: Path) -> None:
    script = tmp_path / "polite.py"
    script.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    said = json.loads(line)\n"
        "    if 'match_ended' in said:\n"
        "        print('good game!', flush=True)\n"
        "    if decision := said.get('decision'):\n"
        "        answer = {'match': decision['match'], 'decision_id': decision['decision_id'],\n"
        "                  'move': decision['legal_moves'][0]}\n"
        "        print(json.dumps({'submit_move': answer}), flush=True)\n",
        encoding="utf-8",
    )

    async def test() -> None:
        lag = LagMeter()
        command = BotCommand((sys.executable, str(script)))
        bot: Any = await Stage(None, tmp_path).bring(BotSpec("polite", Transport.PIPE, command))
        for number in range(3):
            good = InProcessPlayer(lambda question: question.legal[-1])
            made = plan("polite", "good", match=f"match-{number}")
            result = await Table(made, [bot.player(), good], lag).play()
            assert b"verdicts" not in result.record
            await until(lambda: bot._bot._idle_lines == 1)
        await bot.close()
        lag.stop()

    run(test)
