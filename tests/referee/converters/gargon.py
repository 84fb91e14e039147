"""Gargon, converted a second time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from highstreet.v1 import gargon_pb2

from engine.game import Event, Options, Seat
from engine.gargon import state as gargon
from engine.gargon.cards import Card
from engine.registry import find_game

Game = gargon_pb2.Gargon

STATE = gargon
OTHER_OPTIONS = (
    (3, {"open_captures": True, "zero_clash": "literal", "allow_111": False}),
    (5, {"zero_clash": "literal"}),
)
RARE_EVENTS = (
    *(gargon.LeadLost(Seat(seat)) for seat in range(5)),
    gargon.Revealed(((), (), (Card(1), Card(1), Card(96)))),
)

LETTERS = "WBVYRG"
WORDS = {
    "W": "WHITE",
    "B": "BLUE",
    "V": "VIOLET",
    "Y": "YELLOW",
    "R": "RED",
    "G": "GREEN",
}


def named_card(name: str) -> Any:
    return Game.Card.Value(f"CARD_{name}")


def card(number: int) -> Any:
    """Name a card by dividing its number: sixteen values a colour, then six backs."""
    if number > 96:
        return named_card(f"{LETTERS[number - 97]}_BACK")
    colour_number, value = divmod(number - 1, 16)
    return named_card(f"{LETTERS[colour_number]}{value}")


def colour(number: int | None) -> Any:
    if number is None:
        return Game.Colour.COLOUR_UNSPECIFIED
    return Game.Colour.Value(f"COLOUR_{WORDS[LETTERS[number]]}")


def pile(number: int) -> Any:
    return Game.Pile.Value(f"PILE_{'AB'[number]}")


def phase(word: str) -> Any:
    return Game.Phase.Value(f"PHASE_{word.upper()}")


def zero_clash(word: str) -> Any:
    return Game.ZeroClash.Value(f"ZERO_CLASH_{word.upper()}")


def ending(word: str | None) -> Any:
    return Game.Ending.Value(f"ENDING_{word.upper() if word else 'UNSPECIFIED'}")


def kind(word: str) -> Any:
    return Game.EventKind.Value(f"EVENT_KIND_{word}")


def view_message(view: gargon.View) -> Game.View:
    message = Game.View()
    message.phase = phase(view.phase)
    message.turn = view.seat
    message.leader = view.leader
    message.round = view.round
    message.hand.extend(map(card, view.hand))
    message.hand_counts.extend(view.counts)
    message.pile_a.extend(colour(back - 97) for back in view.piles[0])
    message.pile_b.extend(colour(back - 97) for back in view.piles[1])
    message.pattern.extend(map(colour, view.pattern))
    message.picked.extend(map(card, view.picked))
    message.drawn = view.drawn
    message.lost_colour = colour(view.colour)
    message.losers.extend(view.losers)
    message.discards.extend(map(card, view.discards))
    message.captured_counts.extend(view.captured_counts)
    message.ending = ending(view.ending)
    for cards, owners, stacks in (
        (message.laid_cards, message.laid_owners, view.laid),
        (message.captured_cards, message.captured_owners, view.captured),
        (message.open_hands, message.open_hand_owners, view.hands),
    ):
        for seat, stack in enumerate(stacks):
            for number in stack:
                cards.append(card(number))
                owners.append(seat)
    return message


def event_messages(event: Event) -> Sequence[Game.Event]:  # noqa: C901, PLR0912  a case for each
    match event:
        case gargon.RoundBegan(seat):
            return [Game.Event(kind=kind("ROUND_BEGAN"), seat=seat)]
        case gargon.LeadLost(seat):
            return [Game.Event(kind=kind("LEAD_LOST"), seat=seat)]
        case gargon.Laid(seat, cards):
            return [Game.Event(kind=kind("LAID"), seat=seat, cards=map(card, cards))]
        case gargon.Passed(seat):
            return [Game.Event(kind=kind("PASSED"), seat=seat)]
        case gargon.Drew(seat, number, back):
            return [Game.Event(kind=kind("DREW"), seat=seat, pile=pile(number), card=card(back))]
        case gargon.Saw(seat, face):
            return [Game.Event(kind=kind("SAW"), seat=seat, card=card(face))]
        case gargon.PileEmptied(number):
            return [Game.Event(kind=kind("PILE_EMPTIED"), pile=pile(number))]
        case gargon.Revealed(laid):
            return _cards_by_seat("REVEALED", laid)
        case gargon.BattleChosen(seat, number):
            return [Game.Event(kind=kind("BATTLE_CHOSEN"), seat=seat, colour=colour(number))]
        case gargon.Captured(seat, face):
            return [Game.Event(kind=kind("CAPTURED"), seat=seat, card=card(face))]
        case gargon.Lost(seat, face):
            return [Game.Event(kind=kind("LOST"), seat=seat, card=card(face))]
        case gargon.Ended(how):
            return [Game.Event(kind=kind("ENDED"), ending=ending(how))]
        case gargon.HandsOpened(hands):
            return _cards_by_seat("HAND_OPENED", hands)
    raise AssertionError(f"{event} has no message")


def _cards_by_seat(word: str, stacks: Iterable[Sequence[int]]) -> list[Game.Event]:
    return [
        Game.Event(kind=kind(word), seat=seat, cards=map(card, stack))
        for seat, stack in enumerate(stacks)
        if stack
    ]


def situation_message(view: gargon.View, events: Sequence[Event]) -> Game.Situation:
    told = [message for event in events for message in event_messages(event)]
    return Game.Situation(view=view_message(view), events=told)


def move_message(move: Any) -> Game.Move:
    """Read the notation of the move, word by word."""
    message = Game.Move()
    word, *what = find_game("gargon").format_move(move).split()
    if word == "play":
        message.play.colours.extend(colour(LETTERS.index(letter)) for letter in what[0])
    elif word == "pick":
        message.pick.cards.extend(map(named_card, what))
    elif word == "stop":
        message.stop.SetInParent()
    elif word == "battle":
        message.battle = colour(LETTERS.index(what[0]))
    else:
        setattr(message, word, Game.Pile.Value(f"PILE_{what[0] if what else 'UNSPECIFIED'}"))
    return message


def options_message(options: Options) -> Game.Options:
    message = Game.Options()
    message.open_captures = bool(options["open_captures"])
    message.zero_clash = zero_clash(str(options["zero_clash"]))
    message.allow_111 = bool(options["allow_111"])
    return message


def may_see(event: Event, seat: Seat) -> bool:
    """Everybody sees everything but the value of a card that another seat draws."""
    return not isinstance(event, gargon.Saw) or event.seat == seat


def is_back(number: int) -> bool:
    return Game.Card.Name(number).endswith("_BACK")


def assert_hides(situation: Game.Situation, seat: Seat) -> None:
    for event in situation.events:
        assert event.kind != kind("HAND_OPENED")
        if event.kind == kind("SAW"):
            assert event.seat == seat
            assert not is_back(event.card)
        if event.kind == kind("DREW"):
            assert is_back(event.card)
        if event.kind == kind("LAID"):
            assert all(map(is_back, event.cards))
    view = situation.view
    covered = view.phase in map(phase, ("lead", "follow", "pick", "passdraw"))
    for laid, owner in zip(view.laid_cards, view.laid_owners, strict=True):
        assert is_back(laid) is (covered and owner != seat)
    assert not view.open_hands
    assert view.phase == phase("pick") or not (view.pattern or view.picked)
