"""What is legal in a position of Gargon, and what is wrong with what is not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from engine.game import Seat, Violation
from engine.gargon.cards import (
    BACKS,
    COLOUR_NAMES,
    COLOUR_OF,
    COLOURS,
    PILE_NAMES,
    PILES,
    VALUE_OF,
    Card,
    Cards,
    Colour,
    Pile,
    letters,
)
from engine.gargon.moves import (
    BATTLES,
    DRAWS,
    PAIRS,
    PASSES,
    PICKS,
    PLAYS,
    SHAPE_OF,
    STOP,
    THREE_DIFFERENT,
    Battle,
    Draw,
    Move,
    Pass,
    Pattern,
    Pick,
    Play,
    Stop,
    format_move,
)
from engine.gargon.state import Phase, State

MOST_LAID: Final = 3

# A name of the module is found ten times faster than a member of an enum (Python 3.11).
_LEAD: Final = Phase.LEAD
_FOLLOW: Final = Phase.FOLLOW
_PICK: Final = Phase.PICK
_PASSDRAW: Final = Phase.PASSDRAW
_BATTLE: Final = Phase.BATTLE

# What a hand holds, and what a pattern needs: bit c for a card of colour c, bit c + 6 for a second.
_TWICE: Final = len(COLOURS)
_BIT: Final = tuple(1 << colour for colour in COLOUR_OF)


def _holding(cards: Sequence[Card]) -> int:
    once = twice = 0
    for card in cards:
        bit = _BIT[card]
        twice |= once & bit
        once |= bit
    return once | twice << _TWICE


_NEEDS: Final = {pattern: _holding([BACKS[c] for c in pattern]) for pattern in SHAPE_OF}


class _Fitting(dict[int, tuple[Play, ...]]):
    """The plays of some shapes that a hand can fill, by what it holds; each list is made once."""

    def __init__(self, *shapes: str) -> None:
        self._plays = [play for shape in shapes for play in PLAYS[shape]]

    def __missing__(self, holding: int) -> tuple[Play, ...]:
        fitting = tuple(play for play in self._plays if not _NEEDS[play.pattern] & ~holding)
        self[holding] = fitting
        return fitting


_LEADS: Final = {
    True: _Fitting(*PLAYS),
    False: _Fitting(*(shape for shape in PLAYS if shape != THREE_DIFFERENT)),
}
"""By whether three different colours are allowed."""
_FOLLOWS: Final = {shape: _Fitting(shape) for shape in PLAYS}
_PASSES: Final = {
    (True, True): PASSES[:2],
    (True, False): PASSES[:1],
    (False, True): PASSES[1:2],
    (False, False): PASSES[2:],
}
"""By whether pile A and pile B have cards; and so below."""
_DRAWS: Final = {
    (True, True): DRAWS,
    (True, False): DRAWS[:1],
    (False, True): DRAWS[1:],
}
_DRAWS_OR_STOP: Final[Mapping[tuple[bool, bool], tuple[Move, ...]]] = {
    left: (*draws, STOP) for left, draws in _DRAWS.items()
}


def legal_moves(state: State) -> tuple[Move, ...]:
    """Return every legal move of the seat that decides, in the order of gargon#9.2."""
    phase = state.phase
    if phase is _PICK:
        return _picks(state.hands[state.seat], state.pattern, state.picked)
    if phase is _FOLLOW:
        return _FOLLOWS[_shape_led(state)][_usable(state)] + _PASSES[_left(state)]
    if phase is _BATTLE:
        return tuple([BATTLES[colour] for colour in _on_table(state.laid[state.seat])])
    if phase is _PASSDRAW:
        return _DRAWS_OR_STOP[_left(state)]
    if phase is _LEAD:
        return _LEADS[state.setup.allow_111][_holding(state.hands[state.seat])]
    return _DRAWS[_left(state)]


