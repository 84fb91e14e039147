"""What the rule sheet of Gargon shows only in pictures.

The number of amulets by value is reconstructed (gargon#1.5 says from what). If you own the cards
and count something else, correct it here and in the table of docs/rules/gargon.md, and raise the
game's rules version: records of the old version have scores by the old table.
"""

from __future__ import annotations

from typing import Final

AMULETS: Final = (
    0,  # 0: printed in the sheet
    5,  # 1: forced by the sheet's example, and given in a review
    5,  # 2: forced by the sheet's example
    4,  # 3: reconstructed
    3,  # 4: reconstructed, after one review
    3,  # 5: printed in the sheet's example
    3,  # 6: forced by the sheet's example
    2,  # 7: printed in the sheet's example
    2,  # 8: reconstructed
    2,  # 9: reconstructed
    1,  # 10: forced by the sheet's example
    1,  # 11: forced by the sheet's example
    1,  # 12: forced by the sheet's example, and given in a review
    0,  # 13: printed in the sheet
    0,  # 14: printed in the sheet
    0,  # 15: printed in the sheet
)
"""The amulets on a card, by its value."""
