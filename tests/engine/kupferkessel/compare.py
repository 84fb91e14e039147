"""Play the engine and the naive implementation side by side, and look at the games.

    python -m tests.engine.kupferkessel.compare [--games 10000] [--first 0] [--symbols-always]

compares that number of games of every kind and of both symbol tables, and writes their figures.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from engine.board import CELL_NAMES
from engine.game import Options, Outcome
from engine.kupferkessel.cards import CARD_NAMES, SYMBOLS, THIRD_PAWNS
from engine.kupferkessel.moves import USE
from engine.kupferkessel.state import State
from engine.shuffle import seed_from_text
from referee.devkit.random_play import chooser
from tests.engine.kupferkessel.positions import GAME, names
from tests.naive.kupferkessel import NaiveKupferkessel

SHARED = (
    *("board", "pile", "cauldrons", "stops", "out"),
    *("seat", "phase", "turn", "steps", "ender", "ending"),
)


class Compared(NamedTuple):
    """A game on which both implementations agree."""

    outcome: Outcome
    turns: int
    takes: int
    corners: int
    """Turns without a take."""
    choices: Sequence[int]
    """How many legal moves each decision had."""


def everything(state: State) -> dict[str, object]:
    """Write a state as the naive implementation does."""
    return {
        "board": {CELL_NAMES[i]: CARD_NAMES[c] for i, c in enumerate(state.board) if c},
        "pile": names(state.pile).split(),
        "cauldrons": [names(cauldron).split() for cauldron in state.cauldrons],
        "stops": list(state.stops),
        "out": names(state.out).split(),
        "seat": state.seat,
        "phase": str(state.phase),
        "turn": state.turn,
        "steps": state.steps,
        "ender": state.end.ender if state.end else None,
        "ending": state.end.ending if state.end else None,
    }


def shared_part(naive: NaiveKupferkessel) -> dict[str, object]:
    """Return what both implementations keep, under the names of ``everything``."""
    return {name: getattr(naive, name) for name in SHARED}


def deals(first: int, count: int) -> Iterator[tuple[Options, int]]:
    """Return kinds of games and seeds, with each symbol table and each third colour in turn."""
    for number in range(first, first + count):
        for kind in GAME.spec.kinds():
            for symbols in SYMBOLS:
                given: dict[str, Any] = {
                    "recipes": kind["recipes"],
                    "symbols": symbols,
                    "third_colour": THIRD_PAWNS[number % len(THIRD_PAWNS)],
                }
                yield GAME.spec.options(kind.seats, given), number


def naive_deal(options: Options, number: int) -> NaiveKupferkessel:
    """Deal by the naive implementation."""
    return NaiveKupferkessel(
        options.seats,
        bool(options["recipes"]),
        seed_from_text(str(number)),
        str(options["symbols"]),
        str(options["third_colour"]),
    )


def compare(options: Options, number: int, choose: Callable[[Sequence[Any]], Any]) -> Compared:
    """Play one game in both implementations, and assert that they agree at every step."""
    state = GAME.deal(options, seed_from_text(str(number))).state
    naive = naive_deal(options, number)
    choices = []
    turns_with_takes = set()
    while seats := GAME.to_act(state):
        assert everything(state) == shared_part(naive)
        (seat,) = seats
        assert naive.to_act() == [seat]
        legal = GAME.legal_moves(state, seat)
        assert [GAME.format_move(move) for move in legal] == naive.legal(seat)
        assert GAME.format_move(GAME.default_move(state, seat)) == naive.default(seat)
        choices.append(len(legal))
        turns_with_takes.add(state.turn)
        move = choose(legal)
        state = GAME.apply(state, {seat: move}).state
        naive.play({int(seat): GAME.format_move(move)})
    outcome = GAME.outcome(state)
    assert outcome is not None
    assert naive.to_act() == []
    assert everything(state) == shared_part(naive)
    assert list(outcome.scores) == naive.scores
    assert list(outcome.places) == naive.places
    corners = state.turn - len(turns_with_takes)
    return Compared(outcome, state.turn, naive.takes, corners, choices)


def always_using(choose: Callable[[Sequence[Any]], Any]) -> Callable[[Sequence[Any]], Any]:
    """Make a player that uses every symbol, and otherwise plays as another one."""
    return lambda legal: USE if USE in legal else choose(legal)


def figures(games: Sequence[Compared]) -> str:
    """Summarise games of one kind in one line."""
    turns = [game.turns for game in games]
    takes = [game.takes for game in games]
    decisions = [len(game.choices) for game in games]
    scores = [score for game in games for score in game.outcome.scores]
    wins = [0.0] * len(games[0].outcome.scores)
    for game in games:
        for seat, place in enumerate(game.outcome.places):
            wins[seat] += (place == 1) / game.outcome.places.count(1) / len(games)
    parts = {
        "turns": spread(turns),
        "takes": spread(takes),
        "decisions": spread(decisions),
        "choices": f"{fmean(n for game in games for n in game.choices):.2f}",
        "corners": f"{sum(game.corners for game in games) / sum(turns):.3f}",
        "score": spread(scores),
        "ties": f"{fmean(game.outcome.places.count(1) > 1 for game in games):.2%}",
        "wins": " ".join(f"{share:.3f}" for share in wins),
        "caps": str(sum(game.outcome.ending == "turn_cap" for game in games)),
    }
    return ", ".join(f"{name} {text}" for name, text in parts.items())


def spread(values: Sequence[int]) -> str:
    """Write mean and range."""
    return f"{fmean(values):.1f} [{min(values)}..{max(values)}]"


def main() -> None:
    """Compare, and write a line for each kind of game."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--symbols-always", action="store_true")
    arguments = parser.parse_args()
    compared: dict[str, list[Compared]] = {}
    for options, number in deals(arguments.first, arguments.games):
        choose = chooser(seed_from_text(str(number)))
        if arguments.symbols_always:
            choose = always_using(choose)
        recipes = "with recipes" if options["recipes"] else "without recipes"
        kind = f"{options.seats} seats, {recipes}, {options['symbols']}"
        compared.setdefault(kind, []).append(compare(options, number, choose))
    for kind, games in compared.items():
        sys.stdout.write(f"{kind}, {len(games)} games: {figures(games)}\n")


if __name__ == "__main__":
    main()
