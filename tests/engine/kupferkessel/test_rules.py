"""The rules page as cases: sections 1 to 6, 9, 10 and 11.4, paragraph by paragraph.

Each case is named by its paragraph, its ruling if there is one, and what is promised. Expected
values are worked out from docs/rules/kupferkessel.md by hand. Sections 7 and 8 are in
test_scoring.py, which also checks that no paragraph and no ruling was forgotten.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict

import pytest

from engine.board import CELL_NAMES, CELLS_BY_NAME
from engine.errors import IllegalMoveError, NotationError, OptionsError
from engine.game import Event, OptionValue, Seat, Transition
from engine.kupferkessel.cards import CARD_NAMES, DECK, RECIPE_NAMES, SYMBOLS, Symbol
from engine.kupferkessel.rules import _draw_start_cards
from engine.kupferkessel.state import (
    CauldronsOpened,
    Discarded,
    DrewStartCard,
    Ended,
    Kept,
    Lost,
    Moved,
    Passed,
    RecipesOpened,
    Refilled,
    State,
    Took,
    UsedSymbol,
    View,
)
from engine.shuffle import seed_from_text
from tests.engine.kupferkessel.compare import everything, shared_part
from tests.engine.kupferkessel.positions import (
    GAME,
    begin_turn,
    cards,
    legal,
    names,
    play,
    rule_broken,
)
from tests.naive.kupferkessel import NaiveKupferkessel

# The language of the tables ---------------------------------------------------------------------

CASE_IDS: list[str] = []
"""The name of every case in this file and in test_scoring.py."""

Row = tuple[str, *tuple[object, ...]]


def table(arguments: str, *rows: Row) -> pytest.MarkDecorator:
    """Run a test for each row: the name of the case, then the arguments."""
    CASE_IDS.extend(row[0] for row in rows)
    return pytest.mark.parametrize(
        arguments.split(", "), [pytest.param(*row[1:], id=row[0]) for row in rows]
    )


class Position(TypedDict, total=False):
    """What ``begin_turn`` takes.

    Where a case says nothing, two pawns start at their corners, 0 and 10, each with a 3 in its
    cauldron: then the first pawn faces column d, and the second one column c.
    """

    seats: int
    seat: int
    turn: int
    stops: Sequence[int]
    board: Mapping[str, str]
    fill: bool
    pile: str | int
    cauldrons: Mapping[int, str]
    out: str
    recipes: Sequence[str]
    symbols: str
    third_colour: str


def sparse(**changes: str) -> dict[str, str]:
    """Return a board with one card in each of the eight lines, and the changes."""
    return {"b2": "Ka1", "c3": "Ka2", "d4": "Ka3", "e5": "Ka4"} | changes


def near_the_end(**changes: str) -> Position:
    """Return a position with the pile empty and the sparse board with the changes."""
    return Position(board=sparse(**changes), fill=False)


def after(position: Position, moves: str = "") -> Transition[State]:
    """Begin a turn and play moves, separated by commas; return all events since."""
    begun = begin_turn(**position)
    played = play(begun.state, *(moves.split(", ") if moves else []))
    return Transition(played.state, [*begun.events, *played.events])


def _scores(state: State, _: str) -> str:
    outcome = GAME.outcome(state)
    return " ".join(map(str, outcome.scores)) if outcome else "none"


FACTS: dict[str, Callable[[State, str], str]] = {
    "asked": lambda state, _: " ".join(map(str, GAME.to_act(state))) or "nobody",
    "legal": lambda state, _: ", ".join(legal(state)),
    "takes": lambda state, _: " ".join(legal(state)).replace("take ", ""),
    "phase": lambda state, _: str(state.phase),
    "turn": lambda state, _: str(state.turn),
    "stop": lambda state, seat: str(state.stops[int(seat)]),
    "cell": lambda state, cell: CARD_NAMES[state.board[CELLS_BY_NAME[cell]]],
    "pile": lambda state, _: names(state.pile),
    "out": lambda state, _: names(state.out),
    "cauldron": lambda state, seat: names(state.cauldrons[int(seat)]),
    "ending": lambda state, _: str(state.end.ending) if state.end else "none",
    "ender": lambda state, _: str(state.end.ender) if state.end else "none",
    "scores": _scores,
}


def fact(state: State, question: str) -> str:
    """Answer a question such as "cauldron 1" or "cell c3"."""
    word, _, of_what = question.partition(" ")
    return FACTS[word](state, of_what)


def assert_facts(state: State, expected: Mapping[str, str]) -> None:
    """Assert that each question has the answer expected."""
    assert {question: fact(state, question) for question in expected} == expected


_SENTENCES: dict[type[Event], Callable[[Any], str]] = {
    DrewStartCard: lambda e: (
        f"{e.seat} starts with {CARD_NAMES[e.card]}"
        if e.kept
        else f"{e.seat} puts {CARD_NAMES[e.card]} under the pile"
    ),
    Moved: lambda e: f"{e.seat} moves {e.steps} to {e.stop}",
    Passed: lambda e: f"{e.seat} passes",
    Took: lambda e: f"{e.seat} takes {CARD_NAMES[e.card]} from {CELL_NAMES[e.cell]}",
    UsedSymbol: lambda e: f"{e.seat} uses {CARD_NAMES[e.card]}",
    Refilled: lambda e: f"{CARD_NAMES[e.card]} fills {CELL_NAMES[e.cell]}",
    Lost: lambda e: (
        f"{e.seat} loses {CARD_NAMES[e.card]} "
        + ("under the pile" if e.under_pile else "out of the game")
    ),
    Ended: lambda e: f"{e.ending}, ended by {e.ender}",
    Kept: lambda e: f"{e.seat} keeps {CARD_NAMES[e.card]}",
    Discarded: lambda e: f"{e.seat} discards {CARD_NAMES[e.card]}",
    CauldronsOpened: lambda _: "cauldrons open",
    RecipesOpened: lambda _: "recipes open",
}


def story(events: Sequence[Event]) -> list[str]:
    """Tell what happened, a sentence for each event."""
    return [_SENTENCES[type(event)](event) for event in events]


ALL_CELLS = (
    "b1 c1 d1 e1 "
    "a2 b2 c2 d2 e2 f2 "
    "a3 b3 c3 d3 e3 f3 "
    "a4 b4 c4 d4 e4 f4 "
    "a5 b5 c5 d5 e5 f5 "
    "b6 c6 d6 e6"
)
"""Row by row, without the corners."""


# 1. Cards ---------------------------------------------------------------------------------------


@table(
    "part, expected",
    ("1.1 there are four cards of each of fourteen ingredients", slice(2), [4] * 14),
    ("1.1 there are fourteen cards of each value", slice(2, 3), [14] * 4),
    ("1.2 there are eight cards of each of seven colours", slice(1), [8] * 7),
)
def test_the_deck(part: slice, expected: list[int]) -> None:
    counted = Counter(CARD_NAMES[card][part] for card in DECK)
    assert list(counted.values()) == expected
    assert len(set(DECK)) == len(DECK) == 56


@table(
    "symbols, symbol, expected",
    ("1.3 by default five cards explode", "neutral2", Symbol.EXPLOSION, "Sa2 Ba2 Na2 Ga2 La2"),
    ("1.3 by default five cards have a wand", "neutral2", Symbol.WAND, "Sb2 Bb2 Nb2 Gb2 Lb2"),
    ("1.3 with all2 seven explode", "all2", Symbol.EXPLOSION, "Wa2 Ka2 Sa2 Ba2 Na2 Ga2 La2"),
    ("1.3 with all2 seven have a wand", "all2", Symbol.WAND, "Wb2 Kb2 Sb2 Bb2 Nb2 Gb2 Lb2"),
)
def test_which_cards_have_symbols(symbols: str, symbol: Symbol, expected: str) -> None:
    assert names([card for card in DECK if SYMBOLS[symbols][card] is symbol]) == expected


THIRTEEN = (
    "both:S both:B both:N both:G both:L one:W one:K "
    "ended_game fewer_explosions plants fewer_wands fewer_cards fewer_fours"
)
FIVE = "ended_game fewer_explosions fewer_wands fewer_cards fewer_fours"


@table(
    "seats, each, expected",
    ("1.4 RK-12 8.2 8.3 two seats are dealt from thirteen recipes", 2, 2, THIRTEEN),
    ("1.4 8.4 three seats are dealt from five recipes", 3, 1, FIVE),
)
def test_which_recipes_there_are(seats: int, each: int, expected: str) -> None:
    options = GAME.spec.options(seats, {"recipes": True})
    seen = set()
    for number in range(200):
        dealt: Any = GAME.describe_deal(options, seed_from_text(str(number)))["recipes"]
        assert [len(own) for own in dealt] == [each] * seats
        held = [recipe for own in dealt for recipe in own]
        assert len(set(held)) == len(held)
        seen |= set(held)
    assert seen == set(expected.split())


# 2. Board ---------------------------------------------------------------------------------------


def landed_at(stop: int) -> State:
    """Let a pawn land at a stop, three steps from where it was, with the other pawn behind it."""
    before = (stop - 3) % 20
    return begin_turn(stops=[before, (before - 1) % 20], pile=5).state


@table(
    "stop, expected",
    ("2.2 stop 1 faces column b from above", 1, "b1 b2 b3 b4 b5 b6"),
    ("2.2 stop 2 faces column c from above", 2, "c1 c2 c3 c4 c5 c6"),
    ("2.2 stop 3 faces column d from above", 3, "d1 d2 d3 d4 d5 d6"),
    ("2.2 stop 4 faces column e from above", 4, "e1 e2 e3 e4 e5 e6"),
    ("2.2 stop 6 faces row 2 from the right", 6, "a2 b2 c2 d2 e2 f2"),
    ("2.2 stop 7 faces row 3 from the right", 7, "a3 b3 c3 d3 e3 f3"),
    ("2.2 stop 8 faces row 4 from the right", 8, "a4 b4 c4 d4 e4 f4"),
    ("2.2 stop 9 faces row 5 from the right", 9, "a5 b5 c5 d5 e5 f5"),
    ("2.2 stop 11 faces column e from below", 11, "e1 e2 e3 e4 e5 e6"),
    ("2.2 stop 12 faces column d from below", 12, "d1 d2 d3 d4 d5 d6"),
    ("2.2 stop 13 faces column c from below", 13, "c1 c2 c3 c4 c5 c6"),
    ("2.2 stop 14 faces column b from below", 14, "b1 b2 b3 b4 b5 b6"),
    ("2.2 stop 16 faces row 5 from the left", 16, "a5 b5 c5 d5 e5 f5"),
    ("2.2 stop 17 faces row 4 from the left", 17, "a4 b4 c4 d4 e4 f4"),
    ("2.2 stop 18 faces row 3 from the left", 18, "a3 b3 c3 d3 e3 f3"),
    ("2.2 stop 19 faces row 2 from the left", 19, "a2 b2 c2 d2 e2 f2"),
)
def test_each_stop_faces_its_line(stop: int, expected: str) -> None:
    assert_facts(landed_at(stop), {"asked": "0", "stop 0": str(stop), "takes": expected})


@table(
    "stop",
    ("2.2 4.3 stop 0 is a corner and faces no line", 0),
    ("2.2 4.3 stop 5 is a corner and faces no line", 5),
    ("2.2 4.3 stop 10 is a corner and faces no line", 10),
    ("2.2 4.3 stop 15 is a corner and faces no line", 15),
)
def test_a_corner_faces_no_line(stop: int) -> None:
    assert_facts(landed_at(stop), {"stop 0": str(stop), "cauldron 0": "Sa3", "asked": "1"})


@table("times", ("2.3 each of the eight lines is faced from two stops, and nothing else is", 2))
def test_there_are_eight_lines(times: int) -> None:
    faced = Counter(fact(landed_at(s), "takes") for s in range(20) if s % 5)
    assert list(faced.values()) == [times] * 8


@table(
    "position, moves, expected",
    (
        "2.3 RK-14 column a is no line: its last card ends nothing",
        near_the_end(a2="Wa1") | Position(stops=[16, 0]),
        "take a2",
        {"ending": "none", "asked": "1"},
    ),
    (
        "2.3 RK-14 column f is no line: its last card ends nothing",
        near_the_end(f2="Wa1") | Position(stops=[3, 0]),
        "take f2",
        {"ending": "none", "asked": "1"},
    ),
    (
        "2.3 RK-14 row 1 is no line: its last card ends nothing",
        near_the_end(b1="Wa1") | Position(stops=[18, 10]),
        "take b1",
        {"ending": "none", "asked": "1"},
    ),
    (
        "2.3 RK-14 row 6 is no line: its last card ends nothing",
        near_the_end(b6="Wa1") | Position(stops=[11, 0]),
        "take b6",
        {"ending": "none", "asked": "1"},
    ),
)
def test_edges_are_no_lines(position: Position, moves: str, expected: dict[str, str]) -> None:
    assert_facts(after(position, moves).state, expected)


@table(
    "position, lands",
    ("2.4 a pawn on the way is jumped and not counted", Position(stops=[0, 2]), 4),
    ("2.4 a pawn at the end of the way is jumped", Position(stops=[0, 3]), 4),
    ("2.4 a pawn behind the end of the way does not matter", Position(stops=[0, 4]), 3),
    ("2.4 a pawn behind does not matter", Position(stops=[6, 5]), 9),
    (
        "2.4 two pawns side by side are both jumped",
        Position(seats=3, stops=[0, 1, 2], cauldrons={0: "Sa1"}),
        3,
    ),
    ("2.4 two pawns apart are both jumped", Position(seats=3, stops=[5, 6, 8]), 10),
    (
        "2.4 a pawn that jumps one at the end of the way jumps the next one there too",
        Position(seats=3, stops=[0, 2, 3], cauldrons={0: "Sa2"}),
        4,
    ),
    ("2.4 a pawn that jumps may reach a corner", Position(stops=[1, 3]), 5),
    ("2.4 a pawn is jumped beyond stop 19", Position(stops=[18, 0], cauldrons={0: "Sa2"}), 1),
    ("2.4 RK-13 a pawn at a corner is jumped", Position(stops=[4, 5], cauldrons={0: "Sa1"}), 6),
    ("2.4 RK-13 a pawn at a corner on the way is jumped", Position(stops=[4, 5]), 8),
    ("2.4 RK-13 a corner without a pawn counts", Position(stops=[4, 0]), 7),
    (
        "2.4 4.2 printed: with a pumpkin 4 the black pawn goes 4 steps and jumps the white one",
        Position(seat=1, stops=[13, 11], cauldrons={1: "Ga4"}),
        16,
    ),
)
def test_pawns_jump_each_other(position: Position, lands: int) -> None:
    seat = position.get("seat", 0)
    (moved, *_) = begin_turn(**position | Position(pile=5)).events
    assert isinstance(moved, Moved)
    assert (moved.seat, moved.stop) == (seat, lands)


@table(
    "stops",
    ("2.1 the four corner cells hold no card", ("a1", "f1", "a6", "f6")),
)
def test_corner_cells_are_empty(stops: Sequence[str]) -> None:
    state = begin_turn(pile=5).state
    empty = [name for name, card in zip(CELL_NAMES, state.board, strict=True) if not card]
    assert empty == list(stops)


# 3. Set-up --------------------------------------------------------------------------------------

SEED = seed_from_text("7")
MANY = [seed_from_text(str(number)) for number in range(60)]


def dealt(seats: int, **given: OptionValue) -> Transition[State]:
    """Deal a game of which only the options matter."""
    return GAME.deal(GAME.spec.options(seats, given), SEED)


@table(
    "seats, third_colour, colours",
    ("3.1 two seats play white and black", 2, "L", "WK"),
    ("3.1 with two seats the third colour does not matter", 2, "S", "WK"),
    ("3.1 RK-8 a third seat plays lilac", 3, "L", "WKL"),
    ("3.1 RK-8 a third seat may play brown", 3, "N", "WKN"),
    ("3.1 RK-8 a third seat may play green", 3, "G", "WKG"),
    ("3.1 RK-8 a third seat may play grey", 3, "S", "WKS"),
)
def test_colours_are_public(seats: int, third_colour: str, colours: str) -> None:
    state = dealt(seats, third_colour=third_colour).state
    for viewer in (None, *map(Seat, range(seats))):
        assert GAME.view(state, viewer).colours == colours


@table("colours", ("3.1 a third seat plays lilac if nothing is said", "WKL"))
def test_the_default_third_colour(colours: str) -> None:
    assert dealt(3).state.setup.colours == colours


@table(
    "seats, given, words",
    ("3.1 one seat is too few", 1, {}, "2 or 3"),
    ("3.1 four seats are too many", 4, {}, "2 or 3"),
    ("3.1 RK-8 a third seat cannot play blue", 3, {"third_colour": "B"}, "LNGS"),
    ("3.1 a third seat cannot play white", 3, {"third_colour": "W"}, "LNGS"),
    ("3.1 a third seat has one colour", 3, {"third_colour": "LN"}, "lilac, brown, green or grey"),
    ("3.1 a third seat has some colour", 3, {"third_colour": ""}, "LNGS"),
    ("3.1 the third colour is looked at with two seats too", 2, {"third_colour": "B"}, "LNGS"),
    ("1.3 there is no other table of symbols", 2, {"symbols": "none"}, "neutral2 or all2"),
    ("1.3 a misspelt table of symbols gets a hint", 2, {"symbols": "al2"}, 'mean "all2"'),
)
def test_options_that_the_game_does_not_have(
    seats: int, given: dict[str, OptionValue], words: str
) -> None:
    with pytest.raises(OptionsError, match=words):
        GAME.spec.options(seats, given)


@table(
    "seats, pile",
    ("3.2 3.3 with two seats 22 cards are left in the pile", 2, 22),
    ("3.2 3.3 with three seats 21 cards are left in the pile", 3, 21),
)
def test_the_deal(seats: int, pile: int) -> None:
    options = GAME.spec.options(seats)
    for seed in MANY:
        state = GAME.deal(options, seed).state
        shuffled: Any = GAME.describe_deal(options, seed)["cards"]
        laid = [fact(state, f"cell {cell}") for cell in ALL_CELLS.split()]
        assert laid == shuffled[:32]
        assert len(state.pile) == pile
        started = [CARD_NAMES[card] for (card,) in state.cauldrons]
        assert sorted([*names(state.pile).split(), *started]) == sorted(shuffled[32:])
        assert GAME.describe_deal(options, seed)["start_cards"] == started
        assert not state.out


@table(
    "colours, pile, cauldrons, left, told",
    (
        "3.3 each seat starts with the top card of the pile",
        "WK",
        "Sa1 Ba4 Na1 Ga1",
        ["Sa1", "Ba4"],
        "Na1 Ga1",
        ["0 starts with Sa1", "1 starts with Ba4"],
    ),
    (
        "3.3 white and black cards go under the pile",
        "WK",
        "Wa1 Kb3 Sa1 Wb2 Ba1 Na1",
        ["Sa1", "Ba1"],
        "Na1 Wa1 Kb3 Wb2",
        [
            "0 puts Wa1 under the pile",
            "0 puts Kb3 under the pile",
            "0 starts with Sa1",
            "1 puts Wb2 under the pile",
            "1 starts with Ba1",
        ],
    ),
    (
        "3.3 white puts back white as well as black, and so does black",
        "WK",
        "Wa1 Sa1 Kb3 Ba1",
        ["Sa1", "Ba1"],
        "Wa1 Kb3",
        [
            "0 puts Wa1 under the pile",
            "0 starts with Sa1",
            "1 puts Kb3 under the pile",
            "1 starts with Ba1",
        ],
    ),
    (
        "3.3 RK-1 with two seats lilac is a colour to start with",
        "WK",
        "La1 Lb1 Na1",
        ["La1", "Lb1"],
        "Na1",
        ["0 starts with La1", "1 starts with Lb1"],
    ),
    (
        "3.3 RK-1 with three seats cards of the third colour go under the pile for everybody",
        "WKL",
        "La1 Sa1 Lb1 Ba1 La2 Na1",
        ["Sa1", "Ba1", "Na1"],
        "La1 Lb1 La2",
        [
            "0 puts La1 under the pile",
            "0 starts with Sa1",
            "1 puts Lb1 under the pile",
            "1 starts with Ba1",
            "2 puts La2 under the pile",
            "2 starts with Na1",
        ],
    ),
    (
        "3.3 RK-1 with a green third pawn lilac is a colour to start with",
        "WKG",
        "La1 Gb1 Lb1 Sa1",
        ["La1", "Lb1", "Sa1"],
        "Gb1",
        [
            "0 starts with La1",
            "1 puts Gb1 under the pile",
            "1 starts with Lb1",
            "2 starts with Sa1",
        ],
    ),
    (
        "3.3 RK-16 when no other card is left the first one is kept",
        "WKL",
        "La1 Sa1 Wa1 Kb1 Wb1",
        ["Sa1", "Wa1", "Kb1"],
        "Wb1 La1",
        [
            "0 puts La1 under the pile",
            "0 starts with Sa1",
            "1 starts with Wa1",
            "2 starts with Kb1",
        ],
    ),
    (
        "3.3 a card that was put back can come again, but is put back again",
        "WKL",
        "Wa1 Sa1 Ba1 Kb1 Na1",
        ["Sa1", "Ba1", "Na1"],
        "Wa1 Kb1",
        [
            "0 puts Wa1 under the pile",
            "0 starts with Sa1",
            "1 starts with Ba1",
            "2 puts Kb1 under the pile",
            "2 starts with Na1",
        ],
    ),
    (
        "3.3 1.3 a symbol on a start card does nothing",
        "WK",
        "Sa2 Sb2 Na1",
        ["Sa2", "Sb2"],
        "Na1",
        ["0 starts with Sa2", "1 starts with Sb2"],
    ),
)
def test_start_cards(
    colours: str, pile: str, cauldrons: list[str], left: str, told: list[str]
) -> None:
    events: list[Event] = []
    started, rest = _draw_start_cards(colours, cards(pile), events)
    assert [names(stack) for stack in started] == cauldrons
    assert names(rest) == left
    assert story(events) == told


@table(
    "seats, stops",
    ("3.4 white starts at 0, black at 10, and white begins", 2, [0, 10]),
    ("3.4 RK-15 a third pawn starts at 5, and white begins", 3, [0, 10, 5]),
)
def test_the_first_turn(seats: int, stops: list[int]) -> None:
    for seed in MANY:
        state, events = GAME.deal(GAME.spec.options(seats), seed)
        value = int(fact(state, "cauldron 0")[2])
        assert story(events)[-1] == f"0 moves {value} to {value}"
        assert list(state.stops) == [value, *stops[1:]]
        assert_facts(state, {"asked": "0", "turn": "1", "phase": "take"})


@table("seats", ("3.2 the deck is shuffled anew for each seed", 2))
def test_another_seed_gives_another_deck(seats: int) -> None:
    options = GAME.spec.options(seats)
    first, again, other = (
        GAME.describe_deal(options, seed_from_text(text))["cards"] for text in ("1", "1", "2")
    )
    assert first == again
    assert first != other


@table(
    "seats",
    ("3.5 9.2 two seats know their own two recipes alone", 2),
    ("3.5 9.2 three seats know their own recipe alone", 3),
    ("10.3 recipes are written as on the rules page", 2),
)
def test_recipes_are_dealt(seats: int) -> None:
    options = GAME.spec.options(seats, {"recipes": True})
    state = GAME.deal(options, SEED).state
    described: Any = GAME.describe_deal(options, SEED)["recipes"]
    assert {recipe for own in described for recipe in own} <= set(THIRTEEN.split())
    for viewer in (None, *map(Seat, range(seats))):
        seen = GAME.view(state, viewer).recipes
        assert [own and [RECIPE_NAMES[recipe] for recipe in own] for own in seen] == [
            own if seat == viewer else None for seat, own in enumerate(described)
        ]


@table("expected", ("3.5 without recipes nobody has any", ()))
def test_without_recipes(expected: tuple[object, ...]) -> None:
    assert GAME.describe_deal(GAME.spec.options(2), SEED)["recipes"] is None
    assert GAME.view(dealt(2).state, Seat(0)).recipes == expected


# 4. A turn --------------------------------------------------------------------------------------


def taking(card: str, pile: str = "Wa1 Wa3") -> Position:
    """Return a position in which seat 0 can take a card from d1, and seat 1 has two cards."""
    return Position(board={"d1": card}, pile=pile, cauldrons={1: "Bb3 Na4"})


AT_A_CORNER = Position(stops=[2, 10], pile=5)
"""Seat 0 goes 3 steps and lands at the corner 5."""


@table(
    "position, moves, expected",
    ("4.1 after seat 0 of two comes seat 1", Position(pile=5), "take d1", {"asked": "1"}),
    ("4.1 after seat 1 of two comes seat 0", Position(seat=1, pile=5), "take c1", {"asked": "0"}),
    (
        "4.1 3.1 RK-15 after seat 0 of three comes seat 1",
        Position(seats=3, pile=2),
        "take d1",
        {"asked": "1"},
    ),
    (
        "4.1 3.1 RK-15 after seat 1 of three comes seat 2",
        Position(seats=3, seat=1, pile=2),
        "take c1",
        {"asked": "2"},
    ),
    (
        "4.1 3.1 RK-15 after seat 2 of three comes seat 0",
        Position(seats=3, seat=2, pile=2),
        "take a4",
        {"asked": "0"},
    ),
    ("4.1 each turn has the next number", Position(pile=5), "take d1, take c1", {"turn": "3"}),
    ("4.2 a 1 moves the pawn 1 step", Position(cauldrons={0: "Sa1"}), "", {"stop 0": "1"}),
    ("4.2 a 2 moves it 2 steps", Position(cauldrons={0: "Sb2"}), "", {"stop 0": "2"}),
    ("4.2 a 3 moves it 3 steps", Position(cauldrons={0: "Sa3"}), "", {"stop 0": "3"}),
    ("4.2 a 4 moves it 4 steps", Position(cauldrons={0: "Sa4"}), "", {"stop 0": "4"}),
    ("4.2 only the top card counts", Position(cauldrons={0: "Sa4 Sa1"}), "", {"stop 0": "1"}),
    (
        "4.2 only the own cauldron counts",
        Position(cauldrons={0: "Sa1", 1: "Sa4"}),
        "",
        {"stop 0": "1"},
    ),
    (
        "4.3 a pawn that lands at a corner takes nothing and is asked nothing",
        AT_A_CORNER,
        "",
        {"stop 0": "5", "cauldron 0": "Sa3", "asked": "1", "turn": "2"},
    ),
    (
        "4.3 several pawns in a row may land at corners",
        Position(seats=3, stops=[2, 7, 12], pile=2),
        "",
        {"stop 0": "8", "stop 1": "10", "stop 2": "15", "asked": "0", "turn": "4"},
    ),
    (
        "4.3 11.1 a pawn may go from corner to corner if it jumps another",
        Position(stops=[0, 2], cauldrons={0: "Sa4"}, pile=5),
        "",
        {"stop 0": "5", "asked": "1"},
    ),
    (
        "4.4 every card of the line may be taken",
        Position(pile=5),
        "",
        {"takes": "d1 d2 d3 d4 d5 d6"},
    ),
    (
        "4.4 an empty cell holds no card to take",
        near_the_end(d1="Wa1", d6="Wa3"),
        "",
        {"takes": "d1 d4 d6"},
    ),
    ("4.4 the one card of a line must be taken", near_the_end(), "", {"legal": "take d4"}),
    (
        "4.5 a card goes on top of the cauldron and covers the card below",
        taking("Sa1"),
        "take d1",
        {"cauldron 0": "Sa3 Sa1", "asked": "1"},
    ),
    (
        "4.6 the gap is refilled from the top of the pile",
        taking("Sa1"),
        "take d1",
        {"cell d1": "Wa1", "pile": "Wa3"},
    ),
    (
        "4.6 the last card of the pile refills too",
        taking("Sa1", pile="Wa1"),
        "take d1",
        {"cell d1": "Wa1", "pile": "", "ending": "none"},
    ),
    (
        "4.6 without a pile the cell stays empty",
        taking("Sa1", pile=""),
        "take d1",
        {"cell d1": "", "pile": "", "asked": "1", "ending": "none"},
    ),
)
def test_a_turn(position: Position, moves: str, expected: dict[str, str]) -> None:
    assert_facts(after(position, moves).state, expected)


# 5. Symbols -------------------------------------------------------------------------------------

EXPLOSION = taking("Sa2")
"""Seat 0 can take an explosion from d1; seat 1 has a 3 and a 4 on top of it."""
WAND = taking("Sb2") | Position(board={"d1": "Sb2", "e1": "Ga2", "e2": "Gb2", "e3": "Ga1"})
"""Seat 0 can take a wand from d1; it leads from stop 3 to the corner 5."""
FURTHER = WAND | Position(stops=[1, 10], board={"e1": "Sb2", "a2": "Ga2", "b2": "Gb2", "c2": "Ga1"})
"""Seat 0 can take a wand from e1; it leads from stop 4 to stop 6 and row 2.

