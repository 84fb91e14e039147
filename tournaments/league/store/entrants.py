"""Entrants: who takes part, in which versions, and who does not any more."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from tournaments.league import schema
from tournaments.league.errors import ConflictError, NotFoundError
from tournaments.league.model import (
    Entrant,
    EntrantState,
    FaultNote,
    MatchState,
    Page,
    Role,
)
from tournaments.league.names import (
    LONGEST_AUTHOR,
    check_line,
    check_name,
    check_version,
    folded,
)
from tournaments.league.store.base import (
    check_page_size,
    check_reason,
    chunked,
    digest,
    entrant_row,
    league_row,
    open_league_row,
    page_token,
    read_page_number,
    remembered,
)
from tournaments.league.store.tokens import TokenPart


class EntrantPart(TokenPart):
    """The part of the store that knows entrants."""

    def enter(
        self, league: str, name: str, author: str, *, request_id: str = ""
    ) -> tuple[Entrant, str]:
        """Enter a bot; return it with its token, which nobody can read again.

        The same request again returns the same entrant, and no token.
        """
        check_name(name)
        check_line("an author", author, LONGEST_AUTHOR, least=0)
        kind, content = f"enter/{league}", digest(league, name, author)
        with self._database.write() as connection:
            league_row(connection, league, lock=True)
            if remembered(connection, kind, request_id, content) is not None:
                return _entrants(connection, [entrant_row(connection, league, name)])[0], ""
            open_league_row(connection, league)
            self._refuse_taken(connection, league, name)
            row = {
                "league": league,
                "name": name,
                "folded": folded(name),
                "author": author,
                "state": EntrantState.ACTIVE.value,
                "entered_at": self._now(),
            }
            connection.execute(sa.insert(schema.entrants).values(row))
            entrant = entrant_row(connection, league, name)
            token = self._issue(connection, Role.ENTRANT, entrant.id, "entered")
            self._remember(connection, kind, request_id, content, str(entrant.id))
            by = f" by {author}" if author else ""
            self._note(connection, league, "entered", f"{name}{by} entered.")
            return _entrants(connection, [entrant])[0], token

    def _refuse_taken(self, connection: sa.Connection, league: str, name: str) -> None:
        table = schema.entrants
        query = sa.select(table.c.name).where(
            table.c.league == league, table.c.folded == folded(name)
        )
        taken = connection.execute(query).scalar_one_or_none()
        if taken is not None:
            raise ConflictError(
                f'the name "{name}" is taken by the entrant "{taken}": names must differ in more '
                "than capital letters."
            )

    # Coming and going ---------------------------------------------------------------------------

    def withdraw(self, league: str, name: str, reason: str = "") -> Entrant:
        """Let an entrant go; what it has played counts, what it has not is dropped."""
        check_reason(reason, least=0)
        return self._move(league, name, EntrantState.WITHDRAWN, reason, "withdrew")

    def disqualify(self, league: str, name: str, reason: str) -> Entrant:
        """Send an entrant away, for a reason that is public; nothing that it played counts."""
        check_reason(reason)
        return self._move(league, name, EntrantState.DISQUALIFIED, reason, "disqualified")

    def bench(self, league: str, name: str, reason: str) -> Entrant:
        """Seat an entrant no more until somebody says that it is well again."""
        check_reason(reason)
        return self._move(league, name, EntrantState.BENCHED, reason, "benched")

    def unbench(self, league: str, name: str) -> Entrant:
        """Seat an entrant again."""
        return self._move(league, name, EntrantState.ACTIVE, "", "unbenched")

    def _move(self, league: str, name: str, state: EntrantState, reason: str, kind: str) -> Entrant:
        table = schema.entrants
        with self._database.write() as connection:
            league_row(connection, league, lock=True)
            row = entrant_row(connection, league, name)
            if row.state != state:
                if row.state not in _FROM[state]:
                    raise ConflictError(f"{name} is {row.state}, so it cannot be {kind}.")
                changed = sa.update(table).where(table.c.id == row.id)
                connection.execute(changed.values(state=state.value, reason=reason))
                if state is EntrantState.ACTIVE:
                    connection.execute(changed.values(forgiven_at=self._now()))
                if state in GONE:
                    _drop_scheduled(connection, row.id)
                said = _SAID[kind].format(name=name)
                self._note(connection, league, kind, f"{said}: {reason}" if reason else f"{said}.")
            return _entrants(connection, [entrant_row(connection, league, name)])[0]

    # Versions -----------------------------------------------------------------------------------

    def see_version(self, league: str, name: str, version: str) -> None:
        """Note a version of a bot when it is first seen; what has gone by keeps its place."""
        check_version(version)
        table = schema.versions
        with self._database.read() as connection:
            known = sa.select(table.c.number).where(
                table.c.entrant == entrant_row(connection, league, name).id,
                table.c.version == version,
            )
            if connection.execute(known).first() is not None:
                return
        with self._database.write() as connection:
            league_row(connection, league, lock=True)
            entrant = entrant_row(connection, league, name).id
            rows = connection.execute(sa.select(table).where(table.c.entrant == entrant)).all()
            if any(row.version == version for row in rows):
                return
            row = {
                "entrant": entrant,
                "version": version,
                "number": len(rows) + 1,
                "seen_at": self._now(),
            }
            connection.execute(sa.insert(table).values(row))

    # Reading ------------------------------------------------------------------------------------

    def entrants(self, league: str, page_size: int = 100, page_token: str = "") -> Page[Entrant]:
        """Return the entrants of a league in the order in which they entered."""
        check_page_size(page_size)
        table = schema.entrants
        query = sa.select(table).where(table.c.league == league).order_by(table.c.id)
        if page_token:
            query = query.where(table.c.id > read_page_number("entrants", page_token))
        with self._database.read() as connection:
            league_row(connection, league)
            rows = connection.execute(query.limit(page_size + 1)).all()
            found = _entrants(connection, rows[:page_size])
        return Page(found, _next(rows, page_size))

    def entrant(self, league: str, name: str) -> Entrant:
        """Return an entrant; raises NotFoundError."""
        with self._database.read() as connection:
            return _entrants(connection, [entrant_row(connection, league, name)])[0]

    def faults(self, league: str, entrant: str, limit: int = 100) -> tuple[FaultNote, ...]:
        """Return what an entrant did wrong last, the newest first."""
        table = schema.faults
        with self._database.read() as connection:
            row = entrant_row(connection, league, entrant)
            query = sa.select(table).where(table.c.entrant == row.id)
            rows = connection.execute(query.order_by(table.c.id.desc()).limit(limit)).all()
        return tuple(
            FaultNote(row.match, entrant, row.fault, row.cause, row.detail, row.at) for row in rows
        )

    def forfeits_in_a_row(self, league: str, name: str, most: int = 100) -> int:
        """Return how many of an entrant's last matches it forfeited, up to the first it did not.

        Counted from the last time that it was taken from the bench.
        """
        seats, matches = schema.match_seats, schema.matches
        with self._database.read() as connection:
            row = entrant_row(connection, league, name)
            query = (
                sa.select(seats.c.forfeit, matches.c.ended_at)
                .join(matches, matches.c.id == seats.c.match)
                .where(seats.c.entrant == row.id, matches.c.state == MatchState.PLAYED)
                .order_by(matches.c.ended_at.desc(), matches.c.position.desc())
                .limit(most)
            )
            played = connection.execute(query).all()
        count = 0
        for match in played:
            if not match.forfeit or (
                row.forgiven_at is not None and match.ended_at <= row.forgiven_at
            ):
                break
            count += 1
        return count


GONE = (EntrantState.WITHDRAWN, EntrantState.DISQUALIFIED)
"""Whoever is in one of these states is never seated again."""
_FROM = {
    EntrantState.ACTIVE: (EntrantState.BENCHED,),
    EntrantState.BENCHED: (EntrantState.ACTIVE,),
    EntrantState.WITHDRAWN: (EntrantState.ACTIVE, EntrantState.BENCHED),
    EntrantState.DISQUALIFIED: tuple(EntrantState),
}
_SAID = {
    "withdrew": "{name} withdrew",
    "disqualified": "{name} was disqualified",
    "benched": "{name} was benched",
    "unbenched": "{name} is back from the bench",
}


def seated(connection: sa.Connection, league: str, name: str, version: str) -> int:
    """Return the id of an entrant who may be seated in that version."""
    row = entrant_row(connection, league, name)
    if row.state != EntrantState.ACTIVE:
        raise ConflictError(f"{name} is {row.state}, so it cannot be seated.")
    table = schema.versions
    known = sa.select(table.c.number).where(table.c.entrant == row.id, table.c.version == version)
    if connection.execute(known).first() is None:
        raise NotFoundError(f'{name} has no version "{version[:60]}".')
    return int(row.id)


def _drop_scheduled(connection: sa.Connection, entrant: int) -> None:
    matches, seats = schema.matches, schema.match_seats
    theirs = sa.select(seats.c.match).where(seats.c.entrant == entrant)
    connection.execute(
        sa.update(matches)
        .where(matches.c.state == MatchState.SCHEDULED, matches.c.id.in_(theirs))
        .values(state=MatchState.DROPPED.value)
    )


def _entrants(connection: sa.Connection, rows: Sequence[Any]) -> tuple[Entrant, ...]:
    table = schema.versions
    versions: dict[int, list[str]] = defaultdict(list)
    for part in chunked([row.id for row in rows]):
        query = sa.select(table).where(table.c.entrant.in_(part)).order_by(table.c.number)
        for found in connection.execute(query):
            versions[found.entrant].append(found.version)
    return tuple(
        Entrant(
            row.id,
            row.league,
            row.name,
            row.author,
            row.state,
            row.reason,
            row.entered_at,
            tuple(versions[row.id]),
        )
        for row in rows
    )


def _next(rows: Sequence[Any], page_size: int) -> str:
    return page_token("entrants", rows[page_size - 1].id) if len(rows) > page_size else ""
