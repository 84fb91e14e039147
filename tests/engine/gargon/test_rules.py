"""The rules page as cases: sections 1 to 6, 8 and 9, paragraph by paragraph.

Each case is named by its paragraph, its ruling if there is one, and what is promised. Expected
values are worked out from docs/rules/gargon.md by hand. Section 7 is in test_scoring.py, which also
checks that no paragraph and no ruling was forgotten.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypedDict

import pytest

from engine.errors import IllegalMoveError, NotationError, OptionsError
from engine.game import Event, OptionValue, Seat, Transition
from engine.gargon.cards import CARD_NAMES, COLOUR_LETTERS, COLOUR_NAMES, PILE_NAMES
from engine.gargon.moves import Battle, Draw, Pass, Pick, Play
from engine.gargon.state import (
    BattleChosen,
    Captured,
    Drew,
    Ended,
    HandsOpened,
    Laid,
    LeadLost,
    Lost,
    Passed,
    Phase,
    PileEmptied,
    Revealed,
    RoundBegan,
    Saw,
    State,
)
from engine.shuffle import seed_from_text
from tests.engine.gargon.positions import (
    GAME,
    begin_round,
    cards,
    legal,
    names,
    play,
    play_forced,
    rule_broken,
)

# The language of the tables -----------------------------------------------------------------------

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
    """What ``begin_round`` takes.

    Where a case says nothing, there are three seats, seat 0 leads, pile A is green from the 1 on
    and pile B white from the 1 on, six cards each.
    """

    seats: int
    leader: int
    hands: Mapping[int, str]
    pile_a: str
    pile_b: str
    captured: Mapping[int, str]
    discards: str
    options: Mapping[str, OptionValue]


def after(position: Position, moves: str = "") -> Transition[State]:
    """Begin a round and play moves, separated by commas."""
    return play(begin_round(**position), moves)


def _scores(state: State, _: str) -> str:
    outcome = GAME.outcome(state)
    return " ".join(map(str, outcome.scores)) if outcome else "none"


FACTS: dict[str, Callable[[State, str], str]] = {
    "asked": lambda state, _: " ".join(map(str, GAME.to_act(state))) or "nobody",
    "for": lambda state, _: str(state.phase),
    "legal": lambda state, _: ", ".join(legal(state)),
    "hand": lambda state, seat: names(state.hands[int(seat)]),
    "pile": lambda state, name: names(state.piles["AB".index(name)]),
    "laid": lambda state, seat: names(state.laid[int(seat)]),
    "captured": lambda state, seat: names(state.captured[int(seat)]),
    "discards": lambda state, _: names(state.discards),
    "leader": lambda state, _: str(state.leader),
    "round": lambda state, _: str(state.round),
    "scores": _scores,
}


def assert_facts(state: State, expected: Mapping[str, str]) -> None:
    """Assert that each question, such as "hand 1", has the answer expected."""
    found = {}
    for question in expected:
        word, _, of_what = question.partition(" ")
        found[question] = FACTS[word](state, of_what)
    assert found == expected


_SENTENCES: dict[type[Event], Callable[[Any], str]] = {
    RoundBegan: lambda e: f"{e.seat} leads",
    LeadLost: lambda e: f"{e.seat} cannot lead",
    Laid: lambda e: f"{e.seat} lays {names(e.cards)}",
    Passed: lambda e: f"{e.seat} passes",
    Drew: lambda e: f"{e.seat} draws {CARD_NAMES[e.card]} from {PILE_NAMES[e.pile]}",
    Saw: lambda e: f"{e.seat} sees {CARD_NAMES[e.card]}",
    PileEmptied: lambda e: f"pile {PILE_NAMES[e.pile]} is empty",
    Revealed: lambda e: " / ".join(["open", *(names(own) or "-" for own in e.laid)]),
    BattleChosen: lambda e: f"{e.seat} chooses {COLOUR_NAMES[e.colour]}",
    Captured: lambda e: f"{e.seat} captures {CARD_NAMES[e.card]}",
    Lost: lambda e: f"{e.seat} loses {CARD_NAMES[e.card]}",
    Ended: lambda e: f"over: {e.ending}",
    HandsOpened: lambda e: " / ".join(["hands", *(names(own) or "-" for own in e.hands)]),
}


def story(events: Sequence[Event]) -> list[str]:
    """Tell what happened, a sentence for each event."""
    return [_SENTENCES[type(event)](event) for event in events]


# 1. Cards -----------------------------------------------------------------------------------------

SEED = seed_from_text("7")


def dealt(seats: int) -> State:
    return GAME.deal(GAME.spec.options(seats), SEED).state


def described(seats: int) -> list[str]:
    """Return the shuffled cards by name."""
    found = GAME.describe_deal(GAME.spec.options(seats), SEED)["cards"]
    assert isinstance(found, list)
    return found


@table(
    "count",
    ("1.1 there are 102 cards, 17 of each colour", {"all": 102, "colour": 17}),
    ("1.1 each value of each colour is there once, and 0 twice", {"value": 1, "zero": 2}),
)
def test_the_cards(count: dict[str, int]) -> None:
    deck = Counter(described(4))
    counted = {
        "all": {deck.total()},
        "colour": {sum(deck[f"{letter}{v}"] for v in range(16)) for letter in "WBVYRG"},
        "value": {deck[f"{letter}{v}"] for letter in "WBVYRG" for v in range(1, 16)},
        "zero": {deck[f"{letter}0"] for letter in "WBVYRG"},
    }
    assert {what: counted[what] for what in count} == {k: {n} for k, n in count.items()}


@table("letter, name", ("1.2 R-1 manticores are yellow", "Y", "yellow"))
def test_the_colours(letter: str, name: str) -> None:
    assert COLOUR_NAMES[COLOUR_LETTERS.index(letter)] == name
    assert COLOUR_LETTERS == "WBVYRG"
    assert COLOUR_NAMES == ("white", "blue", "violet", "yellow", "red", "green")


@table(
    "viewer, laid",
    ("1.3 4.5 8.1 others see the backs of what is laid", 1, "R? Y?"),
    ("1.3 8.1 a spectator sees the backs of what is laid", None, "R? Y?"),
    ("1.3 8.2 a seat sees the faces of what it has laid", 0, "R9 Y4"),
)
def test_what_lies_face_down(viewer: int | None, laid: str) -> None:
    state = after(Position(hands={0: "R9 Y4 W2", 1: "B1 B2"}), "play YR, pick Y4, pick R9").state
    view = GAME.view(state, None if viewer is None else Seat(viewer))
    assert sorted(names(view.laid[0]).split()) == laid.split()


# 2. Set-up ----------------------------------------------------------------------------------------


@table(
    "seats, expected",
    ("2.1 R-2 with three seats seat 0 leads first", 3, {"asked": "0", "for": "lead"}),
    ("2.1 R-2 with four seats seat 0 leads first", 4, {"asked": "0", "for": "lead"}),
    ("2.1 R-2 with five seats seat 0 leads first", 5, {"asked": "0", "for": "lead"}),
)
def test_who_begins(seats: int, expected: dict[str, str]) -> None:
    begun = GAME.deal(GAME.spec.options(seats), SEED)
    assert_facts(begun.state, expected)
    assert story(begun.events) == ["0 leads"]


@table(
    "seats, pile",
    ("2.2 three seats leave two piles of 36", 3, 36),
    ("2.2 four seats leave two piles of 31", 4, 31),
    ("2.2 five seats leave two piles of 26", 5, 26),
)
def test_the_deal(seats: int, pile: int) -> None:
    state, deck = dealt(seats), described(seats)
    for seat in range(seats):
        assert sorted(names(state.hands[seat]).split()) == sorted(deck[10 * seat : 10 * seat + 10])
    rest = deck[10 * seats :]
    assert_facts(state, {"pile A": " ".join(rest[:pile]), "pile B": " ".join(rest[pile:])})
    assert len(rest) == 2 * pile


@table(
    "moves, expected",
    ("2.3 4.6 the top card of pile A is drawn", "pass A", {"hand 1": "V2 G1", "pile A": "G2 G3"}),
    ("2.3 4.6 the top card of pile B is drawn", "pass B", {"hand 1": "W1 V2", "pile B": "W2 W3"}),
)
def test_only_top_cards_are_drawn(moves: str, expected: dict[str, str]) -> None:
    position = Position(hands={0: "R9", 1: "V2"}, pile_a="G1 G2 G3", pile_b="W1 W2 W3")
    assert_facts(after(position, f"play R, pick R9, {moves}").state, expected)


@table(
    "viewer",
    ("2.3 2.4 8.1 a seat sees the colours of all hands and of both piles", 1),
    ("2.3 2.4 8.1 a spectator sees the colours of all hands and of both piles", None),
)
def test_colours_are_public(viewer: int | None) -> None:
    state = begin_round(hands={0: "R9 R0 W3", 1: "G7", 2: ""}, pile_a="G1 W2", pile_b="R4 R2 B1")
    view = GAME.view(state, None if viewer is None else Seat(viewer))
    assert view.counts == (1, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0)
    assert [names(pile) for pile in view.piles] == ["G? W?", "R? R? B?"]


ALL_OF_TWO_COLOURS = " ".join(f"{letter}{value}" for letter in "RG" for value in range(16))


@table("size", ("2.4 R-18 a hand of 32 cards may grow", 35))
def test_hands_have_no_limit(size: int) -> None:
    position = Position(hands={0: "Y1", 1: ALL_OF_TWO_COLOURS}, pile_a="V1 V2 V3 V4")
    state = after(position, "play Y, pick Y1, pass A, draw A, draw A").state
    assert len(state.hands[1]) == size


# 3. Shapes ----------------------------------------------------------------------------------------

SIX_COLOURS = "W1 W2 B1 B2 V1 V2 Y1 Y2 R1 R2 G1 G2"
LED_21 = "play YYR, pick Y7 Y3, pick R9"


@table(
    "hand, options, expected",
    ("3.2 one card", "R9", {}, "play R"),
    ("3.2 two of one colour", "R9 R3", {}, "play R, play RR"),
    ("3.2 two of different colours", "R9 Y3", {}, "play Y, play R, play YR"),
    (
        "3.2 two of one colour and one of another",
        "R9 R3 Y3",
        {},
        "play Y, play R, play RR, play YR, play RRY",
    ),
    (
        "3.2 3.3 R-17 three of different colours",
        "R9 Y3 B4",
        {},
        "play B, play Y, play R, play BY, play BR, play YR, play BYR",
    ),
    (
        "3.2 three of one colour are no play",
        "R9 R3 R4",
        {},
        "play R, play RR",
    ),
    (
        "3.3 R-17 three of different colours are no play by option",
        "R9 Y3 B4",
        {"allow_111": False},
        "play B, play Y, play R, play BY, play BR, play YR",
    ),
    (
        "3.3 3.2 the option leaves two and one alone",
        "R9 R3 Y3",
        {"allow_111": False},
        "play Y, play R, play RR, play YR, play RRY",
    ),
    (
        "3.4 9.2 the pair is written first and pairs are compared first",
        "W1 W2 G1 G2",
        {},
        "play W, play G, play WW, play GG, play WG, play WWG, play GGW",
    ),
    ("1.1 4.2 the zeros of a colour are a pair", "R0 R0", {}, "play R, play RR"),
)
def test_what_may_be_led(hand: str, options: dict[str, OptionValue], expected: str) -> None:
    assert_facts(begin_round(hands={0: hand}, options=options), {"legal": expected})


@table("number", ("3.2 9.2 a hand with two of each colour has all 77 patterns", 77))
def test_all_patterns(number: int) -> None:
    found = legal(begin_round(hands={0: SIX_COLOURS}))
    assert len(set(found)) == len(found) == number
    lengths = [len(play) - len("play ") for play in found]
    assert Counter(lengths) == {1: 6, 2: 6 + 15, 3: 30 + 20}


ALL_RED = " ".join(f"R{value}" for value in (0, *range(16)))


@table(
    "hands, moves, number",
    ("9.2 a follow has at most 32 moves", {0: "Y3 Y7 R9", 1: SIX_COLOURS}, LED_21, 30 + 2),
    ("9.2 a pick has at most 121 moves", {0: ALL_RED}, "play RR", 16 * 15 // 2 + 1),
    ("9.2 a single pick has at most 16", {0: ALL_RED}, "play R", 16),
)
def test_the_longest_lists(hands: dict[int, str], moves: str, number: int) -> None:
    found = legal(after(Position(hands=hands), moves).state)
    assert len(set(found)) == len(found) == number


@table(
    "move, rule",
    ("3.1 four cards are too many", "play RRYY", "3.1"),
    ("3.1 a card of a colour that the hand has not", "play W", "3.1"),
    ("3.1 two of a colour of which the hand has one", "play YY", "3.1"),
    ("3.2 three of one colour are forbidden", "play RRR", "3.2"),
    ("4.2 R-4 the first player cannot pass", "pass A", "4.2"),
    ("4.2 R-4 the first player cannot pass without a pile either", "pass", "4.2"),
    ("4.2 the first player cannot pick before a pattern is chosen", "pick R9", "4.2"),
    ("4.2 the first player can play what the hand fills", "play RRY", None),
)
def test_what_is_wrong_with_a_lead(move: str, rule: str | None) -> None:
    assert rule_broken(begin_round(hands={0: "R9 R3 R4 Y1"}), move) == rule


@table("rule", ("3.3 R-17 by option the violation names its paragraph", "3.3"))
def test_what_is_wrong_with_three_different(rule: str) -> None:
    state = begin_round(hands={0: "R9 Y3 B4"}, options={"allow_111": False})
    assert rule_broken(state, "play BYR") == rule


# 4. Laying cards ----------------------------------------------------------------------------------

FOUR_HANDS = {
    0: "Y3 Y7 R9 W5",
    1: "B1 B4 V6 V2",
    2: "G3 G4 B5 W8",
    3: "G8 G9 Y1 W9 W10",
}
"""The example of the sheet for the last seat, with colours and values of our own."""


@table(
    "moves, asked",
    ("4.1 seat 0 lays first", "", "0"),
    ("4.1 then seat 1", "play R, pick R9", "1"),
    ("4.1 then seat 2", "play R, pick R9, play V, pick V6", "2"),
    ("4.1 then seat 3, after a pass too", "play R, pick R9, play V, pick V6, pass A, stop", "3"),
)
def test_the_order_of_laying(moves: str, asked: str) -> None:
    assert_facts(after(Position(seats=4, hands=FOUR_HANDS), moves).state, {"asked": asked})


@table(
    "leader, moves, asked",
    ("4.1 the order begins with the first player", "2", "", "2"),
    ("4.1 and goes around", "2", "play B, pick B5, pass A, stop", "0"),
    (
        "4.1 to the right of the first player",
        "2",
        "play B, pick B5, pass A, stop, pass A, stop",
        "1",
    ),
)
def test_the_order_from_another_first_player(leader: str, moves: str, asked: str) -> None:
    position = Position(seats=4, hands=FOUR_HANDS, leader=int(leader))
    assert_facts(after(position, moves).state, {"asked": asked})


@table(
    "moves, expected",
    (
        "4.3 the second seat has the shape of the first and all its colours",
        LED_21,
        "play BBV, play VVB, pass A, pass B",
    ),
    (
        "4.3 so has the third, which has one pair",
        f"{LED_21}, play BBV, pick B4 B1, pick V6",
        "play GGW, play GGB, pass A, pass B",
    ),
    (
        "4.4 R-7 R-8 the last seat has only colours that are on the table",
        f"{LED_21}, play BBV, pick B4 B1, pick V6, play GGB, pick G4 G3, pick B5",
        "play GGY, pass A, pass B",
    ),
    (
        "4.4 R-8 also those of the first player alone",
        f"{LED_21}, pass A, stop, pass A, stop",
        "pass A, pass B",
    ),
    (
        "4.3 a hand that cannot fill the shape must pass",
        "play WYR, pick W5, pick Y3, pick R9",
        "pass A, pass B",
    ),
)
def test_what_may_follow(moves: str, expected: str) -> None:
    assert_facts(after(Position(seats=4, hands=FOUR_HANDS), moves).state, {"legal": expected})


@table(
    "hands, moves, expected",
    (
        "4.4 R-7 the last seat is bound also if all others passed",
        {0: "R9", 1: "B1", 2: "R3 B4"},
        "play R, pick R9, pass A, stop",
        {"asked": "2", "legal": "play R, pass A, pass B"},
    ),
    (
        "4.4 R-7 the seat before a last seat without cards is not bound",
        {0: "R9", 1: "B1 R2"},
        "play R, pick R9",
        {"asked": "1", "legal": "play B, play R, pass A, pass B"},
    ),
    (
        "4.4 R-7 and the last seat without cards can only pass",
        {0: "R9", 1: "B1 R2"},
        "play R, pick R9, play B, pick B1",
        {"asked": "2", "legal": "pass A, pass B"},
    ),
)
def test_the_last_seat(hands: dict[int, str], moves: str, expected: dict[str, str]) -> None:
    assert_facts(after(Position(hands=hands), moves).state, expected)


@table(
    "moves, move, rule",
    ("4.3 another shape than the first player's", LED_21, "play BB", "4.3"),
    (
        "4.3 as many cards, but another shape",
        f"{LED_21}, pass A, stop",
        "play WBG",
        "4.3",
    ),
    ("3.1 4.3 four cards do not follow either", LED_21, "play BBBV", "3.1"),
    ("4.3 three of one colour do not follow either", LED_21, "play BBB", "3.2"),
    ("4.3 4.6 a draw is not a pass", LED_21, "draw A", "4.3"),
    ("4.3 no battle before all have laid", LED_21, "battle R", "4.3"),
    ("4.6 a pass names a pile", LED_21, "pass", "4.6"),
    ("3.1 4.3 a pattern that the hand cannot fill", LED_21, "play GGW", "3.1"),
    (
        "4.4 a colour that nobody has laid",
        f"{LED_21}, pass A, stop, play GGB, pick G4 G3, pick B5",
        "play WWY",
        "4.4",
    ),
    (
        "4.4 one such colour is enough",
        f"{LED_21}, pass A, stop, play GGB, pick G4 G3, pick B5",
        "play GGW",
        "4.4",
    ),
    (
        "4.4 all colours laid",
        f"{LED_21}, pass A, stop, play GGB, pick G4 G3, pick B5",
        "play GGY",
        None,
    ),
)
def test_what_is_wrong_with_following(moves: str, move: str, rule: str | None) -> None:
    assert rule_broken(after(Position(seats=4, hands=FOUR_HANDS), moves).state, move) == rule


@table(
    "hand, moves, expected",
    (
        "4.5 9.2 one card of a colour, from low to high",
        "R9 R1 R15 Y2",
        "play R",
        {"asked": "0", "for": "pick", "legal": "pick R1, pick R9, pick R15"},
    ),
    (
        "4.5 9.2 two of a colour, by the higher card first",
        "R9 R1 R15 Y2",
        "play RR",
        {"legal": "pick R9 R1, pick R15 R1, pick R15 R9"},
    ),
    (
        "4.5 9.2 two zeros are listed once",
        "R0 R0 R3",
        "play R",
        {"legal": "pick R0, pick R3"},
    ),
    (
        "4.5 9.2 pairs with two zeros are listed once",
        "R0 R0 R3 R9",
        "play RR",
        {"legal": "pick R0 R0, pick R3 R0, pick R9 R0, pick R9 R3"},
    ),
    (
        "4.5 3.4 the pair is picked first",
        "W1 R9 R1 R15",
        "play RRW",
        {"legal": "pick R9 R1, pick R15 R1, pick R15 R9"},
    ),
    (
        "4.5 then the single card; until then all cards are in the hand",
        "W1 W2 R9 R1",
        "play RRW, pick R9 R1",
        {"asked": "0", "legal": "pick W1, pick W2", "hand 0": "W1 W2 R1 R9", "laid 0": ""},
    ),
    (
        "4.5 after the last pick all are laid at once",
        "W1 W2 R9 R1",
        "play RRW, pick R9 R1, pick W2",
        {"asked": "1", "hand 0": "W1", "laid 0": "R9 R1 W2"},
    ),
    (
        "4.5 a forced pick is a decision too",
        "R9",
        "play R",
        {"asked": "0", "for": "pick", "legal": "pick R9"},
    ),
)
def test_picking(hand: str, moves: str, expected: dict[str, str]) -> None:
    assert_facts(after(Position(hands={0: hand}), moves).state, expected)


@table(
    "moves, told",
    ("4.5 the pattern alone is told to nobody", "play RRW", []),
    ("4.5 nor a pick that is not the last", "play RRW, pick R9 R1", []),
    (
        "4.5 8.1 the last pick shows the colours",
        "play RRW, pick R9 R1, pick W2",
        ["0 lays R? R? W?"],
    ),
)
def test_what_is_told_of_picks(moves: str, told: list[str]) -> None:
    assert story(after(Position(hands={0: "W1 W2 R9 R1"}), moves).events) == told


@table(
    "viewer, moves, pattern, picked, count",
    ("4.5 8.2 a seat that picks sees the own pattern", 0, "play RRW", 3, "", 2),
    ("4.5 8.2 and what it has picked", 0, "play RRW, pick R9 R1", 3, "R9 R1", 2),
    ("4.5 8.2 another seat sees neither", 1, "play RRW, pick R9 R1", 0, "", 2),
    ("4.5 8.2 a spectator sees neither", None, "play RRW, pick R9 R1", 0, "", 2),
)
def test_who_sees_picks(
    viewer: int | None, moves: str, pattern: int, picked: str, count: int
) -> None:
    state = after(Position(hands={0: "W1 W2 R9 R1"}), moves).state
    view = GAME.view(state, None if viewer is None else Seat(viewer))
    assert view.phase is Phase.PICK
    assert len(view.pattern) == pattern
    assert names(view.picked) == picked
    assert view.counts[4] == count
    assert view.laid == ((), (), ())


@table(
    "move, rule",
    ("4.5 a card that the hand has not", "pick R3", "4.5"),
    ("4.5 a card of another colour", "pick W1", "4.5"),
    ("4.5 two cards where one is wanted", "pick R9 R1", "4.5"),
    ("4.5 another play", "play W", "4.5"),
    ("4.5 a card that fits", "pick R1", None),
)
def test_what_is_wrong_with_a_pick(move: str, rule: str | None) -> None:
    state = after(Position(hands={0: "W1 W2 R9 R1"}), "play R").state
    assert rule_broken(state, move) == rule


@table(
    "move, rule",
    ("4.5 one card where two are wanted", "pick R9", "4.5"),
    ("4.5 a zero twice of which the hand has one", "pick R0 R0", "4.5"),
    ("4.5 two cards of which the hand has one", "pick R9 R3", "4.5"),
    ("4.5 two cards of different colours", "pick R9 W1", "4.5"),
    ("4.5 a pair that fits, in whatever order", "pick R0 R9", None),
)
def test_what_is_wrong_with_picking_a_pair(move: str, rule: str | None) -> None:
    state = after(Position(hands={0: "W1 W2 R9 R0"}), "play RR").state
    assert rule_broken(state, move) == rule


PASSED = "play R, pick R9, pass A"


@table(
    "moves, expected",
    (
        "4.6 R-10 the first card is drawn with the pass, and seen before the next decision",
        PASSED,
        {"asked": "1", "for": "passdraw", "hand 1": "G1", "legal": "draw A, draw B, stop"},
    ),
    (
        "4.6 R-10 a second card may come from the other pile",
        f"{PASSED}, draw B",
        {"asked": "1", "hand 1": "W1 G1", "legal": "draw A, draw B, stop"},
    ),
    (
        "4.6 after the third card nobody asks",
        f"{PASSED}, draw B, draw A",
        {"asked": "2", "for": "follow", "hand 1": "W1 G1 G2"},
    ),
    ("4.6 one card is enough", f"{PASSED}, stop", {"asked": "2", "hand 1": "G1"}),
    ("4.6 two cards are enough", f"{PASSED}, draw A, stop", {"asked": "2", "hand 1": "G1 G2"}),
)
def test_passing(moves: str, expected: dict[str, str]) -> None:
    assert_facts(after(Position(hands={0: "R9", 2: "R3"}), moves).state, expected)


@table(
    "moves, told",
    (
        "4.6 8.1 8.2 a draw is told with its colour, and with its value to the drawer",
        f"{PASSED}, draw B, stop",
        [
            "0 lays R?",
            "1 passes",
            "1 draws G? from A",
            "1 sees G1",
            "1 draws W? from B",
            "1 sees W1",
        ],
    ),
)
def test_what_is_told_of_a_pass(moves: str, told: list[str]) -> None:
    assert story(after(Position(hands={0: "R9", 2: "R3"}), moves).events) == told


@table(
    "viewer, sees",
    ("8.2 the drawer sees what it draws", 1, True),
    ("8.2 another seat does not", 0, False),
    ("8.2 a spectator does not", None, False),
)
def test_who_sees_a_drawn_card(viewer: int | None, *, sees: bool) -> None:
    events = after(Position(hands={0: "R9"}), PASSED).events
    (seen,) = [event for event in events if isinstance(event, Saw)]
    who = None if viewer is None else Seat(viewer)
    assert seen.visible_to(who) is sees
    assert all(event.visible_to(who) for event in events if event is not seen)


@table(
    "moves, expected",
    (
        "4.7 R-12 an empty pile is not offered to a seat that passes",
        "play R, pick R9, pass A, stop",
        {"asked": "2", "legal": "pass B"},
    ),
    (
        "4.7 R-12 nor for the next card",
        PASSED,
        {"asked": "1", "legal": "draw B, stop"},
    ),
    (
        "4.7 R-23 with both piles empty nobody is asked whether to stop",
        f"{PASSED}, draw B",
        {"asked": "2", "for": "follow"},
    ),
    (
        "4.7 R-12 with both piles empty one may pass without a card",
        f"{PASSED}, draw B",
        {"asked": "2", "legal": "play R, pass"},
    ),
)
def test_empty_piles(moves: str, expected: dict[str, str]) -> None:
    hands = {0: "R9", 2: "R3"} if "draw" in moves else {0: "R9"}
    assert_facts(after(Position(hands=hands, pile_a="G1", pile_b="W1"), moves).state, expected)


@table(
    "moves, move, rule",
    ("4.7 a pass to an empty pile", "play R, pick R9, pass A, stop", "pass A", "4.7"),
    ("4.7 a draw from an empty pile", PASSED, "draw A", "4.7"),
    ("4.7 a pass to one of two empty piles", f"{PASSED}, draw B", "pass B", "4.7"),
    ("4.7 a pass without a pile when both are empty", f"{PASSED}, draw B", "pass", None),
    ("4.6 after a pass no cards are laid", PASSED, "play G", "4.6"),
    ("4.6 nor is there another pass", PASSED, "pass B", "4.6"),
)
def test_what_is_wrong_with_drawing(moves: str, move: str, rule: str | None) -> None:
    state = after(Position(hands={0: "R9", 2: "R3"}, pile_a="G1", pile_b="W1"), moves).state
    assert rule_broken(state, move) == rule


# 5. Battles ---------------------------------------------------------------------------------------


def battle_of(
    lays: Sequence[str],
    pile_a: str = "G1 G2 G3 G4 G5 G6",
    pile_b: str = "W1 W2 W3 W4 W5 W6",
    options: Mapping[str, OptionValue] | None = None,
) -> State:
    """Lay cards, seat by seat from seat 0, "-" for a pass with one card; then all are open."""
    state = begin_round(
        seats=len(lays),
        hands={seat: own.strip("-") for seat, own in enumerate(lays)},
        pile_a=pile_a,
        pile_b=pile_b,
        options=options,
    )
    for own in lays:
        state = play(state, "pass A, stop" if own == "-" else _laying(own)).state
    return state


def _laying(own: str) -> str:
    """Write the moves that lay these cards, the pair first."""
    groups: dict[str, list[str]] = {}
    for card in own.split():
        groups.setdefault(card[0], []).append(card)
    picks = [f"pick {' '.join(group)}" for group in groups.values()]
    return ", ".join([f"play {''.join(card[0] for card in own.split())}", *picks])


@table(
    "lays, told",
    (
        "5.1 all cards are turned up when all have laid",
        ("R9 R0 Y1", "-", "R3 R2 Y5"),
        "open / R9 R0 Y1 / - / R3 R2 Y5",
    ),
)
def test_the_reveal(lays: Sequence[str], told: str) -> None:
    *earlier, last = lays
    hands = {0: earlier[0], 2: last}
    begun = begin_round(hands=hands)
    before = play(begun, f"{_laying(lays[0])}, pass A, stop").state
    assert GAME.view(before, Seat(2)).laid[0] == GAME.view(before, None).laid[0] != before.laid[0]
    shown = play(before, _laying(last))
    assert told in story(shown.events)
    for viewer in (None, Seat(0), Seat(1), Seat(2)):
        assert GAME.view(shown.state, viewer).laid == shown.state.laid


@table(
    "lays, moves, expected",
    (
        "5.2 R-21 the first player chooses among its own colours",
        ("R9 R0 Y1", "G8 G7 B5", "R3 R2 Y5"),
        "",
        {"asked": "0", "for": "battle", "legal": "battle Y, battle R"},
    ),
    (
        "5.2 the same seat goes on while it has cards on the table",
        ("R9 R0 Y1", "G8 G7 B5", "R3 R2 Y5"),
        "battle Y, draw A",
        {"asked": "0", "for": "battle", "legal": "battle R"},
    ),
    (
        "5.2 then the next seat with cards on the table",
        ("R9 R0 Y1", "G8 G7 B5", "R3 R2 Y5"),
        "battle Y, draw A, battle R, draw A, draw A",
        {"asked": "1", "for": "battle", "legal": "battle B, battle G"},
    ),
    (
        "5.2 a seat whose cards have all fought is left out",
        ("R9", "R8", "B1", "-"),
        "battle R, draw A",
        {"asked": "2", "for": "battle", "legal": "battle B"},
    ),
)
def test_choosing_battles(lays: Sequence[str], moves: str, expected: dict[str, str]) -> None:
    assert_facts(play(battle_of(lays), moves).state, expected)


@table(
    "move, rule",
    ("5.2 R-21 a colour that only others have on the table", "battle B", "5.2"),
    ("5.2 a colour that nobody has on the table", "battle W", "5.2"),
    ("5.2 a draw is no battle", "draw A", "5.2"),
    ("5.2 a colour of its own", "battle R", None),
)
def test_what_is_wrong_with_a_battle(move: str, rule: str | None) -> None:
    assert rule_broken(battle_of(("R9 R0 Y1", "G8 G7 B5", "R3 R2 Y5")), move) == rule


@table("rule", ("5.2 R-21 a colour that has fought already", "5.2"))
def test_a_battle_cannot_be_chosen_twice(rule: str) -> None:
    state = play(battle_of(("R9 R0 Y1", "G8 G7 B5", "R3 R2 Y5")), "battle Y, draw A").state
    assert rule_broken(state, "battle Y") == rule


@table(
    "lays, moves, told",
    (
        "5.3 a seat that is alone in a colour captures its cards, and nobody draws",
        ("R9 R3", "B1 B2", "-"),
        "battle R",
        ["0 chooses red", "0 captures R9", "0 captures R3"],
    ),
    (
        "5.3 5.7 zeros too",
        ("R0 R0", "B1 B2", "-"),
        "battle R",
        ["0 chooses red", "0 captures R0", "0 captures R0"],
    ),
    (
        "5.4 the highest wins and captures only itself",
        ("R9", "R12", "R3"),
        "battle R",
        ["0 chooses red", "0 loses R9", "1 captures R12", "2 loses R3"],
    ),
    (
        "5.4 R-20 5.5 the higher card of a pair fights first, the losers draw, the rest fights",
        ("R9 R3", "R12 R2", "-"),
        "battle R, draw A, draw B",
        [
            "0 chooses red",
            "0 loses R9",
            "1 captures R12",
            "0 draws G? from A",
            "0 sees G2",
            "0 captures R3",
            "1 loses R2",
            "1 draws W? from B",
            "1 sees W1",
            "1 leads",
        ],
    ),
    (
        "5.6 a single card that is left over is captured without a fight",
        ("R5 R4 Y1", "B3 B2 R9", "-"),
        "battle R, draw B",
        [
            "0 chooses red",
            "0 loses R5",
            "1 captures R9",
            "0 draws W? from B",
            "0 sees W1",
            "0 captures R4",
        ],
    ),
    (
        "5.5 losers draw in order from the first player",
        ("R9", "R8", "R12"),
        "battle R, draw A, draw B",
        [
            "0 chooses red",
            "0 loses R9",
            "1 loses R8",
            "2 captures R12",
            "0 draws G? from A",
            "0 sees G1",
            "1 draws W? from B",
            "1 sees W1",
            "1 leads",
        ],
    ),
    (
        "5.7 a zero loses to anything",
        ("R0", "R1", "-"),
        "battle R, draw A",
        [
            "0 chooses red",
            "0 loses R0",
            "1 captures R1",
            "0 draws G? from A",
            "0 sees G2",
            "1 cannot lead",
            "2 leads",
        ],
    ),
    (
        "5.7 R-5 two zeros destroy each other and both owners draw",
        ("R0", "R0", "-"),
        "battle R, draw A, draw B",
        [
            "0 chooses red",
            "0 loses R0",
            "1 loses R0",
            "0 draws G? from A",
            "0 sees G2",
            "1 draws W? from B",
            "1 sees W1",
            "1 leads",
        ],
    ),
    (
        "5.7 two zeros against a third card both lose",
        ("R0", "R0", "R1"),
        "battle R, draw A, draw A",
        [
            "0 chooses red",
            "0 loses R0",
            "1 loses R0",
            "2 captures R1",
            "0 draws G? from A",
            "0 sees G1",
            "1 draws G? from A",
            "1 sees G2",
            "1 leads",
        ],
    ),
    (
        "5.7 5.6 a zero that is left over is captured",
        ("R9 R0 Y1", "B3 B2 R5", "-"),
        "battle R, draw A",
        [
            "0 chooses red",
            "0 captures R9",
            "1 loses R5",
            "1 draws G? from A",
            "1 sees G2",
            "0 captures R0",
        ],
    ),
    (
        "5.7 5.6 a zero that is left over beside another card loses to it",
        ("R9 R0", "R3 R2", "-"),
        "battle R, draw A, draw A",
        [
            "0 chooses red",
            "0 captures R9",
            "1 loses R3",
            "1 draws G? from A",
            "1 sees G2",
            "0 loses R0",
            "1 captures R2",
            "0 draws G? from A",
            "0 sees G3",
            "1 leads",
        ],
    ),
    (
        "5.6 R-5 in the second fight too two zeros destroy each other",
        ("R9 R0", "R3 R0", "-"),
        "battle R, draw A, draw A, draw B",
        [
            "0 chooses red",
            "0 captures R9",
            "1 loses R3",
            "1 draws G? from A",
            "1 sees G2",
            "0 loses R0",
            "1 loses R0",
            "0 draws G? from A",
            "0 sees G3",
            "1 draws W? from B",
            "1 sees W1",
            "1 leads",
        ],
    ),
)
def test_a_battle(lays: Sequence[str], moves: str, told: list[str]) -> None:
    assert story(play(battle_of(lays), moves).events) == told


CLASH = ("R9 R0 Y1", "B3 B2 R0", "-")
CLASH_OF_THREE = ("R9 R0 Y1", "B3 B2 R0", "R5 R3 Y4", "-")
LITERAL = {"zero_clash": "literal"}


@table(
    "lays, options, moves, told",
    (
        "5.8 R-6 zeros of different rank do not meet",
        CLASH,
        {},
        "battle R, draw A",
        [
            "0 chooses red",
            "0 captures R9",
            "1 loses R0",
            "1 draws G? from A",
            "1 sees G2",
            "0 captures R0",
        ],
    ),
    (
        "5.8 R-6 by option two zeros of two seats are lost first",
        CLASH,
        LITERAL,
        "battle R, draw A, draw B",
        [
            "0 chooses red",
            "0 loses R0",
            "1 loses R0",
            "0 draws G? from A",
            "0 sees G2",
            "1 draws W? from B",
            "1 sees W1",
            "0 captures R9",
        ],
    ),
    (
        "5.8 R-6 by option the other cards fight as ever after the zeros",
        CLASH_OF_THREE,
        LITERAL,
        "battle R, draw A, draw B, draw B",
        [
            "0 chooses red",
            "0 loses R0",
            "1 loses R0",
            "0 draws G? from A",
            "0 sees G2",
            "1 draws W? from B",
            "1 sees W1",
            "0 captures R9",
            "2 loses R5",
            "2 draws W? from B",
            "2 sees W2",
            "2 captures R3",
        ],
    ),
    (
        "5.8 R-6 without it a zero of lower rank meets the card of that rank",
        CLASH_OF_THREE,
        {},
        "battle R, draw A, draw B, draw B",
        [
            "0 chooses red",
            "0 captures R9",
            "1 loses R0",
            "2 loses R5",
            "1 draws G? from A",
            "1 sees G2",
            "2 draws W? from B",
            "2 sees W1",
            "0 loses R0",
            "2 captures R3",
            "0 draws W? from B",
            "0 sees W2",
        ],
    ),
    (
        "5.8 R-6 by option one seat with both zeros fights as ever",
        ("R0 R0 Y1", "B3 B2 R5", "-"),
        LITERAL,
        "battle R, draw A",
        [
            "0 chooses red",
            "0 loses R0",
            "1 captures R5",
            "0 draws G? from A",
            "0 sees G2",
            "0 captures R0",
        ],
    ),
    (
        "5.8 R-6 by option a zero of another colour does not matter",
        ("R9 R0 Y1", "B3 B2 Y0", "-"),
        LITERAL,
        "battle R",
        ["0 chooses red", "0 captures R9", "0 captures R0"],
    ),
)
def test_zeros_of_two_seats(
    lays: Sequence[str], options: dict[str, OptionValue], moves: str, told: list[str]
) -> None:
    assert story(play(battle_of(lays, options=options), moves).events) == told


@table("value, problem", ("5.8 R-6 zero_clash is rank or literal", "both", "rank or literal"))
def test_there_are_two_readings_of_the_zeros(value: str, problem: str) -> None:
    with pytest.raises(OptionsError, match=f'zero_clash is "{value}", but must be {problem}'):
        GAME.spec.options(3, {"zero_clash": value})


@table(
    "lays, moves, expected",
    (
        "5.5 R-9 only who lost a card draws, and a seat that passed never does",
        ("R9", "R8", "-"),
        "battle R",
        {"asked": "1", "for": "consolation", "legal": "draw A, draw B", "hand 2": "G1"},
    ),
    (
        "5.5 one card for each lost card",
        ("R9 R8", "R12 R11", "-"),
        "battle R, draw A, draw A",
        {"hand 0": "G2 G3", "captured 1": "R12 R11", "round": "2"},
    ),
    (
        "5.4 5.9 R-19 what is lost is discarded, and what is captured is kept",
        ("R9 R3", "R12 R2", "-"),
        "battle R, draw A, draw A",
        {"discards": "R9 R2", "captured 0": "R3", "captured 1": "R12", "laid 0": "", "laid 1": ""},
    ),
)
def test_consolation(lays: Sequence[str], moves: str, expected: dict[str, str]) -> None:
    assert_facts(play(battle_of(lays), moves).state, expected)


@table(
    "move, rule",
    ("5.5 R-11 drawing cannot be declined", "stop", "5.5"),
    ("5.5 R-11 nor postponed by a battle", "battle R", "5.5"),
    ("5.5 either pile will do", "draw B", None),
)
def test_what_is_wrong_with_a_consolation(move: str, rule: str | None) -> None:
    assert rule_broken(play(battle_of(("R9", "R8", "-")), "battle R").state, move) == rule


@table(
    "pile_a, pile_b, moves, expected",
    (
        "5.5 4.7 R-12 from one pile only, if the other is empty",
        "G1",
        "W1 W2",
        "battle R",
        {"asked": "1", "for": "consolation", "legal": "draw B"},
    ),
    (
        "5.5 4.7 R-23 with both piles empty nobody draws for a lost card",
        "G1",
        "W1",
        "battle R, draw B",
        {"asked": "nobody", "hand 1": "W1", "hand 2": "G1", "discards": "R8 R2"},
    ),
)
def test_consolation_from_empty_piles(
    pile_a: str, pile_b: str, moves: str, expected: dict[str, str]
) -> None:
    state = battle_of(("R9 R4", "R8 R2", "-"), pile_a=pile_a, pile_b=pile_b)
    assert_facts(play(state, moves).state, expected)


# 6. Rounds and the end ----------------------------------------------------------------------------


@table(
    "leader, expected",
    (
        "6.1 after seat 0 seat 1 leads",
        0,
        {"leader": "1", "asked": "1", "for": "lead", "round": "2"},
    ),
    (
        "6.1 after seat 1 seat 2 leads",
        1,
        {"leader": "2", "asked": "2", "for": "lead", "round": "2"},
    ),
    (
        "6.1 after seat 2 seat 0 leads",
        2,
        {"leader": "0", "asked": "0", "for": "lead", "round": "2"},
    ),
)
def test_the_next_first_player(leader: int, expected: dict[str, str]) -> None:
    hands = {0: "R9 B1", 1: "R8 B2", 2: "R7 B3"}
    lays = ["play R, pick R9", "play R, pick R8", "play R, pick R7"]
    moves = ", ".join([*lays[leader:], *lays[:leader], "battle R, draw A, draw A"])
    assert_facts(after(Position(leader=leader, hands=hands), moves).state, expected)


LEAD_LOST = Position(hands={0: "R3", 1: "R9", 2: "B1"})
UNTIL_LOST = "play R, pick R3, play R, pick R9, pass A, stop, battle R, draw A"


@table(
    "moves, expected, told",
    (
        "6.2 R-3 a seat without cards loses the lead to the next seat with cards",
        UNTIL_LOST,
        {"asked": "2", "for": "lead", "leader": "2"},
        ["0 draws G? from A", "0 sees G2", "1 cannot lead", "2 leads"],
    ),
    (
        "6.2 R-3 but it takes part, and can only pass",
        f"{UNTIL_LOST}, play B, pick B1, pass B, stop",
        {"asked": "1", "for": "follow", "legal": "pass A, pass B", "hand 1": ""},
        ["2 lays B?", "0 passes", "0 draws W? from B", "0 sees W1"],
    ),
    (
        "6.2 R-3 the round after is led by the left neighbour of the actual leader",
        f"{UNTIL_LOST}, play B, pick B1, pass B, stop, pass B, stop, battle B",
        {"asked": "0", "for": "lead", "leader": "0", "round": "3"},
        ["2 chooses blue", "2 captures B1", "0 leads"],
    ),
)
def test_a_lost_lead(moves: str, expected: dict[str, str], told: list[str]) -> None:
    transition = after(LEAD_LOST, moves)
    assert_facts(transition.state, expected)
    assert story(transition.events)[-len(told) :] == told


@table(
    "moves, expected",
    (
        "6.3 R-13 a pile that is emptied while cards are laid does not stop the laying",
        "play R, pick R9, pass A, stop",
        {"asked": "2", "for": "follow", "legal": "play R, pass B"},
    ),
    (
        "6.3 R-13 the battles are fought",
        "play R, pick R9, pass A, stop, play R, pick R3",
        {"asked": "0", "for": "battle"},
    ),
    (
        "6.3 R-13 further cards come from the other pile",
        "play R, pick R9, pass A, stop, play R, pick R3, battle R",
        {"asked": "2", "for": "consolation", "legal": "draw B"},
    ),
    (
        "6.4 then the game is over, whatever is left in the hands",
        "play R, pick R9, pass A, stop, play R, pick R3, battle R, draw B",
        {"asked": "nobody", "for": "over", "hand 0": "B8", "hand 2": "W1", "scores": "12 0 0"},
    ),
)
def test_the_last_round(moves: str, expected: dict[str, str]) -> None:
    position = Position(hands={0: "R9 B8", 2: "R3"}, pile_a="G1")
    assert_facts(after(position, moves).state, expected)


@table(
    "pile_a, pile_b",
    ("6.3 the last card of pile A ends it", "G1", "W1 W2"),
    ("6.3 the last card of pile B ends it", "G1 G2", "W1"),
)
def test_either_pile_ends_the_game(pile_a: str, pile_b: str) -> None:
    pile = "A" if len(pile_a) < len(pile_b) else "B"
    position = Position(hands={0: "R9 B8", 1: "B1", 2: "B2"}, pile_a=pile_a, pile_b=pile_b)
    other = "AB".replace(pile, "")
    ended = after(position, f"play R, pick R9, pass {pile}, stop, pass {other}, stop, battle R")
    assert f"pile {pile} is empty" in story(ended.events)
    assert story(ended.events)[-2] == "over: pile_emptied"
    assert_facts(ended.state, {"asked": "nobody"})


@table("rule", ("6.4 after the end nobody can play", "6.4"))
def test_after_the_end(rule: str) -> None:
    moves = "play R, pick R9, pass A, stop, pass B, stop, battle R"
    state = after(Position(hands={0: "R9"}, pile_a="G1"), moves).state
    assert rule_broken(state, "stop", 0) == rule
    assert legal(state, 0) == []
    with pytest.raises(IllegalMoveError, match=rf"The game is over.*gargon#{rule}"):
        GAME.apply(state, {Seat(0): GAME.parse_move("stop")})


# The worked round of the sheet --------------------------------------------------------------------


@table(
    "adams, colettes",
    ("4.4 5.6 6.1 the worked round of the sheet, with Adam's red 9", "R9", "R8"),
    ("4.4 5.6 6.1 the worked round of the sheet, with Adam's red 8", "R8", "R9"),
)
def test_the_worked_round(adams: str, colettes: str) -> None:
    """Adam, Bernd, Colette and Dagmar are the seats 0 to 3."""
    begun = begin_round(
        seats=4,
        hands={
            0: f"Y3 Y6 {adams} V1",
            1: "W9",
            2: f"B8 B2 {colettes} V2",
            3: "R14 R0 B12 W3 W4",
        },
    )
    laid = play(
        begun,
        f"play YYR, pick Y6 Y3, pick {adams}, "
        "pass A, draw A, draw B, "
        f"play BBR, pick B8 B2, pick {colettes}",
    )
    # Bernd drew two cards from one pile and one from the other.
    assert_facts(laid.state, {"hand 1": "W1 W9 G1 G2", "pile A": "G3 G4 G5 G6"})
    # Dagmar may use only red, blue and yellow, so neither white nor two of anything but red.
    assert_facts(laid.state, {"asked": "3", "legal": "play RRB, pass A, pass B"})
    fought = play_forced(
        play(laid.state, "play RRB, pick R14 R0, pick B12, battle Y, battle R, draw A, draw B")
    )
    # Colette is the next to choose, and has only blue; from which pile she draws is her choice.
    assert_facts(fought.state, {"asked": "2", "for": "consolation"})
    ended = play(fought.state, "draw A")
    assert story([*fought.events, *ended.events]) == [
        "3 lays R? R? B?",
        f"open / Y6 Y3 {adams} / - / B8 B2 {colettes} / R14 R0 B12",
        "0 chooses yellow",
        "0 captures Y6",
        "0 captures Y3",
        "0 chooses red",
        f"0 loses {adams}",
        f"2 loses {colettes}",
        "3 captures R14",
        "0 draws G? from A",
        "0 sees G3",
        "2 draws W? from B",
        "2 sees W2",
        "3 captures R0",
        "2 chooses blue",
        "2 loses B8",
        "3 captures B12",
        "2 draws G? from A",
        "2 sees G4",
        "2 captures B2",
        "1 leads",
    ]
    assert_facts(
        ended.state,
        {
            "captured 0": "Y6 Y3",
            "captured 1": "",
            "captured 2": "B2",
            "captured 3": "R14 R0 B12",
            "hand 1": "W1 W9 G1 G2",
            "leader": "1",
            "asked": "1",
            "for": "lead",
        },
    )


@table(
    "move, rule",
    ("4.4 the sheet's other example: white is not on the table", "play GGW", "4.4"),
    ("4.4 the sheet's other example: two green and one yellow", "play GGY", None),
)
def test_the_example_of_the_last_seat(move: str, rule: str | None) -> None:
    moves = f"{LED_21}, play BBV, pick B4 B1, pick V6, play GGB, pick G4 G3, pick B5"
    assert rule_broken(after(Position(seats=4, hands=FOUR_HANDS), moves).state, move) == rule


# 8. What a seat may know --------------------------------------------------------------------------

WITH_CAPTURES = Position(hands={0: "R9", 1: "B1"}, captured={0: "G7 R3", 1: "W0"}, discards="R1")


@table(
    "viewer, hand",
    ("8.2 a seat sees its own hand", 1, "B1"),
    ("8.2 and no other, as seat 0 does not see it", 0, "R9"),
    ("8.2 a spectator sees no hand", None, ""),
)
def test_who_sees_a_hand(viewer: int | None, hand: str) -> None:
    view = GAME.view(begin_round(**WITH_CAPTURES), None if viewer is None else Seat(viewer))
    assert names(view.hand) == hand
    assert view.hands == ()


@table("discards", ("8.1 5.9 R-19 everybody sees what was discarded", "R1"))
def test_discards_are_public(discards: str) -> None:
    state = begin_round(**WITH_CAPTURES)
    for viewer in (None, Seat(0), Seat(1), Seat(2)):
        assert names(GAME.view(state, viewer).discards) == discards


@table("pile", ("8.3 nobody sees the values in the piles", "G?"))
def test_piles_are_covered(pile: str) -> None:
    state = begin_round(**WITH_CAPTURES)
    for viewer in (None, Seat(0), Seat(1), Seat(2)):
        assert names(GAME.view(state, viewer).piles[0]) == " ".join([pile] * 6)


@table(
    "options, captured",
    ("8.4 R-14 captured cards are in no view, the own ones neither", {}, []),
    (
        "8.4 R-14 by option they are in every view",
        {"open_captures": True},
        ["G7 R3", "W0", ""],
    ),
)
def test_who_sees_captures(options: dict[str, OptionValue], captured: list[str]) -> None:
    state = begin_round(**(WITH_CAPTURES | Position(options=options)))
    for viewer in (None, Seat(0), Seat(1), Seat(2)):
        view = GAME.view(state, viewer)
        assert [names(own) for own in view.captured] == captured
        assert view.captured_counts == (2, 1, 0)


@table("hands", ("8.5 in the end all hands and captures are open", ["", "B1 G1", "W1"]))
def test_what_is_open_in_the_end(hands: list[str]) -> None:
    moves = "play R, pick R9, pass A, stop, pass B, stop, battle R"
    ended = after(WITH_CAPTURES | Position(pile_a="G1"), moves)
    for viewer in (None, Seat(0), Seat(1), Seat(2)):
        view = GAME.view(ended.state, viewer)
        assert [names(own) for own in view.hands] == hands
        assert [names(own) for own in view.captured] == ["G7 R3 R9", "W0", ""]
        assert view.ending == "pile_emptied"
    assert story(ended.events)[-1] == "hands / - / B1 G1 / W1"


# 9. Decisions and notation ------------------------------------------------------------------------


@table(
    "seat, rule",
    ("9.1 a seat that is not asked cannot play", 1, "9.1"),
    ("9.1 nor one that does not exist", 5, "9.1"),
    ("9.1 the seat that is asked can", 0, None),
)
def test_who_may_decide(seat: int, rule: str | None) -> None:
    assert rule_broken(begin_round(hands={0: "R9", 1: "R8"}), "play R", seat) == rule


@table(
    "moves, message",
    ("9.1 nobody decides", {}, "seat 0 must decide, but nobody did"),
    ("9.1 another seat decides", {1: "play R"}, "seat 0 must decide, but seat 1 did"),
    (
        "9.1 two seats decide",
        {0: "play R", 1: "play R"},
        "seat 0 must decide, but seat 0 and seat 1 did",
    ),
)
def test_moves_that_were_not_asked_for(moves: dict[int, str], message: str) -> None:
    given = {Seat(seat): GAME.parse_move(move) for seat, move in moves.items()}
    with pytest.raises(IllegalMoveError, match=message):
        GAME.apply(begin_round(hands={0: "R9", 1: "R8"}), given)


@table(
    "moves, default",
    ("9.3 R-22 the first lead of the list", "", "play Y"),
    ("9.3 R-22 the first pick of the list", "play R", "pick R1"),
    (
        "9.3 R-22 the first pass when following, also where a play is legal",
        "play R, pick R9",
        "pass A",
    ),
    ("9.3 R-22 stop after a pass", "play R, pick R9, pass A", "stop"),
    (
        "9.3 R-22 the first battle of the list",
        "play YR, pick Y3, pick R9, pass A, stop, pass A, stop",
        "battle Y",
    ),
    (
        "9.3 R-22 the first pile for a lost card",
        "play R, pick R1, play R, pick R8, pass A, stop, battle R",
        "draw A",
    ),
)
def test_the_default_move(moves: str, default: str) -> None:
    state = after(Position(hands={0: "Y3 R9 R1", 1: "R8"}), moves).state
    assert GAME.format_move(GAME.default_move(state, state.seat)) == default


@table(
    "pile_a, pile_b, default",
    ("9.3 R-22 4.7 the only pass if pile A is empty", "G1", "W1 W2", "pass B"),
    ("9.3 R-22 4.7 the pass without a card if both piles are empty", "G1", "W1", "pass"),
)
def test_the_default_pass(pile_a: str, pile_b: str, default: str) -> None:
    draw = ", draw B" if default == "pass" else ", stop"
    position = Position(hands={0: "R9", 2: "R8"}, pile_a=pile_a, pile_b=pile_b)
    state = after(position, f"play R, pick R9, pass A{draw}").state
    assert GAME.format_move(GAME.default_move(state, Seat(2))) == default


@table(
    "text, written",
    ("9.1 3.4 a pattern may be read in any order", "play YRR", "play RRY"),
    ("9.1 3.4 single cards are written in the order of colours", "play RYB", "play BYR"),
    ("9.1 a pair may be read in any order", "pick R0 R9", "pick R9 R0"),
    ("9.1 a pass with a pile", "pass B", "pass B"),
    ("9.1 a pass without one", "pass", "pass"),
    ("9.1 a draw", "draw A", "draw A"),
    ("9.1 a stop", "stop", "stop"),
    ("9.1 a battle", "battle V", "battle V"),
)
def test_notation(text: str, written: str) -> None:
    assert GAME.format_move(GAME.parse_move(text)) == written


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("", "cannot read an empty move"),
        ("play", "A move is one of"),
        ("play R Y", "A move is one of"),
        ("pick", "A move is one of"),
        ("stop it", "A move is one of"),
        ("draw", "A move is one of"),
        ("play RX", 'there is no colour "X"'),
        ("play r", 'Did you mean "R"?'),
        ("battle RR", 'there is no colour "RR"'),
        ("pass C", 'there is no pile "C"'),
        ("draw a", 'Did you mean "A"?'),
        ("draw AB", 'there is no pile "AB"'),
        ("pick R16", 'there is no card "R16"'),
        ("pick r9", 'Did you mean "R9"?'),
        ("pick R?", 'there is no card "R?"'),
        ("batle R", 'Did you mean "battle R"?'),
        ("stopp", 'Did you mean "stop"?'),
    ],
)
def test_unreadable_moves_are_refused_with_a_hint(text: str, hint: str) -> None:
    with pytest.raises(NotationError) as caught:
        GAME.parse_move(text)
    assert hint in str(caught.value)


@pytest.mark.parametrize(
    ("make", "hint"),
    [
        (lambda: Play(()), "at least one card"),
        (lambda: Play((6,)), "there is no colour 6"),  # type: ignore[arg-type]
        (lambda: Pass(2), "there is no pile 2"),  # type: ignore[arg-type]
        (lambda: Pick(()), "at least one card"),
        (lambda: Pick((97,)), "there is no card 97"),  # type: ignore[arg-type]
        (lambda: Pick((0,)), "there is no card 0"),  # type: ignore[arg-type]
        (lambda: Draw(-1), "there is no pile -1"),  # type: ignore[arg-type]
        (lambda: Battle(-1), "there is no colour -1"),  # type: ignore[arg-type]
    ],
)
def test_there_are_no_moves_with_what_does_not_exist(make: Callable[[], object], hint: str) -> None:
    with pytest.raises(NotationError, match=hint):
        make()


def test_a_violation_says_what_would_be_right() -> None:
    state = after(Position(hands={0: "R9", 1: "B1 B2", 2: "B3"}), "play R, pick R9, pass A, stop")
    violation = GAME.check(state.state, Seat(2), GAME.parse_move("play B"))
    assert violation is not None
    assert violation.message == (
        '"play B" has a colour that nobody has laid in this round: the last seat may use only R.'
    )
    assert cards("R9") == state.state.laid[0]
