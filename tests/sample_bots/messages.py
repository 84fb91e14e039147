"""Glastonbury as the messages that a bot sees.

A plain translation for tests, independent of the referee's: if both agree with the bots, both are
right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from google.protobuf.duration_pb2 import Duration
from highstreet.v1 import glastonbury_pb2, play_pb2

from engine.game import Event, Options, Seat
from engine.glastonbury.cards import COLOURS, Ingredient, Task
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
from engine.glastonbury.rules import Glastonbury
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
    Recipes,
    RecipesOpened,
    Refilled,
    State,
    Took,
    UsedDeclinatio,
    View,
)

GAME = Glastonbury()
Proto: Any = glastonbury_pb2.Glastonbury  # its stubs take members of enums, but no plain numbers
WORDS: Mapping[Move, str] = {
    USE_DECLINATIO: "declinatio",
    PASS: "pass",
    KEEP: "keep",
    DISCARD: "discard",
}
MOVES: Mapping[str, Move] = {word: move for move, word in WORDS.items()}
ENDINGS = {None: 0, Ending.LINE_EMPTIED: 1, Ending.DEAD_END: 2}


def colour(letter: str | None) -> int:
    """Return the number of a colour, 0 for none."""
    return COLOURS.index(letter) + 1 if letter else 0


def task(recipes: Recipes | None) -> int:
    """Return the number of the task of a recipe, 0 for a hidden one."""
    return list(Task).index(recipes.task) + 1 if recipes else 0


def started(match: str, options: Options, seat: int) -> play_pb2.MatchStarted:
    """Return how a match begins for a seat."""
    colours = [colour(letter) for letter in str(options["colours"])[: options.seats]]
    return play_pb2.MatchStarted(
        match=match,
        game="glastonbury",
        rules_version="1",
        seat=seat,
        seats=[play_pb2.SeatInfo(entrant=f"bot {i}") for i in range(options.seats)],
        glastonbury=Proto.Options(
            recipes=bool(options["recipes"]), colours=colours, dead_end_counts_as_end=True
        ),
    )


def decision(
    match: str, number: int, state: State, seat: Seat, events: Iterable[Event], seconds: float = 10
) -> play_pb2.Decision:
    """Return what a seat is asked, and what has happened since it was last asked."""
    time = Duration()
    time.FromMilliseconds(int(seconds * 1000))
    return play_pb2.Decision(
        match=match,
        decision_id=number,
        clock=play_pb2.Clock(remaining=time),
        legal_moves=[play_pb2.Move(glastonbury=move_out(m)) for m in GAME.legal_moves(state, seat)],
        glastonbury=situation(state, seat, events),
    )


def ended(match: str, state: State, seat: Seat, events: Iterable[Event]) -> play_pb2.MatchEnded:
    """Return how a match ended."""
    outcome = GAME.outcome(state)
    assert outcome is not None
    return play_pb2.MatchEnded(
        match=match,
        ending=outcome.ending,
        scores=outcome.scores,
        places=outcome.places,
        glastonbury=situation(state, seat, events),
    )


def situation(state: State, seat: Seat, events: Iterable[Event]) -> Any:
    """Return the view of a seat, and those events that it may see."""
    seen = [message for e in events if e.visible_to(seat) for message in event_out(e)]
    return Proto.Situation(view=view_out(GAME.view(state, seat)), events=seen)


def move_out(move: Move) -> Any:
    """Translate a move of the engine."""
    if isinstance(move, Take):
        return Proto.Move(take=move.cell)
    if isinstance(move, AssignImmuto):
        assigned = Proto.AssignImmuto(ingredients=numbered(move.ingredients))
        return Proto.Move(immuto=assigned)
    message = Proto.Move()
    getattr(message, WORDS[move]).SetInParent()
    return message


def move_in(message: play_pb2.Move) -> Move:
    """Translate a move of a bot."""
    move = message.glastonbury
    action = move.WhichOneof("action")
    assert action is not None
    if action == "take":
        return TAKES[move.take]
    if action == "immuto":
        return AssignImmuto(tuple(Ingredient(i - 1) for i in move.immuto.ingredients))
    return MOVES[action]


def view_out(view: View) -> Any:
    """Translate a view of the engine."""
    return Proto.View(
        phase=Proto.Phase.Value(f"PHASE_{view.phase.name}"),
        turn=view.seat,
        steps=view.steps,
        board=view.board,
        pile_size=view.pile_size,
        stops=view.stops,
        tops=view.tops,
        heights=view.heights,
        accio=[own.accio for own in view.spells],
        declinatio=[own.declinatio for own in view.spells],
        spells=[card for own in view.spells for card in own.taken],
        spell_owners=owners([own.taken for own in view.spells]),
        out=view.out,
        colours=[colour(letter) for letter in view.colours],
        removed_colour=colour(view.removed_colour),
        recipe_colours=[colour(own.colour if own else None) for own in view.recipes],
        recipe_tasks=[task(own) for own in view.recipes],
        last_card=view.last_card,
        ending=ENDINGS[view.ending],
        ender=-1 if view.ender is None else view.ender,
        cauldron_cards=[card for stack in view.cauldrons for card in stack],
        cauldron_owners=owners(view.cauldrons),
        immuto_ingredients=[i + 1 for assigned in view.assignments for i in assigned],
        immuto_owners=owners(view.assignments),
    )


def event_out(event: Event) -> Iterator[Any]:  # noqa: C901, PLR0912  a table, one case a kind
    """Translate an event of the engine, which may be several messages."""
    match event:
        case Moved(seat, steps, stop):
            yield Proto.Event(kind="EVENT_KIND_MOVED", seat=seat, steps=steps, stop=stop)
        case Passed(seat):
            yield Proto.Event(kind="EVENT_KIND_PASSED", seat=seat)
        case UsedDeclinatio(seat):
            yield Proto.Event(kind="EVENT_KIND_USED_DECLINATIO", seat=seat)
        case Took(seat, cell, card, accio):
            yield Proto.Event(kind="EVENT_KIND_TOOK", seat=seat, cell=cell, card=card, flag=accio)
        case Refilled(cell, card):
            yield Proto.Event(kind="EVENT_KIND_REFILLED", cell=cell, card=card)
        case Lost(seat, card, under_pile):
            yield Proto.Event(kind="EVENT_KIND_LOST", seat=seat, card=card, flag=under_pile)
        case Looked(seat, cauldron):
            yield Proto.Event(kind="EVENT_KIND_LOOKED", seat=seat, cards=cauldron)
        case Ended(ending, ender):
            who = -1 if ender is None else ender
            yield Proto.Event(kind="EVENT_KIND_ENDED", seat=who, ending=ENDINGS[ending])
        case Kept(seat, card):
            yield Proto.Event(kind="EVENT_KIND_KEPT", seat=seat, card=card)
        case Discarded(seat, card):
            yield Proto.Event(kind="EVENT_KIND_DISCARDED", seat=seat, card=card)
        case CauldronsOpened(cauldrons):
            for i, cauldron in enumerate(cauldrons):
                yield Proto.Event(kind="EVENT_KIND_CAULDRON_OPENED", seat=i, cards=cauldron)
        case ImmutoAssigned(seat, assigned):
            yield Proto.Event(
                kind="EVENT_KIND_IMMUTO_ASSIGNED", seat=seat, ingredients=numbered(assigned)
            )
        case RecipesOpened(recipes):
            for i, own in enumerate(recipes):
                yield Proto.Event(
                    kind="EVENT_KIND_RECIPES_OPENED",
                    seat=i,
                    colour=colour(own.colour),
                    task=task(own),
                )
        case _:
            raise AssertionError(event)


def numbered(ingredients: Iterable[Ingredient]) -> list[int]:
    """Return the numbers of ingredients in the protocol, which begin with 1."""
    return [i + 1 for i in ingredients]


def owners(by_seat: Sequence[Sequence[int]]) -> list[int]:
    """Return whose each item is in the list that these make one after the other."""
    return [seat for seat, items in enumerate(by_seat) for _ in items]
