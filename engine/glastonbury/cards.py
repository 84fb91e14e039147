"""The cards of Glastonbury: small numbers inside, names at the border.

A card is 1 … 77, and 0 is no card. Alike cards have the same number, so nothing can be told from it
that cannot be told from the face of the card.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import Final, NewType

Card = NewType("Card", int)
Ingredient = NewType("Ingredient", int)
"""0 to 17, two for each colour, in the order of COLOURS."""

COLOURS: Final = "YGRBOPWNS"
PAWN_COLOURS: Final = "YGRB"
COLOUR_NAMES: Final[Mapping[str, str]] = MappingProxyType(
    dict(
        zip(
            COLOURS,
            ("yellow", "green", "red", "blue", "orange", "purple", "white", "brown", "grey"),
            strict=True,
        )
    ),
)

INGREDIENT_NAMES: Final = tuple(colour + kind for colour in COLOURS for kind in "ab")
INGREDIENTS: Final = tuple(Ingredient(i) for i in range(len(INGREDIENT_NAMES)))
INGREDIENTS_BY_NAME: Final[Mapping[str, Ingredient]] = MappingProxyType(
    dict(zip(INGREDIENT_NAMES, INGREDIENTS, strict=True)),
)
COLOUR_OF: Final = tuple(name[0] for name in INGREDIENT_NAMES)
"""The colour of an ingredient."""
INGREDIENTS_OF_COLOUR: Final[Mapping[str, tuple[Ingredient, ...]]] = MappingProxyType(
    {colour: tuple(i for i in INGREDIENTS if COLOUR_OF[i] == colour) for colour in COLOURS},
)

VALUES: Final = (1, 2, 3, 4)
SPELL_NAMES: Final = ("Accio", "Declinatio", "Perluceo", "Vanesco")
CARD_NAMES: Final = (
    "",
    *(f"{ingredient}{value}" for ingredient in INGREDIENT_NAMES for value in VALUES),
    "Immuto",
    *SPELL_NAMES,
)
CARDS_BY_NAME: Final[Mapping[str, Card]] = MappingProxyType(
    {name: Card(i) for i, name in enumerate(CARD_NAMES) if name},
)

NO_CARD: Final = Card(0)
IMMUTO: Final = CARDS_BY_NAME["Immuto"]
ACCIO: Final = CARDS_BY_NAME["Accio"]
DECLINATIO: Final = CARDS_BY_NAME["Declinatio"]
PERLUCEO: Final = CARDS_BY_NAME["Perluceo"]
VANESCO: Final = CARDS_BY_NAME["Vanesco"]

NUMBER: Final = (0, *(value for _ in INGREDIENTS for value in VALUES), 0, 0, 0, 0, 0)
"""The number printed on a card: its value, or 0 for Immuto."""
INGREDIENT_OF: Final = tuple(Ingredient((card - 1) // 4) for card in range(IMMUTO))
"""The ingredient of a card; only for ingredient cards."""
CAULDRON_NUMBER: Final = 2

ACCIO_CHARGES: Final = 2
DECLINATIO_CHARGES: Final = 3

_COPIES: Final = {IMMUTO: 2, ACCIO: 2, DECLINATIO: 2, PERLUCEO: 2, VANESCO: 4}


class Task(StrEnum):
    """What a recipe of sort B asks for."""

    FEWEST_CARDS = "fewest_cards"
    FEWEST_FOURS = "fewest_fours"
    FEWEST_SPELLS = "fewest_spells"
    MOST_ONES = "most_ones"
    ENDED_GAME = "ended_game"


RECIPE_COLOURS: Final = "OPWNS"
"""The colours for which there is a recipe of sort A."""


def deck(removed_colour: str | None) -> tuple[Card, ...]:
    """Return the cards of the main deck before the shuffle, without the removed colour."""
    ingredients = [
        Card(card) for card in range(1, IMMUTO) if COLOUR_OF[INGREDIENT_OF[card]] != removed_colour
    ]
    others = [card for card, copies in _COPIES.items() for _ in range(copies)]
    return (*ingredients, *others)
