"""Tokens of organisers, authors and entrants. Only hashes are kept."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import sqlalchemy as sa

from referee.transports import find_holder, hashed, new_token
from tournaments.model import ANONYMOUS, Identity, Role, check_line
from tournaments.store import schema
from tournaments.store.base import Base, entrant_row

START: Final = 8
"""How many bytes of a hash lead to the row; the rest is compared in constant time."""
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

    def reissue_entrant(self, league: str, name: str) -> str:
        """Make a new token of an entrant; those that it had are accepted no more."""
        with self._database.write() as connection:
            entrant = entrant_row(connection, league, name)
            old = sa.delete(schema.tokens).where(schema.tokens.c.entrant == entrant.id)
            connection.execute(old)
            return self._issue(connection, Role.ENTRANT, entrant.id, "reissued")

    def keep_tokens(self, competition: str, tokens: Mapping[str, str]) -> None:
        """Accept these tokens of entrants, by name, beside those that they have."""
        with self._database.write() as connection:
            for name, token in tokens.items():
                known = sa.select(schema.tokens.c.role).where(schema.tokens.c.hash == hashed(token))
                if connection.execute(known).first() is None:
                    entrant = entrant_row(connection, competition, name).id
                    self._keep(connection, token, Role.ENTRANT, entrant, "derived")

    def _issue(
        self,
        connection: sa.Connection,
        role: Role,
        entrant: int | None,
        label: str,
        account: int | None = None,
    ) -> str:
        token = new_token()
        self._keep(connection, token, role, entrant, label, account)
        return token

    def _keep(
        self,
        connection: sa.Connection,
        token: str,
        role: Role,
        entrant: int | None,
        label: str,
        account: int | None = None,
    ) -> None:
        row = {"hash": hashed(token), "start": hashed(token)[:START], "role": role.value}
        about = {"entrant": entrant, "account": account, "label": label, "issued_at": self._now()}
        connection.execute(sa.insert(schema.tokens).values(**row, **about))

    def identify(self, token: str) -> Identity:
        """Return whose token that is; anyone may come without one, or with a wrong one.

        The database looks for the beginning of the hash, which cannot be chosen without knowing
        the token; what remains is compared in constant time.
        """
        if not token or len(token) > LONGEST_TOKEN or not token.isascii():
            return ANONYMOUS
        query = _HOLDERS.where(schema.tokens.c.start == hashed(token)[:START])
        with self._database.read() as connection:
            candidates = connection.execute(query).all()
        return find_holder(token, _identities(candidates)) or ANONYMOUS

    def holders(self) -> dict[bytes, Identity]:
        """Return whose each hash is; for a server that has to know all of them."""
        with self._database.read() as connection:
            rows = connection.execute(_HOLDERS).all()
        return _identities(rows)

    def revoke(self, token_hash: bytes) -> bool:
        """Accept a token no more; tell whether there was such a token."""
        table = schema.tokens
        with self._database.write() as connection:
            gone = connection.execute(sa.delete(table).where(table.c.hash == token_hash))
            return gone.rowcount > 0


def _identities(rows: Sequence[Any]) -> dict[bytes, Identity]:
    return {
        row.hash: Identity(row.role, row.competition or "", row.entrant or "", row.author or "")
        for row in rows
    }


_HOLDERS: Final = (
    sa.select(
        schema.tokens.c.hash,
        schema.tokens.c.role,
        sa.func.coalesce(schema.entrants.c.competition, schema.authors.c.competition).label(
            "competition"
        ),
        schema.entrants.c.name.label("entrant"),
        schema.authors.c.name.label("author"),
    )
    .outerjoin(schema.entrants, schema.entrants.c.id == schema.tokens.c.entrant)
    .outerjoin(schema.authors, schema.authors.c.id == schema.tokens.c.account)
)
