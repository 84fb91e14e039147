"""The rules page as cases, paragraph by paragraph.

Each case is named by its paragraph, its ruling if there is one, and what is promised. Expected
values are worked out from docs/rules/festo.md by hand. The examples of the booklet are in
test_examples.py, and what dishes cost is in test_cooking.py, which also checks that no paragraph
and no ruling was forgotten.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from engine import IllegalMoveError, NotationError, OptionsError, Seat, UsageError, seed_from_text
from engine.festo.state import (
    CameHome,
    CardMoved,
    DiceRolled,
    DiscsJoined,
    EventRevealed,
    Phase,
    Placed,
    RowChanged,
    Scored,
    State,
    Took,
)
from tests.engine.festo.positions import (
    GAME,
    actions,
    cooking,
    cubes,
    dishes,
    legal,
    play,
    position,
    prepare,
    rule_broken,
)

CASE_IDS: list[str] = []
"""The name of every case of Festo!."""

Row = tuple[str, *tuple[object, ...]]
Given = Mapping[str, Any]
STEPS = {"action_order": "steps"}
MAGIC = {"magic_dishes": True}
EVENTS = {"events": "reconstructed"}


def table(arguments: str, *rows: Row) -> pytest.MarkDecorator:
    """Run a test for each row: the name of the case, then the arguments."""
    CASE_IDS.extend(row[0] for row in rows)
    return pytest.mark.parametrize(
        arguments.split(", "), [pytest.param(*row[1:], id=row[0]) for row in rows]
    )


def case(name: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Name a test that is a case by itself."""
    CASE_IDS.append(name)
    return lambda test: test


# Components and set-up ----------------------------------------------------------------------------


@case("1.1 1.4 names and orders")
def test_names() -> None:
    text = ["troll", "pixies", "orc", "magician", "elf", "dwarf", "grocer"]
    for spot in text:
        move = f"place {spot}=1"
        assert GAME.format_move(GAME.parse_move(move)) == move
    for dish in ("drink-M", "starter-H", "side-S", "dessert-P", "roast", "main"):
        assert GAME.format_move(GAME.parse_move(f"cook {dish}")) == f"cook {dish}"
    assert GAME.format_move(GAME.parse_move("pay NPFUSHM")) == "pay MHSUFPN"


@case("3.3 1.2 what a seat starts with")
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_set_up(seats: int) -> None:
    state = GAME.deal(GAME.spec.options(seats), seed_from_text("1")).state
    filled = 4 if seats == 5 else 3
    assert state.helpers == (6,) * seats
    assert state.discs == (2,) * seats
    assert state.stock == (seats, seats)
    assert state.reserves == (14 - filled - 1,) * 6 + (seats + 1,)
    assert [sum(market) for market in state.markets] == [filled] * 6
    assert state.shelves == (1,) * 6
    assert all(state.buffet)
    assert [len(pile) for pile in state.ahead.piles] == [3] * 4
    assert legal(state) == [f"first {(state.first + i) % seats}" for i in range(seats)]


@case("3.1 3.4 F-34 the deal of seed 7")
def test_the_deal_of_seed_7() -> None:
    seven = seed_from_text("7")
    four = GAME.describe_deal(GAME.spec.options(4, EVENTS), seven)
    assert list(four) == ["first_player", "piles", "events", "dice"]
    assert four["first_player"] == 0
    assert four["piles"] == [
        ["drink-U", "drink-F", "drink-P", "drink-S", "drink-M", "drink-H"],
        ["starter-F", "starter-P", "starter-U", "starter-H", "starter-S", "starter-M"],
        ["side-P", "side-S", "side-F", "side-U", "side-H", "side-M"],
        ["dessert-H", "dessert-M", "dessert-U", "dessert-F", "dessert-P", "dessert-S"],
    ]
    assert four["events"] == ["E10", "E05", "E08", "E03"]
    assert four["dice"] == [
        [[2, 1, 2], [3, 5, 4]],
        [[4, 6, 5], [6, 2, 1]],
        [[1, 5, 1], [2, 6, 3]],
        [[5, 1, 4], [6, 2, 2]],
    ]
    without = [GAME.describe_deal(GAME.spec.options(n), seven) for n in (2, 3, 4, 5)]
    assert [deal["first_player"] for deal in without] == [0, 0, 0, 2]
    assert [deal["events"] for deal in without] == [None] * 4
    assert all(deal["dice"] == four["dice"] for deal in without)
    state = GAME.deal(GAME.spec.options(4), seven).state
    assert state.buffet[:3] == dishes("drink-U drink-F drink-P")
    assert state.ahead.piles[0] == dishes("drink-S drink-M drink-H")


