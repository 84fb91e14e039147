"""No sandbox: bot processes in a process group of their own, limited, ended with their children.

docs/guides/trust.md says what this protects against, and what it does not.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import shutil
import signal
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, NamedTuple, cast

from referee.model import BotCommand, SandboxKind
from referee.runtime import default_scheduling
from referee.sandbox.errors import BotStartError
from referee.sandbox.interface import OutputHandler
from referee.sandbox.usage import Usage, memory_bytes, process_cpu_seconds

INHERITED = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR")
"""The environment variables of the referee that a bot inherits; no others."""
DEFAULTS = {"HIGHSTREET_TRIES": "6"}
"""Environment variables of started bots: few reconnect attempts, so orphaned bots exit soon."""


_MACHINE = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ENOSPC)
"""The error numbers for resources of the machine."""


class LogFile:
    """The standard error of a process in a sandbox: a file up to a size, then closed."""

    def __init__(self, file: BinaryIO | None, most: int) -> None:
        self._file = file
        self._left = most
        self.first = b""
        """The first line, which has the error message if the sandbox cannot start."""

    def write(self, data: bytes) -> bool:
        """Write data, and return whether more may come."""
        kept = data[: self._left]
        self._left -= len(kept)
        if b"\n" not in self.first:
            self.first += kept
        if self._file is not None:
            self._file.write(kept)
            self._file.flush()
        return self._left > 0

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()


class Streams(asyncio.SubprocessProtocol):
    """Dispatches the output of a process, and notes its exit."""

    def __init__(self, output: OutputHandler | None, log: LogFile | None = None) -> None:
        self._output = output
        self._log = log
        self._log_descriptor = 2 if output is not None else 1
        """Which pipe has the standard error: that of the output, if the output goes there too."""
        self._transport: asyncio.SubprocessTransport | None = None
        self.exited = asyncio.Event()
        self.log_closed = asyncio.Event()
        self.output_open = output is not None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport = cast("asyncio.SubprocessTransport", transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Pass standard output to the handler, and standard error to the log."""
        if fd == 1 and self._output is not None:
            self._output.on_output(data)
        if fd == self._log_descriptor and self._log is not None and not self._log.write(data):
            assert self._transport is not None  # noqa: S101  it has a pipe
            if (pipe := self._transport.get_pipe_transport(fd)) is not None:
                pipe.close()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002
        """Report the end of standard output to the handler."""
        if fd == 1 and self._output is not None:
            self.output_open = False
            self._output.on_output_closed()
        if fd == self._log_descriptor and self._log is not None:
            self._log.close()
            self.log_closed.set()

    def process_exited(self) -> None:
        """Set ``exited``."""
        self.exited.set()


_EXITING = 0x4
"""PF_EXITING of Linux: the process is exiting and closes its files."""


class _Stat(NamedTuple):
    """The state of a process in /proc."""

    state: str
    group: int
    flags: int

    @classmethod
    def of(cls, pid: int) -> _Stat | None:
        """Return the state of a process; None if it does not exist, or without /proc."""
        try:
            # The program name may contain spaces and parentheses.
            fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
            return cls(fields[0].decode(), int(fields[2]), int(fields[6]))
        except (OSError, IndexError, ValueError):
            return None

    @property
    def stopped(self) -> bool:
        """Whether it is stopped by a signal or a tracer."""
        return self.state in "Tt"


def _link(pid: int, descriptor: str) -> str:
    """Return what an open file of a process links to in /proc/PID/fd; empty if there is none."""
    try:
        return os.readlink(f"/proc/{pid}/fd/{descriptor}")  # noqa: PTH115
    except OSError:
        return ""


def _open_files(pid: int) -> set[str]:
    """Return the open files of a process, as links in /proc/PID/fd."""
    with contextlib.suppress(OSError):
        return {_link(pid, name) for name in os.listdir(f"/proc/{pid}/fd")} - {""}  # noqa: PTH208
    return set()


def _waits_for_child(pid: int) -> bool:
    """Return whether a process does nothing but wait for the end of a child."""
    try:
        return Path(f"/proc/{pid}/wchan").read_text(encoding="ascii") == "do_wait"
    except OSError:
        return False


def _tcp_sockets() -> set[str]:
    """Return the TCP sockets of the machine, as links in /proc/PID/fd."""
    found = set[str]()
    for name in ("tcp", "tcp6"):
        with contextlib.suppress(OSError):
            lines = Path("/proc/net", name).read_text(encoding="ascii").splitlines()[1:]
            found.update(f"socket:[{line.split()[9]}]" for line in lines)
    return found


