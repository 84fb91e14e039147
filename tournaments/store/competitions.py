"""Competitions: leagues and the tournament, their settings, secrets, journal and standings."""

from __future__ import annotations

import json
import secrets
from collections.abc import Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa

from tournaments.model import (
    UNFINISHED,
    Competition,
    CompetitionState,
    ConflictError,
    JournalEntry,
    Kind,
    LeagueSettings,
    MatchState,
    Page,
    Secret,
    check_slug,
    commitment_to_secret,
)
from tournaments.store import schema
from tournaments.store.base import (
    Base,
    check_page_size,
    competition_row,
    digest,
    page_of,
    read_page_token,
    remembered,
    storable,
)
from tournaments.store.database import StoreError
from tournaments.store.seasons import season_numbers

TOURNAMENT: Final = "tournament"
"""The id of a tournament: a database holds one at most."""

_table, _secrets = schema.competitions, schema.secrets


class CompetitionPart(Base):
    """The part of the store that knows competitions."""

    def create_league(
        self,
        id: str,  # noqa: A002  what it is
        settings: LeagueSettings,
        *,
        request_id: str = "",
    ) -> Competition:
        """Begin a league; the same request again returns the same league."""
        check_slug(id)
        content = digest(id, settings.as_json())
        with self._database.write() as connection:
            self._database.alone(connection)
            if known := remembered(connection, "create_league", request_id, content):
                return _read(connection, known)
            if connection.execute(sa.select(_table.c.id).where(_table.c.id == id)).first():
                raise ConflictError(f'there is a league "{id}" already.')
            self._create(connection, id, Kind.LEAGUE, settings.as_json())
            add_secret(connection, id, 1, secrets.token_bytes(32))
            self._remember(connection, "create_league", request_id, content, id)
            self._note(connection, id, "created", f"The league {settings.title} began.")
            return _read(connection, id)

    def _create(self, connection: sa.Connection, id_: str, kind: Kind, settings: str) -> None:
        """Write a competition; raises StoreError if the database holds another kind.

        The ids of a tournament's sets do not depend on the tournament, so each has its own
        database.
        """
        others = sa.select(_table.c.id).where(_table.c.kind != kind)
        if connection.execute(others).first() is not None:
            held = "a tournament" if kind == Kind.LEAGUE else "leagues"
            raise StoreError(
                f"{self._database.name} holds {held}: a tournament has a database of its own. "
                "Name another."
            )
        row = {"id": id_, "kind": kind.value, "settings": settings}
        created = sa.insert(_table).values(**row, state="open", created_at=self._now())
        connection.execute(created)

    def leagues(self, page_size: int = 100, page_token: str = "") -> Page[Competition]:
        """Return leagues by their ids."""
        check_page_size(page_size)
        query = sa.select(_table).where(_table.c.kind == Kind.LEAGUE)
        query = query.order_by(_table.c.id).limit(page_size + 1)
        if page_token:
            query = query.where(_table.c.id > read_page_token("leagues", page_token))
        with self._database.read() as connection:
            rows = connection.execute(query).all()
            found = _leagues(connection, rows[:page_size])
        return page_of("leagues", found, [row.id for row in rows], page_size)

    def league(self, id: str) -> Competition:  # noqa: A002  what it is
        """Return a league; raises NotFoundError."""
        with self._database.read() as connection:
            return _read(connection, id)

    def close_league(self, id: str) -> Competition:  # noqa: A002  what it is
        """End a league for good: what is running is finished and counts, the rest is not played.

        Its secret is published when the last match is over.
        """
        with self._database.write() as connection:
            row = competition_row(connection, id, lock=True)
            if row.state == CompetitionState.OPEN:
                matches = schema.matches
                closed = sa.update(_table).where(_table.c.id == id)
                connection.execute(closed.values(state=CompetitionState.CLOSED.value))
                waiting = sa.update(matches).where(
                    matches.c.competition == id, matches.c.state == MatchState.SCHEDULED
                )
                connection.execute(waiting.values(state=MatchState.DROPPED.value))
                self._note(connection, id, "closed", "The league is closed.")
            return _read(connection, id)

    # The tournament -----------------------------------------------------------------------------

    def begin_tournament(self, *, writable: bool = True) -> None:
        """Make the row of the tournament, unless there is one; raises StoreError."""
        known = sa.select(_table.c.id).where(_table.c.id == TOURNAMENT)
        with self._database.write() if writable else self._database.read() as connection:
            if connection.execute(known).first() is not None:
                return
            if not writable:
                raise StoreError(f"{self._database.name} holds no tournament.")
            self._create(connection, TOURNAMENT, Kind.TOURNAMENT, "{}")

    def setting(self, name: str) -> Any:
        """Return a setting of the tournament, or None."""
        with self._database.read() as connection:
            return json.loads(competition_row(connection, TOURNAMENT).settings).get(name)

    def put(self, **settings: Any) -> None:
        """Keep settings of the tournament, all of them or none."""
        with self._database.write() as connection:
            known = json.loads(competition_row(connection, TOURNAMENT, lock=True).settings)
            changed = sa.update(_table).where(_table.c.id == TOURNAMENT)
            connection.execute(changed.values(settings=json.dumps({**known, **settings})))

    def secrets(self) -> list[Secret]:
        """Return every secret of the tournament, in the order of their numbers."""
        with self._database.read() as connection:
            return read_secrets(connection)

    def publish_secrets(self) -> None:
        """Note that the secrets of the tournament are public: no more sets are dealt from them."""
        with self._database.write() as connection:
            own = sa.update(_secrets).where(_secrets.c.competition == TOURNAMENT)
            connection.execute(own.values(published=True))

    # Journal ------------------------------------------------------------------------------------

    def journal(self, league: str, limit: int = 100) -> tuple[JournalEntry, ...]:
        """Return the last entries of the journal, the newest one first."""
        table = schema.journal
        query = sa.select(table.c.at, table.c.kind, table.c.text)
        query = query.where(table.c.competition == league).order_by(table.c.id.desc())
        with self._database.read() as connection:
            return tuple(JournalEntry(*row) for row in connection.execute(query.limit(limit)))

    # Standings ----------------------------------------------------------------------------------

    def save_standings(self, league: str, position: int, sections: Mapping[str, str]) -> int:
        """Replace the standings, unless the stored ones are of a later position.

        Returns their revision, or 0 if they are not stored.
        """
        table, parts = schema.standings, schema.standings_sections
        with self._database.write() as connection:
            competition_row(connection, league, lock=True)
            query = sa.select(table.c.position, table.c.revision)
            before = connection.execute(query.where(table.c.competition == league)).one_or_none()
            if before is not None and before.position > position:
                return 0
            revision = 1 if before is None else before.revision + 1
            connection.execute(sa.delete(table).where(table.c.competition == league))
            connection.execute(sa.delete(parts).where(parts.c.competition == league))
            values = {"competition": league, "position": position, "revision": revision}
            connection.execute(sa.insert(table).values(values))
            rows = [
                {"competition": league, "section": name, "document": document}
                for name, document in sections.items()
            ]
            if rows:
                connection.execute(sa.insert(parts), rows)
            return revision

    def standings_revision(self, league: str) -> int:
        """Return the revision of the stored standings; 0 if there are none."""
        table = schema.standings
        query = sa.select(table.c.revision).where(table.c.competition == league)
        with self._database.read() as connection:
            found = connection.execute(query).scalar_one_or_none() if storable(league) else None
        return found or 0

    def stored_standings(self, league: str) -> tuple[int, dict[str, str]]:
        """Return the number of results in the stored standings, and all their sections."""
        table, parts = schema.standings, schema.standings_sections
        position = sa.select(table.c.position).where(table.c.competition == league)
        sections = sa.select(parts.c.section, parts.c.document).where(parts.c.competition == league)
        with self._database.read() as connection:
            found = connection.execute(position).scalar_one_or_none()
            return found or 0, {row.section: row.document for row in connection.execute(sections)}

    def load_standings(self, league: str, section: str) -> str | None:
        """Return one section of the stored standings."""
        table = schema.standings_sections
        query = sa.select(table.c.document).where(
            table.c.competition == league, table.c.section == section
        )
        with self._database.read() as connection:
            known = storable(league) and storable(section)
            return connection.execute(query).scalar_one_or_none() if known else None