def secretly_forced(state: State) -> bool:
    """Return whether a pick is forced although the hand has more cards of the colour than needed.

    Everybody knows how many cards of each colour a hand has, but only its owner that two of them
    are the zeros, which are alike (gargon#4.5, gargon#8.2).
    """
    if state.phase is not _PICK:
        return False
    hand, pattern = state.hands[state.seat], state.pattern
    colour = pattern[len(state.picked)]
    held = sum(COLOUR_OF[card] == colour for card in hand)
    return held > pattern.count(colour) and len(_picks(hand, pattern, state.picked)) == 1


def default_move(state: State) -> Move:
    """Return the move that is played for a seat that cannot decide (gargon#9.3)."""
    if state.phase is _FOLLOW:
        return _PASSES[_left(state)][0]
    return STOP if state.phase is _PASSDRAW else legal_moves(state)[0]


def quoted(move: Move) -> str:
    """Return a move as a violation quotes it: without cards, which others may not know."""
    return "pick" if type(move) is Pick else format_move(move)


def broken_rule(state: State, move: Move) -> Violation | None:
    """Return the paragraph that a move of the seat that decides would break, or nothing."""
    return _CHECKS[state.phase](state, move)


def last_seat(seats: int, leader: Seat) -> Seat:
    """Return the seat to the right of the first player (gargon#4.4)."""
    return Seat((leader - 1) % seats)


def _left(state: State) -> tuple[bool, bool]:
    """Tell which piles have cards."""
    first, second = state.piles
    return bool(first), bool(second)


def _shape_led(state: State) -> str:
    return SHAPE_OF[tuple([COLOUR_OF[card] for card in state.laid[state.leader]])]


def _usable(state: State) -> int:
    """Return what the hand holds of colours that the seat may lay (gargon#4.4)."""
    holding = _holding(state.hands[state.seat])
    if state.seat != last_seat(state.setup.seats, state.leader):
        return holding
    laid = 0
    for cards in state.laid:
        for card in cards:
            laid |= _BIT[card]
    return holding & (laid | laid << _TWICE)


def _on_table(*laid: Cards) -> list[Colour]:
    """Return the colours of cards on the table, in order."""
    return sorted({COLOUR_OF[card] for cards in laid for card in cards})


def _picks(hand: Cards, pattern: Pattern, picked: Cards) -> tuple[Pick, ...]:
    """Return the picks for the next colour of the pattern, from low to high values."""
    colour = pattern[len(picked)]
    own = [card for card in hand if COLOUR_OF[card] == colour]
    both_zeros = len(own) > 1 and own[0] == own[1]
    if both_zeros:
        del own[0]
    if pattern.count(colour) == 1:
        return tuple([PICKS[card] for card in own])
    pairs = [PAIRS[high][VALUE_OF[low]] for i, high in enumerate(own) for low in own[:i]]
    if both_zeros:
        pairs.insert(0, PAIRS[own[0]][0])
    return tuple(pairs)


# What is wrong with a move ------------------------------------------------------------------------


def _lead_violation(state: State, move: Move) -> Violation | None:
    if type(move) is not Play:
        return Violation(
            "gargon#4.2", f'"{quoted(move)}" is not possible now: the first player must play cards.'
        )
    if broken := _pattern_violation(state, move.pattern):
        return broken
    if SHAPE_OF[move.pattern] == THREE_DIFFERENT and not state.setup.allow_111:
        return Violation(
            "gargon#3.3",
            f'"{format_move(move)}" has three different colours, which this match does not allow: '
            "lay fewer, or two of one colour.",
        )
    return None


def _follow_violation(state: State, move: Move) -> Violation | None:
    if type(move) is Pass:
        return _pass_violation(state, move)
    if type(move) is not Play:
        return Violation("gargon#4.3", f'"{quoted(move)}" is not possible now: play cards or pass.')
    pattern = move.pattern
    if broken := _pattern_violation(state, pattern):
        return broken
    led = _shape_led(state)
    if SHAPE_OF[pattern] != led:
        return Violation(
            "gargon#4.3",
            f'"{format_move(move)}" has the shape {SHAPE_OF[pattern]}, but the first player laid '
            f"{led}: play that shape or pass.",
        )
    if _NEEDS[pattern] & ~_usable(state):
        return Violation(
            "gargon#4.4",
            f'"{format_move(move)}" has a colour that nobody has laid in this round: '
            f"the last seat may use only {letters(_on_table(*state.laid))}.",
        )
    return None


