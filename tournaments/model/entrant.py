"""Entrants of a competition, and their versions."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Final, NamedTuple

from referee.model import BotCommand, BotSpec, SandboxKind, Transport
from tournaments.model.package import Package

SHOWN_VERSIONS: Final = 20
"""How many versions of an entrant are listed, the newest ones."""


class EntrantState(StrEnum):
    """Whether an entrant is seated, and if not, why."""

    ACTIVE = "active"
    WITHDRAWN = "withdrawn"
    """By its author: what it played counts."""
    DISQUALIFIED = "disqualified"
    """By the organiser: nothing that it played counts."""
    BENCHED = "benched"
    """After repeated faults, until its author or the organiser takes it from the bench."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot that takes part in a competition."""

    name: str
    author: str = ""
    games: tuple[str, ...] | None = None
    """The games that it plays, by name; None means every game of the competition."""
    transport: Transport = Transport.REMOTE
    command: BotCommand | None = None
    """How to start it; None for a remote bot."""
    sample: str | None = None
    """Which sample bot it is, if it is one."""
    folder: str | None = None
    """The working folder as the tournament file has it; the command has the whole path."""
    package: Package | None = None
    """The package from which it is built, if it is one."""
    competition: str = ""
    state: str = EntrantState.ACTIVE
    reason: str = ""
    """Why it is withdrawn, disqualified or benched; public."""
    entered_at: datetime | None = None
    versions: tuple[str, ...] = ()
    """The newest ones, ``SHOWN_VERSIONS`` at most, in the order in which they were first seen."""
    version_count: int = 0
    """How many there have been in all."""

    def plays(self, game: str) -> bool:
        """Return whether it is scheduled for a game."""
        return self.games is None or game in self.games

    def spec(self) -> BotSpec:
        """Return the bot as the referee starts it."""
        return BotSpec(self.name, self.transport, self.command)

    def identity(self) -> dict[str, Any]:
        """Return what makes it this bot, as JSON values that hold in another place too."""
        known: dict[str, Any] = {"transport": self.transport.value, "author": self.author or None}
        if self.command is None:
            return known
        if self.package is not None:
            known["package"] = self.package.hash
        elif self.sample is None:
            known["command"] = list(self.command.arguments)
        else:
            known["bot"] = self.sample
        environment = self.command.environment or {}
        if self.command.sandbox.kind is not SandboxKind.NONE:
            known["sandbox"] = self.command.sandbox.kind.value
        return known | {
            "folder": self.folder,
            "environment": {name: _digest(value) for name, value in sorted(environment.items())},
        }


class Version(NamedTuple):
    """A version of an entrant: what is seated, and what is rated."""

    entrant: str
    version: str

    @property
    def rated(self) -> str:
        """Its name in ratings."""
        return rated_name(self.entrant, self.version)

    @classmethod
    def of(cls, rated: str) -> Version:
        """Read a name as ratings have it."""
        return cls(*split_rated_name(rated))

    def __str__(self) -> str:
        return self.rated if self.version else self.entrant


def rated_name(name: str, version: str) -> str:
    """Return the name of an entrant's version in ratings."""
    return f"{name}@{version}"


def split_rated_name(rated: str) -> tuple[str, str]:
    """Return the entrant and the version of a name as ratings have it."""
    name, _, version = rated.partition("@")
    return name, version


def _digest(text: str) -> str:
    """Return a text that differs where values differ, and from which none can be read."""
    return hashlib.sha256(text.encode()).hexdigest()[:16]
