"""Glastonbury on the wire."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final

from highstreet.v1 import glastonbury_pb2 as pb

from engine import Event, Options, Seat
from engine.glastonbury.cards import COLOURS, INGREDIENTS, Card, Ingredient, Task
from engine.glastonbury.moves import (
    DISCARD,
    KEEP,
    PASS,
    TAKES,
    USE_DECLINATIO,
    AssignImmuto,
    Move,
    Take,
)
from engine.glastonbury.state import (
    CauldronsOpened,
    Discarded,
    Ended,
    Ending,
    ImmutoAssigned,
    Kept,
    Looked,
    Lost,
    Moved,
    Passed,
    Phase,
    Recipes,
    RecipesOpened,
    Refilled,
    Spells,
    Stack,
    Took,
    UsedDeclinatio,
    View,
)
from referee.wire.codec import Fields, Group, Plain, WireError

NOBODY: Final = -1

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


def _flat(stacks: Sequence[Sequence[int]]) -> tuple[list[int], list[int]]:
    """Return the items of all seats in one list, and whose each is in another."""
    items = [item for stack in stacks for item in stack]
    owners = [owner for owner, stack in enumerate(stacks) for _ in stack]
    return items, owners


@lru_cache(maxsize=4096)
def _spells(taken: tuple[Spells, ...]) -> Group:
    """Return what changes when a spell is taken or used."""
    spells, owners = _flat([own.taken for own in taken])
    return Group(
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
) -> Group:
    """Return what stays the same for a seat during a match."""
    return Group(
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
) -> Group:
    """Return what changes towards the end."""
    cauldron_cards, cauldron_owners = _flat(cauldrons)
    immuto, immuto_owners = _flat(assignments)
    return Group(
        {
            "out": out,
            "last_card": last_card,
            "ending": _ENDING[ending],
            "ender": NOBODY if ender is None else ender,
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
    now = ("phase", "turn", "steps", "board", "pile_size", "stops", "tops", "heights")

    @property
    def plain_events(self) -> Mapping[type[Event], Plain]:
        """The events that happen all the time."""
        return _PLAIN

    def options_fields(self, options: Options) -> Fields:
        """Return the fields of the options."""
        return {
            "recipes": bool(options["recipes"]),
            "colours": [_COLOUR[c] for c in str(options["colours"])[: options.seats]],
            "dead_end_counts_as_end": bool(options["dead_end_counts_as_end"]),
        }

    def now_values(self, view: View) -> tuple[Any, ...]:
        """Return the values of the fields ``now`` of a view, in their order."""
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

    def view_groups(self, view: View) -> Sequence[Group]:
        """Return the other fields of a view, every one of them in exactly one group."""
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
        """Return the fields of the messages for an event: one, or one for each seat."""
        plain = _PLAIN.get(type(event))
        return (plain.fields_of(event),) if plain else _EVENTS[type(event)](event)

    def move_fields(self, move: Move) -> Fields:
        """Return the one field of a move."""
        if type(move) is Take:
            return {"take": move.cell}
        if isinstance(move, AssignImmuto):
            return {"immuto": {"ingredients": [i + 1 for i in move.ingredients]}}
        return {_WORDS[move]: {}}

    def read_move(self, fields: Mapping[str, Any]) -> Move:
        """Return the move that the fields of a message say."""
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
            return AssignImmuto(tuple(map(_ingredient, value.get("ingredients", ()))))
        return _MOVES[word]

    def read_plain_move(self, field: str, value: object) -> Move | None:
        """Return a move that takes a card from a cell, or one that has no parts."""
        if type(value) is int:
            return TAKES[value] if field == "take" and 0 <= value < len(TAKES) else None
        return _MOVES.get(field) if value == {} else None


def _ingredient(number: int) -> Ingredient:
    """Read an ingredient, which the wire counts from 1."""
    if not 1 <= number <= len(INGREDIENTS):
        raise WireError(f"there is no ingredient {number}: they are 1 (Ya) to 18 (Sb).")
    return INGREDIENTS[number - 1]


_KIND: Final = pb.Glastonbury.EventKind


def _plain(kind: int, event: type[Event], **renamed: str) -> Plain:
    """Describe an event whose attributes are fields of the message, by other names perhaps."""
    attributes: Sequence[str] = event.__slots__
    return Plain(kind, {name: renamed.get(name, name) for name in attributes})


_PLAIN: Final[Mapping[type[Event], Plain]] = {
    Moved: _plain(_KIND.EVENT_KIND_MOVED, Moved),
    Passed: _plain(_KIND.EVENT_KIND_PASSED, Passed),
    UsedDeclinatio: _plain(_KIND.EVENT_KIND_USED_DECLINATIO, UsedDeclinatio),
    Took: _plain(_KIND.EVENT_KIND_TOOK, Took, used_accio="flag"),
    Refilled: _plain(_KIND.EVENT_KIND_REFILLED, Refilled),
    Lost: _plain(_KIND.EVENT_KIND_LOST, Lost, under_pile="flag"),
    Kept: _plain(_KIND.EVENT_KIND_KEPT, Kept),
    Discarded: _plain(_KIND.EVENT_KIND_DISCARDED, Discarded),
}

_EVENTS: Final[Mapping[type[Event], Callable[[Any], Sequence[Fields]]]] = {
    Looked: lambda event: (
        {"kind": _KIND.EVENT_KIND_LOOKED, "seat": event.seat, "cards": event.cauldron},
    ),
    Ended: lambda event: (
        {
            "kind": _KIND.EVENT_KIND_ENDED,
            "seat": NOBODY if event.ender is None else event.ender,
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
