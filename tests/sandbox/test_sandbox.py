"""The sandbox itself: start, files, freezing, CPU time, limits, end."""

from __future__ import annotations

import asyncio
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.model.bot import BotCommand
from referee.model.sandbox import SandboxKind, SandboxLimits, SandboxSettings
from referee.runtime.event_loop import run_async
from referee.sandbox import BotProcess, RunningBot, start_bot
from referee.sandbox.bubblewrap import Bubblewrap
from referee.sandbox.cgroup import Cgroup
from referee.sandbox.errors import BotStartError, SandboxUnavailableError
from referee.sandbox.files import sandboxed
from referee.sandbox.usage import descendants
from tests.sandbox.arena import PYTHON, processes_with
from tests.waiting import until
from tournaments.config.toml_reader import SettingsFileError
from tournaments.config.tournament_file import parse_tournament

HIGHSTREET = str(Path(sys.executable).parent / "highstreet")
SPIN = "import time\nwhile True: time.process_time()"


class Output:
    """Keeps the output of a bot."""

    def __init__(self) -> None:
        self.data = b""

    def on_output(self, data: bytes) -> None:
        """Append it."""
        self.data += data

    def on_output_closed(self) -> None:
        """Do nothing."""


@pytest.fixture
def folder() -> Iterator[Path]:
    """Return a folder that other users can enter."""
    path = Path(tempfile.mkdtemp(prefix="sandbox-"))
    path.chmod(0o755)
    yield path
    shutil.rmtree(path)


def with_bot(
    command: BotCommand,
    work: Callable[[RunningBot, Output], Awaitable[Any]],
    log: Path | None = None,
) -> Any:
    """Start a bot in the sandbox, do something with it, and end it."""

    async def story() -> Any:
        output = Output()
        bot = await start_bot(command, output, log)
        try:
            return await work(bot, output)
        finally:
            await bot.end(grace=0)

    return run_async(story())


def in_python(program: str, *arguments: str, **settings: Any) -> BotCommand:
    plain = BotCommand(
        (PYTHON, "-u", "-c", program, *arguments), sandbox=SandboxSettings(**settings)
    )
    return sandboxed(plain, SandboxKind.BUBBLEWRAP)


async def last_line(bot: RunningBot, output: Output) -> Any:
    await bot.wait()
    await until(lambda: output.data.endswith(b"\n"))
    return json.loads(output.data)


LIST = "import json, os, sys; print(json.dumps({p: os.path.exists(p) for p in sys.argv[1:]}))"


def test_a_bot_sees_the_files_that_its_command_names_and_no_others(folder: Path) -> None:
    own, other = folder / "own.py", folder / "other.py"
    own.write_text(LIST)
    other.write_text("")
    boxed = sandboxed(BotCommand((PYTHON, "own.py"), folder), SandboxKind.BUBBLEWRAP)
    paths = {str(own): True, "/usr/bin": True, "/etc/passwd": False, str(other): False}
    asked = BotCommand((*boxed.arguments, *paths), folder, sandbox=boxed.sandbox)
    assert with_bot(asked, last_line) == paths


def test_a_bot_sees_all_of_its_folder_if_one_is_given(folder: Path) -> None:
    (folder / "main.py").write_text("import helper")
    (folder / "helper.py").write_text("print('[1]')")
    command = sandboxed(
        BotCommand((PYTHON, "main.py"), folder), SandboxKind.BUBBLEWRAP, folder=True
    )
    assert with_bot(command, last_line) == [1]


@pytest.mark.skipif(os.geteuid() != 0, reason="root alone has folders that it cannot enter later")
def test_root_gives_a_bot_files_of_a_folder_that_only_root_can_enter(folder: Path) -> None:
    own = folder / "closed" / "deep" / "own.py"
    own.parent.mkdir(parents=True)
    own.write_text("print('[2]')")
    (folder / "closed").chmod(0o700)
    command = sandboxed(BotCommand((PYTHON, str(own)), folder), SandboxKind.BUBBLEWRAP)
    assert with_bot(command, last_line) == [2]


def test_a_frozen_bot_uses_no_cpu_time_and_goes_on() -> None:
    async def work(bot: RunningBot, _output: Output) -> tuple[float, float, float]:
        await until(lambda: bot.cpu_seconds() > 0.05)
        bot.freeze()
        await asyncio.sleep(0.05)  # a signal is on its way
        frozen = bot.cpu_seconds()
        await asyncio.sleep(0.3)
        still = bot.cpu_seconds()
        bot.resume()
        await until(lambda: bot.cpu_seconds() > still + 0.05)
        return frozen, still, bot.cpu_seconds()

    frozen, still, later = with_bot(in_python(SPIN), work)
    assert still == pytest.approx(frozen, abs=0.011)  # a tick, without a control group
    assert later > still


