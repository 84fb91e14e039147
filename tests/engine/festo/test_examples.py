"""The worked examples of the booklet (festo#8.5), word for word."""

from __future__ import annotations

from engine import Outcome, Seat
from engine.festo.actions import majority
from engine.festo.scoring import score_sheets
from engine.festo.state import DiceRolled, Ending, MarketFilled, SpotBegan, Took
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


def test_sarah_scores_78() -> None:
    """Six dishes worth 58 in series of 4 and 2, two cubes, and a token of 5 points."""
    six = dishes("drink-M drink-H side-M side-H dessert-M main")
    (sheet,) = score_sheets([six], [cubes("MH")], (5,))
    assert (sheet.dishes, sheet.series, sheet.cubes, sheet.tokens) == (58, 10 + 3, 2, 5)
    assert sheet.total == 78
    assert sheet.tiebreak == (6, 2)


def test_refill_of_the_markets() -> None:
    """With four seats the Elf has four cubes and receives one; all others receive three."""
    state, events = prepare(seats=4, markets={"elf": "FFFF"})
    filled = [(event.colour, event.number) for event in events if isinstance(event, MarketFilled)]
    assert filled == [(0, 3), (1, 3), (2, 3), (3, 3), (4, 1), (5, 3)]
    assert [sum(market) for market in state.markets] == [3, 3, 3, 3, 5, 3]


def test_dice_4_5_5_block_magician_and_elf() -> None:
    state, events = play(position(dice_ahead=((4, 5, 5), (1, 2, 6))), "first 0")
    (rolled,) = (event for event in events if isinstance(event, DiceRolled))
    assert rolled.dice == (4, 5, 5)
    assert GAME.view(state, None).blocked == (3, 4)


def test_shopping() -> None:
    state = position(dice_ahead=((4, 5, 5), (1, 2, 6)))
    state, events = play(
        state,
        "first 0, "
        "place troll=1 pixies=1 orc=1, place none, "
        "place pixies=2, place none, "
        "place troll=2, place grocer=2, "
        "place none, place none, "
        "place orc=1, place elf=2, "
        "place none, place magician=3 grocer=1, "
        "place none, place elf=2, "
        "place orc=3, place grocer=3",
    )
    assert state.helpers_at == (
        (1, 0, 2, 0),
        (1, 2, 0, 0),
        (2, 0, 0, 3),
        (0, 3, 0, 0),
        (2, 0, 2, 0),
        (0, 0, 0, 0),
        (0, 1, 2, 3),
    )
    assert state.helpers == (0, 0, 0, 0)
    none: tuple[int, ...] = (0, 0, 0, 0)
    orders = [(2, 0), (1, 0), (3, 0), (1,), (0, 2)]
    winners = [
        majority(tuple(map(Seat, order)), state.helpers_at[spot], none)
        for spot, order in enumerate(orders)
    ]
    assert winners == [2, 1, 3, 1, None]
    (began,) = (event for event in events if isinstance(event, SpotBegan))
    assert (began.spot, began.order, began.majority) == (0, (2, 0), 2)


def test_order_at_a_character() -> None:
    """Joy has two, Sarah and Tom one each, and Sarah is before Tom."""
    state, _ = actions(helpers={"troll": {0: 1, 2: 2, 3: 1}}, markets={"troll": "MMM"})
    assert state.order == (2, 0, 3)


def test_orc() -> None:
    """Sarah and Tom have three each and there are four spices: nobody takes all of them."""
    state, _ = actions(helpers={"orc": {0: 3, 3: 3}}, markets={"orc": "SSSS"})
    assert state.seat == 0
    assert "take all" not in legal(state)
    state, _ = play(state, "take")
    assert state.cubes[0] == cubes("SSS")
    assert "take all" not in legal(state)
    state, _ = play(state, "reserve helper drink-M")
    assert state.cubes[3] == cubes("S")
    assert state.helpers[3] == 5
    assert state.tokens[0] == 1 + 2 * 3


def test_grocery() -> None:
    """Tom has four, Joy two and Toby one: three mushrooms, two honey, one fruit."""
    state, _ = actions(
        helpers={"grocer": {1: 1, 2: 2, 3: 4}}, shelves="HHUUUF", first=0, markets={}
    )
    assert state.first == 3
    assert state.order == (3, 2, 1)
    state, events = play(state, "shelf U, shelf H, shelf F")
    taken = [event.cubes for event in events if isinstance(event, Took)]
    assert taken == [cubes("UUU", 6), cubes("HH", 6), cubes("F", 6)]
    assert state.seat == 3, "the holder of the card cooks first"


def test_cost_in_the_first_column() -> None:
    state = cooking(buffet="- - -\n- - -\nside-H - -\n- - -", own={0: "HHHHHSSSFFF"}, markets={})
    state, _ = play(state, "cook side-H")
    assert rule_broken(state, "pay HHHSS") is None
    assert rule_broken(state, "pay HHHSF") == "7.3"


def test_cost_in_the_third_column() -> None:
    state = cooking(buffet="- - -\n- - starter-U\n- - -\n- - -", own={0: "MMMMMUUUUU"})
    state, _ = play(state, "cook starter-U")
    assert rule_broken(state, "pay MMUUUU") is None
    assert rule_broken(state, "pay MMMMUU") is None
    assert rule_broken(state, "pay MMMUUU") == "7.3"


def test_places() -> None:
    outcome = Outcome(Ending.ROUNDS_PLAYED, (7, 7, 7), ((1, 0), (0, 2), (0, 3)))
    assert outcome.places == (1, 3, 2)
