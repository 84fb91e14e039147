"""What the rule booklet of Kupferkessel Co. does not say, and only the printed cards would.

Everything in this file is RECONSTRUCTED; kupferkessel#1.3 and 8.3 say from what. An owner of the
game can correct it here and nowhere else in the engine: change the tables, raise ``rules_version``
in rules.py, correct those two paragraphs of docs/rules/kupferkessel.md, and let ``pytest --update``
write the recorded games anew. The naive implementation under tests/ has a copy of its own, on
purpose, and objects until it is told as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

EXPLOSIONS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "neutral2": ("Sa2", "Ba2", "Na2", "Ga2", "La2"),
        "all2": ("Wa2", "Ka2", "Sa2", "Ba2", "Na2", "Ga2", "La2"),
    },
)
"""The cards with an exploding cauldron, for each value of the option ``symbols``."""

WANDS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "neutral2": ("Sb2", "Bb2", "Nb2", "Gb2", "Lb2"),
        "all2": ("Wb2", "Kb2", "Sb2", "Bb2", "Nb2", "Gb2", "Lb2"),
    },
)
"""The cards with a wand and a hat, likewise. No card has both symbols."""

COLOURS_WITH_A_RECIPE_FOR_BOTH: Final = "SBNGL"
"""The colours for which there is a recipe that pays 15 for both ingredients."""

COLOURS_WITH_A_RECIPE_FOR_ONE: Final = "WK"
"""The colours for which there is a recipe that pays 5 for one ingredient."""
