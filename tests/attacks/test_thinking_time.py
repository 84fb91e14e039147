"""Nobody can buy time to think by keeping the referee busy."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from referee.match.lag import LagMeter
from referee.match.match import Match
from referee.match_service.service import MatchService
from referee.model.bot import BotCommand
from referee.model.clock import TimeControl
from referee.transports.grpc_server import RefereeServer
from referee.transports.in_process import InProcessPlayer
from referee.transports.pipe import PipeBot, PipePlayer
from tests.attacks.harness import ROOT
from tests.attacks.referee_process import Matches
from tests.referee.dialling import plan, run

pytestmark = pytest.mark.slow

BOTS = Path(__file__).parent / "pipe_bots.py"
ONE_SECOND = TimeControl(
    per_move=timedelta(seconds=1), start_up=timedelta(0), latency=timedelta(milliseconds=50)
)
THINKS = 4
"""How long the bot takes for each decision, in seconds."""


@contextlib.contextmanager
def accomplice(attack: str | None, address: str) -> Iterator[None]:
    """Let a client without a token keep the referee busy meanwhile."""
    if attack is None:
        yield
        return
    program = [sys.executable, "-m", "tests.attacks.callers", attack, address, "none"]
    with subprocess.Popen(program, cwd=ROOT) as client:
        try:
            yield
        finally:
            client.kill()


@pytest.mark.parametrize(
    ("flood", "helper"),
    [("blank", None), ("leave", None), ("none", "list-pages")],
)
def test_a_bot_that_thinks_too_long_is_late_whatever_keeps_the_referee_busy(
    flood: str, helper: str | None
) -> None:
    """It takes four times as long as it may, for each decision, and each of them is a fault."""

    async def test() -> None:
        server = RefereeServer()
        await server.start(add_services=MatchService(Matches()).add_to)
        command = BotCommand((sys.executable, str(BOTS), flood, str(THINKS)))
        bot, lag = await PipeBot.start(command), LagMeter()
        good = InProcessPlayer(lambda question: question.legal[0])
        made = plan("slow", "good", control=ONE_SECOND)
        with accomplice(helper, server.address):
            result = await Match(made, [PipePlayer(bot), good], lag).play()
        lag.stop()
        await bot.close(grace=0)
        await server.stop(grace=0)
        lines = [json.loads(line) for line in result.record.splitlines()]
        asked = [
            line
            for line in lines
            if line["kind"] == "decision" and line["seat"] == 0 and "verdicts" in line
        ]
        assert not result.void
        assert result.forfeits == (0,)
        first = [line["n"] for line in lines if line.get("seat") == 0 and line.get("legal", 0) > 1]
        assert [line["n"] for line in asked] == first[:4], "three strikes, and then the forfeit"
        if flood == "none":
            assert {verdict["fault"] for line in asked for verdict in line["verdicts"]} == {
                "time_out"
            }
            assert all(line["ms"] >= 1050 for line in asked), "its whole time is charged"

    run(test)
