"""The report of a tournament as one self-contained HTML page."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from jinja2.utils import htmlsafe_json_dumps
from markupsafe import Markup

from tournaments.model import Result
from tournaments.ratings import Meeting, Standing, Standings, Table
from tournaments.report import effects_wording, wording
from tournaments.report.plots import (
    PlaceColumn,
    ScoreColumn,
    place_columns,
    rating_panels,
    score_columns,
    skill_plot,
)
from tournaments.report.rounds import RoundsView, as_values
from tournaments.report.templates import TemplateEnvironment

STEPS: Final = (0.6, 0.75, 0.9, 0.975)
"""Where the shades of the heat map change."""
_LINK: Final = re.compile(r"[\w%.,~+=@-]+(?:/[\w%.,~+=@-]+)*")


@dataclass(frozen=True, slots=True)
class GameSection:
    """What the page shows of one game."""

    title: str
    """Empty in a tournament of a single game."""
    table: Table
    places: tuple[PlaceColumn, ...]
    scores: tuple[ScoreColumn, ...]

    def named(self, part: str) -> str:
        """Put the title of the game before the name of a part of it."""
        return _titled(self.title, part)

    def tables_of(self, seats: int) -> str:
        """Name the tables of one size, within a sentence."""
        return ", ".join(filter(None, [self.title, f"tables of {seats}"]))


def report_html(
    standings: Standings,
    results: Sequence[Result],
    *,
    generated_at: str,
    facts: Mapping[str, str] | None = None,
    records: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    scheduled: int | None = None,
    rounds: RoundsView | None = None,
) -> str:
    """Return the report as one HTML page that loads nothing.

    ``facts`` are shown at the top, each under its label. ``records`` maps matches to relative
    links; a match without one is shown as not released. With the number of scheduled matches, the
    page states whether the tournament is complete. ``rounds`` are the bracket of a knock-out or the
    table of a Swiss tournament. Raises ValueError for a link that is not
    relative.
    """
    style, script = _text("style.css") + _bracket_style(), _text("script.js")
    table = standings.overall
    names = [line.entrant for line in table.standings]
    played = wording.played(table)
    page = _environment().get_template("page.html.jinja")
    return page.render(
        standings=standings,
        table=table,
        names=names,
        lines=[table.standings[n] for n in played],
        above=[[_shade(table, row, column) for column in played] for row in played],
        meetings=[[_tint(_meeting(table, row, column)) for column in played] for row in played],
        skills=skill_plot(table),
        games=_games(standings, results),
        largest=max(standings.by_seats(), default=0),
        convergence=rating_panels(table),
        parts=_parts(standings),
        matches=matches_json(results, names, records or {}),
        progress=_progress(len(results), scheduled),
        generated_at=generated_at,
        facts=facts or {},
        rounds=None if rounds is None else as_values(rounds),
        notes=notes,
        legend=_legend(),
        style=Markup(style),  # noqa: S704  a file of this package
        script=Markup(script),  # noqa: S704  a file of this package
        policy=(
            f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
            "img-src data:; base-uri 'none'; form-action 'none'"
        ),
    )


def _progress(played: int, scheduled: int | None) -> tuple[str, str]:
    """Return the state of the tournament, which is a class of the style sheet, and a sentence."""
    if scheduled is None:
        return "unknown", wording.count(played, "match", "matches")
    total = wording.count(scheduled, "match", "matches")
    if played >= scheduled:
        return "complete", f"Complete: {total} played"
    share = wording.percent(100 * played // scheduled / 100)
    return "running", f"Not complete: {wording.number(played)} of {total} played ({share})"


@cache
def _environment() -> TemplateEnvironment:
    environment = TemplateEnvironment("tournaments.report", "")
    environment.filters |= {
        "number": wording.number,
        "ordinal": wording.ordinal,
        "letters": wording.letters,
        "ranks": wording.ranks,
    }
    environment.globals |= {
        "wording": wording,
        "effects_wording": effects_wording,
        "wins_decimals": _wins_decimals,
        "seconds_decimals": _seconds_decimals,
    }
    return environment


def _text(name: str) -> str:
    return files("tournaments.report").joinpath(name).read_text("utf-8")


def _bracket_style() -> str:
    """Return the style of brackets, which the pages of a league have too."""
    return files("tournaments").joinpath("web", "static", "bracket.css").read_text("utf-8")


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


# Matches ----------------------------------------------------------------------------------------


def matches_json(
    results: Sequence[Result], names: Sequence[str], records: Mapping[str, str]
) -> Markup:
    """Return the matches as JSON that is safe inside HTML; raises ValueError for a bad link.

    A match is a list: its id, the indices of its game and its variant, then by seat the indices of
    the entrants, the places and the scores, then the seats that forfeited, the number of decisions,
    and the link to the record or 0.
    """
    games = sorted({result.game for result in results})
    variants = sorted({result.variant for result in results})
    index = {name: n for n, name in enumerate(names)}
    rows = [
        [
            result.match,
            games.index(result.game),
            variants.index(result.variant),
            [index[name] for name in result.entrants],
            result.places,
            result.scores,
            result.forfeits,
            result.decisions,
            _checked(result.match, records[result.match]) if result.match in records else 0,
        ]
        for result in results
    ]
    titles = [wording.title(game) for game in games]
    data = {"names": list(names), "games": titles, "variants": variants, "matches": rows}
    return htmlsafe_json_dumps(data, json.dumps, separators=(",", ":"))


def _checked(match: str, link: str) -> str:
    if not _LINK.fullmatch(link):
        raise ValueError(
            f'the link to the record of {match} is "{link}", but must be a relative path of '
            "letters, digits and % . , ~ + = @ - _ without a scheme: quote anything else."
        )
    return link


# Tables -----------------------------------------------------------------------------------------


def _shade(table: Table, row: int, column: int) -> tuple[str, str]:
    """Return the classes and the text of a cell in the heat map."""
    share = table.above[row][column]
    if share is None:
        return "self", ""
    step = sum(max(share, 1 - share) >= limit for limit in STEPS)
    side = ("up" if share > 0.5 else "down") if step else "even"
    one, other = table.standings[row].rated, table.standings[column].rated
    claimed = table.is_ahead(one, other) or table.is_ahead(other, one)
    return f"{side}{step}{' claimed' if claimed else ''}", wording.chance(share)


def _legend() -> list[tuple[str, str]]:
    """Return the shades of the heat map from the surest to the least likely, with their limits."""
    limits = [f"{100 * limit:g}" for limit in STEPS]
    others = [f"{100 - 100 * limit:g}" for limit in STEPS]
    steps = range(len(STEPS), 0, -1)
    ups = [(f"up{n}", f"{limits[n - 1]} to {([*limits, '100'])[n]}") for n in steps]
    downs = [(f"down{n}", f"{([*others, '0'])[n]} to {others[n - 1]}") for n in reversed(steps)]
    return [*ups, ("even0", f"{others[0]} to {limits[0]}"), *downs]


def _meeting(table: Table, row: int, column: int) -> Meeting | None:
    one, other = table.standings[row].rated, table.standings[column].rated
    return table.head_to_head.get(one, {}).get(other)


def _tint(meeting: Meeting | None) -> tuple[str, str, str]:
    """Return the class and the two texts of a cell in the crosstable."""
    if meeting is None:
        return "self", "", ""
    side = "even" if meeting.share == 0.5 else "up" if meeting.share > 0.5 else "down"
    share = wording.number(100 * meeting.share)
    return side, share, f"{meeting.above}\N{EN DASH}{meeting.level}\N{EN DASH}{meeting.below}"


def _games(standings: Standings, results: Sequence[Result]) -> list[GameSection]:
    """Return the section of each game that was played."""
    several = len(standings.by_game) > 1
    return [
        GameSection(
            wording.title(name) if several else "",
            table,
            place_columns(standings.by_seats(name)),
            score_columns([result for result in results if result.game == name]),
        )
        for name, table in standings.by_game.items()
    ]


def _parts(standings: Standings) -> list[tuple[str, Table]]:
    """Return the tables of parts of a game with their titles, where it has several."""
    parts: list[tuple[str, Table]] = []
    for name in standings.by_game:
        game = wording.title(name) if len(standings.by_game) > 1 else ""
        by_seats, by_variant = standings.by_seats(name), standings.by_variant(name)
        if len(by_seats) > 1:
            parts += [(_titled(game, f"Tables of {n}"), t) for n, t in by_seats.items()]
        if len(by_variant) > 1:
            parts += [(_titled(game, f"Variant: {n}"), t) for n, t in by_variant.items()]
    return parts


def _titled(game: str, part: str) -> str:
    """Put the title of the game, unless it is empty, before a part of it."""
    return f"{game}, {part[0].lower()}{part[1:]}" if game else part


def _wins_decimals(lines: Sequence[Standing]) -> int:
    return 0 if all(line.figures.wins % 1 == 0 for line in lines) else 1


def _seconds_decimals(lines: Sequence[Standing]) -> int:
    longest = max((line.figures.seconds_per_match or 0 for line in lines), default=0)
    return 3 if longest < 1 else 2 if longest < 100 else 0
