"""The rules page as cases: sections 7 and 8, and the check that every ruling has a case.

The printed example of the booklet is among the cases. Expected values are worked out from
docs/rules/kupferkessel.md by hand.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from engine.kupferkessel.scoring import Sheet, score_sheets
from engine.kupferkessel.state import State
from tests.engine.kupferkessel.positions import GAME, begin_turn, legal, play
from tests.engine.kupferkessel.test_rules import (
    CASE_IDS,
    FIVE,
    THIRTEEN,
    Position,
    after,
    near_the_end,
    sparse,
    table,
)

RULES_PAGE = Path(__file__).parents[3] / "docs" / "rules" / "kupferkessel.md"
PARAGRAPHS = range(1, 11)
"""The sections of which every paragraph must have a case."""


def at_the_end(position: Position, last: str = "discard") -> State:
    """Let a seat take a last card and settle it.

    All pawns start at their corners, so the ender lands at a line with one card, whatever is on
    top of its cauldron.
    """
    state = begin_turn(**(near_the_end() | position)).state
    (take,) = legal(state)
    return play(state, take, last).state


def sheet_of(seat: int, position: Position) -> Sheet:
    """Return the points of a seat at the end."""
    return score_sheets(at_the_end(position))[seat]


# 7. Score ---------------------------------------------------------------------------------------

WHITE = "Wa1 Wa2 Wa3 Wa4 Wb3 Ga1 Ga2 Ga4 Lb3 Lb4"
"""The cauldron of the printed example: cat hair, newt eye, a triple and a pair."""


@table(
    "seat, cauldron, points",
    ("7.1 one card counts against the seat", 0, "Sa3", -3),
    ("7.1 two cards count nothing", 0, "Sa3 Sa4", 0),
    ("7.1 three cards score their values", 0, "Sa1 Sa3 Sa4", 8),
    ("7.1 four cards score their values and 5", 0, "Sa1 Sa2 Sa3 Sa4", 15),
    ("7.1 the order in the cauldron does not matter", 0, "Sa4 Na1 Sa1 Na2 Sa3 Na3", 8 + 6),
    ("7.1 two ingredients of a colour are scored apart", 0, "Sa3 Sb4", -3 - 4),
    ("7.1 three of one and one of the other ingredient of a colour", 0, "Sa1 Sa2 Sa3 Sb4", 6 - 4),
    ("7.2 one card in the own colour counts against the seat twice", 0, "Wa4", -8),
    ("7.2 both ingredients of the own colour are doubled", 0, "Wa4 Wb3", -8 - 6),
    ("7.2 two cards in the own colour count nothing", 0, "Wa3 Wa4", 0),
    ("7.2 three cards in the own colour score twice", 0, "Wa1 Wa3 Wa4", 16),
    ("7.2 the bonus of four cards in the own colour is not doubled", 0, "Wa1 Wa2 Wa3 Wa4", 25),
    ("7.2 the pawn colour of another seat is not doubled", 0, "Kb1 Kb3 Kb4", 8),
    ("7.2 seat 1 doubles black", 1, "Kb1 Kb3 Kb4", 16),
    ("7.2 seat 1 does not double white", 1, "Wb4", -4),
    ("7.2 the printed example: the white seat has 26 points", 0, WHITE, 26),
)
def test_sets_of_ingredients(seat: int, cauldron: str, points: int) -> None:
    assert sheet_of(seat, Position(cauldrons={seat: cauldron})).ingredients == points


@table(
    "third_colour, cauldron, points",
    ("7.2 3.1 seat 2 doubles lilac", "L", "La1 La3 La4", 16),
    ("7.2 3.1 seat 2 doubles the colour that the option says", "N", "Na4", -8),
    ("7.2 3.1 seat 2 then does not double lilac", "N", "La4", -4),
    ("7.2 3.1 seat 2 does not double white", "L", "Wa4", -4),
)
def test_the_third_pawn_doubles_its_colour(third_colour: str, cauldron: str, points: int) -> None:
    position = Position(seats=3, third_colour=third_colour, cauldrons={2: cauldron})
    assert sheet_of(2, position).ingredients == points


@table("colour", ("7.2 with two seats lilac is doubled for nobody", "La4"))
def test_with_two_seats_only_white_and_black_are_doubled(colour: str) -> None:
    sheets = score_sheets(at_the_end(Position(cauldrons={0: colour, 1: colour})))
    assert [sheet.ingredients for sheet in sheets] == [-4, -4]


@table(
    "cauldrons, points",
    ("7.3 the most cards of value 1 score 5", {0: "Sa1 Sb1", 1: "Na1"}, [5, 0]),
    ("7.3 one card of value 1 against none is the most", {0: "Sa3", 1: "Na1"}, [0, 5]),
    ("7.3 equally many score nothing", {0: "Sa1 Sb1", 1: "Na1 Nb1"}, [0, 0]),
    ("7.3 no card of value 1 scores nothing", {0: "Sa3", 1: "Na3"}, [0, 0]),
    ("7.3 cards of the own colour count once", {0: "Wa1", 1: "Na1"}, [0, 0]),
    ("7.3 RK-10 the most of three", {0: "Sa1 Sb1", 1: "Na1", 2: "Ga3"}, [5, 0, 0]),
    ("7.3 RK-10 two of three ahead score nothing", {0: "Sa1", 1: "Na1", 2: "Ga3"}, [0, 0, 0]),
    (
        "7.3 RK-10 a tie behind the first does not matter",
        {0: "Sa1", 1: "Na1", 2: "Ga1 La1"},
        [0, 0, 5],
    ),
)
def test_the_most_ones(cauldrons: dict[int, str], points: list[int]) -> None:
    position = Position(seats=len(cauldrons), cauldrons=cauldrons)
    assert [sheet.ones for sheet in score_sheets(at_the_end(position))] == points


@table(
    "other, total",
    ("7.2 7.3 the printed example: 26 points if the other seat has two ones", "Sa1 Sb1", 26),
    ("7.2 7.3 the printed example: 31 points with the most ones", "Sa1", 31),
)
def test_the_printed_example(other: str, total: int) -> None:
    outcome = GAME.outcome(at_the_end(Position(cauldrons={0: WHITE, 1: other})))
    assert outcome is not None
    assert outcome.scores[0] == total


@table(
    "last, points",
    ("7.3 6.3 a kept last card counts for the most ones", "keep", 5),
    ("7.3 6.3 a discarded last card does not count for the most ones", "discard", 0),
)
def test_the_last_card_and_the_most_ones(last: str, points: int) -> None:
    state = at_the_end(Position(board=sparse(d4="Kb1"), cauldrons={0: "Sa3", 1: "Na3"}), last)
    assert score_sheets(state)[0].ones == points


# 8. Recipes -------------------------------------------------------------------------------------


def paid(recipe: str, cauldrons: list[str], symbols: str = "neutral2") -> int:
    """Return what a recipe pays to seat 0, which ends the game and discards the last card."""
    others = ["one:K", "one:W"] if len(cauldrons) == 2 else ["fewer_cards", "fewer_wands"]
    position = Position(
        seats=len(cauldrons),
        cauldrons=dict(enumerate(cauldrons)),
        recipes=[recipe, *others][: len(cauldrons)],
        symbols=symbols,
    )
    return sheet_of(0, position).recipes


GREY = "Sa1 Sa2 Sa3 Sb1 Sb3 Sb4"
THREE_PLANTS = "Sa1 Sa2 Sa3 Ba1 Ba2 Ba3 Na1 Na2 Na3"


@table(
    "recipe, cauldrons, points",
    ("8.2 both: three cards of both ingredients pay 15", "both:S", [GREY, "Na3"], 15),
    ("8.2 both: four cards of both pay no more", "both:S", [f"{GREY} Sa4 Sb2", "Na3"], 15),
    ("8.2 both: three and two cards pay nothing", "both:S", [GREY[:-4], "Na3"], 0),
    (
        "8.2 both: four of one and two of the other pay nothing",
        "both:S",
        [GREY[:-4] + " Sa4", "Na3"],
        0,
    ),
    ("8.2 both: another colour pays nothing", "both:B", [GREY, "Na3"], 0),
    ("8.2 both: the other seat need not have less", "both:S", [GREY, GREY], 15),
    ("8.2 one: three cards of one ingredient pay 5", "one:W", ["Wa1 Wa2 Wa3", "Na3"], 5),
    ("8.2 one: it may be the other ingredient", "one:W", ["Wb1 Wb2 Wb4", "Na3"], 5),
    ("8.2 one: four cards pay no more", "one:W", ["Wb1 Wb2 Wb3 Wb4", "Na3"], 5),
    ("8.2 one: three cards of both pay no more", "one:W", ["Wa1 Wa2 Wa3 Wb1 Wb2 Wb4", "Na3"], 5),
    ("8.2 one: two and one cards pay nothing", "one:W", ["Wa1 Wa2 Wb4", "Na3"], 0),
    ("8.2 one: the colour of the other pawn pays too", "one:K", ["Ka1 Ka2 Ka3", "Na3"], 5),
    ("8.2 one: another colour pays nothing", "one:K", ["Wa1 Wa2 Wa3", "Na3"], 0),
    ("8.2 plants: three cards of three plants pay 10", "plants", [THREE_PLANTS, "Gb3"], 10),
    (
        "8.2 plants: other three plants",
        "plants",
        ["Ga1 Ga2 Ga3 La1 La2 La3 Sa1 Sa2 Sa3", "Nb3"],
        10,
    ),
    ("8.2 plants: four cards pay no more", "plants", [f"{THREE_PLANTS} Na4 Sa4", "Gb3"], 10),
    (
        "8.2 plants: five plants pay no more",
        "plants",
        [f"{THREE_PLANTS} Ga1 Ga2 Ga3 La1 La2 La3", "Nb3"],
        10,
    ),
    ("8.2 plants: three, three and two pay nothing", "plants", [THREE_PLANTS[:-4], "Gb3"], 0),
    ("8.2 plants: cobweb is no plant", "plants", [THREE_PLANTS[12:] + " Sb1 Sb3 Sb4", "Gb3"], 0),
    ("8.2 plants: cat hair is no plant", "plants", [THREE_PLANTS[12:] + " Wa1 Wa3 Wa4", "Gb3"], 0),
    ("8.2 fewer explosions: none against one pays 10", "fewer_explosions", ["Gb3", "Sa2 Na3"], 10),
    ("8.2 fewer explosions: one against two", "fewer_explosions", ["Ga2", "Sa2 Na2"], 10),
    ("8.2 fewer explosions: equally many", "fewer_explosions", ["Ga2", "Sa2 Na3"], 0),
    ("8.2 fewer explosions: none against none", "fewer_explosions", ["Gb3", "Na3"], 0),
    ("8.2 fewer explosions: more", "fewer_explosions", ["Ga2 La2", "Sa2 Na3"], 0),
    ("8.2 fewer explosions: a wand is none", "fewer_explosions", ["Gb3", "Sb2 Na3"], 0),
    ("8.2 fewer explosions: in three", "fewer_explosions", ["Gb3", "Sa2", "Na2"], 10),
    ("8.2 fewer explosions: a tie in three", "fewer_explosions", ["Gb3", "Sa2", "Na3"], 0),
    ("8.2 fewer wands: none against one pays 10", "fewer_wands", ["Gb3", "Sb2 Na3"], 10),
    ("8.2 fewer wands: equally many", "fewer_wands", ["Gb2", "Sb2 Na3"], 0),
    ("8.2 fewer wands: more", "fewer_wands", ["Gb2 Lb2", "Sb2"], 0),
    ("8.2 fewer wands: an explosion is none", "fewer_wands", ["Gb3", "Sa2 Na3"], 0),
    ("8.2 fewer wands: in three", "fewer_wands", ["Gb3", "Sb2", "Nb2"], 10),
    ("8.2 fewer wands: a tie in three", "fewer_wands", ["Gb2", "Sb2", "Nb2 Lb2"], 0),
    ("8.2 fewer cards: one against two pays 10", "fewer_cards", ["Gb3", "Sb2 Na3"], 10),
    ("8.2 fewer cards: equally many", "fewer_cards", ["Gb3 Gb4", "Sb2 Na3"], 0),
    ("8.2 fewer cards: more", "fewer_cards", ["Gb1 Gb3 Gb4", "Sb2 Na3"], 0),
    ("8.2 fewer cards: in three", "fewer_cards", ["Gb3", "Sb2 Na3", "Nb2 La4"], 10),
    ("8.2 fewer cards: a tie in three", "fewer_cards", ["Gb3", "Sb2 Na3", "Nb2"], 0),
    ("8.2 fewer fours: none against one pays 10", "fewer_fours", ["Gb3", "Sb2 Na4"], 10),
    ("8.2 fewer fours: equally many", "fewer_fours", ["Gb4", "Sb2 Na4"], 0),
    ("8.2 fewer fours: more", "fewer_fours", ["Gb4 Wa4", "Sb2 Na4"], 0),
    ("8.2 fewer fours: none against none", "fewer_fours", ["Gb3", "Sb2"], 0),
    ("8.2 fewer fours: in three", "fewer_fours", ["Gb3", "Sb4", "Na4"], 10),
    ("8.2 fewer fours: a tie in three", "fewer_fours", ["Gb4", "Sb4", "Na4 Nb4"], 0),
    ("8.1 a seat may fulfil both its recipes", "one:W fewer_fours", ["Wa1 Wa2 Wa3", "Na4"], 15),
    ("8.1 of two recipes one may be fulfilled", "one:W fewer_fours", ["Wa1 Wa2 Wa3", "Na3"], 5),
    ("8.1 a recipe that is not fulfilled costs nothing", "both:S plants", ["Gb3", "Na3"], 0),
)
def test_recipes(recipe: str, cauldrons: list[str], points: int) -> None:
    assert paid(recipe, cauldrons) == points


@table(
    "recipe, symbols, points",
    ("8.2 1.3 by default a black 2 is no explosion", "fewer_explosions", "neutral2", 0),
    ("8.2 1.3 with all2 a black 2 is an explosion", "fewer_explosions", "all2", 10),
    ("8.2 1.3 by default a white 2 is no wand", "fewer_wands", "neutral2", 0),
    ("8.2 1.3 with all2 a white 2 is a wand", "fewer_wands", "all2", 10),
)
def test_recipes_go_by_the_symbols_in_play(recipe: str, symbols: str, points: int) -> None:
    assert paid(recipe, ["Gb3", "Ka2 Wb2"], symbols) == points


@table(
    "position, moves, points",
    ("8.2 ended_game pays 10 for a kept card", near_the_end(), "take d4, keep", 10),
    ("8.2 ended_game pays 10 for a refused card", near_the_end(), "take d4, discard", 10),
    (
        "8.2 ended_game pays nothing if the other seat ends the game",
        near_the_end() | Position(seat=1),
        "take c3, keep",
        0,
    ),
    (
        "8.2 6.4 RK-3 ended_game pays nobody after the last turn",
        Position(turn=200, pile=5),
        "take d1",
        0,
    ),
)
def test_who_ended_the_game(position: Position, moves: str, points: int) -> None:
    state = after(position | Position(recipes=["ended_game one:W", "one:K plants"]), moves).state
    assert [sheet.recipes for sheet in score_sheets(state)] == [points, 0]


@table(
    "recipe, last_card, last, points",
    ("8.2 6.3 a kept last card counts for fewer_cards", "fewer_cards", "Kb1", "keep", 0),
    ("8.2 6.3 a refused one does not", "fewer_cards", "Kb1", "discard", 10),
    ("8.2 6.3 a kept last 4 counts for fewer_fours", "fewer_fours", "Kb4", "keep", 0),
    ("8.2 6.3 a refused 4 does not", "fewer_fours", "Kb4", "discard", 10),
    ("8.2 6.3 a kept explosion counts for fewer_explosions", "fewer_explosions", "Ga2", "keep", 0),
    ("8.2 6.3 a refused explosion does not", "fewer_explosions", "Ga2", "discard", 10),
    ("8.2 6.3 a kept last card counts for one", "one:W", "Wa3", "keep", 5),
    ("8.2 6.3 a refused one does not count for one", "one:W", "Wa3", "discard", 0),
)
def test_the_last_card_and_recipes(recipe: str, last_card: str, last: str, points: int) -> None:
    position = Position(
        board=sparse(c3=last_card),
        cauldrons={0: "Wa1 Wa2", 1: "Sa2 Na4 Nb3"},
        recipes=[recipe, "plants"],
    )
    assert score_sheets(at_the_end(position, last))[0].recipes == points


@table("points", ("8.1 a recipe pays its holder, and nobody else", [0, 0]))
def test_nobody_else_is_paid(points: list[int]) -> None:
    position = Position(
        cauldrons={0: GREY, 1: "Ka1 Ka2 Ka3"}, recipes=["one:K plants", "both:S one:W"]
    )
    assert [sheet.recipes for sheet in score_sheets(at_the_end(position))] == points


@table(
    "seats, recipes",
    ("8.3 the thirteen recipes of the page", 2, THIRTEEN),
    ("8.4 the five recipes of three seats", 3, FIVE),
)
def test_the_page_lists_the_recipes(seats: int, recipes: str) -> None:
    page = RULES_PAGE.read_text(encoding="utf-8")
    section = page[page.index("## 8. Recipes") : page.index("## 9.")]
    stated = set(re.findall(r"(?:both:|one:)[A-Z]|ended_game|plants(?=`)|fewer_\w+", section))
    five = re.search(r"\*\*8\.4\*\*(.*)", section)
    assert five is not None
    assert set(recipes.split()) == (stated if seats == 2 else set(re.findall(r"`(\w+)`", five[1])))


@table(
    "position, scores, places",
    (
        "8.5 the total is sets, ones and recipes",
        Position(
            cauldrons={0: "Wa1 Wa2 Wa3", 1: "Na4"}, recipes=["one:W fewer_fours", "plants one:K"]
        ),
        (12 + 5 + 15, -4),
        (1, 2),
    ),
    (
        "8.5 RK-9 equal totals share the win",
        Position(cauldrons={0: "Sa2 Sa3 Sa4", 1: "Na2 Na3 Na4"}),
        (9, 9),
        (1, 1),
    ),
    (
        "8.5 RK-9 equal totals share the second place",
        Position(seats=3, cauldrons={0: "Sa3", 1: "Na2 Na3 Na4", 2: "Ba3"}),
        (-3, 9, -3),
        (2, 1, 2),
    ),
    (
        "8.5 RK-9 there is no tie-break by the number of cards",
        Position(cauldrons={0: "Sa3", 1: "Na3 Bb3 Bb4"}),
        (-3, -3),
        (1, 1),
    ),
    (
        "8.5 recipes can turn the game",
        Position(
            cauldrons={0: "Sa2 Sa3 Sa4", 1: "Na3"},
            recipes=["one:K plants", "fewer_fours fewer_cards"],
        ),
        (9, -3 + 20),
        (2, 1),
    ),
)
def test_totals_and_places(
    position: Position, scores: tuple[int, ...], places: tuple[int, ...]
) -> None:
    outcome = GAME.outcome(at_the_end(position))
    assert outcome is not None
    assert outcome.scores == scores
    assert outcome.places == places


@table(
    "moves",
    ("8.5 while the game goes on there is no score", ""),
    ("8.5 while the last card is not settled there is no score", "take d4"),
)
def test_a_game_that_goes_on_has_no_score(moves: str) -> None:
    state = after(near_the_end(), moves).state
    assert GAME.outcome(state) is None
    with pytest.raises(ValueError, match="over"):
        score_sheets(state)


# Nothing was forgotten --------------------------------------------------------------------------


def test_every_ruling_of_the_page_has_a_case() -> None:
    page = RULES_PAGE.read_text(encoding="utf-8")
    stated = set(re.findall(r"\*\*Ruling (RK-\d+):\*\*", page))
    named = {ruling for case in CASE_IDS for ruling in re.findall(r"RK-\d+", case)}
    assert stated == named == {f"RK-{number}" for number in range(1, 20)}


def test_every_paragraph_has_a_case() -> None:
    page = RULES_PAGE.read_text(encoding="utf-8")
    stated = {
        paragraph
        for paragraph in re.findall(r"^\*\*(\d+\.\d+)\*\*", page, re.MULTILINE)
        if int(paragraph.partition(".")[0]) in PARAGRAPHS
    }
    named = {paragraph for case in CASE_IDS for paragraph in re.findall(r"\b\d+\.\d+\b", case)}
    assert len(stated) > 40
    assert stated <= named


def test_no_two_cases_have_the_same_name() -> None:
    assert len(set(CASE_IDS)) == len(CASE_IDS)


def test_rulings_are_named_with_the_paragraph_that_states_them() -> None:
    page = RULES_PAGE.read_text(encoding="utf-8")
    listed = re.findall(r"(RK-\d+) \| (\d+\.\d+)", page)
    assert len(listed) == 19
    for ruling, paragraph in listed:
        assert any(ruling in case.split() and paragraph in case.split() for case in CASE_IDS), (
            f"no case names both {paragraph} and {ruling}"
        )
