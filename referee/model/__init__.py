"""Values that every part of the referee uses: time control, policy, bot commands, events."""

from __future__ import annotations

from referee.model.bot import BotCommand, BotSpec, ProcessLimits, Transport
from referee.model.clock import (
    LONGEST,
    WALL_FACTOR,
    WALL_GRACE,
    ZERO,
    Clock,
    ClockKind,
    TimeControl,
)
from referee.model.event_log import EventBatch, EventBatches, EventLog, flatten
from referee.model.policy import MOST, Cause, Fault, Policy, Reaction
from referee.model.sandbox import (
    SYSTEM,
    Mount,
    Runtime,
    SandboxKind,
    SandboxLimits,
    SandboxSettings,
)

__all__ = [
    "LONGEST",
    "MOST",
    "SYSTEM",
    "WALL_FACTOR",
    "WALL_GRACE",
    "ZERO",
    "BotCommand",
    "BotSpec",
    "Cause",
    "Clock",
    "ClockKind",
    "EventBatch",
    "EventBatches",
    "EventLog",
    "Fault",
    "Mount",
    "Policy",
    "ProcessLimits",
    "Reaction",
    "Runtime",
    "SandboxKind",
    "SandboxLimits",
    "SandboxSettings",
    "TimeControl",
    "Transport",
    "flatten",
]
