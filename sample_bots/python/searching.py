"""What the search of every game has in common: how long it thinks, and which moves it tries.

The search deals anew what its seat cannot know, plays each of its moves in each such deal, lets
every seat go on greedily for a while, and counts what all seats then have. Moves that do badly drop
out early.
"""

import os
import random
import time
from collections.abc import Callable, Sequence
from typing import TypeVar

from highstreet.v1.play_pb2 import Clock

StateT = TypeVar("StateT")
MoveT = TypeVar("MoveT")


class Searcher:
    """The chance and the time of a search."""

    def __init__(self) -> None:
        self.random = random.Random(os.environ.get("BOT_SEED"))
        self.seconds = float(os.environ.get("BOT_SECONDS", "0.2"))

    def deadline(self, clock: Clock) -> float:
        """Return when the answer to a decision that has just come must be found."""
        return time.perf_counter() + time_to_think(clock, self.seconds)


def time_to_think(clock: Clock, wanted: float) -> float:
    """Return the seconds wanted, but at most a third of the free time and some of the bank."""
    remaining = clock.remaining.ToTimedelta().total_seconds()
    bank = clock.bank.ToTimedelta().total_seconds()
    return min(wanted, max(0.0, remaining - bank) / 3 + bank / 60)


def best_move(
    moves: list[MoveT],
    deal: Callable[[], StateT],
    lead: Callable[[StateT, MoveT], float],
    deadline: float,
) -> MoveT:
    """Try the moves until the deadline, and drop the worse half of them now and then.

    ``deal`` returns a position that may be the true one; ``lead`` plays a move in it and returns by
    how much the own seat is then ahead.
    """
    leads = dict.fromkeys(moves, 0.0)
    now = time.perf_counter()
    next_cut = now + (deadline - now) / 3
    while len(moves) > 1 and now < deadline:
        state, found = deal(), []
        for move in moves:
            found.append(lead(state, move))
            now = time.perf_counter()
            if now > deadline:  # a deal that not all moves have seen does not count
                return max(moves, key=leads.__getitem__)
        for move, ahead in zip(moves, found, strict=True):
            leads[move] += ahead
        if now > next_cut:
            moves.sort(key=leads.__getitem__, reverse=True)
            del moves[max(2, (len(moves) + 1) // 2) :]
            next_cut = now + (deadline - now) / 3
    return max(moves, key=leads.__getitem__)


def ahead_by(worths: Sequence[float], seat: int) -> float:
    """Return by how much a seat is ahead of the others: of the best of them and of their mean."""
    others = [worth for other, worth in enumerate(worths) if other != seat]
    return worths[seat] - (max(others) + sum(others) / len(others)) / 2
