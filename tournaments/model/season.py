"""Seasons of a league, its divisions in each of them, and its finals."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple


class SeasonState(StrEnum):
    """How far a season is."""

    OPEN = "open"
    """It is played."""
    FINAL = "final"
    """Sets that have begun are finished, and no others begin; then it is archived."""
    ARCHIVED = "archived"
    """Its standings are settled, and so is who is promoted and relegated."""


class Move(StrEnum):
    """Where an entrant goes at the end of a season."""

    NONE = ""
    PROMOTED = "promoted"
    RELEGATED = "relegated"


class SeasonEntrant(NamedTuple):
    """An entrant in a season."""

    name: str
    division: int
    """From 1, the highest one."""
    rank: int | None = None
    """In its division, once the season is archived."""
    next_division: int | None = None
    """In the season that follows, once this one is archived."""

    @property
    def move(self) -> Move:
        """Whether it is promoted or relegated."""
        if self.next_division is None or self.next_division == self.division:
            return Move.NONE
        return Move.PROMOTED if self.next_division < self.division else Move.RELEGATED


@dataclass(frozen=True, slots=True)
class Season:
    """A season as the store has it."""

    league: str
    number: int
    """From 1."""
    state: str
    started_at: datetime
    ends_at: datetime | None = None
    """When it ends by itself; None for never."""
    ended_at: datetime | None = None
    """When it was archived."""
    another: bool = False
    """Whether the next season starts when this one is archived."""
    divisions: int = 1
    entrants: tuple[SeasonEntrant, ...] = ()
    """In the order of divisions and ranks; those that came later are in the lowest division."""

    def division_of(self, name: str) -> int:
        """Return the division of an entrant: the lowest one for a newcomer."""
        return next((each.division for each in self.entrants if each.name == name), self.divisions)


@dataclass(frozen=True, slots=True)
class PublishedFinal:
    """A final of a league: a tournament of its own whose results the league shows."""

    league: str
    number: int
    """From 1."""
    season: int | None
    """The season whose final it is; None if the league had none."""
    published_at: datetime
    document: str
    """JSON: its title, its bracket or table, and its standings."""
