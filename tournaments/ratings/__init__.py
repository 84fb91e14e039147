"""Ratings, intervals and standings, as pure functions of the results.

``compute_standings`` makes the ``Standings`` of a competition from its results: ratings by a fold
over the results (``rating_fold``), skills with intervals by a fit of all results at once (``fit``,
``rank_intervals``), and counts (``figures``). ``documents`` writes them as JSON and CSV.
"""

from __future__ import annotations

from tournaments.ratings.claims import FEWEST_SETS
from tournaments.ratings.computation import (
    Checkpoint,
    StandingsRequest,
    compute_standings,
    continue_standings,
)
from tournaments.ratings.divisions import division_table
from tournaments.ratings.documents import (
    HEAD,
    RESIDUALS,
    STANDINGS_VERSION,
    Cell,
    as_csv_rows,
    as_json,
    as_sections,
    entrant_section,
    matches_csv_rows,
    read_effects,
    read_heterogeneity,
    recompute_sections,
)
from tournaments.ratings.expected_sets import settled_share
from tournaments.ratings.figures import half_points
from tournaments.ratings.fit import REPLICATES, fit
from tournaments.ratings.pair_residuals import pair_residuals
from tournaments.ratings.rating_fold import RatingFold
from tournaments.ratings.sequential_test import Comparison, Verdict, compare, set_differences
from tournaments.ratings.standings import (
    Estimate,
    Group,
    Heterogeneity,
    Meeting,
    PairResidual,
    Part,
    Point,
    Rating,
    Skill,
    Standing,
    Standings,
    Table,
    TableEffects,
)
from tournaments.ratings.stopping import StopState, stop_state

__all__ = [
    "FEWEST_SETS",
    "HEAD",
    "REPLICATES",
    "RESIDUALS",
    "STANDINGS_VERSION",
    "Cell",
    "Checkpoint",
    "Comparison",
    "Estimate",
    "Group",
    "Heterogeneity",
    "Meeting",
    "PairResidual",
    "Part",
    "Point",
    "Rating",
    "RatingFold",
    "Skill",
    "Standing",
    "Standings",
    "StandingsRequest",
    "StopState",
    "Table",
    "TableEffects",
    "Verdict",
    "as_csv_rows",
    "as_json",
    "as_sections",
    "compare",
    "compute_standings",
    "continue_standings",
    "division_table",
    "entrant_section",
    "fit",
    "half_points",
    "matches_csv_rows",
    "pair_residuals",
    "read_effects",
    "read_heterogeneity",
    "recompute_sections",
    "set_differences",
    "settled_share",
    "stop_state",
]
