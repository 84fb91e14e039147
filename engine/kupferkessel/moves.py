"""The moves of Kupferkessel Co., and their notation in both directions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, get_args

from engine.board import CELL_NAMES, CELLS_BY_NAME, SIZE, Cell
from engine.errors import NotationError, did_you_mean


@dataclass(frozen=True, slots=True)
class Take:
    """Take the card of a cell."""

    cell: Cell

    def __post_init__(self) -> None:
        if not 0 <= self.cell < SIZE * SIZE:
            raise NotationError(f"there is no cell {self.cell}: cells are 0 (a1) to 35 (f6).")


@dataclass(frozen=True, slots=True)
class Use:
    """Use the symbol of the card that was just taken."""


@dataclass(frozen=True, slots=True)
class Skip:
    """Let the symbol of the card that was just taken go."""


@dataclass(frozen=True, slots=True)
class Keep:
    """Keep the last card."""


@dataclass(frozen=True, slots=True)
class Discard:
    """Refuse the last card."""


Move = Take | Use | Skip | Keep | Discard
MOVE_TYPES: Final = frozenset(get_args(Move))

TAKES: Final = tuple(Take(Cell(cell)) for cell in range(SIZE * SIZE))
USE: Final = Use()
SKIP: Final = Skip()
KEEP: Final = Keep()
DISCARD: Final = Discard()
SYMBOL_MOVES: Final = (USE, SKIP)
KEEP_MOVES: Final = (KEEP, DISCARD)

_WORDS: Final[Mapping[str, Move]] = MappingProxyType(
    {"use": USE, "skip": SKIP, "keep": KEEP, "discard": DISCARD},
)
_WORD_OF: Final = MappingProxyType({move: word for word, move in _WORDS.items()})
_FORMS: Final = "take CELL, use, skip, keep, discard"


def format_move(move: Move) -> str:
    """Write a move as records have it."""
    if isinstance(move, Take):
        return f"take {CELL_NAMES[move.cell]}"
    return _WORD_OF[move]


def parse_move(text: str) -> Move:
    """Read a move; raises NotationError."""
    match text.split():
        case ["take", cell]:
            if cell not in CELLS_BY_NAME:
                raise NotationError(f'cannot read "{text}": cells are a1 to f6.')
            return TAKES[CELLS_BY_NAME[cell]]
        case [word] if word in _WORDS:
            return _WORDS[word]
        case [word, *rest]:
            hint = did_you_mean(word, ["take", *_WORDS]) if word not in _WORDS else ""
            hint = hint.replace('"?', f' {" ".join(rest)}"?') if rest else hint
            raise NotationError(f'cannot read "{text}".{hint} A move is one of: {_FORMS}.')
        case _:
            raise NotationError(f"cannot read an empty move. A move is one of: {_FORMS}.")
