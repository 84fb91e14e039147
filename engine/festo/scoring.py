"""What the dishes, the series, the cubes left and the tokens are worth (festo#8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from engine.festo.cards import CATEGORIES, CATEGORY_OF, Counts, Dish
from engine.festo.data import DISH_POINTS, SERIES_POINTS


class ScoreSheet(NamedTuple):
    """The score of one seat, and what decides between equal scores."""

    dishes: int
    series: int
    cubes: int
    tokens: int
    dishes_cooked: int

    @property
    def total(self) -> int:
        """The score."""
        return self.dishes + self.series + self.cubes + self.tokens

    @property
    def tiebreak(self) -> tuple[int, int]:
        """The number of dishes, then the cubes left (festo#8.3)."""
        return self.dishes_cooked, self.cubes


def score_sheets(
    dishes: Sequence[tuple[Dish, ...]], cubes: Sequence[Counts], points: Counts
) -> list[ScoreSheet]:
    """Score every seat."""
    return [
        ScoreSheet(
            sum([DISH_POINTS[CATEGORY_OF[dish]] for dish in cooked]),
            series_points(cooked),
            sum(left),
            tokens,
            len(cooked),
        )
        for cooked, left, tokens in zip(dishes, cubes, points, strict=True)
    ]


def series_points(dishes: Sequence[Dish]) -> int:
    """Score the series: the first has one dish of each category, and so on (festo#8.2)."""
    counts = [0] * len(CATEGORIES)
    for dish in dishes:
        counts[CATEGORY_OF[dish]] += 1
    return sum([SERIES_POINTS[sum([count > n for count in counts])] for n in range(max(counts))])
