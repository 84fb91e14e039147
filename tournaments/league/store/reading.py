"""What pages, ratings and downloads read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, Final

import sqlalchemy as sa

from tournaments.league import schema
from tournaments.league.errors import InvalidError
from tournaments.league.model import EntrantState, LeagueMatch, MatchState, Page, rated_name
from tournaments.league.store.base import (
    Base,
    check_page_size,
    chunked,
    entrant_row,
    league_row,
    match_row,
    page_token,
    read_page_number,
    storable,
)
from tournaments.league.store.rows import (
    MATCHES,
    RELEASED,
    read_matches,
    with_seat_of,
)
from tournaments.results import Result

RECORDS_AT_ONCE: Final = 50
MOST_SEATS: Final = 1000
_OF_A_RESULT: Final = ("position", "id", "set_id", "game", "variant", "decisions")
_OF_A_SEAT: Final = ("seat", "version", "place", "score", "forfeit", "used")

_BEGUN: Final = (MatchState.RUNNING, MatchState.PLAYED, MatchState.ANNULLED)

_matches = schema.matches


class ReadingPart(Base):
    """The part of the store that is read most."""

    def match(self, id: str) -> LeagueMatch:  # noqa: A002  what it is
        """Return a match; raises NotFoundError."""
        with self._database.read() as connection:
            match_row(connection, id)
            return read_matches(connection, MATCHES.where(_matches.c.id == id))[0]

    def matches(
        self,
        league: str,
        *,
        entrant: str | None = None,
        game: str | None = None,
        seats: int | None = None,
        variant: str | None = None,
        state: str | None = None,
        page_size: int = 100,
        page_token: str = "",
    ) -> Page[LeagueMatch]:
        """Return matches of a league that are what was asked for, the newest first."""
        check_page_size(page_size)
        query = MATCHES.where(_matches.c.league == league)
        wanted = {"game": game, "seats": seats, "variant": variant, "state": state}
        for name, value in wanted.items():
            if value is not None:
                known = storable(value) if isinstance(value, str) else 0 < value <= MOST_SEATS
                query = query.where(_matches.c[name] == value if known else sa.false())
        if state is not None and state not in tuple(MatchState):
            raise InvalidError(f"the state of a match is one of {', '.join(MatchState)}.")
        if page_token:
            query = query.where(_matches.c.position < read_page_number("matches", page_token))
        with self._database.read() as connection:
            league_row(connection, league)
            if entrant is not None:
                query = query.where(with_seat_of(entrant_row(connection, league, entrant).id))
            newest = query.order_by(_matches.c.position.desc()).limit(page_size + 1)
            found = read_matches(connection, newest)
        return Page(found[:page_size], _next(found, page_size))

    def begun(
        self, after: str, count: int, *, game: str = "", entrant: str = ""
    ) -> tuple[LeagueMatch, ...]:
        """Return matches of all leagues that have begun, by their ids, those after an id."""
        if not all(map(storable, (after, game, entrant))):
            return ()
        query = MATCHES.where(_matches.c.id > after, _matches.c.state.in_(_BEGUN))
        if game:
            query = query.where(_matches.c.game == game)
        if entrant:
            seats, names = schema.match_seats, schema.entrants
            theirs = sa.select(seats.c.match).join(names, names.c.id == seats.c.entrant)
            query = query.where(_matches.c.id.in_(theirs.where(names.c.name == entrant)))
        with self._database.read() as connection:
            return read_matches(connection, query.order_by(_matches.c.id).limit(count))

    def counts(self, league: str) -> dict[str, int]:
        """Return how many matches of a league are in each state."""
        query = (
            sa.select(_matches.c.state, sa.func.count())
            .where(_matches.c.league == league)
            .group_by(_matches.c.state)
        )
        with self._database.read() as connection:
            league_row(connection, league)
            found = {row[0]: row[1] for row in connection.execute(query)}
        return {state.value: found.get(state, 0) for state in MatchState}

    def results(self, league: str) -> list[Result]:
        """Return every match that counts, in the order of the schedule; entrants as name@version.

        What was annulled does not count, nor a match in which somebody sat who is disqualified.
        """
        seats, entrants = schema.match_seats, schema.entrants
        sent_away = (
            sa.select(seats.c.match)
            .join(entrants, entrants.c.id == seats.c.entrant)
            .where(entrants.c.league == league, entrants.c.state == EntrantState.DISQUALIFIED)
        )
        query = (
            sa.select(
                *(_matches.c[name] for name in _OF_A_RESULT),
                *(seats.c[name] for name in _OF_A_SEAT),
                entrants.c.name,
            )
            .join(seats, seats.c.match == _matches.c.id)
            .join(entrants, entrants.c.id == seats.c.entrant)
            .where(_matches.c.league == league, _matches.c.state == MatchState.PLAYED)
            .where(_matches.c.id.not_in(sent_away))
            .order_by(_matches.c.position, seats.c.seat)
        )
        with self._database.read() as connection:
            league_row(connection, league)
            rows = connection.execute(query).all()
        return [_result(list(table)) for _, table in groupby(rows, attrgetter("position"))]

    # Records ------------------------------------------------------------------------------------

    def record(self, match_id: str) -> bytes | None:
        """Return the record of a match (zstd), or nothing while its set is not complete."""
        table = schema.records
        query = (
            sa.select(table.c.record)
            .join(_matches, _matches.c.id == table.c.match)
            .where(_matches.c.id == match_id, RELEASED)
        )
        with self._database.read() as connection:
            match_row(connection, match_id)
            found = connection.execute(query).scalar_one_or_none()
        return None if found is None else bytes(found)

    def records(self, league: str, ids: Sequence[str] | None = None) -> Iterator[tuple[str, bytes]]:
        """Yield the released records of a league, or those of some matches, a few at a time.

        In the order of the schedule. No transaction is open in between: what is released
        meanwhile may come or not.
        """
        for part in self._released(league, ids):
            table = schema.records
            query = (
                sa.select(table.c.match, table.c.record)
                .join(_matches, _matches.c.id == table.c.match)
                .where(table.c.match.in_(part))
                .order_by(_matches.c.position)
            )
            with self._database.read() as connection:
                rows = connection.execute(query).all()
            for row in rows:
                yield row.match, bytes(row.record)

    def _released(self, league: str, ids: Sequence[str] | None) -> Iterator[Sequence[str]]:
        """Return the ids of what may be read, in parts, in the order of the schedule."""
        query = sa.select(_matches.c.id, _matches.c.position).where(
            _matches.c.league == league, RELEASED
        )
        found: list[tuple[int, str]] = []
        with self._database.read() as connection:
            league_row(connection, league)
            if ids is None:
                found += [(row.position, row.id) for row in connection.execute(query)]
            for part in chunked(list(dict.fromkeys(filter(storable, ids or ())))):
                rows = connection.execute(query.where(_matches.c.id.in_(part)))
                found += [(row.position, row.id) for row in rows]
        yield from chunked([match for _, match in sorted(found)], RECORDS_AT_ONCE)


def _result(table: Sequence[Any]) -> Result:
    """Make a result of the rows of its seats."""
    match = table[0]
    return Result(
        match.id,
        match.set_id,
        match.game,
        match.variant,
        tuple(rated_name(row.name, row.version) for row in table),
        tuple(row.place for row in table),
        tuple(row.score for row in table),
        tuple(row.seat for row in table if row.forfeit),
        tuple(row.used for row in table),
        match.decisions,
    )


def _next(found: Sequence[LeagueMatch], page_size: int) -> str:
    if len(found) <= page_size:
        return ""
    return page_token("matches", found[page_size - 1].position)