def _pattern_violation(state: State, pattern: Pattern) -> Violation | None:
    said = f"play {letters(pattern)}"
    if len(pattern) > MOST_LAID:
        return Violation("gargon#3.1", f'"{said}" has {len(pattern)} cards: lay one, two or three.')
    if pattern not in SHAPE_OF:
        return Violation(
            "gargon#3.2", f'"{said}" has three cards of one colour: lay at most two of each.'
        )
    hand = state.hands[state.seat]
    if not _NEEDS[pattern] & ~_holding(hand):
        return None
    held = [COLOUR_OF[card] for card in hand]
    short = next(colour for colour in pattern if held.count(colour) < pattern.count(colour))
    return Violation(
        "gargon#3.1",
        f'"{said}" needs more than the hand has, which is {held.count(short)} of '
        f"{COLOUR_NAMES[short]}.",
    )


def _pass_violation(state: State, move: Pass) -> Violation | None:
    if move.pile is not None:
        return _pile_violation(state, move.pile)
    if not any(state.piles):
        return None
    return Violation("gargon#4.6", f"a pass draws a card: name a pile, {_piles_with_cards(state)}.")


def _pick_violation(state: State, move: Move) -> Violation | None:
    pattern = state.pattern
    colour = pattern[len(state.picked)]
    wanted = pattern.count(colour)
    cards = move.cards if type(move) is Pick else ()
    if len(cards) != wanted or any(COLOUR_OF[card] != colour for card in cards):
        number = "one card" if wanted == 1 else "two cards"
        return Violation(
            "gargon#4.5",
            f'"{quoted(move)}" does not fit: pick {number} of {COLOUR_NAMES[colour]} for '
            f"{letters(pattern)}.",
        )
    hand = state.hands[state.seat]
    if any(hand.count(card) < cards.count(card) for card in cards):
        return Violation(
            "gargon#4.5",
            f"the hand does not have what is picked: pick cards of {COLOUR_NAMES[colour]} in it.",
        )
    return None


def _passdraw_violation(state: State, move: Move) -> Violation | None:
    if type(move) is Draw:
        return _pile_violation(state, move.pile)
    if type(move) is Stop:
        return None
    return Violation("gargon#4.6", f'"{quoted(move)}" is not possible now: draw a card or stop.')


def _consolation_violation(state: State, move: Move) -> Violation | None:
    if type(move) is Draw:
        return _pile_violation(state, move.pile)
    return Violation(
        "gargon#5.5",
        f'"{quoted(move)}" is not possible now: draw a card for the one that was lost.',
    )


def _battle_violation(state: State, move: Move) -> Violation | None:
    here = _on_table(state.laid[state.seat])
    if type(move) is Battle and move.colour in here:
        return None
    return Violation(
        "gargon#5.2",
        f'"{quoted(move)}" is not possible now: choose a battle for one of the colours that '
        f"the seat has on the table, {letters(here)}.",
    )


def _pile_violation(state: State, pile: Pile) -> Violation | None:
    if state.piles[pile]:
        return None
    others = _piles_with_cards(state)
    right = f"there are cards in {others}" if others else "so is the other one, and nobody draws"
    return Violation("gargon#4.7", f"pile {PILE_NAMES[pile]} is empty: {right}.")


def _piles_with_cards(state: State) -> str:
    return " or ".join(PILE_NAMES[pile] for pile in PILES if state.piles[pile])


_CHECKS: Final[Mapping[Phase, Callable[[State, Move], Violation | None]]] = {
    _LEAD: _lead_violation,
    _FOLLOW: _follow_violation,
    _PICK: _pick_violation,
    _PASSDRAW: _passdraw_violation,
    _BATTLE: _battle_violation,
    Phase.CONSOLATION: _consolation_violation,
}
