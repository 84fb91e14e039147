"""What the rule booklet of Festo! shows only in pictures, or not at all.

Everything here is reconstructed, except where a comment names an example of the booklet. If you own
the game and read other numbers, correct them here and in section 11 of docs/rules/festo.md, and
raise the rules version of the game: records of the old version have scores by the old tables.
"""

from __future__ import annotations

from typing import Final

COSTS: Final = (
    (2, 1),  # drink: reconstructed
    (2, 2),  # starter: reconstructed; an example of the booklet has a dish of this cost
    (3, 2),  # side: reconstructed; an example of the booklet has a dish of this cost
    (3, 3),  # dessert: reconstructed
)
"""Cubes of the main colour and of another colour, by category of small dish."""

DISH_POINTS: Final = (
    6,  # drink: reconstructed
    8,  # starter: reconstructed
    10,  # side: reconstructed
    12,  # dessert: reconstructed
    15,  # roast: reconstructed
    14,  # main course: reconstructed
)
"""The points of a dish, by category."""

SERIES_POINTS: Final = (
    0,
    1,  # one category: reconstructed
    3,  # two categories: printed in an example of the booklet
    6,  # three categories: reconstructed
    10,  # four categories: printed in an example of the booklet
    15,  # five categories: reconstructed
    21,  # six categories: reconstructed
)
"""The points of a series, by its number of categories."""

MAGIC_POINTS: Final = 1
"""The points of the token that a magic dish brings: reconstructed."""

MAGIC_COLOURS: Final = (
    (0, 1, 2, 3, 4, 5),  # drink: reconstructed
    (0, 1, 2, 3, 4, 5),  # starter: reconstructed
    (None,) * 6,  # side: reconstructed
    (0, 1, 2, 3, 4, 5),  # dessert: reconstructed
)
"""The colour on the back of a small dish, by category and by the main colour of its front, both in
the order meat, honey, spice, mushroom, fruit, potato. The back of a side shows no colour."""

MARKET_BONUS: Final = (0, 1, 2, 3, 4, 5)
"""The colours of the event cards E01 to E06: reconstructed."""
MARKET_BONUS_CUBES: Final = 2
"""The cubes that such a card adds to the market of its colour: reconstructed."""
COOK_BONUS: Final = (0, 1, 2, 3, 4, 5)
"""The categories of the event cards E07 to E12: reconstructed."""
COOK_BONUS_POINTS: Final = 2
"""The points that such a card gives for each dish of its category: reconstructed."""
FEWER_DICE: Final = (1, 2)
"""By how many dice the event cards E13 and E14 reduce each roll: reconstructed."""
