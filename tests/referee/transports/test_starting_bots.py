"""A process that speaks gRPC starts bots on any event loop, and none of them dies on its way."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

STARTS = """
import asyncio
import sys

from referee.runtime.environment import prepare_environment

prepare_environment()
{first}
from referee.model import BotCommand
from referee.runtime.event_loop import run_async
from referee.transports import BotProcess, RefereeServer


async def start_bots():
    server = RefereeServer()
    await server.start()
    for _ in range(20):
        bot = await BotProcess.start(BotCommand(("true",)), stderr=None)
        await bot.wait()
        print(bot.exit_note())
        await bot.end()
    await server.stop(grace=0)


run_async(start_bots())
"""


@pytest.mark.slow
@pytest.mark.parametrize("first", ["import grpc", "import tournaments.server"])
@pytest.mark.parametrize("loop", ["uvloop", "asyncio"])
def test_no_bot_dies_before_it_is_one(loop: str, first: str) -> None:
    """What gRPC does in a child that was forked, or that it could not do it, would be told."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("GRPC_")}
    done = subprocess.run(
        [sys.executable, "-c", STARTS.format(first=first)],
        env=environment | {"HIGHSTREET_LOOP": loop},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "fork" not in done.stderr
    assert done.stdout.splitlines() == ["the process ended with exit code 0"] * 20
