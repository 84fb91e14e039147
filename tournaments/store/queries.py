"""What pages and downloads read: matches and records."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa

from tournaments.model import (
    UNFINISHED,
    Begun,
    EntrantState,
    InvalidError,
    MatchState,
    Page,
    ScheduledMatch,
    SeatResult,
)
from tournaments.store import schema
from tournaments.store.base import (
    Base,
    check_page_size,
    chunked,
    competition_row,
    entrant_row,
    match_row,
    page_of,
    read_page_token,
    storable,
)

RECORDS_AT_ONCE: Final = 50
MOST_SEATS: Final = 1000

OVER: Final = (MatchState.PLAYED, MatchState.ANNULLED)
_BEGUN: Final = (MatchState.RUNNING, *OVER)

_matches, _sets, _seats = schema.matches, schema.sets, schema.match_seats
_entrants, _thinned = schema.entrants, schema.thinned_records
_siblings = schema.matches.alias("siblings")

RELEASED: Final = sa.and_(
    _matches.c.state.in_(OVER),
    ~sa.exists().where(_siblings.c.set_id == _matches.c.set_id, _siblings.c.state.in_(UNFINISHED)),
)
"""Whether the record of a match may be read: its deal will not be played again."""

PLAYABLE: Final = sa.and_(
    _matches.c.state == MatchState.SCHEDULED,
    ~sa.exists()
    .where(_seats.c.match == _matches.c.id, _entrants.c.id == _seats.c.entrant)
    .where(_entrants.c.state != EntrantState.ACTIVE)
    .correlate(_matches),
)
"""Whether a match waits for a server, and all who sit there may be seated."""

_ELSEWHERE: Final[dict[str, Any]] = {
    "why": _sets.c.why,
    "round": _sets.c.round,
    "season": _sets.c.season,
    "released": RELEASED.label("released"),
    "thinned_at": _thinned.c.at,
    "record_hash": _thinned.c.hash,
}
MATCHES: Final[sa.Select[Any]] = (
    sa.select(
        *(
            _ELSEWHERE[name] if name in _ELSEWHERE else _matches.c[name]
            for name in ScheduledMatch._fields
        )
    )
    .join(_sets, _sets.c.id == _matches.c.set_id)
    .outerjoin(_thinned, _thinned.c.match == _matches.c.id)
)
"""The columns of a match in the order of its fields; ``seats`` has their number."""


def with_seat_of(entrant: int) -> sa.ColumnElement[bool]:
    """Return the condition that an entrant sits at a table."""
    return sa.exists().where(_seats.c.match == _matches.c.id, _seats.c.entrant == entrant)


def read_matches(connection: sa.Connection, query: sa.Select[Any]) -> tuple[ScheduledMatch, ...]:
    """Return the matches of a query that was made from ``MATCHES``."""
    rows = connection.execute(query).all()
    seats: dict[str, list[SeatResult]] = defaultdict(list)
    for part in chunked([row.id for row in rows]):
        chosen = _SEATS.where(_seats.c.match.in_(part)).order_by(_seats.c.match, _seats.c.seat)
        for match, *seat in connection.execute(chosen):
            seats[match].append(SeatResult(*seat))
    return tuple(ScheduledMatch(*row)._replace(seats=tuple(seats[row.id])) for row in rows)


def matches_by_id(connection: sa.Connection, ids: Sequence[str]) -> tuple[ScheduledMatch, ...]:
    """Return matches in the order of the schedule."""
    found: list[ScheduledMatch] = []
    for part in chunked(ids):
        query = MATCHES.where(_matches.c.id.in_(part)).order_by(_matches.c.position)
        found += read_matches(connection, query)
    return tuple(found)


_SEATS: Final = sa.select(
    _seats.c.match, _entrants.c.name, *(_seats.c[name] for name in SeatResult._fields[1:])
).join(_entrants, _entrants.c.id == _seats.c.entrant)


_RECORDS: Final = sa.select(schema.records.c.match, schema.records.c.record).join(
    _matches, _matches.c.id == schema.records.c.match
)


class ReadingPart(Base):
    """The part of the store that is read most."""

    def match(self, id: str) -> ScheduledMatch:  # noqa: A002  what it is
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
        season: int | None = None,
        page_size: int = 100,
        page_token: str = "",
    ) -> Page[ScheduledMatch]:
        """Return matches of a league that are what was asked for, the newest first."""
        check_page_size(page_size)
        query = MATCHES.where(_matches.c.competition == league)
        wanted = {"game": game, "seats": seats, "variant": variant, "state": state}
        for name, value in wanted.items():
            if value is not None:
                known = storable(value) if isinstance(value, str) else 0 < value <= MOST_SEATS
                query = query.where(_matches.c[name] == value if known else sa.false())
        if state is not None and state not in tuple(MatchState):
            raise InvalidError(f"the state of a match is one of {', '.join(MatchState)}.")
        if season is not None:
            query = query.where(_sets.c.season == season)
        if page_token:
            last = int(read_page_token("matches", page_token, number=True))
            query = query.where(_matches.c.position < last)
        with self._database.read() as connection:
            competition_row(connection, league)
            if entrant is not None:
                query = query.where(with_seat_of(entrant_row(connection, league, entrant).id))
            newest = query.order_by(_matches.c.position.desc()).limit(page_size + 1)
            found = read_matches(connection, newest)
        return page_of("matches", found, [each.position for each in found], page_size)

    def begun(
        self, after: str, count: int, *, game: str = "", entrant: str = "", league: str = ""
    ) -> tuple[ScheduledMatch, ...]:
        """Return matches that have begun, by their ids, those after an id; of one league or all."""
        if not all(map(storable, (after, game, entrant, league))):
            return ()
        query = MATCHES.where(_matches.c.id > after, _matches.c.state.in_(_BEGUN))
        if game:
            query = query.where(_matches.c.game == game)
        if league:
            query = query.where(_matches.c.competition == league)
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
            .where(_matches.c.competition == league)
            .group_by(_matches.c.state)
        )
        with self._database.read() as connection:
            competition_row(connection, league)
            found = {row[0]: row[1] for row in connection.execute(query)}
        return {state.value: found.get(state, 0) for state in MatchState}

    def begun_within(self, league: str, period: timedelta) -> Begun:
        """Return how many matches of a league began within a period until now."""
        recent = sa.and_(_matches.c.competition == league, _matches.c.state.in_(_BEGUN))
        with self._database.read() as connection:
            recent &= _matches.c.started_at > self._shared_now(connection) - period
            whole = sa.select(sa.func.count(), sa.func.min(_matches.c.started_at)).where(recent)
            matches, first = connection.execute(whole).one()
            seats = (
                sa.select(_entrants.c.name, sa.func.count())
                .select_from(_matches)
                .join(_seats, _seats.c.match == _matches.c.id)
                .join(_entrants, _entrants.c.id == _seats.c.entrant)
                .where(recent)
                .group_by(_entrants.c.name)
            )
            of_entrants = {row[0]: row[1] for row in connection.execute(seats)}
        return Begun(matches, Counter(of_entrants), first)

    def seated_within(self, league: str, period: timedelta) -> frozenset[str]:
        """Return the entrants of a league that began a match within a period until now."""
        seated = (
            sa.select(_entrants.c.name)
            .select_from(_matches)
            .join(_seats, _seats.c.match == _matches.c.id)
            .join(_entrants, _entrants.c.id == _seats.c.entrant)
            .where(_matches.c.competition == league, _matches.c.state.in_(_BEGUN))
            .distinct()
        )
        with self._database.read() as connection:
            since = self._shared_now(connection) - period
            return frozenset(connection.scalars(seated.where(_matches.c.started_at > since)))

    def last_end(self, league: str) -> datetime | None:
        """Return when the match of a league ended that began last, or None before the first."""
        ended = sa.select(_matches.c.ended_at).where(
            _matches.c.competition == league, _matches.c.state.in_(OVER)
        )
        newest = ended.order_by(_matches.c.started_at.desc()).limit(1)
        with self._database.read() as connection:
            return connection.execute(newest).scalar_one_or_none()

    # Records ------------------------------------------------------------------------------------

    def record(self, match_id: str, *, released: bool = True) -> bytes | None:
        """Return the record of a match (zstd), or None.

        While its set is not complete it is returned only if it need not be ``released``.
        """
        query = _RECORDS.where(_matches.c.id == match_id, RELEASED if released else sa.true())
        with self._database.read() as connection:
            match_row(connection, match_id)
            found = connection.execute(query).one_or_none()
        return None if found is None else bytes(found.record)

    def released_records(self, ids: Sequence[str]) -> dict[str, bytes]:
        """Return the released records (zstd) of some matches, of whatever leagues, by match."""
        found: dict[str, bytes] = {}
        with self._database.read() as connection:
            for part in chunked(sorted(set(filter(storable, ids)))):
                rows = connection.execute(_RECORDS.where(_matches.c.id.in_(part), RELEASED))
                found.update((row.match, bytes(row.record)) for row in rows)
        return found

    def records(self, league: str, ids: Sequence[str] | None = None) -> Iterator[tuple[str, bytes]]:
        """Yield the released records of a league, or those of some matches, a few at a time.

        In the order of the schedule. No transaction is open in between: what is released
        meanwhile may come or not.
        """
        for part in self._released(league, ids):
            query = _RECORDS.where(_matches.c.id.in_(part)).order_by(_matches.c.position)
            with self._database.read() as connection:
                rows = connection.execute(query).all()
            for row in rows:
                yield row.match, bytes(row.record)

    def _released(self, league: str, ids: Sequence[str] | None) -> Iterator[Sequence[str]]:
        """Return the ids of what may be read, in parts, in the order of the schedule."""
        query = sa.select(_matches.c.id, _matches.c.position).where(
            _matches.c.competition == league, RELEASED
        )
        found: list[tuple[int, str]] = []
        with self._database.read() as connection:
            competition_row(connection, league)
            if ids is None:
                found += [(row.position, row.id) for row in connection.execute(query)]
            for part in chunked(list(dict.fromkeys(filter(storable, ids or ())))):
                rows = connection.execute(query.where(_matches.c.id.in_(part)))
                found += [(row.position, row.id) for row in rows]
        yield from chunked([match for _, match in sorted(found)], RECORDS_AT_ONCE)
