"""The errors of starting a bot."""

from __future__ import annotations

from engine import UsageError


class BotStartError(UsageError):
    """A command that cannot be started."""

    def __init__(self, message: str, *, machine: bool = False) -> None:
        super().__init__(message)
        self.machine = machine
        """Whether the machine is short of a resource, and the command is not to blame."""


class SandboxUnavailableError(UsageError):
    """A sandbox that this machine does not provide; a bot that needs it is not started."""
