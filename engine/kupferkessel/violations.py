"""What is wrong with a move that is not legal in a position of Kupferkessel Co."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from engine.board import (
    CELL_NAMES,
    CORNER_CELLS,
    LINE_AT,
    line_name,
)
from engine.game import (
    Seat,
    Violation,
)
from engine.kupferkessel.moves import (
    KEEP_MOVES,
    SYMBOL_MOVES,
    Move,
    Take,
    format_move,
)
from engine.kupferkessel.state import (
    Phase,
    State,
)

_EXPLOSION: Final = Phase.EXPLOSION
_WAND: Final = Phase.WAND
_KEEP: Final = Phase.KEEP
_OVER: Final = Phase.OVER


def not_as_asked(to_act: Sequence[Seat], moves: Mapping[Seat, Move]) -> Violation:
    """Return what is wrong where other seats decide than the one that is asked."""
    if not to_act:
        return Violation("kupferkessel#6.1", "The game is over: nobody can play.")
    given = " and ".join(f"seat {seat}" for seat in sorted(moves)) or "nobody"
    return Violation("kupferkessel#10.1", f"seat {to_act[0]} must decide, but {given} did.")


def violation(state: State, seat: Seat, move: Move) -> Violation | None:
    """Return what is wrong with a move; nothing if it is legal."""
    phase, said = state.phase, format_move(move)
    if phase is _OVER:
        return Violation("kupferkessel#6.1", f'"{said}" comes too late: the game is over.')
    if seat != state.seat:
        return Violation(
            "kupferkessel#10.1", f'seat {seat} cannot play "{said}": seat {state.seat} must decide.'
        )
    if phase is _KEEP:
        if move in KEEP_MOVES:
            return None
        return Violation(
            "kupferkessel#6.3", f'"{said}" is not possible now: keep or discard the last card.'
        )
    if phase is _EXPLOSION or phase is _WAND:
        if move in SYMBOL_MOVES:
            return None
        return Violation(
            "kupferkessel#5.1",
            f'"{said}" is not possible now: use or skip the {phase} of the card just taken.',
        )
    return _take_violation(state, seat, move)


def _take_violation(state: State, seat: Seat, move: Move) -> Violation | None:
    line = LINE_AT[state.stops[seat]]
    faced = line_name(line)
    if not isinstance(move, Take):
        return Violation(
            "kupferkessel#4.4",
            f'"{format_move(move)}" is not possible here: take a card of {faced}.',
        )
    cell = CELL_NAMES[move.cell]
    if move.cell in CORNER_CELLS:
        return Violation(
            "kupferkessel#4.4",
            f"{cell} is a corner and never holds a card: take a card of {faced}.",
        )
    if move.cell not in line:
        return Violation(
            "kupferkessel#4.4",
            f"{cell} is not in {faced}, which the pawn faces: take a card of that line.",
        )
    if not state.board[move.cell]:
        return Violation("kupferkessel#4.4", f"{cell} is empty: take a card of {faced}.")
    return None
