"""A bot that is handed in as a package: what its manifest says."""

from __future__ import annotations

from dataclasses import dataclass

from referee.model import Transport


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
