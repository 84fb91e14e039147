"""A view of Kupferkessel Co. as text for a person."""

from __future__ import annotations

from collections.abc import Iterable

from engine.board import CORNER_CELLS, LINE_AT, draw_square, line_name
from engine.game import Seat
from engine.kupferkessel.cards import (
    CARD_NAMES,
    COLOUR_NAMES,
    RECIPE_NAMES,
    SYMBOLS,
    Card,
    Symbol,
)
from engine.kupferkessel.state import Ending, Phase, Recipes, View

_ENDINGS = {
    Ending.LINE_EMPTIED: "the last card of a line was taken",
    Ending.TURN_CAP: "the last turn that the rules allow is over",
}
_MARKS = {Symbol.NONE: "", Symbol.EXPLOSION: "!", Symbol.WAND: "~"}
_LEGEND = "symbols: ! explosion, ~ wand"


def render(view: View) -> str:
    """Draw the board with its pawns, the cauldrons and recipes."""
    parts = [_headline(view), "", *_board(view), "", *_seats(view), "", *_footer(view)]
    return "\n".join(line.rstrip() for line in parts)


def _headline(view: View) -> str:
    recipes = "with recipes" if view.with_recipes else "without recipes"
    return (
        f"Kupferkessel Co., {len(view.colours)} seats, {recipes}, turn {view.turn}: "
        f"{_situation(view)}"
    )


def _situation(view: View) -> str:
    who = f"{_seat_name(view, view.seat)} to decide"
    if view.phase is Phase.TAKE:
        return f"{who}, facing {line_name(LINE_AT[view.stops[view.seat]])}"
    if view.phase is Phase.TAKE_AGAIN:
        return f"{who}, facing {line_name(LINE_AT[view.stops[view.seat]])} after a wand"
    if view.phase is Phase.KEEP:
        return f"{who}, whether to keep the last card, {_name(view, view.last_card)}"
    if view.phase is Phase.OVER:
        return "the game is over"
    return f"{who}, whether to use the {view.phase} of {_name(view, view.tops[view.seat])}"


def _board(view: View) -> list[str]:
    cells = [
        "+" if cell in CORNER_CELLS else _name(view, card) or "."
        for cell, card in enumerate(view.board)
    ]
    return draw_square(cells, list(zip(view.colours, view.stops, strict=True)))


def _seats(view: View) -> list[str]:
    recipes = ("recipes",) if view.with_recipes else ()
    titles = ("seat", "pawn", "stop", "cauldron", *recipes)
    rows = [titles, *(_seat_row(view, Seat(i)) for i in range(len(view.colours)))]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    lines = [
        "  ".join(f"{text:<{width}}" for text, width in zip(row, widths, strict=True))
        for row in rows
    ]
    return [*lines, *_opened(view)]


def _seat_row(view: View, seat: Seat) -> tuple[str, ...]:
    marker = "*" if seat == view.seat and view.phase is not Phase.OVER else ""
    row = (
        f"{seat}{marker}",
        COLOUR_NAMES[view.colours[seat]],
        str(view.stops[seat]),
        f"{_name(view, view.tops[seat])} on top of {view.heights[seat]}",
    )
    return (*row, _recipes(view.recipes[seat])) if view.with_recipes else row


def _recipes(own: Recipes | None) -> str:
    return " ".join(RECIPE_NAMES[recipe] for recipe in own) if own else "hidden"


def _opened(view: View) -> list[str]:
    return [
        f"cauldron of {_seat_name(view, Seat(seat))}: {_names(view, cauldron)}"
        for seat, cauldron in enumerate(view.cauldrons)
    ]


def _footer(view: View) -> list[str]:
    lines = [f"draw pile: {view.pile_size} cards", _LEGEND]
    if view.out:
        lines.append(f"out of the game: {_names(view, view.out)}")
    if view.ending:
        who = f", ended by {_seat_name(view, view.ender)}" if view.ender is not None else ""
        lines.append(f"ending: {_ENDINGS[view.ending]}{who}")
    return lines


def _seat_name(view: View, seat: Seat) -> str:
    return f"seat {seat} ({COLOUR_NAMES[view.colours[seat]]})"


def _name(view: View, card: Card) -> str:
    return CARD_NAMES[card] + _MARKS[SYMBOLS[view.symbols][card]]


def _names(view: View, cards: Iterable[Card]) -> str:
    return " ".join(_name(view, card) for card in cards)
