"""check-bot passes a bot that keeps the protocol, and names what another one does wrong."""

from __future__ import annotations

import asyncio
import functools
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from engine.registry import find_game
from referee.devkit.check_bot import BotCheck, Step, StepStatus
from referee.devkit.check_matches import CheckConfig
from referee.devkit.midgame import midgame_positions
from referee.devkit.probe import CheckBench
from referee.model.bot import BotCommand, Transport
from referee.model.clock import TimeControl
from referee.model.policy import Policy
from tests.waiting import PATIENCE, wait_until
from tournaments.cli import main

GAME = find_game("glastonbury")
SAMPLES = Path(__file__).parents[3] / "sample_bots" / "python"
NAMES = [
    "starts",
    "joins",
    "answers every kind of decision",
    "plays several matches in a row",
    "survives a rejected move",
    "answers in time",
    "answers legally and readably",
    "comes back after a cut",
    "leaves cleanly",
]
KINDS, ROW, REJECTED, TIME, LEGAL, CUT, LEAVES = NAMES[2:]

HUSH = """
def hush():
    with open("{silences}", "a") as file:
        file.write(".")
"""
"""How a bot says that nothing more is to be waited for: time is made to pass in its place."""

PIPE_BOT = """
import json, subprocess, sys, time
{hush}
def say(message):
    print(json.dumps(message), flush=True)

def answer(asked, move=None):
    move = move or asked["legal_moves"][0]
    key = {{"match": asked["match"], "decision_id": asked["decision_id"]}}
    say({{"submit_move": {{**key, "move": move}}}})

matches = 0
for line in sys.stdin:
    message = json.loads(line)
    kind = next(iter(message))
    if kind == "match_started":
        matches += 1
    if kind == "decision":
        asked = message["decision"]
    {twist}
    if kind in ("decision", "move_rejected"):
        answer(asked)
    if kind == "goodbye":
        break
{after}
"""

OWN_TOKEN = 'os.environ["HIGHSTREET_TOKEN"]'  # noqa: S105  where it is found
GRPC_BOT = """
import os, queue, sys
import grpc
from highstreet.v1 import play_pb2 as pb
from highstreet.v1.play_pb2_grpc import PlayServiceStub
{hush}
welcomes = 0

def play(stub):
    global welcomes
    requests = queue.SimpleQueue()
    requests.put(pb.PlayRequest(join=pb.Join(token={token}, protocol_version={version})))
    for said in stub.Play(iter(requests.get, None)):
        if said.HasField("welcome"):
            welcomes += 1
            if welcomes == 2:
                hush()  # it came as a stranger, and nobody will ask it
        if said.HasField("decision"):
            asked = said.decision
        if said.HasField("decision") or said.HasField("move_rejected"):
            move = pb.SubmitMove(
                match=asked.match, decision_id=asked.decision_id, move=asked.legal_moves[0])
            requests.put(pb.PlayRequest(submit_move=move))
        if said.HasField("goodbye"):
            os._exit(0)

stub = PlayServiceStub(grpc.insecure_channel(os.environ["HIGHSTREET_TARGET"]))
while True:
    try:
        play(stub)
    except grpc.RpcError as error:
        print(error.code().name, error.details(), file=sys.stderr, flush=True)
        {cut}
"""


NO_HURRY = TimeControl(timedelta(seconds=PATIENCE))
"""However busy the machine is, a bot that answers does so in time."""


def syllabus(control: TimeControl, leave_seconds: float) -> CheckConfig:
    return CheckConfig(
        GAME,
        control,
        Policy(),
        settle_seconds=0.4,
        join_seconds=PATIENCE,
        leave_seconds=leave_seconds,
        return_seconds=PATIENCE,
        grace_seconds=PATIENCE,
        thinking_seconds=10 * PATIENCE,
    )


class HastyLoop(asyncio.SelectorEventLoop):
    """A loop whose clock can be put on, so that nobody has to wait for silence."""

    put_on = 0.0

    def time(self) -> float:
        """Return the time, and what it was put on by."""
        return super().time() + self.put_on

    async def skip(self, silences: Path) -> None:
        """Put the clock on, beyond all patience, for every silence that a bot announces."""
        skipped = 0
        while True:
            if silences.exists() and silences.stat().st_size > skipped:
                skipped += 1
                self.put_on += 10 * PATIENCE
            await asyncio.sleep(0.01)


