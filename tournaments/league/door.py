"""The door of a league server: who comes in to play, by a token that the store knows."""

from __future__ import annotations

import asyncio
from typing import Final

from referee.tokens import Guest, Tokens, TurnedAwayError, hashed
from tournaments.league.gate import JOINS, OF_ADDRESS, Buckets, TooFastError, address_of
from tournaments.league.model import (
    EntrantState,
    InvalidError,
    LeagueState,
    NotFoundError,
    Role,
)
from tournaments.league.store import LeagueStore

_OUT: Final = (EntrantState.WITHDRAWN, EntrantState.DISQUALIFIED)


class LeagueDoor:
    """Lets in every entrant who may play, and notes the version that it says it has."""

    def __init__(self, store: LeagueStore) -> None:
        self._store = store
        self._house = Tokens()
        """Of the bots that this machine runs itself; they end with this process."""
        self._joins = Buckets(JOINS)
        self._addresses = Buckets(OF_ADDRESS)

    def issue(self, league: str, name: str) -> str:
        """Return a token for a bot of the house, good for as long as this process runs."""
        return self._house.issue(f"{league}/{name}")

    async def admit(self, token: str, version: str, peer: str) -> Guest | None:
        """Return whose token that is; raises TurnedAwayError."""
        try:
            wait = self._addresses.take(address_of(peer))
            self._joins.take(hashed(token).hex())
        except TooFastError as error:
            raise TurnedAwayError("TOO_MANY_REQUESTS", str(error)) from None
        await asyncio.sleep(wait)
        return await asyncio.to_thread(self._look_up, token, version)

    def _look_up(self, token: str, version: str) -> Guest | None:
        """Find out who somebody is; this runs beside the loop."""
        holder = self._house.holder(token)
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
            raise TurnedAwayError("BAD_REQUEST", str(error)) from None
        return Guest(name, league)

    def _check(self, league: str, name: str) -> None:
        """Refuse whoever does not take part, and say why."""
        try:
            entrant = self._store.entrant(league, name)
            state = self._store.league(league).state
        except NotFoundError as error:
            raise TurnedAwayError("NOT_ENTERED", str(error)) from None
        if entrant.state == EntrantState.BENCHED:
            raise TurnedAwayError("BENCHED", benched_note(name, entrant.reason))
        if entrant.state in _OUT:
            raise TurnedAwayError("NOT_ENTERED", f"{name} is {entrant.state}: {entrant.reason}")
        if state == LeagueState.CLOSED:
            raise TurnedAwayError("LEAGUE_CLOSED", f'the league "{league}" is closed.')


def benched_note(name: str, reason: str) -> str:
    """Say to an author why the bot is not seated, and what helps."""
    return (
        f"{name} is benched: {reason} When it is mended, say so with "
        "`highstreet league unbench` and dial in again."
    )
