"""A process that a signal has stopped is no time-out of its bot; nobody can hide behind that."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any, cast

import pytest

from engine.shuffle import seed_from_text
from referee.match.lag import LagMeter
from referee.match.match import Match
from referee.match.player import MatchPlan, Question
from referee.match.result import MatchResult
from referee.model.bot import BotCommand, BotSpec, Transport
from referee.model.clock import TimeControl
from referee.model.policy import Cause
from referee.record.verify import verify_record
from referee.transports.bot import BotLauncher
from referee.transports.grpc_server import RefereeServer
from referee.transports.in_process import InProcessPlayer
from tests.referee.dialling import plan, run
from tests.tournaments.runner import test_tournament_run as tournaments
from tests.waiting import until
from tournaments.model import DeathKind
from tournaments.worker.bot_pool import BotPool
from tournaments.worker.match_runner import MatchEnding, MatchRunner, SeatedBot, Seats

pytestmark = pytest.mark.slow

SHORT = TimeControl(per_move=timedelta(seconds=0.5), start_up=timedelta(seconds=2))
DIAL = Path(__file__).parents[2] / "sample_bots" / "misbehaving"

PIPE = """
import os, signal, sys
for line in sys.stdin:
    if '"decision"' in line:
        os.kill(os.getpid(), signal.SIGSTOP)
"""
FIRST_LEGAL = """
import json, os, signal, subprocess, sys
def answer(decision):
    move = {key: decision[key] for key in ("match", "decision_id")}
    print(json.dumps({"submit_move": {**move, "move": decision["legal_moves"][0]}}), flush=True)
"""
PAUSES = f"""{FIRST_LEGAL}
waited = False
for line in sys.stdin:
    if "decision" in (said := json.loads(line)):
        if not waited:
            waited = True
            subprocess.Popen(["sh", "-c", f"sleep 1.6; kill -CONT {{os.getpid()}}"])
            os.kill(os.getpid(), signal.SIGSTOP)
        answer(said["decision"])
"""
"""It is stopped at its first decision, and goes on before its time is up."""
DIES = f"""{FIRST_LEGAL}
left = int(sys.argv[1])
for line in sys.stdin:
    if "decision" in (said := json.loads(line)):
        answer(said["decision"])
        left -= 1
        if left == 0:
            os.kill(os.getpid(), signal.SIGKILL)
"""
"""It ends itself after a number of decisions."""
PARENT = "import subprocess, sys; subprocess.run([sys.executable, '-c', sys.argv[1]])"
GRPC = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
from _dial import Stream
stream = Stream()
stream.join()
for response in stream.responses:
    if response.HasField("decision"):
        os.kill(os.getpid(), signal.SIGSTOP)
"""
BOTS = {
    "itself": (Transport.PIPE, ("-c", PIPE)),
    "its child": (Transport.PIPE, ("-c", PARENT, PIPE)),
    "over gRPC": (Transport.GRPC, ("-c", GRPC, str(DIAL))),
}
"""Bots in which a process is stopped at the first decision; who did it cannot be known."""
STOPS_ITSELF = "os.kill(os.getpid(), signal.SIGSTOP)"
STOPS_A_CHILD = """
        import subprocess, time
        child = subprocess.Popen(["sleep", "60"], stdin=subprocess.DEVNULL{stdout})
        os.kill(child.pid, signal.SIGSTOP)
        time.sleep(60)
"""
HELPER = STOPS_A_CHILD.format(stdout=", stdout=subprocess.DEVNULL")
WITH_THE_PIPE = STOPS_A_CHILD.format(stdout="")
WITH_CHILD = {
    "over a pipe": (Transport.PIPE, ("-c", PIPE.replace(STOPS_ITSELF, HELPER))),
    "with the pipe": (Transport.PIPE, ("-c", PIPE.replace(STOPS_ITSELF, WITH_THE_PIPE))),
    "over gRPC": (Transport.GRPC, ("-c", GRPC.replace(STOPS_ITSELF, HELPER), str(DIAL))),
}
"""Bots that stop a child of their own and do not answer."""


def match_with(
    transport: Transport, arguments: tuple[str, ...], control: TimeControl = SHORT
) -> MatchResult:
    """Play a match in which that bot has the first seat."""
    results = []

    async def test() -> None:
        server = RefereeServer()
        await server.start()
        command = BotCommand((sys.executable, *arguments))
        bot = await BotLauncher(server).launch(BotSpec("stopped", transport, command))
        good, lag = InProcessPlayer(lambda question: question.legal[0]), LagMeter()
        made = plan("stopped", "good", control=control)
        results.append(await Match(made, [bot.player(), good], lag).play())
        lag.stop()
        await bot.close()
        await server.stop(grace=0)

    run(test)
    return results[0]


