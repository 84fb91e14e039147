"""Entrants: who takes part, in which versions, and who does not any more."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Final

import sqlalchemy as sa

from tournaments.model import (
    LONGEST_AUTHOR,
    SHOWN_VERSIONS,
    UNRELEASED,
    ConflictError,
    Entrant,
    EntrantState,
    FaultNote,
    FullError,
    InvalidError,
    LeagueSettings,
    MatchState,
    NotFoundError,
    Page,
    Role,
    check_line,
    check_name,
    check_version,
    folded,
)
from tournaments.store import schema
from tournaments.store.base import (
    check_page_size,
    check_reason,
    chunked,
    competition_row,
    digest,
    entrant_ids,
    entrant_row,
    open_competition_row,
    page_of,
    read_page_token,
    remembered,
)
from tournaments.store.competitions import TOURNAMENT
from tournaments.store.incomplete_sets import drop_matches
from tournaments.store.queries import RELEASED
from tournaments.store.tokens import TokenPart

MOST_VERSIONS: Final = 200
"""How many versions an entrant may have in all."""
MOST_OWN_UNBENCHINGS: Final = 3
"""How often an entrant may take itself from the bench within ``PERIOD``."""
NO_VERSION: Final = ""
"""The version of every entrant of a tournament."""
PERIOD: Final = timedelta(days=1)


class EntrantPart(TokenPart):
    """The part of the store that knows entrants."""

    def enter(
        self, league: str, name: str, author: str, *, request_id: str = ""
    ) -> tuple[Entrant, str]:
        """Enter a bot; return it with its token, which cannot be read again.

        The same request again returns the same entrant, and no token.
        """
        check_name(name)
        check_line("an author", author, LONGEST_AUTHOR, least=0)
        kind, content = f"enter/{league}", digest(league, name, author)
        with self._database.write() as connection:
            competition_row(connection, league, lock=True)
            if remembered(connection, kind, request_id, content) is not None:
                return _entrants(connection, [entrant_row(connection, league, name)])[0], ""
            self._refuse_too_many(connection, open_competition_row(connection, league))
            self._refuse_taken(connection, league, name)
            self._add(connection, league, {name: author})
            entrant = entrant_row(connection, league, name)
            token = self._issue(connection, Role.ENTRANT, entrant.id, "entered")
            self._remember(connection, kind, request_id, content, str(entrant.id))
            by = f" by {author}" if author else ""
            self._note(connection, league, "entered", f"{name}{by} entered.", entrant=entrant.id)
            return _entrants(connection, [entrant])[0], token

    def enter_all(self, authors: Mapping[str, str]) -> None:
        """Enter those bots of the tournament that are not there yet, with their authors, by name.

        They have one version: a changed bot is a new entrant.
        """
        with self._database.write() as connection:
            competition_row(connection, TOURNAMENT, lock=True)
            known = entrant_ids(connection, TOURNAMENT)
            new = {name: author for name, author in authors.items() if name not in known}
            self._add(connection, TOURNAMENT, new)
            ids = entrant_ids(connection, TOURNAMENT)
            for name in new:
                self._add_version(connection, ids[name], NO_VERSION, 1)

    def _add(self, connection: sa.Connection, competition: str, authors: Mapping[str, str]) -> None:
        rows = [
            {
                "competition": competition,
                "name": name,
                "folded": folded(name),
                "author": author,
                "state": EntrantState.ACTIVE.value,
                "entered_at": self._now(),
            }
            for name, author in authors.items()
        ]
        if rows:
            connection.execute(sa.insert(schema.entrants), rows)

    def _add_version(
        self, connection: sa.Connection, entrant: int, version: str, number: int
    ) -> None:
        row = {"entrant": entrant, "version": version, "number": number}
        connection.execute(sa.insert(schema.versions).values(**row, seen_at=self._now()))

    def _refuse_too_many(self, connection: sa.Connection, league: Any) -> None:
        """Refuse an entrant of a full league.

        One that withdraws itself keeps its place for a day after it entered: to enter and withdraw
        again and again would fill the database.
        """
        table, journal = schema.entrants, schema.journal
        most = LeagueSettings.from_json(league.settings).max_entrants
        by_itself = sa.exists().where(
            journal.c.entrant == table.c.id,
            journal.c.kind == "withdrew",
            journal.c.role == Role.ENTRANT,
        )
        keeps_place = sa.and_(table.c.entered_at > self._now() - PERIOD, by_itself)
        query = sa.select(sa.func.count()).where(
            table.c.competition == league.id, sa.or_(table.c.state.not_in(GONE), keeps_place)
        )
        if connection.execute(query).scalar_one() >= most:
            raise FullError(
                f'the league "{league.id}" has {most} entrants, with those that withdrew within '
                "24 hours after they entered, and no more are allowed: an organiser can withdraw "
                "some."
            )

    def _refuse_taken(self, connection: sa.Connection, league: str, name: str) -> None:
        table = schema.entrants
        query = sa.select(table.c.name).where(
            table.c.competition == league, table.c.folded == folded(name)
        )
        taken = connection.execute(query).scalar_one_or_none()
        if taken is not None:
            raise ConflictError(
                f'the name "{name}" is taken by the entrant "{taken}": names must differ in more '
                "than capital letters."
            )

    # Coming and going ---------------------------------------------------------------------------

    def withdraw(
        self, league: str, name: str, reason: str = "", by: Role = Role.ORGANISER
    ) -> Entrant:
        """Let an entrant go: what it has played counts, what it has not is dropped.

        What was played of a duplicate set that is not complete does not count.
        """
        check_reason(reason, least=0)
        return self._move(league, name, EntrantState.WITHDRAWN, reason, "withdrew", by)

    def disqualify(self, league: str, name: str, reason: str) -> Entrant:
        """Send an entrant away, for a reason that is public; nothing that it played counts."""
        check_reason(reason)
        return self._move(
            league, name, EntrantState.DISQUALIFIED, reason, "disqualified", Role.ORGANISER
        )

    def bench(self, league: str, name: str, reason: str) -> Entrant:
        """Seat an entrant no more until it is taken from the bench."""
        check_reason(reason)
        return self._move(league, name, EntrantState.BENCHED, reason, "benched")

    def unbench(self, league: str, name: str, by: Role = Role.ORGANISER) -> Entrant:
        """Seat an entrant again; by itself only so often in a day. Raises ConflictError."""
        return self._move(league, name, EntrantState.ACTIVE, "", "unbenched", by)

    def _refuse_own(self, connection: sa.Connection, row: Any) -> None:
        """Refuse an entrant that has taken itself from the bench too often."""
        table = schema.journal
        query = sa.select(table.c.at).where(
            table.c.entrant == row.id,
            table.c.kind == "unbenched",
            table.c.role == Role.ENTRANT,
            table.c.at > self._now() - PERIOD,
        )
        before = connection.execute(query.order_by(table.c.at)).scalars().all()
        if len(before) >= MOST_OWN_UNBENCHINGS:
            again = before[-MOST_OWN_UNBENCHINGS] + PERIOD
            raise ConflictError(
                f"{row.name} has taken itself from the bench {len(before)} times in 24 hours: ask "
                f"an organiser, or try again after {again:%Y-%m-%d %H:%M} UTC."
            )

    def _move(
        self,
        league: str,
        name: str,
        state: EntrantState,
        reason: str,
        kind: str,
        by: Role | None = None,
    ) -> Entrant:
        table = schema.entrants
        with self._database.write() as connection:
            competition_row(connection, league, lock=True)
            row = entrant_row(connection, league, name)
            if row.state != state:
                if row.state not in _FROM[state]:
                    raise ConflictError(f"{name} is {row.state}, so it cannot be {kind}.")
                if state is EntrantState.ACTIVE and by is Role.ENTRANT:
                    self._refuse_own(connection, row)
                changed = sa.update(table).where(table.c.id == row.id)
                connection.execute(changed.values(state=state.value, reason=reason))
                if state is EntrantState.ACTIVE:
                    connection.execute(changed.values(forgiven_at=self._shared_now(connection)))
                if state in GONE:
                    _drop_scheduled(connection, row.id)
                said = _SAID[kind, by].format(name=name)
                text = f"{said}: {reason}" if reason else f"{said}."
                self._note(connection, league, kind, text, entrant=row.id, role=by)
            return _entrants(connection, [entrant_row(connection, league, name)])[0]

    # Versions -----------------------------------------------------------------------------------

    def see_version(self, league: str, name: str, version: str) -> None:
        """Note a version of a bot when it is first seen; what has gone by keeps its place."""
        check_version(version)
        table = schema.versions
        with self._database.read() as connection:
            if _has_version(connection, entrant_row(connection, league, name).id, version):
                return
        with self._database.write() as connection:
            row = competition_row(connection, league, lock=True)
            entrant = entrant_row(connection, league, name).id
            if _has_version(connection, entrant, version):
                return
            newest = sa.select(sa.func.max(table.c.number)).where(table.c.entrant == entrant)
            number = connection.execute(newest).scalar_one() or 0
            settings = LeagueSettings.from_json(row.settings)
            if refusal := self._version_refusal(connection, settings, entrant, name):
                raise InvalidError(
                    f"{refusal}: join with one of these, or {_INSTEAD[number >= MOST_VERSIONS]}."
                )
            self._add_version(connection, entrant, version, number + 1)

    def _version_refusal(
        self,
        connection: sa.Connection,
        settings: LeagueSettings,
        entrant: int,
        name: str,
        expected: int = 0,
    ) -> str:
        """Return why an entrant may have no new version now, or nothing.

        ``expected`` is how many more will be new soon.
        """
        table, own = schema.versions, schema.versions.c.entrant == entrant
        since = self._now() - PERIOD
        counts = sa.select(sa.func.count(), sa.func.count().filter(table.c.seen_at > since)).where(
            own
        )
        known, recent = (each + expected for each in connection.execute(counts).one())
        if known >= MOST_VERSIONS:
            return f"{name} has had {known} versions, and no more are rated"
        if recent >= settings.versions_per_day:
            return (
                f"{name} has had {recent} new versions in 24 hours, and no more are rated in a day"
            )
        return ""

    # Reading ------------------------------------------------------------------------------------

    def entrants(self, league: str, page_size: int = 100, page_token: str = "") -> Page[Entrant]:
        """Return the entrants of a league in the order in which they entered."""
        check_page_size(page_size)
        table = schema.entrants
        query = sa.select(table).where(table.c.competition == league).order_by(table.c.id)
        if page_token:
            last = int(read_page_token("entrants", page_token, number=True))
            query = query.where(table.c.id > last)
        with self._database.read() as connection:
            competition_row(connection, league)
            rows = connection.execute(query.limit(page_size + 1)).all()
            found = _entrants(connection, rows[:page_size])
        return page_of("entrants", found, [row.id for row in rows], page_size)

    def entrant(self, league: str, name: str) -> Entrant:
        """Return an entrant; raises NotFoundError."""
        with self._database.read() as connection:
            return _entrants(connection, [entrant_row(connection, league, name)])[0]

    def faults(self, league: str, entrant: str, limit: int = 100) -> tuple[FaultNote, ...]:
        """Return what an entrant did wrong last, the newest first.

        A detail may quote hidden cards, so it is there when the record of the match is released.
        """
        table, matches = schema.faults, schema.matches
        detail = sa.case((RELEASED, table.c.detail), else_=UNRELEASED)
        query = sa.select(
            table.c.match, sa.literal(entrant), table.c.fault, table.c.cause, detail, table.c.at
        ).join(matches, matches.c.id == table.c.match)
        with self._database.read() as connection:
            row = entrant_row(connection, league, entrant)
            newest = query.where(table.c.entrant == row.id).order_by(table.c.id.desc())
            return tuple(FaultNote(*found) for found in connection.execute(newest.limit(limit)))


GONE = (EntrantState.WITHDRAWN, EntrantState.DISQUALIFIED)
"""An entrant in one of these states is never seated again."""
_FROM = {
    EntrantState.ACTIVE: (EntrantState.BENCHED,),
    EntrantState.BENCHED: (EntrantState.ACTIVE,),
    EntrantState.WITHDRAWN: (EntrantState.ACTIVE, EntrantState.BENCHED),
    EntrantState.DISQUALIFIED: tuple(EntrantState),
}
_SAID = {
    ("withdrew", Role.ENTRANT): "{name} was withdrawn by its author",
    ("withdrew", Role.ORGANISER): "{name} was withdrawn by an organiser",
    ("disqualified", Role.ORGANISER): "{name} was disqualified",
    ("benched", None): "{name} was benched",
    ("unbenched", Role.ENTRANT): "{name} was taken from the bench by its author",
    ("unbenched", Role.ORGANISER): "{name} was taken from the bench by an organiser",
}


_INSTEAD: Final = {True: "enter the bot under another name", False: "try again later"}
"""What to do with a version that is refused, by whether there are too many in all."""


def seated(connection: sa.Connection, league: str, name: str, version: str) -> int:
    """Return the id of an entrant who may be seated in that version."""
    row = entrant_row(connection, league, name)
    if row.state != EntrantState.ACTIVE:
        raise ConflictError(f"{name} is {row.state}, so it cannot be seated.")
    if not _has_version(connection, row.id, version):
        raise NotFoundError(f'{name} has no version "{version[:60]}".')
    return int(row.id)


def _has_version(connection: sa.Connection, entrant: int, version: str) -> bool:
    table = schema.versions
    known = sa.select(table.c.number).where(table.c.entrant == entrant, table.c.version == version)
    return connection.execute(known).first() is not None


def _drop_scheduled(connection: sa.Connection, entrant: int) -> None:
    matches, seats = schema.matches, schema.match_seats
    theirs = sa.select(seats.c.match).where(seats.c.entrant == entrant)
    waits = matches.c.state == MatchState.SCHEDULED
    drop_matches(connection, sa.and_(waits, matches.c.id.in_(theirs)))


def _entrants(connection: sa.Connection, rows: Sequence[Any]) -> tuple[Entrant, ...]:
    table = schema.versions
    versions: dict[int, list[str]] = defaultdict(list)
    counts: dict[int, int] = {}
    for part in chunked([row.id for row in rows]):
        of_part = table.c.entrant.in_(part)
        newest = sa.select(table.c.entrant, sa.func.max(table.c.number)).where(of_part)
        counts.update(
            {row[0]: row[1] for row in connection.execute(newest.group_by(table.c.entrant))}
        )
        last = newest.group_by(table.c.entrant).subquery().c
        query = (
            sa.select(table)
            .join(last[0].table, last[0] == table.c.entrant)
            .where(table.c.number > last[1] - SHOWN_VERSIONS)
        )
        for found in connection.execute(query.order_by(table.c.number)):
            versions[found.entrant].append(found.version)
    return tuple(
        Entrant(
            row.name,
            row.author,
            competition=row.competition,
            state=row.state,
            reason=row.reason,
            entered_at=row.entered_at,
            versions=tuple(versions[row.id]),
            version_count=counts.get(row.id, 0),
        )
        for row in rows
    )
