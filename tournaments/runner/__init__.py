"""Plays competitions: the batch run of a tournament and the live run of leagues."""

from __future__ import annotations

from tournaments.runner.batch import BatchRunner
from tournaments.runner.bench import NOT_STARTED, benched_note
from tournaments.runner.dispatch import ProgressListener
from tournaments.runner.league_context import ServerStatistics
from tournaments.runner.league_manager import LEASE, LeagueManager
from tournaments.runner.live_feed import LiveEvent, LiveTable
from tournaments.runner.local_processes import IDLE_BOTS
from tournaments.runner.seatable import Hosting, SeatableBot
from tournaments.runner.slots import Slots
from tournaments.runner.standings_worker import worker_pool
from tournaments.runner.tournament_folder import (
    BusyError,
    TournamentFolder,
    at_rest,
    begun,
    file_of,
    is_tournament,
    opened,
    standings_of,
)

__all__ = [
    "IDLE_BOTS", "LEASE", "NOT_STARTED", "BatchRunner", "BusyError", "Hosting", "LeagueManager",
    "LiveEvent", "LiveTable", "ProgressListener", "SeatableBot", "ServerStatistics", "Slots",
    "TournamentFolder", "at_rest", "begun", "benched_note", "file_of", "is_tournament", "opened",
    "standings_of", "worker_pool",
]  # fmt: skip
