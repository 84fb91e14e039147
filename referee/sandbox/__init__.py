"""Sandboxes: how bots are started, frozen, measured and ended."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from referee.model import BotCommand, SandboxKind
from referee.sandbox.bubblewrap import Bubblewrap
from referee.sandbox.errors import BotStartError, SandboxUnavailableError
from referee.sandbox.files import sandboxed
from referee.sandbox.interface import OutputHandler, RunningBot, Sandbox
from referee.sandbox.process import BotProcess, NoSandbox
from referee.sandbox.usage import Usage, combined

SANDBOXES: Final[dict[SandboxKind, Sandbox]] = {
    SandboxKind.NONE: NoSandbox(),
    SandboxKind.BUBBLEWRAP: Bubblewrap(),
}


async def start_bot(
    command: BotCommand, output: OutputHandler | None, stderr: Path | None
) -> RunningBot:
    """Start a bot in the sandbox that its command asks for; raises BotStartError.

    Without an output handler its standard input is empty, and its output goes to the log.
    """
    return await SANDBOXES[command.sandbox.kind].start(command, output, stderr)


__all__ = [
    "SANDBOXES",
    "BotProcess",
    "BotStartError",
    "OutputHandler",
    "RunningBot",
    "Sandbox",
    "SandboxUnavailableError",
    "Usage",
    "combined",
    "sandboxed",
    "start_bot",
]
