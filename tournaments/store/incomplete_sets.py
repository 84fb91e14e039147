"""Duplicate sets of which a match is dropped: what was played of them does not count.

A duplicate set is fair as a whole only. Otherwise an entrant could win the first match of a deal,
and avoid the return match by withdrawing, or by making it void until it is given up.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import sqlalchemy as sa

from tournaments.model import Deals, MatchState
from tournaments.store import schema
from tournaments.store.base import chunked

INCOMPLETE: Final = "another match of its duplicate set was dropped"
"""Why such matches are annulled. Dropped ones have it too, unless the close of a league did it."""

_matches = schema.matches
_dropped = schema.matches.alias("dropped")
_OF_DUPLICATE_SETS: Final = _matches.c.set_id.in_(
    sa.select(schema.sets.c.id).where(schema.sets.c.deals == Deals.DUPLICATE)
)


def drop_matches(connection: sa.Connection, which: sa.ColumnElement[bool]) -> None:
    """Drop matches; what was played of their duplicate sets does not count any more."""
    concerned = sa.select(_matches.c.set_id).where(which, _OF_DUPLICATE_SETS)
    sets = set(connection.execute(concerned).scalars())
    dropped = sa.update(_matches).where(which)
    marked = dropped.where(_OF_DUPLICATE_SETS).values(annulled=INCOMPLETE)
    connection.execute(marked)
    connection.execute(dropped.values(state=MatchState.DROPPED.value))
    annul_incomplete(connection, sets)


def annul_incomplete(connection: sa.Connection, sets: Collection[str]) -> None:
    """Annul what was played of those sets of which a match was dropped."""
    lost = sa.exists().where(
        _dropped.c.set_id == _matches.c.set_id,
        _dropped.c.state == MatchState.DROPPED,
        _dropped.c.annulled == INCOMPLETE,
    )
    for part in chunked(sorted(sets)):
        played = _matches.c.state == MatchState.PLAYED
        annulled = sa.update(_matches).where(_matches.c.set_id.in_(part), played, lost)
        connection.execute(annulled.values(state=MatchState.ANNULLED.value, annulled=INCOMPLETE))
