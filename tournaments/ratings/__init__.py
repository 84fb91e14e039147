"""Who is best: ratings, intervals and tables, as pure functions of the results."""

from tournaments.ratings.export import Cell, as_csv_rows, as_json, matches_csv_rows
from tournaments.ratings.fit import REPLICATES, Fit, fit
from tournaments.ratings.rating import (
    RATING_SYSTEMS,
    RatingSystem,
    draw_probabilities,
    draw_probability,
    history,
    rate,
    rating_system,
    tie_rate,
)
from tournaments.ratings.standings import standings, table
from tournaments.ratings.values import (
    DuplicateGain,
    Figures,
    GameStandings,
    Group,
    Meeting,
    Point,
    Rating,
    Skill,
    Standing,
    Standings,
    Table,
)

__all__ = [
    "RATING_SYSTEMS",
    "REPLICATES",
    "Cell",
    "DuplicateGain",
    "Figures",
    "Fit",
    "GameStandings",
    "Group",
    "Meeting",
    "Point",
    "Rating",
    "RatingSystem",
    "Skill",
    "Standing",
    "Standings",
    "Table",
    "as_csv_rows",
    "as_json",
    "draw_probabilities",
    "draw_probability",
    "fit",
    "history",
    "matches_csv_rows",
    "rate",
    "rating_system",
    "standings",
    "table",
    "tie_rate",
]
