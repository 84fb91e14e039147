"""The tournament file: TOML, checked at the door.

``parse_tournament`` makes a ``Tournament`` of a text, or raises one error that names every problem
with its line. ``template`` is a file to begin with, in which each key is explained.
"""

from tournaments.file.keys import KEYS
from tournaments.file.parse import TournamentFileError, parse_tournament, template
from tournaments.tournament import (
    RATINGS,
    Deals,
    Discipline,
    Entrant,
    RunSettings,
    Tournament,
    Variant,
    changes,
)

__all__ = [
    "KEYS",
    "RATINGS",
    "Deals",
    "Discipline",
    "Entrant",
    "RunSettings",
    "Tournament",
    "TournamentFileError",
    "Variant",
    "changes",
    "parse_tournament",
    "template",
]