def add_secret(connection: sa.Connection, competition: str, number: int, secret: bytes) -> None:
    """Add a secret from which sets of a competition are dealt."""
    row = {"competition": competition, "number": number, "secret": secret, "published": False}
    connection.execute(sa.insert(_secrets).values(row))


def read_secrets(connection: sa.Connection) -> list[Secret]:
    """Return every secret of the tournament, in the order of their numbers."""
    query = sa.select(_secrets.c.number, _secrets.c.secret, _secrets.c.published)
    own = query.where(_secrets.c.competition == TOURNAMENT).order_by(_secrets.c.number)
    return [Secret(*row) for row in connection.execute(own)]


def _read(connection: sa.Connection, id_: str) -> Competition:
    return _leagues(connection, [competition_row(connection, id_)])[0]


def _leagues(connection: sa.Connection, rows: Sequence[Any]) -> tuple[Competition, ...]:
    """Return leagues; a secret is among it when nothing will be dealt from it any more."""
    closed = [row.id for row in rows if row.state == CompetitionState.CLOSED]
    matches = schema.matches
    left = sa.select(matches.c.competition).where(
        matches.c.competition.in_(closed), matches.c.state.in_(UNFINISHED)
    )
    going_on = set(connection.execute(left.distinct()).scalars()) if closed else set()
    found = sa.select(_secrets.c.competition, _secrets.c.secret).where(
        _secrets.c.competition.in_([row.id for row in rows])
    )
    seasons = season_numbers(connection, [row.id for row in rows])
    secret_of = {row.competition: row.secret for row in connection.execute(found)}
    return tuple(
        Competition(
            row.id,
            LeagueSettings.from_json(row.settings),
            row.state,
            row.created_at,
            commitment_to_secret(secret_of[row.id]),
            secret_of[row.id].hex() if row.id in closed and row.id not in going_on else "",
            seasons.get(row.id, 0),
        )
        for row in rows
    )
