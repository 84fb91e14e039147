"""Glastonbury for people who look at a match."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from engine.board import CELL_NAMES, LINE_AT, line_name
from engine.game import Event, Seat
from engine.glastonbury.cards import CARD_NAMES, INGREDIENT_NAMES, NO_CARD, Card, Ingredient
from engine.glastonbury.moves import AssignImmuto, Move
from engine.glastonbury.rules import Glastonbury
from engine.glastonbury.scoring import best_assignment, immuto_holders, score_sheets
from engine.glastonbury.state import (
    CauldronsOpened,
    Discarded,
    End,
    Ended,
    Ending,
    ImmutoAssigned,
    Kept,
    Looked,
    Lost,
    Moved,
    Passed,
    Recipes,
    RecipesOpened,
    Refilled,
    Spells,
    Stack,
    State,
    Took,
    UsedDeclinatio,
    View,
)

_GAME: Final = Glastonbury()


class GlastonburyStory:
    """How Glastonbury is told."""

    def view(self, view: View) -> Mapping[str, object]:
        """Return what a viewer knows (glastonbury#11)."""
        return {
            "phase": str(view.phase),
            "turn": view.seat,
            "steps": view.steps,
            "colours": list(view.colours),
            "removed_colour": view.removed_colour,
            "board": _names(view.board),
            "pile_size": view.pile_size,
            "pile": None,
            "stops": list(view.stops),
            "tops": _names(view.tops),
            "heights": list(view.heights),
            "cauldrons": _stacks(view.cauldrons) if view.cauldrons else None,
            "spells": list(map(_spells, view.spells)),
            "recipes": list(map(_recipes, view.recipes)) if view.with_recipes else None,
            "out": _names(view.out),
            "last_card": CARD_NAMES[view.last_card],
            "assignments": [_ingredients(own) for own in view.assignments] or None,
            "ending": view.ending and str(view.ending),
            "ender": view.ender,
        }

    def everything(self, state: State) -> Mapping[str, object]:
        """Return a position with the draw pile, the cauldrons and the recipes open."""
        recipes = state.setup.recipes
        return {
            **self.view(_GAME.view(state, None)),
            "pile": _names(state.pile),
            "cauldrons": _stacks(state.cauldrons),
            "recipes": recipes and list(map(_recipes, recipes)),
        }

    def sentence(self, event: Event) -> str:
        """Tell an event in a few words."""
        return _SENTENCES[type(event)](event)

    def covered(self, move: Move) -> str | None:
        """Return how a sealed assignment looks to the others."""
        return "immuto" if isinstance(move, AssignImmuto) else None

    def scores(self, state: State) -> Sequence[int]:
        """Score a position as if it were the last, each Immuto being what is best."""
        return [sheet.total for sheet in score_sheets(_ended(state))]


def _ended(state: State) -> State:
    """Return the position as if the game ended here; as it is if it has."""
    end = state.end
    if end is not None and end.assignments:
        return state
    holders = immuto_holders(state.cauldrons)
    assignments = tuple(
        best_assignment(state.setup, state.cauldrons, seat) if seat in holders else ()
        for seat in map(Seat, range(state.setup.seats))
    )
    ender = end.ender if end else None
    return state._replace(end=End(Ending.LINE_EMPTIED, ender, NO_CARD, assignments))


def _names(cards: Iterable[Card]) -> list[str]:
    return [CARD_NAMES[card] for card in cards]


def _stacks(cauldrons: Iterable[Stack]) -> list[list[str]]:
    return list(map(_names, cauldrons))


def _ingredients(ingredients: Iterable[Ingredient]) -> list[str]:
    return [INGREDIENT_NAMES[i] for i in ingredients]


def _spells(own: Spells) -> dict[str, object]:
    return {"taken": _names(own.taken), "accio": own.accio, "declinatio": own.declinatio}


def _recipes(own: Recipes | None) -> dict[str, str] | None:
    return own and {"colour": own.colour, "task": str(own.task)}


def _moved(event: Moved) -> str:
    line = LINE_AT[event.stop]
    where = line_name(line) if line else "a corner"
    steps = f"{event.steps} step{'' if event.steps == 1 else 's'}"
    how = f"walks {steps} to" if event.steps else "stays at"
    return f"seat {event.seat} {how} {where}"


def _lost(event: Lost) -> str:
    where = "under the draw pile" if event.under_pile else "out of the game"
    return f"seat {event.seat} loses {CARD_NAMES[event.card]} to Vanesco, {where}"


def _took(event: Took) -> str:
    how = " with Accio" if event.used_accio else ""
    return f"seat {event.seat} takes {CARD_NAMES[event.card]} from {CELL_NAMES[event.cell]}{how}"


def _over(event: Ended) -> str:
    by = "" if event.ender is None else f", by seat {event.ender}"
    return f"the game ends: {event.ending.replace('_', ' ')}{by}"


_SENTENCES: Final[Mapping[type[Event], Callable[[Any], str]]] = MappingProxyType(
    {
        Moved: _moved,
        Passed: lambda event: f"seat {event.seat} takes nothing at the corner",
        UsedDeclinatio: lambda event: f"seat {event.seat} uses Declinatio",
        Took: _took,
        Refilled: lambda event: f"{CARD_NAMES[event.card]} fills {CELL_NAMES[event.cell]}",
        Lost: _lost,
        Looked: lambda event: (
            f"seat {event.seat} looks into its cauldron: {' '.join(_names(event.cauldron))}"
        ),
        Ended: _over,
        Kept: lambda event: f"seat {event.seat} keeps the last card, {CARD_NAMES[event.card]}",
        Discarded: lambda event: (
            f"seat {event.seat} refuses the last card, {CARD_NAMES[event.card]}"
        ),
        CauldronsOpened: lambda _: "all cauldrons are opened",
        ImmutoAssigned: lambda event: (
            f"seat {event.seat} turns Immuto into {' and '.join(_ingredients(event.ingredients))}"
        ),
        RecipesOpened: lambda _: "all recipes are opened",
    },
)

PRESENTATION: Final = GlastonburyStory()
