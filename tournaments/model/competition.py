"""Competitions: tournaments and leagues, and what is public about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final, Generic, TypeVar

from tournaments.model.settings import LeagueSettings

T = TypeVar("T")


class Kind(StrEnum):
    """What kind of competition it is."""

    TOURNAMENT = "tournament"
    """Its schedule is finite and known when it begins."""
    LEAGUE = "league"
    """Pairing adds matches while it runs."""


class Claims(StrEnum):
    """At which moments the claims of standings hold with their confidence."""

    FIXED = "fixed"
    """Once: when a schedule that was fixed before is complete."""
    ANYTIME = "anytime"
    """At all moments together, however often they are looked at."""


class CompetitionState(StrEnum):
    """Whether a competition goes on."""

    OPEN = "open"
    CLOSED = "closed"


class Role(StrEnum):
    """What the holder of a token may do."""

    ORGANISER = "organiser"
    """Everything, in every league of the server."""
    ENTRANT = "entrant"
    """What concerns one entrant of one league."""
    AUTHOR = "author"
    """What concerns the bots of one author in one league."""
    ANYONE = "anyone"
    """Read what is public."""


@dataclass(frozen=True, slots=True)
class Competition:
    """A competition as the store has it."""

    id: str
    settings: LeagueSettings
    state: str
    created_at: datetime
    commitment: str
    """SHA-256 of the secret that all its deals are made from."""
    secret: str = ""
    """The secret as hexadecimal digits, once the league is closed and nothing is played any more.

    A league is closed for good: nothing will be dealt from a secret that is published.
    """
    season: int = 0
    """The number of its newest season, or 0."""


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """A part of a long list."""

    items: tuple[T, ...]
    next: str
    """Where the next part begins, or nothing at the end."""


def all_items(read: Callable[[str], Page[T]]) -> Iterator[T]:
    """Yield the items of all pages; ``read`` returns the page that begins at a token."""
    token = ""
    while True:
        page = read(token)
        yield from page.items
        token = page.next
        if not token:
            return


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """A public event: an entrant came or left, a match was annulled, and why."""

    at: datetime
    kind: str
    """created, entered, withdrew, disqualified, annulled, benched, unbenched, closed or season."""
    text: str


@dataclass(frozen=True, slots=True)
class Identity:
    """The holder of a token."""

    role: str
    league: str = ""
    entrant: str = ""
    author: str = ""


ANONYMOUS: Final = Identity(Role.ANYONE)
