"""One match: seats, clocks, verdicts, record.

The door opens lazily: whoever only reads records need not wait for gRPC to load.
"""

from __future__ import annotations

import os
from importlib import import_module
from typing import TYPE_CHECKING, Any

# Whoever starts a bot forks, and the child becomes another program at once. What gRPC does in a
# child for one that stays kills some of them on their way, and must be off before gRPC is loaded.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

if TYPE_CHECKING:
    from referee.bots import Bot, BotSpec, LocalBot, NoShowError, Stage, Transport
    from referee.clock import Clock, TimeControl
    from referee.lag import LagMeter
    from referee.player import EmptySeat, InProcessPlayer, MatchPlan, Player, Question
    from referee.policy import Cause, Fault, Policy, Reaction
    from referee.processes import BotCommand, BotStartError, ProcessLimits
    from referee.record import (
        RecordError,
        RecordWriteError,
        read_record,
        verify_record,
        write_record,
    )
    from referee.server import Limits, ListenError, RefereeServer, Tls
    from referee.table import Absence, MatchResult, Table, Watch

__all__ = [
    "Absence",
    "Bot",
    "BotCommand",
    "BotSpec",
    "BotStartError",
    "Cause",
    "Clock",
    "EmptySeat",
    "Fault",
    "InProcessPlayer",
    "LagMeter",
    "Limits",
    "ListenError",
    "LocalBot",
    "MatchPlan",
    "MatchResult",
    "NoShowError",
    "Player",
    "Policy",
    "ProcessLimits",
    "Question",
    "Reaction",
    "RecordError",
    "RecordWriteError",
    "RefereeServer",
    "Stage",
    "Table",
    "TimeControl",
    "Tls",
    "Transport",
    "Watch",
    "read_record",
    "verify_record",
    "write_record",
]

_HOMES = {
    "Absence": "table",
    "Bot": "bots",
    "BotCommand": "processes",
    "BotSpec": "bots",
    "BotStartError": "processes",
    "Cause": "policy",
    "Clock": "clock",
    "EmptySeat": "player",
    "Fault": "policy",
    "InProcessPlayer": "player",
    "LagMeter": "lag",
    "Limits": "server",
    "ListenError": "server",
    "LocalBot": "bots",
    "MatchPlan": "player",
    "MatchResult": "table",
    "NoShowError": "bots",
    "Player": "player",
    "Policy": "policy",
    "ProcessLimits": "processes",
    "Question": "player",
    "Reaction": "policy",
    "RecordError": "record",
    "RecordWriteError": "record",
    "RefereeServer": "server",
    "Stage": "bots",
    "Table": "table",
    "TimeControl": "clock",
    "Tls": "server",
    "Transport": "bots",
    "Watch": "table",
    "read_record": "record",
    "verify_record": "record",
    "write_record": "record",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for when it is asked for."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
