"""What every sandbox does: start a bot, freeze it, measure it, and end it with all it started.

Nothing here belongs to processes alone, so that a bot may as well be a module of WebAssembly.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from referee.model import BotCommand
from referee.sandbox.usage import Usage


class OutputHandler(Protocol):
    """Receives the standard output of a bot."""

    def on_output(self, data: bytes) -> None:
        """Handle output."""

    def on_output_closed(self) -> None:
        """Handle the end of the output."""


class RunningBot(Protocol):
    """A bot that was started, with everything that it started itself."""

    @property
    def description(self) -> Mapping[str, object]:
        """The sandbox as it stands in a record: kind, limits, what enforces them.

        It is empty without a sandbox.
        """

    # Its input and output.

    def write(self, data: bytes, max_backlog: int) -> None:
        """Write to standard input, unless at least ``max_backlog`` bytes wait to be read."""

    def end_input(self) -> None:
        """Close standard input after what was written."""

    def set_reading(self, *, on: bool) -> None:
        """Read the output, or pause reading."""

    # What it may do, and what it has used.

    def freeze(self) -> None:
        """Stop all of it, until ``resume``."""

    def resume(self) -> None:
        """Let it go on."""

    def cpu_seconds(self) -> float:
        """Return the CPU time that all of it has used so far."""

    def usage(self) -> Usage:
        """Return everything that is measured."""

    # Its end.

    @property
    def stopped(self) -> bool:
        """Whether it was stopped by a signal that another bot may have sent."""

    @property
    def ending(self) -> bool:
        """Whether it has ended or is exiting."""

    @property
    def was_killed(self) -> bool:
        """Whether it was killed by something that it may have no part in."""

    def exit_note(self) -> str:
        """Return a sentence on how it ended, or that it is running."""

    async def wait(self) -> None:
        """Wait until it has ended."""

    async def end(self, grace: float = 1.0) -> None:
        """Wait, and then end all of it."""


class Sandbox(Protocol):
    """A way to run bots."""

    def check(self) -> None:
        """Raise SandboxUnavailableError, with what to install, if this machine has it not."""

    def describe(self) -> str:
        """Return the name of the sandbox and what enforces its limits on this machine."""

    async def start(
        self, command: BotCommand, output: OutputHandler | None, stderr: Path | None
    ) -> RunningBot:
        """Start a bot with pipes as its standard input and output; raises BotStartError.

        Its standard error is appended to a file, if one is given. Without an output handler the
        standard output goes there too, and the standard input is empty.
        """
