"""The league server: gRPC services, authentication, managed and hosted bots, client."""

from __future__ import annotations

from tournaments.server.hosted_bots import HOSTED_LIMITS, HostedBots
from tournaments.server.league_client import LeagueClient, NoLeagueServerError
from tournaments.server.league_server import LeagueServer
from tournaments.server.logs import log_to_stderr
from tournaments.server.managed_bots import ManagedBot, ManagedBots, read_managed_bot
from tournaments.server.record_copies import RecordCopies

__all__ = [
    "HOSTED_LIMITS",
    "HostedBots",
    "LeagueClient",
    "LeagueServer",
    "ManagedBot",
    "ManagedBots",
    "NoLeagueServerError",
    "RecordCopies",
    "log_to_stderr",
    "read_managed_bot",
]