def checked(
    command: list[str],
    folder: Path,
    transport: Transport = Transport.PIPE,
    control: TimeControl = NO_HURRY,
    leave_seconds: float = PATIENCE,
) -> dict[str, Step]:
    async def check() -> list[Step]:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, HastyLoop)
        skipping = asyncio.create_task(loop.skip(folder / "silences"))
        async with CheckBench(BotCommand(tuple(command)), transport, "glastonbury", folder) as hall:
            steps = await BotCheck(hall, syllabus(control, leave_seconds)).run()
        skipping.cancel()
        return steps

    with asyncio.Runner(loop_factory=HastyLoop) as runner:
        steps = runner.run(check())
    assert [step.name for step in steps] == NAMES
    return {step.name: step for step in steps}


def script(folder: Path, text: str, **parts: str) -> list[str]:
    path = folder / "bot.py"
    hush = HUSH.format(silences=folder / "silences")
    path.write_text(text.format(hush=hush, **parts), encoding="utf-8")
    return [sys.executable, str(path)]


def pipe_bot(folder: Path, twist: str = "pass", after: str = "") -> list[str]:
    indented = twist.replace("\n", "\n    ")
    return script(folder, PIPE_BOT, twist=indented, after=after)


def grpc_bot(
    folder: Path, cut: str = "sys.exit(1)", token: str = OWN_TOKEN, version: int = 1
) -> list[str]:
    return script(folder, GRPC_BOT, cut=cut, token=token, version=str(version))


def marks(steps: dict[str, Step]) -> dict[str, StepStatus]:
    """Return the steps that did not simply pass."""
    return {
        step.name: step.status for step in steps.values() if step.status is not StepStatus.PASSED
    }


def words(step: Step) -> str:
    return "\n".join([step.summary, *step.details])


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["check-bot", *arguments])


# Bots that keep the protocol ---------------------------------------------------------------------


def test_a_bot_that_keeps_the_protocol_passes_every_step(tmp_path: Path) -> None:
    steps = checked(pipe_bot(tmp_path), tmp_path)
    assert marks(steps) == {}
    for kind in GAME.spec.decision_kinds:
        assert f"{kind} " in steps[KINDS].summary


def test_the_command_prints_a_line_per_step_and_a_verdict(tmp_path: Path) -> None:
    done = run("--per-move", f"{PATIENCE:g}", "--", *pipe_bot(tmp_path))
    assert done.exit_code == 0, done.output
    lines = done.output.splitlines()
    assert [line.split(":")[0] for line in lines[:-1]] == [f"✓ {name}" for name in NAMES]
    assert lines[-1] == "all 9 steps passed"
    assert "\x1b" not in done.output


def test_verbose_shows_the_whole_conversation(tmp_path: Path) -> None:
    done = run("--verbose", "--", *pipe_bot(tmp_path))
    assert '→ {"match_started":' in done.output
    assert '→ {"decision":' in done.output
    assert '← {"submit_move":' in done.output
    assert '→ {"match_ended":' in done.output


@pytest.mark.slow
def test_the_smallest_sample_bot_passes() -> None:
    """It does not answer a rejected move again, which is worth a warning and no more."""
    done = run("--per-move", "5", "--", sys.executable, str(SAMPLES / "tiny_bot.py"))
    assert done.exit_code == 0, done.output
    assert done.output.splitlines()[-1].startswith("all 9 steps passed")


@pytest.mark.slow
def test_the_random_sample_bot_passes_over_grpc(tmp_path: Path) -> None:
    command = [sys.executable, str(SAMPLES / "random_bot.py")]
    steps = checked(command, tmp_path, Transport.GRPC)
    assert StepStatus.FAILED not in marks(steps).values(), steps
    assert steps[CUT].status is StepStatus.PASSED
    assert "two at once" in steps[ROW].summary


