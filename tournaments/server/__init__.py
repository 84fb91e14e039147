"""The league server: gRPC services, authentication, managed and hosted bots, client."""

from __future__ import annotations

from tournaments.server.hosted_bots import HOSTED_LIMITS, HostedBots
from tournaments.server.league_client import LeagueClient
from tournaments.server.league_server import LeagueServer
from tournaments.server.logs import log_to_stderr
from tournaments.server.managed_bots import ManagedBot, ManagedBots, read_managed_bot
from tournaments.server.record_copies import RecordCopies
from tournaments.server.service_client import LeagueClientError, NoLeagueServerError
from tournaments.server.store_service import ENTRIES
from tournaments.server.submission_client import SubmissionClient
from tournaments.server.submission_service import PackageIntake

__all__ = [
    "ENTRIES",
    "HOSTED_LIMITS",
    "HostedBots",
    "LeagueClient",
    "LeagueClientError",
    "LeagueServer",
    "ManagedBot",
    "ManagedBots",
    "NoLeagueServerError",
    "PackageIntake",
    "RecordCopies",
    "SubmissionClient",
    "log_to_stderr",
    "read_managed_bot",
]
