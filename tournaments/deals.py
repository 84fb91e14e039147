"""Where deals come from: everything is a function of a secret and of what is being dealt.

The seed of a deal is HMAC-SHA-256 under the tournament's secret. SHA-256 of the secret is known
before the first match, the secret itself after the last: so everybody can check that no deal was
chosen by hand.
"""

from __future__ import annotations

import hashlib
import hmac

from engine import Seed


def commitment_to_secret(secret: bytes) -> str:
    """Return what is published of a secret before the first match."""
    return hashlib.sha256(secret).hexdigest()


def set_seed(secret: bytes, set_id: str) -> Seed:
    """Return the seed of the deal that all matches of a set share."""
    return Seed(_derived(secret, set_id))


def match_seed(secret: bytes, match: str, attempt: int) -> Seed:
    """Return the seed of a match with a deal of its own; another attempt has another one."""
    return Seed(_derived(secret, f"{match}/{attempt}"))


def match_salt(secret: bytes, match: str, attempt: int) -> bytes:
    """Return the salt of a match's commitment to its deal."""
    return _derived(secret, f"salt/{match}/{attempt}")[:16]


def _derived(secret: bytes, text: str) -> bytes:
    return hmac.digest(secret, text.encode(), "sha256")
