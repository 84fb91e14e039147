"""Plays every game greedily; the same bot exists in other languages and chooses the same moves.

How it plays a game is written at the top of the file of that game.
"""

import sys

from greedy_festo import GreedyFesto
from greedy_gargon import GreedyGargon
from greedy_glastonbury import GreedyGlastonbury
from greedy_kupferkessel import GreedyKupferkessel
from highstreet.v1.play_pb2 import Decision, MatchStarted, Move
from plumbing import Bot, run

PLAYERS: dict[str, type[Bot]] = {
    "glastonbury": GreedyGlastonbury,
    "kupferkessel": GreedyKupferkessel,
    "gargon": GreedyGargon,
    "festo": GreedyFesto,
}


class GreedyBot(Bot):
    """Lets the logic of the game play."""

    games = tuple(PLAYERS)

    def match_started(self, message: MatchStarted) -> None:
        """Choose the logic by the game."""
        if message.game not in PLAYERS:
            sys.exit(f"greedy plays {', '.join(self.games)}, but not {message.game}")
        self.player = PLAYERS[message.game]()
        self.player.match_started(message)

    def choose(self, decision: Decision) -> Move:
        """Return the first of the moves that are worth most."""
        return self.player.choose(decision)


if __name__ == "__main__":
    run(GreedyBot, max_matches=16)
