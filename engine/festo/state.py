"""A position of Festo!, and what can happen in one."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from engine.festo.cards import Category, Colour, Counts, Dish, EventCard, Spot
from engine.game import Event, Seat, event


class Phase(StrEnum):
    """The part of a round."""

    PREPARATION = "preparation"
    MORNING = "morning"
    AFTERNOON = "afternoon"
    ACTIONS = "actions"
    COOKING = "cooking"
    OVER = "over"


class Decision(StrEnum):
    """What is being decided."""

    CHOOSE_FIRST = "choose_first"
    PLACE_WEST = "place_west"
    PLACE_EAST = "place_east"
    CHARACTER = "character"
    CUBE = "cube"
    ELF_TAKE = "elf_take"
    GROCERY = "grocery"
    COOK = "cook"
    PAYMENT = "payment"


class Ending(StrEnum):
    """Why a game ended."""

    ROUNDS_PLAYED = "rounds_played"


class Reason(StrEnum):
    """Why a seat received points during the game."""

    DWARF = "dwarf"
    EVENT = "event"
    DESSERT = "dessert"
    STARTER = "starter"
    SIDE = "side"


class Setup(NamedTuple):
    """What stays the same from the deal to the end."""

    seats: int
    magic_dishes: bool
    events: bool
    """Whether the reconstructed event cards are played."""
    market_limit: bool
    steps: bool
    """Whether all seats use the power of a character before any of them takes (festo#5.7)."""


class Ahead(NamedTuple):
    """What was dealt and nobody has seen yet."""

    piles: tuple[tuple[Dish, ...], ...]
    """By row, from the top."""
    events: tuple[EventCard, ...]
    dice: tuple[tuple[int, ...], ...]
    """Three values for each half-day to come."""


class State(NamedTuple):
    """A position, ready for a decision or over. Lists by spot start with the Troll."""

    setup: Setup
    ahead: Ahead
    round: int
    """From 1."""
    phase: Phase
    decision: Decision | None
    """What is being decided; nothing once the game is over."""
    seat: Seat
    """The seat that decides; once the game is over, the last one that did."""
    first: Seat
    """The holder of the first-player card."""
    reserves: Counts
    """By colour, salt last."""
    markets: tuple[Counts, ...]
    """By character, then by colour."""
    shelves: Counts
    locks: Counts
    """Cubes that cannot be moved: six colours for each market, then the six shelves (festo#5.5)."""
    cubes: tuple[Counts, ...]
    """By seat, then by colour, salt last."""
    helpers: Counts
    """At home, by seat."""
    discs: Counts
    """At home, by seat."""
    helpers_at: tuple[Counts, ...]
    """By spot, then by seat."""
    discs_at: tuple[Counts, ...]
    """By spot, then by seat: discs that count in this round."""
    laid: tuple[Counts, ...]
    """By spot, then by seat: discs that count from the next round on."""
    buffet: tuple[Dish, ...]
    """The twelve places, row by row from left to right; 0 where there is no dish."""
    tokens: Counts
    """On each place of the buffet: 0, or 1 + 2 x seat for a helper and 2 + 2 x seat for a disc."""
    stock: Counts
    """Roasts and main courses left."""
    dishes: tuple[tuple[Dish, ...], ...]
    """By seat, in the order in which they were cooked."""
    points: Counts
    """From tokens, by seat."""
    dice: tuple[int, ...]
    """Of this half-day; none outside of shopping."""
    events: tuple[EventCard, ...]
    """The cards revealed so far, that of this round last."""
    placing: Counts
    """What the seat that places has put on the first three spots; empty before that."""
    spot: Spot | None
    """The spot whose turn it is, in the actions."""
    order: tuple[Seat, ...]
    """The seats that take part there, in order."""
    waiting: tuple[Seat, ...]
    """Those that have yet to decide about the spot, the next one first."""
    taking: tuple[tuple[Seat, int], ...]
    """Seats that have decided and have yet to take cubes, each with its tokens for that."""
    rewarded: tuple[Dish, ...]
    """The starters that have brought a token at this character."""
    paying: Dish
    """The dish that is being paid, or none."""
    passed: tuple[bool, ...]
    """By seat, in the cooking; empty otherwise."""


class View(NamedTuple):
    """What one seat, or a spectator, may know of a position (festo#10)."""

    viewer: Seat | None
    setup: Setup
    round: int
    phase: Phase
    decision: Decision | None
    seat: Seat
    first: Seat
    reserves: Counts
    markets: tuple[Counts, ...]
    shelves: Counts
    locks: Counts
    cubes: tuple[Counts, ...]
    helpers: Counts
    discs: Counts
    helpers_at: tuple[Counts, ...]
    discs_at: tuple[Counts, ...]
    laid: tuple[Counts, ...]
    buffet: tuple[Dish, ...]
    tokens: Counts
    piles: Counts
    """How many dishes are left in each pile."""
    stock: Counts
    dishes: tuple[tuple[Dish, ...], ...]
    points: Counts
    dice: tuple[int, ...]
    blocked: tuple[Spot, ...]
    """The characters on which nobody can place, in order."""
    events: tuple[EventCard, ...]
    placing: Counts
    """What the viewer has put on the first three spots, while it places; empty otherwise."""
    spot: Spot | None
    order: tuple[Seat, ...]
    waiting: tuple[Seat, ...]
    taking: tuple[tuple[Seat, int], ...]
    rewarded: tuple[Dish, ...]
    paying: Dish
    passed: tuple[bool, ...]
    ending: Ending | None


@event
class RoundBegan(Event):
    """A round began."""

    round: int


@event
class DiscsJoined(Event):
    """Discs that a seat laid in the round before count from now on."""

    seat: Seat
    spot: Spot
    number: int


@event
class MarketFilled(Event):
    """Cubes came from the reserve to the market of their colour."""

    colour: Colour
    number: int


@event
class ShelfFilled(Event):
    """Cubes came from the reserve to the shelf of their colour."""

    colour: Colour
    number: int


@event
class RowChanged(Event):
    """The dishes of a row slid to the left and new ones came: its three places."""

    category: Category
    dishes: tuple[Dish, ...]


@event
class EventRevealed(Event):
    """The event card of the round was revealed."""

    card: EventCard


@event
class FirstChosen(Event):
    """The holder of the first-player card chose a seat for it."""

    seat: Seat
    chosen: Seat


@event
class DiceRolled(Event):
    """The dice were rolled for a half-day."""

    phase: Phase
    dice: tuple[int, ...]


@event
class Placed(Event):
    """A seat placed helpers, by spot."""

    seat: Seat
    helpers: Counts


@event
class SpotBegan(Event):
    """The turn of a spot came: the seats there in order, and the one with the majority."""

    spot: Spot
    order: tuple[Seat, ...]
    majority: Seat | None


@event
class CubeMoved(Event):
    """A seat moved a cube by the Troll's power."""

    seat: Seat
    colour: Colour
    source: Spot
    target: Spot


@event
class TokenSent(Event):
    """A seat moved a helper or a disc by the Pixies' power."""

    seat: Seat
    disc: bool
    spot: Spot


@event
class DishReserved(Event):
    """A seat put a helper or a disc on a dish by the Orc's power."""

    seat: Seat
    disc: bool
    dish: Dish


@event
class SaltTaken(Event):
    """A seat took a salt by the Magician's power."""

    seat: Seat


@event
class Traded(Event):
    """A seat returned a cube by the Elf's power."""

    seat: Seat
    colour: Colour


@event
class Got(Event):
    """A seat got cubes from the reserves by the Elf's power, by colour."""

    seat: Seat
    cubes: Counts


@event
class DiscsLaid(Event):
    """A seat laid discs by the Dwarf's power; they count from the next round on."""

    seat: Seat
    spots: tuple[Spot, ...]


@event
class Took(Event):
    """A seat took cubes from a market or a shelf, by colour."""

    seat: Seat
    spot: Spot
    cubes: Counts
    everything: bool
    """Whether the majority was used to take all of them."""


@event
class CameHome(Event):
    """A seat took its tokens back from a spot."""

    seat: Seat
    spot: Spot
    helpers: int
    discs: int


@event
class CardMoved(Event):
    """A seat received the first-player card at the Grocer."""

    seat: Seat


@event
class Scored(Event):
    """A seat received points during the game."""

    seat: Seat
    points: int
    reason: Reason


@event
class Cooked(Event):
    """A seat cooked a dish and paid these cubes, by colour, salt last."""

    seat: Seat
    dish: Dish
    cubes: Counts


@event
class Recalled(Event):
    """A seat paid a cube to take its token back from a dish."""

    seat: Seat
    dish: Dish
    colour: Colour


@event
class Passed(Event):
    """A seat cooks no more in this round."""

    seat: Seat


@event
class Ended(Event):
    """The last round is over, and so is the game."""

    ending: Ending