@table(
    "given, message",
    ("2.1 events is a word of two", {"events": "all"}, "must be none or reconstructed"),
    ("2.1 action_order is a word of two", {"action_order": "x"}, "must be players or steps"),
    ("2.1 market_limit is a switch", {"market_limit": "no"}, "must be true or false"),
)
def test_options(given: Given, message: str) -> None:
    with pytest.raises(OptionsError, match=message):
        GAME.spec.options(4, given)


# Preparation --------------------------------------------------------------------------------------


@case("4.1 discs of the Dwarf count from the next round on")
def test_discs_join() -> None:
    state, events = prepare(laid={"troll": {1: 2}, "dwarf": {0: 1}})
    joined = [(e.seat, e.spot, e.number) for e in events if isinstance(e, DiscsJoined)]
    assert joined == [(1, 0, 2), (0, 5, 1)]
    assert state.discs_at[0] == (0, 2, 0, 0)
    assert state.discs_at[5] == (1, 0, 0, 0)
    assert not any(map(any, state.laid))


@table(
    "given, markets, shelves",
    ("4.1 F-33 three cubes with two seats", {"seats": 2}, [3] * 6, [1] * 6),
    ("4.1 four cubes with five seats", {"seats": 5}, [4] * 6, [1] * 6),
    (
        "4.1 1.3 F-03 cubes of other colours count towards five",
        {"markets": {"troll": "HHSS", "elf": "FFFFF"}},
        [5, 3, 3, 3, 5, 3],
        [1] * 6,
    ),
    (
        "4.1 F-04 a market above five is not filled and loses nothing",
        {"markets": {"orc": "SSSSSMM"}, "options": {"market_limit": False}},
        [3, 3, 7, 3, 3, 3],
        [1] * 6,
    ),
    (
        "4.1 F-02 the market comes before the shelf when a reserve is small",
        {"reserves": "MMHHHHS"},
        [2, 3, 1, 0, 0, 0],
        [0, 1, 0, 0, 0, 0],
    ),
    ("4.1 a shelf holds three", {"shelves": "MMMHH"}, [3] * 6, [3, 3, 1, 1, 1, 1]),
)
def test_filling(given: Given, markets: list[int], shelves: list[int]) -> None:
    state, _ = prepare(**given)
    assert [sum(market) for market in state.markets] == markets
    assert list(state.shelves) == shelves


@case("4.1 7.7 F-14 rows slide with their tokens and are filled")
def test_rows() -> None:
    state, events = prepare(
        buffet="- drink-H -\nstarter-M starter-H starter-S\n- - side-S\n- dessert-H -",
        piles="drink-U drink-F drink-P\nstarter-U\nside-U\n",
        tokens={"drink-H": ("helper", 2), "side-S": ("disc", 1)},
    )
    assert state.buffet == dishes(
        "drink-H drink-U drink-F starter-M starter-H starter-S side-S side-U - dessert-H - -"
    )
    assert state.tokens == (5, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0)
    assert [len(pile) for pile in state.ahead.piles] == [1, 1, 0, 0]
    assert [e.category for e in events if isinstance(e, RowChanged)] == [0, 2, 3]


@table(
    "cards, revealed, markets, dice",
    ("4.1 F-30 F-31 no card without events", "", None, [3] * 6, 3),
    ("4.1 11.4 E02 adds two honey", "E02", 2, [3, 5, 3, 3, 3, 3], 3),
    ("4.1 11.4 E07 adds no cubes", "E07", 7, [3] * 6, 3),
    ("4.2 11.3 E13 takes a die", "E13", 13, [3] * 6, 2),
    ("4.2 11.4 E14 takes two dice", "E14", 14, [3] * 6, 1),
)
def test_event_cards(cards: str, revealed: int | None, markets: list[int], dice: int) -> None:
    options = EVENTS if cards else {}
    state, events = prepare(events_ahead=cards, options=options, dice_ahead=((4, 5, 6),) * 2)
    shown = [event.card for event in events if isinstance(event, EventRevealed)]
    assert shown == [revealed] * bool(cards)
    assert [sum(market) for market in state.markets] == markets
    state, _ = play(state, "first 0")
    assert state.dice == (4, 5, 6)[:dice]


@case("4.2 3.2 with five seats two dice are rolled, with E14 none")
def test_dice_of_five_seats() -> None:
    state, events = play(position(seats=5, dice_ahead=((4, 5, 6),) * 2), "first 3")
    assert [e.dice for e in events if isinstance(e, DiceRolled)] == [(4, 5)]
    state, _ = prepare(seats=5, events_ahead="E14", options=EVENTS)
    state, events = play(state, "first 3")
    assert [e.dice for e in events if isinstance(e, DiceRolled)] == [()]
    assert len(legal(state)) == 84


