"""The messages of Gargon."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from highstreet.v1 import gargon_pb2 as pb

from engine import Event, Options
from engine.gargon import (
    BACKS,
    BATTLES,
    COLOURS,
    DRAWS,
    FACES,
    PAIRS,
    PASSES,
    PICKS,
    PILES,
    PLAYS,
    STOP,
    ZERO_CLASHES,
    Battle,
    BattleChosen,
    Captured,
    Card,
    Cards,
    Colour,
    Draw,
    Drew,
    Ended,
    Ending,
    HandsOpened,
    Laid,
    LeadLost,
    Lost,
    Move,
    Pass,
    Passed,
    Phase,
    Pick,
    Pile,
    PileEmptied,
    Play,
    Revealed,
    RoundBegan,
    Saw,
    View,
)
from referee.wire.codec import (
    LONGEST_LIST,
    Fields,
    Fragment,
    ScalarEvent,
    WireError,
    check_length,
    scalar_event,
    with_owners,
)

NO_PILE: Final = 0

# Cards have the same numbers in messages; colours and piles count from 1 there.
_PHASE: Final = {phase: i for i, phase in enumerate(Phase, 1)}
_ENDING: Final = {None: 0} | {ending: i for i, ending in enumerate(Ending, 1)}
_ZERO_CLASH: Final = {reading: i for i, reading in enumerate(ZERO_CLASHES, 1)}
_COLOUR_OF_BACK: Final = {back: i for i, back in enumerate(BACKS, 1)}


def _colours(colours: Iterable[Colour]) -> list[int]:
    return [colour + 1 for colour in colours]


@lru_cache(maxsize=4096)
def _hand(hand: Cards, counts: tuple[int, ...]) -> Fragment:
    """Return the fields that change when cards are laid or drawn."""
    return Fragment({"hand": hand, "hand_counts": counts})


@lru_cache(maxsize=4096)
def _piles(piles: tuple[Cards, Cards]) -> Fragment:
    """Return the fields that change when a card is drawn."""
    first, second = piles
    return Fragment(
        {
            "pile_a": [_COLOUR_OF_BACK[back] for back in first],
            "pile_b": [_COLOUR_OF_BACK[back] for back in second],
        }
    )


@lru_cache(maxsize=4096)
def _table(laid: tuple[Cards, ...]) -> Fragment:
    """Return the fields that change when cards are laid, and in a battle."""
    cards, owners = with_owners(laid)
    return Fragment({"laid_cards": cards, "laid_owners": owners})


@lru_cache(maxsize=4096)
def _gone(
    discards: Cards, captured_counts: tuple[int, ...], captured: tuple[Cards, ...]
) -> Fragment:
    """Return the fields that change after a battle."""
    cards, owners = with_owners(captured)
    return Fragment(
        {
            "discards": discards,
            "captured_counts": captured_counts,
            "captured_cards": cards,
            "captured_owners": owners,
        }
    )


@lru_cache(maxsize=256)
def _end(hands: tuple[Cards, ...], ending: Ending | None) -> Fragment:
    """Return the fields that change at the end."""
    cards, owners = with_owners(hands)
    return Fragment({"open_hands": cards, "open_hand_owners": owners, "ending": _ENDING[ending]})


class GargonCodec:
    """Views, events and moves of Gargon as fields."""

    situation = pb.Gargon.Situation
    options = pb.Gargon.Options
    volatile = (
        "phase", "turn", "leader", "round", "pattern", "picked", "drawn", "lost_colour", "losers",
    )  # fmt: skip

    @property
    def scalar_events(self) -> Mapping[type[Event], ScalarEvent]:
        """The frequent events, which consist of small numbers."""
        return _SCALAR_EVENTS

    def options_fields(self, options: Options) -> Fields:
        """Return the fields of the options."""
        return {
            "open_captures": bool(options["open_captures"]),
            "zero_clash": _ZERO_CLASH[str(options["zero_clash"])],
            "allow_111": bool(options["allow_111"]),
        }

    def volatile_values(self, view: View) -> tuple[Any, ...]:
        """Return the values of the ``volatile`` fields of a view, in their order."""
        return (
            _PHASE[view.phase],
            view.seat,
            view.leader,
            view.round,
            _colours(view.pattern),
            view.picked,
            view.drawn,
            0 if view.colour is None else view.colour + 1,
            view.losers,
        )

    def view_fragments(self, view: View) -> Sequence[Fragment]:
        """Return the other fields of a view, each of them in exactly one fragment."""
        return (
            _hand(view.hand, view.counts),
            _piles(view.piles),
            _table(view.laid),
            _gone(view.discards, view.captured_counts, view.captured),
            _end(view.hands, view.ending),
        )

    def event_fields(self, event: Event) -> Sequence[Fields]:
        """Return the fields of the messages for an event: one, or one per seat."""
        scalar = _SCALAR_EVENTS.get(type(event))
        return (scalar.fields_of(event),) if scalar else _OTHER_EVENTS[type(event)](event)

    def move_fields(self, move: Move) -> Fields:
        """Return the one field of a move."""
        match move:
            case Play(pattern):
                return {"play": {"colours": _colours(pattern)}}
            case Pick(cards):
                return {"pick": {"cards": cards}}
            case Pass(pile):
                return {"pass": NO_PILE if pile is None else pile + 1}
            case Draw(pile):
                return {"draw": pile + 1}
            case Battle(colour):
                return {"battle": colour + 1}
        return {"stop": {}}

    def read_move(self, fields: Mapping[str, Any]) -> Move:
        """Return the move with these fields; raises WireError."""
        if len(fields) != 1:
            raise WireError(
                "a move of gargon has exactly one of play, pass, pick, draw, stop and battle; "
                f"this one has {', '.join(fields) or 'none'}."
            )
        ((word, value),) = fields.items()
        return _READERS[word](value)

    def read_json_move(self, field: str, value: object) -> Move | None:
        """Return a move in the form of the legal moves, with names or with numbers of enums."""
        if type(value) is str or type(value) is int:
            return _SCALARS.get((field, value))
        if type(value) is not dict:
            return None
        if not value:
            return STOP if field == "stop" else None
        ((name, items), *others) = value.items()
        if others or name != _LISTS.get(field) or type(items) is not list:
            return None
        if len(items) > LONGEST_LIST:
            return None
        usual = all(type(item) is str or type(item) is int for item in items)
        return _LISTED.get((field, *items)) if usual else None


# Moves ------------------------------------------------------------------------------------------


def _colour(number: int) -> Colour:
    if not 1 <= number <= len(COLOURS):
        raise WireError(f"there is no colour {number}: they are 1 (white) to 6 (green).")
    return COLOURS[number - 1]


def _pile(number: int) -> Pile:
    if not 1 <= number <= len(PILES):
        raise WireError(f"there is no pile {number}: they are 1 (A) and 2 (B).")
    return PILES[number - 1]


def _card(number: int) -> Card:
    if not 1 <= number <= len(FACES):
        raise WireError(f"there is no card {number} to lay: they are 1 (W0) to 96 (G15).")
    return FACES[number - 1]


def _read_play(value: Mapping[str, Any]) -> Move:
    colours = tuple(map(_colour, check_length(value.get("colours", ()))))
    if not colours:
        raise WireError("a play has at least one colour.")
    return Play(colours)


def _read_pick(value: Mapping[str, Any]) -> Move:
    cards = tuple(map(_card, check_length(value.get("cards", ()))))
    if not cards:
        raise WireError("a pick has at least one card.")
    return Pick(cards)


_READERS: Final[Mapping[str, Callable[[Any], Move]]] = {
    "play": _read_play,
    "pass": lambda number: Pass(None if number == NO_PILE else _pile(number)),
    "pick": _read_pick,
    "draw": lambda number: Draw(_pile(number)),
    "stop": lambda _: STOP,
    "battle": lambda number: Battle(_colour(number)),
}

_LISTS: Final = {"play": "colours", "pick": "cards"}
"""The list field of the moves that are messages with a list."""


def _in_json(move: Move, enum: Any) -> Iterator[tuple[str | int, ...]]:
    """Return the JSON forms of a move: its field, then its values as names or as numbers."""
    ((field, value),) = GargonCodec().move_fields(move).items()
    numbers = value[_LISTS[field]] if field in _LISTS else (value,)
    yield field, *map(enum.Name, numbers)
    yield field, *numbers


_SCALARS: Final[Mapping[tuple[str | int, ...], Move]] = {
    written: move
    for moves, enum in (
        (PASSES, pb.Gargon.Pile),
        (DRAWS, pb.Gargon.Pile),
        (BATTLES, pb.Gargon.Colour),
    )
    for move in moves
    for written in _in_json(move, enum)
}
_LISTED: Final[Mapping[tuple[str | int, ...], Move]] = {
    written: move
    for groups, enum in (
        (PLAYS.values(), pb.Gargon.Colour),
        ((PICKS.values(), *PAIRS.values()), pb.Gargon.Card),
    )
    for moves in groups
    for move in moves
    for written in _in_json(move, enum)
}
"""The moves that can be legal, by their form in JSON."""


# Events -----------------------------------------------------------------------------------------

_KIND: Final = pb.Gargon.EventKind


def _for_each_seat(kind: int, stacks: Sequence[Cards]) -> Sequence[Fields]:
    """Return a message for each seat that has cards."""
    return [
        {"kind": kind, "seat": seat, "cards": cards} for seat, cards in enumerate(stacks) if cards
    ]


_SCALAR_EVENTS: Final[Mapping[type[Event], ScalarEvent]] = {
    RoundBegan: scalar_event(_KIND.EVENT_KIND_ROUND_BEGAN, RoundBegan),
    LeadLost: scalar_event(_KIND.EVENT_KIND_LEAD_LOST, LeadLost),
    Passed: scalar_event(_KIND.EVENT_KIND_PASSED, Passed),
    Saw: scalar_event(_KIND.EVENT_KIND_SAW, Saw),
    Captured: scalar_event(_KIND.EVENT_KIND_CAPTURED, Captured),
    Lost: scalar_event(_KIND.EVENT_KIND_LOST, Lost),
}

_OTHER_EVENTS: Final[Mapping[type[Event], Callable[[Any], Sequence[Fields]]]] = {
    Laid: lambda event: (
        {"kind": _KIND.EVENT_KIND_LAID, "seat": event.seat, "cards": event.cards},
    ),
    Drew: lambda event: (
        {
            "kind": _KIND.EVENT_KIND_DREW,
            "seat": event.seat,
            "card": event.card,
            "pile": event.pile + 1,
        },
    ),
    PileEmptied: lambda event: ({"kind": _KIND.EVENT_KIND_PILE_EMPTIED, "pile": event.pile + 1},),
    Revealed: lambda event: _for_each_seat(_KIND.EVENT_KIND_REVEALED, event.laid),
    BattleChosen: lambda event: (
        {
            "kind": _KIND.EVENT_KIND_BATTLE_CHOSEN,
            "seat": event.seat,
            "colour": event.colour + 1,
        },
    ),
    Ended: lambda event: ({"kind": _KIND.EVENT_KIND_ENDED, "ending": _ENDING[event.ending]},),
    HandsOpened: lambda event: _for_each_seat(_KIND.EVENT_KIND_HAND_OPENED, event.hands),
}

CODEC: Final = GargonCodec()
