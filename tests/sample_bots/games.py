"""Play whole games of sample bots against each other, in this process."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from engine.game import Event, Options, Seat
from engine.shuffle import Seed
from tests.sample_bots import messages

PYTHON_BOTS = Path(__file__).parents[2] / "sample_bots" / "python"


def load(name: str) -> ModuleType:
    """Import a script of sample_bots/python as it is: by path, beside its siblings."""
    if str(PYTHON_BOTS) not in sys.path:
        sys.path.insert(0, str(PYTHON_BOTS))
    return importlib.import_module(name)


Watcher = Callable[[Any, Seat, Any, Any], None]


@dataclass(frozen=True)
class Result:
    """How a game went."""

    scores: tuple[int, ...]
    places: tuple[int, ...]
    moves: tuple[Any, ...]


def play(
    bots: Sequence[Any],
    options: Options,
    seed: Seed,
    *,
    seconds: float = 10,
    watch: Watcher | None = None,
    spoken: Any = messages,
) -> Result:
    """Play a game as the referee would; a move that is not legal fails.

    ``watch`` is called after every answer with the state, the seat, its bot and the move. The game
    is Glastonbury, or the one of the ``Wire`` that is ``spoken``.
    """
    game = spoken.GAME
    for seat, bot in enumerate(bots):
        bot.match_started(spoken.started("m", options, seat))
    news: list[list[Event]] = [[] for _ in bots]
    transition = game.deal(options, seed)
    played: list[Any] = []
    while True:
        state = transition.state
        for unread in news:
            unread.extend(transition.events)
        if not (asked := game.to_act(state)):
            break
        answers: dict[Seat, Any] = {}
        for seat in asked:
            legal = game.legal_moves(state, seat)
            if len(legal) == 1 and not game.secretly_forced(state, seat):
                answers[seat] = legal[0]
                continue
            question = spoken.decision(
                "m", len(played) + 1, state, seat, news[seat], seconds=seconds
            )
            news[seat].clear()
            answers[seat] = spoken.move_in(bots[seat].choose(question))
            assert answers[seat] in legal
            if watch:
                watch(state, seat, bots[seat], answers[seat])
        played.extend(answers.values())
        transition = game.apply(state, answers)
    for seat, bot in enumerate(bots):
        bot.match_ended(spoken.ended("m", state, Seat(seat), news[seat]))
    outcome = game.outcome(state)
    assert outcome is not None
    return Result(outcome.scores, outcome.places, tuple(played))
