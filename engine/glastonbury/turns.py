"""Turns of Glastonbury: moving, taking a card, and the end (glastonbury#4 to 8)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypeVar

from engine.board import (
    AHEAD,
    AT_CORNER,
    CARDS_OF_LINES_THROUGH,
    DEALT_CELLS,
    LINE_AT,
    STOPS,
    Cell,
    Stop,
)
from engine.game import (
    Event,
    Seat,
)
from engine.glastonbury.cards import (
    ACCIO,
    ACCIO_CHARGES,
    CAULDRON_NUMBER,
    DECLINATIO,
    DECLINATIO_CHARGES,
    IMMUTO,
    NO_CARD,
    NUMBER,
    PERLUCEO,
    VANESCO,
    Card,
)
from engine.glastonbury.moves import (
    TAKES,
    AssignImmuto,
    Move,
    Take,
)
from engine.glastonbury.scoring import best_assignment, immuto_holders
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
    Phase,
    RecipesOpened,
    Refilled,
    Setup,
    Spells,
    Stack,
    State,
    Took,
    UsedDeclinatio,
)

T = TypeVar("T")

NOT_BY_SPELL: Final = frozenset((VANESCO, PERLUCEO))
SEATS: Final = tuple(Seat(i) for i in range(4))

# A name of the module is found ten times faster than a member of an enum (Python 3.11).
_TAKE: Final = Phase.TAKE
_AFTER_DECLINATIO: Final = Phase.TAKE_AFTER_DECLINATIO
_KEEP: Final = Phase.KEEP
_IMMUTO: Final = Phase.IMMUTO
_OVER: Final = Phase.OVER

# What a named tuple does to be made, without a call of Python's own for it.
_new: Final = tuple.__new__

# Everything below is made once, so that a decision need not make it again.
_NEXT_SEAT: Final = {n: tuple(Seat((i + 1) % n) for i in range(n)) for n in (2, 3, 4)}
_MOVED: Final = tuple(
    tuple(tuple(Moved(seat, steps, Stop(stop)) for stop in range(STOPS)) for steps in range(5))
    for seat in SEATS
)
_PHASE_AT: Final = tuple(Phase.CORNER if corner else Phase.TAKE for corner in AT_CORNER)
_PASSED: Final = tuple(Passed(seat) for seat in SEATS)


def _with(items: tuple[T, ...], index: int, item: T) -> tuple[T, ...]:
    """Return the tuple with one item replaced; by way of a list, which is the fastest."""
    changed = list(items)
    changed[index] = item
    return tuple(changed)


# A turn (glastonbury#4) -------------------------------------------------------------------------


def run_on(
    setup: Setup,
    board: tuple[Card, ...],
    pile: tuple[Card, ...],
    cauldrons: tuple[Stack, ...],
    stops: tuple[Stop, ...],
    spells: tuple[Spells, ...],
    out: tuple[Card, ...],
    seat: Seat,
    events: list[Event],
) -> State:
    """Begin the turn of a seat, and of those after it, until one has something to decide."""
    next_seat = _NEXT_SEAT[setup.seats]
    while True:
        stop = stops[seat]
        steps = _steps(cauldrons[seat], stop)
        stop = AHEAD[stop][steps]
        stops = _with(stops, seat, stop)
        events.append(_MOVED[seat][steps][stop])
        phase = _PHASE_AT[stop]
        if phase is _TAKE or spells[seat].declinatio:
            return _new(
                State,
                (setup, board, pile, cauldrons, stops, spells, out, seat, phase, steps, None),
            )
        events.append(_PASSED[seat])
        seat = next_seat[seat]


def _steps(cauldron: Stack, stop: Stop) -> int:
    """Tell how far a pawn goes (glastonbury#4.2 and 6)."""
    if not cauldron:
        return CAULDRON_NUMBER
    top = cauldron[-1]
    if top == IMMUTO and AT_CORNER[stop]:
        return next(
            (NUMBER[card] for card in reversed(cauldron) if card != IMMUTO), CAULDRON_NUMBER
        )
    return NUMBER[top]


def pass_(state: State, events: list[Event]) -> State:
    """Let a seat at a corner pass (glastonbury#4.3)."""
    events.append(_PASSED[state.seat])
    return run_on(
        state.setup,
        state.board,
        state.pile,
        state.cauldrons,
        state.stops,
        state.spells,
        state.out,
        _NEXT_SEAT[state.setup.seats][state.seat],
        events,
    )


def use_declinatio(state: State, events: list[Event]) -> State:
    """Move on from a corner (glastonbury#7.4 and 7.5)."""
    seat = state.seat
    stop = AHEAD[state.stops[seat]][state.steps]
    own = state.spells[seat]
    events += (UsedDeclinatio(seat), _MOVED[seat][state.steps][stop])
    state = state._replace(
        stops=_with(state.stops, seat, stop),
        spells=_with(state.spells, seat, own._replace(declinatio=own.declinatio - 1)),
        phase=_AFTER_DECLINATIO,
    )
    if takes_after_declinatio(state.board, stop):
        return state
    ender = seat if state.setup.dead_end_counts_as_end else None
    events.append(Ended(Ending.DEAD_END, ender))
    return _open(state._replace(end=End(Ending.DEAD_END, ender, NO_CARD, ())), events)


# Taking a card (glastonbury#5) ------------------------------------------------------------------


def takes_with_accio(board: tuple[Card, ...], stop: Stop) -> tuple[Take, ...]:
    """Return what a seat with an Accio may take (glastonbury#5.2)."""
    line = LINE_AT[stop]
    return tuple(
        [
            TAKES[cell]
            for cell in DEALT_CELLS
            if (card := board[cell]) and (card < PERLUCEO or cell in line)
        ]
    )


def takes_after_declinatio(board: tuple[Card, ...], stop: Stop) -> tuple[Take, ...]:
    """Return what a seat may take after Declinatio (glastonbury#5.3)."""
    return tuple(
        TAKES[cell] for cell in LINE_AT[stop] if board[cell] and board[cell] not in NOT_BY_SPELL
    )


def take(state: State, cell: Cell, events: list[Event]) -> State:
    """Take the card of a cell, and run on to the next decision (glastonbury#5)."""
    setup, board, pile, cauldrons, stops, spells, out, seat, _, steps, _ = state
    card = board[cell]
    used_accio = cell not in LINE_AT[stops[seat]]
    events.append(Took(seat, cell, card, used_accio))
    if used_accio:
        spells = _with(spells, seat, spells[seat]._replace(accio=spells[seat].accio - 1))

    if not pile:
        board = _with(board, cell, NO_CARD)
        if not all(any(cards_in(board)) for cards_in in CARDS_OF_LINES_THROUGH[cell]):
            ended = State(
                setup, board, pile, cauldrons, stops, spells, out, seat, _KEEP, steps, None
            )
            return _end_by_line(ended, card, events)

    if card <= IMMUTO:
        cauldrons = _with(cauldrons, seat, (*cauldrons[seat], card))
    else:
        spells = _with(spells, seat, _with_spell(spells[seat], card))
        if card == VANESCO:
            cauldrons, lost = _vanish(cauldrons, seat, under_pile=bool(pile), events=events)
            if pile:
                pile += lost
            else:
                out += lost
        elif card == PERLUCEO:
            events.append(Looked(seat, cauldrons[seat]))

    if pile:
        board = _with(board, cell, pile[0])
        events.append(Refilled(cell, pile[0]))
        pile = pile[1:]
    next_seat = _NEXT_SEAT[setup.seats][seat]
    return run_on(setup, board, pile, cauldrons, stops, spells, out, next_seat, events)


def _with_spell(own: Spells, card: Card) -> Spells:
    return Spells(
        (*own.taken, card),
        own.accio + ACCIO_CHARGES if card == ACCIO else own.accio,
        own.declinatio + DECLINATIO_CHARGES if card == DECLINATIO else own.declinatio,
    )


def _vanish(
    cauldrons: tuple[Stack, ...], caster: Seat, *, under_pile: bool, events: list[Event]
) -> tuple[tuple[Stack, ...], tuple[Card, ...]]:
    """Take the top card from every seat but the caster, clockwise (glastonbury#7.6)."""
    seats = len(cauldrons)
    lost: list[Card] = []
    for away in range(1, seats):
        victim = SEATS[(caster + away) % seats]
        if cauldron := cauldrons[victim]:
            lost.append(cauldron[-1])
            events.append(Lost(victim, cauldron[-1], under_pile))
            cauldrons = _with(cauldrons, victim, cauldron[:-1])
    return cauldrons, tuple(lost)


# The end (glastonbury#8) ------------------------------------------------------------------------


def _end_by_line(state: State, card: Card, events: list[Event]) -> State:
    """End the game with its last card just taken."""
    ender = state.seat
    events.append(Ended(Ending.LINE_EMPTIED, ender))
    state = state._replace(end=End(Ending.LINE_EMPTIED, ender, card, ()))
    if card != VANESCO:
        return state
    cauldrons, lost = _vanish(state.cauldrons, ender, under_pile=False, events=events)
    state = state._replace(cauldrons=cauldrons, out=state.out + lost)
    return settle_last_card(state, keep=True, events=events)


def settle_last_card(state: State, *, keep: bool, events: list[Event]) -> State:
    """Keep or discard the last card, and open the cauldrons (glastonbury#8.3)."""
    seat, end = state.seat, state.end
    assert end is not None  # noqa: S101  only an ended game has a last card
    card = end.last_card
    state = state._replace(end=end._replace(last_card=NO_CARD))
    if not keep:
        events.append(Discarded(seat, card))
        return _open(state._replace(out=(*state.out, card)), events)
    events.append(Kept(seat, card))
    if card <= IMMUTO:
        cauldron = (*state.cauldrons[seat], card)
        return _open(state._replace(cauldrons=_with(state.cauldrons, seat, cauldron)), events)
    own = state.spells[seat]
    kept = own._replace(taken=(*own.taken, card))
    return _open(state._replace(spells=_with(state.spells, seat, kept)), events)


def _open(state: State, events: list[Event]) -> State:
    """Open the cauldrons, and assign Immuto or ask for it (glastonbury#8.6, 9.5 and 9.6)."""
    events.append(CauldronsOpened(state.cauldrons))
    holders = immuto_holders(state.cauldrons)
    if holders and state.setup.recipes is not None:
        return state._replace(phase=_IMMUTO)
    best = {
        seat: AssignImmuto(best_assignment(state.setup, state.cauldrons, seat)) for seat in holders
    }
    return assign_immuto(state, best, holders, events)


def assign_immuto(
    state: State, moves: Mapping[Seat, Move], holders: Sequence[Seat], events: list[Event]
) -> State:
    """Assign all Immuto, open the recipes, and end the game (glastonbury#9.6)."""
    setup, end = state.setup, state.end
    assert end is not None  # noqa: S101  Immuto is assigned after the end
    assignments = tuple(
        move.ingredients if isinstance(move := moves.get(seat), AssignImmuto) else ()
        for seat in SEATS[: setup.seats]
    )
    events.extend(ImmutoAssigned(seat, assignments[seat]) for seat in holders)
    if setup.recipes is not None:
        events.append(RecipesOpened(setup.recipes))
    return state._replace(phase=_OVER, end=end._replace(assignments=assignments))
