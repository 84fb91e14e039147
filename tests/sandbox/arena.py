"""Plays matches of the attacker against a good player, and prints what became of each as JSON.

``python -m tests.sandbox.arena FOLDER SANDBOX ATTACK...``: a process of its own, because the tests
run it as root and as an ordinary user.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from referee.match import LagMeter, Match, Question
from referee.model import (
    BotCommand,
    BotSpec,
    ClockKind,
    Mount,
    Policy,
    SandboxKind,
    SandboxLimits,
    SandboxSettings,
    TimeControl,
    Transport,
)
from referee.record import verify_record
from referee.runtime import run_async
from referee.sandbox import sandboxed
from referee.transports import BotLauncher, InProcessPlayer
from tests.referee.dialling import plan

BOT = Path(__file__).parent / "bots" / "attacker.py"
PYTHON = "/usr/bin/python3"
LIMITS = SandboxLimits(
    memory_bytes=256 << 20,
    processes=32,
    temporary_bytes=16 << 20,
    temporary_files=256,
    log_bytes=64 << 10,
)
GENEROUS = TimeControl(per_move=timedelta(seconds=60), start_up=timedelta(seconds=60))
BRIEF = TimeControl(per_move=timedelta(seconds=0.5), start_up=timedelta(seconds=5))
CONTROLS = {
    "stop_itself": BRIEF,
    "cpu": TimeControl(
        per_move=timedelta(seconds=5), start_up=timedelta(seconds=5), clock=ClockKind.CPU
    ),
}
OPPONENT_SECONDS = 0.2
"""How long the opponent of the bot that thinks on its time takes."""


def processes_with(mark: str) -> list[int]:
    """Return the processes of this machine whose command line contains a mark."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            command = (path / "cmdline").read_bytes()
            state = (path / "stat").read_text().rpartition(")")[2].split()[0]
        except OSError:
            continue
        if mark.encode() in command and state not in "ZX" and int(path.name) != os.getpid():
            found.append(int(path.name))
    return found


def reports(log: Path) -> list[Any]:
    """Return what the attacker reports on standard error."""
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    return [json.loads(line)["report"] for line in lines if line.startswith('{"report"')]


async def attack(name: str, kind: SandboxKind, known: dict[str, Any], folder: Path) -> Any:
    """Play one match against an attack, and return its outcome."""
    mark = f"attack-{secrets.token_hex(8)}"
    method, _, policy = name.partition("+")
    told = json.dumps({**known, "name": mark})
    command = BotCommand(
        (PYTHON, str(BOT), method, told, mark), folder=folder, environment={"TMPDIR": known["tmp"]}
    )
    if kind is not SandboxKind.NONE:
        foreign = Path(known["foreign"])
        mounts = (Mount(foreign, foreign),) if foreign.exists() else ()
        settings = SandboxSettings(mounts=mounts, limits=LIMITS)
        command = sandboxed(BotCommand(command.arguments, folder, sandbox=settings), kind)
    logs = folder / "logs"
    spec = BotSpec(f"{name}-{kind}", Transport.PIPE, command)
    bot = await BotLauncher(None, logs).launch(spec)

    def choose(question: Question) -> Any:
        if method == "think":
            time.sleep(OPPONENT_SECONDS)
        return question.legal[-1]

    lag = LagMeter()
    began = time.monotonic()
    made = plan(
        "attacker",
        "good",
        control=CONTROLS.get(method, GENEROUS),
        policy=Policy(ponder=policy == "ponder"),
    )
    try:
        result = await Match(made, [bot.player(), InProcessPlayer(choose)], lag).play()
    finally:
        await bot.close()
        lag.stop()
    seconds = time.monotonic() - began
    left = processes_with(mark)
    for pid in left:
        os.kill(pid, 9)
    log = logs / f"{spec.name}.stderr.log"
    return {
        "ending": result.ending,
        "forfeits": list(result.forfeits),
        "causes": [cause.as_dict() for cause in result.causes],
        "decisions": verify_record(result.record).decisions,
        "killed": bot.killed,
        "strikes": dict(result.strikes),
        "left": len(left),
        "log_bytes": log.stat().st_size if log.exists() else 0,
        "reports": reports(log),
        "seconds": seconds,
        "head": json.loads(result.record.splitlines()[0])["seats"][0].get("sandbox"),
    }


async def main(folder: Path, kind: SandboxKind, attacks: Sequence[str]) -> None:
    """Play all matches."""
    (folder / "logs").mkdir(exist_ok=True)
    temporary = folder / "tmp"
    temporary.mkdir(exist_ok=True)
    competition = folder / "competition"
    competition.mkdir()
    secret = competition / "secret"
    secret.write_text("the secret of the competition")
    mark = os.environ["ARENA_MARK"]
    listening, unix, abstract = socket.socket(), *(socket.socket(socket.AF_UNIX) for _ in range(2))
    listening.bind(("127.0.0.1", 0))
    unix.bind(str(folder / "socket"))
    abstract.bind("\0" + mark)
    for each in (listening, unix, abstract):
        each.listen(64)
    victim = subprocess.Popen(["/bin/sleep", "600"])  # noqa: ASYNC220  before the matches
    known = {
        "folder": str(competition),
        "secret": str(secret),
        "socket": str(folder / "socket"),
        "port": listening.getsockname()[1],
        "victim": victim.pid,
        "tmp": str(temporary),
        "mark": mark,
        "foreign": str(folder / "foreign"),
    }
    try:
        for name in attacks:
            outcome = await attack(name, kind, known, folder)
            outcome["victim_lives"] = victim.poll() is None
            print(json.dumps({name: outcome}), flush=True)  # noqa: T201  for the test
    finally:
        victim.kill()
        victim.wait()


if __name__ == "__main__":
    run_async(main(Path(sys.argv[1]), SandboxKind(sys.argv[2]), sys.argv[3:]))
