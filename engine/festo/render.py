"""A view of Festo! as text for a person."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from engine.festo.cards import (
    CATEGORY_NAMES,
    COLOURS,
    COLUMNS,
    CUBE_LETTERS,
    DISH_NAMES,
    EVENT_NAMES,
    GROCER,
    ROWS,
    SPOT_NAMES,
    SPOTS,
    Counts,
    dish_names,
    letters,
)
from engine.festo.state import Decision, Ending, Phase, View

_ENDINGS: Final = {Ending.ROUNDS_PLAYED: "the four rounds are over"}
_TASKS: Final = {
    Decision.CHOOSE_FIRST: "to choose the first player",
    Decision.PLACE_WEST: "to place helpers on the first three spots",
    Decision.PLACE_EAST: "to place helpers on the last four spots",
    Decision.CUBE: "to take a cube from the market",
    Decision.ELF_TAKE: "to get cubes from the reserves",
    Decision.GROCERY: "to choose a shelf",
    Decision.COOK: "to cook, to recall a token or to pass",
}


def render(view: View) -> str:
    """Draw the spots with their cubes and tokens, the buffet, and the seats."""
    parts = [
        _headline(view),
        "",
        *_columns(_spots(view)),
        "",
        *_columns(_buffet(view)),
        "",
        *_columns(_seats(view)),
        *_footer(view),
    ]
    return "\n".join(line.rstrip() for line in parts)


def _headline(view: View) -> str:
    magic = "with" if view.setup.magic_dishes else "without"
    return f"Festo!, {view.setup.seats} seats, {magic} magic dishes: {_situation(view)}"


def _situation(view: View) -> str:
    if view.phase is Phase.OVER:
        return "the game is over"
    return f"round {view.round}, {view.phase}, seat {view.seat} {_task(view)}"


def _task(view: View) -> str:
    if view.decision is Decision.PAYMENT:
        return f"to pay for {DISH_NAMES[view.paying]}"
    if view.decision is Decision.CHARACTER and view.spot is not None:
        return f"to act at the spot {SPOT_NAMES[view.spot]}"
    return _TASKS[view.decision] if view.decision else ""


def _spots(view: View) -> list[Sequence[str]]:
    rows: list[Sequence[str]] = [
        ("spot", "", "market", "locked", *(f"seat {s}" for s in range(view.setup.seats)))
    ]
    for spot in SPOTS:
        here = spot == view.spot
        blocked = "blocked" if spot in view.blocked else ""
        cubes = view.shelves if spot == GROCER else view.markets[spot]
        first = spot * len(COLOURS)
        locked = view.locks[first : first + len(COLOURS)]
        tokens = [_tokens_at(view, spot, seat) for seat in range(view.setup.seats)]
        rows.append(
            (
                f"{SPOT_NAMES[spot]}{'*' if here else ''}",
                blocked,
                letters(cubes) or "-",
                letters(locked) or "-",
                *tokens,
            )
        )
    return rows


def _tokens_at(view: View, spot: int, seat: int) -> str:
    """Write helpers, then discs as o, then discs for the next round as +."""
    helpers, discs = view.helpers_at[spot][seat], view.discs_at[spot][seat]
    laid = view.laid[spot][seat]
    return f"{helpers or ''}{'o' * discs}{'+' * laid}" or "."


def _buffet(view: View) -> list[Sequence[str]]:
    rows: list[Sequence[str]] = [("buffet", "1", "2", "3", "pile")]
    for row in ROWS:
        places = range(row * COLUMNS, (row + 1) * COLUMNS)
        rows.append((CATEGORY_NAMES[row], *(_place(view, p) for p in places), str(view.piles[row])))
    roasts, mains = view.stock
    rows.append(("roasts", str(roasts), "", "", ""))
    rows.append(("mains", str(mains), "", "", ""))
    return rows


def _place(view: View, place: int) -> str:
    dish, token = view.buffet[place], view.tokens[place]
    if not dish:
        return "-"
    if not token:
        return DISH_NAMES[dish]
    seat, disc = divmod(token - 1, 2)
    return f"{DISH_NAMES[dish]} (seat {seat}{', disc' if disc else ''})"


def _seats(view: View) -> list[Sequence[str]]:
    return [
        ("seat", "", "cubes", "helpers", "discs", "points", "dishes"),
        *(_seat_row(view, seat) for seat in range(view.setup.seats)),
    ]


def _seat_row(view: View, seat: int) -> Sequence[str]:
    marker = "*" if seat == view.seat and view.phase is not Phase.OVER else ""
    remarks = ["first"] if seat == view.first else []
    if view.passed and view.passed[seat]:
        remarks.append("passed")
    return (
        f"{seat}{marker}",
        " ".join(remarks),
        letters(view.cubes[seat]) or "-",
        str(view.helpers[seat]),
        str(view.discs[seat]),
        str(view.points[seat]),
        " ".join(dish_names(view.dishes[seat])) or "-",
    )


def _footer(view: View) -> list[str]:
    lines = [f"reserves: {_reserves(view.reserves)}"]
    if view.phase in (Phase.MORNING, Phase.AFTERNOON):
        lines.append(f"dice: {' '.join(map(str, view.dice)) or 'none'}")
    if view.events:
        lines.append(f"events: {' '.join(EVENT_NAMES[card] for card in view.events)}")
    if view.placing:
        placed = [f"{SPOT_NAMES[s]}={n}" for s, n in enumerate(view.placing) if n]
        lines.append(f"placed so far: {' '.join(placed) or 'none'}")
    if view.order:
        lines.append(f"order here: {_list(view.order)}; to decide: {_list(view.waiting)}")
    if view.taking:
        takes = ", ".join(f"seat {seat} with {number}" for seat, number in view.taking)
        lines.append(f"to take: {takes}")
    if view.rewarded:
        lines.append(f"rewarded starters: {' '.join(dish_names(view.rewarded))}")
    if view.ending:
        lines.append(f"ending: {_ENDINGS[view.ending]}")
    return lines


def _reserves(reserves: Counts) -> str:
    return " ".join(f"{c}{n}" for c, n in zip(CUBE_LETTERS, reserves, strict=True))


def _list(seats: Sequence[int]) -> str:
    return " ".join(map(str, seats)) or "none"


def _columns(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True))
        for row in rows
    ]
