"""Plays matches: the match runner, and the worker process that plays those of a tournament."""

from __future__ import annotations

from tournaments.worker.bot_pool import BotPool, PooledBot
from tournaments.worker.channel import Channel
from tournaments.worker.match_runner import (
    BotLeftError,
    MatchEnding,
    MatchRunner,
    SeatedBot,
    Seats,
    match_plan,
    played_match,
)
from tournaments.worker.messages import (
    BotRefused,
    Committed,
    FromWorker,
    Heartbeat,
    JobsReturned,
    MatchVoided,
    PlayJobs,
    Ready,
    RecallJobs,
    Stop,
    WorkerFailed,
    WorkerSettings,
)
from tournaments.worker.seating import Arrivals, gather_arrivals, seats_of
from tournaments.worker.worker import HEARTBEAT, IGNORED, MARK, work

__all__ = [
    "HEARTBEAT", "IGNORED", "MARK", "Arrivals", "BotLeftError", "BotPool", "BotRefused", "Channel",
    "Committed", "FromWorker", "Heartbeat", "JobsReturned", "MatchEnding", "MatchRunner",
    "MatchVoided", "PlayJobs", "PooledBot", "Ready", "RecallJobs", "SeatedBot", "Seats", "Stop",
    "WorkerFailed", "WorkerSettings", "gather_arrivals", "match_plan", "played_match", "seats_of",
    "work",
]  # fmt: skip
