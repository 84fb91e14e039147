"""Turns of Kupferkessel Co.: moving, taking a card, symbols, and the end (kupferkessel#4 to 6)."""

from __future__ import annotations

from typing import Final, TypeVar

from engine.board import (
    AHEAD,
    AT_CORNER,
    CARDS_OF_LINES_THROUGH,
    STOPS,
    Cell,
    Stop,
)
from engine.game import (
    Event,
    Seat,
)
from engine.kupferkessel.cards import (
    NO_CARD,
    SYMBOLS,
    VALUE,
    Card,
    Symbol,
)
from engine.kupferkessel.state import (
    CauldronsOpened,
    Discarded,
    End,
    Ended,
    Ending,
    Kept,
    Lost,
    Moved,
    Passed,
    Phase,
    RecipesOpened,
    Refilled,
    Setup,
    Stack,
    State,
    Took,
    UsedSymbol,
)

T = TypeVar("T")

MOST_TURNS: Final = 200
"""After this number of turns a game that has not ended otherwise is over (kupferkessel#6.4)."""
SEATS: Final = tuple(Seat(i) for i in range(3))

# A name of the module is found ten times faster than a member of an enum (Python 3.11).
_TAKE: Final = Phase.TAKE
_TAKE_AGAIN: Final = Phase.TAKE_AGAIN
_EXPLOSION: Final = Phase.EXPLOSION
_WAND: Final = Phase.WAND
_KEEP: Final = Phase.KEEP
_OVER: Final = Phase.OVER
_EXPLOSION_SYMBOL: Final = Symbol.EXPLOSION

# Everything below is made once, so that a decision need not make it again.
_NEXT_SEAT: Final = {n: tuple(Seat((i + 1) % n) for i in range(n)) for n in (2, 3)}
_NEXT_STOP: Final = tuple(ahead[1] for ahead in AHEAD)
_MOVED: Final = tuple(
    tuple(tuple(Moved(seat, steps, Stop(stop)) for stop in range(STOPS)) for steps in range(5))
    for seat in SEATS
)
_PASSED: Final = tuple(Passed(seat) for seat in SEATS)


def _with(items: tuple[T, ...], index: int, item: T) -> tuple[T, ...]:
    """Return the tuple with one item replaced; by way of a list, which is the fastest."""
    changed = list(items)
    changed[index] = item
    return tuple(changed)


# A turn (kupferkessel#4) ------------------------------------------------------------------------


def next_turn(
    setup: Setup,
    board: tuple[Card, ...],
    pile: tuple[Card, ...],
    cauldrons: tuple[Stack, ...],
    stops: tuple[Stop, ...],
    out: tuple[Card, ...],
    seat: Seat,
    turn: int,
    steps: int,
    events: list[Event],
) -> State:
    """End the turn of a seat, and begin those of the next until one has something to decide."""
    next_seat = _NEXT_SEAT[setup.seats]
    while turn < MOST_TURNS:
        seat = next_seat[seat]
        turn += 1
        stops, steps = _move(stops, cauldrons, seat, events)
        if not AT_CORNER[stops[seat]]:
            return State(
                setup, board, pile, cauldrons, stops, out, seat, _TAKE, turn, steps, None, None
            )
    end = End(Ending.TURN_CAP, None, NO_CARD)
    events.append(Ended(end.ending, end.ender))
    state = State(setup, board, pile, cauldrons, stops, out, seat, _OVER, turn, steps, None, end)
    return _open(state, events)


def _move(
    stops: tuple[Stop, ...], cauldrons: tuple[Stack, ...], seat: Seat, events: list[Event]
) -> tuple[tuple[Stop, ...], int]:
    """Move a pawn by the top card of its cauldron; return all stops, and the number of steps.

    A stop where a pawn stands is jumped and not counted (kupferkessel#2.4). The own pawn is never
    in the way: the ring is longer than any walk.
    """
    steps = VALUE[cauldrons[seat][-1]]
    stop = stops[seat]
    for _ in range(steps):
        stop = _NEXT_STOP[stop]
        while stop in stops:
            stop = _NEXT_STOP[stop]
    events.append(_MOVED[seat][steps][stop])
    if AT_CORNER[stop]:
        events.append(_PASSED[seat])
    return _with(stops, seat, stop), steps