There lie an explosion in a2, a wand in b2 and a 1 in c2.
"""
THREE = Position(
    seats=3,
    board={"d1": "Sa2", "c1": "Ba2"},
    pile="Wa1 Wa3",
    cauldrons={0: "Sa1 Sa3", 1: "Bb1 Bb3", 2: "Nb1 Nb3"},
)
"""Seat 0 can take an explosion from d1; everybody has two cards."""
ASKED = {"asked": "0", "legal": "use, skip"}


@table(
    "position, moves, expected",
    (
        "5.1 RK-2 a seat that takes an explosion is asked",
        EXPLOSION,
        "take d1",
        ASKED | {"phase": "explosion", "cauldron 0": "Sa3 Sa2", "cell d1": "", "pile": "Wa1 Wa3"},
    ),
    (
        "5.1 RK-2 a seat that takes a wand is asked",
        WAND,
        "take d1",
        ASKED | {"phase": "wand", "cauldron 0": "Sa3 Sb2", "cell d1": "", "pile": "Wa1 Wa3"},
    ),
    (
        "5.1 an explosion that is skipped is lost",
        EXPLOSION,
        "take d1, skip",
        {"asked": "1", "cauldron 1": "Bb3 Na4", "cell d1": "Wa1", "pile": "Wa3", "turn": "2"},
    ),
    (
        "5.1 a wand that is skipped is lost",
        WAND,
        "take d1, skip",
        {"asked": "1", "stop 0": "3", "cell d1": "Wa1", "pile": "Wa3", "turn": "2"},
    ),
    (
        "5.1 RK-2 an explosion that can hit nobody asks nothing",
        EXPLOSION | Position(cauldrons={1: "Bb3"}),
        "take d1",
        {"asked": "1", "cell d1": "Wa1", "cauldron 0": "Sa3 Sa2"},
    ),
    (
        "5.1 RK-2 the own cards do not matter to an explosion",
        EXPLOSION | Position(cauldrons={0: "Sa1 Sb1 Sa3", 1: "Bb3"}),
        "take d1",
        {"asked": "1", "cauldron 0": "Sa1 Sb1 Sa3 Sa2"},
    ),
    (
        "5.1 RK-2 an explosion that can hit one of two asks",
        THREE | Position(cauldrons={0: "Sa3", 1: "Bb3", 2: "Nb1 Nb3"}),
        "take d1",
        ASKED | {"phase": "explosion"},
    ),
    (
        "5.1 a card without a symbol asks nothing",
        taking("Sa1"),
        "take d1",
        {"asked": "1", "phase": "take"},
    ),
    (
        "5.1 a symbol acts when its card is taken, not later",
        EXPLOSION | Position(cauldrons={0: "Sa2", 1: "Bb3 Na4"}, board={"c1": "Sa1"}),
        "take c1",
        {"asked": "1", "cauldron 0": "Sa2 Sa1"},
    ),
    (
        "1.3 by default white and black have no symbols",
        taking("Wa2") | Position(pile="Wa1 Wa3"),
        "take d1",
        {"asked": "1"},
    ),
    (
        "1.3 with all2 a white 2 can explode",
        taking("Wa2") | Position(symbols="all2"),
        "take d1",
        ASKED | {"phase": "explosion"},
    ),
    (
        "1.3 with all2 a black 2 can have a wand",
        taking("Kb2") | Position(symbols="all2"),
        "take d1",
        ASKED | {"phase": "wand"},
    ),
    (
        "5.2 5.3 an explosion costs the other seat its top card",
        EXPLOSION,
        "take d1, use",
        {"cauldron 0": "Sa3 Sa2", "cauldron 1": "Bb3", "asked": "1", "stop 1": "13"},
    ),
    (
        "5.2 RK-11 1.5 the only card is protected, also if it is not the start card",
        THREE | Position(cauldrons={0: "Sa3", 1: "Bb1", 2: "Nb1 Nb3"}),
        "take d1, use",
        {"cauldron 1": "Bb1", "cauldron 2": "Nb1", "pile": "Wa3 Nb3"},
    ),
    (
        "5.2 RK-7 with three seats an explosion hits all",
        THREE,
        "take d1, use",
        {"cauldron 0": "Sa1 Sa3 Sa2", "cauldron 1": "Bb1", "cauldron 2": "Nb1"},
    ),
    (
        "5.2 RK-7 with three seats a skipped explosion hits none",
        THREE,
        "take d1, skip",
        {"cauldron 1": "Bb1 Bb3", "cauldron 2": "Nb1 Nb3"},
    ),
    (
        "5.2 5.3 RK-7 cards are lost clockwise, each below the one before",
        THREE | Position(seat=1),
        "take c1, use",
        {"pile": "Wa3 Nb3 Sa3", "cauldron 1": "Bb1 Bb3 Ba2", "cell c1": "Wa1"},
    ),
    (
        "5.3 lost cards go under the pile",
        EXPLOSION,
        "take d1, use",
        {"cell d1": "Wa1", "pile": "Wa3 Na4", "out": ""},
    ),
    (
        "5.3 RK-4 with one card in the pile that card fills the gap and the lost one is the pile",
        taking("Sa2", pile="Wa1"),
        "take d1, use",
        {"cell d1": "Wa1", "pile": "Na4", "out": ""},
    ),
    (
        "5.3 RK-4 without a pile lost cards leave the game and the gap stays",
        taking("Sa2", pile=""),
        "take d1, use",
        {"cell d1": "", "pile": "", "out": "Na4", "cauldron 1": "Bb3", "asked": "1"},
    ),
    (
        "5.3 without a pile an explosion that is skipped costs nothing",
        taking("Sa2", pile=""),
        "take d1, skip",
        {"cell d1": "", "pile": "", "out": "", "cauldron 1": "Bb3 Na4"},
    ),
    (
        "5.4 at a corner a wand leads to nothing",
        WAND,
        "take d1, use",
        {"stop 0": "5", "asked": "1", "cauldron 0": "Sa3 Sb2", "cell d1": "Wa1", "turn": "2"},
    ),
    (
        "5.4 RK-5 at a line a wand lets a card be taken, and the gap is refilled before",
        FURTHER,
        "take e1, use",
        {
            "asked": "0",
            "phase": "take_again",
            "stop 0": "6",
            "takes": "a2 b2 c2 d2 e2 f2",
            "cell e1": "Wa1",
            "pile": "Wa3",
            "turn": "1",
        },
    ),
    (
        "5.4 4.5 4.6 the second card goes on top and its gap is refilled",
        FURTHER,
        "take e1, use, take c2",
        {"asked": "1", "cauldron 0": "Sa3 Sb2 Ga1", "cell c2": "Wa3", "pile": "", "turn": "2"},
    ),
    (
        "5.4 RK-5 the card that fills the gap can be taken in the extra move",
        FURTHER | Position(board={"e2": "Sb2"}),
        "take e2, use, take e2",
        {"asked": "1", "cauldron 0": "Sa3 Sb2 Wa1", "cell e2": "Wa3"},
    ),
    (
        "5.4 2.4 the extra move jumps pawns too",
        FURTHER | Position(stops=[1, 5]),
        "take e1, use",
        {"stop 0": "7", "asked": "0", "phase": "take_again"},
    ),
    (
        "5.4 without a pile a wand leaves the gap",
        FURTHER | Position(pile=""),
        "take e1, use",
        {"stop 0": "6", "cell e1": "", "pile": "", "phase": "take_again"},
    ),
    (
        "5.5 a second wand in the turn does nothing and asks nothing",
        FURTHER,
        "take e1, use, take b2",
        {"asked": "1", "cauldron 0": "Sa3 Sb2 Gb2", "cell b2": "Wa3", "stop 0": "6"},
    ),
    (
        "5.5 an explosion in the extra move asks",
        FURTHER,
        "take e1, use, take a2",
        ASKED | {"phase": "explosion", "turn": "1"},
    ),
    (
        "5.5 an explosion in the extra move works",
        FURTHER,
        "take e1, use, take a2, use",
        {"asked": "1", "cauldron 1": "Bb3", "pile": "Na4", "cell a2": "Wa3", "turn": "2"},
    ),
    (
        "5.5 RK-6 a wand works again in the next turn",
        FURTHER | Position(board=dict(FURTHER["board"]) | {"a4": "Nb2"}, pile="Wa1 Wa3 Wa4 Wb1"),
        "take e1, use, take b2, take b1, take a4",
        {"asked": "0", "phase": "wand", "legal": "use, skip", "turn": "3", "stop 0": "8"},
    ),
    (
        "5.5 RK-6 a wand after a skipped one works in the next turn too",
        FURTHER | Position(board={"e1": "Sb2", "a2": "Nb2"}),
        "take e1, skip, take b1, take a2",
        {"asked": "0", "phase": "wand", "turn": "3"},
    ),
)
def test_symbols(position: Position, moves: str, expected: dict[str, str]) -> None:
    assert_facts(after(position, moves).state, expected)


# 6. End of the game -----------------------------------------------------------------------------

ASKED_TO_KEEP = {
    "asked": "0",
    "phase": "keep",
    "legal": "keep, discard",
    "ending": "line_emptied",
    "ender": "0",
    "scores": "none",
}


@table(
    "position, moves, expected",
    (
        "6.1 RK-17 the last card of the line faced ends the game",
        near_the_end(f4="Wa1"),
        "take d4",
        ASKED_TO_KEEP,
    ),
    (
        "6.1 RK-17 the last card of the crossing line ends the game",
        near_the_end(d1="Wa1"),
        "take d4",
        ASKED_TO_KEEP,
    ),
    (
        "6.1 RK-17 the last card of both lines ends the game",
        near_the_end(),
        "take d4",
        ASKED_TO_KEEP,
    ),
    (
        "6.1 a last card in row 1 ends the game by its column",
        near_the_end(d4="", d1="Wa1", f4="Wa3"),
        "take d1",
        ASKED_TO_KEEP,
    ),
    (
        "6.1 a card that leaves others in both its lines ends nothing",
        near_the_end(d1="Wa1", f4="Wa3"),
        "take d4",
        {"ending": "none", "asked": "1", "cauldron 0": "Sa3 Ka3", "cell d4": ""},
    ),
    (
        "6.1 while there is a pile nothing ends the game",
        Position(pile="Wa1"),
        "take d1",
        {"ending": "none", "asked": "1", "pile": ""},
    ),
    (
        "6.1 5.4 the last card of a line may be taken in an extra move",
        near_the_end(d1="Sb2") | Position(stops=[9, 0]),
        "take d1, use, take b2",
        ASKED_TO_KEEP | {"stop 0": "14", "cauldron 0": "Sa3 Sb2"},
    ),
    (
        "6.2 the seat that took the last card is the ender",
        near_the_end() | Position(seat=1),
        "take c3, keep",
        {"ending": "line_emptied", "ender": "1", "asked": "nobody"},
    ),
    (
        "6.3 a kept card goes on top of the cauldron",
        near_the_end(),
        "take d4, keep",
        {"cauldron 0": "Sa3 Ka3", "out": "", "asked": "nobody", "phase": "over"},
    ),
    (
        "6.3 a discarded card leaves the game",
        near_the_end(),
        "take d4, discard",
        {"cauldron 0": "Sa3", "out": "Ka3", "asked": "nobody", "phase": "over"},
    ),
    (
        "6.3 an explosion as last card does nothing when kept",
        near_the_end(d4="Sa2") | Position(cauldrons={1: "Bb3 Na4"}),
        "take d4, keep",
        {"asked": "nobody", "cauldron 0": "Sa3 Sa2", "cauldron 1": "Bb3 Na4", "out": ""},
    ),
    (
        "6.3 an explosion as last card does nothing when discarded",
        near_the_end(d4="Sa2") | Position(cauldrons={1: "Bb3 Na4"}),
        "take d4, discard",
        {"asked": "nobody", "cauldron 1": "Bb3 Na4", "out": "Sa2"},
    ),
    (
        "6.3 a wand as last card does nothing",
        near_the_end(d4="Sb2"),
        "take d4, keep",
        {"asked": "nobody", "stop 0": "3", "cauldron 0": "Sa3 Sb2"},
    ),
    (
        "6.4 RK-3 after turn 199 the game goes on",
        Position(turn=199, pile=5),
        "take d1",
        {"asked": "1", "turn": "200", "ending": "none"},
    ),
    (
        "6.4 RK-3 after turn 200 the game is over without an ender",
        Position(turn=200, pile=5),
        "take d1",
        {"asked": "nobody", "turn": "200", "ending": "turn_cap", "ender": "None"},
    ),
    (
        "6.4 RK-3 turn 200 may be a turn at a corner",
        AT_A_CORNER | Position(turn=200),
        "",
        {"asked": "nobody", "turn": "200", "ending": "turn_cap", "ender": "None", "stop 0": "5"},
    ),
    (
        "6.4 RK-3 an explosion of turn 200 still works",
        EXPLOSION | Position(turn=200),
        "take d1, use",
        {"asked": "nobody", "ending": "turn_cap", "cauldron 1": "Bb3", "cell d1": "Wa1"},
    ),
    (
        "6.4 RK-3 an extra move belongs to turn 200",
        FURTHER | Position(turn=200),
        "take e1, use",
        {"asked": "0", "phase": "take_again", "turn": "200", "ending": "none"},
    ),
    (
        "6.4 RK-3 after the extra move of turn 200 the game is over",
        FURTHER | Position(turn=200),
        "take e1, use, take c2",
        {"asked": "nobody", "turn": "200", "ending": "turn_cap", "cauldron 0": "Sa3 Sb2 Ga1"},
    ),
    (
        "6.4 RK-3 the last card of a line in turn 200 ends the game as in any turn",
        near_the_end() | Position(turn=200),
        "take d4, keep",
        {"asked": "nobody", "turn": "200", "ending": "line_emptied", "ender": "0"},
    ),
)
def test_the_end_of_the_game(position: Position, moves: str, expected: dict[str, str]) -> None:
    assert_facts(after(position, moves).state, expected)


def endless() -> Position:
    """Return the position of 11.4: seat 0 to move, and four explosions that never get lost."""
    return Position(
        stops=[16, 19],
        board={"b2": "Sa2", "e5": "Ba2"},
        pile="Na2",
        cauldrons={0: "Wa4", 1: "Ka4 Ga2"},
    )


@table("turns", ("6.4 11.4 RK-3 the endless loop of explosions ends after 200 turns", 200))
def test_the_endless_loop_ends(turns: int) -> None:
    state = begin_turn(**endless()).state
    naive = NaiveKupferkessel.from_position(
        board={CELL_NAMES[i]: CARD_NAMES[card] for i, card in enumerate(state.board) if card},
        pile=["Na2"],
        cauldrons=[["Wa4"], ["Ka4", "Ga2"]],
        stops=[16, 19],
    )
    for turn in range(1, turns + 1):
        assert (state.turn, len(state.pile)) == (turn, 1)
        (take,) = {"take b2", "take e5"}.intersection(legal(state))
        for move in (take, "use"):
            assert move in legal(state)
            assert everything(state) == shared_part(naive)
            naive.play({int(state.seat): move})
            state = play(state, move).state
    assert_facts(state, {"asked": "nobody", "ending": "turn_cap", "ender": "None", "turn": "200"})
    assert everything(state) == shared_part(naive)
    # White has the single white 4, doubled; black the single black 4 and the last explosion, a 2.
    assert_facts(state, {"cauldron 0": "Wa4", "scores": "-8 -10"})
    assert naive.scores == [-8, -10]


OPEN_OR_NOT = near_the_end() | Position(
    cauldrons={0: "Sa3", 1: "Bb1 Bb3"}, recipes=["plants both:S", "one:W ended_game"]
)


@table(
    "position, moves, cauldrons",
    ("6.5 before the end no cauldron is open", OPEN_OR_NOT, "", None),
    ("6.5 while the ender is asked no cauldron is open", OPEN_OR_NOT, "take d4", None),
    ("6.5 at the end all are open", OPEN_OR_NOT, "take d4, discard", ["Sa3", "Bb1 Bb3"]),
    ("6.5 with the last card in them", OPEN_OR_NOT, "take d4, keep", ["Sa3 Ka3", "Bb1 Bb3"]),
    (
        "6.5 6.4 after the last turn all are open",
        OPEN_OR_NOT | Position(turn=200, board=sparse(d1="Wa1", f4="Wa3")),
        "take d1",
        ["Sa3 Wa1", "Bb1 Bb3"],
    ),
)
def test_cauldrons_and_recipes_open_at_the_end(
    position: Position, moves: str, cauldrons: list[str] | None
) -> None:
    state = after(position, moves).state
    for viewer in (None, Seat(0), Seat(1)):
        view = GAME.view(state, viewer)
        assert [names(cauldron) for cauldron in view.cauldrons] == (cauldrons or [])
        hidden = [seat for seat in (0, 1) if view.recipes[seat] is None]
        assert hidden == ([] if cauldrons else [seat for seat in (0, 1) if seat != viewer])


@table(
    "position, moves, told",
    (
        "4.1 the pawn moves, a card is taken, the gap is refilled, the next seat follows",
        taking("Sa1"),
        "take d1",
        ["0 moves 3 to 3", "0 takes Sa1 from d1", "Wa1 fills d1", "1 moves 4 to 14"],
    ),
    (
        "4.6 without a pile nothing fills the gap",
        taking("Sa1", pile=""),
        "take d1",
        ["0 moves 3 to 3", "0 takes Sa1 from d1", "1 moves 4 to 14"],
    ),
    (
        "4.3 a turn at a corner is told, and the next seat follows",
        AT_A_CORNER,
        "",
        ["0 moves 3 to 5", "0 passes", "1 moves 3 to 13"],
    ),
    (
        "5.2 5.3 RK-4 RK-7 losses are told clockwise, then the refill",
        THREE,
        "take d1, use",
        [
            "0 moves 3 to 3",
            "0 takes Sa2 from d1",
            "0 uses Sa2",
            "1 loses Bb3 under the pile",
            "2 loses Nb3 under the pile",
            "Wa1 fills d1",
            "1 moves 1 to 11",
        ],
    ),
    (
        "5.3 without a pile losses are told as out of the game",
        taking("Sa2", pile=""),
        "take d1, use",
        [
            "0 moves 3 to 3",
            "0 takes Sa2 from d1",
            "0 uses Sa2",
            "1 loses Na4 out of the game",
            "1 moves 3 to 13",
        ],
    ),
    (
        "5.1 of a symbol that is skipped nothing is told",
        EXPLOSION,
        "take d1, skip",
        ["0 moves 3 to 3", "0 takes Sa2 from d1", "Wa1 fills d1", "1 moves 4 to 14"],
    ),
    (
        "5.4 RK-5 a wand is told, then the refill, then the move",
        FURTHER,
        "take e1, use, take c2",
        [
            "0 moves 3 to 4",
            "0 takes Sb2 from e1",
            "0 uses Sb2",
            "Wa1 fills e1",
            "0 moves 2 to 6",
            "0 takes Ga1 from c2",
            "Wa3 fills c2",
            "1 moves 4 to 14",
        ],
    ),
    (
        "5.4 a wand that leads to a corner is told as a turn that ends there",
        WAND,
        "take d1, use",
        [
            "0 moves 3 to 3",
            "0 takes Sb2 from d1",
            "0 uses Sb2",
            "Wa1 fills d1",
            "0 moves 2 to 5",
            "0 passes",
            "1 moves 4 to 14",
        ],
    ),
    (
        "6.3 6.5 a kept last card is told, and cauldrons open",
        near_the_end(),
        "take d4, keep",
        [
            "0 moves 3 to 3",
            "0 takes Ka3 from d4",
            "line_emptied, ended by 0",
            "0 keeps Ka3",
            "cauldrons open",
        ],
    ),
    (
        "6.3 6.5 a discarded last card is told, and recipes open after cauldrons",
        OPEN_OR_NOT,
        "take d4, discard",
        [
            "0 moves 3 to 3",
            "0 takes Ka3 from d4",
            "line_emptied, ended by 0",
            "0 discards Ka3",
            "cauldrons open",
            "recipes open",
        ],
    ),
    (
        "6.4 RK-3 the end of turn 200 is told",
        taking("Sa1") | Position(turn=200),
        "take d1",
        [
            "0 moves 3 to 3",
            "0 takes Sa1 from d1",
            "Wa1 fills d1",
            "turn_cap, ended by None",
            "cauldrons open",
        ],
    ),
)
def test_what_is_told(position: Position, moves: str, told: list[str]) -> None:
    assert story(after(position, moves).events) == told


# 9. What a seat may know ------------------------------------------------------------------------

PUBLIC = Position(
    seats=3,
    seat=1,
    turn=17,
    stops=[4, 0, 17],
    pile="Wa1 Wa3 Wa4",
    board={"d1": "Sa2", "f5": "Lb4"},
    cauldrons={0: "Ga1 Ga2 Ga3", 1: "Bb1 Bb3", 2: "Nb4"},
    out="Na1 Na2",
    recipes=["fewer_cards", "ended_game", "fewer_fours"],
    third_colour="G",
)


@table(
    "look, expected",
    ("9.1 the size of the pile is public", lambda view: view.pile_size, 3),
    ("9.1 the stops of all pawns are public", lambda view: view.stops, (4, 3, 17)),
    (
        "9.1 the top of every cauldron is public",
        lambda view: [CARD_NAMES[card] for card in view.tops],
        ["Ga3", "Bb3", "Nb4"],
    ),
    ("9.1 RK-18 the height of every cauldron is public", lambda view: view.heights, (3, 2, 1)),
    ("9.1 cards that left the game are public", lambda view: names(view.out), "Na1 Na2"),
    ("9.1 the number of the turn is public", lambda view: view.turn, 17),
    ("9.1 which cards carry symbols is public", lambda view: view.symbols, "neutral2"),
    (
        "9.1 every card on the board is public",
        lambda view: [CARD_NAMES[view.board[CELLS_BY_NAME[cell]]] for cell in ("d1", "f5", "a1")],
        ["Sa2", "Lb4", ""],
    ),
    ("9.3 covered cards are hidden, one's own included", lambda view: view.cauldrons, ()),
)
def test_everybody_may_know(look: Callable[[View], object], expected: object) -> None:
    state = begin_turn(**PUBLIC).state
    for viewer in (None, *map(Seat, range(3))):
        assert look(GAME.view(state, viewer)) == expected


@table(
    "moves",
    ("9.1 takes, losses and refills are told to everybody", "take d1, use"),
    ("9.1 takes that cover the cauldron are told to everybody", "take d2"),
)
def test_everybody_sees_every_event(moves: str) -> None:
    events = after(PUBLIC, moves).events
    assert len(events) >= 3
    assert all(event.visible_to(v) for event in events for v in (None, *map(Seat, range(3))))


@table(
    "seats",
    ("9.1 start cards are drawn openly with two seats", 2),
    ("9.1 start cards are drawn openly with three seats", 3),
)
def test_everybody_sees_the_start(seats: int) -> None:
    events = GAME.deal(GAME.spec.options(seats), SEED).events
    assert all(event.visible_to(v) for event in events for v in (None, *map(Seat, range(seats))))


@table(
    "change, blind",
    ("9.3 nobody can see the order of the pile", Position(pile="Wa4 Wa1 Wa3"), (None, 0, 1, 2)),
    (
        "9.3 9.4 nobody can see covered cards, not even in the own cauldron",
        Position(cauldrons={0: "La1 La4 Ga3", 1: "Kb4 Bb3", 2: "Nb4"}),
        (None, 0, 1, 2),
    ),
    (
        "9.4 views hold tops and heights only: the order below does not show",
        Position(cauldrons={0: "Ga2 Ga1 Ga3", 1: "Bb1 Bb3", 2: "Nb4"}),
        (None, 0, 1, 2),
    ),
    (
        "9.2 nobody else can see a recipe",
        Position(recipes=["fewer_cards", "fewer_wands", "fewer_fours"]),
        (None, 0, 2),
    ),
)
def test_nobody_may_know(change: Position, blind: tuple[int | None, ...]) -> None:
    usual, other = (begin_turn(**(PUBLIC | more)).state for more in (Position(), change))
    # The cards that fill the board differ with those that are named; let both have the same.
    other = other._replace(board=usual.board)
    assert usual != other
    for viewer in (None, 0, 1, 2):
        seat = None if viewer is None else Seat(viewer)
        assert (GAME.view(usual, seat) == GAME.view(other, seat)) == (viewer in blind)


# 10. Decisions and notation ---------------------------------------------------------------------


@table(
    "position, moves, seat, expected",
    (
        "10.1 at a line: takes in the order of the cells",
        Position(stops=[5, 0], pile=5),
        "",
        0,
        "take a4, take b4, take c4, take d4, take e4, take f4",
    ),
    ("10.1 with an explosion: use, skip", EXPLOSION, "take d1", 0, "use, skip"),
    ("10.1 with a wand: use, skip", WAND, "take d1", 0, "use, skip"),
    (
        "10.1 after a wand: takes in the order of the cells",
        FURTHER,
        "take e1, use",
        0,
        "take a2, take b2, take c2, take d2, take e2, take f2",
    ),
    ("10.1 with the last card: keep, discard", near_the_end(), "take d4", 0, "keep, discard"),
    ("10.1 a seat that is not asked has no moves", Position(pile=5), "", 1, ""),
    ("10.1 5.1 a seat that is not asked about a symbol has no moves", WAND, "take d1", 1, ""),
    ("10.1 when the game is over nobody has moves", near_the_end(), "take d4, keep", 0, ""),
)
def test_legal_moves_are_listed_in_order(
    position: Position, moves: str, seat: int, expected: str
) -> None:
    assert ", ".join(legal(after(position, moves).state, seat)) == expected


@table(
    "position, moves, expected",
    ("10.2 RK-19 the default take is the first cell", Position(pile=5), "", "take d1"),
    (
        "10.2 RK-19 the default take is the first cell that holds a card",
        near_the_end(d6="Wa1"),
        "",
        "take d4",
    ),
    (
        "10.2 RK-19 the default take after a wand is the first cell",
        FURTHER,
        "take e1, use",
        "take a2",
    ),
    ("10.2 RK-19 the default for an explosion is skip", EXPLOSION, "take d1", "skip"),
    ("10.2 RK-19 the default for a wand is skip", WAND, "take d1", "skip"),
    ("10.2 RK-19 the default for the last card is keep", near_the_end(), "take d4", "keep"),
)
def test_default_moves(position: Position, moves: str, expected: str) -> None:
    state = after(position, moves).state
    assert GAME.format_move(GAME.default_move(state, state.seat)) == expected


@table(
    "position, moves, kind",
    ("10.1 a decision to take", Position(pile=5), "", "take"),
    ("10.1 a decision to take again", FURTHER, "take e1, use", "take again after a wand"),
    ("10.1 a decision about an explosion", EXPLOSION, "take d1", "explosion"),
    ("10.1 a decision about a wand", WAND, "take d1", "wand"),
    ("10.1 a decision about the last card", near_the_end(), "take d4", "keep"),
)
def test_decisions_have_kinds(position: Position, moves: str, kind: str) -> None:
    state = after(position, moves).state
    offered = GAME.legal_moves(state, state.seat)
    assert GAME.decision_kind(GAME.view(state, state.seat), offered) == kind
    assert kind in GAME.spec.decision_kinds


@table(
    "text",
    ("10.1 a take is written with its cell", "take c2"),
    ("10.1 to use a symbol is written as use", "use"),
    ("10.1 to skip it is written as skip", "skip"),
    ("10.1 keep is written as keep", "keep"),
    ("10.1 discard is written as discard", "discard"),
)
def test_moves_are_written(text: str) -> None:
    assert GAME.format_move(GAME.parse_move(text)) == text


@table(
    "text, words",
    ("10.1 there is no cell z9", "take z9", "cells are a1 to f6"),
    ("10.1 a take needs a cell", "take", "A move is one of: take CELL"),
    ("10.1 a take has one cell", "take c2 d3", "A move is one of: take CELL"),
    ("10.1 an unknown word is no move", "fly", "A move is one of: take CELL"),
    ("10.1 a word too many is no move", "keep it", "A move is one of: take CELL"),
    ("10.1 a misspelt word gets a hint", "skipp", 'Did you mean "skip"'),
    ("10.1 a misspelt take gets a hint", "takes c2", 'Did you mean "take c2"'),
    ("10.1 nothing is no move", "", "cannot read an empty move"),
)
def test_text_that_is_no_move(text: str, words: str) -> None:
    with pytest.raises(NotationError) as caught:
        GAME.parse_move(text)
    assert words in str(caught.value)


# Violations -------------------------------------------------------------------------------------

AT_COLUMN_D = Position(pile=5)


@table(
    "position, moves, seat, move, rule, right",
    ("10.1 4.1 it is not the turn of seat 1", AT_COLUMN_D, "", 1, "take d1", "10.1", "seat 0 must"),
    ("10.1 5.1 seat 1 is not asked", EXPLOSION, "take d1", 1, "skip", "10.1", "seat 0 must decide"),
    (
        "10.1 6.2 only the ender is asked",
        near_the_end(),
        "take d4",
        1,
        "keep",
        "10.1",
        "seat 0 must",
    ),
    ("4.4 nothing to use at a line", AT_COLUMN_D, "", 0, "use", "4.4", "column d"),
    ("4.4 taking cannot be skipped", AT_COLUMN_D, "", 0, "skip", "4.4", "column d"),
    ("4.4 nothing to keep at a line", AT_COLUMN_D, "", 0, "keep", "4.4", "column d"),
    ("4.4 taking cannot be declined", AT_COLUMN_D, "", 0, "discard", "4.4", "column d"),
    ("4.4 a corner cell holds no card", AT_COLUMN_D, "", 0, "take a1", "4.4", "is a corner"),
    ("4.4 an empty cell holds no card", near_the_end(), "", 0, "take d1", "4.4", "d1 is empty"),
    ("4.4 another line is out of reach", AT_COLUMN_D, "", 0, "take b1", "4.4", "column d"),
    ("4.4 an empty cell elsewhere", near_the_end(), "", 0, "take b1", "4.4", "column d"),
    ("4.4 5.4 another line after a wand", FURTHER, "take e1, use", 0, "take e1", "4.4", "row 2"),
    ("4.4 5.4 no skip after a wand was used", FURTHER, "take e1, use", 0, "skip", "4.4", "row 2"),
    (
        "5.1 no take with an explosion",
        EXPLOSION,
        "take d1",
        0,
        "take d2",
        "5.1",
        "use or skip the expl",
    ),
    ("5.1 nothing to keep with a wand", WAND, "take d1", 0, "keep", "5.1", "use or skip the wand"),
    (
        "6.3 no second take at the end",
        near_the_end(),
        "take d4",
        0,
        "take b2",
        "6.3",
        "keep or disc",
    ),
    (
        "6.3 nothing to use at the end",
        near_the_end(),
        "take d4",
        0,
        "use",
        "6.3",
        "keep or discard",
    ),
    ("6.1 no move after the end", near_the_end(), "take d4, keep", 0, "take b2", "6.1", "is over"),
    (
        "6.4 no move after turn 200",
        AT_COLUMN_D | Position(turn=200),
        "take d1",
        1,
        "take c1",
        "6.1",
        "over",
    ),
)
def test_a_violation_cites_its_paragraph_and_names_what_is_right(
    position: Position, moves: str, seat: int, move: str, rule: str, right: str
) -> None:
    state = after(position, moves).state
    assert rule_broken(state, move, seat) == f"kupferkessel#{rule}"
    violation = GAME.check(state, Seat(seat), GAME.parse_move(move))
    assert violation is not None
    assert right in violation.message
    assert violation.message.endswith(".")
    assert move not in legal(state, seat)
    with pytest.raises(IllegalMoveError):
        GAME.apply(state, {Seat(seat): GAME.parse_move(move)})


@table(
    "position, moves, move",
    ("4.4 what check says, apply raises at a line", AT_COLUMN_D, "", "take b1"),
    ("4.4 what check says, apply raises after a wand", FURTHER, "take e1, use", "take e1"),
    ("5.1 what check says, apply raises of a symbol", EXPLOSION, "take d1", "keep"),
    ("6.3 what check says, apply raises at the end", near_the_end(), "take d4", "skip"),
)
def test_an_illegal_move_is_refused(position: Position, moves: str, move: str) -> None:
    state = after(position, moves).state
    (seat,) = GAME.to_act(state)
    with pytest.raises(IllegalMoveError) as raised:
        GAME.apply(state, {seat: GAME.parse_move(move)})
    assert raised.value.violation == GAME.check(state, seat, GAME.parse_move(move))
    assert raised.value.violation.rule in str(raised.value)


@table(
    "position, moves, given, who",
    ("10.1 the seat that is asked must decide", AT_COLUMN_D, "", {}, "nobody"),
    ("10.1 nobody else can decide", AT_COLUMN_D, "", {1: "take d1"}, "seat 1"),
    (
        "10.1 nobody can decide with it",
        AT_COLUMN_D,
        "",
        {0: "take d1", 1: "keep"},
        "seat 0 and seat 1",
    ),
    ("10.1 the ender must decide", near_the_end(), "take d4", {}, "nobody"),
)
def test_exactly_the_seat_that_is_asked_decides(
    position: Position, moves: str, given: dict[int, str], who: str
) -> None:
    state = after(position, moves).state
    with pytest.raises(IllegalMoveError, match=f"seat 0 must decide, but {who} did") as raised:
        GAME.apply(state, {Seat(seat): GAME.parse_move(move) for seat, move in given.items()})
    assert raised.value.violation.rule == "kupferkessel#10.1"


@table(
    "given",
    ("6.1 after the end no move is waited for", {}),
    ("6.1 after the end no move is accepted", {0: "keep"}),
)
def test_after_the_end_nothing_can_be_played(given: dict[int, str]) -> None:
    state = after(near_the_end(), "take d4, keep").state
    with pytest.raises(IllegalMoveError, match="game is over") as raised:
        GAME.apply(state, {Seat(seat): GAME.parse_move(move) for seat, move in given.items()})
    assert raised.value.violation.rule == "kupferkessel#6.1"


@table(
    "position, moves",
    ("10.1 legal at a line means allowed by check", near_the_end(d1="Wa1"), ""),
    ("10.1 legal after a wand means allowed by check", FURTHER, "take e1, use"),
    ("10.1 legal with a symbol means allowed by check", EXPLOSION, "take d1"),
    ("10.1 legal with the last card means allowed by check", near_the_end(), "take d4"),
)
def test_exactly_the_legal_moves_break_no_rule(position: Position, moves: str) -> None:
    state = after(position, moves).state
    (seat,) = GAME.to_act(state)
    every_move = [*(f"take {cell}" for cell in CELL_NAMES), "use", "skip", "keep", "discard"]
    allowed = [move for move in every_move if rule_broken(state, move, seat) is None]
    assert allowed == legal(state, seat)
