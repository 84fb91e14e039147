"""The engine against the naive implementation: move by move, and by counting."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from engine import Options, seed_from_text
from engine.festo.state import State
from tests.engine.festo.compare import compare, deals, naive_deal, policy, uniform
from tests.engine.festo.positions import GAME

GAMES_OF_EACH_KIND = 256
BATCH = 16
PERFT = Path(__file__).parents[2] / "data" / "perft" / "festo.json"

MOST_DECISIONS = {2: 236, 3: 328, 4: 420, 5: 512}
"""As festo#12.5 proves."""
LONGEST_LISTS = {
    "choose_first": 5,
    "place_west": 84,
    "place_east": 210,
    "character": 164,
    "cube": 6,
    "elf_take": 21,
    "grocery": 6,
    "cook": 43,
    "payment": 129,
}
"""As festo#12.4 states."""


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(0, GAMES_OF_EACH_KIND, BATCH))
def test_random_games_agree_move_by_move(batch: int) -> None:
    """2,048 games: every number of seats with every value of every option.

    ``compare`` asserts at every step; it can also be run for many more games.
    """
    for options, number in deals(batch, BATCH, GAME):
        played = compare(GAME, options, number, policy(number))
        assert len(played.choices) <= MOST_DECISIONS[options.seats]
        assert all(number <= LONGEST_LISTS[kind] for kind, number in played.choices)


def test_the_bound_of_the_game_is_the_largest_of_the_page() -> None:
    assert max(MOST_DECISIONS.values()) == GAME.spec.most_decisions


def perft(state: State, depth: int) -> int:
    """Count the sequences of that many decisions; a game over earlier counts as one."""
    seats = GAME.to_act(state)
    if depth == 0 or not seats:
        return 1
    (seat,) = seats
    moves = GAME.legal_moves(state, seat)
    if depth == 1:
        return len(moves)
    return sum(perft(GAME.apply(state, {seat: move}).state, depth - 1) for move in moves)


def naive_perft(options: Options, number: int, moves: list[str], depth: int) -> int:
    """Count likewise; each game is played from its deal, because a generator cannot be copied."""
    naive = naive_deal(options, number)
    for move in moves:
        naive.play({naive.to_act()[0]: move})
    if depth == 0 or naive.question is None:
        return 1
    legal = naive.question[2]
    if depth == 1:
        return len(legal)
    return sum(naive_perft(options, number, [*moves, move], depth - 1) for move in legal)


def random_moves(options: Options, number: int) -> list[tuple[str, str]]:
    """Play a whole game by the naive implementation; return the kind and the move each time."""
    choose = uniform(number)
    naive = naive_deal(options, number)
    moves: list[tuple[str, str]] = []
    while naive.question is not None:
        seat, kind, legal = naive.question
        moves.append((kind, choose(legal)))
        naive.play({seat: moves[-1][1]})
    return moves


def starts(kinds: list[str]) -> list[tuple[int, int]]:
    """Return where to count from, and how deep: the deal, the first Troll, cooking, the end."""
    middle = len(kinds) // 2
    first_character = kinds.index("character")
    later_cook = kinds.index("cook", middle)
    return [(0, 2), (first_character, 2), (later_cook, 3), (len(kinds) - 4, 5)]


def naive_table() -> list[dict[str, object]]:
    """Count by the naive implementation: from the deal, in mid-game, and across the end."""
    rows: list[dict[str, object]] = []
    for options, number in deals(1000, 8, GAME):
        if (number % 2 == 0) == bool(options["magic_dishes"]):
            continue
        played = random_moves(options, number)
        for before, depth in starts([kind for kind, _ in played]):
            moves = [move for _, move in played[:before]]
            rows.append(
                {
                    "options": dict(options),
                    "seed": number,
                    "prefix": moves,
                    "depth": depth,
                    "count": naive_perft(options, number, moves, depth),
                }
            )
    return rows


def position_of(row: Any) -> State:
    given = {name: value for name, value in row["options"].items() if name != "seats"}
    options = GAME.spec.options(row["options"]["seats"], given)
    state = GAME.deal(options, seed_from_text(str(row["seed"]))).state
    for move in row["prefix"]:
        state = GAME.apply(state, {state.seat: GAME.parse_move(move)}).state
    return state


def test_perft_counts_are_those_of_the_naive_implementation(update: bool) -> None:
    """The table was counted by the naive implementation; the engine counts the same."""
    if update:
        rows = ",\n".join(json.dumps(row) for row in naive_table())
        PERFT.write_text(f"[\n{rows}\n]\n", encoding="utf-8")
    table = json.loads(PERFT.read_text(encoding="utf-8"))
    assert Counter(row["options"]["seats"] for row in table) == {2: 32, 3: 32, 4: 32, 5: 32}
    for row in table:
        assert perft(position_of(row), row["depth"]) == row["count"]
