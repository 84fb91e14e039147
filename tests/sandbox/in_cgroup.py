"""Tries the control groups of this machine, and prints what became of it as JSON.

``python -m tests.sandbox.in_cgroup USER``: runs in the guest of ``tests.sandbox.guest``, as root
and as an ordinary user whose group is delegated. ``test_cgroup.py`` says what has to come of it.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from referee.model import BotCommand, SandboxKind, SandboxLimits, SandboxSettings
from referee.runtime import run_async
from referee.sandbox import SANDBOXES, sandboxed, start_bot
from referee.sandbox.cgroup import Cgroup, has_limits, make_cgroup
from tests.sandbox.guest import PREFIX
from tests.waiting import until, wait_until

MIB = 1 << 20
LIMITS = SandboxLimits(memory_bytes=64 * MIB, processes=8)
WORKER = "import sys; from referee.sandbox.cgroup import has_limits; input(); print(has_limits())"
SPIN = "while True: pass"
FOUR_BLOCKS = (
    "import os, time\n"
    "for _ in range(4):\n"
    "    if os.fork() == 0: block = b'x' * (24 << 20); time.sleep(600)\n"
    "time.sleep(600)"
)


class Output:
    """Ignores the output of a bot."""

    def on_output(self, data: bytes) -> None:
        """Do nothing."""

    def on_output_closed(self) -> None:
        """Do nothing."""


def in_group(work: Callable[[], None]) -> tuple[Cgroup, Path, int]:
    """Do something in a child process that is alone in a new group; return its wait status."""
    group = make_cgroup(LIMITS)
    if group is None:
        raise SystemExit("no control group can be made")
    gate, open_gate = os.pipe()
    child = os.fork()
    if child == 0:
        os.read(gate, 1)
        work()
        os._exit(0)
    group.add(child)
    path = Path("/sys/fs/cgroup") / Path(f"/proc/{child}/cgroup").read_text().strip()[4:]
    os.write(open_gate, b"\n")
    return group, path, os.waitpid(child, 0)[1]


def allocate_in_children() -> None:
    """Use more memory than the group has, in processes that each use less."""
    for _ in range(4):
        if os.fork() == 0:
            block = b"x" * (24 * MIB)
            time.sleep(600)
            del block
    time.sleep(600)


def fork_until_refused() -> None:
    """Start processes until the kernel refuses one, and exit with their number."""
    made = 0
    try:
        while made < 100:
            if os.fork() == 0:
                time.sleep(600)
            made += 1
    except BlockingIOError:
        os._exit(made)
    os._exit(255)


def spin_in_children() -> None:
    """Use 0.4 s of CPU in two processes without waiting for them, and end after them."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for _ in range(2):
        if os.fork() == 0:
            while time.process_time() < 0.2:
                pass
            os._exit(0)
    try:
        os.wait()
    except ChildProcessError:  # all have ended
        os._exit(0)


def events(path: Path, kind: str) -> dict[str, int]:
    """Return the counters of a controller."""
    lines = (path / f"{kind}.events").read_text().splitlines()
    return {name: int(value) for name, value in map(str.split, lines)}


def populated(path: Path) -> bool:
    """Return whether a process runs in a group."""
    return "populated 1" in (path / "cgroup.events").read_text()


def memory() -> dict[str, Any]:
    """Exceed the limit of memory without any watcher."""
    group, path, status = in_group(allocate_in_children)
    wait_until(lambda: not populated(path))
    found = {
        "ended_by": os.WTERMSIG(status),
        "oom_kill": events(path, "memory")["oom_kill"],
        "peak": int((path / "memory.peak").read_text()),
        "out_of_memory": group.out_of_memory(),
    }
    group.remove()
    return found


def processes() -> dict[str, Any]:
    """Exceed the limit of processes, where no resource limit bounds them."""
    group, path, status = in_group(fork_until_refused)
    refused = events(path, "pids")["max"]
    (path / "cgroup.kill").write_text("1")
    wait_until(lambda: not populated(path))
    group.remove()
    rlimit = resource.getrlimit(resource.RLIMIT_NPROC)[0]
    return {"children": os.WEXITSTATUS(status), "refused": refused, "rlimit": rlimit}


def cpu() -> dict[str, Any]:
    """Charge the time of ended processes whose parent did not wait for them."""
    group, path, _ = in_group(spin_in_children)
    seconds = group.cpu_seconds()
    group.remove()
    return {"seconds": seconds, "removed": not path.exists()}


def in_python(program: str) -> BotCommand:
    """Return a program of Python as a bot in the sandbox."""
    plain = BotCommand(("/usr/bin/python3", "-c", program), sandbox=SandboxSettings(limits=LIMITS))
    return sandboxed(plain, SandboxKind.BUBBLEWRAP)


async def bot_with_too_much_memory() -> dict[str, Any]:
    """Start a bot whose processes together use too much."""
    bot = await start_bot(in_python(FOUR_BLOCKS), Output(), None)
    await bot.wait()
    note = bot.exit_note()
    await bot.end(grace=0)
    return {"note": note, "enforced_by": bot.description["enforced_by"]}


async def bot_that_is_frozen() -> dict[str, Any]:
    """Freeze a bot that never rests, let it go on, and end it."""
    bot = await start_bot(in_python(SPIN), Output(), None)
    await until(lambda: bot.cpu_seconds() > 0.1)
    bot.freeze()
    await asyncio.sleep(0.2)  # a signal is on its way
    frozen = bot.cpu_seconds()
    await asyncio.sleep(0.5)
    still = bot.cpu_seconds()
    bot.resume()
    await until(lambda: bot.cpu_seconds() > still + 0.1)
    await bot.end(grace=0)
    return {"while_frozen": still - frozen}


def match(folder: Path) -> dict[str, Any]:
    """Play on the command line, and return what it prints and what the record states."""
    command = "from tournaments.cli import main; main()"
    played = subprocess.run(
        [sys.executable, "-c", command, "play", "--sandbox", "bubblewrap", "--clock", "cpu",
         "--start-up", "120", "--per-move", "60", "greedy", "random", "--out", str(folder)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    heads = [json.loads(file.open().readline()) for file in folder.glob("*.jsonl")]
    seats = [seat["sandbox"]["enforced_by"] for head in heads for seat in head["seats"]]
    return {"said": played.stderr, "code": played.returncode, "enforced_by": seats}


def groups_left() -> list[str]:
    """Return the groups of bots that are still there."""
    return [str(path) for path in Path("/sys/fs/cgroup").rglob("bot-*")]


def main(user: str) -> None:
    """Try everything."""
    # A process that the referee started before it made its first group.
    worker = subprocess.Popen(
        [sys.executable, "-c", WORKER], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    found: dict[str, Any] = {
        "has_limits": has_limits(),
        "describe": SANDBOXES[SandboxKind.BUBBLEWRAP].describe(),
        "worker": worker.communicate("\n")[0].strip(),
        "cpu": cpu(),
        "frozen": run_async(bot_that_is_frozen()),
        "bot": run_async(bot_with_too_much_memory()),
        "memory": memory(),
        "processes": processes(),
    }
    with tempfile.TemporaryDirectory() as folder:
        found["match"] = match(Path(folder) / "out")
    found["left"] = groups_left()
    print(f"\n{PREFIX}{json.dumps({user: found})}", flush=True)  # noqa: T201  for the test


if __name__ == "__main__":
    main(sys.argv[1])
