"""Where competitions are kept: SQLite or PostgreSQL."""

from __future__ import annotations

from tournaments.store.competitions import TOURNAMENT
from tournaments.store.database import DatabaseError, StoreError, Trouble
from tournaments.store.match_repository import StoreMatchRepository
from tournaments.store.store import FILE, Store

__all__ = [
    "FILE", "TOURNAMENT", "DatabaseError", "Store", "StoreError", "StoreMatchRepository",
    "Trouble",
]  # fmt: skip