@table(
    "move, rule",
    ("4.1 F-01 the card can be kept in round 1", "first 2", None),
    ("4.1 the card can be given away", "first 0", None),
    ("4.1 there is no such seat", "first 4", "4.1"),
    ("4.1 12.2 another move is not possible", "take", "4.1"),
)
def test_choice_of_the_first_player(move: str, rule: str | None) -> None:
    state = position(first=2)
    assert legal(state) == ["first 2", "first 3", "first 0", "first 1"]
    assert rule_broken(state, move) == rule
    if not rule:
        state, _ = play(state, move)
        assert state.seat == state.first == int(move.removeprefix("first "))


# Shopping -----------------------------------------------------------------------------------------


def morning(*dice: tuple[int, ...], **given: Any) -> State:
    return play(position(dice_ahead=dice, **given), "first 0").state


@table(
    "state, move, rule",
    ("4.3 open spots in the morning", morning((1, 1, 5)), "place pixies=2 orc=1", None),
    ("4.3 nobody need be placed in the morning", morning((1, 1, 5)), "place none", None),
    ("4.3 a blocked character", morning((1, 1, 5)), "place troll=1", "4.3"),
    (
        "4.3 not more than the seat has",
        morning((4, 4, 4), helpers={"elf": {0: 1}}),
        "place troll=3 orc=3",
        "4.3",
    ),
    ("4.5 the first decision is about three spots", morning((4, 4, 4)), "place elf=1", "4.5"),
    ("4.5 nothing but a placement", morning((4, 4, 4)), "pass", "4.5"),
    (
        "4.5 the second decision is about four spots",
        play(morning((4, 4, 4)), "place troll=1").state,
        "place troll=1",
        "4.5",
    ),
    (
        "4.5 west and east together are not more than the seat has",
        play(morning((4, 4, 4)), "place troll=4").state,
        "place grocer=3",
        "4.3",
    ),
    (
        "4.3 the Grocer is always open",
        play(morning((4, 5, 6)), "place none").state,
        "place grocer=6",
        None,
    ),
)
def test_placing(state: State, move: str, rule: str | None) -> None:
    assert rule_broken(state, move) == rule


@case("4.5 12.1 the order of placements")
def test_lists_of_placements() -> None:
    state = morning((2, 4, 5), helpers={"troll": {0: 4}})
    assert legal(state) == [
        "place none",
        "place orc=1",
        "place orc=2",
        "place troll=1",
        "place troll=1 orc=1",
        "place troll=2",
    ]
    state, _ = play(state, "place troll=1")
    assert legal(state) == ["place none", "place grocer=1", "place dwarf=1"]


@case("4.3 4.5 all helpers are placed in the afternoon")
def test_afternoon() -> None:
    state = morning((1, 2, 3), (1, 2, 3), seats=2, helpers={"troll": {0: 4, 1: 6}})
    assert str(state.decision) == "place_east"
    state, _ = play(state, "place none")
    assert state.phase is Phase.AFTERNOON
    assert legal(state)[0] == "place grocer=2", "the default of 12.3"
    assert "place elf=1" not in legal(state)
    assert rule_broken(state, "place elf=1") == "4.3"
    assert len(legal(state)) == 10


@case("4.5 10.1 a placement is public when both parts are decided")
def test_placement_is_hidden_until_complete() -> None:
    state = morning((4, 4, 4))
    state, events = play(state, "place troll=2")
    assert not events
    assert GAME.view(state, Seat(0)).placing == (2, 0, 0)
    assert GAME.view(state, Seat(1)).placing == ()
    assert GAME.view(state, None).placing == ()
    assert GAME.view(state, Seat(1)).helpers[0] == 6
    state, events = play(state, "place elf=1")
    assert events == [Placed(Seat(0), (2, 0, 0, 0, 1, 0, 0))]
    assert state.helpers[0] == 3


@case("4.5 no second decision when no helper is left")
def test_all_helpers_in_the_first_part() -> None:
    state, events = play(morning((4, 4, 4)), "place orc=6")
    assert events == [Placed(Seat(0), (0, 0, 6, 0, 0, 0, 0))]
    assert state.seat == 1


@case("4.5 a seat without helpers decides nothing")
def test_no_helpers() -> None:
    state = morning((4, 4, 4), helpers={"elf": {0: 6, 2: 6}})
    assert state.seat == 1
    state, _ = play(state, "place none, place none")
    assert state.seat == 3


