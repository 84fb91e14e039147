"""Who may do what: bearer tokens of authors, entrants and organisers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from starlette.exceptions import HTTPException

from tournaments.model import (
    Account,
    Identity,
    NotAllowedError,
    NotFoundError,
    Role,
    Submission,
)
from tournaments.store import Store
from tournaments.submissions import may_download

CHALLENGE: Final = {"WWW-Authenticate": "Bearer"}
LONGEST_NUMBER: Final = 9
"""Digits of the id of a submission."""


def bearer_token(headers: Mapping[str, str]) -> str | None:
    """Return the token of an Authorization header; None without one."""
    kind, _, token = headers.get("authorization", "").partition(" ")
    return token.strip() if kind.lower() == "bearer" else None


class Authorization:
    """Checks tokens against the store; its methods block, so they are called in threads."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def holder(self, headers: Mapping[str, str]) -> Identity:
        """Return the holder of the token of a request; raises HTTPException 401."""
        token = bearer_token(headers)
        if token is None:
            sentence = "This needs a token: send the header Authorization: Bearer TOKEN."
            raise HTTPException(401, sentence, CHALLENGE)
        identity = self._store.identify(token)
        if identity.role == Role.ANYONE:
            raise HTTPException(401, "This token is not known here.", CHALLENGE)
        return identity

    def account(self, headers: Mapping[str, str], league: str) -> Account:
        """Return the account of an author in a league, whatever its state is."""
        identity = self.holder(headers)
        self._store.league(league)
        if (identity.role, identity.league) != (Role.AUTHOR, league):
            raise NotAllowedError(
                "this is for authors of the league: sign up, and give the token of that account."
            )
        return self._store.account(league, identity.author)

    def active_account(self, headers: Mapping[str, str], league: str) -> Account:
        """Return the account of an author who may submit bots."""
        return self._store.active_account(league, self.account(headers, league).name)

    def submission(self, headers: Mapping[str, str], number: str) -> Submission:
        """Return a submission to its author or an organiser."""
        identity = self.holder(headers)
        if not (number.isascii() and number.isdecimal() and len(number) <= LONGEST_NUMBER):
            raise NotFoundError("there is no submission of that number.")
        found = self._store.submission(int(number))
        if identity.role != Role.ORGANISER:
            self._check_own(identity, (found,))
        return found

    def check_bot(self, headers: Mapping[str, str], league: str, name: str) -> None:
        """Refuse everyone but the author of a bot, the bot itself, and organisers."""
        identity = self.holder(headers)
        own = (identity.role, identity.league, identity.entrant) == (Role.ENTRANT, league, name)
        if not own and identity.role != Role.ORGANISER:
            self._check_own(identity, self._store.submissions(league, bot=name, page_size=1).items)
        self._store.entrant(league, name)

    def may_download(self, headers: Mapping[str, str], submissions: tuple[Submission, ...]) -> bool:
        """Return whether the holder of a token, or anyone without one, may have a package."""
        identity = self._store.identify(bearer_token(headers) or "")
        return may_download(self._store, identity, submissions)

    def _check_own(self, identity: Identity, submissions: tuple[Submission, ...]) -> None:
        """Refuse everyone but the author of one of these submissions, whose account is active."""
        authors = {(each.league, each.author) for each in submissions}
        if identity.role != Role.AUTHOR or (identity.league, identity.author) not in authors:
            raise NotAllowedError("this is for the author of the bot, and for organisers.")
        self._store.active_account(identity.league, identity.author)
