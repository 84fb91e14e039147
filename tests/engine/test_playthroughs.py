"""Whole games on record: nothing about them changes unnoticed.

``pytest --update tests/engine/test_playthroughs.py`` writes them anew; read the difference before
you commit it. Each is also replayed by the naive implementation, which did not write it.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engine.game import Options, Seat
from engine.registry import GAMES, AnyGame
from engine.shuffle import Seed, seed_from_text
from referee.devkit.random_play import random_steps
from tests.naive.festo import NaiveFesto
from tests.naive.gargon import NaiveGargon
from tests.naive.glastonbury import NaiveGlastonbury
from tests.naive.kupferkessel import NaiveKupferkessel

FOLDER = Path(__file__).parent.parent / "data" / "playthroughs"
SEED = seed_from_text("2013")

KINDS = [
    pytest.param(game, kind, id=f"{game.spec.name}-{'-'.join(map(str, kind.values()))}")
    for game in GAMES.values()
    for kind in game.spec.kinds()
]
every_kind = pytest.mark.parametrize(("game", "kind"), KINDS)


def path_of(game: AnyGame, kind: Options) -> Path:
    variants = [o.name for o in game.spec.options_offered if o.variant and kind[o.name]]
    return FOLDER / ("-".join([game.spec.name, str(kind.seats), *variants]) + ".txt")


def playthrough(game: AnyGame, kind: Options, seed: Seed) -> str:
    """Write down a random game with everything that the engine says about it."""
    lines = [f"options {dict(kind)}", f"seed {seed.hex()}"]
    lines += [f"{name} {value}" for name, value in game.describe_deal(kind, seed).items()]
    transition = game.deal(kind, seed)
    lines += _events(transition.events)
    for step in random_steps(game, transition.state, seed):
        for decision in step.decisions:
            legal = game.legal_moves(transition.state, decision.seat)
            lines += ["", game.render(game.view(transition.state, decision.seat))]
            lines.append(f"legal {', '.join(map(game.format_move, legal))}")
            default = game.default_move(transition.state, decision.seat)
            lines.append(f"default {game.format_move(default)}")
        for decision in step.decisions:
            lines.append(f"seat {decision.seat} plays {game.format_move(decision.move)}")
        transition = step.transition
        lines += _events(transition.events)
    lines += ["", game.render(game.view(transition.state, None))]
    outcome = game.outcome(transition.state)
    lines.append(f"outcome {outcome}")
    if outcome is not None and outcome.tiebreaks:
        lines.append(f"tiebreaks {outcome.tiebreaks}")
    return "\n".join(lines) + "\n"


def _events(events: Any) -> list[str]:
    return [f"event {event}" for event in events]


@every_kind
def test_every_kind_of_game_has_a_playthrough_that_still_holds(
    game: AnyGame, kind: Options, update: bool
) -> None:
    path = path_of(game, kind)
    written = playthrough(game, kind, SEED)
    if update:
        path.write_text(written, encoding="utf-8")
    assert path.exists(), f"no recorded playthrough {path.name}: run pytest --update"
    assert written == path.read_text(encoding="utf-8")


def _sections(text: str, word: str) -> list[str]:
    return [
        line.removeprefix(f"{word} ") for line in text.splitlines() if line.startswith(f"{word} ")
    ]


NAIVE: dict[str, Callable[[Options], Any]] = {
    "glastonbury": lambda kind: NaiveGlastonbury(kind.seats, bool(kind["recipes"]), SEED),
    "kupferkessel": lambda kind: NaiveKupferkessel(kind.seats, bool(kind["recipes"]), SEED),
    "gargon": lambda kind: NaiveGargon(kind.seats, SEED),
    "festo": lambda kind: NaiveFesto(kind.seats, SEED, magic_dishes=bool(kind["magic_dishes"])),
}
"""How the naive implementation of each game deals."""


@every_kind
def test_the_naive_implementation_plays_the_same_game(game: AnyGame, kind: Options) -> None:
    text = path_of(game, kind).read_text(encoding="utf-8")
    naive = NAIVE[game.spec.name](kind)
    played = [line.split(" plays ") for line in _sections(text, "seat") if " plays " in line]
    legal, defaults = iter(_sections(text, "legal")), iter(_sections(text, "default"))
    moves = iter(played)
    while seats := naive.to_act():
        chosen: dict[int, str] = {}
        for seat in seats:
            assert next(legal) == ", ".join(naive.legal(seat))
            assert next(defaults) == naive.default(seat)
        for _ in seats:
            seat_text, move = next(moves)
            chosen[Seat(int(seat_text))] = move
        naive.play(chosen)
    assert next(moves, None) is None
    (outcome,) = _sections(text, "outcome")
    assert f"scores={tuple(naive.scores or ())}" in outcome
    assert f"places={tuple(naive.places or ())}" in outcome
