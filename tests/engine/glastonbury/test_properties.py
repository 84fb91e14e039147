"""What holds in every game of Glastonbury, beyond what holds in every game."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board import AT_CORNER, Cell
from engine.errors import NotationError
from engine.game import Options
from engine.glastonbury.cards import CARD_NAMES
from engine.glastonbury.moves import AssignImmuto, Take
from engine.glastonbury.scoring import score_sheets
from engine.glastonbury.state import Moved, Passed, Phase, Took
from engine.shuffle import Seed
from referee.devkit.random_play import random_steps
from tests.engine.glastonbury.positions import GAME
from tests.naive.glastonbury import cells_of_line

every_kind = pytest.mark.parametrize("kind", list(GAME.spec.kinds()), ids=str)
seeds = st.binary(min_size=32, max_size=32).map(Seed)

MOST = {2: (77, 153), 3: (89, 177), 4: (93, 185)}
"""The most takes and turns for each number of seats (glastonbury#13.2)."""


@every_kind
@given(seed=seeds)
@settings(max_examples=25)
def test_no_seat_has_two_corner_turns_in_a_row(kind: Options, seed: Seed) -> None:
    """glastonbury#13.1, and the bounds of 13.2."""
    dealt = GAME.deal(kind, seed)
    events = list(dealt.events)
    for step in random_steps(GAME, dealt.state, seed):
        events += step.transition.events
    rested = [False] * kind.seats
    takes = turns = 0
    for event in events:
        if isinstance(event, Moved) and not event.steps:
            assert not AT_CORNER[event.stop]
        if isinstance(event, Passed):
            assert not rested[event.seat]
            rested[event.seat] = True
            turns += 1
        if isinstance(event, Took):
            rested[event.seat] = False
            takes += 1
            turns += 1
    most_takes, most_turns = MOST[kind.seats]
    assert takes <= most_takes
    assert turns <= most_turns


@every_kind
@given(seed=seeds)
@settings(max_examples=25)
def test_while_the_game_goes_on_no_line_is_empty(kind: Options, seed: Seed) -> None:
    """glastonbury#4.6 and 8.1: a full board while there is a pile, and a card in every line."""
    lines = [cells_of_line(line) for line in "bcde2345"]
    state = GAME.deal(kind, seed).state
    for step in random_steps(GAME, state, seed):
        state = step.transition.state
        if state.end is None:
            filled = {
                f"{'abcdef'[i % 6]}{i // 6 + 1}" for i, card in enumerate(state.board) if card
            }
            assert all(filled & set(line) for line in lines)
            assert len(filled) == 32 or not state.pile


def test_only_a_game_that_is_over_has_a_score_sheet() -> None:
    state = GAME.deal(GAME.spec.options(2), Seed(bytes(32))).state
    assert state.phase is Phase.TAKE
    with pytest.raises(ValueError, match="only a game that is over has scores"):
        score_sheets(state)


@pytest.mark.parametrize("cell", [-1, 36])
def test_there_is_no_move_to_a_cell_beyond_the_board(cell: int) -> None:
    with pytest.raises(NotationError, match="cells are 0"):
        Take(Cell(cell))


@pytest.mark.parametrize("ingredient", [-1, 18])
def test_there_is_no_assignment_to_an_ingredient_beyond_the_last(ingredient: int) -> None:
    with pytest.raises(NotationError, match="they are 0"):
        AssignImmuto((ingredient,))  # type: ignore[arg-type]


def test_an_assignment_has_one_order() -> None:
    assert GAME.parse_move("immuto Oa Gb") == GAME.parse_move("immuto Gb Oa")
    assert GAME.format_move(GAME.parse_move("immuto Oa Gb")) == "immuto Gb Oa"


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("", "cannot read an empty move"),
        ("take", "A move is one of"),
        ("take c2 d3", "A move is one of"),
        ("keep it", "A move is one of"),
        ("immuto", "A move is one of"),
        ("immuto Xa", 'there is no ingredient "Xa"'),
        ("immuto oa", 'Did you mean "Oa"?'),
        ("take c9", "cells are a1 to f6"),
        ("dclinatio", 'Did you mean "declinatio"?'),
        ("takes c2", 'Did you mean "take c2"?'),
    ],
)
def test_unreadable_moves_are_refused_with_a_hint(text: str, hint: str) -> None:
    with pytest.raises(NotationError) as caught:
        GAME.parse_move(text)
    assert hint in str(caught.value)


def test_cards_have_names_of_their_own() -> None:
    assert len(CARD_NAMES) == 78
    assert len(set(CARD_NAMES)) == 78
