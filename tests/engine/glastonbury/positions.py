"""Positions for tests, written as a person would describe them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from engine.board import CELL_NAMES, CELLS_BY_NAME, DEALT_CELLS, Stop
from engine.game import Event, Seat, Transition
from engine.glastonbury.cards import CARD_NAMES, CARDS_BY_NAME, NO_CARD, Card, Task, deck
from engine.glastonbury.rules import Glastonbury
from engine.glastonbury.state import Recipes, Setup, Spells, State
from engine.glastonbury.turns import run_on

GAME = Glastonbury()


def cards(text: str) -> tuple[Card, ...]:
    """Read card names separated by spaces."""
    return tuple(CARDS_BY_NAME[name] for name in text.split())


def names(stack: Sequence[Card]) -> str:
    """Write cards as names separated by spaces."""
    return " ".join(CARD_NAMES[card] for card in stack)


def begin_turn(
    *,
    seats: int = 4,
    seat: int = 0,
    stops: Sequence[int] | None = None,
    board: Mapping[str, str] | None = None,
    fill: bool = True,
    pile: str | int = "",
    cauldrons: Mapping[int, str] | None = None,
    spells: Mapping[int, str] | None = None,
    accio: Mapping[int, int] | None = None,
    declinatio: Mapping[int, int] | None = None,
    out: str = "",
    recipes: Sequence[str] | None = None,
    colours: str = "YGRB",
    dead_end_counts_as_end: bool = True,
) -> Transition[State]:
    """Begin the turn of a seat in a position: its pawn moves, and so on to the first decision.

    board       cell -> card; with ``fill`` the other cells get unused ingredient cards,
                without it they are empty
    pile        cards from the top, or how many unused ingredient cards to use
    cauldrons   seat -> cards from the bottom to the top
    spells      seat -> spells taken; charges are full unless accio or declinatio say otherwise
    recipes     one "A:O B:most_ones" for each seat
    """
    cauldrons, spells = cauldrons or {}, spells or {}
    removed = next(c for c in "YGRB" if c not in colours[:seats]) if seats == 2 else None
    used = Counter(
        name
        for text in [
            *(board or {}).values(),
            *cauldrons.values(),
            *spells.values(),
            out,
            pile if isinstance(pile, str) else "",
        ]
        for name in text.split()
    )
    spare = iter([c for c in deck(removed) if not used[CARD_NAMES[c]] and c <= 72])
    laid = [NO_CARD] * len(CELL_NAMES)
    for cell in DEALT_CELLS:
        name = (board or {}).get(CELL_NAMES[cell])
        laid[cell] = CARDS_BY_NAME[name] if name else next(spare) if fill else NO_CARD
    assert set(board or {}) <= set(CELLS_BY_NAME)
    draw = cards(pile) if isinstance(pile, str) else tuple(next(spare) for _ in range(pile))
    setup = Setup(
        seats,
        colours[:seats],
        removed,
        tuple(map(_recipes, recipes)) if recipes else None,
        dead_end_counts_as_end,
    )
    events: list[Event] = []
    state = run_on(
        setup,
        tuple(laid),
        draw,
        tuple(cards(cauldrons.get(s, "")) for s in range(seats)),
        tuple(Stop(s) for s in stops or [0] * seats),
        tuple(
            _spells(spells.get(s, ""), (accio or {}).get(s), (declinatio or {}).get(s))
            for s in range(seats)
        ),
        cards(out),
        Seat(seat),
        events,
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


def play_sealed(state: State, moves: Mapping[int, str]) -> Transition[State]:
    """Play sealed decisions, seat -> move."""
    return GAME.apply(state, {Seat(s): GAME.parse_move(text) for s, text in moves.items()})


def rule_broken(state: State, move: str, seat: int | None = None) -> str | None:
    """Return the paragraph that a move breaks, or nothing."""
    who = state.seat if seat is None else Seat(seat)
    violation = GAME.check(state, who, GAME.parse_move(move))
    return violation.rule if violation else None


def _recipes(text: str) -> Recipes:
    sort_a, sort_b = text.split()
    return Recipes(sort_a.removeprefix("A:"), Task(sort_b.removeprefix("B:")))


def _spells(text: str, accio: int | None, declinatio: int | None) -> Spells:
    taken = cards(text)
    return Spells(
        taken,
        2 * text.split().count("Accio") if accio is None else accio,
        3 * text.split().count("Declinatio") if declinatio is None else declinatio,
    )
