"""The components of Festo!: small numbers inside, names at the border.

A colour is 0 … 5 and salt is 6. A spot is 0 … 5 for a character and 6 for the Grocer. A dish is
1 … 24 for a small dish (six colours in each of four categories), 25 for a roast, 26 for a main
course, and 0 is no dish.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final, NewType

from engine.festo.data import MAGIC_COLOURS

Colour = NewType("Colour", int)
"""0 to 5 in the order of COLOUR_LETTERS; 6 is salt."""
Spot = NewType("Spot", int)
"""0 to 5 in the order of CHARACTERS; 6 is the Grocer."""
Dish = NewType("Dish", int)
Category = NewType("Category", int)
"""0 to 5 in the order of CATEGORY_NAMES."""
EventCard = NewType("EventCard", int)
"""1 to 14; the reconstructed event cards E01 to E14."""
Counts = tuple[int, ...]
"""A number of cubes for each colour; with salt where there can be salt."""

COLOUR_LETTERS: Final = "MHSUFP"
CUBE_LETTERS: Final = COLOUR_LETTERS + "N"
COLOURS: Final = tuple(Colour(i) for i in range(len(COLOUR_LETTERS)))
SALT: Final = Colour(len(COLOURS))
CUBES: Final = (*COLOURS, SALT)
CUBE_NAMES: Final = ("meat", "honey", "spice", "mushroom", "fruit", "potato", "salt")
CUBES_BY_LETTER: Final[Mapping[str, Colour]] = MappingProxyType(
    dict(zip(CUBE_LETTERS, CUBES, strict=True)),
)
CUBES_PER_COLOUR: Final = 14
NO_CUBES: Final[Counts] = (0,) * len(COLOURS)

SPOT_NAMES: Final = ("troll", "pixies", "orc", "magician", "elf", "dwarf", "grocer")
SPOTS: Final = tuple(Spot(i) for i in range(len(SPOT_NAMES)))
CHARACTERS: Final = SPOTS[:-1]
TROLL, PIXIES, ORC, MAGICIAN, ELF, DWARF, GROCER = SPOTS
SPOTS_BY_NAME: Final[Mapping[str, Spot]] = MappingProxyType(
    dict(zip(SPOT_NAMES, SPOTS, strict=True)),
)
WESTERN: Final = 3
"""How many spots, from the left, belong to the first part of a placement (festo#4.5)."""

CATEGORY_NAMES: Final = ("drink", "starter", "side", "dessert", "roast", "main")
CATEGORIES: Final = tuple(Category(i) for i in range(len(CATEGORY_NAMES)))
DRINK, STARTER, SIDE, DESSERT, ROASTS, MAINS = CATEGORIES
ROWS: Final = CATEGORIES[:ROASTS]
"""The categories of small dishes, each of which has a row of the buffet."""
COLUMNS: Final = 3
PLACES: Final = len(ROWS) * COLUMNS
"""The places of the buffet, row by row from left to right."""

NO_DISH: Final = Dish(0)
SMALL_DISHES: Final = tuple(Dish(i) for i in range(1, len(ROWS) * len(COLOURS) + 1))
ROAST: Final = Dish(len(SMALL_DISHES) + 1)
MAIN: Final = Dish(len(SMALL_DISHES) + 2)
DISHES: Final = (*SMALL_DISHES, ROAST, MAIN)
DISH_NAMES: Final = (
    "",
    *(f"{CATEGORY_NAMES[row]}-{letter}" for row in ROWS for letter in COLOUR_LETTERS),
    "roast",
    "main",
)
DISHES_BY_NAME: Final[Mapping[str, Dish]] = MappingProxyType(
    {DISH_NAMES[dish]: dish for dish in DISHES},
)
CATEGORY_OF: Final = (
    CATEGORIES[0],
    *(row for row in ROWS for _ in COLOURS),
    ROASTS,
    MAINS,
)
"""The category of a dish; there is none for no dish."""
COLOUR_OF: Final = (COLOURS[0], *(colour for _ in ROWS for colour in COLOURS), SALT, SALT)
"""The main colour of a small dish; roasts and main courses have none."""
BACK_OF: Final = (
    COLOURS[0],
    *(SALT if back is None else COLOURS[back] for row in ROWS for back in MAGIC_COLOURS[row]),
    SALT,
    SALT,
)
"""The colour of the advantage of a magic dish (festo#9.2); sides have none."""

TOKEN_NAMES: Final = ("helper", "disc")
HELPERS: Final = 6
DISCS: Final = 2

EVENT_CARDS: Final = tuple(EventCard(i) for i in range(1, 15))
EVENT_NAMES: Final = ("", *(f"E{number:02}" for number in EVENT_CARDS))


def row_of_dishes(row: Category) -> tuple[Dish, ...]:
    """Return the six dishes of a category in the order of colours (festo#3.1)."""
    first = row * len(COLOURS)
    return SMALL_DISHES[first : first + len(COLOURS)]


def letters(counts: Iterable[int]) -> str:
    """Write cubes together in the order of the letters (festo#12.1)."""
    return "".join(
        [letter * count for letter, count in zip(CUBE_LETTERS, counts, strict=False) if count]
    )


def dish_names(dishes: Iterable[Dish]) -> list[str]:
    """Write dishes by name."""
    return [DISH_NAMES[dish] for dish in dishes]
