"""Plays any game at random: change ``choose``."""

import random
from typing import Any

import plumbing


class MyBot:
    """Plays one match."""

    def match_started(self, message: dict[str, Any]) -> None:
        """Learn the game, its options and your seat."""

    def choose(self, decision: dict[str, Any]) -> dict[str, Any]:
        """Return one of the legal moves; the decision has the view of your seat and events too."""
        return random.choice(decision["legal_moves"])

    def match_ended(self, message: dict[str, Any]) -> None:
        """Learn the result."""


if __name__ == "__main__":
    plumbing.run(MyBot)
