"""What holds in every game of Kupferkessel Co., beyond what holds in every game."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.board import CELL_NAMES, Cell
from engine.errors import NotationError
from engine.game import Options, Seat
from engine.kupferkessel.cards import CARD_NAMES, RECIPE_NAMES
from engine.kupferkessel.data import (
    COLOURS_WITH_A_RECIPE_FOR_BOTH,
    COLOURS_WITH_A_RECIPE_FOR_ONE,
    EXPLOSIONS,
    WANDS,
)
from engine.kupferkessel.moves import Take
from engine.kupferkessel.state import Phase, State
from engine.shuffle import Seed
from referee.devkit.random_play import random_steps
from tests.engine.kupferkessel.positions import GAME
from tests.engine.kupferkessel.test_rules import (
    EXPLOSION,
    FURTHER,
    OPEN_OR_NOT,
    WAND,
    Position,
    after,
)
from tests.naive.glastonbury import cells_of_line

KINDS = [
    GAME.spec.options(seats, {"recipes": recipes, "symbols": symbols})
    for seats in (2, 3)
    for recipes in (False, True)
    for symbols in EXPLOSIONS
]
every_kind = pytest.mark.parametrize("kind", KINDS, ids=str)
seeds = st.binary(min_size=32, max_size=32).map(Seed)
some_games = settings(max_examples=25)


def states(kind: Options, seed: Seed) -> Iterator[State]:
    """Play a random game and return every position on the way, the last one too."""
    state = GAME.deal(kind, seed).state
    yield state
    for step in random_steps(GAME, state, seed):
        yield step.transition.state


@every_kind
@given(seed=seeds)
@some_games
def test_turns_without_a_take_in_a_row_are_few(kind: Options, seed: Seed) -> None:
    """kupferkessel#11.1: at most one for each seat, and none at the beginning."""
    with_takes = [state.turn for state in states(kind, seed) if state.phase is Phase.TAKE]
    assert with_takes[0] == 1
    assert all(later - turn <= kind.seats + 1 for turn, later in pairwise(with_takes))


@every_kind
@given(seed=seeds)
@some_games
def test_a_turn_has_at_most_four_decisions(kind: Options, seed: Seed) -> None:
    """kupferkessel#11.2."""
    decisions = Counter(state.turn for state in states(kind, seed) if state.phase is not Phase.OVER)
    assert max(decisions.values()) <= 4


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.seats == 2], ids=str)
@given(seed=seeds)
@some_games
def test_with_two_seats_wands_are_few(kind: Options, seed: Seed) -> None:
    """kupferkessel#11.3."""
    phases = [state.phase for state in states(kind, seed)]
    assert phases.count(Phase.WAND) <= len(EXPLOSIONS[str(kind["symbols"])]) * 2
    assert len(phases) <= 428


@every_kind
@given(seed=seeds)
@some_games
def test_while_the_game_goes_on_nothing_runs_dry(kind: Options, seed: Seed) -> None:
    """kupferkessel#1.5, 2.4, 4.6 and 6.1."""
    lines = [cells_of_line(line) for line in "bcde2345"]
    for state in states(kind, seed):
        assert all(state.cauldrons)
        assert len(set(state.stops)) == kind.seats
        filled = {CELL_NAMES[i] for i, card in enumerate(state.board) if card}
        if state.phase in (Phase.TAKE, Phase.TAKE_AGAIN):
            assert len(filled) == 32 or not state.pile
        if state.end is None:
            assert all(filled & set(line) for line in lines)


@pytest.mark.parametrize("cell", [-1, 36])
def test_there_is_no_move_to_a_cell_beyond_the_board(cell: int) -> None:
    with pytest.raises(NotationError, match="cells are 0"):
        Take(Cell(cell))


def test_cards_have_names_of_their_own() -> None:
    assert len(CARD_NAMES) == len(set(CARD_NAMES)) == 57
    assert len(RECIPE_NAMES) == len(set(RECIPE_NAMES)) == 21


def test_the_reconstructed_tables_name_cards_and_colours_that_there_are() -> None:
    """A mistyped card in data.py is reported."""
    assert EXPLOSIONS.keys() == WANDS.keys()
    for explosions, wands in zip(EXPLOSIONS.values(), WANDS.values(), strict=True):
        assert {*explosions, *wands} <= set(CARD_NAMES)
        assert len({*explosions, *wands}) == len(explosions) + len(wands)
    both, one = COLOURS_WITH_A_RECIPE_FOR_BOTH, COLOURS_WITH_A_RECIPE_FOR_ONE
    assert {*both, *one} <= set("WKSBNGL")
    assert len(both) + len(one) == 7


@pytest.mark.parametrize(
    ("position", "moves", "lines"),
    [
        (
            Position(pile=5),
            "",
            ["without recipes, turn 1: seat 0 (white) to decide, facing column d"],
        ),
        (
            EXPLOSION,
            "take d1",
            ["seat 0 (white) to decide, whether to use the explosion of Sa2!", "0*", "Sa2! on top"],
        ),
        (WAND, "take d1", ["whether to use the wand of Sb2~", "symbols: ! explosion, ~ wand"]),
        (FURTHER, "take e1, use", ["seat 0 (white) to decide, facing row 2 after a wand"]),
        (
            OPEN_OR_NOT,
            "take d4",
            ["with recipes", "whether to keep the last card, Ka3", "plants both:S", "hidden"],
        ),
        (
            OPEN_OR_NOT,
            "take d4, discard",
            [
                "the game is over",
                "cauldron of seat 1 (black): Bb1 Bb3",
                "one:W ended_game",
                "out of the game: Ka3",
                "ending: the last card of a line was taken, ended by seat 0 (white)",
            ],
        ),
        (
            Position(turn=200, pile=5),
            "take d1",
            ["turn 200: the game is over", "ending: the last turn that the rules allow is over"],
        ),
        (Position(seats=3, pile=5, third_colour="N"), "", ["3 seats", "2     brown  5"]),
    ],
)
def test_a_view_as_text_says_what_matters(position: Position, moves: str, lines: list[str]) -> None:
    text = GAME.render(GAME.view(after(position, moves).state, Seat(0)))
    for line in lines:
        assert line in text


def test_a_drawing_shows_the_square_and_the_ring() -> None:
    position = Position(board={"b1": "Sa2", "f2": "Sb2", "a5": "La4"}, stops=[0, 19], pile=5)
    text = GAME.render(GAME.view(after(position).state, None)).splitlines()
    assert text[2:5] == [
        "         0       1       2       3:W     4       5",
        "         a       b       c       d       e       f",
        "      1  +       Sa2!    Wa1     Wa2     Wa3     +       1",
    ]
    assert text[5].startswith(" 19:K 2  ")
    assert text[5].endswith("Sb2~    2 6")
    assert text[8].startswith("   16 5  La4 ")
    assert text[10] == "         15      14      13      12      11      10"
