"""The cards of Gargon: small numbers inside, names at the border.

A card is 1 … 96, and 0 is no card: sixteen values in each of six colours. The two zeros of a colour
are alike and have the same number. 97 … 102 are backs: cards of which only the colour is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, NewType

Card = NewType("Card", int)
Cards = tuple[Card, ...]
Colour = NewType("Colour", int)
"""0 to 5, in the order of COLOUR_LETTERS."""
Pile = NewType("Pile", int)
"""0 is A, 1 is B."""

COLOUR_LETTERS: Final = "WBVYRG"
COLOURS: Final = tuple(Colour(i) for i in range(len(COLOUR_LETTERS)))
COLOUR_NAMES: Final = ("white", "blue", "violet", "yellow", "red", "green")
COLOURS_BY_LETTER: Final[Mapping[str, Colour]] = MappingProxyType(
    dict(zip(COLOUR_LETTERS, COLOURS, strict=True)),
)

HIGHEST: Final = 15
VALUES: Final = tuple(range(HIGHEST + 1))
ZEROS: Final = 2
"""How many zeros there are of each colour."""

NO_CARD: Final = Card(0)
FACES: Final = tuple(Card(i) for i in range(1, len(COLOURS) * len(VALUES) + 1))
ZERO_OF: Final = FACES[:: len(VALUES)]
"""The zeros of each colour."""
BACKS: Final = tuple(Card(len(FACES) + 1 + colour) for colour in COLOURS)
"""The back of each colour."""

CARD_NAMES: Final = (
    "",
    *(f"{letter}{value}" for letter in COLOUR_LETTERS for value in VALUES),
    *(f"{letter}?" for letter in COLOUR_LETTERS),
)
FACES_BY_NAME: Final[Mapping[str, Card]] = MappingProxyType(
    {CARD_NAMES[card]: card for card in FACES},
)
COLOUR_OF: Final = (COLOURS[0], *(c for c in COLOURS for _ in VALUES), *COLOURS)
"""The colour of a card or of a back; there is none for no card."""
VALUE_OF: Final = (0, *(value for _ in COLOURS for value in VALUES))
"""The value of a card; backs have none."""
BACK_OF: Final = (NO_CARD, *(BACKS[COLOUR_OF[card]] for card in (*FACES, *BACKS)))
"""How a card looks from behind."""

PILE_NAMES: Final = "AB"
PILES: Final = (Pile(0), Pile(1))


def deck() -> Cards:
    """Return all cards before the shuffle (gargon#1.1)."""
    return tuple(card for card in FACES for _ in range(1 if VALUE_OF[card] else ZEROS))


def backs(cards: Iterable[Card]) -> Cards:
    """Return how cards look from behind."""
    return tuple([BACK_OF[card] for card in cards])


def letters(colours: Iterable[Colour]) -> str:
    """Write colours as letters."""
    return "".join([COLOUR_LETTERS[colour] for colour in colours])
