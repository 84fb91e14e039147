"""The standings as tables for a terminal, with notes."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from referee.record import printable
from tournaments.ratings import Standing, Standings
from tournaments.ratings import Table as Rated
from tournaments.report import NOTHING, effects_wording, number, wording

NARROWEST_NAME = 12
"""Names are not cut below this width; columns are dropped instead."""

_GAP = 2


@dataclass(frozen=True, slots=True)
class _Column:
    title: str
    cell: Callable[[Standing], str]
    worth: int
    """Columns with the smallest worth are dropped first."""
    is_text: bool = False

    def width(self, lines: Sequence[Standing]) -> int:
        """Return the width with its gap."""
        return _GAP + max(map(cell_len, [self.title, *map(self.cell, lines)]))


_NAME = _Column("entrant", lambda line: _printable(line.entrant), worth=99, is_text=True)

_SCORE = _Column("score", lambda line: number(line.figures.mean_score, 1), worth=1)
"""Only where all matches are of one game: scores of different games cannot be compared."""

_COLUMNS = (
    _Column("rank", lambda line: str(line.rank or NOTHING), worth=99),
    _Column("95 %", wording.ranks, worth=8),
    _NAME,
    _Column("rating", lambda line: number(line.rating.conservative, 2), worth=99),
    _Column("mu", lambda line: number(line.rating.mu, 2), worth=3),
    _Column("sigma", lambda line: number(line.rating.sigma, 2), worth=4),
    _Column("skill", lambda line: number(line.skill.skill if line.skill else None, 2), worth=10),
    _Column("95 %", wording.skill_interval, worth=7),
    _Column("group", wording.letters, worth=9, is_text=True),
    _Column("matches", lambda line: number(line.figures.matches), worth=11),
    _Column("place", lambda line: number(line.figures.mean_place, 2), worth=5),
    _SCORE,
    _Column("forfeits", lambda line: number(line.figures.forfeits), worth=6),
    _Column("s/match", lambda line: number(line.figures.seconds_per_match, 2), worth=2),
)


def wide_console() -> Console:
    """Return a console for standard output; without a terminal, tables have a fixed width."""
    width = None if sys.stdout.isatty() else 160
    return Console(highlight=False, markup=False, width=width)


def print_standings(standings: Standings, notes: Sequence[str]) -> None:
    """Print the tables, the sentences below them, and further notes."""
    console = wide_console()
    for table in standings_tables(standings, console.width):
        console.print(table)
    for sentence in [*standings_notes(standings), *map(printable, notes)]:
        console.print(sentence)


def standings_tables(standings: Standings, width: int | None = None) -> list[Table]:
    """Return the standings as tables: over all matches, and of each game where there are several.

    With a width, columns that do not fit are dropped.
    """
    tables = [_table(standings.overall, _title(standings), width)]
    if len(standings.by_game) > 1:
        tables += [
            _table(of_game, _game_title(game, of_game), width)
            for game, of_game in standings.by_game.items()
        ]
    return tables


def _table(rated: Rated, title: str, width: int | None) -> Table:
    lines = rated.standings
    table = Table(
        title=Text(_printable(title)),
        title_justify="left",
        title_style="bold",
        box=None,
        padding=(0, 1),
    )
    columns, room = _fitting(rated, width)
    for column in columns:
        table.add_column(
            column.title,
            justify="left" if column.is_text else "right",
            max_width=room if column is _NAME else None,
            no_wrap=True,
        )
    for line in lines:
        style = "" if line.figures.matches else "dim"
        table.add_row(*(Text(column.cell(line)) for column in columns), style=style)
    return table


def standings_notes(standings: Standings) -> list[str]:
    """Return the sentences below the tables."""
    table = standings.overall
    games = standings.by_game if len(standings.by_game) > 1 else {}
    tables = [table, *games.values()]
    notes = [
        f"All games: {wording.lead(table)}" if games else wording.lead(table),
        *(f"{wording.title(game)}: {wording.lead(mine)}" for game, mine in games.items()),
        wording.waiting(table),
        *effects_wording.notes(table),
        *(
            f"{wording.title(game)}: {sentence}"
            for game, mine in games.items()
            for sentence in effects_wording.notes(mine)
        ),
    ]
    if any(len(group.entrants) > 1 for each in tables for group in each.groups):
        notes.append("Entrants that share a letter under group cannot be told apart yet.")
    if len(wording.played(table)) > 1:
        notes.append(wording.claims(table))
    if table.matches:
        notes += [wording.over_all_games(standings), wording.gain(table), wording.draws(standings)]
    return [_printable(note) for note in notes if note]


def _title(standings: Standings) -> str:
    matches = wording.count(standings.overall.matches, "match", "matches")
    games = len(standings.by_game)
    of_games = f" of {games} games" if games > 1 else ""
    return f"{standings.competition}: {matches}{of_games}, {wording.system(standings)}"


def _game_title(game: str, rated: Rated) -> str:
    return f"{wording.title(game)}: {wording.count(rated.matches, 'match', 'matches')}"


def _fitting(rated: Rated, width: int | None) -> tuple[list[_Column], int | None]:
    """Return the columns that fit, and the width that is left for names."""
    lines = rated.standings
    columns = [column for column in _COLUMNS if column is not _SCORE or len(rated.games) < 2]
    if width is None:
        return columns, None
    names = min(_NAME.width(lines), NARROWEST_NAME + _GAP)
    room = width - sum(column.width(lines) for column in columns if column is not _NAME)
    for column in sorted(columns, key=lambda column: column.worth):
        if room >= names or column.worth == _NAME.worth:
            break
        columns.remove(column)
        room += column.width(lines)
    return columns, max(room, names) - _GAP


def _printable(text: str) -> str:
    """Replace control characters."""
    return "".join(
        c if c.isprintable() or c == wording.SPACE else "\N{REPLACEMENT CHARACTER}" for c in text
    )
