"""Retention of records: old ones are thinned out by a rule; results and hashes stay.

A record is removed in the transaction that writes its hashes, so that after a crash it is there
completely, or its hashes are. Kept are all records of the last days, those of every n-th set before
them, those that an organiser has marked, and those of annulled matches, which are evidence.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

import sqlalchemy as sa

from referee.record import final_hash
from tournaments.model import MatchState, Retention, ThinnedRecord, Thinning
from tournaments.store import schema
from tournaments.store.base import Base, competition_row, match_row, put_rows
from tournaments.store.queries import RELEASED

AT_ONCE: Final = 200
"""How many records are removed in one transaction; results wait for it."""

_matches, _records, _sets = schema.matches, schema.records, schema.sets
_kept, _thinned = schema.kept_records, schema.thinned_records


class RetentionPart(Base):
    """The part of the store that removes records."""

    def keep_record(self, match: str) -> None:
        """Mark the record of a match as one to keep; raises NotFoundError."""
        with self._database.write() as connection:
            match_row(connection, match)
            put_rows(connection, _kept, [{"match": match, "at": self._now()}])

    def thinned_record(self, match: str) -> ThinnedRecord | None:
        """Return what is left of a record that was removed, or None."""
        columns = (_thinned.c.match, _thinned.c.at, _thinned.c.hash, _thinned.c.sha256)
        query = sa.select(*columns, _thinned.c.size).where(_thinned.c.match == match)
        with self._database.read() as connection:
            found = connection.execute(query).one_or_none()
        return None if found is None else ThinnedRecord(*found)

    def planned_thinning(self, league: str, rule: Retention) -> Thinning:
        """Return what a rule would remove and keep now."""
        size = sa.func.coalesce(sa.func.sum(sa.func.length(_records.c.record)), 0)
        whole = (
            sa.select(sa.func.count(), size)
            .join(_matches, _matches.c.id == _records.c.match)
            .where(_matches.c.competition == league)
        )
        before = sa.select(sa.func.count()).select_from(_thinned).join(_matches)
        with self._database.read() as connection:
            competition_row(connection, league)
            records, size_of_all = connection.execute(whole).one()
            removable = self._removable(league, rule, sa.func.count(), size)
            removed, removed_bytes = connection.execute(removable).one()
            thinned = connection.execute(before.where(_matches.c.competition == league))
            return Thinning(
                removed,
                int(removed_bytes),
                records - removed,
                int(size_of_all - removed_bytes),
                thinned.scalar_one(),
            )

    def thin_records(self, league: str, rule: Retention) -> Iterator[Thinning]:
        """Remove the records that a rule does not keep; yield what is done after each transaction.

        To stop between two of them loses nothing: the next call goes on.
        """
        done = self.planned_thinning(league, rule)
        done = replace(done, removed=0, removed_bytes=0)
        position = 0
        while True:
            with self._database.write() as connection:
                competition_row(connection, league, lock=True)  # one server at a time
                rows = connection.execute(self._next(league, rule, position)).all()
                self._remove(connection, rows)
            if not rows:
                return
            position = rows[-1].position
            size = sum(len(row.record) for row in rows)
            removed, removed_bytes = done.removed + len(rows), done.removed_bytes + size
            done = replace(done, removed=removed, removed_bytes=removed_bytes)
            yield done

    def _removable(self, league: str, rule: Retention, *columns: Any) -> sa.Select[Any]:
        """Return a query over the records that a rule removes."""
        query = (
            sa.select(*columns)
            .select_from(_records)
            .join(_matches, _matches.c.id == _records.c.match)
            .join(_sets, _sets.c.id == _matches.c.set_id)
            .where(
                _matches.c.competition == league,
                _matches.c.state == MatchState.PLAYED,
                _matches.c.ended_at < self._now() - timedelta(days=rule.keep_days),
                RELEASED,
                ~sa.exists().where(_kept.c.match == _matches.c.id),
            )
        )
        if not rule.keep_days:
            return query.where(sa.false())
        return query.where(_sets.c.number % rule.keep_every != 0) if rule.keep_every else query

    def _next(self, league: str, rule: Retention, position: int) -> sa.Select[Any]:
        query = self._removable(league, rule, _matches.c.id, _matches.c.position, _records.c.record)
        after = query.where(_matches.c.position > position)
        return after.order_by(_matches.c.position).limit(AT_ONCE)

    def _remove(self, connection: sa.Connection, rows: Sequence[Any]) -> None:
        """Put the hashes of records in their place."""
        if not rows:
            return
        hashes = [
            {
                "match": row.id,
                "hash": final_hash(bytes(row.record)),
                "sha256": hashlib.sha256(row.record).hexdigest(),
                "size": len(row.record),
                "at": self._now(),
            }
            for row in rows
        ]
        put_rows(connection, _thinned, hashes)
        removed = [row.id for row in rows]
        connection.execute(sa.delete(_records).where(_records.c.match.in_(removed)))
