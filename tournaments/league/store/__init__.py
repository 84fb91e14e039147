"""Where leagues are kept: SQLite or PostgreSQL, with the same code.

    store = LeagueStore.open("sqlite:///league.db")
    league = store.create_league("autumn", settings)
    entrant, token = store.enter("autumn", "greedy", "Ann")

Every method is one transaction and waits for the database: call them off the event loop.
"""

from tournaments.league.store.store import LeagueStore
from tournaments.store import StoreError

__all__ = ["LeagueStore", "StoreError"]