@case("4.4 F-35 tokens on a blocked character stay, and nothing is blocked in the actions")
def test_blocked_characters() -> None:
    state = morning((4, 4, 4), (1, 1, 1), seats=2)
    state, _ = play(state, "place troll=6, place none, place none, place orc=6")
    assert state.phase is Phase.ACTIONS
    assert state.dice == ()
    assert state.helpers_at[0] == (6, 0)
    assert state.spot == 0


# Characters ---------------------------------------------------------------------------------------


def at(spot: str, there: Mapping[int, int], market: str = "", **given: Any) -> State:
    """Return the first decision at a character."""
    markets = {spot: market, **given.pop("markets", {})}
    helpers = {spot: there, **given.pop("helpers", {})}
    return actions(helpers=helpers, markets=markets, **given).state


@table(
    "state, moves",
    ("5.3 F-09 alone is a majority", at("magician", {1: 1}, "UUU", reserves=""), ["take all"]),
    ("5.3 F-09 no majority with a tie", at("magician", {1: 2, 0: 2}, "UUU", reserves=""), []),
    (
        "5.3 F-13 discs are tokens",
        at("magician", {1: 2, 0: 1}, "UUUUU", discs={"magician": {0: 2}}, reserves=""),
        ["take all"],
    ),
    ("5.4 take all only for more cubes than tokens", at("magician", {1: 3}, "UUU"), ["salt"]),
    ("5.4 no salt in the reserve", at("magician", {1: 3}, "UUU", reserves=""), []),
    (
        "5.4 5.7 in steps take all needs a cube only",
        at("magician", {1: 3}, "U", options=STEPS, reserves=""),
        ["take all"],
    ),
    ("5.7 nothing to take all of", at("magician", {1: 3}, "", options=STEPS, reserves=""), []),
    (
        "5.4 F-11 the Pixies send to the right",
        at("pixies", {0: 1}, "H"),
        ["send helper " + s for s in ("orc", "magician", "elf", "dwarf", "grocer")],
    ),
    (
        "5.4 the Pixies send a helper or a disc",
        at("pixies", {0: 1}, "H", discs={"pixies": {0: 1}}),
        [
            f"send {token} {spot}"
            for token in ("helper", "disc")
            for spot in ("orc", "magician", "elf", "dwarf", "grocer")
        ],
    ),
    (
        "5.4 the Pixies send a disc alone",
        at("pixies", {0: 0}, "H", discs={"pixies": {0: 1}}),
        ["send disc " + s for s in ("orc", "magician", "elf", "dwarf", "grocer")],
    ),
    (
        "5.4 F-12 the Orc reserves free small dishes",
        at(
            "orc",
            {0: 1},
            "S",
            buffet="drink-M - -\n- starter-H -\n- - -\n- - dessert-S",
            tokens={"starter-H": ("helper", 1)},
        ),
        ["reserve helper drink-M", "reserve helper dessert-S"],
    ),
    (
        "5.4 F-13 a disc reserves as well",
        at(
            "orc",
            {0: 1},
            "S",
            buffet="drink-M - -\n- - -\n- - -\n- - -",
            discs={"orc": {0: 1}},
        ),
        ["reserve helper drink-M", "reserve disc drink-M"],
    ),
    (
        "5.4 a disc alone at the Orc",
        at("orc", {}, "S", buffet="drink-M - -\n- - -\n- - -\n- - -", discs={"orc": {0: 1}}),
        ["reserve disc drink-M"],
    ),
    (
        "5.4 no free dish for the Orc",
        at("orc", {0: 1}, "S", buffet="- - -\n- - -\n- - -\n- - -"),
        [],
    ),
    (
        "5.4 the Elf trades own cubes",
        at("elf", {0: 1}, "F", own={0: "MMN"}),
        ["trade M", "trade N"],
    ),
    ("5.4 the Elf needs a cube", at("elf", {0: 1}, "F"), []),
    (
        "5.4 F-20 no salt is traded for nothing",
        at("elf", {0: 1}, "F", own={0: "HN"}, reserves="NN"),
        ["trade H"],
    ),
    (
        "5.4 F-21 the Dwarf lays the disc that is at home",
        at("dwarf", {0: 1}, "P", discs={"grocer": {0: 1}}),
        [f"discs {s}" for s in ("troll", "pixies", "orc", "magician", "elf", "dwarf")],
    ),
    (
        "5.4 F-21 no disc at home",
        at("dwarf", {0: 1}, "P", laid={"troll": {0: 2}}),
        [],
    ),
    ("5.4 F-23 points in round 4", at("dwarf", {0: 1}, "P", round=4), ["points"]),
    (
        "5.4 F-23 points without discs",
        at("dwarf", {0: 1}, "P", round=4, laid={"troll": {0: 2}}),
        ["points"],
    ),
)
def test_decisions_at_a_character(state: State, moves: list[str]) -> None:
    assert legal(state) == ["take", *moves]


