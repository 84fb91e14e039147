"""Bots in namespaces of Linux, set up by ``bwrap``: no files, network or processes but their own.

docs/guides/sandbox.md says what this guards against, and by what.

The start has three steps. ``bwrap`` sets up the sandbox, writes the process id of its init process
to a pipe, and waits for another one. The referee sets the limits of that process and puts it into a
control group, if it can. Then ``bwrap`` makes the process group and the process that executes the
bot, with the seccomp filter. When that process exists, a signal to the group reaches all of them,
and the start is over.

All processes of a bot are in one process group that they cannot leave, so one signal freezes them.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import resource
import secrets
import shutil
import signal
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, Self

from referee.model import BotCommand, SandboxKind, SandboxLimits
from referee.runtime import default_scheduling
from referee.sandbox.cgroup import has_limits, make_cgroup
from referee.sandbox.errors import BotStartError, SandboxUnavailableError
from referee.sandbox.files import mounts_of, staging
from referee.sandbox.interface import OutputHandler, RunningBot
from referee.sandbox.process import BotProcess, LogFile, Streams, open_log, start_error
from referee.sandbox.seccomp import program
from referee.sandbox.usage import (
    LARGEST_SHARED,
    Usage,
    descendants,
    folder_usage,
    memory_bytes,
    parent,
    process_cpu_seconds,
    process_state,
    shared_mappings,
    stop_thread,
    threads,
)
from referee.sandbox.watcher import watcher

ENVIRONMENT: Final = {
    "HOME": "/tmp",  # noqa: S108  its own
    "LANG": "C.UTF-8",
    "PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "TMPDIR": "/tmp",  # noqa: S108
}
"""The environment of every bot; its runtime and its command add to it."""
FIRST_UID: Final = 1 << 30
UIDS: Final = 1 << 20
"""As root each sandbox has a random user of this range, which owns nothing."""
START_SECONDS: Final = 30.0
END_SECONDS: Final = 5.0
"""How long the kernel may take to end everything in a sandbox."""
CHECK_CPU_SECONDS: Final = 0.01
"""The least CPU time of a bot between two checks of its limits: in less it fills little memory."""
START_POLL_SECONDS: Final = 0.001
"""How far apart ``bwrap`` is checked for having made the process of the bot: there is no event."""


class Bubblewrap:
    """The sandbox of ``bwrap``."""

    def check(self) -> None:
        """Raise SandboxUnavailableError if ``bwrap`` or the seccomp library is missing."""
        if shutil.which("bwrap") is None:
            raise SandboxUnavailableError(
                "the sandbox needs the program bwrap, which is not here: install it with "
                "`apt install bubblewrap` or `dnf install bubblewrap`. A bot that has to run in a "
                "sandbox is never started without one."
            )
        if os.geteuid() == 0 and None in (shutil.which("setpriv"), shutil.which("prlimit")):
            raise SandboxUnavailableError(
                "as root the sandbox needs the programs setpriv and prlimit: install them with "
                "`apt install util-linux`."
            )
        program()

    def describe(self) -> str:
        """Return what enforces the limits of memory and processes on this machine."""
        by = "a control group" if has_limits() else "a watcher and resource limits"
        return f"bubblewrap; memory and processes are limited by {by}"

    async def start(
        self, command: BotCommand, output: OutputHandler | None, stderr: Path | None
    ) -> RunningBot:
        """Start a bot; raises BotStartError and SandboxUnavailableError."""
        pipe, same = asyncio.subprocess.PIPE, asyncio.subprocess.STDOUT
        await asyncio.to_thread(self.check)
        log = LogFile(open_log(stderr) if stderr else None, command.sandbox.limits.log_bytes)
        with _Descriptors() as ours:
            info, info_end = ours.pipe()
            gate, gate_end = ours.pipe()
            rules = ours.file(program())
            # The init process of the sandbox shows its arguments and its environment to the bot.
            options = ours.file("\0".join(_sandbox(command)).encode())
            try:
                with default_scheduling():
                    transport, streams = await asyncio.get_running_loop().subprocess_exec(
                        lambda: Streams(output, log),
                        *_launcher(command),
                        *("bwrap", "--args", str(options)),
                        *("--info-fd", str(info_end), "--block-fd", str(gate)),
                        *("--seccomp", str(rules), "--", *command.arguments),
                        stdin=asyncio.subprocess.DEVNULL if output is None else pipe,
                        stdout=pipe,
                        stderr=same if output is None else pipe,
                        env={},
                        pass_fds=(info_end, gate, options, rules),
                        start_new_session=True,
                    )
            except (OSError, ValueError) as error:
                log.close()
                raise start_error(command, error) from None
            ours.close(info_end)
            bot = None
            try:
                init = await _init_process(info)
                if init is not None:
                    bot = SandboxedProcess(transport, streams, command, init)
                    os.write(gate_end, b"\n")
                    await bot.until_started()
            except ProcessLookupError:
                bot = None  # it has ended meanwhile
            finally:
                if bot is None:
                    # The init process does not leave the group before the gate opens.
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(transport.get_pid(), signal.SIGKILL)
                    await streams.exited.wait()
                    await streams.log_closed.wait()
                    transport.close()
        if bot is None:
            reason = log.first.decode(errors="replace").strip() or "bwrap ended at once"
            raise BotStartError(f'cannot start the bot "{command}": {reason}.')
        return bot


class SandboxedProcess(BotProcess):
    """A bot in a sandbox; its own process id is that of ``bwrap``."""

    def __init__(
        self,
        transport: asyncio.SubprocessTransport,
        streams: Streams,
        command: BotCommand,
        init: int,
    ) -> None:
        """Limit the init process of the sandbox; raises ProcessLookupError."""
        super().__init__(transport, streams, command)
        self._limits = limits = command.sandbox.limits
        self._init = init
        self._temporary = Path(f"/proc/{init}/root/tmp")
        self._monitor = os.pidfd_open(parent(init))
        """The ``bwrap`` process outside the sandbox; as root another one may have started it."""
        try:
            self._handle = os.pidfd_open(init)
        except BaseException:
            os.close(self._monitor)
            raise
        self._released_lock = threading.Lock()
        """Held while descriptors are read in the thread of the watcher, or closed."""
        self._resuming = threading.Lock()
        """Held while all processes go on, or the thread of the watcher stops one."""
        self._init_ended = asyncio.Event()
        self._monitor_stopped = False
        self._cgroup = make_cgroup(limits)
        self._cpu_seconds = 0.0
        self._checked_at = 0.0
        """The CPU time at the last check of the limits."""
        self._peak_memory = 0
        self._exceeded: str | None = None
        """The limit for which the bot was ended."""
        self.running = True
        self.froze = False
        try:
            if self._cgroup is not None:
                self._cgroup.add(init)
            if os.geteuid() != 0:
                for name, most in _resource_limits(limits).items():
                    kind = getattr(resource, f"RLIMIT_{name.upper()}")
                    hard = resource.prlimit(init, kind)[1]
                    limit = most if hard == resource.RLIM_INFINITY else min(most, hard)
                    resource.prlimit(init, kind, (limit, limit))
        except BaseException:
            self.kill()
            self._release()
            raise
        limited = self._cgroup is not None and self._cgroup.limited
        self.description = {
            "kind": SandboxKind.BUBBLEWRAP.value,
            "enforced_by": "cgroup" if limited else "watcher",
            **limits.as_dict(),
        }
        asyncio.get_running_loop().add_reader(self._handle, self._on_init_ended)
        watcher().add(self)

    async def until_started(self) -> None:
        """Wait until the init process has made that of the bot, or has ended; raises BotStartError.

        Before that, there is no group that could be frozen.
        """
        try:
            async with asyncio.timeout(START_SECONDS):
                while not (self._init_ended.is_set() or descendants(self._init)):  # noqa: ASYNC110
                    await asyncio.sleep(START_POLL_SECONDS)
        except BaseException as error:
            await self.end(grace=0)
            if isinstance(error, TimeoutError):
                problem = f"bwrap did not start it within {START_SECONDS:.0f} s"
                raise BotStartError(
                    f'cannot start the bot "{self.command}": {problem}.', machine=True
                ) from None
            raise

    def freeze(self) -> None:
        """Stop every process of the sandbox; none can leave the group."""
        self._signal_all(signal.SIGSTOP)
        self._stop_monitor()
        self.running = False
        self.froze = True

    def _stop_threads(self) -> None:
        """Stop the threads that the signal to the group has not stopped.

        It reaches one thread, which stops the others; one that waits for a child of ``vfork`` does
        not, and they run on.
        """
        for pid in descendants(self._init):
            with contextlib.suppress(OSError):  # it has ended
                for thread in () if process_state(pid) == "T" else threads(pid):
                    with self._resuming:
                        if self.running:
                            return
                        stop_thread(pid, thread)

    def _stop_monitor(self) -> None:
        """Stop the monitor until the init process ends.

        It only waits for that end, but every stop and start of its child would wake it.
        """
        if not self._monitor_stopped:
            self._monitor_stopped = True
            self._send(self._monitor, signal.SIGSTOP)

    def _on_init_ended(self) -> None:
        """Let ``bwrap`` end too; the kernel has ended all processes of the sandbox."""
        asyncio.get_running_loop().remove_reader(self._handle)
        self._init_ended.set()
        if self._monitor_stopped:
            self._send(self._monitor, signal.SIGCONT)

    def resume(self) -> None:
        """Let every process of the sandbox go on."""
        with self._resuming:
            self.running = True
            self._signal_all(signal.SIGCONT)

    def cpu_seconds(self) -> float:
        """Return the CPU time of all processes of the sandbox so far."""
        if self._handle < 0:
            return self._cpu_seconds
        if self._cgroup is not None:
            return self._cgroup.cpu_seconds()
        # The init process waits for those whose parent has ended.
        now = sum(map(process_cpu_seconds, (self._init, *descendants(self._init))))
        self._cpu_seconds = max(self._cpu_seconds, now)
        return self._cpu_seconds

    def usage(self) -> Usage:
        """Return what all processes of the sandbox use, /tmp included.

        Of a bot that has ended, the CPU time and the most memory are known.
        """
        if self._handle < 0:
            return Usage(self._cpu_seconds, 0, 0, self._peak_memory)
        temporary_bytes, temporary_files = folder_usage(self._temporary)
        if self._cgroup is not None and self._cgroup.limited:
            memory = self._cgroup.memory_bytes()
        else:
            pids = descendants(self._init)
            shared = set().union(*map(shared_mappings, pids))
            memory = temporary_bytes + sum(map(memory_bytes, pids)) + len(shared) * LARGEST_SHARED
        self._peak_memory = max(self._peak_memory, memory)
        return Usage(self.cpu_seconds(), memory, temporary_files, self._peak_memory)

    def check_limits(self) -> None:
        """End the bot if it uses too much; runs in the thread of the watcher."""
        with self._released_lock:
            if self._handle >= 0:
                self._check_limits()

    def _check_limits(self) -> None:
        try:
            if not self.running:
                self._stop_threads()
            if self._cgroup is not None:
                used = self._cgroup.cpu_seconds()
                if used < self._checked_at + CHECK_CPU_SECONDS:
                    return
                self._checked_at = used
            if os.getpgid(self._init) != self._init:
                return  # bwrap is not ready, and /tmp is still that of the machine
            usage = self.usage()
        except OSError:  # it ends at this moment
            return
        limits = self._limits
        if usage.memory_bytes > limits.memory_bytes:
            self._exceeded = f"more than {limits.memory_bytes >> 20} MiB of memory"
        elif usage.temporary_files > limits.temporary_files:
            self._exceeded = f"more than {limits.temporary_files} files in /tmp"
        if self._exceeded:
            self.kill()

    @property
    def stopped(self) -> bool:
        """False: no other bot can send a signal into the sandbox."""
        return False

    def exit_note(self) -> str:
        """Return a sentence on how the bot ended, or that it is running."""
        if self._exceeded is None and self._cgroup is not None and self._cgroup.out_of_memory():
            self._exceeded = f"more than {self._limits.memory_bytes >> 20} MiB of memory"
        if self._exceeded is not None:
            return f"the sandbox ended it because it used {self._exceeded}"
        code = self.returncode or 0
        known = {number.value: number.name for number in signal.Signals}
        if code > 128 and code - 128 in known:
            return f"the process was ended by {known[code - 128]}"
        return super().exit_note()

    async def _end(self, grace: float) -> None:
        self.resume()
        try:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(grace):
                    await self.wait()
            self.kill()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(END_SECONDS):
                    await self._init_ended.wait()
                    await self.wait()
            super().kill()
            await self.wait()
        finally:
            self._release()

    def kill(self) -> None:
        """End every process of the sandbox: the kernel does when its init process ends."""
        self._send(self._handle, signal.SIGKILL)

    def _release(self) -> None:
        self.running = False
        watcher().remove(self)
        with self._released_lock:
            self._cpu_seconds = self.cpu_seconds()
            handle, self._handle = self._handle, -1
            if handle >= 0:
                asyncio.get_running_loop().remove_reader(handle)
                os.close(handle)
                os.close(self._monitor)
                if self._cgroup is not None:
                    self._cgroup.remove()

    def _signal_all(self, number: int) -> None:
        """Send a signal to every process of the sandbox."""
        if self.returncode is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._init, number)

    def _send(self, process: int, number: int) -> None:
        """Send a signal to one process, by its descriptor."""
        if self._handle >= 0:  # none of them is closed
            with contextlib.suppress(ProcessLookupError, PermissionError):
                signal.pidfd_send_signal(process, number)


class _Descriptors:
    """Descriptors that are closed together."""

    def __init__(self) -> None:
        self._open: set[int] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        for descriptor in list(self._open):
            self.close(descriptor)

    def pipe(self) -> tuple[int, int]:
        """Return both ends of a pipe."""
        ends = os.pipe()
        self._open |= set(ends)
        return ends

    def file(self, data: bytes) -> int:
        """Return a file in memory with this content."""
        file = os.memfd_create("highstreet")
        self._open.add(file)
        os.write(file, data)
        os.lseek(file, 0, os.SEEK_SET)
        return file

    def close(self, descriptor: int) -> None:
        """Close one of them."""
        self._open.remove(descriptor)
        os.close(descriptor)


async def _init_process(info: int) -> int | None:
    """Return the process id that ``bwrap`` writes; None if it ends before."""
    loop = asyncio.get_running_loop()
    written, data = loop.create_future(), bytearray()

    def read() -> None:
        part = os.read(info, 4096)
        data.extend(part)
        if (not part or b"}" in data) and not written.done():
            written.set_result(None)

    loop.add_reader(info, read)
    try:
        async with asyncio.timeout(START_SECONDS):
            await written
        return int(json.loads(data)["child-pid"])
    except (TimeoutError, ValueError, KeyError):
        return None
    finally:
        loop.remove_reader(info)


def _resource_limits(limits: SandboxLimits) -> dict[str, int]:
    """Return the limits that the kernel sets for each process.

    The number of processes is that of one user in one user namespace. As root the user is another
    one in each sandbox, so the limit can be set outside; other users set it inside.
    """
    return {
        "core": 0,
        "data": limits.memory_bytes,
        "nofile": limits.open_files,
        "fsize": limits.temporary_bytes,
        "nproc": limits.processes + (2 if os.geteuid() == 0 else 1),  # the processes of bwrap
    }


def _launcher(command: BotCommand) -> Iterator[str]:
    """Yield the command in front of ``bwrap``: root becomes a user who owns nothing.

    Root may lack the capability to limit a process of that user, so it limits itself before.
    """
    if os.geteuid() != 0:
        return
    yield from staging(mounts_of(command.sandbox))
    yield "prlimit"
    for name, most in _resource_limits(command.sandbox.limits).items():
        yield f"--{name}={most}"
    uid = FIRST_UID + secrets.randbelow(UIDS)
    yield from ("setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups")
    yield from ("--no-new-privs", "--bounding-set=-all", "--inh-caps=-all")


def _sandbox(command: BotCommand) -> Iterator[str]:
    """Yield the options of ``bwrap``, without its descriptors."""
    settings = command.sandbox
    yield from ("--unshare-all", "--unshare-user", "--disable-userns")
    yield from ("--die-with-parent", "--new-session", "--cap-drop", "ALL", "--clearenv")
    for name, value in _environment(command).items():
        yield from ("--setenv", name, value)
    yield from ("--proc", "/proc", "--dev", "/dev")
    # It has zeros too, but cannot be mapped: that would be shared memory of any size.
    yield from ("--dev-bind", "/dev/full", "/dev/zero")
    yield from ("--size", str(settings.limits.temporary_bytes), "--tmpfs", "/tmp")  # noqa: S108
    for mount in mounts_of(settings):
        yield from ("--bind" if mount.writable else "--ro-bind",)
        yield from (str(mount.source), str(mount.target))
    folder = str(command.folder or Path.cwd())
    yield from ("--dir", folder, "--chdir", folder)
    yield from ("--remount-ro", "/dev", "--remount-ro", "/")


def _environment(command: BotCommand) -> Mapping[str, str]:
    return {**ENVIRONMENT, **command.sandbox.runtime.environment, **(command.environment or {})}
