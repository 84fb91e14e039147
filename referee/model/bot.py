"""How a bot is started: command, limits, transport."""

from __future__ import annotations

import resource
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from referee.model.sandbox import NO_SANDBOX, SandboxKind, SandboxSettings


@dataclass(frozen=True, slots=True)
class ProcessLimits:
    """The resource limits of one bot process; None means no limit."""

    memory_bytes: int | None = 4 * 2**30
    open_files: int | None = 256
    file_bytes: int | None = 2**30

    def launcher(self) -> tuple[str, ...]:
        """Return a shell command that sets the limits and executes the command appended to it.

        The limits hold before the bot runs its first instruction, and for its child processes. A
        ``preexec_fn`` is not safe in a process that has threads.
        """
        steps = ["ulimit -c 0"]
        for option, kind, limit, unit in (
            ("v", resource.RLIMIT_AS, self.memory_bytes, 1024),
            ("n", resource.RLIMIT_NOFILE, self.open_files, 1),
            ("f", resource.RLIMIT_FSIZE, self.file_bytes, 512),
        ):
            if limit is not None:
                # Only root can raise a hard limit.
                hard = resource.getrlimit(kind)[1]
                most = limit if hard == resource.RLIM_INFINITY else min(limit, hard)
                steps.append(f"ulimit -{option} {most // unit}")
        # Variables that the shell adds do not belong to the environment of the bot.
        steps += ["unset PWD OLDPWD SHLVL", 'exec "$@"']
        return ("/bin/sh", "-c", "; ".join(steps), "sh")


@dataclass(frozen=True, slots=True)
class BotCommand:
    """How a bot is started."""

    arguments: tuple[str, ...]
    folder: Path | None = None
    environment: Mapping[str, str] | None = None
    limits: ProcessLimits = ProcessLimits()
    """The limits of a command without a sandbox."""
    sandbox: SandboxSettings = NO_SANDBOX

    def __str__(self) -> str:
        return " ".join(self.arguments)


class Transport(StrEnum):
    """How the referee exchanges messages with a bot."""

    PIPE = "pipe"
    """Started by the referee; lines of JSON over its standard streams."""
    GRPC = "grpc"
    """Started by the referee; connects over gRPC."""
    REMOTE = "remote"
    """Started by its author; connects over gRPC."""


@dataclass(frozen=True, slots=True)
class BotSpec:
    """The description of a bot: name, transport, command."""

    name: str
    transport: Transport
    command: BotCommand | None = None
    """How to start it; None for a remote bot."""

    @property
    def needs_server(self) -> bool:
        """Whether it is started and connects over the network, which no sandbox has."""
        boxed = self.command is not None and self.command.sandbox.kind is not SandboxKind.NONE
        return self.transport is Transport.GRPC and not boxed
