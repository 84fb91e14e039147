"""Accounts of authors: who may submit bots to a league."""

from __future__ import annotations

import hmac
from typing import Any

import sqlalchemy as sa

from tournaments.model import (
    LONGEST_AUTHOR,
    Account,
    AccountState,
    ConflictError,
    Enrolment,
    LeagueSettings,
    NotAllowedError,
    NotFoundError,
    Page,
    Role,
    check_line,
    folded,
    refuse_house,
)
from tournaments.store import schema
from tournaments.store.base import (
    check_page_size,
    check_reason,
    competition_row,
    entrant_row,
    open_competition_row,
    page_of,
    read_page_token,
    storable,
)
from tournaments.store.tokens import TokenPart

_table = schema.authors


class AccountPart(TokenPart):
    """The part of the store that knows accounts."""

    def sign_up(
        self, league: str, name: str, code: str = "", *, by: Role = Role.ANYONE
    ) -> tuple[Account, str]:
        """Make an account as the enrolment of the league allows; return it with its token.

        An organiser needs no code, and the account is active at once. Raises NotAllowedError if the
        enrolment is closed or the code is wrong, and ConflictError for a name that is taken.
        """
        check_line("the name of an author", name, LONGEST_AUTHOR)
        with self._database.write() as connection:
            row = open_competition_row(connection, league)
            settings = LeagueSettings.from_json(row.settings)
            state = AccountState.ACTIVE
            if by is not Role.ORGANISER:
                state = _state_after(settings, code)
                refuse_house(name)
            if _find(connection, league, name) is not None:
                raise ConflictError(
                    f'there is an author "{name}" in the league "{league}" already: choose another '
                    "name; names must differ in more than capital letters."
                )
            values = {"competition": league, "name": name, "folded": folded(name)}
            connection.execute(
                sa.insert(_table).values(
                    **values, state=state.value, reason="", created_at=self._now()
                )
            )
            made = account_row(connection, league, name)
            return _account(made), self._issue(connection, Role.AUTHOR, None, "sign-up", made.id)

    def reissue_account(self, league: str, name: str) -> str:
        """Make a new token of an author; those before it are accepted no more."""
        with self._database.write() as connection:
            account = account_row(connection, league, name)
            old = sa.delete(schema.tokens).where(schema.tokens.c.account == account.id)
            connection.execute(old)
            return self._issue(connection, Role.AUTHOR, None, "reissued", account.id)

    def approve_account(self, league: str, name: str) -> Account:
        """Let an author submit bots, who was pending or blocked."""
        return self._change_account(league, name, AccountState.ACTIVE, "")

    def block_account(self, league: str, name: str, reason: str) -> Account:
        """Refuse everything from an author, for a reason that the author is shown."""
        check_reason(reason)
        return self._change_account(league, name, AccountState.BLOCKED, reason)

    def _change_account(self, league: str, name: str, state: AccountState, reason: str) -> Account:
        with self._database.write() as connection:
            row = account_row(connection, league, name)
            changed = sa.update(_table).where(_table.c.id == row.id)
            connection.execute(changed.values(state=state.value, reason=reason))
            return _account(account_row(connection, league, name))

    def account(self, league: str, name: str) -> Account:
        """Return an account; raises NotFoundError."""
        with self._database.read() as connection:
            return _account(account_row(connection, league, name))

    def active_account(self, league: str, name: str) -> Account:
        """Return an account; raises NotAllowedError if it is pending or blocked."""
        with self._database.read() as connection:
            return _account(active_account_row(connection, league, name))

    def accounts(self, league: str, page_size: int = 100, page_token: str = "") -> Page[Account]:
        """Return the accounts of a league in the order in which they were made."""
        check_page_size(page_size)
        query = sa.select(_table).where(_table.c.competition == league).order_by(_table.c.id)
        if page_token:
            last = int(read_page_token("accounts", page_token, number=True))
            query = query.where(_table.c.id > last)
        with self._database.read() as connection:
            competition_row(connection, league)
            rows = connection.execute(query.limit(page_size + 1)).all()
        found = [_account(row) for row in rows[:page_size]]
        return page_of("accounts", found, [row.id for row in rows], page_size)

    def author_of(self, league: str, bot: str) -> str | None:
        """Return the author who submits a bot; None for one that was entered otherwise."""
        with self._database.read() as connection:
            own = _table.c.id == entrant_row(connection, league, bot).account
            return connection.execute(sa.select(_table.c.name).where(own)).scalar_one_or_none()


def _state_after(settings: LeagueSettings, code: str) -> AccountState:
    """Return the state of a new account; raises NotAllowedError if there may be none."""
    if settings.enrolment == Enrolment.CLOSED:
        raise NotAllowedError(
            f'the enrolment of "{settings.title}" is closed: ask an organiser for an account.'
        )
    if settings.enrolment == Enrolment.CODE and not hmac.compare_digest(
        code.encode(), settings.enrolment_code.encode()
    ):
        raise NotAllowedError("the code is wrong: ask an organiser for the code of the league.")
    pending = settings.enrolment == Enrolment.APPROVAL
    return AccountState.PENDING if pending else AccountState.ACTIVE


def account_row(connection: sa.Connection, league: str, name: str) -> Any:
    """Return the row of an account; raises NotFoundError."""
    found = _find(connection, league, name)
    if found is None:
        competition_row(connection, league)
        raise NotFoundError(f'there is no author of that name in the league "{league}".')
    return found


def active_account_row(connection: sa.Connection, league: str, name: str) -> Any:
    """Return the row of an account that may submit bots; raises NotAllowedError."""
    row = account_row(connection, league, name)
    if row.state == AccountState.PENDING:
        raise NotAllowedError(f"the account of {row.name} waits for the approval of an organiser.")
    if row.state == AccountState.BLOCKED:
        raise NotAllowedError(f"the account of {row.name} is blocked: {row.reason}")
    return row


def _find(connection: sa.Connection, league: str, name: str) -> Any:
    if not (storable(league) and storable(name)):
        return None
    query = sa.select(_table).where(_table.c.competition == league, _table.c.folded == folded(name))
    return connection.execute(query).one_or_none()


def _account(row: Any) -> Account:
    return Account(row.competition, row.name, AccountState(row.state), row.created_at, row.reason)
