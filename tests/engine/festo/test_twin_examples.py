"""The naive implementation against the worked examples of the rules, and against its bounds.

Paragraphs are those of docs/rules/festo.md. Sarah, Toby, Joy and Tom of the examples sit at 0 to 3.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from engine import seed_from_text
from tests.naive.festo import CHARACTERS, COLOURS, ROWS, NaiveFesto, rank, score

SARAH, TOBY, JOY, TOM = range(4)


def table(seats: int = 4, number: int = 7, holder: int = SARAH, **options: Any) -> NaiveFesto:
    """Return a game in round 1 with full reserves, and empty markets and shelves."""
    twin = NaiveFesto(seats, seed_from_text(str(number)), **options)
    twin.holder = holder
    for colour in COLOURS:
        twin.reserves[colour] = 14
        twin.shelves[colour] = 0
        for spot in CHARACTERS:
            twin.markets[spot][colour] = 0
    return twin


def put(twin: NaiveFesto, spot: str, helpers: Mapping[int, int], disc: int | None = None) -> None:
    """Put helpers of some seats on a spot, and a disc of one."""
    for seat, number in helpers.items():
        twin.home["helper"][seat] -= number
        twin.on["helper"][spot][seat] += number
    if disc is not None:
        twin.home["disc"][disc] -= 1
        twin.on["disc"][spot][disc] += 1


def give(twin: NaiveFesto, seat: int, cubes: str) -> None:
    """Give a seat cubes from the reserves."""
    for cube in cubes:
        twin.reserves[cube] -= 1
        twin.cubes[seat][cube] += 1


def play(twin: NaiveFesto, *moves: str) -> None:
    """Play moves, each for the seat that must decide."""
    for move in moves:
        (seat,) = twin.to_act()
        twin.play({seat: move})


def legal(twin: NaiveFesto) -> list[str]:
    """Return the legal moves of the seat to act."""
    (seat,) = twin.to_act()
    return twin.legal(seat)


def buffet(twin: NaiveFesto, dish: str, column: int) -> None:
    """Exchange dishes of a row so that this one lies in that column."""
    row = dish.split("-", maxsplit=1)[0]
    places = [*twin.rows[row], *twin.piles[row]]
    i, j = places.index(dish), column - 1
    places[i], places[j] = places[j], places[i]
    twin.rows[row] = places[:3]
    twin.piles[row] = [dish for dish in places[3:] if dish]


def payments(twin: NaiveFesto, dish: str, cubes: str, seat: int = SARAH) -> list[str]:
    """Give a seat cubes, and return how it can pay for a dish."""
    give(twin, seat, cubes)
    return twin.payments(seat, dish)


# Worked examples ----------------------------------------------------------------------------------


def test_sarah_scores_78() -> None:
    """8.5, score: two drinks, two sides, a dessert and a main are worth 58."""
    dishes = ["drink-M", "drink-H", "side-M", "side-H", "dessert-M", "main"]
    assert score(dishes, cubes=2, points=5) == 58 + 10 + 3 + 2 + 5 == 78


def test_the_score_at_the_end_is_that_of_the_example() -> None:
    twin = table()
    twin.cooked[SARAH] = ["drink-M", "drink-H", "side-M", "side-H", "dessert-M", "main"]
    twin.points[SARAH] = 5
    give(twin, SARAH, "MN")
    twin.end()
    assert twin.scores == [78, 0, 0, 0]
    assert twin.tiebreaks == [[6, 2], [0, 0], [0, 0], [0, 0]]
    assert twin.places == [1, 2, 2, 2]


@pytest.mark.parametrize(
    ("keys", "places"),
    [
        ([(7, 1, 0), (7, 0, 2), (7, 0, 3)], [1, 3, 2]),
        ([(31, 3, 2), (31, 2, 5)], [1, 2]),
        ([(5, 1, 1), (5, 1, 1), (4, 9, 9)], [1, 1, 3]),
    ],
)
def test_places(keys: list[tuple[int, int, int]], places: list[int]) -> None:
    """8.3 and 8.5, places."""
    assert rank(keys) == places


def test_refill() -> None:
    """8.5, refill: the Elf has four cubes and receives one."""
    twin = table(seats=4)
    twin.markets["elf"]["F"] = 4
    twin.fill_markets()
    assert {spot: sum(market.values()) for spot, market in twin.markets.items()} == {
        **dict.fromkeys(CHARACTERS, 3),
        "elf": 5,
    }
    assert twin.reserves == {**dict.fromkeys(COLOURS, 11), "F": 13, "N": 5}


def test_dice() -> None:
    """8.5, dice: 4, 5 and 5."""
    twin = table()
    twin.dice = [4, 5, 5]
    assert twin.blocked() == ["magician", "elf"]


def test_shopping() -> None:
    """8.5, shopping: a whole morning and afternoon."""
    twin = table()
    twin.dealt_dice[0] = [[4, 5, 5], [1, 2, 6]]
    twin.run(twin._shopping())
    play(twin, "place troll=1 pixies=1 orc=1", "place none")
    play(twin, "place pixies=2", "place none")
    play(twin, "place troll=2", "place grocer=2")
    play(twin, "place none", "place none")
    assert twin.phase == "afternoon"
    assert twin.blocked() == ["troll", "pixies", "dwarf"]
    play(twin, "place orc=1", "place elf=2")
    play(twin, "place none", "place magician=3 grocer=1")
    play(twin, "place none", "place elf=2")
    play(twin, "place orc=3", "place grocer=3")
    assert twin.to_act() == []
    assert twin.on["helper"] == {
        "troll": [1, 0, 2, 0],
        "pixies": [1, 2, 0, 0],
        "orc": [2, 0, 0, 3],
        "magician": [0, 3, 0, 0],
        "elf": [2, 0, 2, 0],
        "dwarf": [0, 0, 0, 0],
        "grocer": [0, 1, 2, 3],
    }
    majorities = [twin.majority(spot) for spot in CHARACTERS]
    assert majorities == [JOY, TOBY, TOM, TOBY, None, None]
    assert twin.blocked() == []


def test_order() -> None:
    """8.5, order: Joy has two tokens, Sarah and Tom one, Sarah comes before Tom."""
    twin = table()
    put(twin, "troll", {SARAH: 1, JOY: 2, TOM: 1})
    assert twin.order_at("troll") == [JOY, SARAH, TOM]


@pytest.mark.parametrize("action_order", ["players", "steps"])
def test_orc(action_order: str) -> None:
    """8.5, Orc: Sarah takes three of four spices, Tom reserves and takes the last one."""
    twin = table(action_order=action_order)
    twin.markets["orc"]["S"] = 4
    put(twin, "orc", {SARAH: 3, TOM: 3})
    twin.run(twin._character("orc"))
    assert twin.to_act() == [SARAH]
    assert "take all" not in legal(twin)
    play(twin, "take")
    assert twin.to_act() == [TOM]
    assert "take all" not in legal(twin)
    dish = twin.buffet()[0]
    play(twin, f"reserve helper {dish}")
    assert [twin.cubes[seat]["S"] for seat in (SARAH, TOM)] == [3, 1]
    assert twin.reserved == {dish: (TOM, "helper")}
    assert twin.home["helper"] == [6, 6, 6, 5]
    assert twin.tokens("orc", TOM) == 0


def test_grocery() -> None:
    """8.5, grocery: Tom has four tokens and gets the card, but only three cubes."""
    twin = table()
    twin.shelves.update(M=1, H=2, S=1, U=3, F=1, P=1)
    put(twin, "grocer", {TOM: 4, JOY: 2, TOBY: 1})
    twin.run(twin._grocer())
    assert twin.holder == TOM
    play(twin, "shelf U", "shelf H", "shelf F")
    assert twin.to_act() == []
    assert [twin.cubes[TOM]["U"], twin.cubes[JOY]["H"], twin.cubes[TOBY]["F"]] == [3, 2, 1]
    assert twin.shelves == {"M": 1, "H": 0, "S": 1, "U": 0, "F": 0, "P": 1}
    assert twin.home["helper"] == [6, 6, 6, 6]


def test_a_dish_of_three_honey_and_two_others() -> None:
    """8.5, cost: two cubes of one other colour, not of two."""
    twin = table()
    buffet(twin, "side-H", column=1)
    assert payments(twin, "side-H", "HHHSSF") == ["HHHSS"]


def test_a_dish_of_two_mushrooms_and_two_others_in_the_third_column() -> None:
    """8.5, cost: the surcharge is all of one of the two colours."""
    twin = table()
    buffet(twin, "starter-U", column=3)
    assert payments(twin, "starter-U", "MMMMUUUU") == ["MMMMUU", "MMUUUU"]


# The rest of the page -----------------------------------------------------------------------------


def test_the_deal_of_seed_7() -> None:
    """3.4."""
    twin = NaiveFesto(4, seed_from_text("7"), events="reconstructed")
    assert twin.deal() == {
        "first_player": 0,
        "piles": [
            [f"drink-{colour}" for colour in "UFPSMH"],
            [f"starter-{colour}" for colour in "FPUHSM"],
            [f"side-{colour}" for colour in "PSFUHM"],
            [f"dessert-{colour}" for colour in "HMUFPS"],
        ],
        "events": ["E10", "E05", "E08", "E03"],
        "dice": [
            [[2, 1, 2], [3, 5, 4]],
            [[4, 6, 5], [6, 2, 1]],
            [[1, 5, 1], [2, 6, 3]],
            [[5, 1, 4], [6, 2, 2]],
        ],
    }
    first = [NaiveFesto(seats, seed_from_text("7")).first_player for seats in (2, 3, 4, 5)]
    assert first == [0, 0, 0, 2]


def test_the_longest_payment() -> None:
    """12.4: all cubes and six salts."""
    twin = table(seats=5)
    for colour in COLOURS:
        give(twin, 0, colour * 14)
    give(twin, 0, "N" * 6)
    lengths = [len(twin.payments(0, dish)) for dish in ("roast", "main")]
    for row in ROWS:
        for column in (1, 2, 3):
            buffet(twin, f"{row}-S", column)
            lengths.append(len(twin.payments(0, f"{row}-S")))
    assert max(lengths) == 129


@pytest.mark.parametrize(
    ("spot", "length"), [("pixies", 12), ("orc", 26), ("magician", 3), ("elf", 9), ("dwarf", 23)]
)
def test_the_longest_lists_at_the_characters(spot: str, length: int) -> None:
    """12.4: majority, helper and disc, and every cube."""
    twin = table()
    give(twin, SARAH, "MHSUFPN")
    twin.markets[spot]["M"] = 5
    put(twin, spot, {SARAH: 1}, disc=SARAH)
    twin.run(twin._character(spot))
    assert len(legal(twin)) == length


def test_placements_are_counted_and_ordered() -> None:
    """12.1 and 12.4."""
    twin = table()
    twin.dealt_dice[0] = [[], [4]]
    twin.run(twin._shopping())
    assert len(legal(twin)) == 84
    assert legal(twin)[:3] == ["place none", "place orc=1", "place orc=2"]
    assert legal(twin)[7:9] == ["place pixies=1", "place pixies=1 orc=1"]
    play(twin, "place none")
    assert len(legal(twin)) == 210
    play(twin, "place none", *["place none"] * 6)
    play(twin, "place troll=2")
    assert legal(twin)[:2] == ["place grocer=4", "place dwarf=1 grocer=3"]
    assert legal(twin)[-1] == "place elf=4"


def test_the_western_part_is_private() -> None:
    """4.5 and 10.2."""
    twin = table()
    twin.dealt_dice[0] = [[], []]
    twin.run(twin._shopping())
    play(twin, "place troll=2")
    assert twin.knows(SARAH)["placing"] == {"troll": 2}
    assert twin.knows(TOM) == twin.knows(None)
    assert twin.knows(None)["placing"] == {}
    assert twin.home["helper"][SARAH] == 6
    play(twin, "place none")
    assert twin.to_act() == [TOBY]
    assert twin.home["helper"][SARAH] == 4
    play(twin, "place orc=6")
    assert twin.to_act() == [JOY]


def test_a_moved_cube_is_locked() -> None:
    """5.5: the second seat cannot move it again, and unlocked cubes are taken first."""
    twin = table()
    twin.markets["troll"]["M"] = 1
    twin.markets["pixies"]["H"] = 1
    put(twin, "troll", {SARAH: 1, TOBY: 1})
    twin.run(twin._character("troll"))
    play(twin, "move H pixies troll")
    assert twin.market_locks["troll"]["H"] == 1
    assert all(move.startswith(("take", "move M troll")) for move in legal(twin))
    play(twin, "take")
    assert twin.to_act() == [TOBY]
    assert legal(twin) == ["cube M", "cube H"]
    play(twin, "cube H")
    assert twin.market_locks["troll"]["H"] == 0


@pytest.mark.parametrize(("limit", "offered"), [(True, False), (False, True)])
def test_the_troll_and_a_full_market(limit: bool, offered: bool) -> None:
    """5.4, F-04."""
    twin = table(market_limit=limit)
    twin.markets["elf"]["F"] = 5
    twin.shelves.update(M=3, H=1)
    put(twin, "troll", {SARAH: 1})
    twin.run(twin._character("troll"))
    assert ("move H grocer elf" in legal(twin)) is offered
    assert "move F elf grocer" in legal(twin)
    assert "move M elf grocer" not in legal(twin)


@pytest.mark.parametrize(
    ("action_order", "cubes", "offered"),
    [("players", 3, True), ("players", 2, False), ("steps", 1, True), ("steps", 0, False)],
)
def test_take_all(action_order: str, cubes: int, offered: bool) -> None:
    """5.4."""
    twin = table(action_order=action_order)
    twin.markets["magician"]["U"] = cubes
    put(twin, "magician", {SARAH: 2, TOM: 1})
    twin.run(twin._character("magician"))
    assert ("take all" in legal(twin)) is offered


def test_steps_come_one_after_the_other() -> None:
    """5.7: Sarah decides first, but takes after Tom has used the power."""
    twin = table(action_order="steps")
    twin.markets["troll"]["M"] = 1
    put(twin, "troll", {SARAH: 2, TOM: 1})
    twin.run(twin._character("troll"))
    play(twin, "take")
    assert twin.cubes[SARAH]["M"] == 0
    assert (twin.waiting, twin.taking) == ([TOM], [SARAH])
    play(twin, "move M troll elf")
    assert twin.to_act() == []
    assert twin.cubes[SARAH]["M"] == 0
    assert twin.home["helper"] == [6, 6, 6, 6]


def test_the_elf_with_nearly_empty_reserves() -> None:
    """5.4, F-20: salt buys nothing, and a last cube comes back alone."""
    twin = table()
    give(twin, TOM, "".join(colour * 14 for colour in COLOURS))
    twin.cubes[SARAH].update(N=1, H=1)
    put(twin, "elf", {SARAH: 1})
    twin.run(twin._character("elf"))
    assert legal(twin) == ["take", "trade H"]
    play(twin, "trade H")
    assert legal(twin) == ["get H"]


def test_a_disc_at_the_dwarf_is_laid_again() -> None:
    """5.4, F-22: it comes home first; the other disc is on another spot."""
    twin = table()
    put(twin, "dwarf", {SARAH: 1}, disc=SARAH)
    put(twin, "troll", {}, disc=SARAH)
    twin.run(twin._character("dwarf"))
    assert legal(twin) == ["take", *(f"discs {spot}" for spot in CHARACTERS)]
    play(twin, "discs dwarf")
    assert twin.laid["dwarf"][SARAH] == 1
    assert (twin.home["helper"][SARAH], twin.home["disc"][SARAH]) == (6, 0)
    twin.join_discs()
    assert twin.on["disc"]["dwarf"][SARAH] == 1


def test_the_dwarf_gives_points_in_the_last_round() -> None:
    """5.4, F-23."""
    twin = table()
    twin.round = 4
    put(twin, "dwarf", {SARAH: 1})
    twin.run(twin._character("dwarf"))
    play(twin, "points")
    assert twin.points == [2, 0, 0, 0]


def test_a_reserved_dish() -> None:
    """7.1, 7.2, 7.4: one cube less for its owner, nothing for others; recalling takes the turn."""
    twin = table()
    buffet(twin, "drink-M", column=1)
    twin.home["helper"][SARAH] -= 1
    twin.reserved["drink-M"] = (SARAH, "helper")
    give(twin, SARAH, "MMH")
    give(twin, TOBY, "MMMMHHHH")
    twin.run(twin._cooking())
    assert twin.payments(SARAH, "drink-M") == ["MM", "MH"]
    assert legal(twin) == ["pass", "cook drink-M", "recall drink-M M", "recall drink-M H"]
    play(twin, "recall drink-M H")
    assert twin.to_act() == [TOBY]
    assert "cook drink-M" in legal(twin)
    assert twin.home["helper"][SARAH] == 6


def test_salt_stands_for_any_cube() -> None:
    """7.6 and the order of 12.1."""
    twin = table()
    buffet(twin, "drink-S", column=1)
    assert payments(twin, "drink-S", "SSHNN") == ["HSS", "HSN", "SSN", "HNN", "SNN"]


def test_magic_drinks() -> None:
    """9.4: a main can cost nothing, a roast five cubes."""
    twin = table(magic_dishes=True)
    twin.cooked[SARAH] = [f"drink-{colour}" for colour in COLOURS]
    assert payments(twin, "main", "") == ["none"]
    twin.cooked[SARAH] = ["drink-M"]
    assert payments(twin, "roast", "MMMMMMHHHHHH") == ["MMMMM", "HHHHHH"]
    assert payments(twin, "main", "SUFP") == ["HSUFP"]


@pytest.mark.parametrize(("move", "points"), [("pay MMH", 2), ("pay MHHN", 2), ("pay HHNN", 1)])
def test_magic_desserts(move: str, points: int) -> None:
    """9.5: cubes of the colour count, salt does not."""
    twin = table(magic_dishes=True)
    twin.cooked[SARAH] = ["dessert-M", "dessert-H"]
    dish = "drink-M" if move == "pay MMH" else "starter-H"
    buffet(twin, dish, column=1)
    give(twin, SARAH, "MMHHNN")
    twin.run(twin._cooking())
    play(twin, f"cook {dish}", move)
    assert twin.points[SARAH] == points


def test_magic_starters_and_sides() -> None:
    """9.6 and 9.7: power and takes bring one token together, each side one for the majority."""
    twin = table(magic_dishes=True)
    twin.cooked[SARAH] = ["starter-F", "starter-H", "side-M", "side-P"]
    twin.markets["elf"]["F"] = 2
    give(twin, SARAH, "M")
    put(twin, "elf", {SARAH: 3})
    twin.run(twin._character("elf"))
    assert twin.points[SARAH] == 2
    play(twin, "trade M", "get FF")
    assert twin.points[SARAH] == 3
    assert twin.cubes[SARAH]["F"] == 4


@pytest.mark.parametrize(
    ("card", "seats", "dice"),
    [("E13", 4, 2), ("E13", 5, 1), ("E14", 4, 1), ("E14", 5, 0), ("E01", 4, 3), ("E01", 5, 2)],
)
def test_events_that_take_dice_away(card: str, seats: int, dice: int) -> None:
    """Section 11."""
    twin = table(seats=seats, events="reconstructed")
    twin.revealed = [card]
    assert twin.number_of_dice() == dice


def test_events_that_fill_a_market() -> None:
    """Section 11: two more, up to five."""
    twin = table(seats=5, events="reconstructed")
    assert twin.dealt_events is not None
    twin.dealt_events[0] = "E05"
    twin.fill_markets()
    twin.reveal_event()
    assert twin.markets["elf"]["F"] == 5
