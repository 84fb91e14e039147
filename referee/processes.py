"""Bot processes: started apart from us, limited, and ended with all their children.

What this guards against, and what it does not, is written in docs/guides/trust.md.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import resource
import signal
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from engine import UsageError

PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT")
"""The variables of our own environment that a bot gets; everything else stays here."""


class BotStartError(UsageError):
    """A command that cannot be started."""


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


class _Streams(asyncio.subprocess.SubprocessStreamProtocol):
    """The streams of a process, and the moment in which it ends.

    asyncio's own ``wait`` waits for the pipes too, which a child may hold open for ever.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__(limit=2**16, loop=loop)
        self.exited = asyncio.Event()

    def process_exited(self) -> None:
        """Note the end."""
        super().process_exited()
        self.exited.set()


def _opened(log: Path) -> BinaryIO:
    try:
        return log.open("ab")
    except OSError as error:
        raise BotStartError(f"cannot write the log {log}: {error.strerror}.") from None


class BotProcess:
    """A running bot with everything that it has started itself."""

    def __init__(
        self,
        transport: asyncio.SubprocessTransport,
        streams: _Streams,
        command: BotCommand,
    ) -> None:
        self.command = command
        self.process = asyncio.subprocess.Process(transport, streams, asyncio.get_running_loop())
        self._transport = transport
        self._exited = streams.exited

    @classmethod
    async def start(
        cls,
        command: BotCommand,
        *,
        stderr: Path | None,
        pipes: bool,
        extra: Mapping[str, str] | None = None,
    ) -> BotProcess:
        """Start a bot in a process group of its own; raises BotStartError."""
        environment = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        environment |= dict(command.environment or {}) | dict(extra or {})
        stream = asyncio.subprocess.PIPE if pipes else asyncio.subprocess.DEVNULL
        try:
            with contextlib.ExitStack() as stack:
                errors: int = asyncio.subprocess.DEVNULL
                if stderr is not None:
                    errors = stack.enter_context(_opened(stderr)).fileno()
                loop = asyncio.get_running_loop()
                transport, streams = await loop.subprocess_exec(
                    lambda: _Streams(loop),
                    *command.arguments,
                    stdin=stream,
                    stdout=stream if pipes else errors,
                    stderr=errors,
                    cwd=command.folder,
                    env=environment,
                    start_new_session=True,
                )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else str(error)
            raise BotStartError(
                f'cannot start the bot "{command}": {reason}. Is the command right, and is it '
                "there?"
            ) from None
        with contextlib.suppress(ProcessLookupError):
            command.limits.apply(transport.get_pid())
        return cls(transport, streams, command)

    async def wait(self) -> None:
        """Wait until the process itself has ended, whatever its children do."""
        await self._exited.wait()

    def exit_note(self) -> str:
        """Say how the process ended, or that it has not."""
        code = self.process.returncode
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
            os.killpg(self.process.pid, number)
        except (ProcessLookupError, PermissionError):
            return False
        return True

    async def _group_gone(self) -> None:
        # Signal 0 only asks whether there is anybody; no event tells when a group is empty.
        while self._signal(0):  # noqa: ASYNC110
            await asyncio.sleep(0.01)
