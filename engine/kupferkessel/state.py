"""A position of Kupferkessel Co., and what can happen in one."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from engine.board import Cell, Stop
from engine.game import Event, Seat, event
from engine.kupferkessel.cards import Card, Recipe

Stack = tuple[Card, ...]
"""Cards from the bottom to the top."""

Recipes = tuple[Recipe, ...]
"""The recipes of a seat: two with two seats, one with three."""


class Phase(StrEnum):
    """What is being decided."""

    TAKE = "take"
    TAKE_AGAIN = "take_again"
    EXPLOSION = "explosion"
    WAND = "wand"
    KEEP = "keep"
    OVER = "over"


class Ending(StrEnum):
    """Why a game ended."""

    LINE_EMPTIED = "line_emptied"
    TURN_CAP = "turn_cap"


class Setup(NamedTuple):
    """What stays the same from the deal to the end."""

    seats: int
    colours: str
    """The pawn colour of each seat, a letter each."""
    symbols: str
    """Which cards carry symbols, by the name of the choice."""
    recipes: tuple[Recipes, ...] | None


class End(NamedTuple):
    """How the game ended, from the moment it did."""

    ending: Ending
    ender: Seat | None
    last_card: Card
    """The card that is to be kept or discarded; no card once that is settled."""


class State(NamedTuple):
    """A position, ready for a decision or over."""

    setup: Setup
    board: tuple[Card, ...]
    """By cell; NO_CARD where there is none."""
    pile: tuple[Card, ...]
    """From the top to the bottom."""
    cauldrons: tuple[Stack, ...]
    stops: tuple[Stop, ...]
    out: tuple[Card, ...]
    """The cards that left the game, in the order in which they did."""
    seat: Seat
    """Whose turn it is; after the end, whose turn was the last."""
    phase: Phase
    turn: int
    """The number of the turn, from 1."""
    steps: int
    """How far the pawn moved last in this turn."""
    gap: Cell | None
    """The cell that is refilled once the symbol of its card is settled."""
    end: End | None


class View(NamedTuple):
    """What one seat, or a spectator, may know of a position (kupferkessel#9)."""

    viewer: Seat | None
    colours: str
    symbols: str
    phase: Phase
    seat: Seat
    turn: int
    steps: int
    board: tuple[Card, ...]
    pile_size: int
    stops: tuple[Stop, ...]
    tops: tuple[Card, ...]
    """The top card of each cauldron; there always is one."""
    heights: tuple[int, ...]
    out: tuple[Card, ...]
    with_recipes: bool
    recipes: tuple[Recipes | None, ...]
    """By seat: the own recipes, everybody's once the game is over; empty without recipes."""
    cauldrons: tuple[Stack, ...]
    """Every cauldron, once the game is over; empty before."""
    ending: Ending | None
    ender: Seat | None
    last_card: Card


@event
class DrewStartCard(Event):
    """A seat drew a card to start with, and kept it, or put it under the draw pile."""

    seat: Seat
    card: Card
    kept: bool


@event
class Moved(Event):
    """A pawn walked."""

    seat: Seat
    steps: int
    stop: Stop


@event
class Passed(Event):
    """A pawn stands at a corner and its seat takes nothing."""

    seat: Seat


@event
class Took(Event):
    """A card left the board."""

    seat: Seat
    cell: Cell
    card: Card


@event
class UsedSymbol(Event):
    """The symbol of the card that was just taken acts."""

    seat: Seat
    card: Card


@event
class Lost(Event):
    """A seat lost its top card to an explosion, under the pile or out of the game."""

    seat: Seat
    card: Card
    under_pile: bool


@event
class Refilled(Event):
    """The top card of the draw pile went to a cell."""

    cell: Cell
    card: Card


@event
class Ended(Event):
    """The game is over, but for the last card."""

    ending: Ending
    ender: Seat | None


@event
class Kept(Event):
    """The last card was kept."""

    seat: Seat
    card: Card


@event
class Discarded(Event):
    """The last card was refused."""

    seat: Seat
    card: Card


@event
class CauldronsOpened(Event):
    """All cauldrons are open."""

    cauldrons: tuple[Stack, ...]


@event
class RecipesOpened(Event):
    """All recipes are open."""

    recipes: tuple[Recipes, ...]
