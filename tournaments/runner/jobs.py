"""What the runner and its workers say to each other.

Messages are tuples: each is pickled and read again, which takes a dataclass three times as long.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

from engine import Seed
from tournaments.schedule import ScheduledMatch
from tournaments.tournament import Tournament


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """What a worker knows from the beginning."""

    tournament: Tournament
    tables: int
    """How many matches may be played at once."""
    logs: Path
    """The folder for what the bots write on their standard error."""
    mark: str
    """Given to every process that the worker starts, so that all of them can be found."""
    most_idle: int
    """How many bot processes may wait for their next match."""
    tokens: Mapping[str, str] = field(default_factory=dict)
    """The token of each remote entrant; only one worker has them, and listens for these bots."""
    records: Path | None = None
    """The folder of released records, which the listening worker gives out."""


_NOBODY: Final[Mapping[str, str]] = {}


class Job(NamedTuple):
    """One attempt at a match."""

    match: ScheduledMatch
    attempt: int
    seed: Seed
    salt: bytes
    duplicate: bool
    """Whether the deal will be played again."""
    benched: Mapping[str, str] = _NOBODY
    """Why, for each entrant that does not come to the table."""
    suspects: frozenset[str] = frozenset()
    """Entrants whose processes were ended by SIGKILL so often that it now counts as a crash."""

    @property
    def wire_id(self) -> str:
        """The id of the match for bots and records: another attempt is another match."""
        return self.match.id if self.attempt == 1 else f"{self.match.id}-a{self.attempt}"


class Work(NamedTuple):
    """Matches to be played, in that order, whenever a table is free."""

    jobs: tuple[Job, ...]


class Stop(NamedTuple):
    """Play nothing more; what is being played has so many seconds left."""

    grace: float


class Ready(NamedTuple):
    """A worker that waits for jobs."""

    address: str
    """Where remote bots dial in; empty if they do not dial in here."""


class Done(NamedTuple):
    """A match that counts."""

    match: str
    attempt: int
    places: tuple[int, ...]
    scores: tuple[int, ...]
    forfeits: tuple[int, ...]
    used: tuple[float, ...]
    """The seconds that each seat used in all."""
    decisions: int
    seconds: float
    """How long the match took."""
    record: bytes
    """Compressed."""
    faults: tuple[tuple[str, str, str], ...]
    """Entrant, fault and detail of each forfeit."""


class Played(NamedTuple):
    """Matches that count, together: a message costs more than what is in it."""

    matches: tuple[Done, ...]


class Undone(NamedTuple):
    """A match that is void, and will be played again."""

    match: str
    attempt: int
    cause: str
    detail: str
    stopped: bool = False
    """Whether the runner itself wanted it."""
    killed: tuple[str, ...] = ()
    """Entrants whose processes were ended by SIGKILL."""


class Returned(NamedTuple):
    """Matches that were given ahead and have not begun."""

    matches: tuple[str, ...]


class Refused(NamedTuple):
    """A remote bot that was sent away, because it does not play every game of the tournament."""

    sentence: str


class Failed(NamedTuple):
    """A worker that cannot go on."""

    message: str


ToWorker = Work | Stop
FromWorker = Ready | Played | Undone | Returned | Refused | Failed
