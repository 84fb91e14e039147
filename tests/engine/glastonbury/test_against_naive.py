"""The engine against the naive implementation: move by move, and by counting."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from engine.board import CELL_NAMES
from engine.game import Options, Seat
from engine.glastonbury.cards import CARD_NAMES
from engine.glastonbury.state import State
from engine.shuffle import seed_from_text
from referee.devkit.random_play import chooser
from tests.engine.glastonbury.positions import GAME, names
from tests.naive.glastonbury import NaiveGlastonbury
from tests.naive.glastonbury import perft as naive_perft

GAMES_OF_EACH_KIND = int(os.environ.get("HIGHSTREET_GAMES", "120"))
"""Set it to 10000 for an afternoon."""
BATCH = 30
PERFT = Path(__file__).parents[2] / "data" / "perft" / "glastonbury.json"
COLOURS = ("YGRB", "BRYG", "RGBY")
SHARED = (
    *("board", "pile", "cauldrons", "stops", "spells", "accio", "declinatio", "out"),
    *("seat", "phase", "ender"),
)


def everything(state: State) -> dict[str, object]:
    """Write a state as the naive implementation does."""
    phase = str(state.phase).removesuffix("_after_declinatio")
    return {
        "board": {CELL_NAMES[i]: CARD_NAMES[c] for i, c in enumerate(state.board) if c},
        "pile": names(state.pile).split(),
        "cauldrons": [names(cauldron).split() for cauldron in state.cauldrons],
        "stops": list(state.stops),
        "spells": [names(own.taken).split() for own in state.spells],
        "accio": [own.accio for own in state.spells],
        "declinatio": [own.declinatio for own in state.spells],
        "out": names(state.out).split(),
        "seat": state.seat,
        "phase": phase,
        "ender": state.end.ender if state.end else None,
    }


def shared_part(naive: NaiveGlastonbury) -> dict[str, object]:
    """Return what both implementations keep, under the names of ``everything``."""
    return {name: getattr(naive, name) for name in SHARED}


def deals(first: int, count: int) -> Iterator[tuple[Options, int]]:
    """Return kinds of games and seeds, also with other colours and the switch of R-15."""
    for number in range(first, first + count):
        for kind in GAME.spec.kinds():
            given: dict[str, Any] = {
                "recipes": kind["recipes"],
                "colours": COLOURS[number % len(COLOURS)],
                "dead_end_counts_as_end": number % 2 == 0,
            }
            yield GAME.spec.options(kind.seats, given), number


def naive_deal(options: Options, number: int) -> NaiveGlastonbury:
    return NaiveGlastonbury(
        options.seats,
        bool(options["recipes"]),
        seed_from_text(str(number)),
        str(options["colours"])[: options.seats],
        bool(options["dead_end_counts_as_end"]),
    )


@pytest.mark.slow
@pytest.mark.parametrize("batch", range(0, GAMES_OF_EACH_KIND, BATCH))
def test_random_games_agree_move_by_move(batch: int) -> None:
    for options, number in deals(batch, BATCH):
        seed = seed_from_text(str(number))
        choose = chooser(seed)
        state, naive = GAME.deal(options, seed).state, naive_deal(options, number)
        while seats := GAME.to_act(state):
            assert everything(state) == shared_part(naive)
            assert naive.to_act() == list(seats)
            moves = {}
            for seat in seats:
                legal = GAME.legal_moves(state, seat)
                assert [GAME.format_move(move) for move in legal] == naive.legal(seat)
                assert GAME.format_move(GAME.default_move(state, seat)) == naive.default(seat)
                moves[seat] = choose(legal)
            state = GAME.apply(state, moves).state
            naive.play({int(seat): GAME.format_move(move) for seat, move in moves.items()})
        outcome = GAME.outcome(state)
        assert outcome is not None
        assert naive.to_act() == []
        assert everything(state) == shared_part(naive)
        assert list(outcome.scores) == naive.scores
        assert list(outcome.places) == naive.places
        assert outcome.ending == naive.ending
        # glastonbury#13.2: the most takes and turns that there can be.
        most_takes, most_turns = {2: (77, 153), 3: (89, 177), 4: (93, 185)}[options.seats]
        assert naive.takes <= most_takes
        assert naive.turns <= most_turns


def perft(state: State, depth: int) -> int:
    """Count the sequences of ``depth`` decisions; sealed ones count as one step."""
    seats = GAME.to_act(state)
    if depth == 0 or not seats:
        return 1
    offered = [GAME.legal_moves(state, seat) for seat in seats]
    return sum(
        perft(GAME.apply(state, dict(zip(seats, moves, strict=True))).state, depth - 1)
        for moves in product(*offered)
    )


def naive_table() -> list[dict[str, object]]:
    """Count by the naive implementation: from the deal, in mid-game, and across the end."""
    rows: list[dict[str, object]] = []
    for options, number in deals(1000, 3):
        total = _length(options, number)
        for before, depth in ((0, 4), (total // 2, 4), (max(0, total - 4), 4)):
            naive = naive_deal(options, number)
            prefix = _played(naive, number, before)
            rows.append(
                {
                    "options": dict(options),
                    "seed": number,
                    "prefix": prefix,
                    "depth": depth,
                    "count": naive_perft(naive, depth),
                }
            )
    return rows


def _played(naive: NaiveGlastonbury, number: int, steps: int) -> list[dict[str, str]]:
    choose = chooser(seed_from_text(str(number)))
    prefix = []
    for _ in range(steps):
        moves: dict[int, str] = {seat: choose(naive.legal(seat)) for seat in naive.to_act()}
        prefix.append({str(seat): move for seat, move in moves.items()})
        naive.play(moves)
    return prefix


def _length(options: Options, number: int) -> int:
    naive = naive_deal(options, number)
    choose = chooser(seed_from_text(str(number)))
    steps = 0
    while seats := naive.to_act():
        naive.play({seat: choose(naive.legal(seat)) for seat in seats})
        steps += 1
    return steps


def test_perft_counts_are_those_of_the_naive_implementation(update: bool) -> None:
    """The table was counted by the naive implementation; the engine counts the same."""
    if update:
        rows = ",\n".join(json.dumps(row) for row in naive_table())
        PERFT.write_text(f"[\n{rows}\n]\n", encoding="utf-8")
    table = json.loads(PERFT.read_text(encoding="utf-8"))
    assert Counter(row["options"]["seats"] for row in table) == {2: 18, 3: 18, 4: 18}
    for row in table:
        given = {name: value for name, value in row["options"].items() if name != "seats"}
        options = GAME.spec.options(row["options"]["seats"], given)
        state = GAME.deal(options, seed_from_text(str(row["seed"]))).state
        for moves in row["prefix"]:
            chosen = {Seat(int(seat)): GAME.parse_move(move) for seat, move in moves.items()}
            state = GAME.apply(state, chosen).state
        assert perft(state, row["depth"]) == row["count"]
