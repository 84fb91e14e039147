"""What the runner and its workers say to each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from engine import Seed
from tournaments.results import Result
from tournaments.schedule import ScheduledMatch
from tournaments.tournament import Tournament


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """What a worker knows from the beginning."""

    tournament: Tournament
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


@dataclass(frozen=True, slots=True)
class Job:
    """One attempt at a match."""

    match: ScheduledMatch
    attempt: int
    seed: Seed
    salt: bytes
    duplicate: bool
    """Whether the deal will be played again."""
    benched: Mapping[str, str] = field(default_factory=dict)
    """Why, for each entrant that does not come to the table."""
    suspects: frozenset[str] = frozenset()
    """Entrants whose processes were ended by SIGKILL so often that it now counts as a crash."""

    @property
    def wire_id(self) -> str:
        """The id of the match for bots and records: another attempt is another match."""
        return self.match.id if self.attempt == 1 else f"{self.match.id}-a{self.attempt}"


@dataclass(frozen=True, slots=True)
class Stop:
    """Play nothing more; what is being played has so many seconds left."""

    grace: float


@dataclass(frozen=True, slots=True)
class Ready:
    """A worker that waits for jobs."""

    address: str
    """Where remote bots dial in; empty if they do not dial in here."""


@dataclass(frozen=True, slots=True)
class Done:
    """A match that counts."""

    match: str
    attempt: int
    result: Result
    seconds: float
    record: bytes
    """Compressed."""
    faults: tuple[tuple[str, str, str], ...]
    """Entrant, fault and detail of each forfeit."""


@dataclass(frozen=True, slots=True)
class Undone:
    """A match that is void, and will be played again."""

    match: str
    attempt: int
    cause: str
    detail: str
    stopped: bool = False
    """Whether the runner itself wanted it."""
    killed: tuple[str, ...] = ()
    """Entrants whose processes were ended by SIGKILL."""


@dataclass(frozen=True, slots=True)
class Refused:
    """A remote bot that was sent away, because it does not play every game of the tournament."""

    sentence: str


@dataclass(frozen=True, slots=True)
class Failed:
    """A worker that cannot go on."""

    message: str


ToWorker = Job | Stop
FromWorker = Ready | Done | Undone | Refused | Failed
