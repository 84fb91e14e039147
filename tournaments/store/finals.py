"""Finals that a league shows: tournaments of their own, with all their records.

No retention rule removes anything here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

import sqlalchemy as sa

from tournaments.model import NotFoundError, PublishedFinal
from tournaments.store import schema
from tournaments.store.base import Base, competition_row
from tournaments.store.seasons import newest_season

_finals, _records = schema.finals, schema.final_records
AT_ONCE: Final = 64
"""How many records are read at once."""
_PUBLIC: Final = [
    _finals.c[name] for name in ("competition", "number", "season", "published_at", "document")
]


class FinalPart(Base):
    """The part of the store that knows finals."""

    def publish_final(
        self,
        league: str,
        commitment: str,
        document: str,
        records: Iterable[tuple[str, bytes]],
        *,
        season: int | None = None,
        text: str,
    ) -> PublishedFinal:
        """Add a final to a league, or replace what is known of it; raises NotFoundError.

        ``commitment`` says which tournament it is, ``season`` is the newest one by default, and
        ``text`` is the entry of the journal.
        """
        with self._database.write() as connection:
            competition_row(connection, league, lock=True)
            newest = newest_season(connection, league)
            last = 0 if newest is None else newest.number
            if season is not None and not 1 <= season <= last:
                raise NotFoundError(f'the league "{league}" has no season {season}.')
            own = _finals.c.competition == league
            known = sa.select(_finals).where(own, _finals.c.commitment == commitment)
            before = connection.execute(known).one_or_none()
            count = sa.select(sa.func.count()).where(own)
            number = before.number if before else connection.execute(count).scalar_one() + 1
            if before is not None:
                connection.execute(sa.delete(_records).where(*_of(league, number)))
                connection.execute(sa.delete(_finals).where(own, _finals.c.number == number))
            values = {
                "competition": league,
                "number": number,
                "season": season or (before.season if before else last or None),
                "commitment": commitment,
                "document": document,
                "published_at": self._now(),
            }
            connection.execute(sa.insert(_finals).values(values))
            for match, record in records:
                row = {"competition": league, "final": number, "match": match, "record": record}
                connection.execute(sa.insert(_records).values(row))
            if before is None or before.document != document:
                self._note(connection, league, "final", text)
            query = sa.select(*_PUBLIC).where(own, _finals.c.number == number)
            return PublishedFinal(*connection.execute(query).one())

    def finals(self, league: str) -> tuple[PublishedFinal, ...]:
        """Return the finals of a league, the newest first."""
        query = sa.select(*_PUBLIC).where(_finals.c.competition == league)
        with self._database.read() as connection:
            found = connection.execute(query.order_by(_finals.c.number.desc()))
            return tuple(PublishedFinal(*row) for row in found)

    def final_records(self, league: str, number: int) -> Iterator[tuple[str, bytes]]:
        """Yield the records of a final by the ids of their matches, some at a time."""
        after = ""
        while True:
            query = sa.select(_records.c.match, _records.c.record).where(
                *_of(league, number), _records.c.match > after
            )
            with self._database.read() as connection:
                rows = connection.execute(query.order_by(_records.c.match).limit(AT_ONCE)).all()
            for row in rows:
                yield row.match, bytes(row.record)
            if len(rows) < AT_ONCE:
                return
            after = rows[-1].match


def _of(league: str, number: int) -> tuple[sa.ColumnElement[bool], sa.ColumnElement[bool]]:
    return _records.c.competition == league, _records.c.final == number
