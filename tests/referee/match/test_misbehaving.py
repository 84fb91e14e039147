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
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from referee.match.lag import LagMeter
from referee.match.match import Match
from referee.match.result import MatchResult
from referee.model.bot import BotCommand, BotSpec, Transport
from referee.model.clock import TimeControl
from referee.model.policy import Policy
from referee.record.verify import verify_record
from referee.transports.bot import BotLauncher, BotNotConnectedError
from referee.transports.grpc_server import RefereeServer
from referee.transports.in_process import InProcessPlayer
from tests.referee.dialling import plan, run
from tests.waiting import DYING, PATIENCE, until

BOTS = Path(__file__).parents[3] / "sample_bots" / "misbehaving"
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
        bot = await BotLauncher(server, folder).launch(BotSpec(name, case.transport, command))
        good = [InProcessPlayer(lambda question: question.legal[-1]) for _ in range(2)]
        start = loop.time()
        made = plan("good", name, "fine", control=case.control, policy=case.policy)
        result = await Match(made, [good[0], bot.player(), good[1]], lag).play()
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


@pytest.mark.slow
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
        with pytest.raises(
            BotNotConnectedError, match="did not dial in: the process ended with exit code"
        ):
            await match_with("crash_at_start", case, tmp_path)

    run(test)


Judge = Callable[[str], bool]


@pytest.mark.parametrize("name", ["wrong_token", "silent_join"])
def test_who_is_not_let_in_is_a_no_show(name: str, tmp_path: Path) -> None:
    async def test() -> None:
        server = RefereeServer()
        await server.start()
        command = BotCommand((sys.executable, str(BOTS / f"{name}.py")))
        stage = BotLauncher(server, tmp_path, connect_seconds=1.5)
        with pytest.raises(BotNotConnectedError):
            await stage.launch(BotSpec(name, Transport.GRPC, command))
        await server.stop(grace=0)

    run(test)


def test_a_signal_without_a_name_is_a_crash_like_any_other() -> None:
    async def test() -> None:
        code = "import os, sys; sys.stdin.readline(); os.kill(os.getpid(), 40)"
        command = BotCommand((sys.executable, "-c", code))
        bot = await BotLauncher(None).launch(BotSpec("odd", Transport.PIPE, command))
        good = InProcessPlayer(lambda question: question.legal[0])
        lag = LagMeter()
        result = await Match(plan("odd", "good"), [bot.player(), good], lag).play()
        lag.stop()
        await bot.close()
        assert result.causes[0].fault == "crash"
        assert "signal 40" in result.causes[0].detail

    run(test)


def test_a_bot_that_closes_its_output_is_seen_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is waited for, and what becomes of its process later changes nothing."""
    monkeypatch.setattr("referee.transports.pipe.EXIT_GRACE", 100 * PATIENCE)
    close_output = "import os, time; os.close(1); time.sleep(3600)"

    async def test() -> None:
        command = BotCommand((sys.executable, "-c", close_output))
        bot: Any = await BotLauncher(None).launch(BotSpec("closed", Transport.PIPE, command))
        good, lag = InProcessPlayer(lambda question: question.legal[0]), LagMeter()
        made = plan("closed", "good", control=PATIENT)
        result = await Match(made, [bot.player(), good], lag).play()
        lag.stop()
        assert [(c.fault, c.detail) for c in result.causes] == [
            ("crash", "no more output: the process is running")
        ]
        os.kill(bot.process.pid, signal.SIGKILL)
        await bot.process.wait()
        assert bot.process.was_killed
        assert not bot.killed, "its output was closed before"
        await bot.close()

    run(test)


@pytest.mark.slow
def test_a_process_that_is_killed_is_known_to_be() -> None:
    """Its output ends a moment before its exit status is there; the match must not be judged then.

    Threads and children make that moment longer; on a busy machine it is milliseconds.
    """
    program = (
        "import os, sys, threading, time\n"
        "for _ in range(20): threading.Thread(target=time.sleep, args=(60,), daemon=True).start()\n"
        "sys.stdin.readline()\n"
        "os.kill(os.getpid(), 9)\n"
    )

    async def test() -> None:
        command, lag = BotCommand((sys.executable, "-c", program)), LagMeter()
        for _ in range(10):
            bot = await BotLauncher(None).launch(BotSpec("slow", Transport.PIPE, command))
            good = InProcessPlayer(lambda question: question.legal[0])
            result = await Match(
                plan("slow", "good", control=PATIENT), [bot.player(), good], lag
            ).play()
            assert bot.killed
            assert "SIGKILL" in result.causes[0].detail
            await bot.close()
        lag.stop()

    run(test)


LIMITS_OF_A_CHILD = """
import os, resource, sys
if os.fork() == 0:  # before anything else
    for kind in ("AS", "NOFILE", "FSIZE", "CORE"):
        print(kind, *resource.getrlimit(getattr(resource, "RLIMIT_" + kind)), file=sys.stderr)
    os._exit(0)
os.wait()
"""


def limits_of_a_child(folder: Path) -> list[str]:
    """Start a bot that forks at once; return the limits that its child has."""

    async def test() -> None:
        command = BotCommand((sys.executable, "-S", "-c", LIMITS_OF_A_CHILD))
        bot = await BotLauncher(None, folder).launch(BotSpec("forks", Transport.PIPE, command))
        await until(lambda: bot.gone is not None)
        await bot.close()

    run(test)
    return (folder / "forks.stderr.log").read_text().splitlines()


def test_limits_hold_for_a_child_that_is_forked_at_once(tmp_path: Path) -> None:
    assert limits_of_a_child(tmp_path) == [
        "AS 4294967296 4294967296",
        "NOFILE 256 256",
        "FSIZE 1073741824 1073741824",
        "CORE 0 0",
    ]


def test_limits_that_are_lower_already_stay(tmp_path: Path) -> None:
    """Only root may raise them again, and a bot must be able to start without."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    lower = 64 * 2**20
    code = f"""
import resource, sys
from pathlib import Path
from tests.referee.match.test_misbehaving import limits_of_a_child
resource.setrlimit(resource.RLIMIT_FSIZE, ({lower}, {lower}))
print(*limits_of_a_child(Path(sys.argv[1])), sep="\\n")
"""
    assert (soft, hard) == (resource.RLIM_INFINITY,) * 2 or hard > lower
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)],
        cwd=Path(__file__).parents[3],
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"FSIZE {lower} {lower}" in done.stdout.splitlines()


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
        bot: Any = await BotLauncher(None, tmp_path).launch(
            BotSpec("polite", Transport.PIPE, command)
        )
        for number in range(3):
            good = InProcessPlayer(lambda question: question.legal[-1])
            made = plan("polite", "good", match=f"match-{number}")
            result = await Match(made, [bot.player(), good], lag).play()
            assert b"verdicts" not in result.record
            await until(lambda: bot._idle_lines == 1)
        await bot.close()
        lag.stop()

    run(test)
