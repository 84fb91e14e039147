"""Tokens: random, kept only as hashes, compared in constant time."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from engine import HighstreetError


class Guest(NamedTuple):
    """Whose token somebody showed at the door."""

    entrant: str
    league: str = ""
    """In which league; empty where there is only one of everybody."""


class TurnedAwayError(HighstreetError):
    """Somebody whose token is known, and who does not come in all the same."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        """A value of ErrorReason, without its prefix."""


class Doorman(Protocol):
    """Decides who comes in."""

    async def admit(self, token: str, version: str, peer: str) -> Guest | None:
        """Return whose token that is, and nothing if nobody's; raises TurnedAwayError.

        The bot says that it has that version; the peer is where the connection comes from.
        """


def new_token() -> str:
    """Return a fresh secret of 256 random bits."""
    return secrets.token_urlsafe(32)


def hashed(token: str) -> bytes:
    """Return what is kept of a token. It is random, so a plain hash needs no salt."""
    return hashlib.sha256(token.encode()).digest()


@dataclass(frozen=True, slots=True)
class Tokens:
    """Who holds which tokens, as hashes."""

    holders: dict[bytes, str] = field(default_factory=dict)
    """The entrant for each hash."""

    def issue(self, entrant: str) -> str:
        """Give an entrant a token, beside those it has; only its hash stays here."""
        token = new_token()
        self.holders[hashed(token)] = entrant
        return token

    def revoke(self, token: str) -> None:
        """Accept a token no more."""
        self.holders.pop(hashed(token), None)

    async def admit(self, token: str, version: str, peer: str) -> Guest | None:  # noqa: ARG002
        """Let everybody in whose token is known."""
        entrant = self.holder(token)
        return None if entrant is None else Guest(entrant)

    def holder(self, token: str) -> str | None:
        """Return whose token that is, taking the same time whoever it is."""
        given, found = hashed(token), None
        for known, entrant in self.holders.items():
            if hmac.compare_digest(given, known):
                found = entrant
        return found
