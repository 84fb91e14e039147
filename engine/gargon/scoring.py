"""Points: amulets, zeros, majorities (gargon#7)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from engine.gargon.cards import COLOUR_OF, COLOURS, VALUE_OF, Cards
from engine.gargon.data import AMULETS

SOLE_MAJORITY: Final = 10
SHARED_MAJORITY: Final = 5


class Sheet(NamedTuple):
    """The points of one seat."""

    amulets: int
    majorities: int

    @property
    def total(self) -> int:
        """The sum of both."""
        return self.amulets + self.majorities


def score_sheets(captured: Sequence[Cards]) -> tuple[Sheet, ...]:
    """Score what each seat has captured."""
    return tuple(map(Sheet, map(amulet_points, captured), majority_points(captured)))


def amulet_points(cards: Cards) -> int:
    """Count the amulets on captured cards, doubled for each zero of their colour."""
    amulets = [0] * len(COLOURS)
    zeros = [0] * len(COLOURS)
    for card in cards:
        value = VALUE_OF[card]
        amulets[COLOUR_OF[card]] += AMULETS[value]
        zeros[COLOUR_OF[card]] += not value
    return sum(count << doublings for count, doublings in zip(amulets, zeros, strict=True))


def majority_points(captured: Sequence[Cards]) -> list[int]:
    """Pay those who have captured most cards of a colour, for each colour."""
    points = [0] * len(captured)
    for colour in COLOURS:
        counts = [sum([COLOUR_OF[card] == colour for card in cards]) for cards in captured]
        most = max(counts)
        if most:
            paid = SOLE_MAJORITY if counts.count(most) == 1 else SHARED_MAJORITY
            for seat, count in enumerate(counts):
                points[seat] += paid * (count == most)
    return points