@case("5.4 12.1 two discs on one or two characters")
def test_two_discs() -> None:
    moves = legal(at("dwarf", {0: 1}, "P"))
    assert moves[:4] == ["take", "discs troll troll", "discs troll pixies", "discs troll orc"]
    assert moves[7:9] == ["discs pixies pixies", "discs pixies orc"]
    assert len(moves) == 22


@case("5.4 discs at home are laid for the next round")
def test_discs_at_home() -> None:
    state, _ = play(at("dwarf", {0: 2}, "PP"), "discs troll dwarf")
    assert state.laid[0] == state.laid[5] == (1, 0, 0, 0)
    assert state.discs == (0, 2, 2, 2)
    assert state.cubes[0] == cubes("P")


@case("5.4 F-22 a disc at the Dwarf is the token used and is laid again")
def test_a_disc_as_the_token_of_the_dwarf() -> None:
    state = at("dwarf", {0: 1}, "PPP", discs={"dwarf": {0: 1}}, own={})
    assert "discs elf elf" in legal(state)
    state, events = play(state, "discs elf elf")
    assert state.laid[4] == (2, 0, 0, 0)
    assert state.discs[0] == 0
    assert state.discs_at[5] == (0, 0, 0, 0)
    assert state.cubes[0] == cubes("P"), "one token is left to take"
    assert CameHome(Seat(0), 5, 1, 0) in events  # type: ignore[arg-type]


@case("5.4 F-22 two discs at the Dwarf: one is laid, one takes")
def test_two_discs_at_the_dwarf() -> None:
    state = at("dwarf", {}, "PPPP", discs={"dwarf": {0: 2}})
    assert len(legal(state)) == 2 + 6
    state, _ = play(state, "discs troll")
    assert state.cubes[0] == cubes("P")
    assert state.discs[0] == 1


@table(
    "state, moves, own, helpers",
    ("5.4 F-08 every token takes a cube", at("orc", {0: 2}, "SSSS"), "take", "SS", 6),
    ("5.4 tokens without a cube go home", at("orc", {0: 3}, "S"), "take", "S", 6),
    ("5.4 F-10 take all", at("orc", {0: 2}, "SSSSS"), "take all", "SSSSS", 6),
    ("5.4 F-07 a power uses a token", at("magician", {0: 3}, "UUUU"), "salt", "UUN", 6),
    (
        "5.4 a token sent takes nothing",
        at("pixies", {0: 2}, "HHH", shelves="M"),
        "send helper grocer",
        "H",
        5,
    ),
    ("5.4 the Dwarf's points use a token", at("dwarf", {0: 1}, "PP", round=4), "points", "", 6),
    (
        "5.4 1.3 F-03 the colour is chosen while there is a choice",
        at("orc", {0: 2}, "MMSU"),
        "take, cube U, cube M",
        "MU",
        6,
    ),
    (
        "5.4 the last tokens take what is left",
        at("orc", {0: 3}, "MSUU"),
        "take, cube M, cube U, cube S",
        "MSU",
        6,
    ),
    (
        "5.4 one colour left is no choice",
        at("orc", {0: 3}, "MSSSS"),
        "take, cube M",
        "MSS",
        6,
    ),
    ("5.4 as many cubes as tokens is no choice", at("orc", {0: 3}, "MSU"), "take", "MSU", 6),
    (
        "5.4 the Elf gives two cubes",
        at("elf", {0: 2}, "FFF", own={0: "N"}),
        "trade N, get HP",
        "HPF",
        6,
    ),
    (
        "5.4 the Elf may give back the colour returned",
        at("elf", {0: 1}, "FFF", own={0: "M"}),
        "trade M, get MM",
        "MM",
        6,
    ),
)
def test_takes(state: State, moves: str, own: str, helpers: int) -> None:
    state, _ = play(state, moves)
    assert state.cubes[0] == cubes(own)
    assert state.helpers[0] == helpers


@case("5.4 12.1 cubes and pairs in order")
def test_lists_of_cubes() -> None:
    state, _ = play(at("orc", {0: 2}, "USSM"), "take")
    assert legal(state) == ["cube M", "cube S", "cube U"]
    assert rule_broken(state, "cube H") == "5.4"
    state, _ = play(at("elf", {0: 1}, own={0: "H"}, reserves="MMS"), "trade H")
    assert legal(state) == ["get MM", "get MH", "get MS", "get HS"]
    assert rule_broken(state, "get HH") == "5.4"
    assert rule_broken(state, "get M") == "5.4"


