"""Standings and results for other programs: as JSON, in sections, and as rows of CSV files."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

from tournaments.model import LeagueSettings, Result, TableKind, Version
from tournaments.ratings.computation import StandingsRequest, compute_standings
from tournaments.ratings.standings import (
    Estimate,
    Heterogeneity,
    Standing,
    Standings,
    Table,
    TableEffects,
)
from tournaments.ratings.stopping import StopState

Cell = str | int | float | None
Document = dict[str, Any]

DECIMALS = 6
"""More would only show how a machine rounds."""
STANDINGS_VERSION: Final = 5
"""How the numbers are made; docs/reference/standings.md lists the changes."""
HEAD: Final = "head"
RESIDUALS: Final = "residuals"
MOST_PAIRS: Final = 1000
"""How many pairs the residuals of a league have."""
FEWEST_POINTS: Final = 20
MOST_POINTS_IN_SECTION: Final = 20_000
"""How many points the histories in a section have in all, but at least ``FEWEST_POINTS`` each."""
LEADERS: Final = 3
"""How many of the best current versions ``HEAD`` has."""

_LINE: Final[Mapping[str, Callable[[Standing], Cell]]] = {
    "entrant": lambda line: line.entrant,
    "rank": lambda line: line.rank,
    "rank_low": lambda line: line.rank_low,
    "rank_high": lambda line: line.rank_high,
    "mu": lambda line: line.rating.mu,
    "sigma": lambda line: line.rating.sigma,
    "rating": lambda line: line.rating.conservative,
    "matches": lambda line: line.figures.matches,
    "forfeits": lambda line: line.figures.forfeits,
    "mean_place": lambda line: line.figures.mean_place,
    "mean_score": lambda line: line.figures.mean_score,
    "points": lambda line: line.figures.points,
    "wins": lambda line: line.figures.wins,
    "skill": lambda line: line.skill.skill if line.skill else None,
    "skill_low": lambda line: line.skill.low if line.skill else None,
    "skill_high": lambda line: line.skill.high if line.skill else None,
    "groups": lambda line: " ".join(line.groups),
    "seconds": lambda line: line.figures.seconds,
    "seconds_per_match": lambda line: line.figures.seconds_per_match,
}
"""The columns of the standings in a CSV file; all but the times are keys of a line in JSON."""

_SEAT: Final[Mapping[str, Callable[[Result, int], Cell]]] = {
    "match": lambda result, _: result.match,
    "set": lambda result, _: result.set_id,
    "game": lambda result, _: result.game,
    "variant": lambda result, _: result.variant,
    "seats": lambda result, _: result.seats,
    "seat": lambda _, seat: seat,
    "entrant": lambda result, seat: result.entrants[seat],
    "place": lambda result, seat: result.places[seat],
    "score": lambda result, seat: result.scores[seat],
    "forfeited": lambda result, seat: int(seat in result.forfeits),
    "seconds": lambda result, seat: _round(result.used[seat]),
    "decisions": lambda result, _: result.decisions,
}
"""The columns of the matches in a CSV file."""


# One document -----------------------------------------------------------------------------------


def as_json(standings: Standings, generated_at: str, stop: StopState | None = None) -> Document:
    """Return the standings as one object of plain values; ``stop`` of a tournament with a question.

    It has no times: they alone differ when a tournament is repeated with the same moves.
    """
    return {
        **_head(standings),
        "generated_at": generated_at,
        **({"stop": stop.as_json()} if stop else {}),
        **_whole(standings, None),
        "by_game": {game: _whole(standings, game) for game in standings.by_game},
        "versions": {name: _versions(standings, name) for name in standings.versions},
    }


def _whole(standings: Standings, game: str | None) -> Document:
    """Return the tables of a game, or of all games."""
    return {
        **_table(standings.by_game[game] if game else standings.overall),
        "by_seats": {
            str(seats): {
                **_table(table),
                "by_variant": _tables(standings.by_variant(game, seats)),
            }
            for seats, table in standings.by_seats(game).items()
        },
        "by_variant": _tables(standings.by_variant(game)),
    }


def _tables(tables: Mapping[str, Table]) -> Document:
    return {name: _table(table) for name, table in tables.items()}


# Sections ---------------------------------------------------------------------------------------


def as_sections(standings: Standings) -> dict[str, Document]:
    """Return the standings of a league in sections, each of which can be read alone.

    ``HEAD`` has the keys at the top and the best of the current versions, and names the section of
    each part; there is a section for each table, one for each entrant, and one for the residuals of
    pairs. Parts with the same matches share a section.
    """
    sections: dict[str, Document] = {}
    first_name: dict[int, str] = {}
    parts: dict[str, str] = {}
    for part, table in standings.tables.items():
        parts[part.name] = first_name.setdefault(id(table), part.name)
        if parts[part.name] == part.name:
            sections[part.name] = _section(table)
    lines = {line.rated: _with_times(line) for line in standings.overall.standings}
    leaders = [line for line in lines.values() if line["current"] and line["matches"]]
    sections[HEAD] = {**_head(standings), "parts": parts, "leaders": leaders[:LEADERS]}
    sections[RESIDUALS] = _residuals(standings)
    for name in standings.versions:
        sections[entrant_section(name)] = _entrant(standings, name, lines)
    return sections


def recompute_sections(
    stored: Mapping[str, Document], settings: LeagueSettings, results: Sequence[Result]
) -> dict[str, Document]:
    """Compute the sections of a league again, for the versions that the stored ones list.

    Which versions are entered and which are current is the only content of the sections that does
    not follow from the results. Raises KeyError or TypeError if the stored ones do not list them.
    """
    versions = [
        (name.removeprefix(entrant_section("")), version)
        for name, section in stored.items()
        if name.startswith(entrant_section(""))
        for version in section["versions"]
    ]
    entered = [version["rated"] for _, version in versions]
    current = {entrant: version["version"] for entrant, version in versions if version["current"]}
    request = StandingsRequest.of_league(settings, entered, current)
    return as_sections(compute_standings(results, request))


def entrant_section(name: str) -> str:
    """Return the name of the section of an entrant."""
    return f"entrant/{name}"


def _section(table: Table) -> Document:
    """Return a table of a league; with many versions, their histories have fewer points."""
    names = [line.rated for line in table.standings]
    points = max(FEWEST_POINTS, MOST_POINTS_IN_SECTION // max(1, len(names)))
    return {
        **_table(table),
        "standings": [_with_times(line) for line in table.standings],
        "head_to_head": None,
        "history": _history(table, names, points),
    }


def _entrant(standings: Standings, name: str, lines: Mapping[str, Document]) -> Document:
    """Return the versions of an entrant with their lines, opponents and histories."""
    versions = _versions(standings, name)
    rated = [version["rated"] for version in versions]
    return {
        "versions": [{**version, "line": lines.get(version["rated"])} for version in versions],
        "head_to_head": _head_to_head(standings.overall, rated),
        "history": _history(standings.overall, rated),
    }


def _residuals(standings: Standings) -> Document:
    """Return the residuals of pairs, the most striking first."""
    return {
        "tested": len(standings.residuals),
        "pairs": [
            {
                "entrant": pair.entrant,
                "opponent": pair.opponent,
                "sets": pair.sets,
                "observed": _round(pair.observed),
                "expected": _round(pair.expected),
                "z": _round(pair.z),
                "p_value": _round(pair.p_value),
                "striking": pair.is_striking,
                "left_out": pair.left_out,
            }
            for pair in standings.residuals[:MOST_PAIRS]
        ],
    }


# Parts of both ----------------------------------------------------------------------------------


def _head(standings: Standings) -> Document:
    return {
        "standings_version": STANDINGS_VERSION,
        "competition": standings.competition,
        "rating_system": standings.rating_system,
        "draw_probability": dict(standings.draw_probability),
        "trueskill": standings.trueskill and _rounded(standings.trueskill.as_dict()),
        "games": list(standings.overall.games),
    }


def _versions(standings: Standings, name: str) -> list[Document]:
    return [
        {
            "rated": version.rated,
            "version": Version.of(version.rated).version,
            "label": version.label,
            "current": version.current,
            "matches": version.matches,
        }
        for version in standings.versions[name]
    ]


def _table(table: Table) -> Document:
    gain = table.duplicates
    names = [line.rated for line in table.standings]
    return {
        "matches": table.matches,
        "sets": table.sets,
        "tie_rate": _round(table.tie_rate),
        "bootstrap_replicates": table.replicates,
        "confidence": table.confidence,
        "claims": table.claims.value,
        "duplicates": gain
        and {
            "variance_ratio": _round(gain.ratio),
            "low": _round(gain.low),
            "high": _round(gain.high),
            "sets": gain.sets,
        },
        "standings": [_line(line) for line in table.standings],
        "groups": {group.letter: list(group.entrants) for group in table.groups},
        "told_apart": _told_apart(table) if table.above or table.head_to_head else None,
        "above": [[_round(share) for share in row] for row in table.above] or None,
        "cycles": [list(cycle) for cycle in table.cycles],
        "heterogeneity": [_heterogeneity(each) for each in table.heterogeneity],
        "effects": [_effects(each) for each in table.effects],
        "head_to_head": _head_to_head(table, names),
        "history": _history(table, names),
    }


def _heterogeneity(found: Heterogeneity) -> Document:
    return {
        "over": found.over,
        "q": _round(found.q),
        "p": _round(found.p),
        "found": found.is_found,
        "pair": list(found.pair),
        "reversed": found.is_reversed,
        "differences": {name: _estimate(each) for name, each in found.differences.items()},
    }


def read_heterogeneity(document: Document) -> Heterogeneity:
    """Return what a document states of the differences between parts."""
    one, other = document["pair"]
    differences = {name: Estimate(*each) for name, each in document["differences"].items()}
    return Heterogeneity(
        document["over"],
        document["q"],
        document["p"],
        document["found"],
        (one, other),
        document["reversed"],
        differences,
    )


def _effects(effects: TableEffects) -> Document:
    return {
        **effects.kind._asdict(),
        "sets": effects.sets,
        "seat_points": [_estimate(each) for each in effects.seats],
        "neighbour": _estimate(effects.neighbour) if effects.neighbour else None,
    }


def read_effects(document: Document) -> TableEffects:
    """Return what a document states of the seats and neighbours at a kind of table."""
    neighbour = document["neighbour"]
    return TableEffects(
        TableKind(document["game"], document["seats"], document["variant"]),
        document["sets"],
        tuple(Estimate(*each) for each in document["seat_points"]),
        Estimate(*neighbour) if neighbour else None,
    )


def _estimate(estimate: Estimate) -> list[Cell]:
    return [_round(number) for number in estimate]


def _told_apart(table: Table) -> Document:
    """Return for each that is claimed to be better than others their names, by rank.

    Of versions, only the current ones: a league has many others.
    """
    names = [line.rated for line in table.standings if line.current]
    found = {name: [worse for worse in names if table.is_ahead(name, worse)] for name in names}
    return {name: worse for name, worse in found.items() if worse}


def _head_to_head(table: Table, names: Iterable[str]) -> Document:
    return {
        name: {
            other: [meeting.above, meeting.level, meeting.below]
            for other, meeting in table.head_to_head[name].items()
        }
        for name in sorted(names)
        if name in table.head_to_head
    }


def _history(table: Table, names: Iterable[str], most: int | None = None) -> Document:
    """Return the points of each rating: matches of the version, of the table, mu and sigma."""
    found = {}
    for name in sorted(names):
        points = table.history.get(name, ())
        if most is not None and len(points) > most:
            step = -(-(len(points) - 1) // (most - 1))
            points = (*points[:-1:step], points[-1])
        if points:
            found[name] = [
                [point.matches, point.position, _round(point.mu), _round(point.sigma)]
                for point in points
            ]
    return found


def _line(line: Standing) -> Document:
    columns = _LINE.items()
    return {key: _round(of(line)) for key, of in columns if not key.startswith("seconds")} | {
        "groups": list(line.groups),
        "places": list(line.figures.places),
        "above_next": _round(line.above_next),
        "rated": line.rated,
        "label": line.label,
        "version": Version.of(line.rated).version,
        "current": line.current,
        "rank_among_current": line.rank_among_current,
    }


def _with_times(line: Standing) -> Document:
    return _line(line) | {"seconds_per_match": _round(line.figures.seconds_per_match)}


# CSV --------------------------------------------------------------------------------------------


def as_csv_rows(standings: Standings) -> list[list[Cell]]:
    """Return the standings as rows for a CSV file, the names of the columns first.

    The last column is the game. Where there are several, a ranking over all of them, without a
    game, comes before that of each.
    """
    games = standings.overall.games
    tables = {games[0] if len(games) == 1 else None: standings.overall} | standings.by_game
    rows = (
        [*(_round(of(line)) for of in _LINE.values()), game]
        for game, table in tables.items()
        for line in table.standings
    )
    return [[*_LINE, "game"], *rows]


def matches_csv_rows(results: Sequence[Result]) -> list[list[Cell]]:
    """Return results as rows for a CSV file, one for each seat, the names of the columns first."""
    rows = (
        [of(result, seat) for of in _SEAT.values()]
        for result in results
        for seat in range(result.seats)
    )
    return [[*_SEAT], *rows]


def _rounded(cells: Mapping[str, Cell]) -> Document:
    return {name: _round(cell) for name, cell in cells.items()}


def _round(cell: Cell) -> Cell:
    return round(cell, DECIMALS) if isinstance(cell, float) else cell