WAKE = (
    "import os, signal\n"
    "signal.signal(signal.SIGCONT, lambda *_: None)\n"
    "os.fork()\n"
    "while True:\n"
    "    try: os.kill(0, signal.SIGCONT)\n"
    "    except PermissionError: pass\n"
)
"""Two processes that wake each other whenever they run."""
VFORK = (
    "import ctypes, threading, time\n"
    "def spin():\n"
    "    while True: time.process_time()\n"
    "threading.Thread(target=spin).start()\n"
    "if ctypes.PyDLL(None).vfork() == 0: time.sleep(600)\n"
)
"""A process whose first thread waits for a child, so that a signal does not reach the other one."""


@pytest.mark.parametrize("program", [WAKE, VFORK], ids=["wake", "vfork"])
def test_a_bot_that_is_frozen_cannot_run_on(program: str) -> None:
    async def rest(bot: RunningBot) -> None:
        """Return when a frozen bot has used no CPU time for a moment."""
        async with asyncio.timeout(20):
            used = -1.0
            while (now := bot.cpu_seconds()) != used:
                used = now
                await asyncio.sleep(0.15)

    async def work(bot: RunningBot, _output: Output) -> None:
        for _ in range(5):
            before = bot.cpu_seconds()
            await until(lambda before=before: bot.cpu_seconds() > before + 0.05)  # type: ignore[misc]
            bot.freeze()
            await rest(bot)
            bot.resume()

    with_bot(in_python(program), work)


def test_a_bot_that_is_frozen_at_any_moment_of_its_start_does_not_run() -> None:
    """The moments before, while and after bwrap makes the process group and forks."""
    program = "import time; time.sleep(0.05); print('here'); time.sleep(600)"

    async def frozen_after(seconds: float) -> bytes:
        output = Output()
        bot = await start_bot(in_python(program), output, None)
        try:
            end = time.perf_counter() + seconds
            while time.perf_counter() < end:
                pass  # a sleep is not exact enough
            bot.freeze()
            await asyncio.sleep(0.15)
            before = output.data
            bot.resume()
            await until(lambda: output.data == b"here\n")
            return before
        finally:
            await bot.end(grace=0)

    async def story() -> list[bytes]:
        return [await frozen_after(number % 25 * 20e-6) for number in range(50)]

    assert run_async(story()) == [b""] * 50


