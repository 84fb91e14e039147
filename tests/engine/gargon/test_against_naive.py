"""The engine against the naive implementation: move by move, and by counting."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from engine.game import Options
from engine.gargon.state import State
from engine.shuffle import seed_from_text
from referee.devkit.random_play import chooser
from tests.engine.gargon.compare import compare, deals, mixed, naive_deal
from tests.engine.gargon.positions import GAME

GAMES_OF_EACH_KIND = 40
BATCH = 10
PERFT = Path(__file__).parents[2] / "data" / "perft" / "gargon.json"

MOST_ROUNDS = {3: 71, 4: 61, 5: 51}
MOST_DECISIONS = {3: 489, 4: 510, 5: 511}
"""As gargon#10.1 and 10.2 prove."""


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(0, GAMES_OF_EACH_KIND, BATCH))
def test_random_games_agree_move_by_move(batch: int) -> None:
    """``compare`` asserts at every step; it can also be run for many more games."""
    for options, number in deals(batch, BATCH):
        choose = mixed(number) if number % 3 == 0 else chooser(seed_from_text(str(number)))
        played = compare(options, number, choose)
        assert played.rounds <= MOST_ROUNDS[options.seats]
        assert len(played.choices) <= MOST_DECISIONS[options.seats]


def test_the_bound_of_the_game_is_the_largest_of_the_page() -> None:
    assert max(MOST_DECISIONS.values()) == GAME.spec.most_decisions


def perft(state: State, depth: int) -> int:
    """Count the sequences of ``depth`` decisions; a game over earlier counts as one."""
    seats = GAME.to_act(state)
    if depth == 0 or not seats:
        return 1
    (seat,) = seats
    moves = GAME.legal_moves(state, seat)
    return sum(perft(GAME.apply(state, {seat: move}).state, depth - 1) for move in moves)


def naive_perft(options: Options, number: int, moves: list[str], depth: int) -> int:
    """Count likewise; each game is played from its deal, for a generator cannot be copied."""
    naive = naive_deal(options, number)
    for move in moves:
        naive.play({naive.to_act()[0]: move})
    if depth == 0 or naive.question is None:
        return 1
    legal = naive.question[2]
    if depth == 1:
        return len(legal)
    return sum(naive_perft(options, number, [*moves, move], depth - 1) for move in legal)


def random_moves(options: Options, number: int) -> list[str]:
    """Play a whole game by the naive implementation."""
    choose = chooser(seed_from_text(str(number)))
    naive = naive_deal(options, number)
    moves: list[str] = []
    while naive.question is not None:
        moves.append(choose(naive.question[2]))
        naive.play({naive.question[0]: moves[-1]})
    return moves


def naive_table() -> list[dict[str, object]]:
    """Count by the naive implementation: from the deal, in mid-game, and across the end.

    Who sees captures does not matter here, so each deal is counted for one kind of game only.
    """
    rows: list[dict[str, object]] = []
    for options, number in deals(1000, 4):
        if options["open_captures"]:
            continue
        moves = random_moves(options, number)
        for before, depth in ((0, 4), (len(moves) // 2, 5), (len(moves) - 8, 9)):
            rows.append(
                {
                    "options": dict(options),
                    "seed": number,
                    "prefix": moves[:before],
                    "depth": depth,
                    "count": naive_perft(options, number, moves[:before], depth),
                }
            )
    return rows


def test_perft_counts_are_those_of_the_naive_implementation(update: bool) -> None:
    """The table was counted by the naive implementation; the engine counts the same."""
    if update:
        rows = ",\n".join(json.dumps(row) for row in naive_table())
        PERFT.write_text(f"[\n{rows}\n]\n", encoding="utf-8")
    table = json.loads(PERFT.read_text(encoding="utf-8"))
    assert Counter(row["options"]["seats"] for row in table) == {3: 12, 4: 12, 5: 12}
    for row in table:
        given = {name: value for name, value in row["options"].items() if name != "seats"}
        options = GAME.spec.options(row["options"]["seats"], given)
        state = GAME.deal(options, seed_from_text(str(row["seed"]))).state
        for move in row["prefix"]:
            state = GAME.apply(state, {state.seat: GAME.parse_move(move)}).state
        assert perft(state, row["depth"]) == row["count"]
