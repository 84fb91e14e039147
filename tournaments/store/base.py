"""What all parts of the store share: transactions, the clock, pages, rows by name."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, TypeVar

import sqlalchemy as sa

from referee.record import printable
from tournaments.model import (
    LONGEST_REASON,
    CompetitionState,
    ConflictError,
    InvalidError,
    NotFoundError,
    Page,
    check_line,
)
from tournaments.store import schema
from tournaments.store.database import Database

T = TypeVar("T")


def utc_now() -> datetime:
    """Return the time of this machine."""
    return datetime.now(UTC)


MOST_PER_PAGE: Final = 1000
LONGEST_REQUEST: Final = 100
LONGEST_ENTRY: Final = 2000
CHUNK: Final = 200
"""How many rows are asked for by their ids at once."""


class Base:
    """A part of the store."""

    def __init__(self, database: Database, now: Callable[[], datetime] | None = None) -> None:
        """Make it; ``now`` takes the place of every clock, for tests."""
        self._database = database
        self._now = now or utc_now
        self._shared = now

    def _shared_now(self, connection: sa.Connection) -> datetime:
        """Return the time that all servers agree on, for what one compares with another's.

        Leases must not depend on the clocks of the servers: one that is ahead would take away
        what the others play.
        """
        return self._shared() if self._shared is not None else self._database.now(connection)

    def _note(
        self,
        connection: sa.Connection,
        competition: str,
        kind: str,
        text: str,
        *,
        entrant: int | None = None,
        role: str | None = None,
    ) -> None:
        """Write something into the public journal: about an entrant, and done by a role."""
        noted = {"kind": kind, "text": printable(text, LONGEST_ENTRY), "at": self._now()}
        about = {"competition": competition, "entrant": entrant, "role": role}
        connection.execute(sa.insert(schema.journal).values(**about, **noted))

    def _remember(
        self, connection: sa.Connection, kind: str, request: str, content: str, subject: str
    ) -> None:
        """Note what a request led to."""
        if request:
            row = {"kind": kind, "request": request, "content": content, "subject": subject}
            connection.execute(sa.insert(schema.requests).values(**row, at=self._now()))


def remembered(connection: sa.Connection, kind: str, request: str, content: str) -> str | None:
    """Return what the same request led to before; raises ConflictError if it was another one."""
    if not request:
        return None
    check_line("a request id", request, LONGEST_REQUEST)
    table = schema.requests
    query = sa.select(table).where(table.c.kind == kind, table.c.request == request)
    found = connection.execute(query).one_or_none()
    if found is None:
        return None
    if found.content != content:
        raise ConflictError(
            "that request id was used for something else: take a new one for each request."
        )
    return str(found.subject)


def digest(*content: object) -> str:
    """Return what tells two contents apart."""
    return hashlib.sha256(json.dumps(content).encode()).hexdigest()


def storable(text: str) -> bool:
    """Return whether a name from outside can be in a database at all.

    PostgreSQL has no NUL, and neither database has half a surrogate pair: asking for one would be
    an error and no answer.
    """
    return text.isprintable()


def put_rows(connection: sa.Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write rows that replace those with the same primary key."""
    if not rows:
        return
    keys = [column.name for column in table.primary_key]
    same = sa.and_(*(table.c[key] == sa.bindparam(f"old_{key}") for key in keys))
    connection.execute(
        sa.delete(table).where(same), [{f"old_{key}": row[key] for key in keys} for row in rows]
    )
    connection.execute(sa.insert(table), rows)


# Rows by name -----------------------------------------------------------------------------------


def competition_row(connection: sa.Connection, id_: str, *, lock: bool = False) -> Any:
    """Return a competition; a transaction that locks it alone changes what belongs to it."""
    query = sa.select(schema.competitions).where(schema.competitions.c.id == id_)
    if lock:
        query = query.with_for_update(key_share=True)
    found = connection.execute(query).one_or_none() if storable(id_) else None
    if found is None:
        raise NotFoundError(f'there is no league "{_short(id_)}".')
    return found


def open_competition_row(connection: sa.Connection, id_: str) -> Any:
    """Lock a competition that goes on; raises ConflictError for one that is closed."""
    row = competition_row(connection, id_, lock=True)
    if row.state != CompetitionState.OPEN:
        raise ConflictError(f'the league "{id_}" is closed.')
    return row


def entrant_row(connection: sa.Connection, competition: str, name: str) -> Any:
    """Return an entrant of a competition."""
    table = schema.entrants
    query = sa.select(table).where(table.c.competition == competition, table.c.name == name)
    known = storable(competition) and storable(name)
    found = connection.execute(query).one_or_none() if known else None
    if found is None:
        competition_row(connection, competition)
        raise NotFoundError(f'there is no entrant "{_short(name)}" in the league "{competition}".')
    return found


def entrant_ids(connection: sa.Connection, competition: str) -> dict[str, int]:
    """Return the id of each entrant of a competition, by name."""
    table = schema.entrants
    query = sa.select(table.c.name, table.c.id).where(table.c.competition == competition)
    return {row.name: row.id for row in connection.execute(query)}


def match_row(connection: sa.Connection, match: str) -> Any:
    """Return a match as the table has it."""
    query = sa.select(schema.matches).where(schema.matches.c.id == match)
    found = connection.execute(query).one_or_none() if storable(match) else None
    if found is None:
        raise NotFoundError(f'there is no match "{_short(match)}".')
    return found


def check_reason(reason: str, least: int = 1) -> None:
    """Refuse a reason that is no line of text; it is public."""
    check_line("a reason", reason, LONGEST_REASON, least)


def _short(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text[:60])


# Pages ------------------------------------------------------------------------------------------


def check_page_size(size: int) -> None:
    """Refuse a size of page that is too large."""
    if not 1 <= size <= MOST_PER_PAGE:
        raise InvalidError(f"a page has 1 to {MOST_PER_PAGE} items, not {size}.")


def page_of(kind: str, items: Sequence[T], keys: Sequence[str | int], size: int) -> Page[T]:
    """Return a page of items, of which one more was read than it has; ``keys`` are their places."""
    more = len(keys) > size
    text = f"{kind}:{keys[size - 1]}" if more else ""
    token = base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")
    return Page(tuple(items[:size]), token)


def read_page_token(kind: str, token: str, *, number: bool = False) -> str:
    """Return the place after which a page begins; raises InvalidError for another list's token."""
    try:
        text = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)).decode()
    except (binascii.Error, ValueError):
        text = ""
    found, colon, last = text.partition(":")
    is_number = last.isascii() and last.isdecimal() and len(last) < 10
    if found != kind or not colon or not storable(last) or not last or (number and not is_number):
        raise InvalidError("the page token is none of this list: begin without one.")
    return last


def chunked(values: Sequence[T], size: int = CHUNK) -> Iterator[Sequence[T]]:
    """Return parts of a list that a query can ask for at once."""
    for start in range(0, len(values), size):
        yield values[start : start + size]
