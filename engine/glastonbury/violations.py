"""What is wrong with a move that is not legal in a position of Glastonbury."""

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
from engine.glastonbury.cards import (
    CARD_NAMES,
    COLOUR_NAMES,
    COLOUR_OF,
    IMMUTO,
    INGREDIENT_NAMES,
)
from engine.glastonbury.moves import (
    CORNER_MOVES,
    KEEP_MOVES,
    AssignImmuto,
    Move,
    Take,
    format_move,
)
from engine.glastonbury.state import (
    Phase,
    State,
)
from engine.glastonbury.turns import NOT_BY_SPELL

_CORNER: Final = Phase.CORNER
_TAKE: Final = Phase.TAKE
_AFTER_DECLINATIO: Final = Phase.TAKE_AFTER_DECLINATIO
_KEEP: Final = Phase.KEEP
_IMMUTO: Final = Phase.IMMUTO


def not_as_asked(to_act: Sequence[Seat], moves: Mapping[Seat, Move]) -> Violation:
    """Return what is wrong where other seats decide than those that are asked."""
    if not to_act:
        return Violation("glastonbury#8.1", "The game is over: nobody can play.")
    asked = " and ".join(f"seat {seat}" for seat in to_act)
    given = " and ".join(f"seat {seat}" for seat in sorted(moves)) or "nobody"
    return Violation("glastonbury#12.1", f"{asked} must decide, but {given} did.")


def violation(state: State, seat: Seat, move: Move, to_act: Sequence[Seat]) -> Violation | None:
    """Return what is wrong with a move; nothing if it is legal."""
    if not to_act:
        said = format_move(move)
        return Violation("glastonbury#8.1", f'"{said}" comes too late: the game is over.')
    if seat not in to_act:
        waiting = " and ".join(f"seat {other}" for other in to_act)
        return Violation(
            "glastonbury#12.1",
            f'seat {seat} cannot play "{format_move(move)}": {waiting} must decide.',
        )
    phase = state.phase
    if phase is _CORNER and move not in CORNER_MOVES:
        return Violation(
            "glastonbury#4.3",
            f'"{format_move(move)}" is not possible at a corner: play declinatio or pass.',
        )
    if phase is _KEEP and move not in KEEP_MOVES:
        return Violation(
            "glastonbury#8.3",
            f'"{format_move(move)}" is not possible now: keep or discard the last card.',
        )
    if phase is _IMMUTO:
        return _immuto_violation(state, seat, move)
    if phase in (_TAKE, _AFTER_DECLINATIO):
        return _take_violation(state, seat, move)
    return None


def _take_violation(state: State, seat: Seat, move: Move) -> Violation | None:
    line = LINE_AT[state.stops[seat]]
    if not isinstance(move, Take):
        said, faced = format_move(move), line_name(line)
        return Violation(
            "glastonbury#4.4", f'"{said}" is not possible here: take a card of {faced}.'
        )
    card = state.board[move.cell]
    in_line = move.cell in line
    bent = state.phase is _AFTER_DECLINATIO
    within_reach = in_line or (not bent and state.spells[seat].accio > 0)
    by_spell = bent or not in_line
    if card and within_reach and not (by_spell and card in NOT_BY_SPELL):
        return None
    cell, faced, name = CELL_NAMES[move.cell], line_name(line), CARD_NAMES[card]
    if move.cell in CORNER_CELLS:
        return Violation(
            "glastonbury#5.1", f"{cell} is a corner and never holds a card: take a card of {faced}."
        )
    if not card:
        return Violation("glastonbury#5.1", f"{cell} is empty: take a card of {faced}.")
    if not within_reach and bent:
        return Violation(
            "glastonbury#5.3",
            f"{cell} is not in {faced}: after Declinatio only that line is within reach.",
        )
    if not within_reach:
        return Violation(
            "glastonbury#5.1",
            f"{cell} is not in {faced}, which the pawn faces, and there is no Accio left.",
        )
    rule, means = ("5.3", "after Declinatio") if bent else ("5.2", "by Accio")
    return Violation(
        f"glastonbury#{rule}",
        f"{name} in {cell} cannot be taken {means}: take another card, such as one of {faced}.",
    )


def _immuto_violation(state: State, seat: Seat, move: Move) -> Violation | None:
    immuto = state.cauldrons[seat].count(IMMUTO)
    if not isinstance(move, AssignImmuto) or len(move.ingredients) != immuto:
        wanted = "one ingredient" if immuto == 1 else "two ingredients"
        return Violation(
            "glastonbury#9.6",
            f'"{format_move(move)}" does not fit: name {wanted}, one for each Immuto.',
        )
    for ingredient in move.ingredients:
        if COLOUR_OF[ingredient] == state.setup.removed_colour:
            colour = COLOUR_NAMES[state.setup.removed_colour]
            return Violation(
                "glastonbury#9.3",
                f"{INGREDIENT_NAMES[ingredient]} is not in the game: {colour} was removed.",
            )
    return None