@case("5.4 F-20 only one cube is there")
def test_one_cube_for_the_elf() -> None:
    state, _ = play(at("elf", {0: 1}, own={0: "H"}, reserves="NN"), "trade H")
    assert legal(state) == ["get H"]
    assert rule_broken(state, "get HM") == "5.4"


@case("5.2 5.6 F-06 seat by seat, in order")
def test_players_in_order() -> None:
    state = at("magician", {0: 1, 1: 3, 2: 1}, "UUU", first=2)
    assert state.order == (1, 2, 0)
    state, events = play(state, "take, salt, take")
    assert [type(event).__name__ for event in events[:5]] == [
        "Took",
        "CameHome",
        "SaltTaken",
        "CameHome",
        "CameHome",
    ]
    assert state.cubes[1] == cubes("UUU")
    assert state.phase is Phase.COOKING


@case("5.7 F-06 in steps all powers come before all takes")
def test_steps() -> None:
    state = at("elf", {0: 2, 1: 2}, "FFF", own={0: "M", 1: "H"}, options=STEPS)
    assert "take all" not in legal(state)
    state, _ = play(state, "take, trade H, get SS")
    assert state.cubes[0] == cubes("MFF")
    assert state.cubes[1] == cubes("SSF")
    state = at("magician", {0: 3, 1: 1}, "UMH", options=STEPS)
    state, events = play(state, "take all, take")
    assert [e.everything for e in events if isinstance(e, Took)] == [True]
    assert state.cubes[0] == cubes("UMH")
    state = at("magician", {0: 2, 1: 1}, "UMHS", options=STEPS)
    state, _ = play(state, "take")
    assert (state.seat, str(state.decision)) == (1, "character")
    state, _ = play(state, "salt")
    assert (state.seat, str(state.decision)) == (0, "cube")
    assert state.taking == ((0, 2), (1, 0))


@case("5.1 5.2 F-11 a token of the Pixies counts at its new spot")
def test_sent_token() -> None:
    state = at(
        "pixies", {0: 1}, "H", helpers={"magician": {0: 1, 1: 1}}, markets={"magician": "UUUU"}
    )
    state, _ = play(state, "send helper magician")
    assert state.order == (0, 1)
    assert "take all" in legal(state)


@case("5.4 F-13 a disc is sent and a disc reserves")
def test_discs_move() -> None:
    state = at("pixies", {}, "H", discs={"pixies": {0: 1}})
    state, _ = play(state, "send disc orc, reserve disc side-H")
    assert state.tokens[7] == 2
    assert state.discs[0] == 1


# The Troll ----------------------------------------------------------------------------------------

FULL = {"pixies": "HHHHH", "orc": "SSSSS", "magician": "UUUUU", "elf": "FFFFF", "dwarf": "PPPP"}


@table(
    "state, moves",
    (
        "5.4 F-04 targets with room",
        at("troll", {0: 1}, "M", markets=FULL, shelves="MMM", locks=dict.fromkeys(FULL, "")),
        [
            "move M troll dwarf",
            *(f"move {c} {s} {t}" for c, s in zip("HSUF", list(FULL)[:4], strict=True)
              for t in ("troll", "dwarf", "grocer")),
            "move P dwarf troll",
            "move P dwarf grocer",
            "move M grocer troll",
            "move M grocer dwarf",
        ],
    ),
    (
        "5.4 12.1 by source, colour and target",
        at("troll", {0: 1}, "MP", reserves=""),
        [
            *(f"move {c} troll {t}" for c in "MP" for t in
              ("pixies", "orc", "magician", "elf", "dwarf", "grocer")),
        ],
    ),
    ("5.4 nothing can be moved", at("troll", {0: 1}, ""), []),
    ("5.5 locked cubes cannot be moved", at("troll", {0: 1}, "MM", locks={"troll": "MM"}), []),
)  # fmt: skip
def test_troll_moves(state: State, moves: list[str]) -> None:
    assert [move for move in legal(state) if move.startswith("move")] == moves


@case("5.4 F-04 without the market limit every market is a target")
def test_no_market_limit() -> None:
    state = at("troll", {0: 1}, "M", markets=FULL, options={"market_limit": False})
    assert "move M troll orc" in legal(state)
    state, _ = play(state, "move M troll orc")
    assert sum(state.markets[2]) == 6


