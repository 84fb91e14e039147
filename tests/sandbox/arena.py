"""Lets the attacker play against a good player or build, and prints what became of it as JSON.

``python -m tests.sandbox.arena FOLDER PLACE ATTACK...``: a process of its own, because the tests
run it as root and as an ordinary user. The places are ``bubblewrap`` and ``none``, where the
attacker is a command with and without a sandbox; ``package``, where it is the bot of a package; and
``build``, where it is the build command of one.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import resource
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
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
from tournaments.submissions import PackageCache, PackageError, bot_command, pack
from tournaments.submissions import build as builds

BOT = Path(__file__).parent / "bots" / "attacker.py"
PYTHON = "/usr/bin/python3"
LIMITS = SandboxLimits(
    memory_bytes=256 << 20,
    processes=32,
    temporary_bytes=16 << 20,
    temporary_files=256,
    log_bytes=64 << 10,
)
LAUNCHERS = {"bwrap", "setpriv", "prlimit"}
GENEROUS = TimeControl(per_move=timedelta(seconds=60), start_up=timedelta(seconds=60))
BRIEF = TimeControl(per_move=timedelta(seconds=2), start_up=timedelta(seconds=30))
CONTROLS = {
    "stop_itself": BRIEF,
    "standard_output": TimeControl(per_move=timedelta(seconds=2), start_up=timedelta(seconds=3)),
    "cpu": TimeControl(
        per_move=timedelta(seconds=5), start_up=timedelta(seconds=5), clock=ClockKind.CPU
    ),
}
OPPONENT_SECONDS = 0.2
"""How long the opponent of the bot that thinks on its time takes for a decision."""
OPPONENT_THINKS = 12
"""For how many of its decisions it does so, the first ones."""


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


def programs_with(mark: str) -> list[int]:
    """Return those that are programs of a package, and none that makes a sandbox for one.

    When a server is killed while ``bwrap`` makes a sandbox, a process of ``bwrap`` may be left that
    waits for its parent for ever: it does so before it asks to be ended with the parent. It has
    started nothing.
    """
    found = []
    for process in processes_with(mark):
        with contextlib.suppress(OSError):
            if Path(f"/proc/{process}/comm").read_text().strip() not in LAUNCHERS:
                found.append(process)
    return found


def reports(log: Path) -> list[Any]:
    """Return what the attacker reports on standard error."""
    lines = log.read_text(errors="replace").splitlines() if log.exists() else []
    return [json.loads(line)["report"] for line in lines if line.startswith('{"report"')]


def as_command(
    words: Sequence[str], place: str, known: Mapping[str, Any], folder: Path
) -> BotCommand:
    """Return the attacker as a command, in the sandbox or without one."""
    arguments = (PYTHON, str(BOT), *words)
    if place == "none":
        return BotCommand(arguments, folder, environment={"TMPDIR": known["tmp"]})
    foreign = Path(known["foreign"])
    mounts = (Mount(foreign, foreign),) if foreign.exists() else ()
    settings = SandboxSettings(mounts=mounts, limits=LIMITS)
    return sandboxed(BotCommand(arguments, folder, sandbox=settings), SandboxKind.BUBBLEWRAP)


def packed(folder: Path, words: Sequence[str], stage: str) -> bytes:
    """Return a package that attacks when it is built, or when it runs."""
    package = Path(tempfile.mkdtemp(dir=folder))
    shutil.copy(BOT, package)
    if (folder / "foreign").exists():
        shutil.copy(folder / "foreign", package)
    lines = {each: json.dumps(["python3", BOT.name]) for each in ("build", "run")}
    lines["build"] = json.dumps(["true"])
    lines[stage] = json.dumps(["python3", BOT.name, *words])
    (package / "bot.toml").write_text(
        f'[bot]\nname = "attacker"\ngames = ["glastonbury"]\n[build]\ncommand = {lines["build"]}\n'
        f'[run]\ncommand = {lines["run"]}\nruntime = "python"\n'
    )
    return pack(package)


async def as_package(words: Sequence[str], folder: Path) -> BotCommand:
    """Return the attacker as the bot of a package that was built."""
    cache = PackageCache(folder / "cache")
    async with cache.unpacked(packed(folder, words, "run")) as package:
        await package.build(folder / "logs" / "build.log")
    command = bot_command(package.manifest, package.built, cache.runtimes)
    return replace(command, sandbox=replace(command.sandbox, limits=LIMITS))


def words_of(name: str, known: Mapping[str, Any], place: str) -> tuple[str, str, str]:
    """Return the arguments of the attacker: the attack, what it knows, and a mark."""
    mark = f"attack-{secrets.token_hex(8)}"
    foreign = "/package/foreign" if place in ("package", "build") else known["foreign"]
    return name, json.dumps({**known, "foreign": foreign, "name": mark}), mark


async def attack_in_build(name: str, known: dict[str, Any], folder: Path) -> Any:
    """Build a package whose build command is an attack, and return its outcome.

    A build has the limits of the bots here, so that the same attacks exceed them.
    """
    builds.BUILT = replace(builds.BUILT, unpacked=128 << 20)  # type: ignore[misc]
    builds.BUILD_LIMITS = LIMITS  # type: ignore[misc]
    builds.BUILD_SECONDS = 3.0 if name == "stop_itself" else 60.0  # type: ignore[misc]
    words = (*words_of(name, known, "build"), "build")
    cache = PackageCache(folder / "cache")
    log = folder / "logs" / f"{name}-build.log"
    failure = ""
    async with cache.unpacked(packed(folder, words, "build")) as package:
        try:
            await package.build(log)
        except PackageError as error:
            failure = str(error)
    return {
        "failure": failure,
        "made": package.built.exists(),
        "left": ended(words[2]),
        "log_bytes": log.stat().st_size,
        "reports": reports(log),
    }


def peak_memory() -> int:
    """Return the most memory that this process, the referee, has used so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def disk_bytes(folder: Path) -> int:
    """Return what the files of the referee take on the disk."""
    return sum(path.lstat().st_blocks * 512 for path in folder.rglob("*"))


