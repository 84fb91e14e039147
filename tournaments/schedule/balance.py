"""How even a schedule is, as data; ``counting`` finds it out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple


class Group(NamedTuple):
    """The matches of one kind: a game, a table size and a variant."""

    game: str
    seats: int
    variant: str


@dataclass(frozen=True, slots=True)
class Range:
    """The smallest and the largest of several numbers."""

    low: int
    high: int

    @property
    def spread(self) -> int:
        """How far they are apart."""
        return self.high - self.low

    def __str__(self) -> str:
        return str(self.low) if self.low == self.high else f"{self.low}-{self.high}"


@dataclass(frozen=True, slots=True)
class Evenness:
    """How evenly some duplicate sets treat the entrants.

    Only who may play counts, and only pairs that may meet. In a gauntlet the challenger is left
    out: how often somebody meets the challenger is how often somebody plays.
    """

    sets: int
    matches: int
    sets_each: Range
    matches_each: Range
    pair_sets: Range | None
    """In how many sets two entrants meet; None where no two may."""
    pair_matches: Range | None
    seats: tuple[Range, ...]
    """How often an entrant has each seat."""
    left_neighbours: Range | None
    """In how many matches an entrant sits directly before another, round the table."""


@dataclass(frozen=True, slots=True)
class Balance:
    """How even a schedule is: each group, each game, and all of it."""

    groups: Mapping[Group, Evenness]
    games: Mapping[str, Evenness]
    total: Evenness