def status(pid: int) -> dict[str, str]:
    """Return what the kernel says of a process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


@pytest.mark.parametrize("mode", [0o755, 0o700] if os.geteuid() == 0 else [0o755])
def test_stopping_and_starting_a_bot_wakes_no_process_outside(folder: Path, mode: int) -> None:
    """The process of bwrap outside is stopped, also if root has to open a closed folder before."""
    own = folder / "own" / "own.py"
    own.parent.mkdir()
    own.write_text("import time; print('here', flush=True); time.sleep(600)")
    own.parent.chmod(mode)

    async def work(bot: RunningBot, output: Output) -> None:
        assert isinstance(bot, BotProcess)
        await until(lambda: output.data == b"here\n")
        bot.freeze()
        bot.resume()
        known = {pid: status(pid) for pid in (bot.pid, *descendants(bot.pid))}
        inside = [each for each in known.values() if len(each["NSpid"].split()) > 1]
        assert len(inside) == 2, "init and the bot"
        parents = known.keys() & {int(each["PPid"]) for each in inside}
        (monitor,) = (pid for pid in parents if known[pid] not in inside)
        await until(lambda: status(monitor)["State"].startswith("T"))

    command = sandboxed(BotCommand((PYTHON, str(own)), folder), SandboxKind.BUBBLEWRAP)
    with_bot(command, work)


@pytest.mark.parametrize("limiter", ["", "without a control group"])
@pytest.mark.parametrize("generations", [1, 2])
def test_cpu_time_of_children_that_have_ended_is_charged(
    monkeypatch: pytest.MonkeyPatch, limiter: str, generations: int
) -> None:
    """With two generations the process that uses the time is an orphan."""
    program = (
        "import os, sys, time\n"
        "read, write = os.pipe()\n"
        "if os.fork() == 0:\n"
        f"    if {generations} == 2 and os.fork(): os._exit(0)\n"
        "    while time.process_time() < 0.3: pass\n"
        "    os._exit(0)\n"
        "os.wait(); os.close(write); os.read(read, 1)\n"
        "print('done'); time.sleep(600)"
    )
    if limiter:
        monkeypatch.setattr("referee.sandbox.bubblewrap.make_cgroup", lambda _: None)

    async def work(bot: RunningBot, output: Output) -> float:
        await until(lambda: output.data == b"done\n")
        async with asyncio.timeout(20):  # the end of an orphan is seen a moment later
            while bot.cpu_seconds() < 0.29:
                await asyncio.sleep(0.01)
        await asyncio.sleep(0.05)
        return bot.cpu_seconds()

    assert 0.29 < with_bot(in_python(program), work) < 0.6


def test_ending_a_bot_ends_all_that_it_started() -> None:
    mark = f"mark-{os.getpid()}"
    program = "import os, time; os.fork(); os.fork(); print('up'); time.sleep(600)"

    async def work(_bot: RunningBot, output: Output) -> int:
        await until(lambda: output.data.count(b"up") == 4)
        return len(processes_with(mark))

    assert with_bot(in_python(program, mark), work) >= 4
    assert processes_with(mark) == []


TAKE_MEMORY = {
    "in many processes": (
        "for _ in range(4):\n    if os.fork() == 0: block = os.urandom(40 << 20); time.sleep(600)\n"
    ),
    "shared, and out of its page tables": (
        "kept = []\n"
        "for _ in range(16):\n"
        "    kept.append(mmap.mmap(-1, 8 << 20))\n"
        "    kept[-1].write(bytes(8 << 20)); kept[-1].madvise(mmap.MADV_DONTNEED)\n"
    ),
    "shared, and unmapped but in a child": (
        "for _ in range(8):\n"
        "    shared = mmap.mmap(-1, 15 << 20)\n"
        "    if os.fork() == 0: time.sleep(600)\n"
        "    shared.write(bytes(15 << 20)); shared.close()\n"
    ),
    "page tables": (
        "flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS\n"
        "far = mmap.mmap(-1, 1 << 40, flags=flags, prot=mmap.PROT_READ)\n"
        "for page in range(60_000): far[page << 21]\n"
    ),
    "in processes whose first thread has ended": (
        "def take(): block = os.urandom(40 << 20); time.sleep(600)\n"
        "os.fork(); os.fork()\n"
        "threading.Thread(target=take).start()\n"
        "ctypes.CDLL(None).syscall(60, 0)\n"
    ),
}
"""Programs that take more than 100 MiB and stay."""


@pytest.mark.parametrize("name", TAKE_MEMORY)
def test_more_memory_than_allowed_is_named(name: str) -> None:
    if name.endswith("ended") and platform.machine() != "x86_64":
        pytest.skip("the number of a system call of x86")
    program = f"import ctypes, mmap, os, threading, time\n{TAKE_MEMORY[name]}time.sleep(600)"

    async def work(bot: RunningBot, _output: Output) -> str:
        async with asyncio.timeout(60):
            await bot.wait()
        return bot.exit_note()

    limits = SandboxLimits(memory_bytes=100 << 20)
    expected = "the sandbox ended it because it used more than 100 MiB of memory"
    assert with_bot(in_python(program, limits=limits), work) == expected


def test_shared_memory_is_for_small_mappings_only() -> None:
    program = (
        "import json, mmap\n"
        "def tried(file, size):\n"
        "    try: return len(mmap.mmap(file, size))\n"
        "    except OSError: return 0\n"
        "zeros = open('/dev/zero', 'r+b', buffering=0)\n"
        "sizes = [tried(-1, 16 << 20), tried(-1, (16 << 20) + 1), tried(zeros.fileno(), 4096)]\n"
        "print(json.dumps([*sizes, zeros.read(3).hex()]))\n"
    )
    assert with_bot(in_python(program), last_line) == [16 << 20, 0, 0, "000000"]


def test_a_program_that_is_missing_ends_at_once_and_the_log_says_why(folder: Path) -> None:
    async def work(bot: RunningBot, _output: Output) -> str:
        await bot.wait()
        return bot.exit_note()

    command = sandboxed(BotCommand(("/nowhere/bot",), folder), SandboxKind.BUBBLEWRAP)
    log = folder / "log"
    assert "exit code 1" in with_bot(command, work, log)
    assert "/nowhere/bot" in log.read_text()


def test_a_sandbox_that_cannot_be_set_up_is_a_start_error() -> None:
    command = BotCommand((PYTHON,), Path("/proc/nowhere"))
    boxed = sandboxed(command, SandboxKind.BUBBLEWRAP)

    async def nothing(bot: RunningBot, _output: Output) -> str:
        await bot.wait()
        return bot.exit_note()

    try:
        assert "exit code 1" in with_bot(boxed, nothing)
    except BotStartError as error:
        assert "/proc/nowhere" in str(error)  # noqa: PT017  either is in time


def test_without_bwrap_no_bot_is_started(monkeypatch: pytest.MonkeyPatch, folder: Path) -> None:
    monkeypatch.setenv("PATH", str(folder))
    with pytest.raises(SandboxUnavailableError, match="apt install bubblewrap"):
        Bubblewrap().check()
    played = subprocess.run(
        [HIGHSTREET, "play", "--sandbox", "bubblewrap", "random", "random"],
        env={"PATH": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert played.returncode == 2
    assert "apt install bubblewrap" in played.stderr


@pytest.mark.parametrize("transport", ["pipe", "grpc"])
def test_a_match_on_the_command_line(folder: Path, transport: str) -> None:
    played = subprocess.run(
        [HIGHSTREET, "play", "--sandbox", "bubblewrap", "--clock", "cpu", "greedy", "random",
         "--transport", transport, "--out", str(folder / "out")],
        cwd=folder, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert played.returncode == 0, played.stderr
    assert "sandbox: bubblewrap; memory and processes are limited by" in played.stderr
    verified = subprocess.run([HIGHSTREET, "verify", str(folder / "out")], check=False)
    assert verified.returncode == 0


def test_a_tournament_in_the_sandbox_with_the_cpu_clock(folder: Path) -> None:
    file = folder / "cup.toml"
    file.write_text(
        'name = "cup"\ntable_sizes = [2]\n[time_control]\nclock = "cpu"\n'
        + "".join(
            f'[[entrants]]\nname = "{name}"\nbot = "{name}"\nsandbox = "bubblewrap"\n'
            f'transport = "{transport}"\n'
            for name, transport in (("random", "pipe"), ("greedy", "grpc"))
        )
    )
    played = subprocess.run(
        [HIGHSTREET, "tournament", "run", str(file)], capture_output=True, text=True, check=False
    )
    assert played.returncode == 0, played.stderr
    said = played.stdout + played.stderr
    assert said.count("sandbox: bubblewrap; memory and processes are limited by") == 1
    verified = subprocess.run(
        [HIGHSTREET, "tournament", "verify", str(folder / "cup")], check=False
    )
    assert verified.returncode == 0


def test_a_tournament_file_with_the_cpu_clock_needs_a_sandbox_for_every_entrant() -> None:
    text = (
        'name = "cup"\n[time_control]\nclock = "cpu"\n[[entrants]]\nname = "a"\nbot = "random"\n'
        '[[entrants]]\nname = "b"\nbot = "greedy"\nsandbox = "bubblewrap"\n'
    )
    with pytest.raises(SettingsFileError) as error:
        parse_tournament(text, "cup.toml", None)
    assert '"a" is in no sandbox' in str(error.value)
    assert '"b"' not in str(error.value)


def test_a_control_group_is_given_the_limits(folder: Path) -> None:
    """The kernel makes the files of a group; here a folder stands for it."""
    path = folder / "group"

    class Made(Cgroup):
        def __init__(self) -> None:
            super().__init__(path, SandboxLimits(memory_bytes=7 << 20, processes=5))

    original = Path.mkdir

    def mkdir(self: Path, *arguments: Any, **more: Any) -> None:
        original(self, *arguments, **more)
        if self == path:
            (path / "cpu.stat").write_text("usage_usec 1500000\nuser_usec 1\n")
            (path / "memory.events").write_text("low 0\noom 1\noom_kill 2\n")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "mkdir", mkdir)
        group = Made()
    assert (path / "memory.max").read_text() == str(7 << 20)
    assert (path / "pids.max").read_text() == "6"
    assert group.cpu_seconds() == 1.5
    assert group.out_of_memory()
    assert group.limited


def test_a_command_for_a_sandbox_is_never_started_without_one(tmp_path: Path) -> None:
    """Whichever part of the program starts it, such as the check of a bot over gRPC."""
    command = sandboxed(
        BotCommand(("touch", str(tmp_path / "made")), tmp_path), SandboxKind.BUBBLEWRAP
    )

    async def start() -> None:
        with pytest.raises(BotStartError, match="has to run in a sandbox"):
            await BotProcess.start(command, stderr=None)

    run_async(start())
    assert list(tmp_path.iterdir()) == []
