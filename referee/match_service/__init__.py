"""Finished matches and their records over gRPC: service, client, downloads into a folder."""

from __future__ import annotations

from referee.match_service.background_work import BackgroundWork
from referee.match_service.client import DownloadError, RecordClient
from referee.match_service.download import Downloads, Tally
from referee.match_service.service import SERVICE, MatchService

__all__ = [
    "SERVICE",
    "BackgroundWork",
    "DownloadError",
    "Downloads",
    "MatchService",
    "RecordClient",
    "Tally",
]
