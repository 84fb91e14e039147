"""Sets of ingredients, and who is alone ahead.

Glastonbury and Kupferkessel Co. collect cards of ingredients, each with a value from 1 to 4, and
score them alike. What a card is differs between the two, so each passes its own tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence


def set_points(count: int, total: int) -> int:
    """Score the cards of one ingredient: how many, and the sum of their values."""
    if count == 1:
        return -total
    if count <= 2:
        return 0
    return total if count == 3 else total + 5


def tally(
    cards: Iterable[int],
    ingredient_of: Sequence[int],
    value_of: Sequence[int],
    *,
    ingredients: int,
    doubled: Iterable[int] = (),
) -> tuple[list[int], list[int]]:
    """Count the cards of each ingredient, and add up their values, of some ingredients twice."""
    counts = [0] * ingredients
    totals = [0] * ingredients
    for card in cards:
        ingredient = ingredient_of[card]
        counts[ingredient] += 1
        totals[ingredient] += value_of[card]
    for ingredient in doubled:
        totals[ingredient] *= 2
    return counts, totals


def count_value(cards: Iterable[int], value_of: Sequence[int], value: int) -> int:
    """Count the cards of one value."""
    return sum(value_of[card] == value for card in cards)


def alone_ahead(merits: Sequence[int], seat: int) -> bool:
    """Tell whether a seat has more merit than each of the others."""
    return all(merits[seat] > merit for s, merit in enumerate(merits) if s != seat)