def check_program(command: BotCommand, environment: Mapping[str, str]) -> None:
    """Raise the OSError of starting the program, which the shell in front of it would hide."""
    name = command.arguments[0] if command.arguments else ""
    found = shutil.which(name, path=environment.get("PATH", os.defpath))
    if "/" in name:
        found = str((command.folder or Path()) / name)
    if not found or not Path(found).is_file():
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))
    if not os.access(found, os.X_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    with contextlib.suppress(PermissionError), Path(found).open("rb") as program:
        first = program.readline(256)
        if (
            first.startswith(b"#!")
            and first[2:].split()
            and (not Path(os.fsdecode(first[2:].split()[0])).exists())
        ):
            raise FileNotFoundError(errno.ENOENT, "its interpreter is missing")


def open_log(log: Path) -> BinaryIO:
    """Open a log to append to it; raises BotStartError."""
    try:
        return log.open("ab")
    except OSError as error:
        raise BotStartError(
            f"cannot write the log {log}: {error.strerror}.", machine=True
        ) from None


def start_error(command: BotCommand, error: OSError | ValueError) -> BotStartError:
    """Return the error of a command that could not be started."""
    number = error.errno if isinstance(error, OSError) else None
    reason = error.strerror if isinstance(error, OSError) else str(error)
    hint = "" if number in _MACHINE else " Is the command right, and is it there?"
    return BotStartError(
        f'cannot start the bot "{command}": {reason}.{hint}', machine=number in _MACHINE
    )


class BotProcess:
    """A running bot with all its child processes."""

    description: Mapping[str, object] = {}
    """Nothing: the process is in no sandbox."""

    def __init__(
        self,
        transport: asyncio.SubprocessTransport,
        streams: Streams,
        command: BotCommand,
    ) -> None:
        self.command = command
        self.pid = transport.get_pid()
        self._transport = transport
        self._streams = streams
        self._input = cast("asyncio.WriteTransport | None", transport.get_pipe_transport(0))
        self._output = cast("asyncio.ReadTransport | None", transport.get_pipe_transport(1))
        self._reading = True
        self._pipe = _link(self.pid, "1")
        """The standard output at the start, as a link in /proc/PID/fd."""

    @classmethod
    async def start(
        cls,
        command: BotCommand,
        *,
        stderr: Path | int | None,
        output: OutputHandler | None = None,
        extra: Mapping[str, str] | None = None,
    ) -> BotProcess:
        """Start a bot in a process group of its own; raises BotStartError.

        With an output handler the standard streams are pipes; otherwise standard output goes to
        the same place as standard error: a log file, a file descriptor, or /dev/null.
        """
        if command.sandbox.kind is not SandboxKind.NONE:
            raise BotStartError(
                f'the bot "{command}" has to run in a sandbox, but bots are started without one '
                "here: take the sandbox out."
            )
        environment = {name: os.environ[name] for name in INHERITED if name in os.environ}
        environment |= DEFAULTS | dict(command.environment or {}) | dict(extra or {})
        piped = output is not None
        stream = asyncio.subprocess.PIPE if piped else asyncio.subprocess.DEVNULL
        try:
            check_program(command, environment)
            with contextlib.ExitStack() as stack:
                errors = asyncio.subprocess.DEVNULL if stderr is None else stderr
                if isinstance(errors, Path):
                    errors = stack.enter_context(open_log(errors)).fileno()
                stack.enter_context(default_scheduling())
                transport, streams = await asyncio.get_running_loop().subprocess_exec(
                    lambda: Streams(output),
                    *command.limits.launcher(),
                    *command.arguments,
                    stdin=stream,
                    stdout=stream if piped else errors,
                    stderr=errors,
                    cwd=command.folder,
                    env=environment,
                    start_new_session=True,
                )
        except (OSError, ValueError) as error:
            raise start_error(command, error) from None
        return cls(transport, streams, command)

    @property
    def returncode(self) -> int | None:
        """The exit code, or minus the signal that ended the process; None while it runs."""
        return self._transport.get_returncode()

    @property
    def was_killed(self) -> bool:
        """Whether the process was ended by SIGKILL."""
        return self.returncode == -signal.SIGKILL

    @property
    def stopped(self) -> bool:
        """Whether a signal or a tracer has stopped the process that talks to the referee.

        That is each one in the group that has the connection open and does not wait for a child,
        as a shell around the bot does. So a bot gains nothing by stopping a child of its own.
        """
        group = dict(self._group())
        if not any(stat.stopped for stat in group.values()):
            return False
        connection = self._connection()
        talking = [
            stat
            for pid, stat in group.items()
            if not connection.isdisjoint(_open_files(pid)) and not _waits_for_child(pid)
        ]
        return bool(talking) and all(stat.stopped for stat in talking)

    def _group(self) -> Iterator[tuple[int, _Stat]]:
        """Return the processes of the group, by /proc."""
        for name in os.listdir("/proc") if os.path.isdir("/proc") else ():  # noqa: PTH208, PTH112
            if name.isdecimal() and (stat := _Stat.of(int(name))) and stat.group == self.pid:
                yield int(name), stat

    def _connection(self) -> set[str]:
        """Return the connection to the referee as links in /proc/PID/fd.

        It is the standard output of a bot over pipes, and any TCP connection of another one.
        """
        return _tcp_sockets() if self._output is None else {self._pipe}

    @property
    def ending(self) -> bool:
        """Whether the process has ended or is exiting, as far as /proc shows it."""
        stat = _Stat.of(self.pid)
        return stat is None or stat.state in "ZX" or bool(stat.flags & _EXITING)

    @property
    def output_open(self) -> bool:
        """Whether a process still has the standard output open."""
        return self._streams.output_open

    def write(self, data: bytes, max_backlog: int) -> None:
        """Write to standard input, unless at least ``max_backlog`` bytes wait to be read."""
        pipe = self._input
        if pipe is None or pipe.is_closing():
            return
        if pipe.get_write_buffer_size() < max_backlog:
            pipe.write(data)

    def end_input(self) -> None:
        """Close standard input after what was written."""
        if self._input is not None:
            self._input.close()

    def set_reading(self, *, on: bool) -> None:
        """Read the output, or pause reading."""
        if on is self._reading:
            return
        self._reading = on
        if self._output is not None and not self._output.is_closing():
            if on:
                self._output.resume_reading()
            else:
                self._output.pause_reading()

    async def wait(self) -> None:
        """Wait until the process itself has ended; its children may still run."""
        await self._streams.exited.wait()

    def exit_note(self) -> str:
        """Return a sentence on how the process ended, or that it is running."""
        code = self.returncode
        if code is None:
            return "the process is running"
        if code < 0:
            known = {number.value: number.name for number in signal.Signals}
            return f"the process was ended by {known.get(-code, f'signal {-code}')}"
        return f"the process ended with exit code {code}"

    async def end(self, grace: float = 1.0) -> None:
        """End the process group: wait, then SIGTERM, then SIGKILL."""
        try:
            await self._end(grace)
        except BaseException:
            self.kill()  # a cancelled call leaves no process behind
            raise
        finally:
            self._transport.close()

    async def _end(self, grace: float) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(grace):
                await self.wait()
        if self._signal(signal.SIGTERM):
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(grace):
                    await self._group_gone()
            self._signal(signal.SIGKILL)
        await self.wait()

    def freeze(self) -> None:
        """Stop the process group; a process that has left it runs on."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        """Let the process group go on."""
        self._signal(signal.SIGCONT)

    def cpu_seconds(self) -> float:
        """Return the CPU time of the process so far, with children that it waited for."""
        return process_cpu_seconds(self.pid)

    def usage(self) -> Usage:
        """Return what the process uses."""
        return Usage(self.cpu_seconds(), memory_bytes(self.pid), 0)

    def kill(self) -> None:
        """End the process group with SIGKILL."""
        self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> bool:
        try:
            os.killpg(self.pid, number)
        except (ProcessLookupError, PermissionError):
            return False
        return True

    async def _group_gone(self) -> None:
        # Signal 0 tests whether the group exists; there is no event for its end.
        while self._signal(0):  # noqa: ASYNC110
            await asyncio.sleep(0.01)


class NoSandbox:
    """Commands that the organiser trusts run as they are."""

    def check(self) -> None:
        """Do nothing: every machine can start a process."""

    def describe(self) -> str:
        """Return that there is none."""
        return "none: bots run with your rights"

    async def start(
        self, command: BotCommand, output: OutputHandler | None, stderr: Path | None
    ) -> BotProcess:
        """Start a bot; raises BotStartError."""
        return await BotProcess.start(command, stderr=stderr, output=output)
