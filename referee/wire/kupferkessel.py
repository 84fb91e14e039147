"""The messages of Kupferkessel Co."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from highstreet.v1 import kupferkessel_pb2 as pb

from engine import Event, Options, Seat
from engine.kupferkessel import (
    CARDS_BY_NAME,
    COLOURS,
    DISCARD,
    EXPLOSIONS,
    FIRST_PAWNS,
    KEEP,
    SKIP,
    TAKES,
    USE,
    WANDS,
    Card,
    CauldronsOpened,
    Discarded,
    DrewStartCard,
    Ended,
    Ending,
    Kept,
    Lost,
    Move,
    Moved,
    Passed,
    Phase,
    Recipes,
    RecipesOpened,
    Refilled,
    Stack,
    Take,
    Took,
    UsedSymbol,
    View,
)
from referee.wire.codec import Fields, Fragment, ScalarEvent, WireError, scalar_event, with_owners

NO_SEAT: Final = -1

_COLOUR: Final = {letter: i for i, letter in enumerate(COLOURS, 1)}
_SYMBOLS: Final = {choice: i for i, choice in enumerate(EXPLOSIONS, 1)}
_PHASE: Final = {phase: i for i, phase in enumerate(Phase, 1)}
_ENDING: Final = {None: 0} | {ending: i for i, ending in enumerate(Ending, 1)}
_WORDS: Final[Mapping[Move, str]] = {USE: "use", SKIP: "skip", KEEP: "keep", DISCARD: "discard"}
_MOVES: Final = {word: move for move, word in _WORDS.items()}


@lru_cache(maxsize=4096)
def _known(colours: str, symbols: str, recipes: tuple[Recipes | None, ...]) -> Fragment:
    """Return the fields that stay the same for a seat during a match."""
    known, owners = with_owners(recipes)
    return Fragment(
        {
            "colours": [_COLOUR[c] for c in colours],
            "symbols": _SYMBOLS[symbols],
            "recipes": known,
            "recipe_owners": owners,
        }
    )


@lru_cache(maxsize=256)
def _end(
    out: tuple[Card, ...],
    ending: Ending | None,
    ender: Seat | None,
    last_card: Card,
    cauldrons: tuple[Stack, ...],
) -> Fragment:
    """Return the fields that change towards the end."""
    cauldron_cards, cauldron_owners = with_owners(cauldrons)
    return Fragment(
        {
            "out": out,
            "last_card": last_card,
            "ending": _ENDING[ending],
            "ender": NO_SEAT if ender is None else ender,
            "cauldron_cards": cauldron_cards,
            "cauldron_owners": cauldron_owners,
        }
    )


class KupferkesselCodec:
    """Views, events and moves of Kupferkessel Co. as fields."""

    situation = pb.Kupferkessel.Situation
    options = pb.Kupferkessel.Options
    volatile = (
        "phase", "turn", "turn_number", "steps", "board", "pile_size", "stops", "tops", "heights",
    )  # fmt: skip

    @property
    def scalar_events(self) -> Mapping[type[Event], ScalarEvent]:
        """The frequent events, which consist of small numbers."""
        return _SCALAR_EVENTS

    def options_fields(self, options: Options) -> Fields:
        """Return the fields of the options."""
        symbols = str(options["symbols"])
        colours = f"{FIRST_PAWNS}{options['third_colour']}"[: options.seats]
        return {
            "recipes": bool(options["recipes"]),
            "symbols": _SYMBOLS[symbols],
            "colours": [_COLOUR[c] for c in colours],
            "explosions": [CARDS_BY_NAME[name] for name in EXPLOSIONS[symbols]],
            "wands": [CARDS_BY_NAME[name] for name in WANDS[symbols]],
        }

    def volatile_values(self, view: View) -> tuple[Any, ...]:
        """Return the values of the ``volatile`` fields of a view, in their order."""
        return (
            _PHASE[view.phase],
            view.seat,
            view.turn,
            view.steps,
            view.board,
            view.pile_size,
            view.stops,
            view.tops,
            view.heights,
        )

    def view_fragments(self, view: View) -> Sequence[Fragment]:
        """Return the other fields of a view, each of them in exactly one fragment."""
        return (
            _known(view.colours, view.symbols, view.recipes),
            _end(view.out, view.ending, view.ender, view.last_card, view.cauldrons),
        )

    def event_fields(self, event: Event) -> Sequence[Fields]:
        """Return the fields of the messages for an event: one, or one per seat."""
        scalar = _SCALAR_EVENTS.get(type(event))
        return (scalar.fields_of(event),) if scalar else _OTHER_EVENTS[type(event)](event)

    def move_fields(self, move: Move) -> Fields:
        """Return the one field of a move."""
        return {"take": move.cell} if type(move) is Take else {_WORDS[move]: {}}

    def read_move(self, fields: Mapping[str, Any]) -> Move:
        """Return the move with these fields; raises WireError."""
        if len(fields) != 1:
            raise WireError(
                "a move of kupferkessel has exactly one of take, use, skip, keep and discard; "
                f"this one has {', '.join(fields) or 'none'}."
            )
        ((word, value),) = fields.items()
        if word != "take":
            return _MOVES[word]
        if not 0 <= value < len(TAKES):
            raise WireError(f"there is no cell {value}: cells are 0 (a1) to 35 (f6).")
        taken: Move = TAKES[value]
        return taken

    def read_json_move(self, field: str, value: object) -> Move | None:
        """Return a move that takes a card from a cell, or one without parameters."""
        if type(value) is int:
            return TAKES[value] if field == "take" and 0 <= value < len(TAKES) else None
        return _MOVES.get(field) if value == {} else None


_KIND: Final = pb.Kupferkessel.EventKind


_SCALAR_EVENTS: Final[Mapping[type[Event], ScalarEvent]] = {
    DrewStartCard: scalar_event(_KIND.EVENT_KIND_DREW_START_CARD, DrewStartCard, kept="flag"),
    Moved: scalar_event(_KIND.EVENT_KIND_MOVED, Moved),
    Passed: scalar_event(_KIND.EVENT_KIND_PASSED, Passed),
    Took: scalar_event(_KIND.EVENT_KIND_TOOK, Took),
    UsedSymbol: scalar_event(_KIND.EVENT_KIND_USED_SYMBOL, UsedSymbol),
    Lost: scalar_event(_KIND.EVENT_KIND_LOST, Lost, under_pile="flag"),
    Refilled: scalar_event(_KIND.EVENT_KIND_REFILLED, Refilled),
    Kept: scalar_event(_KIND.EVENT_KIND_KEPT, Kept),
    Discarded: scalar_event(_KIND.EVENT_KIND_DISCARDED, Discarded),
}

_OTHER_EVENTS: Final[Mapping[type[Event], Callable[[Any], Sequence[Fields]]]] = {
    Ended: lambda event: (
        {
            "kind": _KIND.EVENT_KIND_ENDED,
            "seat": NO_SEAT if event.ender is None else event.ender,
            "ending": _ENDING[event.ending],
        },
    ),
    CauldronsOpened: lambda event: [
        {"kind": _KIND.EVENT_KIND_CAULDRON_OPENED, "seat": seat, "cards": cards}
        for seat, cards in enumerate(event.cauldrons)
    ],
    RecipesOpened: lambda event: [
        {"kind": _KIND.EVENT_KIND_RECIPES_OPENED, "seat": seat, "recipes": own}
        for seat, own in enumerate(event.recipes)
    ],
}

CODEC: Final = KupferkesselCodec()
