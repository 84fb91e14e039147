"""Standings and results as rows and as an object for JSON: for other programs."""

from __future__ import annotations

from collections.abc import Sequence

from tournaments.ratings.values import GameStandings, Standing, Standings, Table
from tournaments.results import Result

Cell = str | int | float | None

DECIMALS = 6
"""More would only show how a machine rounds."""

_LINE_KEYS = (
    "entrant",
    "rank",
    "rank_low",
    "rank_high",
    "mu",
    "sigma",
    "rating",
    "matches",
    "forfeits",
    "mean_place",
    "mean_score",
    "points",
    "wins",
    "skill",
    "skill_low",
    "skill_high",
    "groups",
    "seconds",
    "seconds_per_match",
)

_TIMES = ("seconds", "seconds_per_match")

_SEAT_KEYS = (
    "match",
    "set",
    "game",
    "variant",
    "seats",
    "seat",
    "entrant",
    "place",
    "score",
    "forfeited",
    "seconds",
    "decisions",
)


def as_json(standings: Standings, generated_at: str) -> dict[str, object]:
    """Return the standings as an object of plain values; the entrants are sorted by rank."""
    return {
        "tournament": standings.tournament,
        "generated_at": generated_at,
        "rating_system": standings.rating_system,
        "bootstrap_replicates": standings.replicates,
        **_table(standings.overall),
        **_parts(standings),
        "by_game": {
            game: {**_table(of_game.table), **_parts(of_game)}
            for game, of_game in standings.by_game.items()
        },
    }


def _parts(whole: Standings | GameStandings) -> dict[str, object]:
    return {
        "by_seats": {str(seats): _table(table) for seats, table in whole.by_seats.items()},
        "by_variant": {name: _table(table) for name, table in whole.by_variant.items()},
    }


def _table(table: Table) -> dict[str, object]:
    gain = table.duplicates
    return {
        "matches": table.matches,
        "sets": table.sets,
        "tie_rate": _round(table.tie_rate),
        "draw_probability": _round(table.draw_probability),
        "duplicates": gain and {"variance_ratio": _round(gain.ratio), "sets": gain.sets},
        "entrants": [_line_object(line) for line in table.standings],
        "groups": {group.letter: list(group.entrants) for group in table.groups},
        "above": [[_round(share) for share in row] for row in table.above],
        "crosstable": [
            [{"above": cell.above, "level": cell.level, "below": cell.below} for cell in row]
            for row in table.crosstable
        ],
    }


def _line_object(line: Standing) -> dict[str, object]:
    """Return a line without the time used: that alone differs when a tournament is repeated."""
    values = dict[str, object](zip(_LINE_KEYS, _line(line), strict=True))
    for key in _TIMES:
        del values[key]
    return values | {"groups": list(line.groups), "places": list(line.figures.places)}


def as_csv_rows(standings: Standings) -> list[list[Cell]]:
    """Return the standings as rows for a CSV file, the names of the columns first.

    The last column is the game. Where there are several, a ranking over all of them, without a
    game, comes before that of each.
    """
    games = standings.overall.games
    tables = {games[0] if len(games) == 1 else None: standings.overall}
    tables |= {game: of_game.table for game, of_game in standings.by_game.items()}
    return [
        [*_LINE_KEYS, "game"],
        *([*_line(line), game] for game, table in tables.items() for line in table.standings),
    ]


def _line(line: Standing) -> list[Cell]:
    figures, skill = line.figures, line.skill
    cells: list[Cell] = [
        line.entrant,
        line.rank,
        line.rank_low,
        line.rank_high,
        line.rating.mu,
        line.rating.sigma,
        line.rating.conservative,
        figures.matches,
        figures.forfeits,
        figures.mean_place,
        figures.mean_score,
        figures.points,
        figures.wins,
        skill.skill if skill else None,
        skill.low if skill else None,
        skill.high if skill else None,
        " ".join(line.groups),
        figures.seconds,
        figures.seconds_per_match,
    ]
    return [_round(cell) for cell in cells]


def matches_csv_rows(results: Sequence[Result]) -> list[list[Cell]]:
    """Return results as rows for a CSV file, one for each seat, the names of the columns first."""
    return [[*_SEAT_KEYS], *(_seat(result, n) for result in results for n in range(result.seats))]


def _seat(result: Result, seat: int) -> list[Cell]:
    return [
        result.match,
        result.set_id,
        result.game,
        result.variant,
        result.seats,
        seat,
        result.entrants[seat],
        result.places[seat],
        result.scores[seat],
        int(seat in result.forfeits),
        _round(result.used[seat]),
        result.decisions,
    ]


def _round(cell: Cell) -> Cell:
    return round(cell, DECIMALS) if isinstance(cell, float) else cell
