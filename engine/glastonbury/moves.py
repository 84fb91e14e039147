"""The moves of Glastonbury, and their notation in both directions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations_with_replacement
from types import MappingProxyType
from typing import Final, get_args

from engine.board import CELL_NAMES, CELLS_BY_NAME, SIZE, Cell
from engine.errors import NotationError, did_you_mean
from engine.glastonbury.cards import (
    COLOUR_OF,
    INGREDIENT_NAMES,
    INGREDIENTS,
    INGREDIENTS_BY_NAME,
    PAWN_COLOURS,
    Ingredient,
)


@dataclass(frozen=True, slots=True)
class Take:
    """Take the card of a cell."""

    cell: Cell

    def __post_init__(self) -> None:
        if not 0 <= self.cell < SIZE * SIZE:
            raise NotationError(f"there is no cell {self.cell}: cells are 0 (a1) to 35 (f6).")


@dataclass(frozen=True, slots=True)
class UseDeclinatio:
    """Move on from a corner by the same number of steps."""


@dataclass(frozen=True, slots=True)
class Pass:
    """Stay at a corner and end the turn."""


@dataclass(frozen=True, slots=True)
class Keep:
    """Keep the last card."""


@dataclass(frozen=True, slots=True)
class Discard:
    """Refuse the last card."""


@dataclass(frozen=True, slots=True)
class AssignImmuto:
    """Turn each Immuto of the cauldron into an ingredient; the order given does not matter."""

    ingredients: tuple[Ingredient, ...]

    def __post_init__(self) -> None:
        for ingredient in self.ingredients:
            if not 0 <= ingredient < len(INGREDIENTS):
                raise NotationError(
                    f"there is no ingredient {ingredient}: they are 0 (Ya) to 17 (Sb)."
                )
        object.__setattr__(self, "ingredients", tuple(sorted(self.ingredients)))


Move = Take | UseDeclinatio | Pass | Keep | Discard | AssignImmuto
MOVE_TYPES: Final = frozenset(get_args(Move))

TAKES: Final = tuple(Take(Cell(cell)) for cell in range(SIZE * SIZE))
USE_DECLINATIO: Final = UseDeclinatio()
PASS: Final = Pass()
KEEP: Final = Keep()
DISCARD: Final = Discard()
CORNER_MOVES: Final = (USE_DECLINATIO, PASS)
KEEP_MOVES: Final = (KEEP, DISCARD)

_WORDS: Final[Mapping[str, Move]] = MappingProxyType(
    {"declinatio": USE_DECLINATIO, "pass": PASS, "keep": KEEP, "discard": DISCARD},
)
_WORD_OF: Final = MappingProxyType({move: word for word, move in _WORDS.items()})
_FORMS: Final = "take CELL, declinatio, pass, keep, discard, immuto INGREDIENT [INGREDIENT]"


def _assignments(removed_colour: str | None, immuto: int) -> tuple[AssignImmuto, ...]:
    in_play = [i for i in INGREDIENTS if COLOUR_OF[i] != removed_colour]
    return tuple(map(AssignImmuto, combinations_with_replacement(in_play, immuto)))


ASSIGNMENTS: Final[Mapping[tuple[str | None, int], tuple[AssignImmuto, ...]]] = MappingProxyType(
    {
        (colour, immuto): _assignments(colour, immuto)
        for colour in (None, *PAWN_COLOURS)
        for immuto in (1, 2)
    },
)
"""Every assignment in canonical order, by removed colour and number of Immuto."""


def format_move(move: Move) -> str:
    """Write a move as records have it."""
    if isinstance(move, Take):
        return f"take {CELL_NAMES[move.cell]}"
    if isinstance(move, AssignImmuto):
        return " ".join(["immuto", *(INGREDIENT_NAMES[i] for i in move.ingredients)])
    return _WORD_OF[move]


def parse_move(text: str) -> Move:
    """Read a move; raises NotationError."""
    match text.split():
        case ["take", cell]:
            if cell not in CELLS_BY_NAME:
                raise NotationError(f'cannot read "{text}": cells are a1 to f6.')
            return TAKES[CELLS_BY_NAME[cell]]
        case ["immuto", *names] if names:
            for name in names:
                if name not in INGREDIENTS_BY_NAME:
                    raise NotationError(
                        f'cannot read "{text}": there is no ingredient "{name}".'
                        f"{did_you_mean(name, INGREDIENT_NAMES)}"
                        f" They are {', '.join(INGREDIENT_NAMES)}."
                    )
            return AssignImmuto(tuple(INGREDIENTS_BY_NAME[name] for name in names))
        case [word] if word in _WORDS:
            return _WORDS[word]
        case [word, *rest]:
            hint = did_you_mean(word, ["take", "immuto", *_WORDS]) if word not in _WORDS else ""
            hint = hint.replace('"?', f' {" ".join(rest)}"?') if rest else hint
            raise NotationError(f'cannot read "{text}".{hint} A move is one of: {_FORMS}.')
        case _:
            raise NotationError(f"cannot read an empty move. A move is one of: {_FORMS}.")
