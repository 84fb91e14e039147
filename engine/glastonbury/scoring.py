"""Points: sets of ingredients, Immuto, recipes (glastonbury#9 and 10)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from engine.game import Seat
from engine.glastonbury.cards import (
    COLOUR_OF,
    IMMUTO,
    INGREDIENT_OF,
    INGREDIENTS,
    INGREDIENTS_OF_COLOUR,
    NUMBER,
    Ingredient,
    Task,
)
from engine.glastonbury.moves import ASSIGNMENTS
from engine.glastonbury.state import Setup, Spells, Stack, State
from engine.ingredient_sets import alone_ahead, count_value, set_points, tally

TASK_POINTS = 10


class Sheet(NamedTuple):
    """The points of one seat."""

    ingredients: int
    recipe_a: int
    recipe_b: int

    @property
    def total(self) -> int:
        """The sum of the three."""
        return self.ingredients + self.recipe_a + self.recipe_b


def ingredient_points(cauldron: Stack, colour: str, assigned: Sequence[Ingredient] = ()) -> int:
    """Score the sets of a cauldron for the pawn of that colour, with its Immuto assigned."""
    counts, totals = _tally(cauldron, colour)
    for ingredient in assigned:
        counts[ingredient] += 1
    return sum(map(set_points, counts, totals))


def immuto_holders(cauldrons: Sequence[Stack]) -> tuple[Seat, ...]:
    """Return the seats that have Immuto in the cauldron."""
    return tuple(Seat(i) for i, cauldron in enumerate(cauldrons) if IMMUTO in cauldron)


def best_assignment(setup: Setup, cauldrons: Sequence[Stack], seat: Seat) -> tuple[Ingredient, ...]:
    """Return the assignment that is best for the sets and the recipe A of a holder of Immuto.

    The Immuto of the other seats count nowhere; among equals the first in canonical order is best.
    """
    immuto = cauldrons[seat].count(IMMUTO)
    counts, totals = _tally(cauldrons[seat], setup.colours[seat])

    def gain(ingredient: Ingredient, more: int) -> int:
        count, total = counts[ingredient], totals[ingredient]
        return set_points(count + more, total) - set_points(count, total)

    colour: str | None = None
    recipe_a: tuple[int, ...] = (0, 0, 0)
    if setup.recipes is not None:
        colour = setup.recipes[seat].colour
        held = _colour_counts(cauldrons, colour)
        recipe_a = tuple(_recipe_a_points(_added(held, seat, k), seat) for k in (0, 1, 2))
    one = [gain(i, 1) for i in INGREDIENTS]
    two = [gain(i, 2) for i in INGREDIENTS] if immuto == 2 else one

    def worth(assigned: tuple[Ingredient, ...]) -> int:
        first, last = assigned[0], assigned[-1]
        sets = two[first] if first == last else one[first] + one[last]
        return sets + recipe_a[sum([COLOUR_OF[i] == colour for i in assigned])]

    return max((move.ingredients for move in ASSIGNMENTS[setup.removed_colour, immuto]), key=worth)


def score_sheets(state: State) -> tuple[Sheet, ...]:
    """Score every seat of a game that is over."""
    setup, cauldrons, end = state.setup, state.cauldrons, state.end
    if end is None or not end.assignments:
        raise ValueError("only a game that is over has scores")
    sheets = []
    for seat in map(Seat, range(setup.seats)):
        points = ingredient_points(cauldrons[seat], setup.colours[seat], end.assignments[seat])
        if setup.recipes is None:
            sheets.append(Sheet(points, 0, 0))
            continue
        recipes = setup.recipes[seat]
        counts = [
            held + sum(COLOUR_OF[i] == recipes.colour for i in assigned)
            for held, assigned in zip(
                _colour_counts(cauldrons, recipes.colour), end.assignments, strict=True
            )
        ]
        recipe_b = _recipe_b_points(recipes.task, cauldrons, state.spells, end.ender, seat)
        sheets.append(Sheet(points, _recipe_a_points(counts, seat), recipe_b))
    return tuple(sheets)


def _tally(cauldron: Stack, colour: str) -> tuple[list[int], list[int]]:
    """Count the cards of each ingredient and add up their values, doubled in the own colour."""
    if IMMUTO in cauldron:
        cauldron = tuple([card for card in cauldron if card != IMMUTO])
    return tally(
        cauldron,
        INGREDIENT_OF,
        NUMBER,
        ingredients=len(INGREDIENTS),
        doubled=INGREDIENTS_OF_COLOUR[colour],
    )


def _colour_counts(cauldrons: Sequence[Stack], colour: str) -> list[int]:
    return [
        sum(card != IMMUTO and COLOUR_OF[INGREDIENT_OF[card]] == colour for card in cauldron)
        for cauldron in cauldrons
    ]


def _added(counts: Sequence[int], seat: Seat, more: int) -> list[int]:
    return [count + more if s == seat else count for s, count in enumerate(counts)]


def _recipe_a_points(counts: Sequence[int], seat: Seat) -> int:
    """Pay the holder for cards of the recipe's colour; ``counts`` has their number by seat."""
    each = 2 if len(counts) == 4 else 1
    return counts[seat] * each if alone_ahead(counts, seat) else 0


def _recipe_b_points(
    task: Task,
    cauldrons: Sequence[Stack],
    spells: Sequence[Spells],
    ender: Seat | None,
    seat: Seat,
) -> int:
    merits: list[int]
    if task is Task.FEWEST_CARDS:
        merits = [-len(cauldron) for cauldron in cauldrons]
    elif task is Task.FEWEST_FOURS:
        merits = [-count_value(cauldron, NUMBER, 4) for cauldron in cauldrons]
    elif task is Task.FEWEST_SPELLS:
        merits = [-len(own.taken) for own in spells]
    elif task is Task.MOST_ONES:
        merits = [count_value(cauldron, NUMBER, 1) for cauldron in cauldrons]
    else:
        merits = [int(s == ender) for s in range(len(cauldrons))]
    return TASK_POINTS if alone_ahead(merits, seat) else 0
