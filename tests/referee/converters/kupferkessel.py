"""Kupferkessel Co., converted a second time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from highstreet.v1 import kupferkessel_pb2

from engine.game import Event, Options, Seat
from engine.kupferkessel import state as kupferkessel
from engine.kupferkessel.cards import CARD_NAMES, COLOUR_NAMES, RECIPE_NAMES
from engine.kupferkessel.moves import Take
from engine.registry import find_game
from tests.naive.kupferkessel import EXPLOSIONS, WANDS

Game = kupferkessel_pb2.Kupferkessel

STATE = kupferkessel
OTHER_OPTIONS = (
    (2, {"symbols": "all2", "recipes": True}),
    (3, {"symbols": "all2", "third_colour": "S"}),
)
RARE_EVENTS = (kupferkessel.Ended(kupferkessel.Ending.TURN_CAP, None),)
"""Random games end long before the last turn."""


def named_card(name: str) -> Any:
    return Game.Card.Value(f"CARD_{name.upper() or 'UNSPECIFIED'}")


def card(number: int) -> Any:
    return named_card(CARD_NAMES[number])


def colour(letter: str) -> Any:
    return Game.Colour.Value(f"COLOUR_{COLOUR_NAMES[letter].upper()}")


def symbols(word: str) -> Any:
    return Game.Symbols.Value(f"SYMBOLS_{word.upper()}")


def recipe(number: int) -> Any:
    """Write both:S as RECIPE_BOTH_GREY."""
    word, _, letter = RECIPE_NAMES[number].partition(":")
    parts = [word, COLOUR_NAMES[letter]] if letter else [word]
    return Game.Recipe.Value("_".join(["RECIPE", *parts]).upper())


def ending(word: str | None) -> Any:
    return Game.Ending.Value(f"ENDING_{word.upper()}" if word else "ENDING_UNSPECIFIED")


def phase(word: str) -> Any:
    return Game.Phase.Value(f"PHASE_{word.upper()}")


def kind(word: str) -> Any:
    return Game.EventKind.Value(f"EVENT_KIND_{word}")


def view_message(view: kupferkessel.View) -> Game.View:
    message = Game.View()
    message.phase = phase(view.phase)
    message.turn = view.seat
    message.turn_number = view.turn
    message.steps = view.steps
    message.board.extend(map(card, view.board))
    message.pile_size = view.pile_size
    message.stops.extend(view.stops)
    message.tops.extend(map(card, view.tops))
    message.heights.extend(view.heights)
    message.out.extend(map(card, view.out))
    message.colours.extend(map(colour, view.colours))
    message.symbols = symbols(view.symbols)
    for seat, recipes in enumerate(view.recipes):
        for each in recipes or ():
            message.recipes.append(recipe(each))
            message.recipe_owners.append(seat)
    message.last_card = card(view.last_card)
    message.ending = ending(view.ending)
    message.ender = -1 if view.ender is None else view.ender
    for seat, cauldron in enumerate(view.cauldrons):
        for number in cauldron:
            message.cauldron_cards.append(card(number))
            message.cauldron_owners.append(seat)
    return message


def event_messages(event: Event) -> Sequence[Game.Event]:  # noqa: C901  a case for each
    match event:
        case kupferkessel.DrewStartCard(seat, number, kept):
            return [
                Game.Event(kind=kind("DREW_START_CARD"), seat=seat, card=card(number), flag=kept)
            ]
        case kupferkessel.Moved(seat, steps, stop):
            return [Game.Event(kind=kind("MOVED"), seat=seat, steps=steps, stop=stop)]
        case kupferkessel.Passed(seat):
            return [Game.Event(kind=kind("PASSED"), seat=seat)]
        case kupferkessel.Took(seat, cell, number):
            return [Game.Event(kind=kind("TOOK"), seat=seat, cell=cell, card=card(number))]
        case kupferkessel.UsedSymbol(seat, number):
            return [Game.Event(kind=kind("USED_SYMBOL"), seat=seat, card=card(number))]
        case kupferkessel.Lost(seat, number, under_pile):
            return [Game.Event(kind=kind("LOST"), seat=seat, card=card(number), flag=under_pile)]
        case kupferkessel.Refilled(cell, number):
            return [Game.Event(kind=kind("REFILLED"), cell=cell, card=card(number))]
        case kupferkessel.Ended(how, ender):
            seat = Seat(-1) if ender is None else ender
            return [Game.Event(kind=kind("ENDED"), seat=seat, ending=ending(how))]
        case kupferkessel.Kept(seat, number):
            return [Game.Event(kind=kind("KEPT"), seat=seat, card=card(number))]
        case kupferkessel.Discarded(seat, number):
            return [Game.Event(kind=kind("DISCARDED"), seat=seat, card=card(number))]
        case kupferkessel.CauldronsOpened(cauldrons):
            return [
                Game.Event(kind=kind("CAULDRON_OPENED"), seat=seat, cards=map(card, cauldron))
                for seat, cauldron in enumerate(cauldrons)
            ]
        case kupferkessel.RecipesOpened(recipes):
            return [
                Game.Event(kind=kind("RECIPES_OPENED"), seat=seat, recipes=map(recipe, own))
                for seat, own in enumerate(recipes)
            ]
    raise AssertionError(f"{event} has no message")


def situation_message(view: kupferkessel.View, events: Sequence[Event]) -> Game.Situation:
    told = [message for event in events for message in event_messages(event)]
    return Game.Situation(view=view_message(view), events=told)


def move_message(move: Any) -> Game.Move:
    message = Game.Move()
    if isinstance(move, Take):
        message.take = move.cell
    else:
        getattr(message, find_game("kupferkessel").format_move(move)).SetInParent()
    return message


def options_message(options: Options) -> Game.Options:
    choice = str(options["symbols"])
    letters = ["W", "K", str(options["third_colour"])][: options.seats]
    message = Game.Options()
    message.recipes = bool(options["recipes"])
    message.symbols = symbols(choice)
    message.colours.extend(map(colour, letters))
    message.explosions.extend(map(named_card, EXPLOSIONS[choice]))
    message.wands.extend(map(named_card, WANDS[choice]))
    return message


def may_see(event: Event, seat: Seat) -> bool:  # noqa: ARG001  there are no secret events
    """Everybody sees everything that happens."""
    return True


def assert_hides(situation: Game.Situation, seat: Seat) -> None:
    assert all(event.kind != kind("RECIPES_OPENED") for event in situation.events)
    assert all(event.kind != kind("CAULDRON_OPENED") for event in situation.events)
    assert set(situation.view.recipe_owners) <= {seat}
    assert not situation.view.cauldron_cards
