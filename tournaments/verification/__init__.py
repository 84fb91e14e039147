"""Verification of records: in files, of a tournament, of a league."""

from __future__ import annotations

from tournaments.verification.checks import Problem, Report, Source, verify
from tournaments.verification.league import league_of_server, league_of_store, leagues_of_store
from tournaments.verification.record_files import RecordFiles, check_deal, read_secret
from tournaments.verification.tournament import TournamentRecords

__all__ = [
    "Problem", "RecordFiles", "Report", "Source", "TournamentRecords", "check_deal",
    "league_of_server", "league_of_store", "leagues_of_store", "read_secret", "verify",
]  # fmt: skip
