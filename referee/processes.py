"""Bot processes: started apart from us, limited, and ended with all their children.

What this guards against, and what it does not, is written in docs/guides/trust.md.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import resource
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Protocol, cast

from engine import UsageError
from referee.tuning import starting

PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT")
"""The variables of our own environment that a bot gets; everything else stays here."""
TOLD = {"HIGHSTREET_TRIES": "6"}
"""What a bot is told that we start: if we are killed it shall not look for us for long."""


class BotStartError(UsageError):
    """A command that cannot be started."""

    def __init__(self, message: str, *, machine: bool = False) -> None:
        super().__init__(message)
        self.machine = machine
        """Whether the machine lacks something, and not the command."""


_MACHINE = (errno.EAGAIN, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.ENOSPC)
"""What a bot cannot help."""


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """What one bot process may use; nothing means no limit."""

    memory_bytes: int | None = 4 * 2**30
    open_files: int | None = 256
    file_bytes: int | None = 2**30

    def apply(self, pid: int) -> None:
        """Set the limits of a process that has just been started."""
        for kind, limit in (
            (resource.RLIMIT_AS, self.memory_bytes),
            (resource.RLIMIT_NOFILE, self.open_files),
            (resource.RLIMIT_FSIZE, self.file_bytes),
        ):
            if limit is not None:
                # Nobody but root can raise a limit that is lower already.
                _, hard = resource.prlimit(pid, kind)
                most = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
                resource.prlimit(pid, kind, (most, most))
        resource.prlimit(pid, resource.RLIMIT_CORE, (0, 0))


@dataclass(frozen=True, slots=True)
class BotCommand:
    """How a bot is started."""

    arguments: tuple[str, ...]
    folder: Path | None = None
    environment: Mapping[str, str] | None = None
    limits: ProcessLimits = ProcessLimits()

    def __str__(self) -> str:
        return " ".join(self.arguments)


class Listener(Protocol):
    """Whoever hears the standard output of a bot."""

    def heard(self, data: bytes) -> None:
        """Take in what the bot wrote."""

    def output_ended(self) -> None:
        """Learn that nothing more will come."""


class _Streams(asyncio.SubprocessProtocol):
    """The output of a process, and the moment in which it ends."""

    def __init__(self, listener: Listener | None) -> None:
        self._listener = listener
        self.exited = asyncio.Event()
        self.output_open = listener is not None

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Pass it on."""
        if fd == 1 and self._listener is not None:
            self._listener.heard(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:  # noqa: ARG002
        """Pass it on."""
        if fd == 1 and self._listener is not None:
            self.output_open = False
            self._listener.output_ended()

    def process_exited(self) -> None:
        """Note the end."""
        self.exited.set()


def _opened(log: Path) -> BinaryIO:
    try:
        return log.open("ab")
    except OSError as error:
        raise BotStartError(
            f"cannot write the log {log}: {error.strerror}.", machine=True
        ) from None


class BotProcess:
    """A running bot with everything that it has started itself."""

    def __init__(
        self,
        transport: asyncio.SubprocessTransport,
        streams: _Streams,
        command: BotCommand,
    ) -> None:
        self.command = command
        self.pid = transport.get_pid()
        self._transport = transport
        self._streams = streams
        self._input = cast("asyncio.WriteTransport | None", transport.get_pipe_transport(0))
        self._output = cast("asyncio.ReadTransport | None", transport.get_pipe_transport(1))
        self._listening = True

    @classmethod
    async def start(
        cls,
        command: BotCommand,
        *,
        stderr: Path | None,
        listener: Listener | None = None,
        extra: Mapping[str, str] | None = None,
    ) -> BotProcess:
        """Start a bot in a process group of its own; raises BotStartError.

        With a listener its standard streams are pipes; otherwise its output goes where its errors
        go.
        """
        environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        environment |= TOLD | dict(command.environment or {}) | dict(extra or {})
        piped = listener is not None
        stream = asyncio.subprocess.PIPE if piped else asyncio.subprocess.DEVNULL
        try:
            with contextlib.ExitStack() as stack:
                errors: int = asyncio.subprocess.DEVNULL
                if stderr is not None:
                    errors = stack.enter_context(_opened(stderr)).fileno()
                stack.enter_context(starting())
                transport, streams = await asyncio.get_running_loop().subprocess_exec(
                    lambda: _Streams(listener),
                    *command.arguments,
                    stdin=stream,
                    stdout=stream if piped else errors,
                    stderr=errors,
                    cwd=command.folder,
                    env=environment,
                    start_new_session=True,
                )
        except (OSError, ValueError) as error:
            number = error.errno if isinstance(error, OSError) else None
            reason = error.strerror if isinstance(error, OSError) else str(error)
            hint = "" if number in _MACHINE else " Is the command right, and is it there?"
            raise BotStartError(
                f'cannot start the bot "{command}": {reason}.{hint}', machine=number in _MACHINE
            ) from None
        with contextlib.suppress(ProcessLookupError):
            command.limits.apply(transport.get_pid())
        return cls(transport, streams, command)

    @property
    def returncode(self) -> int | None:
        """The exit code, or minus the signal that ended the process; nothing while it runs."""
        return self._transport.get_returncode()

    @property
    def was_killed(self) -> bool:
        """Whether the process was ended by SIGKILL."""
        return self.returncode == -signal.SIGKILL

    @property
    def output_open(self) -> bool:
        """Whether somebody still has the standard output."""
        return self._streams.output_open

    def write(self, data: bytes, most_waiting: int) -> None:
        """Send data to the standard input, unless more than so much waits there unread."""
        pipe = self._input
        if pipe is None or pipe.is_closing():
            return
        if pipe.get_write_buffer_size() < most_waiting:
            pipe.write(data)

    def end_input(self) -> None:
        """Close the standard input, behind what was written."""
        if self._input is not None:
            self._input.close()

    def listen(self, *, on: bool) -> None:
        """Hear the output, or let it wait where it is."""
        if on is self._listening:
            return
        self._listening = on
        if self._output is not None and not self._output.is_closing():
            if on:
                self._output.resume_reading()
            else:
                self._output.pause_reading()

    async def wait(self) -> None:
        """Wait until the process itself has ended, whatever its children do."""
        await self._streams.exited.wait()

    def exit_note(self) -> str:
        """Say how the process ended, or that it has not."""
        code = self.returncode
        if code is None:
            return "the process is running"
        if code < 0:
            known = {number.value: number.name for number in signal.Signals}
            return f"the process was ended by {known.get(-code, f'signal {-code}')}"
        return f"the process ended with exit code {code}"

    async def end(self, grace: float = 1.0) -> None:
        """End the process and everything in its group: politely, then for good."""
        try:
            await self._end(grace)
        except BaseException:
            self.kill()  # whoever is in a hurry leaves nothing behind
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

    def kill(self) -> None:
        """End the process and its group at once."""
        self._signal(signal.SIGKILL)

    def _signal(self, number: int) -> bool:
        try:
            os.killpg(self.pid, number)
        except (ProcessLookupError, PermissionError):
            return False
        return True

    async def _group_gone(self) -> None:
        # Signal 0 only asks whether there is anybody; no event tells when a group is empty.
        while self._signal(0):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
