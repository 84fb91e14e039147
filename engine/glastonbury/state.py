"""A position of Glastonbury, and what can happen in one."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from engine.board import Cell, Stop
from engine.game import Event, Seat, event
from engine.glastonbury.cards import Card, Ingredient, Task

Stack = tuple[Card, ...]
"""Cards from the bottom to the top."""


class Phase(StrEnum):
    """What is being decided."""

    CORNER = "corner"
    TAKE = "take"
    TAKE_AFTER_DECLINATIO = "take_after_declinatio"
    KEEP = "keep"
    IMMUTO = "immuto"
    OVER = "over"


class Ending(StrEnum):
    """Why a game ended."""

    LINE_EMPTIED = "line_emptied"
    DEAD_END = "dead_end"


class Recipes(NamedTuple):
    """The two recipe cards of a seat."""

    colour: str
    task: Task


class Setup(NamedTuple):
    """What stays the same from the deal to the end."""

    seats: int
    colours: str
    """The pawn colour of each seat, a letter each."""
    removed_colour: str | None
    recipes: tuple[Recipes, ...] | None
    dead_end_counts_as_end: bool


class Spells(NamedTuple):
    """The spells that a seat has taken, and the charges left."""

    taken: tuple[Card, ...] = ()
    accio: int = 0
    declinatio: int = 0


class End(NamedTuple):
    """How the game ended, from the moment it did."""

    ending: Ending
    ender: Seat | None
    last_card: Card
    """The card that is to be kept or discarded; no card once that is settled."""
    assignments: tuple[tuple[Ingredient, ...], ...]
    """To what each seat assigned its Immuto; empty until that is settled."""


class State(NamedTuple):
    """A position, ready for a decision or over."""

    setup: Setup
    board: tuple[Card, ...]
    """By cell; NO_CARD where there is none."""
    pile: tuple[Card, ...]
    """From the top to the bottom."""
    cauldrons: tuple[Stack, ...]
    stops: tuple[Stop, ...]
    spells: tuple[Spells, ...]
    out: tuple[Card, ...]
    """The cards that left the game, in the order in which they did."""
    seat: Seat
    """Whose turn it is; after the end, whose turn was the last."""
    phase: Phase
    steps: int
    """How far the pawn moved in this turn."""
    end: End | None


class View(NamedTuple):
    """What one seat, or a spectator, may know of a position (glastonbury#11)."""

    viewer: Seat | None
    colours: str
    removed_colour: str | None
    phase: Phase
    seat: Seat
    steps: int
    board: tuple[Card, ...]
    pile_size: int
    stops: tuple[Stop, ...]
    tops: tuple[Card, ...]
    """The top card of each cauldron; NO_CARD for an empty one."""
    heights: tuple[int, ...]
    spells: tuple[Spells, ...]
    out: tuple[Card, ...]
    with_recipes: bool
    recipes: tuple[Recipes | None, ...]
    """By seat: the own recipes, everybody's once the game is over; empty without recipes."""
    cauldrons: tuple[Stack, ...]
    """Every cauldron, from the end of the game on; empty before."""
    ending: Ending | None
    ender: Seat | None
    last_card: Card
    assignments: tuple[tuple[Ingredient, ...], ...]
    """Once the game is over; empty before."""


@event
class Moved(Event):
    """A pawn walked, or stayed with 0 steps."""

    seat: Seat
    steps: int
    stop: Stop


@event
class Passed(Event):
    """A pawn stays at a corner and its seat takes nothing."""

    seat: Seat


@event
class UsedDeclinatio(Event):
    """A charge of Declinatio was used; a Moved follows."""

    seat: Seat


@event
class Took(Event):
    """A card left the board."""

    seat: Seat
    cell: Cell
    card: Card
    used_accio: bool


@event
class Refilled(Event):
    """The top card of the draw pile went to a cell."""

    cell: Cell
    card: Card


@event
class Lost(Event):
    """A seat lost its top card to Vanesco, under the pile or out of the game."""

    seat: Seat
    card: Card
    under_pile: bool


@event
class Looked(Event):
    """A seat was shown its cauldron by Perluceo; nobody else was."""

    seat: Seat
    cauldron: Stack

    def visible_to(self, viewer: Seat | None) -> bool:
        """Tell whether that seat, or a spectator, may see this."""
        return viewer == self.seat


@event
class Ended(Event):
    """The game is over, but for the last card and for Immuto."""

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
class ImmutoAssigned(Event):
    """The Immuto of a seat became ingredients."""

    seat: Seat
    ingredients: tuple[Ingredient, ...]


@event
class RecipesOpened(Event):
    """All recipes are open."""

    recipes: tuple[Recipes, ...]