def ended(mark: str) -> int:
    """End the processes that an attack has left, and return how many there were."""
    left = processes_with(mark)
    for pid in left:
        os.kill(pid, 9)
    return len(left)


async def attack(name: str, place: str, known: dict[str, Any], folder: Path) -> Any:
    """Play one match against an attack, and return its outcome."""
    method, _, policy = name.partition("+")
    words = words_of(method, known, place)
    if place == "package":
        command = await as_package(words, folder)
    else:
        command = as_command(words, place, known, folder)
    logs = folder / "logs"
    spec = BotSpec(f"{name}-{place}", Transport.PIPE, command)
    bot = await BotLauncher(None, logs).launch(spec)

    asked = itertools.count()

    def choose(question: Question) -> Any:
        if method == "think" and next(asked) < OPPONENT_THINKS:
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
    left = ended(words[2])
    log = logs / f"{spec.name}.stderr.log"
    return {
        "ending": result.ending,
        "forfeits": list(result.forfeits),
        "causes": [cause.as_dict() for cause in result.causes],
        "decisions": verify_record(result.record).decisions,
        "killed": bot.killed,
        "strikes": dict(result.strikes),
        "left": left,
        "log_bytes": log.stat().st_size if log.exists() else 0,
        "reports": reports(log),
        "seconds": seconds,
        "head": json.loads(result.record.splitlines()[0])["seats"][0].get("sandbox"),
    }


async def main(folder: Path, place: str, attacks: Sequence[str]) -> None:
    """Try all attacks."""
    (folder / "logs").mkdir(exist_ok=True)
    temporary = folder / "tmp"
    temporary.mkdir(exist_ok=True)
    competition = folder / "competition"
    competition.mkdir()
    files = {name: competition / name for name in ("secret", "tokens", "league.db", "package")}
    for name, path in files.items():
        path.write_text(f"the {name} of the competition")
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
        "files": {name: str(path) for name, path in files.items()},
        "socket": str(folder / "socket"),
        "port": listening.getsockname()[1],
        "victim": victim.pid,
        "tmp": str(temporary),
        "mark": mark,
        "foreign": str(folder / "foreign"),
    }
    memory_before = peak_memory()
    try:
        for name in attacks:
            disk_before = disk_bytes(folder)
            if place == "build":
                outcome = await attack_in_build(name, known, folder)
            else:
                outcome = await attack(name, place, known, folder)
            outcome["victim_lives"] = victim.poll() is None
            outcome["memory_bytes"] = peak_memory() - memory_before
            outcome["disk_bytes"] = disk_bytes(folder) - disk_before
            print(json.dumps({name: outcome}), flush=True)  # noqa: T201  for the test
    finally:
        victim.kill()
        victim.wait()


if __name__ == "__main__":
    run_async(main(Path(sys.argv[1]), sys.argv[2], sys.argv[3:]))
