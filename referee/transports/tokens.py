"""Tokens of bots: random, stored as hashes only, compared in constant time."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol, TypeVar

from engine import HighstreetError

T = TypeVar("T")


class AuthenticatedBot(NamedTuple):
    """The owner of a token."""

    entrant: str
    league: str = ""
    """The league; empty for a server without leagues."""


class JoinRefusedError(HighstreetError):
    """A bot with a known token that may not join."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason
        """The name of a value of ErrorReason, without its prefix."""


class Authenticator(Protocol):
    """Decides which bots may join."""

    async def authenticate(self, token: str, version: str) -> AuthenticatedBot | None:
        """Return the owner of a token, None if it is unknown; raises JoinRefusedError.

        ``version`` is the ``bot_version`` of the join.
        """


def new_token() -> str:
    """Return a fresh secret of 256 random bits."""
    return secrets.token_urlsafe(32)


def hashed(token: str) -> bytes:
    """Return the stored form of a token. A token is random, so the hash needs no salt."""
    return hashlib.sha256(token.encode()).digest()


def derived_token(key: bytes, name: str) -> str:
    """Return the token of an entrant under a secret key: the same whenever it is asked for."""
    return hmac.new(key, name.encode(), hashlib.sha256).hexdigest()


def find_holder(token: str, holders: Mapping[bytes, T]) -> T | None:
    """Return the holder of a token by its hash; every hash is compared, in constant time."""
    given, found = hashed(token), None
    for known, holder in holders.items():
        if hmac.compare_digest(given, known):
            found = holder
    return found


@dataclass(frozen=True, slots=True)
class Tokens:
    """The tokens that a server has issued, as hashes."""

    holders: dict[bytes, str] = field(default_factory=dict)
    """The entrant of each hash."""

    def issue(self, entrant: str) -> str:
        """Return a new token of an entrant, in addition to its others; only the hash is stored."""
        token = new_token()
        self.holders[hashed(token)] = entrant
        return token

    def revoke(self, token: str) -> None:
        """Make a token invalid."""
        self.holders.pop(hashed(token), None)

    async def authenticate(
        self,
        token: str,
        version: str,  # noqa: ARG002  any version may join
    ) -> AuthenticatedBot | None:
        """Return the owner of a token, None if it is unknown."""
        entrant = self.holder(token)
        return None if entrant is None else AuthenticatedBot(entrant)

    def holder(self, token: str) -> str | None:
        """Return the entrant of a token, in constant time."""
        return find_holder(token, self.holders)
