"""From rows to matches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, Final

import sqlalchemy as sa

from tournaments.league import schema
from tournaments.league.model import (
    UNFINISHED,
    EntrantState,
    LeagueMatch,
    MatchState,
    SeatResult,
)
from tournaments.league.store.base import chunked

OVER: Final = (MatchState.PLAYED, MatchState.ANNULLED)

_matches, _sets, _seats = schema.matches, schema.sets, schema.match_seats
_entrants = schema.entrants
_siblings = schema.matches.alias("siblings")

RELEASED: Final = sa.and_(
    _matches.c.state.in_(OVER),
    ~sa.exists().where(_siblings.c.set_id == _matches.c.set_id, _siblings.c.state.in_(UNFINISHED)),
)
"""Whether the record of a match may be read: nobody will play its deal any more."""

PLAYABLE: Final = sa.and_(
    _matches.c.state == MatchState.SCHEDULED,
    ~sa.exists()
    .where(_seats.c.match == _matches.c.id, _entrants.c.id == _seats.c.entrant)
    .where(_entrants.c.state != EntrantState.ACTIVE)
    .correlate(_matches),
)
"""Whether a match waits for a server, and all who sit there may be seated."""

MATCHES: Final = sa.select(_matches, _sets.c.why, _sets.c.round, RELEASED.label("released")).join(
    _sets, _sets.c.id == _matches.c.set_id
)


def with_seat_of(entrant: int) -> sa.ColumnElement[bool]:
    """Return the condition that an entrant sits at a table."""
    return sa.exists().where(_seats.c.match == _matches.c.id, _seats.c.entrant == entrant)


def read_matches(connection: sa.Connection, query: sa.Select[Any]) -> tuple[LeagueMatch, ...]:
    """Return the matches of a query that was made from ``MATCHES``."""
    rows = connection.execute(query).all()
    seats = read_seats(connection, [row.id for row in rows])
    return tuple(_match(row, seats[row.id]) for row in rows)


def read_seats(connection: sa.Connection, matches: Sequence[str]) -> dict[str, list[SeatResult]]:
    """Return who sat at each table, by seat."""
    found: dict[str, list[SeatResult]] = defaultdict(list)
    query = sa.select(_seats, _entrants.c.name).join(_entrants, _entrants.c.id == _seats.c.entrant)
    for part in chunked(matches):
        chosen = query.where(_seats.c.match.in_(part)).order_by(_seats.c.match, _seats.c.seat)
        for row in connection.execute(chosen):
            found[row.match].append(
                SeatResult(row.name, row.version, row.place, row.score, row.forfeit, row.used)
            )
    return found


def _match(row: Any, seats: Sequence[SeatResult]) -> LeagueMatch:
    return LeagueMatch(
        id=row.id,
        league=row.league,
        set_id=row.set_id,
        position=row.position,
        game=row.game,
        variant=row.variant,
        seats=tuple(seats),
        state=row.state,
        attempt=row.attempt,
        scheduled_at=row.scheduled_at,
        started_at=row.started_at,
        ended_at=row.ended_at,
        ending=row.ending,
        decisions=row.decisions,
        why=row.why,
        annulled=row.annulled,
        released=bool(row.released),
        round=row.round,
        server=row.server,
    )
