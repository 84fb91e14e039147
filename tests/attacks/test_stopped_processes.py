"""A process that a signal has stopped is no time-out of its bot; nobody can hide behind that."""

from __future__ import annotations

import json
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from referee.match.lag import LagMeter
from referee.match.match import Match
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

pytestmark = pytest.mark.slow

SHORT = TimeControl(per_move=timedelta(seconds=0.5), start_up=timedelta(seconds=2))
DIAL = Path(__file__).parents[2] / "sample_bots" / "misbehaving"

PIPE = """
import os, signal, sys
for line in sys.stdin:
    if '"decision"' in line:
        os.kill(os.getpid(), signal.SIGSTOP)
"""
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


def match_with(name: str) -> MatchResult:
    """Play a match in which that bot has the first seat."""
    results = []

    async def test() -> None:
        transport, arguments = BOTS[name]
        server = RefereeServer()
        await server.start()
        command = BotCommand((sys.executable, *arguments))
        bot = await BotLauncher(server).launch(BotSpec("stopped", transport, command))
        good, lag = InProcessPlayer(lambda question: question.legal[0]), LagMeter()
        made = plan("stopped", "good", control=SHORT)
        results.append(await Match(made, [bot.player(), good], lag).play())
        lag.stop()
        await bot.close()
        await server.stop(grace=0)

    run(test)
    return results[0]


@pytest.mark.parametrize("name", BOTS)
def test_a_match_in_which_a_process_is_stopped_is_void(name: str) -> None:
    result = match_with(name)
    assert result.void
    assert result.stopped == (0,)
    assert result.forfeits == ()
    assert [cause.cause for cause in result.causes] == [Cause.MACHINE]
    assert "stopped" in result.causes[0].detail
    verify_record(result.record)


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
