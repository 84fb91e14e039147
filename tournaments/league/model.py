"""The vocabulary of a standing league, as values.

Nothing here reads a clock, a file or a database: schedulers, standings, store, host and pages all
speak of these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, Generic, Protocol, TypeVar

from tournaments.league.errors import ConflictError, InvalidError, LeagueError, NotFoundError
from tournaments.league.names import rated_name, split_rated_name
from tournaments.league.settings import Deals, GameRules, LeagueSettings, Scheduler

__all__ = [
    "NOBODY",
    "UNFINISHED",
    "Claim",
    "ConflictError",
    "Deals",
    "Entrant",
    "EntrantState",
    "FaultNote",
    "Finished",
    "GameRules",
    "Identity",
    "InvalidError",
    "JournalEntry",
    "League",
    "LeagueError",
    "LeagueMatch",
    "LeagueSettings",
    "LeagueState",
    "MatchState",
    "NotFoundError",
    "Over",
    "Page",
    "PlannedSet",
    "Role",
    "Scheduler",
    "SeatResult",
    "rated_name",
    "split_rated_name",
]

T = TypeVar("T")


class LeagueState(StrEnum):
    """Whether a league goes on."""

    OPEN = "open"
    CLOSED = "closed"


class EntrantState(StrEnum):
    """Whether an entrant is seated, and if not, why."""

    ACTIVE = "active"
    WITHDRAWN = "withdrawn"
    """By its author: what it played counts."""
    DISQUALIFIED = "disqualified"
    """By the organiser: nothing that it played counts."""
    BENCHED = "benched"
    """After repeated faults, until its author or the organiser says that it is well again."""


class MatchState(StrEnum):
    """How far a match is."""

    SCHEDULED = "scheduled"
    RUNNING = "running"
    """A server has claimed it, and holds it as long as it renews its lease."""
    PLAYED = "played"
    ANNULLED = "annulled"
    """It was played, and the organiser took it out of the standings."""
    DROPPED = "dropped"
    """It will not be played: somebody left before, or the round was abandoned."""


UNFINISHED: Final = (MatchState.SCHEDULED, MatchState.RUNNING)
"""While a set has a match in one of these states, nobody sees its records."""


class Role(StrEnum):
    """What somebody may do."""

    ORGANISER = "organiser"
    """Everything, in every league of the server."""
    ENTRANT = "entrant"
    """What concerns one entrant of one league."""
    ANYONE = "anyone"
    """Read what is public."""


@dataclass(frozen=True, slots=True)
class League:
    """A standing league."""

    id: str
    settings: LeagueSettings
    state: str
    created_at: datetime
    commitment: str
    """SHA-256 of the secret that all its deals are made from."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot's name in one league."""

    id: int
    league: str
    name: str
    author: str
    state: str
    reason: str
    """Why it is withdrawn, disqualified or benched; everybody may read it."""
    entered_at: datetime
    versions: tuple[str, ...]
    """In the order in which they were first seen."""

    def shown(self, version: str) -> str:
        """Return what people call a version: by its number only if there are several."""
        several = len(self.versions) > 1
        return rated_name(self.name, version) if several else self.name


@dataclass(frozen=True, slots=True)
class SeatResult:
    """Who sat there, and what came of it; the rest is empty until the match was played."""

    entrant: str
    version: str
    place: int | None = None
    score: int | None = None
    forfeit: bool = False
    used: float = 0.0
    """How many seconds it used in all."""

    @property
    def rated(self) -> str:
        """How ratings know it."""
        return rated_name(self.entrant, self.version)


@dataclass(frozen=True, slots=True)
class LeagueMatch:
    """A match of a league, in whatever state."""

    id: str
    """The id of its set, a hyphen, and the number of the seating from 1."""
    league: str
    set_id: str
    position: int
    """Where it stands in the schedule of its league, from 1."""
    game: str
    variant: str
    seats: tuple[SeatResult, ...]
    state: str
    attempt: int
    """The attempt that is being made or comes next; the one that counts if it was played."""
    scheduled_at: datetime
    started_at: datetime | None
    ended_at: datetime | None
    ending: str
    decisions: int
    why: str
    """Why the scheduler chose this table."""
    annulled: str
    """The reason, if it is annulled."""
    released: bool
    """Whether everybody may read its record: it was played, and so was the rest of its set."""
    round: int | None = None
    """Of which round it is, where there are rounds."""
    server: str | None = None
    """Who plays it or has played it; while it waits, who sees to it that that is not in vain."""


@dataclass(frozen=True, slots=True)
class PlannedSet:
    """A table that a scheduler wants: one deal, in as many seatings as the league plays it."""

    game: str
    variant: str
    table: tuple[tuple[str, str], ...]
    """Entrants with their versions, in the order of the seats of the first match."""
    why: str
    round: int | None = None


class Over(Protocol):
    """What the referee says of a match that is over."""

    @property
    def ending(self) -> str:
        """Why it ended."""

    @property
    def places(self) -> Sequence[int]:
        """By seat."""

    @property
    def scores(self) -> Sequence[int]:
        """By seat."""

    @property
    def forfeits(self) -> Sequence[int]:
        """The seats that forfeited."""

    @property
    def used(self) -> Sequence[timedelta]:
        """By seat."""

    @property
    def decisions(self) -> int:
        """How many there were."""


@dataclass(frozen=True, slots=True)
class Finished:
    """What came of a match that counts; everything that has one entry per seat is by seat."""

    ending: str
    places: tuple[int, ...]
    scores: tuple[int, ...]
    forfeits: tuple[int, ...]
    """The seats that forfeited."""
    used: tuple[float, ...]
    """The seconds that each seat used in all."""
    decisions: int

    @classmethod
    def of(cls, over: Over) -> Finished:
        """Take what counts from what the referee says."""
        return cls(
            over.ending,
            tuple(over.places),
            tuple(over.scores),
            tuple(map(int, over.forfeits)),
            tuple(used.total_seconds() for used in over.used),
            over.decisions,
        )


@dataclass(frozen=True, slots=True)
class Claim:
    """A match that a server has to itself, and what it is dealt from."""

    match: LeagueMatch
    attempt: int
    seed: bytes = field(repr=False)
    salt: bytes = field(repr=False)
    reveal_seed: bool
    """Whether bots may know the seed at the end: not if the deal is played again."""


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """A part of a long list."""

    items: tuple[T, ...]
    next: str
    """Where the next part begins, or nothing at the end."""


@dataclass(frozen=True, slots=True)
class FaultNote:
    """Something that an entrant did wrong in a match, or that was done to it."""

    match: str
    entrant: str
    fault: str
    cause: str
    detail: str
    at: datetime


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """Something that everybody may know: who came, who left, what was annulled and why."""

    league: str
    at: datetime
    kind: str
    """created, entered, withdrew, disqualified, annulled, benched, unbenched or closed."""
    text: str


@dataclass(frozen=True, slots=True)
class Identity:
    """Who somebody is, by the token that they gave."""

    role: str
    league: str = ""
    entrant: str = ""


NOBODY: Final = Identity(Role.ANYONE)