@table(
    "move, rule",
    ("5.4 a cube that is there", "move M troll orc", None),
    ("5.4 a cube that is not there", "move H troll orc", "5.4"),
    ("5.4 a cube must move", "move M troll troll", "5.4"),
    ("5.4 a full market", "move M troll elf", "5.4"),
    ("5.4 a full shelf", "move M troll grocer", "5.4"),
    ("5.5 a locked cube", "move H pixies orc", "5.5"),
    ("5.5 a locked cube of a shelf", "move F grocer orc", "5.5"),
    ("5.4 a cube of a shelf", "move M grocer orc", None),
    ("5.1 the power of another character", "salt", "5.1"),
    ("5.4 a move of another phase", "pass", "5.4"),
    ("5.4 no majority for take all", "take all", "5.4"),
)
def test_what_the_troll_cannot_do(move: str, rule: str | None) -> None:
    state = at(
        "troll",
        {0: 1, 1: 1},
        "MMM",
        markets={"elf": "FFFFF", "pixies": "H"},
        shelves="MMMF",
        locks={"pixies": "H", "grocer": "F"},
    )
    assert rule_broken(state, move) == rule


@case("5.5 F-05 locks are counted, and takes use unlocked cubes first")
def test_locks() -> None:
    state = at("troll", {0: 1, 1: 1, 2: 1}, "MM", markets={"pixies": "M", "orc": "S"})
    state, _ = play(state, "move M troll pixies")
    assert state.locks[6:12] == (1, 0, 0, 0, 0, 0)
    assert rule_broken(state, "move M pixies orc") is None, "one of two is not locked"
    state, _ = play(state, "move M pixies orc")
    assert rule_broken(state, "move M pixies orc") == "5.5"
    state = at("troll", {0: 2, 1: 1}, "MMM", locks={"troll": "MM"})
    state, _ = play(state, "take")
    assert state.locks[0] == 1
    assert rule_broken(state, "move M troll orc") == "5.5"
    state = at("troll", {0: 2, 1: 1}, "MM", locks={"troll": "MM"})
    state, _ = play(state, "take")
    assert not any(state.locks)


@case("5.5 locks end with the round, and a shelf has them too")
def test_locks_end() -> None:
    state, _ = prepare(locks={"troll": "MM"}, markets={"troll": "MM"})
    assert not any(state.locks)
    state = at("troll", {0: 1}, "M", helpers={"grocer": {0: 1}}, shelves="M")
    state, _ = play(state, "move M troll grocer")
    assert state.locks[36] == 1
    state, _ = play(state, "shelf M")
    assert state.locks[36] == 1
    assert state.shelves[0] == 1


# What else is wrong -------------------------------------------------------------------------------


@table(
    "state, move, rule",
    ("5.4 sent to the left", at("pixies", {0: 1}, "H"), "send helper troll", "5.4"),
    ("5.4 no disc to send", at("pixies", {0: 1}, "H"), "send disc elf", "5.4"),
    ("5.4 F-12 no roast is reserved", at("orc", {0: 1}, "S"), "reserve helper roast", "5.4"),
    (
        "5.4 a dish reserved already",
        at("orc", {0: 1}, "S", tokens={"drink-M": ("disc", 2)}),
        "reserve helper drink-M",
        "5.4",
    ),
    ("5.4 no disc to reserve with", at("orc", {0: 1}, "S"), "reserve disc drink-M", "5.4"),
    ("5.4 no salt is left", at("magician", {0: 1}, "U", reserves="M"), "salt", "5.4"),
    ("5.4 no such cube to trade", at("elf", {0: 1}, "F", own={0: "M"}), "trade H", "5.4"),
    (
        "5.4 F-20 salt for nothing",
        at("elf", {0: 1}, "F", own={0: "N"}, reserves="N"),
        "trade N",
        "5.4",
    ),
    ("5.4 no disc on the Grocer", at("dwarf", {0: 1}, "P"), "discs elf grocer", "5.4"),
    ("5.4 both discs are laid", at("dwarf", {0: 1}, "P"), "discs elf", "5.4"),
    ("5.4 no discs in round 4", at("dwarf", {0: 1}, "P", round=4), "discs elf elf", "5.4"),
    ("5.4 no points before round 4", at("dwarf", {0: 1}, "P", round=3), "points", "5.4"),
)
def test_wrong_powers(state: State, move: str, rule: str) -> None:
    assert rule_broken(state, move) == rule


# The Grocer ---------------------------------------------------------------------------------------


@case("6.1 F-24 the card moves first and the order stays")
def test_card_of_the_grocer() -> None:
    state, events = actions(helpers={"grocer": {1: 1, 2: 2, 3: 1}}, shelves="MMM", first=3)
    assert state.first == 2
    assert CardMoved(Seat(2)) in events
    assert state.order == (2, 3, 1), "seat 3 is before seat 1 in the old turn order"
    state, events = actions(helpers={"grocer": {1: 2, 3: 2}}, shelves="M", first=3)
    assert state.first == 3
    assert not any(isinstance(event, CardMoved) for event in events)


