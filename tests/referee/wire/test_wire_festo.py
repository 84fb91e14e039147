"""What a bot may say in a match of Festo!, and what is refused with a sentence.

test_wire.py has what holds for every game: here are the moves that only Festo! has.
"""

from __future__ import annotations

import json
from itertools import product
from statistics import fmean
from typing import Any

import pytest
from google.protobuf import json_format
from highstreet.v1 import play_pb2 as pb

from engine import Options, OptionValue, Seed, find_game
from engine.festo import PLACE_EAST
from referee.match.messages import Submitted, Unreadable
from referee.match.player import Question
from referee.wire import find_codec, messages, stdio
from tests.referee.wire.test_wire import a_plan, game_of

AT = 12.5
GAME = find_game("festo")


def line(action: object) -> bytes:
    answer = {"match": "m-1", "decision_id": 7, "move": {"festo": action}}
    return json.dumps({"submit_move": answer}).encode()


READ: dict[str, tuple[Any, str]] = {
    "a seat": ({"first": 2}, "first 2"),
    "a seat as text": ({"first": "2"}, "first 2"),
    "a placement": ({"place": 1010000}, "place troll=1 orc=1"),
    "a placement as text": ({"place": "5"}, "place grocer=5"),
    "a placement in both parts": ({"place": 1000002}, "place troll=1 grocer=2"),
    "a placement of nobody": ({"place": 0}, "place none"),
    "a take": ({"take": {}}, "take"),
    "a take of all": ({"take_all": {}}, "take all"),
    "a move": ({"move_cube": 227}, "move H pixies grocer"),
    "a disc sent": ({"send": {"token": "TOKEN_DISC", "spot": "SPOT_ELF"}}, "send disc elf"),
    "a dish reserved": ({"reserve": {"token": 1, "dish": 1}}, "reserve helper drink-M"),
    "a trade": ({"trade": "CUBE_SALT"}, "trade N"),
    "discs": ({"discs": {"spots": ["SPOT_DWARF", "SPOT_TROLL"]}}, "discs troll dwarf"),
    "two cubes": ({"get": {"cubes": ["CUBE_FRUIT", "CUBE_HONEY"]}}, "get HF"),
    "a dish": ({"cook": "DISH_DESSERT_P"}, "cook dessert-P"),
    "a recall": ({"recall": {"dish": "DISH_MAIN", "cube": "CUBE_SALT"}}, "recall main N"),
    "a payment": ({"pay": 2000001}, "pay MMN"),
    "a payment as text": ({"pay": "210"}, "pay FFP"),
    "a payment of nothing": ({"pay": 0}, "pay none"),
}


NEVER_LEGAL = ("recall main N", "place troll=1 grocer=2")


@pytest.mark.parametrize(("action", "move"), READ.values(), ids=READ.keys())
def test_a_move_is_read_whatever_its_form(action: object, move: str) -> None:
    meant = Submitted("m-1", 7, GAME.parse_move(move), AT)
    assert stdio.read_line(line(action), "festo", AT) == meant


