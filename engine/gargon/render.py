"""A view of Gargon as text for a person."""

from __future__ import annotations

from collections.abc import Iterable

from engine.gargon.cards import (
    CARD_NAMES,
    COLOUR_LETTERS,
    COLOUR_NAMES,
    COLOUR_OF,
    COLOURS,
    PILE_NAMES,
    Card,
    Cards,
    letters,
)
from engine.gargon.moves import SHAPE_OF
from engine.gargon.state import Ending, Phase, View

_ENDINGS = {Ending.PILE_EMPTIED: "the round in which a pile ran out is over"}
_ORDINALS = ("first", "second", "third")


def render(view: View) -> str:
    """Draw the seats with their hands and what they have laid, the own hand, and the piles."""
    parts = [_headline(view), "", *_seats(view), "", *_own_hand(view), *_footer(view)]
    return "\n".join(line.rstrip() for line in parts)


def _headline(view: View) -> str:
    captures = "open" if view.setup.open_captures else "covered"
    return f"Gargon, {view.setup.seats} seats, {captures} captures: {_situation(view)}"


def _situation(view: View) -> str:
    if view.phase is Phase.OVER:
        return "the game is over"
    last = "" if all(view.piles) else ", the last"
    return f"round {view.round}{last}, seat {view.seat} {_task(view)}"


def _task(view: View) -> str:
    if view.phase is Phase.LEAD:
        return "to lead"
    if view.phase is Phase.FOLLOW:
        return _follow_task(view)
    if view.phase is Phase.PICK:
        return _pick_task(view)
    if view.phase is Phase.PASSDRAW:
        return f"to draw a {_ORDINALS[view.drawn]} card after passing, or to stop"
    if view.phase is Phase.BATTLE:
        return "to choose a battle"
    colour = "" if view.colour is None else f"{COLOUR_NAMES[view.colour]} "
    return f"to draw for a lost {colour}card"


def _follow_task(view: View) -> str:
    shape = SHAPE_OF[tuple(COLOUR_OF[card] for card in view.laid[view.leader])]
    if (view.seat + 1) % view.setup.seats != view.leader:
        return f"to follow {shape} or to pass"
    usable = sorted({COLOUR_OF[card] for cards in view.laid for card in cards})
    return f"to follow {shape} in {' '.join(letters(usable))} or to pass, as the last seat"


def _pick_task(view: View) -> str:
    if not view.pattern:
        return "to pick cards"
    colour = view.pattern[len(view.picked)]
    number = "one" if view.pattern.count(colour) == 1 else "two"
    picked = f" beside {_names(view.picked)}" if view.picked else ""
    return f"to pick {number} of {COLOUR_NAMES[colour]} for {letters(view.pattern)}{picked}"


def _seats(view: View) -> list[str]:
    rows = [
        ("seat", "", *COLOUR_LETTERS, "hand", "laid", "captured"),
        *(_seat_row(view, seat) for seat in range(view.setup.seats)),
    ]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(f"{text:<{width}}" for text, width in zip(row, widths, strict=True))
        for row in rows
    ]


def _seat_row(view: View, seat: int) -> tuple[str, ...]:
    marker = "*" if seat == view.seat and view.phase is not Phase.OVER else ""
    first = seat * len(COLOURS)
    counts = view.counts[first : first + len(COLOURS)]
    captured = str(view.captured_counts[seat])
    if view.captured and view.captured[seat]:
        captured += f": {_names(sorted(view.captured[seat]))}"
    return (
        f"{seat}{marker}",
        "leads" if seat == view.leader and view.phase is not Phase.OVER else "",
        *(str(count or ".") for count in counts),
        str(sum(counts)),
        _names(view.laid[seat]) or "-",
        captured,
    )


def _own_hand(view: View) -> list[str]:
    if view.hands:
        return [f"hand of seat {s}: {_names(hand) or '-'}" for s, hand in enumerate(view.hands)]
    if view.viewer is None:
        return []
    return [f"hand of seat {view.viewer}: {_names(view.hand) or '-'}"]


def _footer(view: View) -> list[str]:
    lines = [
        f"pile {name}, {_number(cards)}: {letters(COLOUR_OF[card] for card in cards) or '-'}"
        for name, cards in zip(PILE_NAMES, view.piles, strict=True)
    ]
    lines.append(f"discarded, {_number(view.discards)}: {_names(sorted(view.discards)) or '-'}")
    if len(view.losers) > 1:
        waiting = " and ".join(f"seat {seat}" for seat in view.losers[1:])
        lines.append(f"to draw next: {waiting}")
    if view.ending:
        lines.append(f"ending: {_ENDINGS[view.ending]}")
    return lines


def _number(cards: Cards) -> str:
    return f"{len(cards)} card{'' if len(cards) == 1 else 's'}"


def _names(cards: Iterable[Card]) -> str:
    return " ".join(CARD_NAMES[card] for card in cards)
