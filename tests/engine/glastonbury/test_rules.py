"""The rules page as cases: sections 2 to 8, 11 and 12, paragraph by paragraph.

Each case is named by its paragraph, its ruling if there is one, and what is promised. Expected
values are worked out from docs/rules/glastonbury.md by hand. Sections 9 and 10 are in
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
from engine.glastonbury.cards import CARD_NAMES, INGREDIENT_NAMES
from engine.glastonbury.state import (
    CauldronsOpened,
    Discarded,
    Ended,
    ImmutoAssigned,
    Kept,
    Looked,
    Lost,
    Moved,
    Passed,
    RecipesOpened,
    Refilled,
    State,
    Took,
    UsedDeclinatio,
    View,
)
from engine.shuffle import seed_from_text
from tests.engine.glastonbury.positions import GAME, begin_turn, legal, names, play, rule_broken

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

    Where a case says nothing, all pawns start at stop 0 and cauldrons are empty: then the first
    pawn goes 2 steps and faces column c.
    """

    seats: int
    seat: int
    stops: Sequence[int]
    board: Mapping[str, str]
    fill: bool
    pile: str | int
    cauldrons: Mapping[int, str]
    spells: Mapping[int, str]
    accio: Mapping[int, int]
    declinatio: Mapping[int, int]
    out: str
    recipes: Sequence[str]
    colours: str
    dead_end_counts_as_end: bool


def sparse(**changes: str) -> dict[str, str]:
    """Return a board with one card in each of the eight lines, and the changes."""
    return {"b2": "Pa1", "c3": "Pa2", "d4": "Pa3", "e5": "Pa4"} | changes


def near_the_end(**changes: str) -> Position:
    """Return a position of two seats with the pile empty and the sparse board with the changes."""
    return Position(seats=2, board=sparse(**changes), fill=False)


def after(position: Position, moves: str = "") -> Transition[State]:
    """Begin a turn and play moves, separated by commas; return all events since."""
    begun = begin_turn(**position)
    played = play(begun.state, *(moves.split(", ") if moves else []))
    return Transition(played.state, [*begun.events, *played.events])


def _assigned(state: State, seat: str) -> str:
    assert state.end is not None
    return " ".join(INGREDIENT_NAMES[i] for i in state.end.assignments[int(seat)])


def _scores(state: State, _: str) -> str:
    outcome = GAME.outcome(state)
    return " ".join(map(str, outcome.scores)) if outcome else "none"


