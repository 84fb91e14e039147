"""Where deals come from: everything is a function of a secret and of what is being dealt.

The seed of a deal is HMAC-SHA-256 under the tournament's secret. SHA-256 of the secret is known
before the first match, the secret itself after the last: so anyone can check that no deal was
chosen by hand.
"""

from __future__ import annotations

import hashlib
import hmac
import re
from dataclasses import dataclass, field
from enum import StrEnum

from engine import Seed
from tournaments.model.match import Job, ScheduledMatch


class Deals(StrEnum):
    """Which matches share a deal."""

    DUPLICATE = "duplicate"
    """All matches of a duplicate set."""
    FRESH = "fresh"
    """None: each match has a deal of its own."""


@dataclass(frozen=True, slots=True)
class Secret:
    """What the deals of some sets are derived from."""

    number: int
    secret: bytes = field(repr=False)
    published: bool
    """Whether it is public: then no new set is dealt from it."""

    @property
    def commitment(self) -> str:
        """What is published of it before the first match."""
        return commitment_to_secret(self.secret)


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


def job_of(
    match: ScheduledMatch, attempt: int, secret: bytes, *, duplicate: bool, deal_anew: bool = False
) -> Job:
    """Return an attempt at a match with what it is dealt from.

    ``deal_anew`` gives a match of a duplicate set a deal of its own.
    """
    seed = (
        set_seed(secret, match.set_id)
        if duplicate and not deal_anew
        else match_seed(secret, match.id, attempt)
    )
    return Job(match, attempt, seed, match_salt(secret, match.id, attempt), duplicate)


def attempt_id(match: str, attempt: int) -> str:
    """Return the id of an attempt for bots and records: each attempt is another match for them."""
    return match if attempt == 1 else f"{match}-a{attempt}"


def attempt_of(wire_id: str, match: str) -> int | None:
    """Return which attempt at a match has this id in a record, or nothing if none has."""
    found = re.fullmatch(rf"{re.escape(match)}(?:-a([1-9][0-9]{{0,8}}))?", wire_id)
    return None if found is None else int(found[1] or 1)


def possible_seeds(secret: bytes, set_id: str, match: str, attempt: int) -> tuple[Seed, ...]:
    """Return the seeds that a match can have: that of its set, or its own."""
    return set_seed(secret, set_id), match_seed(secret, match, attempt)


def _derived(secret: bytes, text: str) -> bytes:
    return hmac.digest(secret, text.encode(), "sha256")
