"""The messages between the runner and its workers.

Messages are named tuples: pickling a dataclass takes three times as long.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from tournaments.model import DeathKind, Job, PlayedMatch, TournamentSettings, VoidAttempt


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """The settings with which a worker starts."""

    tournament: TournamentSettings
    tables: int
    """How many matches the worker plays at once."""
    logs: Path
    """The folder for the standard error of the bots."""
    mark: str
    """An environment variable of every process that the worker starts, by which they are found."""
    most_idle: int
    """How many bot processes may wait for their next match."""
    tokens: Mapping[str, str] = field(default_factory=dict)
    """The token of each remote entrant; only one worker has them, and listens for these bots."""
    records: Path | None = None
    """The folder of released records, which the listening worker serves."""


# From the runner to a worker ----------------------------------------------------------------------


class PlayJobs(NamedTuple):
    """Play matches in this order, as tables become free."""

    jobs: tuple[Job, ...]


class RecallJobs(NamedTuple):
    """Return the jobs that have not begun."""


class Committed(NamedTuple):
    """The results of matches are committed: their bots may be notified."""

    matches: tuple[str, ...]


class Stop(NamedTuple):
    """Begin no more matches, and end those in play after ``grace`` seconds."""

    grace: float


# From a worker to the runner ----------------------------------------------------------------------


class Ready(NamedTuple):
    """The worker takes jobs."""

    address: str
    """Where remote bots connect; empty for a worker that does not listen for them."""


class MatchVoided(NamedTuple):
    """An attempt that does not count."""

    void: VoidAttempt
    stopped: bool = False
    """Whether the worker was asked to stop."""
    deaths: tuple[tuple[DeathKind, str], ...] = ()
    """Bot processes that died or were stopped, each with its entrant."""


class JobsReturned(NamedTuple):
    """Jobs that have not begun, by the ids of their matches."""

    matches: tuple[str, ...]


class BotRefused(NamedTuple):
    """A remote bot does not play a game for which it is scheduled."""

    message: str


class Heartbeat(NamedTuple):
    """The event loop of the worker runs."""


class WorkerFailed(NamedTuple):
    """The worker cannot go on."""

    message: str


ToWorker = PlayJobs | RecallJobs | Committed | Stop
FromWorker = (
    Ready | PlayedMatch | MatchVoided | JobsReturned | BotRefused | Heartbeat | WorkerFailed
)
