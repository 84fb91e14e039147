"""A view of Glastonbury as text for a person."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from engine.board import CORNER_CELLS, LINE_AT, draw_square, line_name
from engine.game import Seat
from engine.glastonbury.cards import (
    CARD_NAMES,
    COLOUR_NAMES,
    INGREDIENT_NAMES,
    Card,
    Ingredient,
)
from engine.glastonbury.state import Ending, Phase, Recipes, Spells, View

_ENDINGS = {
    Ending.LINE_EMPTIED: "the last card of a line was taken",
    Ending.DEAD_END: "Declinatio led to a dead end",
}


def render(view: View) -> str:
    """Draw the board with its pawns, the cauldrons, spells and recipes."""
    parts = [_headline(view), "", *_board(view), "", *_seats(view), "", *_footer(view)]
    return "\n".join(line.rstrip() for line in parts)


def _headline(view: View) -> str:
    recipes = "with recipes" if view.with_recipes else "without recipes"
    return f"Glastonbury, {len(view.colours)} seats, {recipes}: {_situation(view)}"


def _situation(view: View) -> str:
    who = f"{_seat_name(view, view.seat)} to decide"
    if view.phase is Phase.CORNER:
        return f"{who}, at a corner after {view.steps} steps, with Declinatio"
    if view.phase is Phase.TAKE:
        return f"{who}, facing {line_name(LINE_AT[view.stops[view.seat]])}"
    if view.phase is Phase.TAKE_AFTER_DECLINATIO:
        return f"{who}, facing {line_name(LINE_AT[view.stops[view.seat]])} after Declinatio"
    if view.phase is Phase.KEEP:
        return f"{who}, whether to keep the last card, {CARD_NAMES[view.last_card]}"
    if view.phase is Phase.IMMUTO:
        return "the game is over but for Immuto"
    return "the game is over"


def _board(view: View) -> list[str]:
    cells = [
        "+" if cell in CORNER_CELLS else CARD_NAMES[card] or "."
        for cell, card in enumerate(view.board)
    ]
    return draw_square(cells, list(zip(view.colours, view.stops, strict=True)))


def _seats(view: View) -> list[str]:
    recipes = ("recipes",) if view.with_recipes else ()
    titles = ("seat", "pawn", "stop", "cauldron", "spells", *recipes)
    rows = [titles, *(_seat_row(view, Seat(i)) for i in range(len(view.colours)))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(f"{text:<{width}}" for text, width in zip(row, widths, strict=True))
        for row in rows
    ]
    return [*lines, *_opened(view)]


def _seat_row(view: View, seat: Seat) -> tuple[str, ...]:
    marker = "*" if seat == view.seat and view.phase is not Phase.OVER else ""
    height = view.heights[seat]
    top = f"{CARD_NAMES[view.tops[seat]]} on top of {height}" if height else "empty"
    row = (
        f"{seat}{marker}",
        COLOUR_NAMES[view.colours[seat]],
        str(view.stops[seat]),
        top,
        _spells(view.spells[seat]),
    )
    return (*row, _recipes(view.recipes[seat])) if view.with_recipes else row


def _spells(own: Spells) -> str:
    charges = {"Accio": own.accio, "Declinatio": own.declinatio}
    kinds = sorted({CARD_NAMES[card] for card in own.taken})
    return (
        ", ".join(f"{kind} ({charges[kind]} left)" if kind in charges else kind for kind in kinds)
        or "-"
    )


def _recipes(own: Recipes | None) -> str:
    return f"A:{own.colour} B:{own.task}" if own else "hidden"


def _opened(view: View) -> list[str]:
    lines = []
    for seat, cauldron in enumerate(view.cauldrons):
        assigned: Sequence[Ingredient] = view.assignments[seat] if view.assignments else ()
        immuto = (
            f"; Immuto as {', '.join(INGREDIENT_NAMES[i] for i in assigned)}" if assigned else ""
        )
        lines.append(f"cauldron of {_seat_name(view, Seat(seat))}: {_names(cauldron)}{immuto}")
    return lines


def _footer(view: View) -> list[str]:
    lines = [f"draw pile: {view.pile_size} cards"]
    if view.removed_colour:
        lines.append(f"removed colour: {COLOUR_NAMES[view.removed_colour]}")
    if view.out:
        lines.append(f"out of the game: {_names(view.out)}")
    if view.ending:
        who = f", ended by {_seat_name(view, view.ender)}" if view.ender is not None else ""
        lines.append(f"ending: {_ENDINGS[view.ending]}{who}")
    return lines


def _seat_name(view: View, seat: Seat) -> str:
    return f"seat {seat} ({COLOUR_NAMES[view.colours[seat]]})"


def _names(cards: Iterable[Card]) -> str:
    return " ".join(CARD_NAMES[card] for card in cards) or "nothing"
