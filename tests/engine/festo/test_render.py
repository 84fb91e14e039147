"""What people read of Festo!: the drawing of a view, and sentences for events."""

from __future__ import annotations

from engine import Seat
from engine.festo.cards import Category, EventCard, Spot
from engine.festo.moves import parse_move
from engine.festo.presentation import PRESENTATION
from engine.festo.state import (
    CameHome,
    DiceRolled,
    EventRevealed,
    FirstChosen,
    Phase,
    Placed,
    RowChanged,
    SpotBegan,
    State,
    Took,
)
from tests.engine.festo.positions import GAME, actions, cooking, cubes, dishes, play, position

MAGIC = {"magic_dishes": True}


def drawn(state: State, viewer: int | None = None) -> str:
    return GAME.render(GAME.view(state, None if viewer is None else Seat(viewer)))


def test_a_drawing_shows_the_table() -> None:
    text = drawn(
        cooking(
            own={0: "MMHN"},
            discs={"elf": {1: 1}},
            laid={"elf": {1: 1}},
            tokens={"drink-M": ("helper", 0), "side-S": ("disc", 2)},
            buffet="drink-M - -\n- - -\n- - side-S\n- - -",
            cooked={3: "dessert-F roast"},
            events="E01 E13",
            options=MAGIC,
        )
    )
    assert "Festo!, 4 seats, with magic dishes: round 1, cooking, seat 0 to cook" in text
    assert "drink-M (seat 0)" in text
    assert "side-S (seat 2, disc)" in text
    assert "o+" in text
    assert "dessert-F roast" in text
    assert "events: E01 E13" in text
    assert "MMHN" in text


def test_a_drawing_says_what_is_being_decided() -> None:
    state, _ = play(position(dice_ahead=((4, 5, 6), (1, 1, 1))), "first 0")
    assert "to place helpers on the first three spots" in drawn(state)
    assert "dice: 4 5 6" in drawn(state)
    assert "blocked" in drawn(state)
    state, _ = play(state, "place troll=2")
    assert "placed so far: troll=2" in drawn(state, 0)
    assert "placed so far" not in drawn(state, 1)
    state, _ = actions(helpers={"orc": {0: 2, 1: 1}}, markets={"orc": "MSUU"})
    assert "to act at the spot orc" in drawn(state)
    assert "order here: 0 1; to decide: 0 1" in drawn(state)
    state, _ = play(state, "take")
    assert "to take: seat 0 with 2" in drawn(state)
    state, _ = actions(
        helpers={"orc": {0: 2}}, markets={"orc": "MSUU"}, cooked={0: "starter-M"}, options=MAGIC
    )
    state, _ = play(state, "take, cube M")
    assert "rewarded starters: starter-M" in drawn(state)
    state, _ = play(cooking(own={0: "MMH"}), "cook drink-M")
    assert "to pay for drink-M" in drawn(state)
    state, _ = play(cooking(seats=2, round=4), "pass")
    assert "passed" in drawn(state)
    state, _ = play(state, "pass")
    assert "the game is over" in drawn(state)
    assert "ending: the four rounds are over" in drawn(state)


def test_sentences() -> None:
    troll, grocer = Spot(0), Spot(6)
    order = (Seat(1), Seat(0))
    told = {
        Placed(Seat(1), (0,) * 7): "seat 1 places no helpers",
        Placed(Seat(1), (2, 0, 0, 0, 0, 0, 1)): "seat 1 places 2 on the troll, 1 on the grocer",
        SpotBegan(troll, order, None): "at the troll: seat 1, seat 0; nobody has the majority",
        SpotBegan(troll, order, Seat(1)): "at the troll: seat 1, seat 0; seat 1 has the majority",
        CameHome(Seat(0), grocer, 2, 1): "seat 0 takes 2 helpers and 1 disc home from the grocer",
        CameHome(Seat(0), grocer, 1, 0): "seat 0 takes 1 helper home from the grocer",
        Took(Seat(0), troll, cubes("MMS", 6), True): "seat 0 takes all cubes from the troll: MMS",
        FirstChosen(Seat(0), Seat(0)): "seat 0 keeps the first-player card",
        FirstChosen(Seat(0), Seat(2)): "seat 0 gives the first-player card to seat 2",
        DiceRolled(Phase.MORNING, ()): "the dice of the morning show nothing",
        EventRevealed(EventCard(3)): "the event card E03 is revealed",
        RowChanged(Category(0), dishes("drink-M - -")): "the row of each drink has drink-M",
        RowChanged(Category(0), dishes("- - -")): "the row of each drink has no dishes",
    }
    for event, text in told.items():
        assert PRESENTATION.sentence(event) == text


def test_a_story_names_everything() -> None:
    state, _ = play(position(dice_ahead=((4, 5, 6), (1, 1, 1))), "first 0, place troll=2")
    seen, real = PRESENTATION.view(GAME.view(state, Seat(1))), PRESENTATION.everything(state)
    assert seen["placing"] == []
    assert real["placing"] == [2, 0, 0]
    assert seen["piles"] is None
    assert real["dice_ahead"] == [[1, 1, 1]]
    tokens = {"drink-M": ("disc", 3)}
    assert PRESENTATION.everything(cooking(tokens=tokens))["tokens"] == ["disc 3", *[""] * 11]
    assert PRESENTATION.covered(parse_move("place troll=1")) == "place"
    assert PRESENTATION.covered(parse_move("pass")) is None
    assert PRESENTATION.scores(cooking(own={0: "MMH"})) == [3, 0, 0, 0]


def test_the_shelf_of_a_locked_cube() -> None:
    """festo#5.5: locks of the shelves fall with the cubes that are taken."""
    state, _ = actions(helpers={"grocer": {0: 2}}, shelves="MM", locks={"grocer": "MM"})
    state, _ = play(state, "shelf M")
    assert not any(state.locks)
