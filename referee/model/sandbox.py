"""What a sandbox is asked for: its kind, what a bot may see, what it may use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from pathlib import Path


class SandboxKind(StrEnum):
    """The sandboxes."""

    NONE = "none"
    """No sandbox: for commands that the organiser trusts."""
    BUBBLEWRAP = "bubblewrap"
    """Namespaces of Linux, set up by the program ``bwrap``."""


@dataclass(frozen=True, slots=True)
class Runtime:
    """What of the machine the programs of a language need to see."""

    name: str
    paths: tuple[Path, ...]
    """Files and folders that are visible, read-only, under their own paths."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """Environment variables beside ``HOME``, ``LANG``, ``PATH`` and ``TMPDIR``."""


SYSTEM = Runtime(
    "system",
    tuple(
        Path(path)
        for path in (
            *("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"),
            *("/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime"),
        )
    ),
)
"""The programs and libraries of the distribution; a path that does not exist is left out."""


@dataclass(frozen=True, slots=True)
class Mount:
    """A file or folder that a bot sees."""

    source: Path
    target: Path
    """Where the bot sees it."""
    writable: bool = False


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """What a bot in a sandbox may use: all its processes together, where nothing else is said."""

    memory_bytes: int = 2**30
    processes: int = 64
    """The most processes and threads."""
    temporary_bytes: int = 64 * 2**20
    """The size of /tmp, the only folder that it can write to."""
    temporary_files: int = 4096
    """The most files and folders in /tmp."""
    log_bytes: int = 2**20
    """The most bytes of standard error that are kept; then it is closed."""
    open_files: int = 256
    """The most open files of each process."""

    def as_dict(self) -> dict[str, int]:
        """Return the limits by name, as in the head of a record."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class SandboxSettings:
    """The sandbox of a bot."""

    kind: SandboxKind = SandboxKind.NONE
    runtime: Runtime = SYSTEM
    mounts: tuple[Mount, ...] = ()
    limits: SandboxLimits = SandboxLimits()


NO_SANDBOX = SandboxSettings()
