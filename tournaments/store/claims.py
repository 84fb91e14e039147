"""Who plays what: a match belongs to one server at a time, and counts once.

A server claims a scheduled match and holds it under a lease that it renews. If it dies, the match
goes back to the schedule as another attempt. Whatever a server says about a match is conditional
on the claim: an answer that comes too late changes nothing.

A match that waits has a keeper, under a lease too: every server that has all its bots may claim it,
but the keeper alone gives it up when they do not come.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa

from referee.record import LONGEST_QUOTE, printable
from tournaments.model import (
    UNFINISHED,
    CompetitionState,
    Deals,
    Job,
    MatchState,
    ScheduledMatch,
    VoidAttempt,
    job_of,
)
from tournaments.store import schema
from tournaments.store.base import (
    Base,
    chunked,
    competition_row,
    match_row,
    put_rows,
    storable,
)
from tournaments.store.competitions import TOURNAMENT
from tournaments.store.database import execute_many
from tournaments.store.entrants import GONE
from tournaments.store.incomplete_sets import drop_matches
from tournaments.store.queries import MATCHES, PLAYABLE, matches_by_id, read_matches

_matches = schema.matches


class ClaimPart(Base):
    """The part of the store that knows which server plays what."""

    def claimable(self, league: str) -> tuple[ScheduledMatch, ...]:
        """Return what waits for a server, in the order of the schedule."""
        query = MATCHES.where(_matches.c.competition == league, PLAYABLE).order_by(
            _matches.c.position
        )
        with self._database.read() as connection:
            competition_row(connection, league)
            return read_matches(connection, query)

    def waiting_for_benched(self, league: str) -> tuple[ScheduledMatch, ...]:
        """Return what is scheduled, but waits for an entrant that may not be seated now."""
        query = MATCHES.where(
            _matches.c.competition == league, _matches.c.state == MatchState.SCHEDULED, ~PLAYABLE
        )
        with self._database.read() as connection:
            return read_matches(connection, query.order_by(_matches.c.position))

    def of_begun_sets(self, matches: Sequence[str]) -> frozenset[str]:
        """Return those of some matches whose deal has been played in another seating."""
        siblings = schema.matches.alias("siblings")
        begun = sa.exists().where(
            siblings.c.set_id == _matches.c.set_id, siblings.c.state == MatchState.PLAYED
        )
        found = set[str]()
        with self._database.read() as connection:
            for part in chunked(matches):
                query = sa.select(_matches.c.id).where(_matches.c.id.in_(part), begun)
                found.update(connection.execute(query).scalars())
        return frozenset(found)

    def running(self, league: str | None = None) -> tuple[ScheduledMatch, ...]:
        """Return what is being played, in one league or in all."""
        query = MATCHES.where(_matches.c.state == MatchState.RUNNING)
        if league is not None:
            query = query.where(_matches.c.competition == league)
        with self._database.read() as connection:
            return read_matches(
                connection, query.order_by(_matches.c.started_at, _matches.c.position)
            )

    def claim(
        self, server: str, match_id: str, lease_seconds: float, *, with_absent: bool = False
    ) -> Job | None:
        """Take a match that waits; nothing if another server has it, or if it waits no more.

        Of one that is played with absent entrants, these need not be allowed to play.
        """
        scheduled = _matches.c.state == MatchState.SCHEDULED
        waits = sa.update(_matches).where(
            _matches.c.id == match_id, scheduled if with_absent else PLAYABLE
        )
        with self._database.write() as connection:
            now = self._shared_now(connection)
            taken = waits.values(
                state=MatchState.RUNNING.value,
                server=server,
                started_at=now,
                lease_until=now + timedelta(seconds=lease_seconds),
            )
            if not storable(match_id) or not connection.execute(taken).rowcount:
                return None
            return _claim(connection, match_id)

    def held(self, server: str, match_id: str) -> Job | None:
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
        waits = sa.and_(_matches.c.server == server, _matches.c.state == MatchState.SCHEDULED)
        with self._database.write() as connection:
            until = self._shared_now(connection) + timedelta(seconds=lease_seconds)
            _hand(connection, waits, server, until)
            ours = claimed_by(server)
            return sum(
                _hand(connection, sa.and_(ours, _matches.c.id.in_(part)), server, until)
                for part in chunked(sorted(playing))
            )

    def adopt(self, server: str, lease_seconds: float) -> int:
        """Keep from now on what waits and has no keeper any more; return how many."""
        with self._database.write() as connection:
            now = self._shared_now(connection)
            alone = sa.and_(
                _matches.c.state == MatchState.SCHEDULED,
                sa.or_(_matches.c.server.is_(None), _matches.c.lease_until < now),
            )
            return _hand(connection, alone, server, now + timedelta(seconds=lease_seconds))

    def release_expired(self, now: datetime | None = None) -> int:
        """Put back on the schedule what no server holds any more; return how many."""
        with self._database.write() as connection:
            at = now or self._shared_now(connection)
            return _release(connection, _matches.c.lease_until < at)

    def give_back(self, server: str) -> int:
        """Put back on the schedule what this server left running; return how many.

        It does not keep what waits any more either: the next one to adopt it may be another.
        """
        with self._database.write() as connection:
            waits = sa.and_(_matches.c.server == server, _matches.c.state == MatchState.SCHEDULED)
            _hand(connection, waits, None, None)
        with self._database.write() as connection:
            return _release(connection, _matches.c.server == server)

    # Attempts -----------------------------------------------------------------------------------

    def void(self, server: str, match_id: str, attempt: int, cause: str, detail: str) -> bool:
        """Give a match back that did not come to its end; False if the claim is not ours."""
        with self._database.write() as connection:
            void = VoidAttempt(match_id, attempt, cause, detail)
            return write_voids(connection, [void], self._shared_now(connection), server)

    def begin(self, attempts: Mapping[str, int]) -> None:
        """Note attempts of the tournament before they begin: the next ones have other numbers."""
        with self._database.write() as connection:
            now = self._shared_now(connection)
            rows = [
                {"match_id": match, "new_attempt": attempt, "new_start": now}
                for match, attempt in attempts.items()
            ]
            execute_many(connection, _BEGUN, rows)

    def attempts(self) -> dict[str, int]:
        """Return the number of the last attempt at each match of the tournament, if it is noted."""
        last = _matches.c.attempt - sa.case((_matches.c.state == MatchState.SCHEDULED, 1), else_=0)
        query = sa.select(_matches.c.id, last).where(_matches.c.competition == TOURNAMENT, last > 0)
        with self._database.read() as connection:
            return {row[0]: row[1] for row in connection.execute(query)}

    def voids(self) -> list[VoidAttempt]:
        """Return the attempts that do not count."""
        table = schema.voids
        query = sa.select(table.c.match, table.c.attempt, table.c.cause, table.c.detail)
        with self._database.read() as connection:
            rows = connection.execute(query.order_by(table.c.match, table.c.attempt))
            return [VoidAttempt(*row) for row in rows]


IS_UNFINISHED: Final = sa.or_(*(_matches.c.state == state.value for state in UNFINISHED))
"""As ``in_(UNFINISHED)``, which cannot be executed with many rows."""
_BEGUN: Final = (
    sa.update(_matches)
    .where(_matches.c.id == sa.bindparam("match_id"), IS_UNFINISHED)
    .values(
        state=MatchState.RUNNING.value,
        attempt=sa.bindparam("new_attempt"),
        started_at=sa.bindparam("new_start"),
    )
)


def write_voids(
    connection: sa.Connection, voids: Sequence[VoidAttempt], now: datetime, server: str | None
) -> bool:
    """Note attempts that do not count, and schedule their matches again.

    With a server, only those that it has claimed; return whether it had claimed all. Without one,
    a match whose next attempt has begun is left as it is.
    """
    complete = True
    for void in voids:
        competition_row(connection, match_row(connection, void.match).competition, lock=True)
        of_match = _matches.c.id == void.match
        which = (
            sa.and_(of_match, IS_UNFINISHED, _matches.c.attempt <= void.attempt)
            if server is None
            else sa.and_(of_match, claimed_by(server), _matches.c.attempt == void.attempt)
        )
        rows = _locked(connection, which)
        for row in rows:
            _put_back(connection, row, void.attempt + 1, keeper=server)
        if rows or server is None:
            row = {"match": void.match, "attempt": void.attempt, "cause": void.cause, "at": now}
            noted = {**row, "detail": printable(void.detail, LONGEST_QUOTE)}
            put_rows(connection, schema.voids, [noted])
        complete = complete and bool(rows)
    return complete


def claimed_by(server: str) -> sa.ColumnElement[bool]:
    """Return the condition that a server plays a match."""
    return sa.and_(_matches.c.state == MatchState.RUNNING, _matches.c.server == server)


def _locked(connection: sa.Connection, which: sa.ColumnElement[bool]) -> Sequence[Any]:
    """Return matches, which no other transaction changes now; always in the same order.

    Two that lock the same rows in different orders would wait for each other for ever.
    """
    query = sa.select(_matches).where(which).order_by(_matches.c.id)
    return connection.execute(query.with_for_update(key_share=True)).all()


def _hand(
    connection: sa.Connection,
    which: sa.ColumnElement[bool],
    server: str | None,
    until: datetime | None,
) -> int:
    """Let a server hold matches until some time; return how many.

    What another transaction changes at this moment is passed over: the next time is soon, and so
    two transactions never wait for each other.
    """
    free = sa.select(_matches.c.id).where(which).with_for_update(key_share=True, skip_locked=True)
    held = sa.update(_matches).where(_matches.c.id.in_(free))
    return connection.execute(held.values(server=server, lease_until=until)).rowcount


def _release(connection: sa.Connection, which: sa.ColumnElement[bool]) -> int:
    """Put running matches back on the schedule; return how many."""
    running = sa.and_(_matches.c.state == MatchState.RUNNING, which)
    concerned = sa.select(_matches.c.competition).where(running)
    for league in sorted(set(connection.execute(concerned).scalars())):
        competition_row(connection, league, lock=True)
    rows = _locked(connection, running)
    for row in rows:
        _put_back(connection, row, row.attempt + 1)
    return len(rows)


def _put_back(connection: sa.Connection, row: Any, attempt: int, keeper: str | None = None) -> None:
    """Schedule a match again, unless an entrant has left; the competition must be locked."""
    seats, entrants = schema.match_seats, schema.entrants
    left = (
        sa.select(entrants.c.id)
        .join(seats, seats.c.entrant == entrants.c.id)
        .where(seats.c.match == row.id, entrants.c.state.in_(GONE))
    )
    closed = competition_row(connection, row.competition).state == CompetitionState.CLOSED
    connection.execute(
        sa.update(_matches)
        .where(_matches.c.id == row.id)
        .values(
            state=MatchState.DROPPED.value if closed else MatchState.SCHEDULED.value,
            attempt=attempt,
            server=keeper,
            lease_until=row.lease_until if keeper else None,
            started_at=None,
        )
    )
    if not closed and connection.execute(left).first() is not None:
        drop_matches(connection, _matches.c.id == row.id)


def _claim(connection: sa.Connection, match_id: str) -> Job:
    (match,) = matches_by_id(connection, [match_id])
    sets, secrets = schema.sets, schema.secrets
    its_secret = sa.and_(
        secrets.c.competition == sets.c.competition, secrets.c.number == sets.c.secret
    )
    dealt = sa.select(sets.c.deals, secrets.c.secret).join(secrets, its_secret)
    row = connection.execute(dealt.where(sets.c.id == match.set_id)).one()
    duplicate = row.deals == Deals.DUPLICATE
    # The bots of a void attempt have seen its deal, and live on: the next one is another.
    anew = match.attempt > 1
    return job_of(match, match.attempt, row.secret, duplicate=duplicate, deal_anew=anew)
