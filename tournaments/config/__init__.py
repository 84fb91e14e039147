"""Files of tournaments, leagues, packages and servers: TOML, with the line of every mistake."""

from __future__ import annotations

from tournaments.config.league_file import parse_league
from tournaments.config.manifest_file import parse_manifest
from tournaments.config.schema import is_entrant_name
from tournaments.config.server_file import parse_server
from tournaments.config.toml_reader import SettingsFileError
from tournaments.config.tournament_file import entrant_error, parse_tournament, template

__all__ = [
    "SettingsFileError",
    "entrant_error",
    "is_entrant_name",
    "parse_league",
    "parse_manifest",
    "parse_server",
    "parse_tournament",
    "template",
]
