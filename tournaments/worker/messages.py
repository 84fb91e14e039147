"""The messages between the runner and its workers.

Messages are named tuples: pickling a dataclass takes three times as long.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from referee.model import BotSpec
from tournaments.model import (
    DeathKind,
    Job,
    LeagueSettings,
    PlayedMatch,
    TournamentSettings,
    VoidAttempt,
)


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """The settings with which a worker starts."""

    tournament: TournamentSettings
    """One without entrants for matches of leagues, whose bots come with ``LeagueBots``."""
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
    most_waiting: int = 0
    """How many matches may wait for their commit without taking a table."""
    machine: Mapping[str, object] = field(default_factory=dict)
    """What the heads of records state of a machine that is not the runner's."""


# From the runner to a worker ----------------------------------------------------------------------


class PlayJobs(NamedTuple):
    """Play matches in this order, as tables become free."""

    jobs: tuple[Job, ...]


class LeagueBots(NamedTuple):
    """Know these bots of a league; sent before the jobs in which they play."""

    league: str
    settings: LeagueSettings
    specs: Mapping[str, BotSpec]
    """By the name of the version."""
    packages: Mapping[str, str]
    """The SHA-256 of the package of each."""


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


class MatchLog(NamedTuple):
    """What a bot of a league wrote to its standard error in a match: the end of it."""

    match: str
    bot: str
    """The name of the version."""
    text: str


class BotLog(NamedTuple):
    """What a bot of a tournament wrote to its standard error since the last of these."""

    entrant: str
    data: bytes


class JobsReturned(NamedTuple):
    """Jobs that have not begun, by the ids of their matches."""

    matches: tuple[str, ...]


class BotRefused(NamedTuple):
    """A remote bot does not play a game for which it is scheduled."""

    message: str


class Heartbeat(NamedTuple):
    """The event loop of the worker runs."""

    lag: float = 0.0
    """How many seconds late the loop was since the last heartbeat."""


class WorkerFailed(NamedTuple):
    """The worker cannot go on."""

    message: str


ToWorker = PlayJobs | LeagueBots | RecallJobs | Committed | Stop
FromWorker = (
    Ready
    | PlayedMatch
    | MatchVoided
    | MatchLog
    | BotLog
    | JobsReturned
    | BotRefused
    | Heartbeat
    | WorkerFailed
)
