"""Ratings, intervals and standings, as pure functions of the results.

``compute_standings`` makes the ``Standings`` of a competition from its results: ratings by a fold
over the results (``rating_fold``), skills with intervals by a fit of all results at once (``fit``,
``rank_intervals``), and counts (``figures``). ``documents`` writes them as JSON and CSV.
"""

from __future__ import annotations

from tournaments.ratings.computation import (
    Checkpoint,
    StandingsRequest,
    compute_standings,
    continue_standings,
)
from tournaments.ratings.documents import (
    HEAD,
    STANDINGS_VERSION,
    Cell,
    as_csv_rows,
    as_json,
    as_sections,
    entrant_section,
    matches_csv_rows,
    recompute_sections,
)
from tournaments.ratings.fit import REPLICATES, fit
from tournaments.ratings.rank_intervals import SEPARATE
from tournaments.ratings.rating_fold import RatingFold
from tournaments.ratings.standings import (
    Group,
    Meeting,
    Part,
    Point,
    Rating,
    Skill,
    Standing,
    Standings,
    Table,
)

__all__ = [
    "HEAD",
    "REPLICATES",
    "SEPARATE",
    "STANDINGS_VERSION",
    "Cell",
    "Checkpoint",
    "Group",
    "Meeting",
    "Part",
    "Point",
    "Rating",
    "RatingFold",
    "Skill",
    "Standing",
    "Standings",
    "StandingsRequest",
    "Table",
    "as_csv_rows",
    "as_json",
    "as_sections",
    "compute_standings",
    "continue_standings",
    "entrant_section",
    "fit",
    "matches_csv_rows",
    "recompute_sections",
]