def take(state: State, cell: Cell, events: list[Event]) -> State:
    """Take the card of a cell, and run on to the next decision (kupferkessel#4.4)."""
    setup, board, pile, cauldrons, stops, out, seat, phase, turn, steps, _, _ = state
    card = board[cell]
    events.append(Took(seat, cell, card))
    if not pile:
        board = _with(board, cell, NO_CARD)
        if not all(any(cards_in(board)) for cards_in in CARDS_OF_LINES_THROUGH[cell]):
            end = End(Ending.LINE_EMPTIED, seat, card)
            events.append(Ended(end.ending, end.ender))
            return State(
                setup, board, pile, cauldrons, stops, out, seat, _KEEP, turn, steps, None, end
            )
    cauldrons = _with(cauldrons, seat, (*cauldrons[seat], card))
    symbol = SYMBOLS[setup.symbols][card]
    if symbol and (asked := _question(symbol, phase, cauldrons, seat)):
        board = _with(board, cell, NO_CARD)
        return State(
            setup, board, pile, cauldrons, stops, out, seat, asked, turn, steps, cell, None
        )
    if pile:
        board, pile = _refill(board, pile, cell, events)
    return next_turn(setup, board, pile, cauldrons, stops, out, seat, turn, steps, events)


def _refill(
    board: tuple[Card, ...], pile: tuple[Card, ...], cell: Cell, events: list[Event]
) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
    events.append(Refilled(cell, pile[0]))
    return _with(board, cell, pile[0]), pile[1:]


# Symbols (kupferkessel#5) -----------------------------------------------------------------------


def _question(
    symbol: Symbol, phase: Phase, cauldrons: tuple[Stack, ...], seat: Seat
) -> Phase | None:
    """Return what is asked of a seat that took a symbol; nothing if it can do nothing."""
    if symbol is _EXPLOSION_SYMBOL:
        hit = any(len(cauldron) > 1 for s, cauldron in enumerate(cauldrons) if s != seat)
        return _EXPLOSION if hit else None
    return _WAND if phase is _TAKE else None


def settle_symbol(state: State, *, use: bool, events: list[Event]) -> State:
    """Let an explosion act, refill the gap, then let a wand act."""
    setup, board, pile, cauldrons, stops, out, seat, phase, turn, steps, gap, _ = state
    assert gap is not None  # noqa: S101  a symbol is asked for when its card has left a gap
    if use:
        events.append(UsedSymbol(seat, cauldrons[seat][-1]))
        if phase is _EXPLOSION:
            cauldrons, lost = _explode(cauldrons, seat, under_pile=bool(pile), events=events)
            if pile:
                pile += lost
            else:
                out += lost
    if pile:
        board, pile = _refill(board, pile, gap, events)
    if use and phase is _WAND:
        stops, steps = _move(stops, cauldrons, seat, events)
        if not AT_CORNER[stops[seat]]:
            phase = _TAKE_AGAIN
            return State(
                setup, board, pile, cauldrons, stops, out, seat, phase, turn, steps, None, None
            )
    return next_turn(setup, board, pile, cauldrons, stops, out, seat, turn, steps, events)


def _explode(
    cauldrons: tuple[Stack, ...], taker: Seat, *, under_pile: bool, events: list[Event]
) -> tuple[tuple[Stack, ...], tuple[Card, ...]]:
    """Take the top card from every other seat that has two or more, clockwise."""
    lost: list[Card] = []
    victim = taker
    next_seat = _NEXT_SEAT[len(cauldrons)]
    while (victim := next_seat[victim]) != taker:
        cauldron = cauldrons[victim]
        if len(cauldron) > 1:
            lost.append(cauldron[-1])
            events.append(Lost(victim, cauldron[-1], under_pile))
            cauldrons = _with(cauldrons, victim, cauldron[:-1])
    return cauldrons, tuple(lost)


# The end (kupferkessel#6) -----------------------------------------------------------------------


def settle_last_card(state: State, *, keep: bool, events: list[Event]) -> State:
    """Keep or discard the last card, and open the cauldrons (kupferkessel#6.3)."""
    seat, end = state.seat, state.end
    assert end is not None  # noqa: S101  only an ended game has a last card
    card = end.last_card
    state = state._replace(phase=_OVER, end=end._replace(last_card=NO_CARD))
    if keep:
        events.append(Kept(seat, card))
        cauldron = (*state.cauldrons[seat], card)
        return _open(state._replace(cauldrons=_with(state.cauldrons, seat, cauldron)), events)
    events.append(Discarded(seat, card))
    return _open(state._replace(out=(*state.out, card)), events)


def _open(state: State, events: list[Event]) -> State:
    """Open the cauldrons and the recipes (kupferkessel#6.5)."""
    events.append(CauldronsOpened(state.cauldrons))
    if state.setup.recipes is not None:
        events.append(RecipesOpened(state.setup.recipes))
    return state