UNREADABLE: dict[str, tuple[object, str]] = {
    "no action": ({}, "exactly one of first, place, take"),
    "seat 5": ({"first": 5}, "no seat 5"),
    "eight digits": ({"place": 10000000}, "place has 7 digits"),
    "a placement below 0": ({"place": -1}, "place has 7 digits"),
    "seven helpers": ({"place": 1000006}, "at most 6 helpers"),
    "a cube to nowhere": ({"move_cube": 110}, "no spot 0"),
    "a cube from spot 8": ({"move_cube": 181}, "no spot 8"),
    "salt moved": ({"move_cube": 712}, "no colour 7"),
    "four digits": ({"move_cube": 1123}, "move_cube has 3 digits"),
    "no token": ({"send": {"spot": 3}}, "no token 0"),
    "no dish": ({"reserve": {"token": 1}}, "no dish 0"),
    "dish 27": ({"cook": 27}, "no dish 27"),
    "no cube": ({"trade": 0}, "no cube 0"),
    "a long list": ({"discs": {"spots": [1] * 17}}, "at most 16 entries"),
    "no discs": ({"discs": {}}, "one disc or two"),
    "three discs": ({"discs": {"spots": [1, 1, 1]}}, "one disc or two"),
    "three cubes": ({"get": {"cubes": [1, 1, 1]}}, "one cube or two"),
    "a cube that is none": ({"get": {"cubes": [8]}}, "no colour 8"),
    "a nested list": ({"get": {"cubes": [["CUBE_MEAT"]]}}, "not a PlayRequest"),
    "cubes under another name": ({"get": {"cube": ["CUBE_MEAT"]}}, "not a PlayRequest"),
    "a nested object": ({"get": {"cubes": {}}}, "not a PlayRequest"),
    "a take that is text": ({"take": "all"}, "not a PlayRequest"),
    "a long payment": ({"pay": 10000000}, "pay has 7 digits"),
    "a payment that is a list": ({"pay": [1]}, "not a PlayRequest"),
}


@pytest.mark.parametrize(("action", "problem"), UNREADABLE.values(), ids=UNREADABLE.keys())
def test_an_unreadable_move_is_refused_with_a_sentence(action: object, problem: str) -> None:
    refused = stdio.read_line(line(action), "festo", AT)
    assert isinstance(refused, Unreadable)
    assert problem in refused.problem
    assert refused.problem.endswith(".")


def test_every_move_that_can_be_legal_is_read_without_the_slow_parser() -> None:
    """A bot that sends back what it was offered costs the referee no more than it must."""
    codec = find_codec("festo")
    for _, text in READ.values():
        if text in NEVER_LEGAL:
            continue
        move = GAME.parse_move(text)
        for numbers in (False, True):
            written = json_format.MessageToDict(
                pb.Move(festo=codec.move_fields(move)),
                use_integers_for_enums=numbers,
                preserving_proto_field_name=True,
            )
            ((field, value),) = written["festo"].items()
            assert codec.read_json_move(field, value) == move


def asked_in(options: Options, seed: int) -> list[Question]:
    plan = a_plan(GAME, options, Seed(bytes([seed] * 32)))
    return [said for said in game_of(plan) if isinstance(said, Question) and len(said.legal) > 1]


def test_a_decision_is_a_short_message() -> None:
    """Nearly all have less than a kilobyte; docs/performance.md says what the others consist of.

    A legal move has at most 10 bytes, so 210 of them (festo#12.4) cannot have much less than two
    kilobytes with the view and the events.
    """
    sizes = []
    choices = product((2, 3, 4, 5), (False, True), ("none", "reconstructed"), ("players", "steps"))
    for number, (seats, magic, events, order) in enumerate(choices):
        given: dict[str, OptionValue] = {
            "magic_dishes": magic,
            "events": events,
            "action_order": order,
            "market_limit": number % 2 == 0,
        }
        for question in asked_in(GAME.spec.options(seats, given), number):
            sizes.append(len(messages.decision_message(question)))
            without_moves = messages.decision_message(question._replace(legal=()))
            assert len(without_moves) < 1280
            assert sizes[-1] - len(without_moves) <= 10 * len(question.legal) + 2
    assert fmean(sizes) < 520
    assert max(sizes) < 2560
    assert sum(size >= 1024 for size in sizes) < 0.04 * len(sizes)


PLACED = {"place none": 0, "place troll=6": 6000000, "place magician=1 elf=2 dwarf=3": 1230}


def test_a_longer_list_of_placements_has_seven_bytes_for_each() -> None:
    """The longest list: six helpers on the four eastern spots, 210 placements."""
    codec = find_codec("festo")
    for text, number in PLACED.items():
        assert codec.move_fields(GAME.parse_move(text)) == {"place": number}
    moves = [pb.Move(festo=codec.move_fields(move)).SerializeToString() for move in PLACE_EAST]
    assert len(moves) == 210
    assert sum(len(move) + 2 for move in moves) == 1427