FACTS: dict[str, Callable[[State, str], str]] = {
    "asked": lambda state, _: " ".join(map(str, GAME.to_act(state))) or "nobody",
    "legal": lambda state, _: ", ".join(legal(state)),
    "takes": lambda state, _: " ".join(legal(state)).replace("take ", ""),
    "stop": lambda state, seat: str(state.stops[int(seat)]),
    "cell": lambda state, cell: CARD_NAMES[state.board[CELLS_BY_NAME[cell]]],
    "pile": lambda state, _: names(state.pile),
    "out": lambda state, _: names(state.out),
    "cauldron": lambda state, seat: names(state.cauldrons[int(seat)]),
    "spells": lambda state, seat: names(state.spells[int(seat)].taken),
    "accio": lambda state, seat: str(state.spells[int(seat)].accio),
    "declinatio": lambda state, seat: str(state.spells[int(seat)].declinatio),
    "ending": lambda state, _: str(state.end.ending) if state.end else "none",
    "ender": lambda state, _: str(state.end.ender) if state.end else "none",
    "assigned": _assigned,
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
    Moved: lambda e: f"{e.seat} moves {e.steps} to {e.stop}",
    Passed: lambda e: f"{e.seat} passes",
    UsedDeclinatio: lambda e: f"{e.seat} uses Declinatio",
    Took: lambda e: (
        f"{e.seat} takes {CARD_NAMES[e.card]} from {CELL_NAMES[e.cell]}"
        + (" by Accio" if e.used_accio else "")
    ),
    Refilled: lambda e: f"{CARD_NAMES[e.card]} fills {CELL_NAMES[e.cell]}",
    Lost: lambda e: (
        f"{e.seat} loses {CARD_NAMES[e.card]} "
        + ("under the pile" if e.under_pile else "out of the game")
    ),
    Looked: lambda e: f"{e.seat} looks at {names(e.cauldron)}",
    Ended: lambda e: f"{e.ending}, ended by {e.ender}",
    Kept: lambda e: f"{e.seat} keeps {CARD_NAMES[e.card]}",
    Discarded: lambda e: f"{e.seat} discards {CARD_NAMES[e.card]}",
    CauldronsOpened: lambda _: "cauldrons open",
    ImmutoAssigned: lambda e: (
        f"{e.seat} makes {' '.join(INGREDIENT_NAMES[i] for i in e.ingredients)}"
    ),
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


# 2. Board ---------------------------------------------------------------------------------------

EIGHT_LINES = (
    "b1 b2 b3 b4 b5 b6",
    "c1 c2 c3 c4 c5 c6",
    "d1 d2 d3 d4 d5 d6",
    "e1 e2 e3 e4 e5 e6",
    "a2 b2 c2 d2 e2 f2",
    "a3 b3 c3 d3 e3 f3",
    "a4 b4 c4 d4 e4 f4",
    "a5 b5 c5 d5 e5 f5",
)


def landed_at(stop: int) -> State:
    """Let a pawn with a charge of Declinatio land at a stop, two steps from where it was."""
    before = stop - 2 if stop >= 2 else stop + 18
    return begin_turn(seats=2, stops=[before, 0], spells={0: "Declinatio"}, pile=5).state


@table(
    "stop, expected",
    ("2.2 stop 0 is the top left corner and faces no line", 0, "declinatio pass"),
    ("2.2 stop 1 faces column b from above", 1, "b1 b2 b3 b4 b5 b6"),
    ("2.2 stop 2 faces column c from above", 2, "c1 c2 c3 c4 c5 c6"),
    ("2.2 stop 3 faces column d from above", 3, "d1 d2 d3 d4 d5 d6"),
    ("2.2 stop 4 faces column e from above", 4, "e1 e2 e3 e4 e5 e6"),
    ("2.2 stop 5 is the top right corner and faces no line", 5, "declinatio pass"),
    ("2.2 stop 6 faces row 2 from the right", 6, "a2 b2 c2 d2 e2 f2"),
    ("2.2 stop 7 faces row 3 from the right", 7, "a3 b3 c3 d3 e3 f3"),
    ("2.2 stop 8 faces row 4 from the right", 8, "a4 b4 c4 d4 e4 f4"),
    ("2.2 stop 9 faces row 5 from the right", 9, "a5 b5 c5 d5 e5 f5"),
    ("2.2 stop 10 is the bottom right corner and faces no line", 10, "declinatio pass"),
    ("2.2 stop 11 faces column e from below", 11, "e1 e2 e3 e4 e5 e6"),
    ("2.2 stop 12 faces column d from below", 12, "d1 d2 d3 d4 d5 d6"),
    ("2.2 stop 13 faces column c from below", 13, "c1 c2 c3 c4 c5 c6"),
    ("2.2 stop 14 faces column b from below", 14, "b1 b2 b3 b4 b5 b6"),
    ("2.2 stop 15 is the bottom left corner and faces no line", 15, "declinatio pass"),
    ("2.2 stop 16 faces row 5 from the left", 16, "a5 b5 c5 d5 e5 f5"),
    ("2.2 stop 17 faces row 4 from the left", 17, "a4 b4 c4 d4 e4 f4"),
    ("2.2 stop 18 faces row 3 from the left", 18, "a3 b3 c3 d3 e3 f3"),
    ("2.2 stop 19 faces row 2 from the left", 19, "a2 b2 c2 d2 e2 f2"),
)
def test_each_stop_faces_its_line(stop: int, expected: str) -> None:
    assert_facts(landed_at(stop), {"stop 0": str(stop), "takes": expected})


@table("times", ("2.3 each of the eight lines is faced from two stops, and nothing else is", 2))
def test_there_are_eight_lines(times: int) -> None:
    faced = Counter(fact(landed_at(stop), "takes") for stop in range(20))
    del faced["declinatio pass"]
    assert faced == dict.fromkeys(EIGHT_LINES, times)


@table(
    "position, moves, expected",
    (
        "2.1 cells are ordered row by row and the four corners hold no card",
        Position(seats=2, spells={0: "Accio"}, pile=5),
        "",
        {"takes": ALL_CELLS, "cell a1": "", "cell f1": "", "cell a6": "", "cell f6": ""},
    ),
    (
        "2.3 R-1 column a is no line: its last card ends nothing",
        near_the_end(a2="Wa1") | Position(stops=[17, 0]),
        "take a2",
        {"ending": "none", "asked": "1"},
    ),
    (
        "2.3 R-1 column f is no line: its last card ends nothing",
        near_the_end(f2="Wa1") | Position(stops=[4, 0]),
        "take f2",
        {"ending": "none", "asked": "1"},
    ),
    (
        "2.3 R-1 row 1 is no line: its last card ends nothing",
        near_the_end(b1="Wa1") | Position(stops=[19, 0]),
        "take b1",
        {"ending": "none", "asked": "1"},
    ),
    (
        "2.3 R-1 row 6 is no line: its last card ends nothing",
        near_the_end(b6="Wa1") | Position(stops=[12, 0]),
        "take b6",
        {"ending": "none", "asked": "1"},
    ),
    (
        "2.4 two pawns may stand at one stop",
        Position(seats=2, stops=[1, 3], pile=5),
        "",
        {"stop 0": "3", "stop 1": "3", "takes": "d1 d2 d3 d4 d5 d6"},
    ),
    (
        "2.4 a pawn neither is blocked by others nor jumps them",
        Position(stops=[0, 1, 2, 2], cauldrons={0: "Oa3"}, pile=5),
        "",
        {"stop 0": "3", "stop 1": "1", "stop 2": "2", "stop 3": "2"},
    ),
)
def test_the_board(position: Position, moves: str, expected: dict[str, str]) -> None:
    assert_facts(after(position, moves).state, expected)


# 3. Set-up --------------------------------------------------------------------------------------

SEED = seed_from_text("7")


def dealt(seats: int, given: Mapping[str, OptionValue]) -> Transition[State]:
    """Deal a game of which only the options matter."""
    return GAME.deal(GAME.spec.options(seats, given), SEED)


@table(
    "seats, given, colours, removed",
    ("3.1 four seats play yellow, green, red and blue", 4, {}, "YGRB", None),
    ("3.1 three seats play yellow, green and red", 3, {}, "YGR", None),
    ("3.1 two seats play yellow and green", 2, {}, "YG", "R"),
    ("3.1 the option colours seats blue before red", 2, {"colours": "BR"}, "BR", "Y"),
    ("3.1 the option colours orders four seats", 4, {"colours": "RBYG"}, "RBYG", None),
    ("3.2 R-3 with yellow and green in play red is removed", 2, {"colours": "GY"}, "GY", "R"),
    ("3.2 R-3 with blue and red in play yellow is removed", 2, {"colours": "RB"}, "RB", "Y"),
    ("3.2 R-3 with yellow and blue in play green is removed", 2, {"colours": "YB"}, "YB", "G"),
    ("3.2 R-3 with yellow and red in play green is removed", 2, {"colours": "RY"}, "RY", "G"),
    ("3.2 R-3 with three seats nothing is removed", 3, {"colours": "BRG"}, "BRG", None),
)
def test_colours_are_public(
    seats: int, given: dict[str, OptionValue], colours: str, removed: str | None
) -> None:
    state = dealt(seats, given).state
    for viewer in (None, *map(Seat, range(seats))):
        view = GAME.view(state, viewer)
        assert (view.colours, view.removed_colour) == (colours, removed)


@table(
    "seats, given, sizes",
    ("3.2 two seats leave out eight red cards of 84", 2, {}, {"all": 76, "R": 0, "G": 8, "B": 8}),
    ("3.2 blue against red leaves out yellow", 2, {"colours": "BR"}, {"all": 76, "Y": 0, "R": 8}),
    ("3.2 three seats keep the colour that nobody plays", 3, {}, {"all": 84, "B": 8}),
    ("3.2 four seats play with all cards", 4, {}, {"all": 84, "Y": 8, "G": 8, "R": 8, "B": 8}),
)
def test_the_deck(seats: int, given: dict[str, OptionValue], sizes: dict[str, int]) -> None:
    state = dealt(seats, given).state
    deck = [*filter(None, state.board), *state.pile]
    ingredients = [name for name in map(CARD_NAMES.__getitem__, deck) if len(name) == 3]
    counted = Counter(name[0] for name in ingredients) | Counter(all=len(deck))
    assert {what: counted[what] for what in sizes} == sizes
    assert len(set(ingredients)) == len(ingredients)


@table(
    "seats, pile, stops",
    ("3.3 four seats leave a pile of 52 cards", 4, 52, (2, 5, 10, 15)),
    ("3.3 three seats leave a pile of 52 cards", 3, 52, (2, 5, 10)),
    ("3.3 two seats leave a pile of 44 cards", 2, 44, (2, 10)),
    ("3.4 R-2 four pawns start at 0 5 10 15 and seat 0 goes first", 4, 52, (2, 5, 10, 15)),
    ("3.4 R-2 three pawns start at 0 5 10 and seat 0 goes first", 3, 52, (2, 5, 10)),
    ("3.4 R-2 two pawns start at 0 10 and seat 0 goes first", 2, 44, (2, 10)),
)
def test_the_deal(seats: int, pile: int, stops: tuple[int, ...]) -> None:
    options = GAME.spec.options(seats)
    state, events = GAME.deal(options, SEED)
    laid = " ".join(fact(state, f"cell {cell}") for cell in ALL_CELLS.split())
    assert f"{laid} {names(state.pile)}".split() == GAME.describe_deal(options, SEED)["cards"]
    assert len(state.pile) == pile
    assert state.stops == stops
    assert story(events) == ["0 moves 2 to 2"]
    assert_facts(state, {"asked": "0", "takes": "c1 c2 c3 c4 c5 c6", "out": ""})
    for seat in range(seats):
        assert_facts(
            state,
            {
                f"cauldron {seat}": "",
                f"spells {seat}": "",
                f"accio {seat}": "0",
                f"declinatio {seat}": "0",
            },
        )


@table("seats", ("3.3 the deck is shuffled anew for each seed", 4))
def test_another_seed_gives_another_deck(seats: int) -> None:
    options = GAME.spec.options(seats)
    first, again, other = (
        GAME.describe_deal(options, seed_from_text(text))["cards"] for text in ("1", "1", "2")
    )
    assert first == again
    assert first != other


@table(
    "seats",
    ("3.5 two seats get a recipe of each sort, known to the seat alone", 2),
    ("3.5 three seats get a recipe of each sort, known to the seat alone", 3),
    ("3.5 four seats get a recipe of each sort, known to the seat alone", 4),
    ("11.2 12.3 recipes are private, and written as A:O and B:most_ones", 4),
)
def test_recipes_are_dealt(seats: int) -> None:
    options = GAME.spec.options(seats, {"recipes": True})
    state = GAME.deal(options, SEED).state
    described = GAME.describe_deal(options, SEED)["recipes"]
    assert isinstance(described, list)
    sort_a, sort_b = zip(*described, strict=True)
    assert len(set(sort_a)) == len(set(sort_b)) == seats
    assert set(sort_a) <= {"A:O", "A:P", "A:W", "A:N", "A:S"}
    assert set(sort_b) <= {
        "B:fewest_cards",
        "B:fewest_fours",
        "B:fewest_spells",
        "B:most_ones",
        "B:ended_game",
    }
    for viewer in (None, *map(Seat, range(seats))):
        seen = GAME.view(state, viewer).recipes
        assert [own and [f"A:{own.colour}", f"B:{own.task}"] for own in seen] == [
            both if seat == viewer else None for seat, both in enumerate(described)
        ]


@table(
    "seats, given, words",
    ("3.1 one seat is too few", 1, {}, "2, 3 or 4"),
    ("3.1 five seats are too many", 5, {}, "2, 3 or 4"),
    ("3.1 orange is no pawn colour", 2, {"colours": "OY"}, "colours"),
    ("3.1 two seats cannot play one colour", 2, {"colours": "YY"}, "colours"),
    ("3.1 every seat needs a colour", 3, {"colours": "YG"}, "colours"),
)
def test_options_that_the_game_does_not_have(
    seats: int, given: dict[str, OptionValue], words: str
) -> None:
    with pytest.raises(OptionsError, match=words):
        GAME.spec.options(seats, given)


# 4. A turn --------------------------------------------------------------------------------------


def taking(card: str, pile: str = "Wa1 Wa2") -> Position:
    """Return a position in which seat 0, with Ga2 in its cauldron, can take a card from c1."""
    return Position(seats=2, board={"c1": card}, pile=pile, cauldrons={0: "Ga2"})


AT_A_CORNER = Position(seats=2, stops=[3, 0], pile=5)
"""Seat 0 goes 2 steps and lands at the corner 5."""


@table(
    "position, moves, expected",
    ("4.1 after seat 0 of four comes seat 1", Position(pile=5), "take c1", {"asked": "1"}),
    ("4.1 after seat 3 of four comes seat 0", Position(seat=3, pile=5), "take c1", {"asked": "0"}),
    (
        "4.1 after seat 2 of three comes seat 0",
        Position(seats=3, seat=2, pile=5),
        "take c1",
        {"asked": "0"},
    ),
    (
        "4.1 after seat 1 of two comes seat 0",
        Position(seats=2, seat=1, pile=5),
        "take c1",
        {"asked": "0"},
    ),
    ("4.2 an empty cauldron moves the pawn 2 steps", Position(pile=5), "", {"stop 0": "2"}),
    ("4.2 a 1 moves it 1 step", Position(pile=5, cauldrons={0: "Oa1"}), "", {"stop 0": "1"}),
    ("4.2 a 2 moves it 2 steps", Position(pile=5, cauldrons={0: "Oa2"}), "", {"stop 0": "2"}),
    ("4.2 a 3 moves it 3 steps", Position(pile=5, cauldrons={0: "Oa3"}), "", {"stop 0": "3"}),
    ("4.2 a 4 moves it 4 steps", Position(pile=5, cauldrons={0: "Oa4"}), "", {"stop 0": "4"}),
    (
        "4.2 only the top card counts",
        Position(pile=5, cauldrons={0: "Oa4 Immuto Oa1"}),
        "",
        {"stop 0": "1"},
    ),
    (
        "4.2 only the own cauldron counts",
        Position(pile=5, cauldrons={0: "Oa1", 1: "Oa4", 3: "Oa3"}),
        "",
        {"stop 0": "1"},
    ),
    (
        "4.2 after stop 19 comes stop 0",
        Position(seats=2, stops=[18, 0], pile=5, cauldrons={0: "Oa4"}),
        "",
        {"stop 0": "2"},
    ),
    (
        "4.3 a pawn that lands at a corner takes nothing and is asked nothing",
        AT_A_CORNER,
        "",
        {"stop 0": "5", "cauldron 0": "", "asked": "1", "takes": "c1 c2 c3 c4 c5 c6"},
    ),
    (
        "4.3 several pawns in a row may land at corners",
        Position(stops=[3, 8, 13, 0], pile=5),
        "",
        {"stop 0": "5", "stop 1": "10", "stop 2": "15", "asked": "3"},
    ),
    (
        "4.3 a Declinatio that is used up asks nothing",
        AT_A_CORNER | Position(spells={0: "Declinatio"}, declinatio={0: 0}),
        "",
        {"stop 0": "5", "asked": "1"},
    ),
    (
        "4.3 the Declinatio of another seat asks nothing",
        AT_A_CORNER | Position(spells={1: "Declinatio"}),
        "",
        {"stop 0": "5", "asked": "1"},
    ),
    (
        "4.3 a charge of Declinatio asks: declinatio or pass",
        AT_A_CORNER | Position(spells={0: "Declinatio"}, declinatio={0: 1}),
        "",
        {"stop 0": "5", "asked": "0", "legal": "declinatio, pass"},
    ),
    (
        "4.3 pass ends the turn and keeps the charge",
        AT_A_CORNER | Position(spells={0: "Declinatio"}, declinatio={0: 1}),
        "pass",
        {"stop 0": "5", "asked": "1", "declinatio 0": "1", "cauldron 0": ""},
    ),
    (
        "4.4 R-21 the one card of a line must be taken, however harmful",
        near_the_end(c3="Vanesco", f3="Wa1"),
        "",
        {"legal": "take c3"},
    ),
    (
        "4.5 an ingredient covers the card below",
        taking("Oa3"),
        "take c1",
        {"cauldron 0": "Ga2 Oa3", "spells 0": ""},
    ),
    (
        "4.5 an Immuto covers the card below",
        taking("Immuto"),
        "take c1",
        {"cauldron 0": "Ga2 Immuto", "spells 0": ""},
    ),
    (
        "4.5 an Accio never goes into the cauldron",
        taking("Accio"),
        "take c1",
        {"cauldron 0": "Ga2", "spells 0": "Accio"},
    ),
    (
        "4.5 a Declinatio never goes into the cauldron",
        taking("Declinatio"),
        "take c1",
        {"cauldron 0": "Ga2", "spells 0": "Declinatio"},
    ),
    (
        "4.5 a Perluceo never goes into the cauldron",
        taking("Perluceo"),
        "take c1",
        {"cauldron 0": "Ga2", "spells 0": "Perluceo"},
    ),
    (
        "4.5 a Vanesco never goes into the cauldron",
        taking("Vanesco"),
        "take c1",
        {"cauldron 0": "Ga2", "spells 0": "Vanesco"},
    ),
    *(
        (
            f"4.6 the gap is refilled from the top of the pile after {what}",
            taking(card),
            "take c1",
            {"cell c1": "Wa1", "pile": "Wa2"},
        )
        for what, card in (
            ("an ingredient", "Oa3"),
            ("an Immuto", "Immuto"),
            ("an Accio", "Accio"),
            ("a Declinatio", "Declinatio"),
            ("a Perluceo", "Perluceo"),
            ("a Vanesco", "Vanesco"),
        )
    ),
    (
        "4.6 the gap of a card taken by Accio is refilled where it was",
        taking("Oa3") | Position(spells={0: "Accio"}),
        "take f5",
        {"cell f5": "Wa1", "cell c1": "Oa3", "pile": "Wa2"},
    ),
    (
        "4.6 the last card of the pile refills too",
        taking("Oa3", pile="Wa1"),
        "take c1",
        {"cell c1": "Wa1", "pile": "", "ending": "none"},
    ),
    (
        "4.6 without a pile the cell stays empty",
        taking("Oa3", pile=""),
        "take c1",
        {"cell c1": "", "pile": "", "asked": "1", "ending": "none"},
    ),
)
def test_a_turn(position: Position, moves: str, expected: dict[str, str]) -> None:
    assert_facts(after(position, moves).state, expected)


@table(
    "position, moves, told",
    (
        "4.1 the pawn moves, a card is taken, the gap is refilled, the next seat follows",
        taking("Oa3"),
        "take c1",
        ["0 moves 2 to 2", "0 takes Oa3 from c1", "Wa1 fills c1", "1 moves 2 to 2"],
    ),
    (
        "4.6 without a pile nothing fills the gap",
        taking("Oa3", pile=""),
        "take c1",
        ["0 moves 2 to 2", "0 takes Oa3 from c1", "1 moves 2 to 2"],
    ),
    (
        "4.3 pass is told, and the next seat follows",
        AT_A_CORNER | Position(spells={0: "Declinatio"}),
        "pass",
        ["0 moves 2 to 5", "0 passes", "1 moves 2 to 2"],
    ),
    (
        "6.1 staying with Immuto is told as a move of 0 steps",
        Position(seats=2, stops=[7, 0], cauldrons={0: "Oa3 Immuto"}, pile=5),
        "",
        ["0 moves 0 to 7"],
    ),
    (
        "7.4 Declinatio is told, and the same steps follow",
        AT_A_CORNER | Position(spells={0: "Declinatio"}),
        "declinatio",
        ["0 moves 2 to 5", "0 uses Declinatio", "0 moves 2 to 7"],
    ),
    (
        "5.2 a take by Accio is told as such",
        taking("Oa3") | Position(board={"a4": "Oa3"}, spells={0: "Accio"}),
        "take a4",
        ["0 moves 2 to 2", "0 takes Oa3 from a4 by Accio", "Wa1 fills a4", "1 moves 2 to 2"],
    ),
    (
        "5.2 R-4 with Accio at hand a take from the own line is told as any other",
        taking("Oa3") | Position(spells={0: "Accio"}),
        "take c1",
        ["0 moves 2 to 2", "0 takes Oa3 from c1", "Wa1 fills c1", "1 moves 2 to 2"],
    ),
    (
        "7.5 a dead end is told, and cauldrons open",
        near_the_end(c3="Vanesco") | Position(stops=[3, 0], spells={0: "Declinatio"}),
        "declinatio",
        [
            "0 moves 2 to 5",
            "0 uses Declinatio",
            "0 moves 2 to 7",
            "dead_end, ended by 0",
            "cauldrons open",
        ],
    ),
    (
        "7.6 R-8 losses are told clockwise, then the refill",
        Position(
            seats=3,
            seat=1,
            board={"c1": "Vanesco"},
            pile="Wa1 Wa2",
            cauldrons={0: "Oa1 Oa2", 2: "Na1 Na4"},
        ),
        "take c1",
        [
            "1 moves 2 to 2",
            "1 takes Vanesco from c1",
            "2 loses Na4 under the pile",
            "0 loses Oa2 under the pile",
            "Wa1 fills c1",
            "2 moves 1 to 1",
        ],
    ),
    (
        "7.6 R-9 nothing is told of an empty cauldron",
        taking("Vanesco"),
        "take c1",
        ["0 moves 2 to 2", "0 takes Vanesco from c1", "Wa1 fills c1", "1 moves 2 to 2"],
    ),
    (
        "7.6 without a pile losses are told as out of the game",
        taking("Vanesco", pile="") | Position(cauldrons={1: "Oa1"}),
        "take c1",
        [
            "0 moves 2 to 2",
            "0 takes Vanesco from c1",
            "1 loses Oa1 out of the game",
            "1 moves 2 to 2",
        ],
    ),
    (
        "7.7 R-29 the look comes without a question",
        Position(seats=2, board={"c1": "Perluceo"}, pile="Wa1", cauldrons={0: "Oa1 Na4 Ga2"}),
        "take c1",
        [
            "0 moves 2 to 2",
            "0 takes Perluceo from c1",
            "0 looks at Oa1 Na4 Ga2",
            "Wa1 fills c1",
            "1 moves 2 to 2",
        ],
    ),
    (
        "8.3 a kept last card is told, and cauldrons open",
        near_the_end(),
        "take c3, keep",
        [
            "0 moves 2 to 2",
            "0 takes Pa2 from c3",
            "line_emptied, ended by 0",
            "0 keeps Pa2",
            "cauldrons open",
        ],
    ),
    (
        "8.3 a discarded last card is told, and cauldrons open",
        near_the_end(),
        "take c3, discard",
        [
            "0 moves 2 to 2",
            "0 takes Pa2 from c3",
            "line_emptied, ended by 0",
            "0 discards Pa2",
            "cauldrons open",
        ],
    ),
    (
        "8.3 R-24 a kept Perluceo does nothing",
        near_the_end(c3="Perluceo") | Position(cauldrons={0: "Ga2"}),
        "take c3, keep",
        [
            "0 moves 2 to 2",
            "0 takes Perluceo from c3",
            "line_emptied, ended by 0",
            "0 keeps Perluceo",
            "cauldrons open",
        ],
    ),
    (
        "8.6 without Immuto the recipes open after the cauldrons",
        near_the_end() | Position(recipes=["A:O B:most_ones", "A:W B:fewest_cards"]),
        "take c3, keep",
        [
            "0 moves 2 to 2",
            "0 takes Pa2 from c3",
            "line_emptied, ended by 0",
            "0 keeps Pa2",
            "cauldrons open",
            "recipes open",
        ],
    ),
    (
        "8.6 with Immuto to assign the recipes stay closed",
        near_the_end()
        | Position(cauldrons={1: "Immuto"}, recipes=["A:O B:most_ones", "A:W B:fewest_cards"]),
        "take c3, discard",
        [
            "0 moves 2 to 2",
            "0 takes Pa2 from c3",
            "line_emptied, ended by 0",
            "0 discards Pa2",
            "cauldrons open",
        ],
    ),
    (
        "9.5 an automatic assignment is told after cauldrons open",
        near_the_end() | Position(cauldrons={1: "Oa4 Immuto"}),
        "take c3, discard",
        [
            "0 moves 2 to 2",
            "0 takes Pa2 from c3",
            "line_emptied, ended by 0",
            "0 discards Pa2",
            "cauldrons open",
            "1 makes Oa",
        ],
    ),
)
def test_what_is_told(position: Position, moves: str, told: list[str]) -> None:
    assert story(after(position, moves).events) == told


# 5. Which card may be taken ---------------------------------------------------------------------

MIXED = sparse(a2="Immuto", a4="Vanesco", f3="Perluceo", f5="Declinatio", c6="Vanesco")
"""Column c holds c3 and a Vanesco in c6; elsewhere are another Vanesco and a Perluceo."""

BENT = Position(
    seats=2,
    stops=[3, 0],
    board={"b3": "Vanesco", "e3": "Perluceo", "c3": "Accio", "d3": "Declinatio"},
    pile=5,
    spells={0: "Declinatio Accio"},
)
"""Seat 0 lands at the corner 5; Declinatio leads to stop 7 and row 3."""


@table(
    "position, moves, expected",
    (
        "5.1 every card of the line may be taken",
        Position(pile=5),
        "",
        {"takes": "c1 c2 c3 c4 c5 c6"},
    ),
    (
        "5.1 an empty cell holds no card to take",
        near_the_end(c1="Wa1", c6="Wa2"),
        "",
        {"takes": "c1 c3 c6"},
    ),
    (
        "5.1 a line may offer every kind of card",
        Position(
            board={
                "c1": "Immuto",
                "c2": "Accio",
                "c3": "Declinatio",
                "c4": "Perluceo",
                "c5": "Vanesco",
            },
            pile=5,
        ),
        "",
        {"takes": "c1 c2 c3 c4 c5 c6"},
    ),
    (
        "5.2 without a charge of Accio only the line is offered",
        Position(board=MIXED, fill=False),
        "",
        {"takes": "c3 c6"},
    ),
    (
        "5.2 Accio offers the board except Vanesco and Perluceo elsewhere",
        Position(board=MIXED, fill=False, spells={0: "Accio"}),
        "",
        {"takes": "a2 b2 c3 d4 e5 f5 c6"},
    ),
    (
        "5.2 one charge of Accio offers as much as two",
        Position(board=MIXED, fill=False, spells={0: "Accio"}, accio={0: 1}),
        "",
        {"takes": "a2 b2 c3 d4 e5 f5 c6"},
    ),
    (
        "5.2 an Accio that is used up offers nothing more",
        Position(board=MIXED, fill=False, spells={0: "Accio"}, accio={0: 0}),
        "",
        {"takes": "c3 c6"},
    ),
    (
        "5.2 the Accio of another seat offers nothing",
        Position(board=MIXED, fill=False, spells={1: "Accio"}),
        "",
        {"takes": "c3 c6"},
    ),
    (
        "5.2 a card from elsewhere costs a charge",
        Position(pile=5, spells={0: "Accio"}),
        "take b1",
        {"accio 0": "1", "asked": "1"},
    ),
    (
        "5.2 an Immuto can be taken by Accio",
        Position(board=MIXED, fill=False, spells={0: "Accio"}),
        "take a2",
        {"accio 0": "1", "cauldron 0": "Immuto"},
    ),
    (
        "5.2 R-4 a card of the own line costs no charge",
        Position(pile=5, spells={0: "Accio"}),
        "take c1",
        {"accio 0": "2", "asked": "1"},
    ),
    (
        "5.2 R-4 a Vanesco of the own line can be taken and costs no charge",
        Position(board={"c1": "Vanesco"}, pile=5, spells={0: "Accio"}),
        "take c1",
        {"accio 0": "2", "spells 0": "Accio Vanesco"},
    ),
    (
        "5.2 R-4 no cell is offered twice",
        Position(pile=5, spells={0: "Accio"}),
        "",
        {"takes": ALL_CELLS},
    ),
    (
        "5.2 R-5 Accio works while Immuto is on top",
        Position(seats=2, stops=[2, 0], cauldrons={0: "Oa1 Immuto"}, pile=5, spells={0: "Accio"}),
        "take f4",
        {"stop 0": "2", "accio 0": "1"},
    ),
    (
        "5.3 after Declinatio neither Accio nor Vanesco nor Perluceo of the line is within reach",
        BENT,
        "declinatio",
        {"stop 0": "7", "takes": "a3 c3 d3 f3", "accio 0": "2", "declinatio 0": "2"},
    ),
    (
        "5.3 a take after Declinatio costs no charge of Accio",
        BENT,
        "declinatio, take a3",
        {"accio 0": "2", "declinatio 0": "2", "asked": "1"},
    ),
    (
        "5.4 an Accio may be taken after Declinatio",
        BENT,
        "declinatio, take c3",
        {"spells 0": "Declinatio Accio Accio", "accio 0": "4", "declinatio 0": "2"},
    ),
    (
        "5.4 a Declinatio may be taken after Declinatio",
        BENT,
        "declinatio, take d3",
        {"spells 0": "Declinatio Accio Declinatio", "accio 0": "2", "declinatio 0": "5"},
    ),
    (
        "5.4 an Accio may be taken by Accio",
        Position(board={"a2": "Accio"}, pile=5, spells={0: "Accio"}),
        "take a2",
        {"spells 0": "Accio Accio", "accio 0": "3"},
    ),
    (
        "5.4 a Declinatio may be taken by Accio",
        Position(board={"a2": "Declinatio"}, pile=5, spells={0: "Accio"}),
        "take a2",
        {"spells 0": "Accio Declinatio", "accio 0": "1", "declinatio 0": "3"},
    ),
    (
        "5.4 R-22 an Accio is not usable in the turn in which it is taken",
        Position(seats=2, board={"c1": "Accio"}, pile=5),
        "take c1",
        {"asked": "1", "accio 0": "2", "takes": "c1 c2 c3 c4 c5 c6"},
    ),
    (
        "5.4 R-22 an Accio is usable in the next turn of its owner",
        Position(seats=2, board={"c1": "Accio"}, pile=5),
        "take c1, take c2",
        {"asked": "0", "stop 0": "4", "takes": ALL_CELLS},
    ),
    (
        "5.4 R-22 a Declinatio is usable in the next turn of its owner",
        Position(seats=2, stops=[1, 0], board={"d1": "Declinatio"}, pile=5),
        "take d1, take c2",
        {"asked": "0", "stop 0": "5", "legal": "declinatio, pass"},
    ),
)
def test_which_card_may_be_taken(position: Position, moves: str, expected: dict[str, str]) -> None:
    assert_facts(after(position, moves).state, expected)


@table("cells", ("2.1 5.2 R-4 on a full board Accio offers 32 different cells", 32))
def test_accio_offers_each_cell_once(cells: int) -> None:
    offered = legal(begin_turn(spells={0: "Accio"}, pile=5).state)
    assert len(offered) == len(set(offered)) == cells


# 6. Immuto in movement --------------------------------------------------------------------------


@table(
    "stop, cauldron, lands, takes",
    ("6.1 at a line the pawn stays", 7, "Oa3 Immuto", 7, "a3 b3 c3 d3 e3 f3"),
    ("6.1 at a line two Immuto hold it as one does", 14, "Immuto Immuto", 14, "b1 b2 b3 b4 b5 b6"),
    ("6.1 at a line a lone Immuto holds it", 1, "Immuto", 1, "b1 b2 b3 b4 b5 b6"),
    ("6.2 at a corner the card below counts", 5, "Oa3 Immuto", 8, "a4 b4 c4 d4 e4 f4"),
    (
        "6.2 at a corner the card directly below counts, not one further down",
        10,
        "Oa4 Na1 Immuto",
        11,
        "e1 e2 e3 e4 e5 e6",
    ),
    (
        "6.2 R-6 below another Immuto the first card that is none counts",
        15,
        "Na1 Oa4 Immuto Immuto",
        19,
        "a2 b2 c2 d2 e2 f2",
    ),
    ("6.2 R-7 above nothing the Cauldron card counts", 15, "Immuto", 17, "a4 b4 c4 d4 e4 f4"),
    (
        "6.2 R-6 R-7 two Immuto above nothing go by the Cauldron card",
        0,
        "Immuto Immuto",
        2,
        "c1 c2 c3 c4 c5 c6",
    ),
)
def test_immuto_in_movement(stop: int, cauldron: str, lands: int, takes: str) -> None:
    state = begin_turn(seats=2, stops=[stop, 0], cauldrons={0: cauldron}, pile=5).state
    assert_facts(state, {"stop 0": str(lands), "cauldron 0": cauldron, "takes": takes})


@table(
    "stop, lands",
    ("6.2 an Immuto that Vanesco uncovers at a corner lets the pawn go by the card below", 10, 13),
    ("6.1 an Immuto that Vanesco uncovers at a line holds the pawn", 12, 12),
)
def test_vanesco_uncovers_an_immuto(stop: int, lands: int) -> None:
    position = Position(
        seats=2,
        stops=[0, stop],
        board={"c1": "Vanesco"},
        pile=5,
        cauldrons={1: "Oa3 Immuto Ga1"},
    )
    assert_facts(
        after(position, "take c1").state,
        {"asked": "1", "stop 1": str(lands), "cauldron 1": "Oa3 Immuto"},
    )


# 7. Spells --------------------------------------------------------------------------------------


def bending(top: str, stop: int) -> Position:
    """Return a position in which seat 0 lands at a corner with a charge of Declinatio."""
    return Position(
        seats=2,
        stops=[stop, 0],
        cauldrons={0: top} if top else {},
        spells={0: "Declinatio"},
        pile=5,
    )


FOUR_CAULDRONS = {0: "Oa1 Oa2", 1: "Ga2", 2: "Pa1 Pa2", 3: "Na1 Na2"}
ONLY_SPELLS_IN_ROW_3 = {
    "a3": "Vanesco",
    "b3": "Vanesco",
    "c3": "Perluceo",
    "d3": "Perluceo",
    "e3": "Vanesco",
    "f3": "Vanesco",
}


def casting(pile: str) -> Position:
    """Return a position in which seat 1 of four can take Vanesco from c1."""
    return Position(seat=1, board={"c1": "Vanesco"}, pile=pile, cauldrons=FOUR_CAULDRONS)


@table(
    "position, moves, expected",
    (
        "7.1 a turn allows one spell: after Declinatio there is no Accio",
        BENT | Position(board={}),
        "declinatio",
        {"takes": "a3 b3 c3 d3 e3 f3"},
    ),
    (
        "7.2 a second Accio adds its charges to the one left",
        Position(board={"c1": "Accio"}, pile=5, spells={0: "Accio"}, accio={0: 1}),
        "take c1",
        {"accio 0": "3", "spells 0": "Accio Accio"},
    ),
    (
        "7.2 a second Declinatio adds its charges to the two left",
        Position(board={"c1": "Declinatio"}, pile=5, spells={0: "Declinatio"}, declinatio={0: 2}),
        "take c1",
        {"declinatio 0": "5", "spells 0": "Declinatio Declinatio"},
    ),
    (
        "7.2 charges of different spells stay apart",
        Position(board={"c1": "Declinatio"}, pile=5, spells={0: "Accio"}),
        "take c1",
        {"accio 0": "2", "declinatio 0": "3"},
    ),
    (
        "7.3 an Accio has 2 charges",
        Position(board={"c1": "Accio"}, pile=5),
        "take c1",
        {"accio 0": "2", "declinatio 0": "0"},
    ),
    (
        "7.3 Accio does not work at a corner",
        AT_A_CORNER | Position(spells={0: "Accio"}),
        "",
        {"stop 0": "5", "asked": "1", "accio 0": "2"},
    ),
    (
        "7.3 at a corner Accio adds nothing to Declinatio",
        AT_A_CORNER | Position(spells={0: "Accio Declinatio"}),
        "",
        {"legal": "declinatio, pass"},
    ),
    (
        "7.3 after two uses Accio is used up",
        Position(
            seats=2,
            board={"b1": "Oa1", "b2": "Ob1", "f2": "Na1"},
            pile=9,
            cauldrons={1: "Wa1"},
            spells={0: "Accio"},
        ),
        "take b1, take b2, take f2, take c1",
        {"asked": "0", "accio 0": "0", "stop 0": "4", "takes": "e1 e2 e3 e4 e5 e6"},
    ),
    (
        "7.4 a Declinatio has 3 charges",
        Position(board={"c1": "Declinatio"}, pile=5),
        "take c1",
        {"declinatio 0": "3", "accio 0": "0"},
    ),
    (
        "7.4 Declinatio after 1 step goes 1 more",
        bending("Oa1", 4),
        "declinatio",
        {"stop 0": "6", "takes": "a2 b2 c2 d2 e2 f2", "declinatio 0": "2"},
    ),
    (
        "7.4 Declinatio after 2 steps goes 2 more",
        bending("Oa2", 8),
        "declinatio",
        {"stop 0": "12", "takes": "d1 d2 d3 d4 d5 d6", "declinatio 0": "2"},
    ),
    (
        "7.4 Declinatio after the 2 of the Cauldron card goes 2 more",
        bending("", 3),
        "declinatio",
        {"stop 0": "7", "takes": "a3 b3 c3 d3 e3 f3", "declinatio 0": "2"},
    ),
    (
        "7.4 Declinatio after 3 steps goes 3 more",
        bending("Oa3", 12),
        "declinatio",
        {"stop 0": "18", "takes": "a3 b3 c3 d3 e3 f3", "declinatio 0": "2"},
    ),
    (
        "7.4 Declinatio after 4 steps goes 4 more, past stop 19",
        bending("Oa4", 16),
        "declinatio",
        {"stop 0": "4", "takes": "e1 e2 e3 e4 e5 e6", "declinatio 0": "2"},
    ),
    (
        "7.4 after Declinatio the seat takes a card as in any turn",
        bending("Oa1", 4) | Position(board={"c2": "Na4"}, pile="Wa1 Wa2"),
        "declinatio, take c2",
        {"cauldron 0": "Oa1 Na4", "cell c2": "Wa1", "pile": "Wa2", "asked": "1"},
    ),
    (
        "7.5 a line of nothing but Vanesco and Perluceo is a dead end, on a full board too",
        bending("", 3) | Position(board=ONLY_SPELLS_IN_ROW_3),
        "declinatio",
        {
            "asked": "nobody",
            "ending": "dead_end",
            "ender": "0",
            "stop 0": "7",
            "declinatio 0": "2",
            "cauldron 0": "",
            "cell c3": "Perluceo",
        },
    ),
    (
        "7.5 a line with one Vanesco left is a dead end",
        near_the_end(c3="Vanesco") | Position(stops=[3, 0], spells={0: "Declinatio"}),
        "declinatio",
        {"asked": "nobody", "ending": "dead_end", "declinatio 0": "2", "cell c3": "Vanesco"},
    ),
    (
        "7.5 a line with one Perluceo left is a dead end",
        near_the_end(c3="Perluceo") | Position(stops=[3, 0], spells={0: "Declinatio"}),
        "declinatio",
        {"asked": "nobody", "ending": "dead_end", "declinatio 0": "2", "spells 0": "Declinatio"},
    ),
    (
        "7.5 Accio is no way out of a dead end",
        near_the_end(c3="Vanesco") | Position(stops=[3, 0], spells={0: "Declinatio Accio"}),
        "declinatio",
        {"asked": "nobody", "ending": "dead_end", "accio 0": "2"},
    ),
    (
        "7.5 a line with one other card is no dead end",
        bending("", 3) | Position(board=ONLY_SPELLS_IN_ROW_3 | {"e3": "Accio"}),
        "declinatio",
        {"asked": "0", "ending": "none", "legal": "take e3"},
    ),
    (
        "7.5 it is legal to steer into a dead end, and to pass instead",
        bending("", 3) | Position(board=ONLY_SPELLS_IN_ROW_3),
        "",
        {"legal": "declinatio, pass"},
    ),
    (
        "7.6 every other seat loses its top card and the caster loses none",
        casting("Wa1 Wa2"),
        "take c1",
        {
            "cauldron 0": "Oa1",
            "cauldron 1": "Ga2",
            "cauldron 2": "Pa1",
            "cauldron 3": "Na1",
            "spells 1": "Vanesco",
            "asked": "2",
        },
    ),
    (
        "7.6 R-8 losses lie clockwise under the pile, each below the one before",
        casting("Wa1 Wa2"),
        "take c1",
        {"pile": "Wa2 Pa2 Na2 Oa2", "cell c1": "Wa1", "out": ""},
    ),
    (
        "7.6 R-9 empty cauldrons lose nothing",
        Position(board={"c1": "Vanesco"}, pile="Wa1 Wa2", cauldrons={2: "Pa1 Pa3"}),
        "take c1",
        {"cauldron 1": "", "cauldron 2": "Pa1", "cauldron 3": "", "pile": "Wa2 Pa3"},
    ),
    (
        "7.6 R-9 the only card is lost, and the Cauldron card counts then",
        Position(seats=2, board={"c1": "Vanesco"}, pile="Wa1 Wa2", cauldrons={1: "Oa4"}),
        "take c1",
        {"cauldron 1": "", "pile": "Wa2 Oa4", "asked": "1", "stop 1": "2"},
    ),
    (
        "7.6 R-10 with one card in the pile that card fills the gap and the losses are the pile",
        casting("Wa1"),
        "take c1",
        {"cell c1": "Wa1", "pile": "Pa2 Na2 Oa2", "out": ""},
    ),
    (
        "7.6 R-10 with one card in the pile and nothing to lose the pile is empty",
        Position(board={"c1": "Vanesco"}, pile="Wa1"),
        "take c1",
        {"cell c1": "Wa1", "pile": "", "out": "", "ending": "none"},
    ),
    (
        "7.6 without a pile the losses leave the game and the gap stays",
        casting(""),
        "take c1",
        {"cell c1": "", "pile": "", "out": "Pa2 Na2 Oa2", "cauldron 2": "Pa1", "ending": "none"},
    ),
    (
        "7.6 R-25 an Immuto on top is lost like an ingredient",
        Position(seats=2, board={"c1": "Vanesco"}, pile="Wa1", cauldrons={1: "Oa1 Immuto"}),
        "take c1",
        {"cauldron 1": "Oa1", "pile": "Immuto", "stop 1": "1"},
    ),
    (
        "7.6 R-25 a lost Immuto comes back from the pile",
        Position(seats=2, board={"c1": "Vanesco"}, pile="Wa1", cauldrons={1: "Oa1 Immuto"}),
        "take c1, take b1",
        {"cell b1": "Immuto", "pile": ""},
    ),
    (
        "7.6 R-25 without a pile a lost Immuto leaves the game",
        Position(seats=2, board={"c1": "Vanesco"}, cauldrons={1: "Oa1 Immuto"}),
        "take c1",
        {"cauldron 1": "Oa1", "out": "Immuto"},
    ),
    (
        "7.7 Perluceo changes no order and counts as taken",
        Position(seats=2, board={"c1": "Perluceo"}, pile=5, cauldrons={0: "Oa1 Na4 Ga2"}),
        "take c1",
        {"cauldron 0": "Oa1 Na4 Ga2", "spells 0": "Perluceo", "asked": "1"},
    ),
)
def test_spells(position: Position, moves: str, expected: dict[str, str]) -> None:
    assert_facts(after(position, moves).state, expected)


@table(
    "cauldron",
    ("7.7 11.2 only the seat that took Perluceo sees the look", "Oa1 Immuto Ga2"),
    ("7.7 the look into an empty cauldron is private too", ""),
)
def test_the_look_is_private(cauldron: str) -> None:
    events = after(
        Position(board={"c1": "Perluceo"}, pile=5, cauldrons={0: cauldron}), "take c1"
    ).events
    (look,) = (event for event in events if isinstance(event, Looked))
    assert names(look.cauldron) == cauldron
    assert [look.visible_to(viewer) for viewer in (None, *map(Seat, range(4)))] == [
        False,
        True,
        False,
        False,
        False,
    ]


# 8. End of the game -----------------------------------------------------------------------------

ASKED_TO_KEEP = {
    "asked": "0",
    "legal": "keep, discard",
    "ending": "line_emptied",
    "ender": "0",
    "scores": "none",
}
WITH_GA2 = Position(cauldrons={0: "Ga2"})


@table(
    "position, moves, expected",
    (
        "8.1 R-12 the last card of the line faced ends the game",
        near_the_end(f3="Wa1"),
        "take c3",
        ASKED_TO_KEEP,
    ),
    (
        "8.1 R-12 the last card of the crossing line ends the game",
        near_the_end(c1="Wa1"),
        "take c3",
        ASKED_TO_KEEP,
    ),
    (
        "8.1 R-12 the last card of both lines ends the game",
        near_the_end(),
        "take c3",
        ASKED_TO_KEEP,
    ),
    (
        "8.1 R-12 a last card of a column reached by Accio ends the game",
        near_the_end(f5="Wa1") | Position(spells={0: "Accio"}),
        "take e5",
        ASKED_TO_KEEP | {"accio 0": "1"},
    ),
    (
        "8.1 R-12 a last card of a row reached by Accio ends the game",
        near_the_end(e1="Wa1") | Position(spells={0: "Accio"}),
        "take e5",
        ASKED_TO_KEEP | {"accio 0": "1"},
    ),
    (
        "8.1 R-12 a last card in row 1 ends the game by its column",
        Position(seats=2, board={"c1": "Wa1", "b2": "Wa2", "b3": "Wa3", "d4": "Wa4", "e5": "Wb1"})
        | Position(fill=False),
        "take c1",
        ASKED_TO_KEEP,
    ),
    (
        "8.1 the last card of a line after Declinatio ends the game",
        near_the_end() | Position(stops=[3, 0], spells={0: "Declinatio"}),
        "declinatio, take c3",
        ASKED_TO_KEEP | {"declinatio 0": "2"},
    ),
    (
        "8.1 a card that leaves others in both its lines ends nothing",
        near_the_end(c1="Wa1", f3="Wa2"),
        "take c3",
        {"ending": "none", "asked": "1", "cauldron 0": "Pa2", "cell c3": ""},
    ),
    (
        "8.1 the last card of the pile ends nothing",
        Position(seats=2, pile="Wa1"),
        "take c1",
        {"ending": "none", "asked": "1", "pile": ""},
    ),
    (
        "8.1 R-13 an Immuto counts as a last card",
        near_the_end(c3="Immuto"),
        "take c3",
        ASKED_TO_KEEP,
    ),
    ("8.1 R-13 an Accio counts as a last card", near_the_end(c3="Accio"), "take c3", ASKED_TO_KEEP),
    (
        "8.1 R-13 a Declinatio counts as a last card",
        near_the_end(c3="Declinatio"),
        "take c3",
        ASKED_TO_KEEP,
    ),
    (
        "8.1 R-13 a Perluceo counts as a last card",
        near_the_end(c3="Perluceo"),
        "take c3",
        ASKED_TO_KEEP,
    ),
    (
        "8.1 R-13 a Vanesco counts as a last card",
        near_the_end(c3="Vanesco"),
        "take c3",
        {"asked": "nobody", "ending": "line_emptied", "ender": "0"},
    ),
    (
        "8.2 the seat that took the last card is the ender",
        near_the_end() | Position(seat=1),
        "take c3, keep",
        {"ending": "line_emptied", "ender": "1", "asked": "nobody"},
    ),
    (
        "8.3 a kept ingredient goes on top of the cauldron",
        near_the_end() | WITH_GA2,
        "take c3, keep",
        {"cauldron 0": "Ga2 Pa2", "out": "", "asked": "nobody", "scores": "-4 0"},
    ),
    (
        "8.3 a discarded ingredient leaves the game",
        near_the_end() | WITH_GA2,
        "take c3, discard",
        {"cauldron 0": "Ga2", "out": "Pa2", "asked": "nobody", "scores": "-2 0"},
    ),
    (
        "8.3 a kept Immuto goes on top of the cauldron",
        near_the_end(c3="Immuto") | WITH_GA2,
        "take c3, keep",
        {"cauldron 0": "Ga2 Immuto", "out": "", "assigned 0": "Ga", "scores": "0 0"},
    ),
    (
        "8.3 a discarded Immuto leaves the game",
        near_the_end(c3="Immuto") | WITH_GA2,
        "take c3, discard",
        {"cauldron 0": "Ga2", "out": "Immuto", "assigned 0": "", "scores": "-2 0"},
    ),
    *(
        (
            f"8.3 R-24 a kept {spell} counts as taken and brings no charges",
            near_the_end(c3=spell) | WITH_GA2,
            "take c3, keep",
            {
                "cauldron 0": "Ga2",
                "spells 0": spell,
                "accio 0": "0",
                "declinatio 0": "0",
                "out": "",
                "asked": "nobody",
            },
        )
        for spell in ("Accio", "Declinatio", "Perluceo")
    ),
    *(
        (
            f"8.3 R-24 a discarded {spell} leaves the game and does not count as taken",
            near_the_end(c3=spell) | WITH_GA2,
            "take c3, discard",
            {"cauldron 0": "Ga2", "spells 0": "", "out": spell, "asked": "nobody"},
        )
        for spell in ("Accio", "Declinatio", "Perluceo")
    ),
    (
        "8.4 R-14 a last card that is a Vanesco acts, counts as taken and asks nothing",
        Position(
            seats=3,
            board=sparse(c3="Vanesco"),
            fill=False,
            cauldrons={0: "Ga2", 1: "Oa1 Oa3", 2: "Na1"},
        ),
        "take c3",
        {
            "asked": "nobody",
            "ending": "line_emptied",
            "ender": "0",
            "cauldron 0": "Ga2",
            "cauldron 1": "Oa1",
            "cauldron 2": "",
            "out": "Oa3 Na1",
            "pile": "",
            "spells 0": "Vanesco",
            "scores": "-2 -1 0",
        },
    ),
    (
        "8.5 R-15 the seat that steered into a dead end is the ender and takes nothing",
        near_the_end(c3="Vanesco")
        | Position(seat=1, stops=[0, 3], spells={1: "Declinatio"}, cauldrons={1: "Ga2"}),
        "declinatio",
        {
            "asked": "nobody",
            "ending": "dead_end",
            "ender": "1",
            "cauldron 1": "Ga2",
            "cell c3": "Vanesco",
            "out": "",
            "scores": "0 -4",
        },
    ),
    (
        "8.5 R-15 by option a dead end has no ender",
        near_the_end(c3="Vanesco")
        | Position(stops=[3, 0], spells={0: "Declinatio"}, dead_end_counts_as_end=False),
        "declinatio",
        {"asked": "nobody", "ending": "dead_end", "ender": "None"},
    ),
    (
        "8.5 R-15 the option leaves the ender of an emptied line alone",
        near_the_end() | Position(dead_end_counts_as_end=False),
        "take c3, keep",
        {"ending": "line_emptied", "ender": "0"},
    ),
)
def test_the_end_of_the_game(position: Position, moves: str, expected: dict[str, str]) -> None:
    assert_facts(after(position, moves).state, expected)


OPEN_OR_NOT = near_the_end(f3="Wa1") | Position(cauldrons={0: "Ga2", 1: "Oa1 Oa3"})


@table(
    "moves, cauldrons",
    ("8.6 before the end no cauldron is open", "", None),
    ("8.6 while the ender is asked no cauldron is open", "take c3", None),
    ("8.6 after the end cauldrons are open", "take c3, discard", ["Ga2", "Oa1 Oa3"]),
    ("8.6 cauldrons open with the last card in them", "take c3, keep", ["Ga2 Pa2", "Oa1 Oa3"]),
)
def test_cauldrons_open_at_the_end(moves: str, cauldrons: list[str] | None) -> None:
    state = after(OPEN_OR_NOT, moves).state
    for viewer in (None, Seat(0), Seat(1)):
        seen = [names(cauldron) for cauldron in GAME.view(state, viewer).cauldrons]
        assert seen == (cauldrons or [])


# 11. What a seat may know -----------------------------------------------------------------------

PUBLIC = Position(
    seats=3,
    seat=1,
    stops=[4, 0, 17],
    pile="Wa1 Wa2 Wa3",
    board={"c1": "Vanesco", "f5": "Sb4"},
    cauldrons={0: "Oa1 Oa2 Oa3", 2: "Immuto"},
    spells={0: "Accio Perluceo", 2: "Declinatio"},
    accio={0: 0},
    declinatio={2: 1},
    out="Na1 Na2",
)


def _spells_seen(view: View) -> list[str]:
    return [f"{names(own.taken)}: {own.accio} {own.declinatio}" for own in view.spells]


@table(
    "look, expected",
    ("11.1 the size of the pile is public", lambda view: view.pile_size, 3),
    ("11.1 the stops of all pawns are public", lambda view: view.stops, (4, 2, 17)),
    (
        "11.1 the top of every cauldron is public",
        lambda view: [CARD_NAMES[card] for card in view.tops],
        ["Oa3", "", "Immuto"],
    ),
    ("11.1 R-27 the height of every cauldron is public", lambda view: view.heights, (3, 0, 1)),
    (
        "7.1 R-28 spells and charges are public, also when they are used up",
        _spells_seen,
        ["Accio Perluceo: 0 0", ": 0 0", "Declinatio: 0 1"],
    ),
    ("11.1 cards that left the game are public", lambda view: names(view.out), "Na1 Na2"),
    ("11.1 nothing was removed with three seats", lambda view: view.removed_colour, None),
    (
        "11.1 every card on the board is public",
        lambda view: [CARD_NAMES[view.board[CELLS_BY_NAME[cell]]] for cell in ("c1", "f5", "a1")],
        ["Vanesco", "Sb4", ""],
    ),
    ("11.3 covered cards are hidden, one's own included", lambda view: view.cauldrons, ()),
)
def test_everybody_may_know(look: Callable[[View], object], expected: object) -> None:
    state = begin_turn(**PUBLIC).state
    for viewer in (None, *map(Seat, range(3))):
        assert look(GAME.view(state, viewer)) == expected


@table(
    "moves",
    ("11.1 losses, takes and refills are told to everybody", "take c1"),
    ("11.1 takes that cover the cauldron are told to everybody", "take c2"),
)
def test_everybody_sees_every_event(moves: str) -> None:
    events = after(PUBLIC, moves).events
    assert len(events) >= 3
    assert all(event.visible_to(v) for event in events for v in (None, *map(Seat, range(3))))


@table(
    "change, blind",
    (
        "11.3 nobody can see the order of the pile",
        Position(pile="Wa3 Wa1 Wa2"),
        (None, 0, 1, 2),
    ),
    (
        "11.3 11.4 nobody can see covered cards, not even in the own cauldron",
        Position(cauldrons={0: "Na1 Nb4 Oa3", 2: "Immuto"}),
        (None, 0, 1, 2),
    ),
    (
        "11.4 views hold tops and heights only: the order below does not show",
        Position(cauldrons={0: "Oa2 Oa1 Oa3", 2: "Immuto"}),
        (None, 0, 1, 2),
    ),
    (
        "11.2 nobody else can see a recipe",
        Position(recipes=["A:O B:most_ones", "A:N B:ended_game", "A:S B:fewest_cards"]),
        (None, 0, 2),
    ),
)
def test_nobody_may_know(change: Position, blind: tuple[int | None, ...]) -> None:
    usual = Position(recipes=["A:O B:most_ones", "A:W B:fewest_fours", "A:S B:fewest_cards"])
    usual_table, other = (
        begin_turn(**(PUBLIC | usual | more)).state for more in (Position(), change)
    )
    assert usual_table != other
    for viewer in (None, 0, 1, 2):
        seat = None if viewer is None else Seat(viewer)
        alike = GAME.view(usual_table, seat) == GAME.view(other, seat)
        assert alike == (viewer in blind)


@table("removed", ("11.1 3.2 R-3 the removed colour is public", "R"))
def test_the_removed_colour_is_public(removed: str) -> None:
    state = begin_turn(seats=2, pile=5).state
    assert [GAME.view(state, v).removed_colour for v in (None, Seat(0), Seat(1))] == [removed] * 3


# 12. Decisions and notation ---------------------------------------------------------------------

END_WITH_IMMUTO = near_the_end() | Position(
    cauldrons={0: "Oa1 Oa2", 1: "Oa4 Immuto"}, recipes=["A:O B:most_ones", "A:S B:fewest_cards"]
)
ONE_IMMUTO = (
    "immuto Ya, immuto Yb, immuto Ga, immuto Gb, immuto Ba, immuto Bb, immuto Oa, immuto Ob, "
    "immuto Pa, immuto Pb, immuto Wa, immuto Wb, immuto Na, immuto Nb, immuto Sa, immuto Sb"
)
"""With two seats, yellow and green, red is not in the game."""


@table(
    "position, moves, seat, expected",
    (
        "12.1 at a corner with Declinatio: declinatio, pass",
        bending("", 3),
        "",
        0,
        "declinatio, pass",
    ),
    (
        "12.1 at a line: takes in the order of the cells",
        Position(stops=[5, 0, 0, 0], pile=5),
        "",
        0,
        "take a3, take b3, take c3, take d3, take e3, take f3",
    ),
    ("12.1 with the last card: keep, discard", near_the_end(), "take c3", 0, "keep, discard"),
    ("12.1 at the end with Immuto: assignments", END_WITH_IMMUTO, "take c3, keep", 1, ONE_IMMUTO),
    ("12.1 at the end without Immuto: nothing", END_WITH_IMMUTO, "take c3, keep", 0, ""),
    ("12.1 a seat that is not asked has no moves", Position(pile=5), "", 1, ""),
    ("12.1 when the game is over nobody has moves", near_the_end(), "take c3, keep", 0, ""),
)
def test_legal_moves_are_listed_in_order(
    position: Position, moves: str, seat: int, expected: str
) -> None:
    assert ", ".join(legal(after(position, moves).state, seat)) == expected


@table(
    "position, moves, expected",
    ("12.2 R-26 the default take is the first cell of the line", Position(pile=5), "", "take c1"),
    (
        "12.2 R-26 the default take is the first cell that holds a card",
        near_the_end(c6="Wa1"),
        "",
        "take c3",
    ),
    (
        "12.2 R-26 with Accio the default take is the first cell of the board",
        Position(pile=5, spells={0: "Accio"}),
        "",
        "take b1",
    ),
    (
        "12.2 R-26 the default take with Accio leaves out a Vanesco elsewhere",
        Position(board={"b1": "Vanesco"}, pile=5, spells={0: "Accio"}),
        "",
        "take c1",
    ),
    (
        "12.2 R-26 the default take after Declinatio leaves out a Vanesco",
        bending("", 3) | Position(board={"a3": "Vanesco"}),
        "declinatio",
        "take b3",
    ),
    ("12.2 R-26 the default at a corner is pass", bending("", 3), "", "pass"),
    ("12.2 R-26 the default for the last card is keep", near_the_end(), "take c3", "keep"),
)
def test_default_moves(position: Position, moves: str, expected: str) -> None:
    state = after(position, moves).state
    assert GAME.format_move(GAME.default_move(state, state.seat)) == expected


@table(
    "text, written",
    ("12.1 a take is written with its cell", "take c2", "take c2"),
    ("12.1 Declinatio is written in small letters", "declinatio", "declinatio"),
    ("12.1 pass is written as pass", "pass", "pass"),
    ("12.1 keep is written as keep", "keep", "keep"),
    ("12.1 discard is written as discard", "discard", "discard"),
    ("12.1 one Immuto is written with its ingredient", "immuto Oa", "immuto Oa"),
    ("9.7 two Immuto are written in the order of ingredients", "immuto Oa Gb", "immuto Gb Oa"),
    ("9.7 two Immuto may go to one ingredient", "immuto Sb Sb", "immuto Sb Sb"),
)
def test_moves_are_written(text: str, written: str) -> None:
    assert GAME.format_move(GAME.parse_move(text)) == written


@table(
    "text, words",
    ("12.1 there is no cell z9", "take z9", "a1 to f6"),
    ("12.1 there is no ingredient Zz", "immuto Zz", "Ya"),
    ("12.1 a take needs a cell", "take", "take CELL"),
    ("12.1 an unknown word is no move", "fly", "take CELL"),
    ("12.1 a misspelt word gets a hint", "declinato", 'Did you mean "declinatio"'),
    ("12.1 nothing is no move", "", "take CELL"),
)
def test_text_that_is_no_move(text: str, words: str) -> None:
    with pytest.raises(NotationError, match=words):
        GAME.parse_move(text)


# Violations -------------------------------------------------------------------------------------

TWO_IMMUTO = END_WITH_IMMUTO | Position(cauldrons={1: "Oa4 Immuto Immuto"})
AT_COLUMN_C = Position(pile=5)
BY_ACCIO = Position(board={"a4": "Vanesco", "f3": "Perluceo"}, pile=5, spells={0: "Accio"})


@table(
    "position, moves, seat, move, rule, right",
    (
        "12.1 4.1 it is not the turn of seat 1",
        AT_COLUMN_C,
        "",
        1,
        "take c1",
        "12.1",
        "seat 0 must decide",
    ),
    (
        "4.3 no card at a corner",
        bending("", 3),
        "",
        0,
        "take c1",
        "4.3",
        "declinatio or pass",
    ),
    (
        "7.3 no Accio at a corner",
        AT_A_CORNER | Position(spells={0: "Accio Declinatio"}),
        "",
        0,
        "take c1",
        "4.3",
        "declinatio or pass",
    ),
    ("4.3 nothing to keep at a corner", bending("", 3), "", 0, "keep", "4.3", "declinatio or pass"),
    ("4.4 R-21 no pass at a line", AT_COLUMN_C, "", 0, "pass", "4.4", "column c"),
    (
        "4.4 no Declinatio at a line",
        AT_COLUMN_C | Position(spells={0: "Declinatio"}),
        "",
        0,
        "declinatio",
        "4.4",
        "column c",
    ),
    ("4.4 nothing to keep at a line", AT_COLUMN_C, "", 0, "keep", "4.4", "column c"),
    ("4.4 R-21 nothing to discard at a line", AT_COLUMN_C, "", 0, "discard", "4.4", "column c"),
    ("4.4 no Immuto to assign at a line", AT_COLUMN_C, "", 0, "immuto Oa", "4.4", "column c"),
    ("4.4 no pass after Declinatio", bending("", 3), "declinatio", 0, "pass", "4.4", "row 3"),
    ("5.1 a corner cell holds no card", AT_COLUMN_C, "", 0, "take a1", "5.1", "column c"),
    ("5.1 an empty cell holds no card", near_the_end(), "", 0, "take c1", "5.1", "column c"),
    ("5.1 a card elsewhere is out of reach", AT_COLUMN_C, "", 0, "take b1", "5.1", "column c"),
    (
        "5.2 a card elsewhere is out of reach once Accio is used up",
        AT_COLUMN_C | Position(spells={0: "Accio"}, accio={0: 0}),
        "",
        0,
        "take b1",
        "5.1",
        "column c",
    ),
    ("5.2 no Vanesco by Accio", BY_ACCIO, "", 0, "take a4", "5.2", "column c"),
    ("5.2 no Perluceo by Accio", BY_ACCIO, "", 0, "take f3", "5.2", "column c"),
    (
        "5.3 no other line after Declinatio",
        bending("", 3),
        "declinatio",
        0,
        "take a2",
        "5.3",
        "row 3",
    ),
    ("5.3 no Accio after Declinatio", BENT, "declinatio", 0, "take a2", "5.3", "row 3"),
    ("5.3 no Vanesco after Declinatio", BENT, "declinatio", 0, "take b3", "5.3", "row 3"),
    ("5.3 no Perluceo after Declinatio", BENT, "declinatio", 0, "take e3", "5.3", "row 3"),
    (
        "8.3 no second take at the end",
        near_the_end(),
        "take c3",
        0,
        "take b2",
        "8.3",
        "keep or discard",
    ),
    ("8.3 no pass at the end", near_the_end(), "take c3", 0, "pass", "8.3", "keep or discard"),
    (
        "12.1 8.2 only the ender is asked",
        near_the_end(),
        "take c3",
        1,
        "keep",
        "12.1",
        "seat 0 must decide",
    ),
    (
        "8.1 no move after the end",
        near_the_end(),
        "take c3, keep",
        0,
        "take b2",
        "8.1",
        "the game is over",
    ),
    (
        "8.4 R-14 a Vanesco as last card cannot be refused",
        near_the_end(c3="Vanesco"),
        "take c3",
        0,
        "discard",
        "8.1",
        "the game is over",
    ),
    (
        "9.3 R-20 an ingredient of the removed colour is not in the game",
        END_WITH_IMMUTO,
        "take c3, keep",
        1,
        "immuto Ra",
        "9.3",
        "red was removed",
    ),
    (
        "9.6 one Immuto goes to one ingredient",
        END_WITH_IMMUTO,
        "take c3, keep",
        1,
        "immuto Oa Ob",
        "9.6",
        "one ingredient",
    ),
    (
        "9.6 two Immuto need two ingredients",
        TWO_IMMUTO,
        "take c3, keep",
        1,
        "immuto Oa",
        "9.6",
        "two ingredients",
    ),
    (
        "9.6 nothing else can be played while Immuto is assigned",
        END_WITH_IMMUTO,
        "take c3, keep",
        1,
        "pass",
        "9.6",
        "one ingredient",
    ),
    (
        "12.1 9.6 a seat without Immuto is not asked",
        END_WITH_IMMUTO,
        "take c3, keep",
        0,
        "immuto Oa",
        "12.1",
        "seat 1 must decide",
    ),
)
def test_a_violation_cites_its_paragraph_and_names_what_is_right(
    position: Position, moves: str, seat: int, move: str, rule: str, right: str
) -> None:
    state = after(position, moves).state
    assert rule_broken(state, move, seat) == f"glastonbury#{rule}"
    violation = GAME.check(state, Seat(seat), GAME.parse_move(move))
    assert violation is not None
    assert right in violation.message
    assert violation.message.endswith(".")
    assert move not in legal(state, seat)
    with pytest.raises(IllegalMoveError):
        GAME.apply(state, {Seat(seat): GAME.parse_move(move)})


@table(
    "position, moves, move",
    ("5.1 what check says, apply raises at a line", AT_COLUMN_C, "", "take b1"),
    ("4.3 what check says, apply raises at a corner", bending("", 3), "", "take c1"),
    ("5.3 what check says, apply raises after Declinatio", BENT, "declinatio", "take a2"),
    ("8.3 what check says, apply raises at the end", near_the_end(), "take c3", "pass"),
    ("9.6 what check says, apply raises of Immuto", END_WITH_IMMUTO, "take c3, keep", "keep"),
)
def test_an_illegal_move_is_refused(position: Position, moves: str, move: str) -> None:
    state = after(position, moves).state
    (seat,) = GAME.to_act(state)
    with pytest.raises(IllegalMoveError) as raised:
        GAME.apply(state, {seat: GAME.parse_move(move)})
    assert raised.value.violation == GAME.check(state, seat, GAME.parse_move(move))
    assert raised.value.violation.rule in str(raised.value)


@table(
    "position, moves, given, asked",
    ("12.1 the seat that is asked must decide", AT_COLUMN_C, "", {}, "seat 0"),
    ("12.1 nobody else can decide", AT_COLUMN_C, "", {1: "take c1"}, "seat 0"),
    ("12.1 nobody can decide with it", AT_COLUMN_C, "", {0: "take c1", 1: "take c2"}, "seat 0"),
    ("12.1 the ender must decide", near_the_end(), "take c3", {}, "seat 0"),
    ("12.1 the holder of Immuto must decide", END_WITH_IMMUTO, "take c3, keep", {}, "seat 1"),
    (
        "12.1 a seat without Immuto cannot decide with the holder",
        END_WITH_IMMUTO,
        "take c3, keep",
        {0: "immuto Oa", 1: "immuto Oa"},
        "seat 1",
    ),
)
def test_exactly_the_seats_that_are_asked_decide(
    position: Position, moves: str, given: dict[int, str], asked: str
) -> None:
    state = after(position, moves).state
    with pytest.raises(IllegalMoveError, match=f"{asked} must decide") as raised:
        GAME.apply(state, {Seat(seat): GAME.parse_move(move) for seat, move in given.items()})
    assert raised.value.violation.rule == "glastonbury#12.1"


@table(
    "given",
    ("8.1 after the end no move is waited for", {}),
    ("8.1 after the end no move is accepted", {0: "keep"}),
)
def test_after_the_end_nothing_can_be_played(given: dict[int, str]) -> None:
    state = after(near_the_end(), "take c3, keep").state
    with pytest.raises(IllegalMoveError, match="game is over") as raised:
        GAME.apply(state, {Seat(seat): GAME.parse_move(move) for seat, move in given.items()})
    assert raised.value.violation.rule == "glastonbury#8.1"


@table(
    "position, moves",
    ("12.1 legal at a line means allowed by check", Position(board=MIXED, fill=False), ""),
    (
        "12.1 legal with Accio means allowed by check",
        Position(board=MIXED, fill=False, spells={0: "Accio"}),
        "",
    ),
    ("12.1 legal at a corner means allowed by check", BENT, ""),
    ("12.1 legal after Declinatio means allowed by check", BENT, "declinatio"),
    ("12.1 legal with the last card means allowed by check", near_the_end(), "take c3"),
    ("12.1 legal with Immuto means allowed by check", END_WITH_IMMUTO, "take c3, keep"),
)
def test_exactly_the_legal_moves_break_no_rule(position: Position, moves: str) -> None:
    state = after(position, moves).state
    (seat,) = GAME.to_act(state)
    every_move = [
        *(f"take {cell}" for cell in CELL_NAMES),
        "declinatio",
        "pass",
        "keep",
        "discard",
        *(f"immuto {ingredient}" for ingredient in INGREDIENT_NAMES),
    ]
    allowed = [move for move in every_move if rule_broken(state, move, seat) is None]
    assert allowed == legal(state, seat)
