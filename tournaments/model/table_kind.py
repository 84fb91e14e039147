"""A kind of table: a game, a table size and a variant."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol


class TableKind(NamedTuple):
    """The matches of one kind: a game, a table size and a variant."""

    game: str
    seats: int
    variant: str


class GamePlayed(Protocol):
    """A game of a competition, its table sizes and variants; ``GameSettings`` is one."""

    @property
    def game(self) -> str:
        """Its name."""

    @property
    def table_sizes(self) -> tuple[int, ...]:
        """How many may sit at a table."""

    @property
    def variants(self) -> tuple[str, ...]:
        """By name."""


def kinds_of(games: Iterable[GamePlayed]) -> tuple[TableKind, ...]:
    """Return every kind of table that these games have."""
    return tuple(
        TableKind(each.game, size, variant)
        for each in games
        for size in each.table_sizes
        for variant in each.variants
    )
