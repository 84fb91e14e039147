"""What all parts of the store share: transactions, the clock, pages, rows by name."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from typing import Any, Final, TypeVar

import sqlalchemy as sa

from referee.record import printable
from tournaments.league import schema
from tournaments.league.database import Database
from tournaments.league.errors import ConflictError, InvalidError, NotFoundError
from tournaments.league.model import LeagueState
from tournaments.league.names import LONGEST_REASON, check_line

T = TypeVar("T")

MOST_PER_PAGE: Final = 1000
LONGEST_REQUEST: Final = 100
LONGEST_ENTRY: Final = 2000
CHUNK: Final = 200
"""How many rows are asked for by their ids at once."""


class Base:
    """A part of the store."""

    def __init__(self, database: Database, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now

    def _note(self, connection: sa.Connection, league: str, kind: str, text: str) -> None:
        """Write something into the public journal."""
        said = printable(text, LONGEST_ENTRY)
        row = {"league": league, "at": self._now(), "kind": kind, "text": said}
        connection.execute(sa.insert(schema.journal).values(row))

    def _remember(
        self, connection: sa.Connection, kind: str, request: str, content: str, subject: str
    ) -> None:
        """Note what a request led to."""
        if request:
            row = {
                "kind": kind,
                "request": request,
                "content": content,
                "subject": subject,
                "at": self._now(),
            }
            connection.execute(sa.insert(schema.requests).values(row))


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
    """Tell whether a name from outside can be in a database at all.

    PostgreSQL has no NUL, and neither database has half a surrogate pair: asking for one would be
    an error and no answer.
    """
    return text.isprintable()


# Rows by name -----------------------------------------------------------------------------------


def league_row(connection: sa.Connection, league: str, *, lock: bool = False) -> Any:
    """Return a league; whoever locks it is the only one to change what belongs to it."""
    query = sa.select(schema.leagues).where(schema.leagues.c.id == league)
    if lock:
        query = query.with_for_update(key_share=True)
    found = connection.execute(query).one_or_none() if storable(league) else None
    if found is None:
        raise NotFoundError(f'there is no league "{_short(league)}".')
    return found


def open_league_row(connection: sa.Connection, league: str) -> Any:
    """Lock a league that goes on; raises ConflictError for one that is closed."""
    row = league_row(connection, league, lock=True)
    if row.state != LeagueState.OPEN:
        raise ConflictError(f'the league "{league}" is closed.')
    return row


def entrant_row(connection: sa.Connection, league: str, name: str) -> Any:
    """Return an entrant of a league."""
    table = schema.entrants
    query = sa.select(table).where(table.c.league == league, table.c.name == name)
    known = storable(league) and storable(name)
    found = connection.execute(query).one_or_none() if known else None
    if found is None:
        league_row(connection, league)
        raise NotFoundError(f'there is no entrant "{_short(name)}" in the league "{league}".')
    return found


def match_row(connection: sa.Connection, match: str) -> Any:
    """Return a match as the table has it."""
    query = sa.select(schema.matches).where(schema.matches.c.id == match)
    found = connection.execute(query).one_or_none() if storable(match) else None
    if found is None:
        raise NotFoundError(f'there is no match "{_short(match)}".')
    return found


def check_reason(reason: str, least: int = 1) -> None:
    """Refuse a reason that is no line of text; everybody will read it."""
    check_line("a reason", reason, LONGEST_REASON, least)


def _short(text: str) -> str:
    return "".join(c if c.isprintable() else "?" for c in text[:60])


# Pages ------------------------------------------------------------------------------------------


def check_page_size(size: int) -> None:
    """Refuse a size of page that nobody should ask for."""
    if not 1 <= size <= MOST_PER_PAGE:
        raise InvalidError(f"a page has 1 to {MOST_PER_PAGE} items, not {size}.")


def page_token(kind: str, last: str | int) -> str:
    """Write after what the next page begins."""
    return base64.urlsafe_b64encode(f"{kind}:{last}".encode()).decode().rstrip("=")


def read_page_token(kind: str, token: str) -> str:
    """Read after what a page begins; raises InvalidError for what is no token of that list."""
    try:
        text = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)).decode()
    except (binascii.Error, ValueError):
        text = ""
    found, colon, last = text.partition(":")
    if found != kind or not colon or not storable(last) or not last:
        raise InvalidError("the page token is none of this list: begin without one.")
    return last


def read_page_number(kind: str, token: str) -> int:
    """Read after which number a page begins."""
    last = read_page_token(kind, token)
    if not (last.isascii() and last.isdecimal() and len(last) < 10):
        raise InvalidError("the page token is none of this list: begin without one.")
    return int(last)


def chunked(values: Sequence[T], size: int = CHUNK) -> Iterator[Sequence[T]]:
    """Return parts of a list that a query can ask for at once."""
    for start in range(0, len(values), size):
        yield values[start : start + size]
