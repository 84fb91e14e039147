"""Sections 7 to 9 and 11 as cases, and whether every paragraph and ruling has one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from engine import IllegalMoveError, NotationError, Outcome, Seat
from engine.festo.cards import Colour, Dish, Spot
from engine.festo.moves import Cook, MoveCube, Pay, Place, Send, TakeCube
from engine.festo.scoring import score_sheets, series_points
from engine.festo.state import Ended, Ending, Phase, Reason, Scored, State
from tests.engine.festo.positions import (
    GAME,
    actions,
    cooking,
    cubes,
    dishes,
    legal,
    play,
    rule_broken,
)
from tests.engine.festo.test_rules import CASE_IDS, EVENTS, MAGIC, case, table

RULES_PAGE = Path(__file__).parents[3] / "docs" / "rules" / "festo.md"
EMPTY = "- - -\n- - -\n- - -\n- - -"


def one(dish: str, column: int, own: str, **given: Any) -> State:
    """Return the cooking with one small dish in that column and seat 0 to decide."""
    row = " ".join(dish if i == column else "-" for i in (1, 2, 3))
    lines = ["- - -"] * 4
    lines[("drink", "starter", "side", "dessert").index(dish[:-2])] = row
    buffet = "\n".join(lines)
    return cooking(buffet=buffet, own={0: own}, **{"stock": (0, 0), **given})


def payments(state: State, dish: str) -> list[str]:
    """Return the payments for a dish; none if it cannot be cooked."""
    if f"cook {dish}" not in legal(state):
        return []
    return [move.removeprefix("pay ") for move in legal(play(state, f"cook {dish}").state)]


def mine(dish: str) -> Mapping[str, tuple[str, int]]:
    return {dish: ("helper", 0)}


RESERVED = {"tokens": mine("drink-M")}
STOCK = {"buffet": EMPTY}


@table(
    "state, dish, expected",
    ("7.3 a drink in column 1", one("drink-M", 1, "MMMH"), "drink-M", ["MMH"]),
    ("7.3 two cubes of one other colour", one("starter-M", 1, "MMHS"), "starter-M", []),
    ("7.3 the main colour is no other colour", one("starter-M", 1, "MMMM"), "starter-M", []),
    (
        "7.3 F-27 a surcharge of one",
        one("drink-M", 2, "MMMHH"),
        "drink-M",
        ["MMMH", "MMHH"],
    ),
    (
        "7.3 F-27 a surcharge of two is of one colour",
        one("drink-M", 3, "MMMMHHH"),
        "drink-M",
        ["MMMMH", "MMHHH"],
    ),
    (
        "7.4 F-15 one cube less of either colour",
        one("drink-M", 1, "MMHS", **RESERVED),
        "drink-M",
        ["MM", "MH", "MS"],
    ),
    (
        "7.4 F-15 one cube less with the surcharge",
        one("drink-M", 2, "MMMHH", **RESERVED),
        "drink-M",
        ["MMM", "MMH", "MHH"],
    ),
    ("7.4 not for a free dish", one("drink-M", 1, "MH"), "drink-M", []),
    (
        "7.6 F-18 salt stands for any cube",
        one("drink-M", 1, "MMHN"),
        "drink-M",
        ["MMH", "MMN", "MHN"],
    ),
    (
        "7.6 12.1 fewer salts first",
        one("drink-M", 1, "MNN"),
        "drink-M",
        ["MNN"],
    ),
    (
        "7.6 12.1 fewer salts first, then by letters",
        one("drink-H", 1, "MHHSNNN"),
        "drink-H",
        ["MHH", "HHS", "MHN", "HHN", "HSN", "MNN", "HNN", "SNN", "NNN"],
    ),
)
def test_costs(state: State, dish: str, expected: list[str]) -> None:
    assert payments(state, dish) == expected


@table(
    "own, dish, expected",
    ("7.5 a roast of one colour", "MMMMMMHHHHHH", "roast", ["MMMMMM", "HHHHHH"]),
    ("7.5 not of two colours", "MMMHHH", "roast", []),
    ("7.5 7.6 a roast with salt", "MMMMMNN", "roast", ["MMMMMN", "MMMMNN"]),
    ("7.5 a main course of all colours", "MHSUFPP", "main", ["MHSUFP"]),
    ("7.5 7.6 a main course with salt", "MHSUFN", "main", ["MHSUFN"]),
    ("7.5 a colour is missing", "MHSUF", "main", []),
)
def test_large_dishes(own: str, dish: str, expected: list[str]) -> None:
    assert payments(cooking(buffet=EMPTY, own={0: own}), dish) == expected


@table(
    "state, move, rule",
    ("7.1 pass", one("drink-M", 1, ""), "pass", None),
    ("7.1 cook what can be paid", one("drink-M", 1, "MMH"), "cook drink-M", None),
    ("7.1 too few cubes", one("drink-M", 1, "MM"), "cook drink-M", "7.1"),
    ("7.1 a dish that is not there", one("drink-M", 1, "MMH"), "cook drink-H", "7.1"),
    (
        "7.1 a dish that another seat has reserved",
        one("drink-M", 1, "MMH", tokens={"drink-M": ("disc", 1)}),
        "cook drink-M",
        "7.1",
    ),
    ("7.1 no roast is left", one("drink-M", 1, "MMMMMM"), "cook roast", "7.1"),
    ("7.1 too few for a roast", cooking(own={0: "MMMMM"}), "cook roast", "7.1"),
    ("7.1 too few for a main course", cooking(own={0: "MHSUF"}), "cook main", "7.1"),
    ("7.1 another kind of move", cooking(), "take", "7.1"),
    ("7.1 recall", one("drink-M", 1, "F", **RESERVED), "recall drink-M F", None),
    ("7.1 recall without the cube", one("drink-M", 1, "F", **RESERVED), "recall drink-M P", "7.1"),
    ("7.1 recall from a free dish", one("drink-M", 1, "F"), "recall drink-M F", "7.1"),
    ("7.1 recall from no dish", one("drink-M", 1, "F"), "recall drink-H F", "7.1"),
    (
        "7.1 pay what the seat does not have",
        play(one("drink-M", 1, "MMH"), "cook drink-M").state,
        "pay MMS",
        "7.1",
    ),
    (
        "7.5 pay the wrong cubes for a roast",
        play(cooking(own={0: "MMMMMMH"}), "cook roast").state,
        "pay MMMMMH",
        "7.5",
    ),
    (
        "7.1 pay before anything else",
        play(one("drink-M", 1, "MMH"), "cook drink-M").state,
        "pass",
        "7.1",
    ),
)
def test_what_is_wrong_in_the_cooking(state: State, move: str, rule: str | None) -> None:
    assert rule_broken(state, move) == rule


@case("7.1 12.1 pass, dishes, then recalls")
def test_list_of_the_cooking() -> None:
    state = cooking(
        buffet="drink-M - -\n- - -\n- - side-S\n- - -",
        tokens={"side-S": ("helper", 0), "drink-M": ("disc", 0)},
        own={0: "MMMMMMHN"},
    )
    recalls = [f"recall {dish} {cube}" for dish in ("drink-M", "side-S") for cube in "MHN"]
    assert legal(state) == ["pass", "cook drink-M", "cook roast", *recalls]


@case("7.1 a dish of another seat is not listed")
def test_list_without_dishes_of_others() -> None:
    assert legal(one("drink-M", 1, "MMH", tokens={"drink-M": ("helper", 1)})) == ["pass"]


@case("7.2 what happens to dish, token and cubes")
def test_cooking_a_reserved_dish() -> None:
    state = one("drink-M", 2, "MMMHN", tokens={"drink-M": ("disc", 0)})
    assert state.discs[0] == 1
    salt = state.reserves[6]
    state, _ = play(state, "cook drink-M, pay MMN")
    assert state.cubes[0] == cubes("MH")
    assert state.reserves[6] == salt + 1
    assert state.discs[0] == 2
    assert state.buffet == dishes("- - -") * 4
    assert state.dishes[0] == dishes("drink-M")
    assert state.seat == 1


@case("7.1 F-16 a recall takes the turn, and the dish is free")
def test_recall() -> None:
    state = one("drink-M", 1, "P", **RESERVED)
    state, _ = play(state, "recall drink-M P")
    assert state.seat == 1
    assert state.tokens == (0,) * 12
    assert state.helpers[0] == 6
    assert state.reserves[5] == 14
    state, _ = play(state, "pass, pass, pass")
    assert state.seat == 0
    assert legal(state) == ["pass"]


@case("7.1 F-26 a pass is final, and turns go on lap by lap")
def test_laps() -> None:
    state = cooking(seats=3, own={0: "MMMMMMMMMMMM", 1: "MMHMMH"}, first=1, buffet=EMPTY)
    state, _ = play(state, "pass, pass")
    assert state.seat == 0
    assert state.passed == (False, True, True)
    state, _ = play(state, "cook roast, pay MMMMMM")
    assert state.seat == 0
    state, _ = play(state, "cook roast, pay MMMMMM, pass")
    assert (state.round, state.phase) == (2, Phase.PREPARATION)
    assert state.seat == 1


@case("7.7 F-17 a token on a dish stays there")
def test_token_stays() -> None:
    state = one("drink-M", 2, "", **RESERVED, piles="drink-U\n\n\n", seats=2)
    state, _ = play(state, "pass, pass")
    assert state.buffet[:2] == dishes("drink-M drink-U")
    assert state.tokens[0] == 1
    assert state.helpers[0] == 5


@case("7.8 the game is over after round 4")
def test_end() -> None:
    state = cooking(seats=2, round=4)
    state, events = play(state, "pass, pass")
    assert events[-1] == Ended(Ending.ROUNDS_PLAYED)
    assert GAME.to_act(state) == ()
    assert legal(state, seat=0) == []
    assert rule_broken(state, "pass", seat=0) == "7.8"
    assert GAME.view(state, None).ending is Ending.ROUNDS_PLAYED
    with pytest.raises(IllegalMoveError, match="the game is over"):
        GAME.apply(state, {Seat(0): GAME.parse_move("pass")})


# Score --------------------------------------------------------------------------------------------


@table(
    "cooked, points",
    ("8.2 no dish", "", 0),
    ("8.2 F-28 one category", "drink-M", 1),
    ("8.2 twice the same category", "drink-M drink-H", 2),
    ("8.2 three categories", "drink-M side-H main", 6),
    ("8.2 five categories and one", "drink-M starter-M side-M dessert-M roast roast", 16),
    ("8.2 11.2 six categories", "drink-M starter-M side-M dessert-M roast main", 21),
)
def test_series(cooked: str, points: int) -> None:
    assert series_points(dishes(cooked)) == points


@case("8.1 11.1 F-19 F-29 dishes, series, cubes with salt, tokens")
def test_score() -> None:
    (sheet,) = score_sheets([dishes("starter-M roast")], [cubes("MN")], (4,))
    assert sheet.total == 8 + 15 + 3 + 2 + 4


@case("8.3 8.4 8.5 places go by score, dishes, cubes")
def test_places() -> None:
    outcome = Outcome(Ending.ROUNDS_PLAYED, (9, 9, 9, 9), ((1, 2), (1, 3), (0, 9), (1, 3)))
    assert outcome.places == (3, 1, 4, 1)
    state = cooking(seats=2, round=4, own={0: "MH", 1: ""}, points={1: 2})
    state, _ = play(state, "pass, pass")
    over = GAME.outcome(state)
    assert over is not None
    assert (over.scores, over.tiebreaks, over.places) == ((2, 2), ((0, 2), (0, 0)), (1, 2))


# Magic dishes -------------------------------------------------------------------------------------


def scored(events: Any) -> list[tuple[int, int, str]]:
    return [(e.seat, e.points, str(e.reason)) for e in events if isinstance(e, Scored)]


def magic(dish: str, column: int, own: str, cooked: str, **given: Any) -> State:
    return one(dish, column, own, cooked={0: cooked}, options=MAGIC, **given)


@table(
    "state, dish, expected",
    ("9.4 F-39 the main colour", magic("drink-M", 1, "MMH", "drink-M"), "drink-M", ["MH"]),
    ("9.4 the other colour", magic("drink-M", 1, "MMHS", "drink-H"), "drink-M", ["MM", "MMS"]),
    (
        "9.4 never below 0",
        magic("drink-M", 1, "MMS", "drink-H", tokens=mine("drink-M")),
        "drink-M",
        ["M", "MM", "MS"],
    ),
    ("9.4 both colours", magic("drink-M", 1, "M", "drink-H drink-M"), "drink-M", ["M"]),
    (
        "9.4 nothing to pay",
        magic("drink-M", 1, "", "drink-H drink-M", tokens=mine("drink-M")),
        "drink-M",
        ["none"],
    ),
    ("9.4 salt for what is left", magic("drink-M", 1, "NN", "drink-M"), "drink-M", ["NN"]),
)
def test_magic_drinks(state: State, dish: str, expected: list[str]) -> None:
    assert payments(state, dish) == expected


@case("9.4 roasts and main courses with drinks")
def test_magic_drinks_and_large_dishes() -> None:
    given = {"buffet": EMPTY, "options": MAGIC, "cooked": {0: "drink-M"}}
    assert payments(cooking(own={0: "MMMMM"}, **given), "roast") == ["MMMMM"]
    assert payments(cooking(own={0: "HHHHH"}, **given), "roast") == []
    assert payments(cooking(own={0: "HSUFP"}, **given), "main") == ["HSUFP"]


@case("9.1 9.2 9.5 F-37 F-40 desserts bring a token for a cube of their colour")
def test_magic_desserts() -> None:
    state = magic("drink-M", 1, "MMHN", "dessert-M dessert-H")
    _, events = play(state, "cook drink-M, pay MMH")
    assert scored(events) == [(0, 1, "dessert")] * 2
    _, events = play(state, "cook drink-M, pay MMN")
    assert scored(events) == [(0, 1, "dessert")], "salt is no honey"
    state = one("dessert-M", 1, "MMMHHH", options=MAGIC)
    _, events = play(state, "cook dessert-M, pay MMMHHH")
    assert scored(events) == [], "9.3 F-38 nothing for its own payment"


@case("9.3 F-36 F-38 a drink does nothing for its own payment, and keeps its points")
def test_own_payment() -> None:
    assert payments(one("drink-M", 1, "MMH", options=MAGIC), "drink-M") == ["MMH"]


@case("9.6 F-41 starters, once for each character")
def test_magic_starters() -> None:
    given = {"options": MAGIC, "cooked": {0: "starter-F starter-H starter-M"}}
    state = actions(helpers={"elf": {0: 3}}, markets={"elf": "FFHP"}, own={0: "U"}, **given).state
    state, events = play(state, "trade U, get FF")
    assert scored(events) == [(0, 1, "starter")]
    assert state.rewarded == dishes("starter-F")
    state, events = play(state, "cube F, cube H")
    assert scored(events) == [(0, 1, "starter")]
    assert state.points[0] == 2
    state = actions(helpers={"grocer": {0: 3}}, shelves="MMM", **given).state
    _, events = play(state, "shelf M")
    assert scored(events) == [], "9.6 never at the Grocer"
    state = actions(helpers={"troll": {0: 1}}, markets={"troll": "M"}, **given).state
    _, events = play(state, "move M troll orc")
    assert scored(events) == [], "9.6 a moved cube is not received"


@case("9.7 F-32 F-37 sides bring a token for a majority")
def test_magic_sides() -> None:
    given = {"options": MAGIC, "cooked": {0: "side-F side-H"}}
    _, events = actions(helpers={"troll": {0: 2, 1: 1}}, **given)
    assert scored(events) == [(0, 1, "side")] * 2
    _, events = actions(helpers={"troll": {0: 1, 1: 1}}, **given)
    assert scored(events) == []
    _, events = actions(helpers={"grocer": {0: 1}}, shelves="M", **given)
    assert scored(events) == []
    _, events = actions(helpers={"troll": {0: 1}}, cooked=given["cooked"])
    assert scored(events) == [], "9.1 not without the variant"


@case("11.4 F-31 events give points for dishes of their category")
def test_cook_bonus() -> None:
    state = one("drink-M", 1, "MMH", events="E07", options=EVENTS)
    _, events = play(state, "cook drink-M, pay MMH")
    assert scored(events) == [(0, 2, str(Reason.EVENT))]
    state = one("drink-M", 1, "MMH", events="E07 E08", options=EVENTS)
    _, events = play(state, "cook drink-M, pay MMH")
    assert scored(events) == []


@case("5.4 F-23 the Dwarf gives two points in round 4")
def test_points_of_the_dwarf() -> None:
    state, _ = actions(helpers={"dwarf": {2: 1}}, round=4)
    state, events = play(state, "points")
    assert scored(events) == [(2, 2, "dwarf")]
    assert state.points == (0, 0, 2, 0)


# Moves that cannot be written ---------------------------------------------------------------------


@table(
    "make, message",
    ("12.1 six numbers", lambda: Place((0,) * 6), "each of the 7 spots"),
    ("12.1 no such colour", lambda: TakeCube(Colour(-1)), "no colour -1"),
    ("12.1 no such spot", lambda: Send(False, Spot(7)), "no spot 7"),
    ("12.1 no such source", lambda: MoveCube(Colour(0), Spot(9), Spot(1)), "no spot 9"),
    ("12.1 no such dish", lambda: Cook(Dish(27)), "no dish 27"),
    ("12.1 six numbers of cubes", lambda: Pay((1,) * 6), "for salt"),
    ("12.1 a negative number", lambda: Pay((-1,) * 7), "0 to 16 cubes"),
)
def test_moves_that_there_are_not(make: Any, message: str) -> None:
    with pytest.raises(NotationError, match=message):
        make()


# Nothing was forgotten ----------------------------------------------------------------------------


def stated_paragraphs() -> set[str]:
    page = RULES_PAGE.read_text(encoding="utf-8")
    return set(re.findall(r"^\*\*(\d+\.\d+)\*\*", page, re.MULTILINE))


def named_paragraphs() -> set[str]:
    return {paragraph for name in CASE_IDS for paragraph in re.findall(r"\b\d+\.\d+\b", name)}


def test_every_paragraph_has_a_case() -> None:
    """12.4 and 12.5 are bounds, which random games check."""
    stated = stated_paragraphs()
    assert len(stated) > 45
    assert stated - named_paragraphs() == {"12.4", "12.5"}
    assert named_paragraphs() <= stated


def test_every_ruling_has_a_case() -> None:
    page = RULES_PAGE.read_text(encoding="utf-8")
    stated = set(re.findall(r"\*\*Ruling (F-\d\d):\*\*", page))
    named = {ruling for name in CASE_IDS for ruling in re.findall(r"F-\d\d", name)}
    assert stated == named == {f"F-{number:02}" for number in range(1, 43)}


def test_no_two_cases_have_the_same_name() -> None:
    assert len(set(CASE_IDS)) == len(CASE_IDS)
