"""Kupferkessel Co. for people who look at a match."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from engine.board import CELL_NAMES, LINE_AT, line_name
from engine.game import Event
from engine.kupferkessel.cards import CARD_NAMES, NO_CARD, RECIPE_NAMES, SYMBOLS, Card, Symbol
from engine.kupferkessel.moves import Move
from engine.kupferkessel.rules import Kupferkessel
from engine.kupferkessel.scoring import score_sheets
from engine.kupferkessel.state import (
    CauldronsOpened,
    Discarded,
    DrewStartCard,
    End,
    Ended,
    Ending,
    Kept,
    Lost,
    Moved,
    Passed,
    Recipes,
    RecipesOpened,
    Refilled,
    Stack,
    State,
    Took,
    UsedSymbol,
    View,
)

_GAME: Final = Kupferkessel()
_MARKS: Final = {Symbol.NONE: "", Symbol.EXPLOSION: "!", Symbol.WAND: "~"}


class KupferkesselStory:
    """How Kupferkessel Co. is told. A card with a symbol has its mark: ``Sa2!`` or ``Sb2~``."""

    def view(self, view: View) -> Mapping[str, object]:
        """Return what a viewer knows (kupferkessel#9)."""
        names = _Names(view.symbols)
        return {
            "phase": str(view.phase),
            "turn": view.seat,
            "number": view.turn,
            "steps": view.steps,
            "colours": list(view.colours),
            "board": names.of(view.board),
            "pile_size": view.pile_size,
            "pile": None,
            "stops": list(view.stops),
            "tops": names.of(view.tops),
            "heights": list(view.heights),
            "cauldrons": names.stacks(view.cauldrons) if view.cauldrons else None,
            "recipes": list(map(_recipes, view.recipes)) if view.with_recipes else None,
            "out": names.of(view.out),
            "last_card": names.one(view.last_card),
            "ending": view.ending and str(view.ending),
            "ender": view.ender,
        }

    def everything(self, state: State) -> Mapping[str, object]:
        """Return a position with the draw pile, the cauldrons and the recipes open."""
        names, recipes = _Names(state.setup.symbols), state.setup.recipes
        return {
            **self.view(_GAME.view(state, None)),
            "pile": names.of(state.pile),
            "cauldrons": names.stacks(state.cauldrons),
            "recipes": recipes and list(map(_recipes, recipes)),
        }

    def sentence(self, event: Event) -> str:
        """Tell an event in a few words."""
        return _SENTENCES[type(event)](event)

    def covered(self, move: Move) -> str | None:  # noqa: ARG002  as every story has it
        """Return nothing: every move is made openly."""
        return None

    def scores(self, state: State) -> Sequence[int]:
        """Score a position as if it were the last."""
        end = state.end
        ender = end.ender if end else None
        ended = state._replace(end=End(Ending.LINE_EMPTIED, ender, NO_CARD))
        return [sheet.total for sheet in score_sheets(ended)]


class _Names:
    """The names of cards, with the marks of their symbols."""

    def __init__(self, symbols: str) -> None:
        self._symbols = SYMBOLS[symbols]

    def one(self, card: Card) -> str:
        return CARD_NAMES[card] + _MARKS[self._symbols[card]]

    def of(self, cards: Iterable[Card]) -> list[str]:
        return list(map(self.one, cards))

    def stacks(self, stacks: Iterable[Stack]) -> list[list[str]]:
        return list(map(self.of, stacks))


def _recipes(own: Recipes | None) -> list[str] | None:
    return None if own is None else [RECIPE_NAMES[recipe] for recipe in own]


def _drew(event: DrewStartCard) -> str:
    then = "" if event.kept else ", which goes under the draw pile"
    return f"seat {event.seat} starts with {CARD_NAMES[event.card]}{then}"


def _moved(event: Moved) -> str:
    line = LINE_AT[event.stop]
    where = line_name(line) if line else "a corner"
    steps = f"{event.steps} step{'' if event.steps == 1 else 's'}"
    return f"seat {event.seat} walks {steps} to {where}"


def _lost(event: Lost) -> str:
    where = "under the draw pile" if event.under_pile else "out of the game"
    return f"seat {event.seat} loses {CARD_NAMES[event.card]} to the explosion, {where}"


def _over(event: Ended) -> str:
    by = "" if event.ender is None else f", by seat {event.ender}"
    return f"the game ends: {event.ending.replace('_', ' ')}{by}"


_SENTENCES: Final[Mapping[type[Event], Callable[[Any], str]]] = MappingProxyType(
    {
        DrewStartCard: _drew,
        Moved: _moved,
        Passed: lambda event: f"seat {event.seat} takes nothing at the corner",
        Took: lambda event: (
            f"seat {event.seat} takes {CARD_NAMES[event.card]} from {CELL_NAMES[event.cell]}"
        ),
        UsedSymbol: lambda event: f"seat {event.seat} uses the symbol of {CARD_NAMES[event.card]}",
        Lost: _lost,
        Refilled: lambda event: f"{CARD_NAMES[event.card]} fills {CELL_NAMES[event.cell]}",
        Ended: _over,
        Kept: lambda event: f"seat {event.seat} keeps the last card, {CARD_NAMES[event.card]}",
        Discarded: lambda event: (
            f"seat {event.seat} refuses the last card, {CARD_NAMES[event.card]}"
        ),
        CauldronsOpened: lambda _: "all cauldrons are opened",
        RecipesOpened: lambda _: "all recipes are opened",
    },
)

PRESENTATION: Final = KupferkesselStory()
