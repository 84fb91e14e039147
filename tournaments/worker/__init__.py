"""Plays matches: the match runner, and the worker process that plays those of a tournament."""

from __future__ import annotations

from tournaments.worker.bot_pool import BotPool, PooledBot
from tournaments.worker.channel import Channel
from tournaments.worker.logged_bot import LoggedBot, LoggingLauncher
from tournaments.worker.match_runner import (
    BotLeftError,
    MatchEnding,
    MatchRunner,
    SeatedBot,
    Seats,
    fault_notes,
    league_plan,
    match_plan,
    played_match,
)
from tournaments.worker.messages import (
    BotLog,
    BotRefused,
    Committed,
    FromWorker,
    Heartbeat,
    JobsReturned,
    LeagueBots,
    MatchLog,
    MatchVoided,
    PlayJobs,
    Ready,
    RecallJobs,
    Stop,
    ToWorker,
    WorkerFailed,
    WorkerSettings,
)
from tournaments.worker.seating import Arrivals, gather_arrivals, seats_of
from tournaments.worker.worker import HEARTBEAT, IGNORED, MARK, work

__all__ = [
    "HEARTBEAT", "IGNORED", "MARK", "Arrivals", "BotLeftError", "BotLog", "BotPool", "BotRefused",
    "Channel", "Committed", "FromWorker", "Heartbeat", "JobsReturned", "LeagueBots", "LoggedBot",
    "LoggingLauncher", "MatchEnding", "MatchLog", "MatchRunner", "MatchVoided", "PlayJobs",
    "PooledBot", "Ready", "RecallJobs", "SeatedBot", "Seats", "Stop", "ToWorker", "WorkerFailed",
    "WorkerSettings", "fault_notes", "gather_arrivals", "league_plan", "match_plan",
    "played_match", "seats_of", "work",
]  # fmt: skip
