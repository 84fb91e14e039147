"""What a bot may say in a match of Gargon, and what is refused with a sentence.

test_wire.py has what holds for every game: here are the moves that only Gargon has.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from google.protobuf import json_format
from highstreet.v1 import play_pb2 as pb
from highstreet.v1.gargon_pb2 import Gargon

from engine.registry import find_game
from referee.match.messages import Submitted, Unreadable
from referee.wire import messages, stdio
from referee.wire.codec import find_codec

AT = 12.5
GAME = find_game("gargon")


def line(action: object) -> bytes:
    answer = {"match": "m-1", "decision_id": 7, "move": {"gargon": action}}
    return json.dumps({"submit_move": answer}).encode()


READ: dict[str, tuple[Any, str]] = {
    "a play as it came": ({"play": {"colours": ["COLOUR_RED", "COLOUR_RED"]}}, "play RR"),
    "a play out of order": (
        {"play": {"colours": ["COLOUR_YELLOW", "COLOUR_RED", "COLOUR_RED"]}},
        "play RRY",
    ),
    "a play by numbers": ({"play": {"colours": [5, 4, 5]}}, "play RRY"),
    "an illegal play": ({"play": {"colours": ["COLOUR_RED"] * 3}}, "play RRR"),
    "a play of many colours": ({"play": {"colours": ["COLOUR_RED"] * 9}}, "play RRRRRRRRR"),
    "a pick as it came": ({"pick": {"cards": ["CARD_R9", "CARD_R0"]}}, "pick R9 R0"),
    "a pick out of order": ({"pick": {"cards": ["CARD_R0", "CARD_R9"]}}, "pick R9 R0"),
    "a pick of two zeros": ({"pick": {"cards": ["CARD_W0", "CARD_W0"]}}, "pick W0 W0"),
    "a pick by numbers": ({"pick": {"cards": [96]}}, "pick G15"),
    "a pick of three cards": (
        {"pick": {"cards": ["CARD_R3", "CARD_R2", "CARD_R1"]}},
        "pick R3 R2 R1",
    ),
    "a pass": ({"pass": "PILE_A"}, "pass A"),
    "a pass by number": ({"pass": 2}, "pass B"),
    "a pass without a pile": ({"pass": "PILE_UNSPECIFIED"}, "pass"),
    "a pass without a pile by number": ({"pass": 0}, "pass"),
    "a draw": ({"draw": "PILE_B"}, "draw B"),
    "a stop": ({"stop": {}}, "stop"),
    "a battle": ({"battle": "COLOUR_GREEN"}, "battle G"),
    "a battle by number": ({"battle": 1}, "battle W"),
}


@pytest.mark.parametrize(("action", "move"), READ.values(), ids=READ.keys())
def test_a_move_is_read_whatever_its_form(action: object, move: str) -> None:
    meant = Submitted("m-1", 7, GAME.parse_move(move), AT)
    assert stdio.read_line(line(action), "gargon", AT) == meant


UNREADABLE: dict[str, tuple[object, str]] = {
    "no action": ({}, "exactly one of play, pass, pick, draw, stop and battle; this one has none"),
    "a play of nothing": ({"play": {}}, "at least one colour"),
    "a play of no colours": ({"play": {"colours": []}}, "at least one colour"),
    "an unspecified colour": ({"play": {"colours": ["COLOUR_UNSPECIFIED"]}}, "no colour 0"),
    "colour 7": ({"play": {"colours": [5, 7]}}, "no colour 7"),
    "an unknown colour": ({"play": {"colours": ["COLOUR_PINK"]}}, "not a PlayRequest"),
    "a colour by letter": ({"play": {"colours": ["R"]}}, "not a PlayRequest"),
    "colours that are no list": ({"play": {"colours": "COLOUR_RED"}}, "not a PlayRequest"),
    "colours under another name": ({"play": {"colors": ["COLOUR_RED"]}}, "not a PlayRequest"),
    "colours and more": (
        {"play": {"colours": ["COLOUR_RED"], "why": "ha"}},
        "not a PlayRequest",
    ),
    "colours that are lists": ({"play": {"colours": [["COLOUR_RED"]]}}, "not a PlayRequest"),
    "a pick of nothing": ({"pick": {}}, "at least one card"),
    "a back": ({"pick": {"cards": ["CARD_R_BACK"]}}, "no card 101 to lay"),
    "an unspecified card": ({"pick": {"cards": ["CARD_UNSPECIFIED"]}}, "no card 0 to lay"),
    "card 103": ({"pick": {"cards": [103]}}, "no card 103 to lay"),
    "card -1": ({"pick": {"cards": [-1]}}, "no card -1 to lay"),
    "an unknown card": ({"pick": {"cards": ["CARD_R16"]}}, "not a PlayRequest"),
    "a card that is no list": ({"pick": {"cards": "CARD_R9"}}, "not a PlayRequest"),
    "pile 3": ({"draw": 3}, "no pile 3"),
    "no pile to draw from": ({"draw": "PILE_UNSPECIFIED"}, "no pile 0"),
    "a pass to pile 3": ({"pass": 3}, "no pile 3"),
    "a pass to pile -1": ({"pass": -1}, "no pile -1"),
    "a pass that is an object": ({"pass": {}}, "not a PlayRequest"),
    "a draw by letter": ({"draw": "A"}, "not a PlayRequest"),
    "a stop that is text": ({"stop": "now"}, "not a PlayRequest"),
    "a stop with a field": ({"stop": {"now": True}}, "not a PlayRequest"),
    "a battle of no colour": ({"battle": 0}, "no colour 0"),
    "a battle of two colours": ({"battle": ["COLOUR_RED", "COLOUR_RED"]}, "not a PlayRequest"),
    "a play that is text": ({"play": "COLOUR_RED"}, "not a PlayRequest"),
    "a pick that is a number": ({"pick": 9}, "not a PlayRequest"),
    "a pass that is a list": ({"pass": ["PILE_A"]}, "not a PlayRequest"),
    "a battle that is an object": ({"battle": {"colours": [1]}}, "not a PlayRequest"),
    "two actions": ({"stop": {}, "draw": "PILE_A"}, "not a PlayRequest"),
}


@pytest.mark.parametrize(("action", "problem"), UNREADABLE.values(), ids=UNREADABLE.keys())
def test_an_unreadable_move_is_refused_with_a_sentence(action: object, problem: str) -> None:
    refused = stdio.read_line(line(action), "gargon", AT)
    assert isinstance(refused, Unreadable)
    assert problem in refused.problem
    assert refused.problem.endswith(".")


@pytest.mark.parametrize(
    ("move", "problem"),
    [
        (Gargon.Move(), "this one has none"),
        (Gargon.Move(play=Gargon.Play()), "at least one colour"),
        (Gargon.Move(pick=Gargon.Pick()), "at least one card"),
        (Gargon.Move(draw=Gargon.Pile.PILE_UNSPECIFIED), "no pile 0"),
        (Gargon.Move(battle=Gargon.Colour.COLOUR_UNSPECIFIED), "no colour 0"),
        (Gargon.Move(pick=Gargon.Pick(cards=[Gargon.Card.CARD_W_BACK])), "no card 97"),
    ],
)
def test_an_unreadable_message_is_refused_with_a_sentence(move: Any, problem: str) -> None:
    submitted = pb.SubmitMove(match="m-1", decision_id=7, move=pb.Move(gargon=move))
    refused = messages.read_submission("gargon", submitted, AT)
    assert isinstance(refused, Unreadable)
    assert problem in refused.problem


def test_every_move_that_can_be_legal_is_read_without_the_slow_parser() -> None:
    """A bot that sends back what it was offered costs the referee no more than it must."""
    codec = find_codec("gargon")
    offered = ["play RRY", "play BYR", "pass A", "pass", "pick R9", "pick R9 R0", "pick W0 W0"]
    for text in (*offered, "draw B", "stop", "battle V"):
        move = GAME.parse_move(text)
        for numbers in (False, True):
            written = json_format.MessageToDict(
                pb.Move(gargon=codec.move_fields(move)), use_integers_for_enums=numbers
            )
            ((field, value),) = written["gargon"].items()
            assert codec.read_json_move(field, value) == move
