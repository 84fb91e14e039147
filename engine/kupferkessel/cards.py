"""The cards of Kupferkessel Co.: small numbers inside, names at the border.

A card is 1 … 56, and 0 is no card. A recipe is 1 … 20, of which the game has thirteen.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import IntEnum
from types import MappingProxyType
from typing import Final, NewType

from engine.kupferkessel.data import (
    COLOURS_WITH_A_RECIPE_FOR_BOTH,
    COLOURS_WITH_A_RECIPE_FOR_ONE,
    EXPLOSIONS,
    WANDS,
)

Card = NewType("Card", int)
Ingredient = NewType("Ingredient", int)
"""0 to 13, two for each colour, in the order of COLOURS."""
Recipe = NewType("Recipe", int)

COLOURS: Final = "WKSBNGL"
FIRST_PAWNS: Final = "WK"
"""The pawn colours of seats 0 and 1."""
THIRD_PAWNS: Final = "LNGS"
"""The pawn colours that a third seat may have."""
COLOUR_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    dict(
        zip(
            COLOURS,
            ("white", "black", "grey", "blue", "brown", "green", "lilac"),
            strict=True,
        )
    ),
)

INGREDIENT_NAMES: Final = tuple(colour + kind for colour in COLOURS for kind in "ab")
INGREDIENTS: Final = tuple(Ingredient(i) for i in range(len(INGREDIENT_NAMES)))
COLOUR_OF: Final = tuple(name[0] for name in INGREDIENT_NAMES)
"""The colour of an ingredient."""
INGREDIENTS_OF_COLOUR: Final[Mapping[str, tuple[Ingredient, ...]]] = MappingProxyType(
    {colour: tuple(i for i in INGREDIENTS if COLOUR_OF[i] == colour) for colour in COLOURS},
)
PLANTS: Final = tuple(Ingredient(INGREDIENT_NAMES.index(f"{colour}a")) for colour in "SBNGL")

VALUES: Final = (1, 2, 3, 4)
CARD_NAMES: Final = (
    "",
    *(f"{ingredient}{value}" for ingredient in INGREDIENT_NAMES for value in VALUES),
)
CARDS_BY_NAME: Final[Mapping[str, Card]] = MappingProxyType(
    {name: Card(i) for i, name in enumerate(CARD_NAMES) if name},
)
NO_CARD: Final = Card(0)
DECK: Final = tuple(CARDS_BY_NAME.values())
"""Every card, before the shuffle."""

VALUE: Final = (0, *(value for _ in INGREDIENTS for value in VALUES))
"""The value of a card."""
INGREDIENT_OF: Final = tuple(Ingredient((card - 1) // 4) for card in range(len(CARD_NAMES)))
"""The ingredient of a card."""


class Symbol(IntEnum):
    """What a card can do besides."""

    NONE = 0
    EXPLOSION = 1
    WAND = 2


def _symbols(explosions: tuple[str, ...], wands: tuple[str, ...]) -> tuple[Symbol, ...]:
    found = dict.fromkeys(explosions, Symbol.EXPLOSION) | dict.fromkeys(wands, Symbol.WAND)
    return tuple(found.get(name, Symbol.NONE) for name in CARD_NAMES)


SYMBOLS: Final[Mapping[str, tuple[Symbol, ...]]] = MappingProxyType(
    {choice: _symbols(EXPLOSIONS[choice], WANDS[choice]) for choice in EXPLOSIONS},
)
"""The symbol of each card, for each value of the option ``symbols``."""

_TENS: Final = (
    "ended_game",
    "fewer_explosions",
    "plants",
    "fewer_wands",
    "fewer_cards",
    "fewer_fours",
)
RECIPE_NAMES: Final = (
    "",
    *(f"both:{colour}" for colour in COLOURS),
    *(f"one:{colour}" for colour in COLOURS),
    *_TENS,
)
"""Every recipe that could be written down; the reconstruction says which of them there are."""
RECIPES_BY_NAME: Final[Mapping[str, Recipe]] = MappingProxyType(
    {name: Recipe(i) for i, name in enumerate(RECIPE_NAMES) if name},
)
ALL_RECIPES: Final = tuple(
    RECIPES_BY_NAME[name]
    for name in (
        *(f"both:{colour}" for colour in COLOURS_WITH_A_RECIPE_FOR_BOTH),
        *(f"one:{colour}" for colour in COLOURS_WITH_A_RECIPE_FOR_ONE),
        *_TENS,
    )
)
"""The recipes of the game, before the shuffle."""
RECIPES_FOR_THREE: Final = tuple(RECIPES_BY_NAME[name] for name in _TENS if name != "plants")
"""The recipes with which three seats play, before the shuffle."""
