"""The settings of a server: what its machine has for bots."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

RUNTIMES: Final[Mapping[str, str]] = {
    "bash": "bash",
    "c": "cc",
    "c++": "c++",
    "executable": "sh",
    "go": "go",
    "java": "java",
    "node": "node",
    "perl": "perl",
    "python": "python3",
    "rust": "cargo",
}
"""The program that a machine with a runtime has; "executable" needs nothing but the system."""


@dataclass(frozen=True, slots=True)
class RuntimeSettings:
    """What an organiser says about one runtime."""

    enabled: bool = True
    program: Path | None = None
    """The program of the runtime; None for the one that is found on the PATH."""
    paths: tuple[Path, ...] = ()
    """Further files and folders that bots of this runtime see, read-only."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Environment variables of the builds and bots of this runtime."""


@dataclass(frozen=True, slots=True)
class RuntimesSettings:
    """The runtimes of a machine, as an organiser wants them."""

    listed: Mapping[str, RuntimeSettings] = field(default_factory=dict)
    only_listed: bool = False
    """Whether a runtime that is not listed is off, although it is installed."""

    def names(self) -> tuple[str, ...]:
        """Return the names of all runtimes: the known ones, and those that only the file lists."""
        return tuple(sorted({*RUNTIMES, *self.listed}))

    def of(self, name: str) -> RuntimeSettings:
        """Return the settings of a runtime."""
        return self.listed.get(name, RuntimeSettings(enabled=not self.only_listed))


@dataclass(frozen=True, slots=True)
class ServerFile:
    """The contents of a server file."""

    runtimes: RuntimesSettings = RuntimesSettings()
