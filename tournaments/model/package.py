"""A bot that is handed in as a package: its identity, and what its manifest says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from referee.model import BotCommand, Transport


@dataclass(frozen=True, slots=True)
class Manifest:
    """The contents of ``bot.toml``."""

    name: str
    games: tuple[str, ...]
    run: tuple[str, ...]
    """The command that starts the bot, in the folder of the package."""
    runtime: str
    """The name of what the bot needs of the machine, such as "python"; the organiser lists them."""
    version: str = ""
    """Shown to people; the identity of a version is the hash of its package."""
    build: tuple[str, ...] = ()
    """The command that builds the bot once, without a network; none if there is nothing to do."""
    transport: Transport = Transport.PIPE
    public: bool = False
    """Whether anyone may download the package."""


@dataclass(frozen=True, slots=True)
class Package:
    """A bot that is handed in."""

    path: str
    """The folder or file, as the tournament file has it."""
    hash: str
    """SHA-256 of the packed file: its identity."""
    manifest: Manifest
    command: BotCommand | None = None
    """How to start it on this machine; None where it is only known from a store."""

    def as_dict(self) -> dict[str, Any]:
        """Return what a competition needs to know where the package is not, as JSON values."""
        return {
            "hash": self.hash,
            "name": self.manifest.name,
            "games": list(self.manifest.games),
            "transport": self.manifest.transport.value,
        }

    @classmethod
    def from_dict(cls, path: str, known: Mapping[str, Any]) -> Self:
        """Return a package as ``as_dict`` has it."""
        transport = Transport(known["transport"])
        manifest = Manifest(known["name"], tuple(known["games"]), (), "", transport=transport)
        return cls(path, known["hash"], manifest)
