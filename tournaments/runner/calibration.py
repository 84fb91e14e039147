"""How fast a machine is: a fixed computation, timed by the CPU."""

from __future__ import annotations

import time
from functools import cache
from typing import Final

from engine import find_game, seed_from_text
from referee.devkit import random_game

GAMES_A_ROUND: Final = 10
CPU_SECONDS: Final = 1.0
"""How long the calibration goes on, in CPU seconds of its thread."""
SEATS: Final = 4


@cache
def measured_speed() -> float:
    """Return how many games of random moves this machine plays in a CPU second.

    The same games are played in rounds, and the fastest round counts: other load on the machine
    can only make a round slower.
    """
    rounds: list[float] = []
    while sum(rounds) < CPU_SECONDS:
        began = time.thread_time()
        _play_round()
        rounds.append(time.thread_time() - began)
    return round(GAMES_A_ROUND / min(rounds), 1)


def _play_round() -> None:
    game = find_game("glastonbury")
    options = game.spec.options(SEATS)
    for number in range(GAMES_A_ROUND):
        random_game(game, options, seed_from_text(str(number)))