@case("6.1 6.3 with no token the card stays, and its holder cooks first")
def test_nobody_at_the_grocer() -> None:
    state, _ = actions(first=2)
    assert (state.first, state.seat, state.phase) == (2, 2, Phase.COOKING)


@case("6.2 F-25 all cubes that the tokens can take")
def test_shelves() -> None:
    state, _ = actions(helpers={"grocer": {0: 2, 1: 1}}, shelves="MMMHF")
    assert legal(state) == ["shelf M", "shelf H", "shelf F"]
    assert rule_broken(state, "shelf S") == "6.2"
    assert rule_broken(state, "take") == "6.2"
    state, _ = play(state, "shelf M")
    assert state.cubes[0] == cubes("MM")
    assert legal(state) == ["shelf M", "shelf H", "shelf F"]


@case("6.2 no decision when the shelves are empty")
def test_empty_shelves() -> None:
    state, _ = actions(helpers={"grocer": {0: 2, 1: 1}}, shelves="H")
    state, events = play(state, "shelf H")
    assert state.phase is Phase.COOKING
    assert CameHome(Seat(1), 6, 1, 0) in events  # type: ignore[arg-type]
    assert state.helpers == (6, 6, 6, 6)
    state, _ = actions(helpers={"grocer": {0: 2}}, discs={"grocer": {0: 1}})
    assert state.discs == (2, 2, 2, 2)


# Information and notation -------------------------------------------------------------------------


@case("10.2 what a view has")
def test_view() -> None:
    state = GAME.deal(GAME.spec.options(3), seed_from_text("5")).state
    view = GAME.view(state, Seat(1))
    assert view.piles == (3, 3, 3, 3)
    assert view.ending is None
    assert view.blocked == ()


@case("10.3 events tell what happened")
def test_events() -> None:
    state = at("troll", {0: 2}, "MMM")
    _, events = play(state, "take")
    assert events[0] == Took(Seat(0), 0, cubes("MM", 6), everything=False)  # type: ignore[arg-type]
    assert events[1] == CameHome(Seat(0), 0, 2, 0)  # type: ignore[arg-type]
    assert not any(isinstance(event, Scored) for event in events)


@case("12.2 only the seat that is asked can play")
def test_the_wrong_seat() -> None:
    state = position()
    assert rule_broken(state, "first 0", seat=1) == "12.2"
    assert legal(state, seat=1) == []
    with pytest.raises(IllegalMoveError, match="seat 0"):
        GAME.apply(state, {Seat(1): GAME.parse_move("first 0")})
    with pytest.raises(IllegalMoveError, match="nobody"):
        GAME.apply(state, {})


@case("10.2 12.2 views and moves are checked")
def test_strangers() -> None:
    state = position()
    with pytest.raises(UsageError, match="a seat from 0 to 3"):
        GAME.view(state, Seat(4))
    with pytest.raises(UsageError, match="is not a move of Festo!"):
        GAME.check(state, Seat(0), "first 0")  # type: ignore[arg-type]
    with pytest.raises(IllegalMoveError, match="only 4 seats"):
        play(state, "first 4")
    assert GAME.decision_kind(GAME.view(state, None), ()) == "choose_first"
    assert GAME.outcome(state) is None


@case("12.3 F-42 the default is the first move of the list")
def test_default_moves() -> None:
    state = cooking(own={0: "MMMHHH"})
    assert GAME.format_move(GAME.default_move(state, Seat(0))) == "pass"


@table(
    "text, message",
    ("12.1 an empty move", "", "an empty move"),
    ("12.1 an unknown word", "plce none", "place none"),
    ("12.1 an unknown word without more", "pas", "pass"),
    ("12.1 a word with the wrong parts", "take some", "A move is one of"),
    ("12.1 an unknown spot", "place trol=1", "troll"),
    ("12.1 a spot without number", "place troll", "write each spot once"),
    ("12.1 a spot twice", "place troll=1 troll=2", "write each spot once"),
    ("12.1 no digit", "place troll=x", "must be a digit"),
    ("12.1 more than a seat has", "place troll=7", "0 to 6 helpers"),
    ("12.1 no such seat", "first 9", "there is no seat 9"),
    ("12.1 an unknown cube", "cube X", "there is no cube"),
    ("12.1 salt is in no market", "cube N", "there is no colour 6"),
    ("12.1 an unknown token", "send pawn elf", "They are helper and disc"),
    ("12.1 an unknown dish", "cook drink-X", "there is no dish"),
    ("12.1 three discs", "discs elf elf elf", "lay one disc or two"),
    ("12.1 three cubes", "get MMM", "get one cube or two"),
)
def test_notation(text: str, message: str) -> None:
    with pytest.raises(NotationError, match=message):
        GAME.parse_move(text)
