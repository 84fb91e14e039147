"""Plays matches of bots over gRPC in the sandbox, and prints what became of each as JSON.

``python -m tests.sandbox.grpc_arena FOLDER SANDBOX STORY...``: a process of its own, because the
tests run it as root and as an ordinary user.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

from referee.match import LagMeter, Match, Player, Question
from referee.model import (
    BotCommand,
    BotSpec,
    ClockKind,
    Mount,
    SandboxKind,
    SandboxLimits,
    SandboxSettings,
    TimeControl,
    Transport,
)
from referee.record import verify_record
from referee.runtime import run_async
from referee.sandbox import sandboxed
from referee.transports import Bot, BotLauncher, InProcessPlayer, bot_socket
from tests.referee.dialling import plan
from tests.sandbox.arena import GENEROUS, processes_with, reports
from tournaments.bot_commands import sample_command

BOT = Path(__file__).parent / "bots" / "grpc_attacker.py"
LIMITS = SandboxLimits(memory_bytes=400 << 20)
CPU = replace(GENEROUS, clock=ClockKind.CPU)
LONG_THINKING = 6.0
"""Longer than the interval and the time-out of the server's pings together."""


def in_sandbox(command: BotCommand, kind: SandboxKind) -> BotCommand:
    """Return a Python command with all that it imports."""
    paths = list(map(Path, os.environ["PYTHONPATH"].split(":")))[1:]
    seen = (*paths, Path(sys.prefix), Path(sys.base_prefix))
    mounts = command.sandbox.mounts + tuple(Mount(path, path) for path in seen)
    environment = {"PYTHONPATH": ":".join(map(str, paths)), "PYTHONDONTWRITEBYTECODE": "1"}
    settings = SandboxSettings(mounts=mounts, limits=LIMITS)
    return sandboxed(replace(command, environment=environment, sandbox=settings), kind)


class Arena:
    """Starts bots and plays matches."""

    def __init__(self, folder: Path, kind: SandboxKind) -> None:
        self.folder = folder
        self._kind = kind
        self.launcher = BotLauncher(None, folder / "logs")

    async def start(self, name: str, command: BotCommand) -> Bot:
        """Start a bot."""
        command = in_sandbox(replace(command, folder=self.folder), self._kind)
        return await self.launcher.launch(BotSpec(name, Transport.GRPC, command))

    async def attacker(self, attack: str, argument: str = "") -> Bot:
        """Start the attacker."""
        words = (sys.executable, str(BOT), attack, argument, str(self.folder))
        return await self.start(attack, BotCommand(words))

    async def play(
        self, bots: Sequence[Bot], players: Sequence[Player], control: TimeControl = GENEROUS
    ) -> dict[str, Any]:
        """Play a match, and return its outcome; the bots are closed."""
        lag = LagMeter()
        try:
            result = await Match(plan("a", "b", control=control), players, lag).play()
        finally:
            for bot in bots:
                await bot.close()
            lag.stop()
        return {
            "ending": result.ending,
            "forfeits": list(result.forfeits),
            "causes": [cause.as_dict() for cause in result.causes],
            "decisions": verify_record(result.record).decisions,
            "killed": bots[0].killed,
            "strikes": dict(result.strikes),
            "reports": reports(self.folder / "logs" / f"{bots[0].name}.stderr.log"),
            "left": len(processes_with(str(self.folder))),
            "head": json.loads(result.record.splitlines()[0])["seats"],
        }


def last(question: Question) -> Any:
    """Answer with the last legal move."""
    return question.legal[-1]


async def samples(arena: Arena) -> dict[str, Any]:
    """Let two sample bots play with the CPU clock."""
    bots = [await arena.start(name, sample_command(name)) for name in ("random", "greedy")]
    return await arena.play(bots, [bot.player() for bot in bots], CPU)


async def services(arena: Arena) -> dict[str, Any]:
    """Let the attacker try what its socket offers, with the token of another server."""
    good = await arena.start("random", sample_command("random"))
    async with bot_socket.SandboxServer() as other:
        bad = await arena.attacker("services", other.tokens.issue("another"))
        return await arena.play([bad, good], [bad.player(), good.player()])


async def memory(arena: Arena) -> dict[str, Any]:
    """Let the attacker take memory."""
    bot = await arena.attacker("memory")
    return await arena.play([bot], [bot.player(), InProcessPlayer(last)])


async def come_back(arena: Arena) -> dict[str, Any]:
    """Let the attacker disconnect for longer than it has time, with credit for lag.

    It is shorter than the time for which the clock of a bot without a sandbox would stand still.
    """
    bot = await arena.attacker("come_back")
    control = TimeControl(per_move=timedelta(seconds=1), start_up=timedelta(seconds=1))
    return await arena.play([bot], [bot.player(), InProcessPlayer(last)], control)


async def spin(arena: Arena) -> dict[str, Any]:
    """Let the opponent think for long, once, while the attacker would compute."""
    bot = await arena.attacker("spin")
    player = bot.player()
    sandbox = player.inbox.sandbox
    used: list[float] = []

    async def think(question: Question) -> Any:
        if not used and question.decision > 3 and sandbox is not None:
            await asyncio.sleep(0.1)
            before = sandbox.cpu_seconds()
            await asyncio.sleep(LONG_THINKING)
            used.append(sandbox.cpu_seconds() - before)
        return last(question)

    outcome = await arena.play([bot], [player, InProcessPlayer(think)])
    return {**outcome, "used": used[0] if used else None}


async def pinged(arena: Arena) -> dict[str, Any]:
    """Do the same with a server that pings the bot as it pings bots without a sandbox."""
    bot_socket.LIMITS = replace(bot_socket.LIMITS, keepalive_seconds=2.0)  # type: ignore[misc]
    return await spin(arena)


STORIES = {each.__name__: each for each in (samples, services, memory, come_back, spin, pinged)}


async def main(folder: Path, kind: SandboxKind, stories: Sequence[str]) -> None:
    """Play all matches."""
    (folder / "logs").mkdir(exist_ok=True)
    for name in stories:
        outcome = await STORIES[name](Arena(folder, kind))
        print(json.dumps({name: outcome}), flush=True)  # noqa: T201  for the test


if __name__ == "__main__":
    run_async(main(Path(sys.argv[1]), SandboxKind(sys.argv[2]), sys.argv[3:]))
