"""The messages of Glastonbury."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from highstreet.v1 import glastonbury_pb2 as pb

from engine import Event, Options, Seat
from engine.glastonbury import (
    COLOURS,
    DISCARD,
    INGREDIENTS,
    KEEP,
    PASS,
    TAKES,
    USE_DECLINATIO,
    AssignImmuto,
    Card,
    CauldronsOpened,
    Discarded,
    Ended,
    Ending,
    ImmutoAssigned,
    Ingredient,
    Kept,
    Looked,
    Lost,
    Move,
    Moved,
    Passed,
    Phase,
    Recipes,
    RecipesOpened,
    Refilled,
    Spells,
    Stack,
    Take,
    Task,
    Took,
    UsedDeclinatio,
    View,
)
from referee.wire.codec import (
    Fields,
    Fragment,
    ScalarEvent,
    WireError,
    check_length,
    scalar_event,
    with_owners,
)

NO_SEAT: Final = -1

_COLOUR: Final = {None: 0} | {letter: i for i, letter in enumerate(COLOURS, 1)}
_TASK: Final = {None: 0} | {task: i for i, task in enumerate(Task, 1)}
_PHASE: Final = {phase: i for i, phase in enumerate(Phase, 1)}
_ENDING: Final = {None: 0} | {ending: i for i, ending in enumerate(Ending, 1)}
_WORDS: Final[Mapping[Move, str]] = {
    USE_DECLINATIO: "declinatio",
    PASS: "pass",
    KEEP: "keep",
    DISCARD: "discard",
}
_MOVES: Final = {word: move for move, word in _WORDS.items()}


@lru_cache(maxsize=4096)
def _spells(taken: tuple[Spells, ...]) -> Fragment:
    """Return the fields that change when a spell is taken or used."""
    spells, owners = with_owners([own.taken for own in taken])
    return Fragment(
        {
            "accio": [own.accio for own in taken],
            "declinatio": [own.declinatio for own in taken],
            "spells": spells,
            "spell_owners": owners,
        }
    )


@lru_cache(maxsize=4096)
def _recipes(
    colours: str, removed_colour: str | None, recipes: tuple[Recipes | None, ...]
) -> Fragment:
    """Return the fields that stay the same for a seat during a match."""
    return Fragment(
        {
            "colours": [_COLOUR[c] for c in colours],
            "removed_colour": _COLOUR[removed_colour],
            "recipe_colours": [_COLOUR[own.colour] if own else 0 for own in recipes],
            "recipe_tasks": [_TASK[own.task] if own else 0 for own in recipes],
        }
    )


@lru_cache(maxsize=256)
def _end(
    out: tuple[Card, ...],
    ending: Ending | None,
    ender: Seat | None,
    last_card: Card,
    cauldrons: tuple[Stack, ...],
    assignments: tuple[tuple[Ingredient, ...], ...],
) -> Fragment:
    """Return the fields that change towards the end."""
    cauldron_cards, cauldron_owners = with_owners(cauldrons)
    immuto, immuto_owners = with_owners(assignments)
    return Fragment(
        {
            "out": out,
            "last_card": last_card,
            "ending": _ENDING[ending],
            "ender": NO_SEAT if ender is None else ender,
            "cauldron_cards": cauldron_cards,
            "cauldron_owners": cauldron_owners,
            "immuto_ingredients": [i + 1 for i in immuto],
            "immuto_owners": immuto_owners,
        }
    )


class GlastonburyCodec:
    """Views, events and moves of Glastonbury as fields."""

    situation = pb.Glastonbury.Situation
    options = pb.Glastonbury.Options
    volatile = ("phase", "turn", "steps", "board", "pile_size", "stops", "tops", "heights")

    @property
    def scalar_events(self) -> Mapping[type[Event], ScalarEvent]:
        """The frequent events, which consist of small numbers."""
        return _SCALAR_EVENTS

    def options_fields(self, options: Options) -> Fields:
        """Return the fields of the options."""
        return {
            "recipes": bool(options["recipes"]),
            "colours": [_COLOUR[c] for c in str(options["colours"])[: options.seats]],
            "dead_end_counts_as_end": bool(options["dead_end_counts_as_end"]),
        }

    def volatile_values(self, view: View) -> tuple[Any, ...]:
        """Return the values of the ``volatile`` fields of a view, in their order."""
        return (
            _PHASE[view.phase],
            view.seat,
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
            _spells(view.spells),
            _recipes(view.colours, view.removed_colour, view.recipes),
            _end(
                view.out,
                view.ending,
                view.ender,
                view.last_card,
                view.cauldrons,
                view.assignments,
            ),
        )

    def event_fields(self, event: Event) -> Sequence[Fields]:
        """Return the fields of the messages for an event: one, or one per seat."""
        scalar = _SCALAR_EVENTS.get(type(event))
        return (scalar.fields_of(event),) if scalar else _OTHER_EVENTS[type(event)](event)

    def move_fields(self, move: Move) -> Fields:
        """Return the one field of a move."""
        if type(move) is Take:
            return {"take": move.cell}
        if isinstance(move, AssignImmuto):
            return {"immuto": {"ingredients": [i + 1 for i in move.ingredients]}}
        return {_WORDS[move]: {}}

    def read_move(self, fields: Mapping[str, Any]) -> Move:
        """Return the move with these fields; raises WireError."""
        if len(fields) != 1:
            raise WireError(
                "a move of glastonbury has exactly one of take, declinatio, pass, keep, discard "
                f"and immuto; this one has {', '.join(fields) or 'none'}."
            )
        ((word, value),) = fields.items()
        if word == "take":
            if not 0 <= value < len(TAKES):
                raise WireError(f"there is no cell {value}: cells are 0 (a1) to 35 (f6).")
            taken: Move = TAKES[value]
            return taken
        if word == "immuto":
            return AssignImmuto(tuple(map(_ingredient, check_length(value.get("ingredients", ())))))
        return _MOVES[word]

    def read_json_move(self, field: str, value: object) -> Move | None:
        """Return a move that takes a card from a cell, or one without parameters."""
        if type(value) is int:
            return TAKES[value] if field == "take" and 0 <= value < len(TAKES) else None
        return _MOVES.get(field) if value == {} else None


def _ingredient(number: int) -> Ingredient:
    """Return the ingredient with a number that counts from 1."""
    if not 1 <= number <= len(INGREDIENTS):
        raise WireError(f"there is no ingredient {number}: they are 1 (Ya) to 18 (Sb).")
    return INGREDIENTS[number - 1]


_KIND: Final = pb.Glastonbury.EventKind


_SCALAR_EVENTS: Final[Mapping[type[Event], ScalarEvent]] = {
    Moved: scalar_event(_KIND.EVENT_KIND_MOVED, Moved),
    Passed: scalar_event(_KIND.EVENT_KIND_PASSED, Passed),
    UsedDeclinatio: scalar_event(_KIND.EVENT_KIND_USED_DECLINATIO, UsedDeclinatio),
    Took: scalar_event(_KIND.EVENT_KIND_TOOK, Took, used_accio="flag"),
    Refilled: scalar_event(_KIND.EVENT_KIND_REFILLED, Refilled),
    Lost: scalar_event(_KIND.EVENT_KIND_LOST, Lost, under_pile="flag"),
    Kept: scalar_event(_KIND.EVENT_KIND_KEPT, Kept),
    Discarded: scalar_event(_KIND.EVENT_KIND_DISCARDED, Discarded),
}

_OTHER_EVENTS: Final[Mapping[type[Event], Callable[[Any], Sequence[Fields]]]] = {
    Looked: lambda event: (
        {"kind": _KIND.EVENT_KIND_LOOKED, "seat": event.seat, "cards": event.cauldron},
    ),
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
    ImmutoAssigned: lambda event: (
        {
            "kind": _KIND.EVENT_KIND_IMMUTO_ASSIGNED,
            "seat": event.seat,
            "ingredients": [i + 1 for i in event.ingredients],
        },
    ),
    RecipesOpened: lambda event: [
        {
            "kind": _KIND.EVENT_KIND_RECIPES_OPENED,
            "seat": seat,
            "colour": _COLOUR[own.colour],
            "task": _TASK[own.task],
        }
        for seat, own in enumerate(event.recipes)
    ],
}

CODEC: Final = GlastonburyCodec()
