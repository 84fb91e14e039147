"""Plays competitions: the batch run of a tournament and the live run of leagues."""

from __future__ import annotations

from tournaments.runner.batch import BatchRunner
from tournaments.runner.bench import NOT_STARTED, benched_note
from tournaments.runner.cluster_entrants import check_entrants
from tournaments.runner.dispatch import Dispatcher, DispatchListener, ProgressListener
from tournaments.runner.job_source import TournamentJobs
from tournaments.runner.league_context import ServerStatistics
from tournaments.runner.league_manager import LEASE, PRUNING, LeagueManager
from tournaments.runner.live_feed import LiveEvent, LiveTable
from tournaments.runner.seatable import Hosting, MatchCluster, SeatableBot
from tournaments.runner.slots import Slots
from tournaments.runner.standings_worker import worker_pool
from tournaments.runner.tournament_folder import (
    TOML,
    BusyError,
    TournamentFolder,
    at_rest,
    begun,
    file_of,
    is_tournament,
    opened,
    standings_of,
)
from tournaments.runner.worker_jobs import IDLE_BOTS

__all__ = [
    "IDLE_BOTS", "LEASE", "NOT_STARTED", "PRUNING", "TOML", "BatchRunner", "BusyError",
    "DispatchListener", "Dispatcher", "Hosting", "LeagueManager", "LiveEvent", "LiveTable",
    "MatchCluster", "ProgressListener", "SeatableBot", "ServerStatistics", "Slots",
    "TournamentFolder", "TournamentJobs", "at_rest", "begun", "benched_note", "check_entrants",
    "file_of", "is_tournament", "opened", "standings_of", "worker_pool",
]  # fmt: skip
