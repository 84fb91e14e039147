"""Tokens: random, kept only as hashes, compared in constant time."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from dataclasses import dataclass, field


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

    def holder(self, token: str) -> str | None:
        """Return whose token that is, taking the same time whoever it is."""
        given, found = hashed(token), None
        for known, entrant in self.holders.items():
            if hmac.compare_digest(given, known):
                found = entrant
        return found
