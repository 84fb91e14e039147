"""Who plays what: a match belongs to one server at a time, and counts once.

A server claims a scheduled match and holds it under a lease that it renews. If it dies, the match
goes back to the schedule as another attempt. Whatever a server says about a match is conditional
on the claim: an answer that comes too late changes nothing.

A match that waits has a keeper, under a lease too: whoever has all its bots may claim it, but the
keeper alone gives it up when they do not come. So each match has somebody who sees to it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from referee.record import LONGEST_QUOTE, printable
from tournaments.deals import match_salt, match_seed, set_seed
from tournaments.league import schema
from tournaments.league.errors import InvalidError
from tournaments.league.model import (
    Claim,
    Deals,
    FaultNote,
    Finished,
    LeagueMatch,
    LeagueState,
    MatchState,
)
from tournaments.league.store.base import (
    Base,
    chunked,
    entrant_row,
    league_row,
    match_row,
    storable,
)
from tournaments.league.store.entrants import GONE
from tournaments.league.store.rows import MATCHES, PLAYABLE, read_matches

_matches = schema.matches


class ClaimPart(Base):
    """The part of the store that knows which server plays what."""

    def claimable(self, league: str) -> tuple[LeagueMatch, ...]:
        """Return what waits for a server, in the order of the schedule."""
        query = MATCHES.where(_matches.c.league == league, PLAYABLE).order_by(_matches.c.position)
        with self._database.read() as connection:
            league_row(connection, league)
            return read_matches(connection, query)

    def benched(self, league: str) -> tuple[LeagueMatch, ...]:
        """Return what is scheduled, but waits for somebody who may not be seated now."""
        query = MATCHES.where(
            _matches.c.league == league, _matches.c.state == MatchState.SCHEDULED, ~PLAYABLE
        )
        with self._database.read() as connection:
            return read_matches(connection, query.order_by(_matches.c.position))

    def running(self, league: str | None = None) -> tuple[LeagueMatch, ...]:
        """Return what is being played, in one league or in all."""
        query = MATCHES.where(_matches.c.state == MatchState.RUNNING)
        if league is not None:
            query = query.where(_matches.c.league == league)
        with self._database.read() as connection:
            return read_matches(
                connection, query.order_by(_matches.c.started_at, _matches.c.position)
            )

    def claim(self, server: str, match_id: str, lease_seconds: float) -> Claim | None:
        """Take a match that waits; nothing if another server has it, or if it waits no more."""
        now = self._now()
        taken = (
            sa.update(_matches)
            .where(_matches.c.id == match_id, PLAYABLE)
            .values(
                state=MatchState.RUNNING.value,
                server=server,
                started_at=now,
                lease_until=now + timedelta(seconds=lease_seconds),
            )
        )
        with self._database.write() as connection:
            if not storable(match_id) or not connection.execute(taken).rowcount:
                return None
            return _claim(connection, match_id)

    def held(self, server: str, match_id: str) -> Claim | None:
        """Return the claim that a server has on a match, if it has it still."""
        with self._database.read() as connection:
            row = match_row(connection, match_id)
            ours = row.state == MatchState.RUNNING and row.server == server
            return _claim(connection, match_id) if ours else None

    # Leases -------------------------------------------------------------------------------------

    def renew(self, server: str, playing: Collection[str], lease_seconds: float) -> int:
        """Hold what a server plays and keeps for a while longer; return how much it plays.

        What it has claimed and does not play any more, say because a table broke, is not held: so
        it is soon played again.
        """
        until = self._now() + timedelta(seconds=lease_seconds)
        waits = sa.and_(_matches.c.server == server, _matches.c.state == MatchState.SCHEDULED)
        with self._database.write() as connection:
            _hand(connection, waits, server, until)
            ours = sa.and_(_matches.c.server == server, _matches.c.state == MatchState.RUNNING)
            return sum(
                _hand(connection, sa.and_(ours, _matches.c.id.in_(part)), server, until)
                for part in chunked(sorted(playing))
            )

    def adopt(self, server: str, lease_seconds: float) -> int:
        """Keep from now on what waits and has no keeper any more; return how many."""
        now = self._now()
        alone = sa.and_(
            _matches.c.state == MatchState.SCHEDULED,
            sa.or_(_matches.c.server.is_(None), _matches.c.lease_until < now),
        )
        with self._database.write() as connection:
            return _hand(connection, alone, server, now + timedelta(seconds=lease_seconds))

    def release_expired(self, now: datetime | None = None) -> int:
        """Put back on the schedule what no server holds any more; return how many."""
        return self._release(_matches.c.lease_until < (now or self._now()))

    def give_back(self, server: str) -> int:
        """Put back on the schedule what this server left running; return how many.

        It does not keep what waits any more either: the next one to adopt it may be another.
        """
        with self._database.write() as connection:
            waits = sa.and_(_matches.c.server == server, _matches.c.state == MatchState.SCHEDULED)
            _hand(connection, waits, None, None)
        return self._release(_matches.c.server == server)

    def _release(self, which: sa.ColumnElement[bool]) -> int:
        concerned = sa.select(_matches.c.league).where(
            _matches.c.state == MatchState.RUNNING, which
        )
        with self._database.write() as connection:
            for league in sorted(set(connection.execute(concerned).scalars())):
                league_row(connection, league, lock=True)
            rows = _locked(connection, which)
            for row in rows:
                _put_back(connection, row)
            return len(rows)

    # Endings ------------------------------------------------------------------------------------

    def commit(
        self,
        server: str,
        match_id: str,
        attempt: int,
        result: Finished,
        record: bytes,
        faults: Sequence[FaultNote] = (),
    ) -> bool:
        """Keep a match with its record (zstd) and its faults, completely and once.

        False if the claim is not ours any more: then nothing was written.
        """
        ended = sa.update(_matches).where(*_ours(server, match_id, attempt))
        with self._database.write() as connection:
            row = match_row(connection, match_id)
            _check_result(result, row.seats)
            values = {
                "state": MatchState.PLAYED.value,
                "ended_at": self._now(),
                "lease_until": None,
                "ending": result.ending,
                "decisions": result.decisions,
            }
            if not connection.execute(ended.values(values)).rowcount:
                return False
            _keep_seats(connection, match_id, result)
            kept = sa.insert(schema.records).values(match=match_id, record=record)
            connection.execute(kept)
            for fault in faults:
                _keep_fault(connection, row.league, match_id, fault)
            return True

    def void(self, server: str, match_id: str, attempt: int, cause: str, detail: str) -> bool:
        """Give a match back that did not come to its end; False if the claim is not ours."""
        with self._database.write() as connection:
            league_row(connection, match_row(connection, match_id).league, lock=True)
            rows = _locked(connection, sa.and_(*_ours(server, match_id, attempt)))
            for row in rows:
                _put_back(connection, row, keeper=server)
                noted = {
                    "match": match_id,
                    "attempt": attempt,
                    "cause": cause,
                    "detail": printable(detail, LONGEST_QUOTE),
                    "at": self._now(),
                }
                connection.execute(sa.insert(schema.voids).values(noted))
            return bool(rows)


def _ours(server: str, match: str, attempt: int) -> tuple[sa.ColumnElement[bool], ...]:
    return (
        _matches.c.id == match,
        _matches.c.state == MatchState.RUNNING,
        _matches.c.server == server,
        _matches.c.attempt == attempt,
    )


def _locked(connection: sa.Connection, which: sa.ColumnElement[bool]) -> Sequence[Any]:
    """Return running matches that nobody else changes now; always in the same order.

    Two that lock the same rows in different orders would wait for each other for ever.
    """
    query = sa.select(_matches).where(_matches.c.state == MatchState.RUNNING, which)
    return connection.execute(query.order_by(_matches.c.id).with_for_update(key_share=True)).all()


def _hand(
    connection: sa.Connection,
    which: sa.ColumnElement[bool],
    server: str | None,
    until: datetime | None,
) -> int:
    """Let a server hold matches until some time; return how many.

    What somebody else changes at this moment is passed over: the next time is soon, and so nobody
    ever waits for somebody who waits for us.
    """
    free = sa.select(_matches.c.id).where(which).with_for_update(key_share=True, skip_locked=True)
    held = sa.update(_matches).where(_matches.c.id.in_(free))
    return connection.execute(held.values(server=server, lease_until=until)).rowcount


def _put_back(connection: sa.Connection, row: Any, keeper: str | None = None) -> None:
    """Schedule a match again, unless somebody has left; the league must be locked."""
    seats, entrants = schema.match_seats, schema.entrants
    left = (
        sa.select(entrants.c.id)
        .join(seats, seats.c.entrant == entrants.c.id)
        .where(seats.c.match == row.id, entrants.c.state.in_(GONE))
    )
    closed = league_row(connection, row.league).state == LeagueState.CLOSED
    over = closed or connection.execute(left).first() is not None
    connection.execute(
        sa.update(_matches)
        .where(_matches.c.id == row.id)
        .values(
            state=MatchState.DROPPED.value if over else MatchState.SCHEDULED.value,
            attempt=row.attempt + 1,
            server=keeper,
            lease_until=row.lease_until if keeper else None,
            started_at=None,
        )
    )


def _claim(connection: sa.Connection, match_id: str) -> Claim:
    (match,) = read_matches(connection, MATCHES.where(_matches.c.id == match_id))
    dealt = sa.select(schema.sets.c.deals, schema.leagues.c.secret).join(
        schema.leagues, schema.leagues.c.id == schema.sets.c.league
    )
    row = connection.execute(dealt.where(schema.sets.c.id == match.set_id)).one()
    duplicate = row.deals == Deals.DUPLICATE
    seed = (
        set_seed(row.secret, match.set_id)
        if duplicate
        else match_seed(row.secret, match.id, match.attempt)
    )
    salt = match_salt(row.secret, match.id, match.attempt)
    return Claim(match, match.attempt, seed, salt, reveal_seed=not duplicate)


def _check_result(result: Finished, seats: int) -> None:
    for name in ("places", "scores", "used"):
        if len(getattr(result, name)) != seats:
            raise InvalidError(f"{name} must have one entry for each of {seats} seats.")
    if not set(result.forfeits) <= set(range(seats)):
        raise InvalidError("forfeits names a seat that there is not.")


def _keep_seats(connection: sa.Connection, match: str, result: Finished) -> None:
    table = schema.match_seats
    for seat, (place, score, used) in enumerate(
        zip(result.places, result.scores, result.used, strict=True)
    ):
        changed = sa.update(table).where(table.c.match == match, table.c.seat == seat)
        forfeit = seat in result.forfeits
        connection.execute(changed.values(place=place, score=score, used=used, forfeit=forfeit))


def _keep_fault(connection: sa.Connection, league: str, match: str, fault: FaultNote) -> None:
    row = {
        "match": match,
        "entrant": entrant_row(connection, league, fault.entrant).id,
        "fault": fault.fault,
        "cause": fault.cause,
        "detail": printable(fault.detail, LONGEST_QUOTE),  # a bot may have said anything
        "at": fault.at,
    }
    connection.execute(sa.insert(schema.faults).values(row))
