"""Authentication of bots on a league server, by tokens of the store."""

from __future__ import annotations

import asyncio
from typing import Final

from referee.transports import AuthenticatedBot, JoinRefusedError, Tokens
from tournaments.model import CompetitionState, EntrantState, InvalidError, NotFoundError, Role
from tournaments.runner import benched_note
from tournaments.store import Store

_OUT: Final = (EntrantState.WITHDRAWN, EntrantState.DISQUALIFIED)


class LeagueAuthenticator:
    """Admits every entrant that may play, and stores the version that it states."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._managed = Tokens()
        """Tokens of the bots that this server starts; they are valid while this process runs."""

    def issue(self, league: str, name: str) -> str:
        """Return a token for a managed bot, valid while this process runs."""
        return self._managed.issue(f"{league}/{name}")

    async def authenticate(self, token: str, version: str) -> AuthenticatedBot | None:
        """Return the bot that holds a token, or None for no entrant; raises JoinRefusedError."""
        return await asyncio.to_thread(self._look_up, token, version)

    def _look_up(self, token: str, version: str) -> AuthenticatedBot | None:
        """Identify the holder of a token; runs in a thread."""
        holder = self._managed.holder(token)
        if holder is not None:
            league, _, name = holder.partition("/")
        else:
            identity = self._store.identify(token)
            if identity.role != Role.ENTRANT:
                return None
            league, name = identity.league, identity.entrant
        self._check(league, name)
        try:
            self._store.see_version(league, name, version)
        except InvalidError as error:
            raise JoinRefusedError("BAD_REQUEST", str(error)) from None
        return AuthenticatedBot(name, league)

    def _check(self, league: str, name: str) -> None:
        """Refuse an entrant that does not take part, with the reason."""
        try:
            entrant = self._store.entrant(league, name)
            state = self._store.league(league).state
        except NotFoundError as error:
            raise JoinRefusedError("NOT_ENTERED", str(error)) from None
        if entrant.state == EntrantState.BENCHED:
            raise JoinRefusedError("BENCHED", benched_note(name, entrant.reason))
        if entrant.state in _OUT:
            raise JoinRefusedError("NOT_ENTERED", f"{name} is {entrant.state}: {entrant.reason}")
        if state == CompetitionState.CLOSED:
            raise JoinRefusedError("LEAGUE_CLOSED", f'the league "{league}" is closed.')
