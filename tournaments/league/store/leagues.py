"""Leagues, their journal and their standings."""

from __future__ import annotations

import secrets
from typing import Any

import sqlalchemy as sa

from tournaments.deals import commitment_to_secret
from tournaments.league import schema
from tournaments.league.errors import ConflictError
from tournaments.league.model import (
    UNFINISHED,
    JournalEntry,
    League,
    LeagueSettings,
    LeagueState,
    MatchState,
    Page,
)
from tournaments.league.names import check_slug
from tournaments.league.store.base import (
    Base,
    check_page_size,
    digest,
    league_row,
    page_token,
    read_page_token,
    remembered,
    storable,
)


class LeaguePart(Base):
    """The part of the store that knows leagues."""

    def create_league(self, id: str, settings: LeagueSettings, *, request_id: str = "") -> League:  # noqa: A002  what it is
        """Begin a league; the same request again returns the same league."""
        check_slug(id)
        content = digest(id, settings.as_json())
        with self._database.write() as connection:
            self._database.alone(connection)
            if known := remembered(connection, "create_league", request_id, content):
                return _league(league_row(connection, known))
            table = schema.leagues
            if connection.execute(sa.select(table.c.id).where(table.c.id == id)).first():
                raise ConflictError(f'there is a league "{id}" already.')
            row = {
                "id": id,
                "settings": settings.as_json(),
                "state": LeagueState.OPEN.value,
                "secret": secrets.token_bytes(32),
                "created_at": self._now(),
            }
            connection.execute(sa.insert(table).values(row))
            self._remember(connection, "create_league", request_id, content, id)
            self._note(connection, id, "created", f"The league {settings.title} began.")
            return _league(league_row(connection, id))

    def leagues(self, page_size: int = 100, page_token: str = "") -> Page[League]:
        """Return leagues by their ids."""
        check_page_size(page_size)
        table = schema.leagues
        query = sa.select(table).order_by(table.c.id).limit(page_size + 1)
        if page_token:
            query = query.where(table.c.id > read_page_token("leagues", page_token))
        with self._database.read() as connection:
            rows = connection.execute(query).all()
        return Page(tuple(map(_league, rows[:page_size])), _next(rows, page_size))

    def league(self, id: str) -> League:  # noqa: A002  what it is
        """Return a league; raises NotFoundError."""
        with self._database.read() as connection:
            return _league(league_row(connection, id))

    def close_league(self, id: str) -> League:  # noqa: A002  what it is
        """End a league: what is running is finished and counts, the rest is not played."""
        with self._database.write() as connection:
            row = league_row(connection, id, lock=True)
            if row.state == LeagueState.OPEN:
                table, matches = schema.leagues, schema.matches
                closed = sa.update(table).where(table.c.id == id)
                connection.execute(closed.values(state=LeagueState.CLOSED.value))
                waiting = sa.update(matches).where(
                    matches.c.league == id, matches.c.state == MatchState.SCHEDULED
                )
                connection.execute(waiting.values(state=MatchState.DROPPED.value))
                self._note(connection, id, "closed", "The league is closed.")
            return _league(league_row(connection, id))

    def published_secret(self, league: str) -> bytes | None:
        """Return what all deals were made from, once nothing will be dealt from it any more."""
        matches = schema.matches
        left = sa.select(matches.c.id).where(
            matches.c.league == league, matches.c.state.in_(UNFINISHED)
        )
        with self._database.read() as connection:
            row = league_row(connection, league)
            going_on = connection.execute(left.limit(1)).first() is not None
        return None if going_on or row.state == LeagueState.OPEN else bytes(row.secret)

    # Journal ------------------------------------------------------------------------------------

    def note(self, league: str, kind: str, text: str) -> None:
        """Write something into the public journal of a league."""
        with self._database.write() as connection:
            league_row(connection, league)
            self._note(connection, league, kind, text)

    def journal(self, league: str, limit: int = 100) -> tuple[JournalEntry, ...]:
        """Return the last entries of the journal, the newest one first."""
        table = schema.journal
        query = sa.select(table).where(table.c.league == league).order_by(table.c.id.desc())
        with self._database.read() as connection:
            rows = connection.execute(query.limit(limit)).all()
        return tuple(JournalEntry(row.league, row.at, row.kind, row.text) for row in rows)

    # Standings ----------------------------------------------------------------------------------

    def save_standings(self, league: str, position: int, document: str) -> str:
        """Keep standings, unless those that are kept are of a later position; return their mark.

        It is empty if they are not kept.
        """
        table = schema.standings
        with self._database.write() as connection:
            league_row(connection, league, lock=True)
            query = sa.select(table.c.position).where(table.c.league == league)
            kept = connection.execute(query).scalar_one_or_none()
            if kept is not None and kept > position:
                return ""
            values = {"position": position, "document": document}
            if kept is None:
                connection.execute(sa.insert(table).values(league=league, **values))
            else:
                changed = sa.update(table).where(table.c.league == league)
                connection.execute(changed.values(values))
            return _mark(position, len(document))

    def standings_mark(self, league: str) -> str:
        """Return what tells the standings that are kept from others, without reading them all."""
        table = schema.standings
        size = sa.func.length(table.c.document)
        query = sa.select(table.c.position, size).where(table.c.league == league)
        with self._database.read() as connection:
            row = connection.execute(query).one_or_none() if storable(league) else None
        return "" if row is None else _mark(*row)

    def load_standings(self, league: str) -> tuple[int, str] | None:
        """Return the standings that were kept last, with their position."""
        table = schema.standings
        query = sa.select(table.c.position, table.c.document).where(table.c.league == league)
        with self._database.read() as connection:
            row = connection.execute(query).one_or_none() if storable(league) else None
        return None if row is None else (row.position, row.document)


def _mark(position: int, size: int) -> str:
    """Return a mark: a match that is annulled changes the size, if not the position."""
    return f"{position}/{size}"


def _league(row: Any) -> League:
    return League(
        row.id,
        LeagueSettings.from_json(row.settings),
        row.state,
        row.created_at,
        commitment_to_secret(row.secret),
    )


def _next(rows: Any, page_size: int) -> str:
    return page_token("leagues", rows[page_size - 1].id) if len(rows) > page_size else ""
