"""The standings as a terminal shows them: a table that fits, and notes below it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from tournaments.ratings import Standing, Standings
from tournaments.report import wording
from tournaments.report.wording import NOTHING, number

NARROWEST_NAME = 12
"""Names are cut to no less than this; before that, columns go."""

_GAP = 2


@dataclass(frozen=True, slots=True)
class _Column:
    title: str
    cell: Callable[[Standing], str]
    worth: int
    """Where there is no room for all, those with the smallest go first."""
    is_text: bool = False

    def width(self, lines: Sequence[Standing]) -> int:
        """Return how much room it takes."""
        return _GAP + max(map(cell_len, [self.title, *map(self.cell, lines)]))


_NAME = _Column("entrant", lambda line: _printable(line.entrant), worth=99, is_text=True)

_COLUMNS = (
    _Column("rank", lambda line: str(line.rank) if line.figures.matches else NOTHING, worth=99),
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
    _Column("score", lambda line: number(line.figures.mean_score, 1), worth=1),
    _Column("forfeits", lambda line: number(line.figures.forfeits), worth=6),
    _Column("s/match", lambda line: number(line.figures.seconds_per_match, 2), worth=2),
)


def standings_table(standings: Standings, width: int | None = None) -> Table:
    """Return the standings as a table; with a width, cut to it and without what does not fit."""
    lines = standings.overall.standings
    table = Table(
        title=_title(standings), title_justify="left", title_style="bold", box=None, padding=(0, 1)
    )
    columns, room = _fitting(lines, width)
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
    """Return the sentences that belong below the table."""
    table = standings.overall
    notes = [wording.lead(table), wording.waiting(table)]
    if any(len(group.entrants) > 1 for group in table.groups):
        notes.append("Entrants that share a letter under group cannot be told apart yet.")
    if table.matches:
        notes += [wording.gain(table), wording.draws(standings)]
    return [_printable(note) for note in notes if note]


def _title(standings: Standings) -> Text:
    matches = wording.count(standings.overall.matches, "match", "matches")
    return Text(_printable(f"{standings.tournament}: {matches}, {wording.system(standings)}"))


def _fitting(lines: Sequence[Standing], width: int | None) -> tuple[list[_Column], int | None]:
    """Return the columns for which there is room, and how much is left for names."""
    columns = list(_COLUMNS)
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
    """Replace what would steer a terminal instead of being shown on it."""
    return "".join(
        c if c.isprintable() or c == wording.SPACE else "\N{REPLACEMENT CHARACTER}" for c in text
    )
