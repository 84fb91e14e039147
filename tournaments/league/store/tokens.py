"""Tokens: who somebody is. Only hashes are kept."""

from __future__ import annotations

import hmac
from typing import Final

import sqlalchemy as sa

from referee.tokens import hashed, new_token
from tournaments.league import schema
from tournaments.league.model import NOBODY, Identity, Role
from tournaments.league.names import check_line
from tournaments.league.store.base import Base, entrant_row

START: Final = 8
"""So many bytes of a hash lead to the row; the rest is compared in constant time."""
LONGEST_TOKEN: Final = 200
LONGEST_LABEL: Final = 100


class TokenPart(Base):
    """The part of the store that knows tokens."""

    def first_organiser(self) -> str | None:
        """Make the first token of an organiser; nothing if there is one already."""
        with self._database.write() as connection:
            self._database.alone(connection)
            organisers = sa.select(schema.tokens).where(schema.tokens.c.role == Role.ORGANISER)
            if connection.execute(organisers).first() is not None:
                return None
            return self._issue(connection, Role.ORGANISER, None, "first")

    def issue_organiser(self, label: str) -> str:
        """Make another token of an organiser; the label says whose it is."""
        check_line("a label", label, LONGEST_LABEL)
        with self._database.write() as connection:
            return self._issue(connection, Role.ORGANISER, None, label)

    def issue_entrant(self, league: str, name: str, label: str = "") -> str:
        """Make another token of an entrant, beside those that it has."""
        check_line("a label", label, LONGEST_LABEL, least=0)
        with self._database.write() as connection:
            entrant = entrant_row(connection, league, name)
            return self._issue(connection, Role.ENTRANT, entrant.id, label)

    def _issue(self, connection: sa.Connection, role: Role, entrant: int | None, label: str) -> str:
        token = new_token()
        row = {
            "hash": hashed(token),
            "start": hashed(token)[:START],
            "role": role.value,
            "entrant": entrant,
            "label": label,
            "issued_at": self._now(),
        }
        connection.execute(sa.insert(schema.tokens).values(row))
        return token

    def identify(self, token: str) -> Identity:
        """Return whose token that is; anyone may come without one, or with a wrong one.

        The database looks for the beginning of the hash, which nobody can choose without knowing
        the token; what remains is compared in constant time.
        """
        if not token or len(token) > LONGEST_TOKEN or not token.isascii():
            return NOBODY
        given, found = hashed(token), NOBODY
        query = _HOLDERS.where(schema.tokens.c.start == given[:START])
        with self._database.read() as connection:
            candidates = connection.execute(query).all()
        for row in candidates:
            if hmac.compare_digest(given, row.hash):
                found = Identity(row.role, row.league or "", row.name or "")
        return found

    def holders(self) -> dict[bytes, Identity]:
        """Return whose each hash is; for a server that has to know all of them."""
        with self._database.read() as connection:
            rows = connection.execute(_HOLDERS).all()
        return {row.hash: Identity(row.role, row.league or "", row.name or "") for row in rows}

    def revoke(self, token_hash: bytes) -> bool:
        """Accept a token no more; tell whether there was such a token."""
        table = schema.tokens
        with self._database.write() as connection:
            gone = connection.execute(sa.delete(table).where(table.c.hash == token_hash))
            return gone.rowcount > 0


_HOLDERS: Final = sa.select(
    schema.tokens.c.hash, schema.tokens.c.role, schema.entrants.c.league, schema.entrants.c.name
).outerjoin(schema.entrants, schema.entrants.c.id == schema.tokens.c.entrant)