def test_every_kind_of_decision_is_found_by_random_play() -> None:
    found = midgame_positions(GAME)
    assert set(found) == set(GAME.spec.decision_kinds)
    for kind, midway in found.items():
        state = midway.transition.state
        legal = GAME.legal_moves(state, midway.seat)
        assert GAME.decision_kind(GAME.view(state, midway.seat), legal) == kind


# Bots that do not --------------------------------------------------------------------------------

DECIDES = 'if kind == "decision"'
ASKED = '(kind in ("decision", "move_rejected"))'
SULKS = 'if "sulks" in globals()'
BACK = "    continue"
PHASE = 'kind == "decision" and asked["glastonbury"]["view"]["phase"]'
CORNER = '{"glastonbury": {"take": 0}}'

VIOLATIONS = {
    "never answers one kind of decision": (
        f'if {PHASE} == "PHASE_CORNER":\n    hush()\n    continue',
        "",
        KINDS,
        ["corner: ", "without an answer: no answer in", "the bot said: ", "expected: one submit"],
    ),
    "crashes in one kind of decision": (
        f'if {PHASE} == "PHASE_KEEP":\n    raise KeyError("last_card")',
        "",
        KINDS,
        ["keep: ", "the process ended with exit code 1", "KeyError: 'last_card'"],
    ),
    "ends after a match": (
        'if kind == "match_ended":\n    break',
        "",
        ROW,
        ["in match ", "the process ended with exit code 0"],
    ),
    "is silent from its second match on": (
        f"if matches > 1:\n    {ASKED} and hush()\n    continue",
        "",
        ROW,
        ["in match 2 of its process: no answer in"],
    ),
    "ends when a move is rejected": (
        'if kind == "move_rejected":\n    sys.exit("but that was legal!")',
        "",
        REJECTED,
        ["did not survive", "exit code 1", "its standard error: but that was legal!"],
    ),
    "sulks when a move is rejected": (
        f'if kind == "move_rejected":\n    sulks = True\n{SULKS}:\n    {ASKED} and hush()\n{BACK}',
        "",
        REJECTED,
        ["did not answer again, and left the next decision without an answer"],
    ),
    "writes for people on standard output": (
        f'{DECIDES}:\n    print("thinking about it", flush=True)',
        "",
        LEGAL,
        ["cannot be read: thinking about it", "this line is not JSON", "belong on standard error"],
    ),
    "tries an illegal move first": (
        f"{DECIDES}:\n    answer(asked, {CORNER})\n    continue",
        "",
        LEGAL,
        ['illegal: "take a1" for decision 1 (take); legal are take'],
    ),
    "stays after goodbye": (
        "pass",
        "hush()\ntime.sleep(3600)",
        LEAVES,
        [f"still runs {PATIENCE:g} s after goodbye"],
    ),
    "fails at the end": (
        "pass",
        'sys.exit("cannot save what I learnt")',
        LEAVES,
        ["exit code 1", "its standard error: cannot save what I learnt"],
    ),
    "leaves a child behind": (
        "pass",
        'subprocess.Popen(["sleep", "3600"], stdin=subprocess.DEVNULL)',
        LEAVES,
        ["a process that it has started still runs"],
    ),
    "writes after goodbye": (
        "pass",
        'print("so long")',
        LEAVES,
        ["it wrote after goodbye: so long"],
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize(("twist", "after", "failing", "said"), VIOLATIONS.values(), ids=VIOLATIONS)
def test_a_bot_fails_exactly_the_step_that_it_violates(
    twist: str, after: str, failing: str, said: list[str], tmp_path: Path
) -> None:
    steps = checked(pipe_bot(tmp_path, twist, after), tmp_path)
    assert marks(steps) == {failing: StepStatus.FAILED}, steps
    for part in said:
        assert part in words(steps[failing])


@pytest.mark.slow
def test_a_bot_that_thinks_too_long_fails_that_step_only(tmp_path: Path) -> None:
    """In the first decision of each match; for the others it has an hour.

    It is late by far: what a busy machine makes of half a second is mostly credited.
    """
    slow = pipe_bot(tmp_path, f'{DECIDES} and asked["decision_id"] < 5:\n    time.sleep(0.5)')
    instant, hour = timedelta(milliseconds=1), timedelta(hours=1)
    control = TimeControl(instant, increment=hour, start_up=timedelta(0), latency=timedelta(0))
    steps = checked(slow, tmp_path, control=control)
    assert marks(steps) == {TIME: StepStatus.FAILED}, steps
    for part in ("answers came too late", "decision ", "slowest ", "expected: an answer within"):
        assert part in words(steps[TIME])


def test_a_child_that_escaped_from_its_group_is_noticed_and_not_waited_for(tmp_path: Path) -> None:
    """It holds the bot's standard output, which is how it is found."""
    escaped = tmp_path / "escaped"
    escape = f"""
child = subprocess.Popen(["sleep", "3600"], start_new_session=True)
print(child.pid, file=open({str(escaped)!r}, "w"))
"""
    steps = checked(pipe_bot(tmp_path, after=escape), tmp_path)
    os.kill(int(escaped.read_text(encoding="utf-8")), signal.SIGKILL)
    assert marks(steps) == {LEAVES: StepStatus.FAILED}


@pytest.mark.slow
def test_a_bot_that_nothing_polite_can_end_is_ended(tmp_path: Path) -> None:
    stubborn = "import signal\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
    flood = 'print("x" * 500_000)\nhush()\ntime.sleep(3600)'
    steps = checked(pipe_bot(tmp_path, after=stubborn + flood), tmp_path)
    assert marks(steps) == {LEAVES: StepStatus.FAILED}


WARNINGS = {
    "does not answer a rejected move again": (
        'if kind == "move_rejected":\n    hush()\n    continue',
        REJECTED,
        "it plays on, but did not answer again",
    ),
    "answers twice": (
        f"{DECIDES}:\n    answer(asked)",
        LEGAL,
        "answers were to decisions that were not open",
    ),
}


@pytest.mark.parametrize(("twist", "step", "said"), WARNINGS.values(), ids=WARNINGS)
def test_what_a_referee_tolerates_is_a_warning(
    twist: str, step: str, said: str, tmp_path: Path
) -> None:
    steps = checked(pipe_bot(tmp_path, twist), tmp_path)
    assert marks(steps) == {step: StepStatus.WARNED}, steps
    assert said in steps[step].summary


def test_a_command_that_is_not_there_fails_to_start(tmp_path: Path) -> None:
    steps = checked([str(tmp_path / "no-such-bot")], tmp_path)
    assert "cannot start the bot" in steps["starts"].summary
    assert set(marks(steps).values()) == {StepStatus.FAILED, StepStatus.SKIPPED}


def test_a_bot_that_ends_at_once_shows_its_standard_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    patient = functools.partial(CheckConfig, settle_seconds=PATIENCE)
    monkeypatch.setattr("tournaments.cli.check_bot.CheckConfig", patient)
    done = run("--", *script(tmp_path, 'raise SystemExit("weights.bin is missing")'))
    assert done.exit_code == 1
    assert "✗ starts: the process ended with exit code 1 at once" in done.output
    assert "    its standard error: weights.bin is missing" in done.output
    assert "- joins: it does not start" in done.output
    assert done.output.splitlines()[-1] == "1 of 9 steps failed, 8 skipped"


@pytest.mark.slow
def test_a_silent_bot_is_not_asked_for_ever(tmp_path: Path) -> None:
    steps = checked(pipe_bot(tmp_path, f"{ASKED} and hush()\ncontinue"), tmp_path)
    assert marks(steps) == {
        KINDS: StepStatus.FAILED,
        **dict.fromkeys([ROW, REJECTED, TIME, LEGAL], StepStatus.SKIPPED),
    }
    assert "answered: nothing" in words(steps[KINDS])
    assert steps[ROW].summary == "it answers nothing"


@pytest.mark.slow
def test_a_flood_ends(tmp_path: Path) -> None:
    flood = f'{DECIDES}:\n    for _ in range(2000):\n        print("x" * 500)'
    steps = checked(pipe_bot(tmp_path, flood), tmp_path, leave_seconds=1)
    assert steps[LEGAL].status is StepStatus.FAILED


# Over gRPC ---------------------------------------------------------------------------------------


def test_a_bot_that_does_not_come_back_is_warned(tmp_path: Path) -> None:
    steps = checked(grpc_bot(tmp_path), tmp_path, Transport.GRPC)
    assert marks(steps) == {CUT: StepStatus.WARNED}, steps
    assert "it did not come back: the process ended with exit code 1" in steps[CUT].summary
    assert "its standard error: UNAVAILABLE" in words(steps[CUT])


@pytest.mark.slow
def test_a_bot_that_comes_back_without_its_resume_id_is_told_so(tmp_path: Path) -> None:
    steps = checked(grpc_bot(tmp_path, cut="pass"), tmp_path, Transport.GRPC)
    assert marks(steps) == {CUT: StepStatus.WARNED}, steps
    assert "without the resume_id of its welcome" in steps[CUT].summary


NEVER_DIALS = """
import time
{hush}
while True:
    time.sleep(0.5)
    hush()
"""
NO_SHOWS: dict[str, tuple[Callable[[Path], list[str]], str]] = {
    "never dials": (
        lambda folder: script(folder, NEVER_DIALS),
        f"did not dial HIGHSTREET_TARGET: waited {PATIENCE:g} s",
    ),
    "bad token": (
        lambda folder: grpc_bot(folder, token="'mine'"),
        "dialled in, but did not join: the process ended with exit code 1",
    ),
    "bad version": (
        lambda folder: grpc_bot(folder, version=7),
        "dialled in, but did not join: the process ended with exit code 1",
    ),
}


@pytest.mark.parametrize(("make", "said"), NO_SHOWS.values(), ids=NO_SHOWS)
def test_a_bot_that_does_not_join_fails_there(
    make: Callable[[Path], list[str]], said: str, tmp_path: Path
) -> None:
    steps = checked(make(tmp_path), tmp_path, Transport.GRPC)
    assert steps["starts"].status is StepStatus.PASSED
    assert steps["joins"].status is StepStatus.FAILED
    assert said in steps["joins"].summary
    assert {step.status for step in list(steps.values())[2:]} == {StepStatus.SKIPPED}


# The command -------------------------------------------------------------------------------------

REFUSALS = {
    "no command": ([], "Missing argument '-- COMMAND...'"),
    "unknown game": (["--game", "glastonbry", "--", "x"], 'Did you mean "glastonbury"?'),
    "unknown transport": (["--transport", "smoke", "--", "x"], "'smoke' is not one of"),
    "remote": (["remote"], "give its command, not remote"),
    "negative time": (["--per-move", "-1", "--", "x"], "'--per-move'"),
    "no time": (["--per-move", "0", "--", "x"], "leaves no time to think"),
    "bad policy": (["--policy", "crahs=strike", "--", "x"], 'Did you mean "crash"?'),
}


@pytest.mark.parametrize(("arguments", "sentence"), REFUSALS.values(), ids=REFUSALS)
def test_bad_usage_has_exit_code_2(arguments: list[str], sentence: str) -> None:
    refused = run(*arguments)
    assert refused.exit_code == 2
    assert sentence in refused.output
    assert "Traceback" not in refused.output


def test_ctrl_c_ends_the_bot(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    os.mkfifo(note)
    tell = f'import os\n    open({str(note)!r}, "w").write(str(os.getpid()))'
    twist = f"{DECIDES}:\n    {tell}\n    time.sleep(3600)"
    command = [str(Path(sys.executable).parent / "highstreet"), "check-bot", "--per-move", "3600"]
    check = subprocess.Popen(
        [*command, "--", *pipe_bot(tmp_path, twist)], stdout=subprocess.DEVNULL
    )
    pid = int(note.read_text(encoding="utf-8"))
    check.send_signal(signal.SIGINT)
    assert check.wait(timeout=PATIENCE) == 130
    wait_until(lambda: not command_of(pid))  # it was killed; left alone, it would sleep for an hour


def command_of(pid: int) -> bytes:
    """Return the command of a process that runs; nothing of one that has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""
