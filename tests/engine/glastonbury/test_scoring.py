"""The rules page as cases: sections 9 and 10, and the check that every ruling has a case.

The printed examples of both booklets are among the cases. Expected values are worked out from
docs/rules/glastonbury.md by hand.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from engine.errors import IllegalMoveError
from engine.game import Seat
from engine.glastonbury.scoring import Sheet, score_sheets
from engine.glastonbury.state import State
from tests.engine.glastonbury.positions import (
    GAME,
    begin_turn,
    cards,
    legal,
    play,
    play_sealed,
)
from tests.engine.glastonbury.test_rules import (
    CASE_IDS,
    Position,
    after,
    assert_facts,
    near_the_end,
    sparse,
    story,
    table,
)

RULES_PAGE = Path(__file__).parents[3] / "docs" / "rules" / "glastonbury.md"

# How the games of these cases end ---------------------------------------------------------------

NO_INGREDIENT_LEFT = {"b2": "Accio", "c3": "Declinatio", "d4": "Perluceo", "e5": "Accio"}
"""One spell in each line, so that the last card changes no set."""

RECIPES = (
    "A:P B:fewest_cards",
    "A:W B:fewest_fours",
    "A:N B:ended_game",
    "A:S B:most_ones",
)
"""What seats hold if the case does not say."""


def at_the_end(position: Position, last: str = "discard") -> State:
    """Let a seat take a last card, a spell, and settle it; Immuto may remain to be assigned.

    All pawns start at a corner, so the ender lands at a line whatever is on top of its cauldron.
    """
    state = begin_turn(**(Position(board=NO_INGREDIENT_LEFT, fill=False) | position)).state
    (take,) = legal(state)
    return play(state, take, last).state


def sheets(state: State, immuto: Mapping[int, str] | None = None) -> tuple[Sheet, ...]:
    """Assign Immuto, seat -> ingredients, and return the points of all seats."""
    if immuto:
        moves = {seat: f"immuto {ingredients}" for seat, ingredients in immuto.items()}
        state = play_sealed(state, moves).state
    return score_sheets(state)


# 9. Score ---------------------------------------------------------------------------------------

BLUE = "Ba1 Ba2 Ba3 Ba4 Oa1 Oa3 Oa4 Ga3 Ga4 Bb4"
"""The cauldron of the printed example; seat 3 of four plays blue."""


@table(
    "seat, cauldron, points",
    ("9.1 an empty cauldron scores nothing", 0, "", 0),
    ("9.1 one card counts against the seat", 0, "Oa3", -3),
    ("9.1 two cards count nothing", 0, "Oa3 Oa4", 0),
    ("9.1 three cards score their values", 0, "Oa1 Oa3 Oa4", 8),
    ("9.1 four cards score their values and 5", 0, "Oa1 Oa2 Oa3 Oa4", 15),
    ("9.1 the order in the cauldron does not matter", 0, "Oa4 Na1 Oa1 Na2 Oa3 Na3", 8 + 6),
    ("9.1 two ingredients of a colour are scored apart", 0, "Oa3 Ob4", -3 - 4),
    ("9.1 three of one and one of the other ingredient of a colour", 0, "Oa1 Oa2 Oa3 Ob4", 6 - 4),
    ("9.2 one card in the own colour counts against the seat twice", 0, "Ya4", -8),
    ("9.2 both ingredients of the own colour are doubled", 0, "Ya4 Yb3", -8 - 6),
    ("9.2 two cards in the own colour count nothing", 0, "Ya3 Ya4", 0),
    ("9.2 three cards in the own colour score twice", 0, "Ya1 Ya3 Ya4", 16),
    ("9.2 the bonus of four cards in the own colour is not doubled", 0, "Ya1 Ya2 Ya3 Ya4", 25),
    ("9.2 the pawn colour of another seat is not doubled", 0, "Ga1 Ga3 Ga4", 8),
    ("9.2 seat 1 doubles green", 1, "Ga1 Ga3 Ga4", 16),
    ("9.2 seat 2 doubles red, against itself too", 2, "Ra3", -6),
    ("9.2 seat 3 doubles blue", 3, "Bb1 Bb3 Bb4", 16),
    ("9.7 the printed example: the blue seat has 25 points", 3, BLUE, 25),
)
def test_sets_of_ingredients(seat: int, cauldron: str, points: int) -> None:
    assert sheets(at_the_end(Position(cauldrons={seat: cauldron})))[seat] == Sheet(points, 0, 0)


@table(
    "colours, seat, cauldron, points",
    ("9.2 with three seats blue is doubled for nobody: seat 0", "YGR", 0, "Ba1 Ba3 Ba4", 8),
    ("9.2 with three seats blue is doubled for nobody: seat 1", "YGR", 1, "Ba1 Ba3 Ba4", 8),
    ("9.2 with three seats blue is doubled for nobody: seat 2", "YGR", 2, "Bb4", -4),
    ("9.2 3.1 the option colours says who doubles blue", "BRG", 0, "Ba1 Ba3 Ba4", 16),
    ("9.2 3.1 with blue on seat 0 yellow is doubled for nobody", "BRG", 0, "Ya1 Ya3 Ya4", 8),
    ("9.2 3.1 with two seats blue against red, red is doubled for seat 1", "BR", 1, "Ra4", -8),
    ("9.2 3.1 with two seats blue against red, green is doubled for nobody", "BR", 1, "Ga4", -4),
)
def test_the_colour_of_the_pawn_is_doubled(
    colours: str, seat: int, cauldron: str, points: int
) -> None:
    state = at_the_end(Position(seats=len(colours), colours=colours, cauldrons={seat: cauldron}))
    assert sheets(state)[seat].ingredients == points


@table(
    "seat, cauldron, assigned, points",
    ("9.7 the printed example with Immuto on orange: 30", 3, f"{BLUE} Immuto", "Oa", 30),
    ("9.7 the printed example with Immuto on green: 32", 3, f"{BLUE} Immuto", "Ga", 32),
    ("9.7 the printed example with Immuto on the single blue: 33", 3, f"{BLUE} Immuto", "Bb", 33),
    ("9.7 the printed example with Immuto on four blue: 25", 3, f"{BLUE} Immuto", "Ba", 25),
    ("9.3 Immuto makes a pair of a single card", 0, "Oa4 Immuto", "Oa", 0),
    ("9.3 Immuto makes a set of a pair", 0, "Oa3 Oa4 Immuto", "Oa", 7),
    ("9.3 Immuto makes four of 1, 3, 4", 0, "Oa1 Oa3 Oa4 Immuto", "Oa", 13),
    ("9.3 R-20 Immuto adds nothing to 1, 2, 3, 4", 0, "Oa1 Oa2 Oa3 Oa4 Immuto", "Oa", 15),
    (
        "9.3 R-20 both Immuto add nothing to 1, 2, 3, 4",
        0,
        "Oa1 Oa2 Oa3 Oa4 Immuto Immuto",
        "Oa Oa",
        15,
    ),
    ("9.3 both Immuto make four of 3, 4", 0, "Oa3 Oa4 Immuto Immuto", "Oa Oa", 12),
    (
        "9.3 both Immuto make four of 3, 4 in the own colour",
        0,
        "Ya3 Ya4 Immuto Immuto",
        "Ya Ya",
        19,
    ),
    ("9.3 both Immuto make a set of a single 4", 0, "Oa4 Immuto Immuto", "Oa Oa", 4),
    (
        "9.3 both Immuto make a set of a single 4 in the own colour",
        0,
        "Ya4 Immuto Immuto",
        "Ya Ya",
        8,
    ),
    ("9.3 two Immuto may go to two ingredients", 0, "Oa4 Pa3 Pa4 Immuto Immuto", "Oa Pa", 7),
    ("9.3 both Immuto make five of 1, 3, 4", 0, "Oa1 Oa3 Oa4 Immuto Immuto", "Oa Oa", 13),
    ("9.3 R-20 a lone Immuto scores 0", 0, "Immuto", "Oa", 0),
    ("9.3 R-20 a lone Immuto in the own colour scores 0", 0, "Immuto", "Yb", 0),
    ("9.3 R-20 two Immuto without a card score 0", 0, "Immuto Immuto", "Oa Oa", 0),
    ("9.3 R-20 Immuto may go where the seat has no card", 0, "Oa4 Immuto", "Sb", -4),
    ("9.6 R-11 the choice is free, also where it gives points away", 3, f"{BLUE} Immuto", "Sa", 25),
)
def test_immuto_counts_as_a_card_of_value_0(
    seat: int, cauldron: str, assigned: str, points: int
) -> None:
    state = at_the_end(Position(cauldrons={seat: cauldron}, recipes=RECIPES))
    assert sheets(state, {seat: assigned})[seat].ingredients == points


@table(
    "spells",
    ("9.4 spells with charges left score nothing", "Declinatio Vanesco"),
    ("9.4 spells that are used up score nothing", "Vanesco Vanesco Perluceo"),
)
def test_spells_score_nothing(spells: str) -> None:
    state = at_the_end(Position(spells={1: spells}))
    assert sheets(state) == (Sheet(0, 0, 0),) * 4


@table(
    "seat, cauldron, assigned, points",
    ("9.5 Immuto saves a single card", 0, "Oa4 Immuto", "Oa", 0),
    ("9.5 Immuto goes where it gains most", 0, "Oa4 Pa3 Pa2 Immuto", "Pa", 1),
    ("9.5 the own colour gains twice", 0, "Oa4 Ya3 Immuto", "Ya", -4),
    ("9.5 the printed example goes to the single blue", 3, f"{BLUE} Immuto", "Bb", 33),
    ("9.5 9.7 among equals orange comes before purple", 0, "Pa3 Oa1 Oa2 Immuto", "Oa", 0),
    ("9.5 9.7 among equals ingredient a comes before b", 0, "Ob3 Oa3 Immuto", "Oa", -3),
    ("9.5 9.7 among equals white comes before brown and grey", 0, "Sa4 Na4 Wb4 Immuto", "Wb", -8),
    ("9.5 9.7 among equals yellow comes before green", 2, "Ga4 Yb4 Immuto", "Yb", -4),
    ("9.5 R-20 a lone Immuto goes to the first ingredient", 0, "Immuto", "Ya", 0),
    (
        "9.5 R-20 an Immuto that gains nothing goes to the first ingredient",
        0,
        "Oa1 Oa2 Oa3 Oa4 Immuto",
        "Ya",
        15,
    ),
    ("9.5 two lone Immuto go to the first ingredient", 0, "Immuto Immuto", "Ya Ya", 0),
    ("9.5 two Immuto stay together if that pays", 0, "Oa3 Oa4 Pa4 Immuto Immuto", "Oa Oa", 8),
    ("9.5 two Immuto part if that pays", 0, "Oa1 Oa3 Oa4 Pa4 Immuto Immuto", "Oa Pa", 13),
    (
        "9.5 9.7 two Immuto among equals: the first ingredient decides",
        0,
        "Pa4 Oa1 Oa2 Immuto Immuto",
        "Oa Oa",
        4,
    ),
    (
        "9.5 9.7 two Immuto among equals: then the second decides",
        0,
        "Pa4 Oa4 Immuto Immuto",
        "Oa Oa",
        0,
    ),
)
def test_without_recipes_immuto_is_assigned_automatically(
    seat: int, cauldron: str, assigned: str, points: int
) -> None:
    state = at_the_end(Position(cauldrons={seat: cauldron}))
    assert_facts(state, {"asked": "nobody", f"assigned {seat}": assigned})
    assert sheets(state)[seat].ingredients == points


@table(
    "position, expected",
    (
        "9.5 two holders are both served, each for itself",
        Position(cauldrons={0: "Oa4 Immuto", 1: "Pa1 Pa3 Immuto Ga2 Ga1", 2: "Wa4"}),
        {"assigned 0": "Oa", "assigned 1": "Ga", "assigned 2": "", "scores": "0 6 -4 0"},
    ),
    (
        "9.3 9.5 R-20 with yellow removed the first ingredient is green",
        Position(seats=2, colours="BR", cauldrons={0: "Immuto"}),
        {"assigned 0": "Ga", "assigned 1": "", "scores": "0 0"},
    ),
    (
        "9.3 9.5 R-20 with yellow removed Immuto still goes where it gains most",
        Position(seats=2, colours="BR", cauldrons={0: "Ga1 Ra3 Bb1 Immuto"}),
        {"assigned 0": "Ra", "scores": "-3 0"},
    ),
)
def test_automatic_assignments_of_a_table(position: Position, expected: dict[str, str]) -> None:
    assert_facts(at_the_end(position), expected)


# Sealed assignments with recipes ----------------------------------------------------------------

ALL_INGREDIENTS = "Ya Yb Ga Gb Ra Rb Ba Bb Oa Ob Pa Pb Wa Wb Na Nb Sa Sb"
"""In the order of 9.7."""

TWO_HOLDERS = Position(
    seats=3,
    cauldrons={0: "Oa1 Oa2 Immuto", 1: "Na4", 2: "Pa3 Immuto"},
    recipes=RECIPES[:3],
)
ONE_HOLDER_OF_TWO = Position(
    seats=3,
    cauldrons={0: "Oa1 Oa2", 1: "Na4 Immuto Sa1 Immuto"},
    recipes=RECIPES[:3],
)


@table(
    "position, holders, choices",
    ("9.6 R-11 two holders of one Immuto are asked at the same time", TWO_HOLDERS, [0, 2], 18),
    ("9.6 R-11 one holder of two Immuto is asked once", ONE_HOLDER_OF_TWO, [1], 171),
    (
        "9.6 R-20 with two seats 16 ingredients are in the game",
        Position(seats=2, cauldrons={0: "Immuto"}, recipes=RECIPES[:2]),
        [0],
        16,
    ),
    (
        "9.6 R-20 with two seats there are 136 ways to assign two Immuto",
        Position(seats=2, cauldrons={1: "Immuto Immuto"}, recipes=RECIPES[:2]),
        [1],
        136,
    ),
)
def test_holders_of_immuto_are_asked(position: Position, holders: list[int], choices: int) -> None:
    state = at_the_end(position)
    assert GAME.to_act(state) == tuple(holders)
    for seat in range(state.setup.seats):
        assert len(legal(state, seat)) == (choices if seat in holders else 0)
    assert GAME.outcome(state) is None


@table(
    "position, seat, expected",
    (
        "9.7 one Immuto: Ya Yb Ga Gb and so on to Sb",
        TWO_HOLDERS,
        2,
        ALL_INGREDIENTS,
    ),
    (
        "9.7 one Immuto with red removed: the same order without red",
        Position(seats=2, cauldrons={0: "Immuto"}, recipes=RECIPES[:2]),
        0,
        "Ya Yb Ga Gb Ba Bb Oa Ob Pa Pb Wa Wb Na Nb Sa Sb",
    ),
    (
        "9.7 R-20 one Immuto with yellow removed: the same order without yellow",
        Position(seats=2, colours="BR", cauldrons={0: "Immuto"}, recipes=RECIPES[:2]),
        0,
        "Ga Gb Ra Rb Ba Bb Oa Ob Pa Pb Wa Wb Na Nb Sa Sb",
    ),
)
def test_assignments_of_one_immuto_are_listed_in_order(
    position: Position, seat: int, expected: str
) -> None:
    listed = legal(at_the_end(position), seat)
    assert listed == [f"immuto {ingredient}" for ingredient in expected.split()]


@table("last", ("9.7 two Immuto are listed by the first ingredient, then by the second", 171))
def test_assignments_of_two_immuto_are_listed_in_order(last: int) -> None:
    order = ALL_INGREDIENTS.split()
    listed = legal(at_the_end(ONE_HOLDER_OF_TWO), 1)
    assert listed[:3] == ["immuto Ya Ya", "immuto Ya Yb", "immuto Ya Ga"]
    assert listed[17:20] == ["immuto Ya Sb", "immuto Yb Yb", "immuto Yb Ga"]
    assert listed[last - 1] == "immuto Sb Sb"
    ranks = [[order.index(name) for name in move.split()[1:]] for move in listed]
    assert ranks == sorted(ranks)
    assert all(first <= second for first, second in ranks)


@table(
    "position",
    ("9.6 R-11 two holders see all cauldrons and their own recipes only", TWO_HOLDERS),
    ("9.6 R-11 one holder of two sees all cauldrons and its own recipes only", ONE_HOLDER_OF_TWO),
)
def test_what_the_views_show_while_immuto_is_assigned(position: Position) -> None:
    state = at_the_end(position)
    cauldrons = tuple(cards(position["cauldrons"].get(seat, "")) for seat in range(3))
    for viewer in (None, Seat(0), Seat(1), Seat(2)):
        view = GAME.view(state, viewer)
        assert view.cauldrons == cauldrons
        assert [own and f"A:{own.colour} B:{own.task}" for own in view.recipes] == [
            recipes if seat == viewer else None for seat, recipes in enumerate(RECIPES[:3])
        ]
        assert view.assignments == ()


@table(
    "position, moves, told",
    (
        "8.6 9.6 recipes open after two holders have assigned",
        TWO_HOLDERS,
        {0: "immuto Oa", 2: "immuto Sb"},
        ["0 makes Oa", "2 makes Sb", "recipes open"],
    ),
    (
        "8.6 9.6 R-11 the order in which sealed answers arrive does not matter",
        TWO_HOLDERS,
        {2: "immuto Sb", 0: "immuto Oa"},
        ["0 makes Oa", "2 makes Sb", "recipes open"],
    ),
    (
        "8.6 9.6 recipes open after one holder has assigned two",
        ONE_HOLDER_OF_TWO,
        {1: "immuto Sa Na"},
        ["1 makes Na Sa", "recipes open"],
    ),
)
def test_recipes_open_after_the_assignments(
    position: Position, moves: dict[int, str], told: list[str]
) -> None:
    state, events = play_sealed(at_the_end(position), moves)
    assert story(events) == told
    assert_facts(state, {"asked": "nobody"})
    for viewer in (None, Seat(0), Seat(1), Seat(2)):
        view = GAME.view(state, viewer)
        assert [own and f"A:{own.colour} B:{own.task}" for own in view.recipes] == list(RECIPES[:3])
        assert len(view.assignments) == 3


@table(
    "moves, broken, words",
    ("9.6 R-11 both holders must answer", {0: "immuto Oa"}, "12.1", "seat 2"),
    (
        "9.6 R-11 one bad answer spoils the sealed pair",
        {0: "immuto Oa", 2: "immuto Oa Oa"},
        "9.6",
        "one ingredient",
    ),
)
def test_sealed_answers_must_be_complete(moves: dict[int, str], broken: str, words: str) -> None:
    state = at_the_end(TWO_HOLDERS)
    with pytest.raises(IllegalMoveError, match=words) as raised:
        play_sealed(state, moves)
    assert raised.value.violation.rule == f"glastonbury#{broken}"


# 10. Recipes ------------------------------------------------------------------------------------


@table(
    "cauldrons, seats, immuto, points",
    ("10.1 with two seats each card pays 1", {0: "Oa1 Ob2 Oa3", 1: "Oa2"}, 2, {}, 3),
    ("10.1 with three seats each card pays 1", {0: "Oa1 Ob2 Oa3", 1: "Oa2"}, 3, {}, 3),
    ("10.1 with four seats each card pays 2", {0: "Oa1 Ob2 Oa3", 1: "Oa2"}, 4, {}, 6),
    ("10.1 one card ahead of none pays with two seats", {0: "Ob4"}, 2, {}, 1),
    (
        "10.1 all eight cards pay 16 with four seats",
        {0: "Oa1 Oa2 Oa3 Oa4 Ob1 Ob2 Ob3 Ob4"},
        4,
        {},
        16,
    ),
    ("10.1 R-17 a tie pays nobody", {0: "Oa1 Ob2", 1: "Oa2 Oa3"}, 2, {}, 0),
    (
        "10.1 R-17 a tie with one of three pays nobody",
        {0: "Oa1 Ob2", 1: "Ob1", 3: "Oa2 Oa3"},
        4,
        {},
        0,
    ),
    ("10.1 R-17 a tie at none pays nobody", {0: "Pa1", 1: "Na1"}, 2, {}, 0),
    ("10.1 R-16 behind pays nothing", {0: "Oa1", 1: "Oa2 Oa3"}, 2, {}, 0),
    ("10.1 other colours do not count", {0: "Oa1 Pa1 Wa1", 1: "Na1 Nb1"}, 2, {}, 1),
    (
        "10.1 R-30 an Immuto puts the holder ahead and pays",
        {0: "Oa1 Ob2 Immuto", 1: "Oa2 Oa3"},
        2,
        {0: "Ob"},
        3,
    ),
    ("10.1 R-30 an Immuto pays 2 with four seats", {0: "Oa1 Immuto", 1: "Na1"}, 4, {0: "Oa"}, 4),
    ("10.1 R-30 two Immuto without a card pay", {0: "Immuto Immuto", 1: "Oa1"}, 2, {0: "Oa Ob"}, 2),
    (
        "10.1 R-30 an Immuto on another colour does not count",
        {0: "Oa1 Ob2 Immuto", 1: "Oa2 Oa3"},
        2,
        {0: "Pa"},
        0,
    ),
    (
        "10.1 R-30 the Immuto of another seat draws level",
        {0: "Oa1 Ob2", 1: "Oa2 Immuto"},
        2,
        {1: "Ob"},
        0,
    ),
    (
        "10.1 R-30 the Immuto of another seat overtakes",
        {0: "Oa1 Ob2", 1: "Oa2 Immuto Immuto"},
        2,
        {1: "Oa Ob"},
        0,
    ),
    (
        "10.1 R-30 the Immuto of another seat elsewhere does no harm",
        {0: "Oa1 Ob2", 1: "Oa2 Immuto"},
        2,
        {1: "Sa"},
        2,
    ),
    (
        "10.1 R-30 each of two Immuto counts for its seat",
        {0: "Oa1 Immuto", 1: "Oa2 Immuto"},
        2,
        {0: "Oa", 1: "Oa"},
        0,
    ),
)
def test_the_holder_of_recipe_a(
    cauldrons: dict[int, str], seats: int, immuto: dict[int, str], points: int
) -> None:
    recipes = ("A:O B:ended_game", *RECIPES[1:2], "A:N B:fewest_cards", RECIPES[3])[:seats]
    state = at_the_end(Position(seats=seats, cauldrons=cauldrons, recipes=recipes))
    assert [sheet.recipe_a for sheet in sheets(state, immuto)] == [points] + [0] * (seats - 1)


@table(
    "colour",
    *(
        (f"10.1 1.5 the recipe of colour {colour} pays for both its ingredients", colour)
        for colour in "OPWNS"
    ),
)
def test_every_colour_without_a_pawn_has_a_recipe(colour: str) -> None:
    state = at_the_end(
        Position(
            seats=2,
            cauldrons={0: f"{colour}a1 {colour}b4", 1: f"{colour}a4"},
            recipes=[f"A:{colour} B:most_ones", f"A:{'S' if colour == 'O' else 'O'} B:ended_game"],
        )
    )
    assert sheets(state)[0].recipe_a == 2


TASKS: dict[str, Sequence[str]] = {
    task: (f"A:P B:{task}", *(f"A:{colour} B:{other}" for colour, other in others))
    for task, others in {
        "fewest_cards": (("W", "ended_game"), ("N", "most_ones")),
        "fewest_fours": (("W", "ended_game"), ("N", "most_ones")),
        "fewest_spells": (("W", "ended_game"), ("N", "most_ones")),
        "most_ones": (("W", "ended_game"), ("N", "fewest_cards")),
        "ended_game": (("W", "fewest_fours"), ("N", "most_ones")),
    }.items()
}
"""Three seats of which seat 0 holds the task."""


@table(
    "task, position, immuto, points",
    (
        "10.3 fewest_cards pays the one with fewest",
        "fewest_cards",
        Position(cauldrons={0: "Wa1 Wa2", 1: "Sa1 Sa2 Sa3", 2: "Na1 Na2 Na3"}),
        {},
        10,
    ),
    (
        "10.3 fewest_cards pays for an empty cauldron",
        "fewest_cards",
        Position(cauldrons={1: "Sa1", 2: "Na1"}),
        {},
        10,
    ),
    (
        "10.3 R-17 fewest_cards pays nobody in a tie",
        "fewest_cards",
        Position(cauldrons={0: "Wa1 Wa2", 1: "Sa1 Sa2", 2: "Na1 Na2 Na3"}),
        {},
        0,
    ),
    (
        "10.3 fewest_cards pays nothing behind",
        "fewest_cards",
        Position(cauldrons={0: "Wa1 Wa2", 1: "Sa1", 2: "Na1 Na2 Na3"}),
        {},
        0,
    ),
    (
        "10.3 fewest_cards counts Immuto of the holder",
        "fewest_cards",
        Position(cauldrons={0: "Wa1 Immuto", 1: "Sa1 Sa2", 2: "Na1 Na2 Na3"}),
        {0: "Wa"},
        0,
    ),
    (
        "10.3 fewest_cards counts Immuto of the others",
        "fewest_cards",
        Position(cauldrons={0: "Wa1", 1: "Sa1 Immuto", 2: "Na1 Na2 Na3"}),
        {1: "Sa"},
        10,
    ),
    (
        "10.3 fewest_cards does not count spells",
        "fewest_cards",
        Position(
            cauldrons={0: "Wa1", 1: "Sa1 Sa2", 2: "Na1 Na2"}, spells={0: "Vanesco Vanesco Vanesco"}
        ),
        {},
        10,
    ),
    (
        "10.3 fewest_fours pays the one with fewest",
        "fewest_fours",
        Position(cauldrons={0: "Wa4", 1: "Sa4 Sb4", 2: "Na4 Nb4"}),
        {},
        10,
    ),
    (
        "10.3 fewest_fours is fine with none",
        "fewest_fours",
        Position(cauldrons={0: "Wa3", 1: "Sa4", 2: "Na4"}),
        {},
        10,
    ),
    (
        "10.3 R-17 fewest_fours pays nobody in a tie",
        "fewest_fours",
        Position(cauldrons={0: "Wa4", 1: "Sa4", 2: "Na4 Nb4"}),
        {},
        0,
    ),
    (
        "10.3 R-17 fewest_fours pays nobody in a tie at none",
        "fewest_fours",
        Position(cauldrons={0: "Wa3", 2: "Na4 Nb4"}),
        {},
        0,
    ),
    (
        "10.3 fewest_fours pays nothing behind",
        "fewest_fours",
        Position(cauldrons={0: "Wa4", 1: "Sa1", 2: "Na4 Nb4"}),
        {},
        0,
    ),
    (
        "9.3 10.3 R-23 an Immuto of the holder is no 4",
        "fewest_fours",
        Position(cauldrons={0: "Wa4 Immuto", 1: "Sa4 Sb4", 2: "Na4 Nb4"}),
        {0: "Wa"},
        10,
    ),
    (
        "9.3 10.3 R-23 an Immuto of another seat is no 4",
        "fewest_fours",
        Position(cauldrons={0: "Wa4", 1: "Sa4 Immuto", 2: "Na4 Nb4"}),
        {1: "Sa"},
        0,
    ),
    (
        "10.3 fewest_spells pays the one with fewest",
        "fewest_spells",
        Position(spells={0: "Vanesco", 1: "Vanesco Perluceo", 2: "Declinatio Vanesco"}),
        {},
        10,
    ),
    (
        "10.3 fewest_spells is fine with none",
        "fewest_spells",
        Position(spells={1: "Vanesco", 2: "Vanesco"}),
        {},
        10,
    ),
    (
        "10.3 R-17 fewest_spells pays nobody in a tie",
        "fewest_spells",
        Position(spells={0: "Vanesco", 1: "Perluceo", 2: "Declinatio Vanesco"}),
        {},
        0,
    ),
    (
        "10.3 fewest_spells pays nothing behind",
        "fewest_spells",
        Position(spells={0: "Vanesco", 2: "Declinatio Vanesco"}),
        {},
        0,
    ),
    (
        "10.3 R-18 fewest_spells counts a spell that is used up",
        "fewest_spells",
        Position(spells={0: "Declinatio", 1: "Vanesco", 2: "Vanesco Vanesco"}, declinatio={0: 0}),
        {},
        0,
    ),
    (
        "10.3 R-18 fewest_spells counts cards, not charges",
        "fewest_spells",
        Position(spells={0: "Declinatio", 1: "Vanesco Vanesco", 2: "Perluceo Vanesco"}),
        {},
        10,
    ),
    (
        "10.3 most_ones pays the one with most",
        "most_ones",
        Position(cauldrons={0: "Wa1 Wb1", 1: "Sa1", 2: "Na1"}),
        {},
        10,
    ),
    (
        "10.3 R-17 most_ones pays nobody in a tie",
        "most_ones",
        Position(cauldrons={0: "Wa1 Wb1", 1: "Sa1", 2: "Na1 Nb1"}),
        {},
        0,
    ),
    (
        "10.3 R-17 most_ones pays nobody if nobody has one",
        "most_ones",
        Position(cauldrons={0: "Wa2", 1: "Sa3"}),
        {},
        0,
    ),
    (
        "10.3 most_ones pays nothing behind",
        "most_ones",
        Position(cauldrons={0: "Wa1", 1: "Sa1 Sb1"}),
        {},
        0,
    ),
    (
        "9.3 10.3 R-23 an Immuto of the holder is no 1",
        "most_ones",
        Position(cauldrons={0: "Wa1 Immuto", 1: "Sa1"}),
        {0: "Wb"},
        0,
    ),
    (
        "9.3 10.3 R-23 an Immuto of another seat is no 1",
        "most_ones",
        Position(cauldrons={0: "Wa1", 1: "Immuto"}),
        {1: "Sa"},
        10,
    ),
    ("10.3 ended_game pays the ender", "ended_game", Position(seat=0), {}, 10),
    ("10.3 ended_game pays nothing if seat 1 ended it", "ended_game", Position(seat=1), {}, 0),
    ("10.3 ended_game pays nothing if seat 2 ended it", "ended_game", Position(seat=2), {}, 0),
)
def test_the_holder_of_recipe_b(
    task: str, position: Position, immuto: dict[int, str], points: int
) -> None:
    state = at_the_end(position | Position(seats=3, recipes=TASKS[task]))
    assert sheets(state, immuto)[0].recipe_b == points


@table(
    "task, last_card, moves, points",
    (
        "10.3 R-18 a discarded last spell does not count for fewest_spells",
        "fewest_spells",
        "Accio",
        "take c3, discard",
        10,
    ),
    (
        "10.3 R-18 a kept last spell counts for fewest_spells",
        "fewest_spells",
        "Accio",
        "take c3, keep",
        0,
    ),
    (
        "8.4 10.3 R-14 R-18 a Vanesco as last card counts for fewest_spells",
        "fewest_spells",
        "Vanesco",
        "take c3",
        0,
    ),
    ("10.3 ended_game pays for a kept last card", "ended_game", "Pa2", "take c3, keep", 10),
    ("10.3 ended_game pays for a discarded last card", "ended_game", "Pa2", "take c3, discard", 10),
    ("8.4 10.3 ended_game pays for a Vanesco as last card", "ended_game", "Vanesco", "take c3", 10),
    (
        "10.3 a discarded last card does not count for most_ones",
        "most_ones",
        "Sb1",
        "take c3, discard",
        0,
    ),
    ("10.3 a kept last card counts for most_ones", "most_ones", "Sb1", "take c3, keep", 10),
)
def test_the_last_card_and_recipe_b(task: str, last_card: str, moves: str, points: int) -> None:
    begun = begin_turn(
        seats=3,
        board=sparse(c3=last_card),
        fill=False,
        spells={1: "Perluceo", 2: "Perluceo"},
        recipes=TASKS[task],
    )
    state = play(begun.state, *moves.split(", ")).state
    assert score_sheets(state)[0].recipe_b == points


@table(
    "holder, counts, points",
    ("8.5 10.3 R-15 a dead end pays ended_game to the seat that steered into it", 0, True, 10),
    ("8.5 10.3 R-15 by option a dead end pays ended_game to nobody", 0, False, 0),
    ("8.5 10.3 R-15 a dead end pays nothing to a holder who did not steer", 1, True, 0),
)
def test_a_dead_end_and_recipe_b(holder: int, *, counts: bool, points: int) -> None:
    recipes = ["A:O B:ended_game", "A:S B:most_ones"]
    begun = begin_turn(
        seats=2,
        stops=[3, 0],
        board=sparse(c3="Vanesco"),
        fill=False,
        spells={0: "Declinatio"},
        recipes=recipes if holder == 0 else recipes[::-1],
        dead_end_counts_as_end=counts,
    )
    state = play(begun.state, "declinatio").state
    assert score_sheets(state)[holder].recipe_b == points


@table("points", ("10.2 a task pays its holder 10, and only its holder", (0, 0, 0)))
def test_nobody_else_is_paid(points: tuple[int, ...]) -> None:
    position = Position(
        seats=3,
        cauldrons={0: "Wa1", 1: "Sa1 Sb1 Sa2", 2: "Na3 Nb3"},
        recipes=["A:P B:most_ones", "A:O B:fewest_cards", "A:S B:ended_game"],
        seat=1,
    )
    assert tuple(sheet.recipe_b for sheet in sheets(at_the_end(position))) == points


@table(
    "position, scores, places",
    (
        "10.4 the total is the sets and both recipes",
        Position(
            seats=2,
            cauldrons={0: "Oa1 Oa2 Oa3 Ob1", 1: "Ga2"},
            recipes=["A:O B:most_ones", "A:S B:fewest_cards"],
        ),
        (5 + 4 + 10, -4 + 10),
        (1, 2),
    ),
    (
        "10.4 R-19 equal totals share the win",
        Position(cauldrons={0: "Oa1 Oa3 Oa4", 1: "Pa1 Pa3 Pa4", 2: "Wa3"}),
        (8, 8, -3, 0),
        (1, 1, 4, 3),
    ),
    (
        "10.4 R-19 equal totals share the second place",
        Position(cauldrons={0: "Oa1", 1: "Pa1 Pa3 Pa4", 2: "Wa1", 3: "Na3"}),
        (-1, 8, -1, -3),
        (2, 1, 2, 4),
    ),
    ("10.4 R-19 all seats may share the win", Position(seats=3), (0, 0, 0), (1, 1, 1)),
    (
        "10.4 R-19 there is no tie-break by the number of cards",
        Position(seats=2, cauldrons={0: "Oa1 Oa2", 1: ""}),
        (0, 0),
        (1, 1),
    ),
    (
        "10.4 recipes can turn the game",
        Position(
            seats=2,
            cauldrons={0: "Oa1 Oa3 Oa4", 1: "Pb2"},
            recipes=["A:S B:most_ones", "A:P B:fewest_cards"],
        ),
        (8 + 10, -2 + 1 + 10),
        (1, 2),
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
    ("10.4 while the game goes on there is no score", ""),
    ("10.4 while the last card is not settled there is no score", "take c3"),
)
def test_a_game_that_goes_on_has_no_score(moves: str) -> None:
    state = after(near_the_end(), moves).state
    assert GAME.outcome(state) is None
    with pytest.raises(ValueError, match="over"):
        score_sheets(state)


# 12.2: the default assignment -------------------------------------------------------------------


@table(
    "cauldrons, recipe, expected",
    (
        "12.2 R-26 the default Immuto is best for the sets",
        {0: "Oa1 Oa2 Pa4 Immuto", 1: "Oa3 Oa4"},
        "A:S",
        "immuto Pa",
    ),
    (
        "12.2 R-26 the default Immuto counts the own A recipe",
        {0: "Oa1 Oa2 Pa4 Immuto", 1: "Oa3 Oa4"},
        "A:O",
        "immuto Oa",
    ),
    (
        "12.2 R-26 the default Immuto takes no account of the Immuto of others",
        {0: "Oa1 Oa2 Pa4 Immuto", 1: "Oa3 Oa4 Immuto"},
        "A:O",
        "immuto Oa",
    ),
    (
        "12.2 R-26 the default of a lone Immuto is the first ingredient of the own A recipe",
        {0: "Immuto"},
        "A:S",
        "immuto Sa",
    ),
    (
        "12.2 R-26 the default of a lone Immuto that cannot gain is the first ingredient",
        {0: "Immuto", 1: "Sa1"},
        "A:S",
        "immuto Ya",
    ),
    (
        "12.2 R-26 the default takes no account of the A recipe of others",
        {0: "Immuto", 1: "Wa1"},
        "A:N",
        "immuto Na",
    ),
    (
        "12.2 R-26 among equals the default is the first in order",
        {0: "Pa1 Immuto"},
        "A:S",
        "immuto Pa",
    ),
    (
        "12.2 R-26 the default of two Immuto overtakes by the own A recipe",
        {0: "Immuto Immuto", 1: "Sa1"},
        "A:S",
        "immuto Sa Sa",
    ),
    (
        "12.2 R-26 the default of two Immuto is best for the sets",
        {0: "Na3 Na4 Immuto Immuto"},
        "A:S",
        "immuto Na Na",
    ),
)
def test_the_default_assignment(cauldrons: dict[int, str], recipe: str, expected: str) -> None:
    position = Position(
        seats=2,
        cauldrons=cauldrons,
        recipes=[f"{recipe} B:most_ones", "A:W B:fewest_cards"],
    )
    state = at_the_end(position)
    assert GAME.format_move(GAME.default_move(state, Seat(0))) == expected


@table(
    "expected", ("12.2 R-26 with four seats the own A recipe counts 2 for each card", "immuto Wa")
)
def test_the_default_assignment_with_four_seats(expected: str) -> None:
    position = Position(
        cauldrons={0: "Wa1 Wa2 Wa3 Wa4 Pa1 Immuto"},
        recipes=["A:W B:most_ones", "A:O B:fewest_cards", "A:N B:ended_game", "A:S B:fewest_fours"],
    )
    state = at_the_end(position)
    assert GAME.format_move(GAME.default_move(state, Seat(0))) == expected


# Nothing was forgotten --------------------------------------------------------------------------


def test_every_ruling_has_a_case() -> None:
    named = {ruling for case in CASE_IDS for ruling in re.findall(r"R-\d+", case)}
    assert named == {f"R-{number}" for number in range(1, 31)}


def test_every_ruling_of_the_page_has_a_case() -> None:
    page = RULES_PAGE.read_text(encoding="utf-8")
    stated = set(re.findall(r"\*\*Ruling (R-\d+):\*\*", page))
    named = {ruling for case in CASE_IDS for ruling in re.findall(r"R-\d+", case)}
    assert stated == named


def test_every_paragraph_of_sections_2_to_12_has_a_case() -> None:
    page = RULES_PAGE.read_text(encoding="utf-8")
    stated = {
        paragraph
        for paragraph in re.findall(r"^\*\*(\d+\.\d+)\*\*", page, re.MULTILINE)
        if 2 <= int(paragraph.partition(".")[0]) <= 12
    }
    named = {paragraph for case in CASE_IDS for paragraph in re.findall(r"\b\d+\.\d+\b", case)}
    assert stated
    assert stated <= named


def test_no_two_cases_have_the_same_name() -> None:
    assert len(set(CASE_IDS)) == len(CASE_IDS)


def test_rulings_are_named_with_the_paragraph_that_states_them() -> None:
    page = RULES_PAGE.read_text(encoding="utf-8")
    listed = re.findall(r"(R-\d+) \| (\d+\.\d+)", page)
    assert len(listed) == 30
    for ruling, paragraph in listed:
        assert any(ruling in case.split() and paragraph in case.split() for case in CASE_IDS), (
            f"no case names both {paragraph} and {ruling}"
        )
