"""Positions for tests, written as a person would describe them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.board import CELL_NAMES, CELLS_BY_NAME, DEALT_CELLS, Stop
from engine.game import Event, Seat, Transition
from engine.kupferkessel.cards import (
    CARD_NAMES,
    CARDS_BY_NAME,
    DECK,
    NO_CARD,
    RECIPES_BY_NAME,
    SYMBOLS,
    Card,
)
from engine.kupferkessel.rules import Kupferkessel
from engine.kupferkessel.state import Setup, State
from engine.kupferkessel.turns import next_turn

GAME = Kupferkessel()
START = {0: "Sa3", 1: "Bb3", 2: "Nb3"}
"""What lies in the cauldrons if a case does not say: cards without symbols, of value 3."""


def cards(text: str) -> tuple[Card, ...]:
    """Read card names separated by spaces."""
    return tuple(CARDS_BY_NAME[name] for name in text.split())


def names(stack: Sequence[Card]) -> str:
    """Write cards as names separated by spaces."""
    return " ".join(CARD_NAMES[card] for card in stack)


def begin_turn(
    *,
    seats: int = 2,
    seat: int = 0,
    turn: int = 1,
    stops: Sequence[int] | None = None,
    board: Mapping[str, str] | None = None,
    fill: bool = True,
    pile: str | int = "",
    cauldrons: Mapping[int, str] | None = None,
    out: str = "",
    recipes: Sequence[str] | None = None,
    symbols: str = "neutral2",
    third_colour: str = "L",
) -> Transition[State]:
    """Begin the turn of a seat in a position: its pawn moves, and so on to the first decision.

    board       cell -> card; with ``fill`` the other cells get unused cards without symbols,
                without it they are empty
    pile        cards from the top, or how many unused cards without symbols to use
    cauldrons   seat -> cards from the bottom to the top
    recipes     the recipes of each seat, such as "both:S fewer_cards"
    """
    stacks = [(cauldrons or {}).get(s, START[s]) for s in range(seats)]
    known = [*(board or {}).values(), *stacks, out, pile if isinstance(pile, str) else ""]
    used = {name for text in known for name in text.split()}
    spare = (c for c in DECK if CARD_NAMES[c] not in used and not SYMBOLS[symbols][c])
    laid = [NO_CARD] * len(CELL_NAMES)
    for cell in DEALT_CELLS:
        name = (board or {}).get(CELL_NAMES[cell])
        laid[cell] = CARDS_BY_NAME[name] if name else next(spare) if fill else NO_CARD
    assert set(board or {}) <= set(CELLS_BY_NAME)
    draw = cards(pile) if isinstance(pile, str) else tuple(next(spare) for _ in range(pile))
    dealt = tuple(tuple(RECIPES_BY_NAME[r] for r in text.split()) for text in recipes or ())
    events: list[Event] = []
    state = next_turn(
        Setup(seats, f"WK{third_colour}"[:seats], symbols, dealt or None),
        tuple(laid),
        draw,
        tuple(map(cards, stacks)),
        tuple(Stop(s) for s in stops or (0, 10, 5)[:seats]),
        cards(out),
        Seat((seat - 1) % seats),
        turn=turn - 1,
        steps=0,
        events=events,
    )
    return Transition(state, events)


def legal(state: State, seat: int | None = None) -> list[str]:
    """Return the legal moves of the seat to act, in notation."""
    who = state.seat if seat is None else Seat(seat)
    return [GAME.format_move(move) for move in GAME.legal_moves(state, who)]


def play(state: State, *moves: str) -> Transition[State]:
    """Play moves one after the other, each for the one seat that must decide."""
    events: list[Event] = []
    for text in moves:
        (seat,) = GAME.to_act(state)
        state, happened = GAME.apply(state, {seat: GAME.parse_move(text)})
        events += happened
    return Transition(state, events)


def rule_broken(state: State, move: str, seat: int | None = None) -> str | None:
    """Return the paragraph that a move breaks, or nothing."""
    who = state.seat if seat is None else Seat(seat)
    violation = GAME.check(state, who, GAME.parse_move(move))
    return violation.rule if violation else None
