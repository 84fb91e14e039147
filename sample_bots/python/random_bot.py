"""Answers every decision of any game with a random legal move.

The environment variable BOT_SEED makes it repeatable.
"""

import os
import random

from highstreet.v1.play_pb2 import Decision, Move
from plumbing import Bot, run


class RandomBot(Bot):
    """Plays at random."""

    def __init__(self) -> None:
        self.random = random.Random(os.environ.get("BOT_SEED"))

    def choose(self, decision: Decision) -> Move:
        """Return any legal move."""
        return self.random.choice(decision.legal_moves)


if __name__ == "__main__":
    run(RandomBot, max_matches=16)
