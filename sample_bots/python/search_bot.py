"""Plays every game by search: deals anew what it cannot know, and tries its moves in many deals.

How it plays a game is in the file of that game, and what they have in common in searching.py. The
environment variable BOT_SECONDS says how long it may think about a decision: 0.2 unless told, and
never more than a safe part of its clock. BOT_SEED makes its chance repeatable.
"""

import sys

from highstreet.v1.play_pb2 import Decision, MatchStarted, Move
from plumbing import Bot, run
from search_festo import SearchFesto
from search_gargon import SearchGargon
from search_glastonbury import SearchGlastonbury
from search_kupferkessel import SearchKupferkessel

PLAYERS: dict[str, type[Bot]] = {
    "glastonbury": SearchGlastonbury,
    "kupferkessel": SearchKupferkessel,
    "gargon": SearchGargon,
    "festo": SearchFesto,
}


class SearchBot(Bot):
    """Lets the search of the game play."""

    games = tuple(PLAYERS)

    def match_started(self, message: MatchStarted) -> None:
        """Choose the search by the game."""
        if message.game not in PLAYERS:
            sys.exit(f"search plays {', '.join(self.games)}, but not {message.game}")
        self.player = PLAYERS[message.game]()
        self.player.match_started(message)

    def choose(self, decision: Decision) -> Move:
        """Return the move that did best."""
        return self.player.choose(decision)


if __name__ == "__main__":
    run(SearchBot)