@pytest.mark.parametrize("name", BOTS)
def test_a_match_in_which_a_process_is_stopped_is_void(name: str) -> None:
    result = match_with(*BOTS[name])
    assert result.void
    assert result.stopped == (0,)
    assert result.forfeits == ()
    assert [cause.cause for cause in result.causes] == [Cause.MACHINE]
    assert "stopped" in result.causes[0].detail
    verify_record(result.record)


@pytest.mark.parametrize("name", WITH_CHILD)
def test_a_bot_that_stops_a_child_of_its_own_is_late(name: str) -> None:
    result = match_with(*WITH_CHILD[name])
    assert not result.void
    assert result.forfeits == (0,)
    assert [cause.fault for cause in result.causes] == ["time_out"]


def test_a_bot_that_stops_itself_is_not_believed_for_ever(tmp_path: Path) -> None:
    """In a tournament five of its matches are void; then it is suspended, and forfeits the rest."""
    script = tmp_path / "stops.py"
    script.write_text(PIPE, encoding="utf-8")
    hurry = "[time_control]\nper_move = 0.3\nstart_up = 1\n"
    text = tournaments.league(
        tournaments.script("stops", script),
        tournaments.steady(1),
        more="sets_per_table = 2\n[policy]\nbench_after = 0",
        run="workers = 1",
    )
    assert tournaments.NO_HURRY in text
    done = tournaments.run(tmp_path, text.replace(tournaments.NO_HURRY, hurry))
    assert done.returncode == 1, done.stderr
    assert "its process was stopped in 5 matches, which were void" in done.stderr
    table = json.loads((tmp_path / "cup" / "standings.json").read_text(encoding="utf-8"))
    forfeits = {entrant["entrant"]: entrant["forfeits"] for entrant in table["standings"]}
    assert forfeits == {"stops": 4, "steady-1": 0}
    causes = [cause for lines in tournaments.records(tmp_path).values()
              for cause in cast("list[Any]", lines[-1]["causes"])]  # fmt: skip
    assert [cause["fault"] for cause in causes] == ["benched"] * 4
    assert all("its process was stopped in 5 matches" in cause["detail"] for cause in causes)


def test_a_process_that_goes_on_in_time_has_lost_the_time_in_which_it_was_stopped() -> None:
    """Of 1.6 seconds at most one is credited as lag of the referee."""
    patient = replace(SHORT, start_up=timedelta(seconds=60))
    result = match_with(Transport.PIPE, ("-c", PAUSES), patient)
    assert not result.void
    assert result.forfeits == ()
    lines = map(json.loads, result.record.splitlines())
    first = next(line for line in lines if line["kind"] == "decision" and line["legal"] > 1)
    assert (first["seat"], "verdicts" in first) == (0, False)
    assert first["ms"] >= 500
    verify_record(result.record)


def played_until(left: int, final: int) -> MatchEnding:
    """Play a match with a bot that ends itself after a number of decisions; -1 is never.

    At a decision after ``final`` its opponent waits until the process is gone.
    """
    endings = []

    async def test() -> None:
        lag, command = LagMeter(), BotCommand((sys.executable, "-c", DIES, str(left)))
        specs = {"dies": BotSpec("dies", Transport.PIPE, command)}
        pool = BotPool(BotLauncher(None), specs, 0)
        made = plan("dies", "good", seed=seed_from_text("3"))
        pooled = await pool.take("dies", made.seed)

        async def choose(question: Question) -> Any:
            if question.decision > final:
                await until(lambda: pooled.gone)
            return question.legal[0]

        async def seat(_plan: MatchPlan) -> Seats:
            return [SeatedBot(pooled.bot.player(), pooled), SeatedBot(InProcessPlayer(choose))], {}

        async def commit(_result: MatchResult) -> bool:
            return True

        endings.append(await MatchRunner(lag).play(made, seat, commit))
        lag.stop()
        await pool.close()

    run(test)
    return endings[0]


def test_a_process_that_dies_after_its_last_decision_changes_nothing() -> None:
    whole = played_until(-1, 1000)
    assert whole.result is not None
    lines = [json.loads(line) for line in whole.result.record.splitlines()]
    own = [line["n"] for line in lines[2:-1] if line["seat"] == 0 and line["legal"] > 1]
    assert any(line["n"] > own[-1] and line["legal"] > 1 for line in lines[2:-1]), "not the last"
    after, before = played_until(len(own), own[-1]), played_until(len(own) - 1, own[-1])
    assert after.result is not None
    assert (after.counts, after.deaths) == (True, ())
    assert after.result.scores == whole.result.scores
    assert (before.counts, before.deaths) == (False, ((DeathKind.PROCESS, "dies"),))
