"""Points: sets of ingredients, the most ones, recipes (kupferkessel#7 and 8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

from engine.game import Seat
from engine.ingredient_sets import alone_ahead, count_value, set_points, tally
from engine.kupferkessel.cards import (
    INGREDIENT_OF,
    INGREDIENTS,
    INGREDIENTS_OF_COLOUR,
    PLANTS,
    RECIPE_NAMES,
    SYMBOLS,
    VALUE,
    Ingredient,
    Recipe,
    Symbol,
)
from engine.kupferkessel.state import Stack, State

BOTH_POINTS: Final = 15
ONE_POINTS: Final = 5
TEN_POINTS: Final = 10
ONES_POINTS: Final = 5
ENOUGH: Final = 3
"""How many cards of an ingredient, and how many plants, a recipe wants."""


class Sheet(NamedTuple):
    """The points of one seat."""

    ingredients: int
    ones: int
    recipes: int

    @property
    def total(self) -> int:
        """The sum of the three."""
        return self.ingredients + self.ones + self.recipes


def ingredient_points(cauldron: Stack, colour: str) -> int:
    """Score the sets of a cauldron for the pawn of that colour."""
    doubled = INGREDIENTS_OF_COLOUR[colour]
    counts, totals = tally(
        cauldron, INGREDIENT_OF, VALUE, ingredients=len(INGREDIENTS), doubled=doubled
    )
    return sum(map(set_points, counts, totals))


def score_sheets(state: State) -> tuple[Sheet, ...]:
    """Score every seat of a game that is over."""
    setup, cauldrons, end = state.setup, state.cauldrons, state.end
    if end is None or end.last_card:
        raise ValueError("only a game that is over has scores")
    ones = [count_value(cauldron, VALUE, 1) for cauldron in cauldrons]
    dealt = setup.recipes or ((),) * setup.seats
    return tuple(
        Sheet(
            ingredient_points(cauldrons[seat], setup.colours[seat]),
            ONES_POINTS if alone_ahead(ones, seat) else 0,
            sum(recipe_points(recipe, state, seat) for recipe in dealt[seat]),
        )
        for seat in map(Seat, range(setup.seats))
    )


def recipe_points(recipe: Recipe, state: State, seat: Seat) -> int:
    """Pay the holder of a recipe if the game fulfils it (kupferkessel#8.2)."""
    kind, _, colour = RECIPE_NAMES[recipe].partition(":")
    if merit := _MERITS.get(kind):
        merits = [merit(state, Seat(s)) for s in range(state.setup.seats)]
        return TEN_POINTS if alone_ahead(merits, seat) else 0
    enough = _large_sets(state.cauldrons[seat])
    if kind == "plants":
        return TEN_POINTS if len(enough.intersection(PLANTS)) >= ENOUGH else 0
    found = len(enough.intersection(INGREDIENTS_OF_COLOUR[colour]))
    if kind == "both":
        return BOTH_POINTS if found == 2 else 0
    return ONE_POINTS if found else 0


def _large_sets(cauldron: Stack) -> frozenset[Ingredient]:
    """Return the ingredients of which a cauldron has enough cards for a recipe."""
    counts = Counter(INGREDIENT_OF[card] for card in cauldron)
    return frozenset(ingredient for ingredient, count in counts.items() if count >= ENOUGH)


def _with_symbol(state: State, seat: Seat, symbol: Symbol) -> int:
    symbols = SYMBOLS[state.setup.symbols]
    return sum(symbols[card] is symbol for card in state.cauldrons[seat])


def _ended(state: State, seat: Seat) -> int:
    return int(state.end is not None and state.end.ender == seat)


_MERITS: Final[Mapping[str, Callable[[State, Seat], int]]] = {
    "ended_game": _ended,
    "fewer_explosions": lambda state, seat: -_with_symbol(state, seat, Symbol.EXPLOSION),
    "fewer_wands": lambda state, seat: -_with_symbol(state, seat, Symbol.WAND),
    "fewer_cards": lambda state, seat: -len(state.cauldrons[seat]),
    "fewer_fours": lambda state, seat: -count_value(state.cauldrons[seat], VALUE, 4),
}
"""In what the holder of a recipe must be ahead of each other seat."""
