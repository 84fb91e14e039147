"""Glastonbury, converted a second time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from highstreet.v1 import glastonbury_pb2

from engine.game import Event, Options, Seat
from engine.glastonbury import state as glastonbury
from engine.glastonbury.cards import CARD_NAMES, COLOUR_NAMES, INGREDIENT_NAMES
from engine.glastonbury.moves import AssignImmuto, Take
from engine.registry import find_game

Game = glastonbury_pb2.Glastonbury

STATE = glastonbury
OTHER_OPTIONS = ((2, {"colours": "BG", "dead_end_counts_as_end": False, "recipes": True}),)
RARE_EVENTS = tuple(glastonbury.Ended(how, None) for how in glastonbury.Ending)
"""A dead end may have no ender; random games hardly ever get there."""


def card(number: int) -> Any:
    return Game.Card.Value(f"CARD_{CARD_NAMES[number].upper() or 'UNSPECIFIED'}")


def ingredient(number: int) -> Any:
    return Game.Ingredient.Value(f"INGREDIENT_{INGREDIENT_NAMES[number].upper()}")


def colour(letter: str | None) -> Any:
    return Game.Colour.Value(
        f"COLOUR_{COLOUR_NAMES[letter].upper()}" if letter else "COLOUR_UNSPECIFIED"
    )


def task(word: str | None) -> Any:
    return Game.Task.Value(f"TASK_{word.upper()}" if word else "TASK_UNSPECIFIED")


def ending(word: str | None) -> Any:
    return Game.Ending.Value(f"ENDING_{word.upper()}" if word else "ENDING_UNSPECIFIED")


def phase(word: str) -> Any:
    return Game.Phase.Value(f"PHASE_{word.upper()}")


def kind(word: str) -> Any:
    return Game.EventKind.Value(f"EVENT_KIND_{word}")


def view_message(view: glastonbury.View) -> Game.View:
    message = Game.View()
    message.phase = phase(view.phase)
    message.turn = view.seat
    message.steps = view.steps
    message.board.extend(map(card, view.board))
    message.pile_size = view.pile_size
    message.stops.extend(view.stops)
    message.tops.extend(map(card, view.tops))
    message.heights.extend(view.heights)
    for seat, spells in enumerate(view.spells):
        message.accio.append(spells.accio)
        message.declinatio.append(spells.declinatio)
        for spell in spells.taken:
            message.spells.append(card(spell))
            message.spell_owners.append(seat)
    message.out.extend(map(card, view.out))
    message.colours.extend(map(colour, view.colours))
    message.removed_colour = colour(view.removed_colour)
    for recipes in view.recipes:
        message.recipe_colours.append(colour(recipes.colour if recipes else None))
        message.recipe_tasks.append(task(recipes.task if recipes else None))
    message.last_card = card(view.last_card)
    message.ending = ending(view.ending)
    message.ender = -1 if view.ender is None else view.ender
    for seat, cauldron in enumerate(view.cauldrons):
        for number in cauldron:
            message.cauldron_cards.append(card(number))
            message.cauldron_owners.append(seat)
    for seat, assigned in enumerate(view.assignments):
        for each in assigned:
            message.immuto_ingredients.append(ingredient(each))
            message.immuto_owners.append(seat)
    return message


def event_messages(event: Event) -> Sequence[Game.Event]:  # noqa: C901, PLR0912  a case for each
    match event:
        case glastonbury.Moved(seat, steps, stop):
            return [Game.Event(kind=kind("MOVED"), seat=seat, steps=steps, stop=stop)]
        case glastonbury.Passed(seat):
            return [Game.Event(kind=kind("PASSED"), seat=seat)]
        case glastonbury.UsedDeclinatio(seat):
            return [Game.Event(kind=kind("USED_DECLINATIO"), seat=seat)]
        case glastonbury.Took(seat, cell, number, used_accio):
            return [
                Game.Event(
                    kind=kind("TOOK"), seat=seat, cell=cell, card=card(number), flag=used_accio
                )
            ]
        case glastonbury.Refilled(cell, number):
            return [Game.Event(kind=kind("REFILLED"), cell=cell, card=card(number))]
        case glastonbury.Lost(seat, number, under_pile):
            return [Game.Event(kind=kind("LOST"), seat=seat, card=card(number), flag=under_pile)]
        case glastonbury.Looked(seat, cauldron):
            return [Game.Event(kind=kind("LOOKED"), seat=seat, cards=map(card, cauldron))]
        case glastonbury.Ended(how, ender):
            seat = Seat(-1) if ender is None else ender
            return [Game.Event(kind=kind("ENDED"), seat=seat, ending=ending(how))]
        case glastonbury.Kept(seat, number):
            return [Game.Event(kind=kind("KEPT"), seat=seat, card=card(number))]
        case glastonbury.Discarded(seat, number):
            return [Game.Event(kind=kind("DISCARDED"), seat=seat, card=card(number))]
        case glastonbury.CauldronsOpened(cauldrons):
            return [
                Game.Event(kind=kind("CAULDRON_OPENED"), seat=seat, cards=map(card, cauldron))
                for seat, cauldron in enumerate(cauldrons)
            ]
        case glastonbury.ImmutoAssigned(seat, ingredients):
            return [
                Game.Event(
                    kind=kind("IMMUTO_ASSIGNED"),
                    seat=seat,
                    ingredients=map(ingredient, ingredients),
                )
            ]
        case glastonbury.RecipesOpened(recipes):
            return [
                Game.Event(
                    kind=kind("RECIPES_OPENED"),
                    seat=seat,
                    colour=colour(own.colour),
                    task=task(own.task),
                )
                for seat, own in enumerate(recipes)
            ]
    raise AssertionError(f"{event} has no message")


def situation_message(view: glastonbury.View, events: Sequence[Event]) -> Game.Situation:
    told = [message for event in events for message in event_messages(event)]
    return Game.Situation(view=view_message(view), events=told)


def move_message(move: Any) -> Game.Move:
    message = Game.Move()
    if isinstance(move, Take):
        message.take = move.cell
    elif isinstance(move, AssignImmuto):
        message.immuto.SetInParent()
        message.immuto.ingredients.extend(map(ingredient, move.ingredients))
    else:
        word = find_game("glastonbury").format_move(move)
        getattr(message, word).SetInParent()
    return message


def options_message(options: Options) -> Game.Options:
    message = Game.Options()
    message.recipes = bool(options["recipes"])
    message.colours.extend(map(colour, str(options["colours"])[: options.seats]))
    message.dead_end_counts_as_end = bool(options["dead_end_counts_as_end"])
    return message


def may_see(event: Event, seat: Seat) -> bool:
    """Everybody sees everything but Perluceo's look."""
    return not isinstance(event, glastonbury.Looked) or event.seat == seat


def assert_hides(situation: Game.Situation, seat: Seat) -> None:
    for event in situation.events:
        assert event.kind != kind("LOOKED") or event.seat == seat
        assert event.kind != kind("RECIPES_OPENED")
    view = situation.view
    hidden = [s for s in range(len(view.recipe_tasks)) if s != seat]
    assert not any(view.recipe_tasks[s] or view.recipe_colours[s] for s in hidden)
    assert view.phase == phase("immuto") or not view.cauldron_cards
