"""The engine against the naive implementation: move by move, and by counting."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from engine.game import Options
from engine.kupferkessel.state import State
from engine.shuffle import seed_from_text
from referee.devkit.random_play import chooser
from tests.engine.kupferkessel.compare import always_using, compare, deals, naive_deal
from tests.engine.kupferkessel.positions import GAME
from tests.naive.kupferkessel import NaiveKupferkessel

GAMES_OF_EACH_KIND = 100
BATCH = 25
PERFT = Path(__file__).parents[2] / "data" / "perft" / "kupferkessel.json"
DEPTH = 4


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(0, GAMES_OF_EACH_KIND, BATCH))
def test_random_games_agree_move_by_move(batch: int) -> None:
    """``compare`` asserts at every step; it can also be run for many more games."""
    for options, number in deals(batch, BATCH):
        choose = chooser(seed_from_text(str(number)))
        played = compare(options, number, always_using(choose) if number % 2 else choose)
        # kupferkessel#11.4: the fewest takes that there can be.
        assert played.takes >= {2: 28, 3: 27}[options.seats]


def perft(state: State, depth: int) -> int:
    """Count the sequences of ``depth`` decisions; a game over earlier counts as one."""
    seats = GAME.to_act(state)
    if depth == 0 or not seats:
        return 1
    (seat,) = seats
    moves = GAME.legal_moves(state, seat)
    return sum(perft(GAME.apply(state, {seat: move}).state, depth - 1) for move in moves)


def naive_game(options: Options, number: int, moves: list[str]) -> NaiveKupferkessel:
    """Deal by the naive implementation, and play moves."""
    naive = naive_deal(options, number)
    for move in moves:
        naive.play({naive.seat: move})
    return naive


def naive_perft(options: Options, number: int, moves: list[str], depth: int) -> int:
    """Count likewise; each game is played from its deal, for a generator cannot be copied."""
    naive = naive_game(options, number, moves)
    legal = naive.legal(naive.seat)
    if depth == 0 or not legal:
        return 1
    return sum(naive_perft(options, number, [*moves, move], depth - 1) for move in legal)


def random_moves(options: Options, number: int) -> list[str]:
    """Play a whole game by the naive implementation."""
    choose = chooser(seed_from_text(str(number)))
    naive = naive_deal(options, number)
    moves = []
    while naive.to_act():
        moves.append(choose(naive.legal(naive.seat)))
        naive.play({naive.seat: moves[-1]})
    return moves


def naive_table() -> list[dict[str, object]]:
    """Count by the naive implementation: from the deal, in mid-game, and across the end."""
    rows: list[dict[str, object]] = []
    for options, number in deals(1000, 2):
        moves = random_moves(options, number)
        for before in (0, len(moves) // 2, len(moves) - DEPTH):
            count = naive_perft(options, number, moves[:before], DEPTH)
            rows.append(
                {
                    "options": dict(options),
                    "seed": number,
                    "prefix": moves[:before],
                    "depth": DEPTH,
                    "count": count,
                }
            )
    return rows


def test_perft_counts_are_those_of_the_naive_implementation(update: bool) -> None:
    """The table was counted by the naive implementation; the engine counts the same."""
    if update:
        rows = ",\n".join(json.dumps(row) for row in naive_table())
        PERFT.write_text(f"[\n{rows}\n]\n", encoding="utf-8")
    table = json.loads(PERFT.read_text(encoding="utf-8"))
    assert Counter(row["options"]["seats"] for row in table) == {2: 24, 3: 24}
    for row in table:
        given = {name: value for name, value in row["options"].items() if name != "seats"}
        options = GAME.spec.options(row["options"]["seats"], given)
        state = GAME.deal(options, seed_from_text(str(row["seed"]))).state
        for move in row["prefix"]:
            (seat,) = GAME.to_act(state)
            state = GAME.apply(state, {seat: GAME.parse_move(move)}).state
        assert perft(state, row["depth"]) == row["count"]
