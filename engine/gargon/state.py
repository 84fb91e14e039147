"""A position of Gargon, and what can happen in one."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from engine.game import Event, Seat, event
from engine.gargon.cards import Card, Cards, Colour, Pile
from engine.gargon.moves import Pattern


class Phase(StrEnum):
    """What is being decided."""

    LEAD = "lead"
    FOLLOW = "follow"
    PICK = "pick"
    PASSDRAW = "passdraw"
    BATTLE = "battle"
    CONSOLATION = "consolation"
    OVER = "over"


class Ending(StrEnum):
    """Why a game ended."""

    PILE_EMPTIED = "pile_emptied"


class Setup(NamedTuple):
    """What stays the same from the deal to the end."""

    seats: int
    open_captures: bool
    literal_zeros: bool
    """Whether two zeros that two seats have laid always go (gargon#5.8)."""
    allow_111: bool


class State(NamedTuple):
    """A position, ready for a decision or over."""

    setup: Setup
    round: int
    """From 1."""
    leader: Seat
    """The first player of the round."""
    seat: Seat
    """Who decides; after the end, who led the last round."""
    phase: Phase
    hands: tuple[Cards, ...]
    """By seat; the cards of a hand in order of their numbers."""
    piles: tuple[Cards, Cards]
    """From the top to the bottom."""
    laid: tuple[Cards, ...]
    """By seat: what is still on the table, in the order of the pattern, a higher card first."""
    captured: tuple[Cards, ...]
    """By seat, in the order in which they were captured."""
    discards: Cards
    """In the order in which they were lost."""
    pattern: Pattern
    """What the seat that picks has chosen to lay; empty otherwise."""
    picked: Cards
    """What it has picked so far; these cards are still in its hand."""
    drawn: int
    """How many cards the seat that passed has drawn; 0 when nobody is drawing after a pass."""
    colour: Colour | None
    """The colour whose losers draw; none when nobody does."""
    losers: tuple[Seat, ...]
    """Who has yet to draw for a card of that colour, the one to decide first."""


class View(NamedTuple):
    """What one seat, or a spectator, may know of a position (gargon#8)."""

    viewer: Seat | None
    setup: Setup
    round: int
    leader: Seat
    seat: Seat
    phase: Phase
    hand: Cards
    """The own cards; none for a spectator."""
    counts: tuple[int, ...]
    """How many cards of each colour each hand has: six numbers for seat 0, six for seat 1, …"""
    piles: tuple[Cards, Cards]
    """Backs, from the top to the bottom."""
    laid: tuple[Cards, ...]
    """By seat: what is on the table; backs where the values are not known."""
    pattern: Pattern
    """What the viewer has chosen to lay, while it picks; empty otherwise."""
    picked: Cards
    drawn: int
    colour: Colour | None
    losers: tuple[Seat, ...]
    discards: Cards
    captured_counts: tuple[int, ...]
    captured: tuple[Cards, ...]
    """By seat, with open captures or once the game is over; empty otherwise."""
    hands: tuple[Cards, ...]
    """Every hand, once the game is over; empty before."""
    ending: Ending | None


@event
class RoundBegan(Event):
    """A round began, and this seat leads it."""

    seat: Seat


@event
class LeadLost(Event):
    """A seat without cards should have led the next round."""

    seat: Seat


@event
class Laid(Event):
    """A seat laid cards, of which these are the backs."""

    seat: Seat
    cards: Cards


@event
class Passed(Event):
    """A seat lays nothing in this round; a Drew follows unless both piles are empty."""

    seat: Seat


@event
class Drew(Event):
    """A seat drew a card, of which this is the back."""

    seat: Seat
    pile: Pile
    card: Card


@event
class Saw(Event):
    """A seat looked at the card that it drew; nobody else did."""

    seat: Seat
    card: Card

    def visible_to(self, viewer: Seat | None) -> bool:
        """Tell whether that seat, or a spectator, may see this."""
        return viewer == self.seat


@event
class PileEmptied(Event):
    """The last card of a pile was drawn; if it was the first pile to go, this is the last round."""

    pile: Pile


@event
class Revealed(Event):
    """All cards on the table were turned face up, by seat."""

    laid: tuple[Cards, ...]


@event
class BattleChosen(Event):
    """A seat chose the colour that fights next."""

    seat: Seat
    colour: Colour


@event
class Captured(Event):
    """A seat captured a card of its own."""

    seat: Seat
    card: Card


@event
class Lost(Event):
    """A seat lost a card, which is discarded."""

    seat: Seat
    card: Card


@event
class Ended(Event):
    """The last round is over, and so is the game."""

    ending: Ending


@event
class HandsOpened(Event):
    """All hands are open, by seat."""

    hands: tuple[Cards, ...]
