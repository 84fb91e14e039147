"""The page: everything that it shows, put into its template."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from tournaments.ratings import Meeting, Standing, Standings, Table
from tournaments.ratings.order import SEPARATE
from tournaments.report import wording
from tournaments.report.convergence import convergence
from tournaments.report.matches import matches_json
from tournaments.report.skills import skill_plot
from tournaments.report.spreads import (
    PlaceColumn,
    ScoreColumn,
    ordinal,
    place_columns,
    score_columns,
)
from tournaments.results import Result

STEPS = (0.6, 0.75, 0.9, SEPARATE)
"""Where the shades of the heat map change; the last is where two can be told apart."""


@dataclass(frozen=True, slots=True)
class Game:
    """What the page shows of one game."""

    title: str
    """Empty where there is but one game, which nobody has to tell from others."""
    table: Table
    places: tuple[PlaceColumn, ...]
    scores: tuple[ScoreColumn, ...]

    def named(self, part: str) -> str:
        """Put the game before something of it, if there are several games."""
        return _titled(self.title, part)

    def tables_of(self, seats: int) -> str:
        """Name the tables of one size, within a sentence."""
        return ", ".join(filter(None, [self.title, f"tables of {seats}"]))


@dataclass(frozen=True, slots=True)
class Count:
    """How far the tournament has come."""

    played: int
    scheduled: int | None

    @property
    def state(self) -> str:
        """One word for it."""
        if self.scheduled is None:
            return "unknown"
        return "complete" if self.played >= self.scheduled else "running"

    @property
    def text(self) -> str:
        """The same in words."""
        if self.scheduled is None:
            return wording.count(self.played, "match", "matches")
        total = wording.count(self.scheduled, "match", "matches")
        if self.state == "complete":
            return f"Complete: {total} played"
        share = wording.percent(100 * self.played // self.scheduled / 100)
        return f"Not complete: {wording.number(self.played)} of {total} played ({share})"


def report_html(
    standings: Standings,
    results: Sequence[Result],
    *,
    generated_at: str,
    facts: Mapping[str, str] | None = None,
    records: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    scheduled: int | None = None,
) -> str:
    """Return the report as one page of HTML that loads nothing from anywhere.

    The facts are shown at the top, each under its label. The records are relative links by match;
    a match without one is said to be not released. With the number of scheduled matches, the page
    says whether the tournament is complete. Raises ValueError for a link that is not relative.
    """
    style, script = _text("style.css"), _text("script.js")
    table = standings.overall
    names = [line.entrant for line in table.standings]
    who = wording.played(table)
    page = _environment().get_template("page.html.jinja")
    return page.render(
        standings=standings,
        table=table,
        names=names,
        lines=[table.standings[n] for n in who],
        above=[[_shade(table.above[row][column]) for column in who] for row in who],
        meetings=[[_tint(table.crosstable[row][column]) for column in who] for row in who],
        skills=skill_plot(table),
        games=_games(standings, results),
        largest=max(standings.by_seats, default=0),
        convergence=convergence(table),
        parts=_parts(standings),
        matches=Markup(matches_json(results, names, records or {})),  # noqa: S704  escaped there
        count=Count(len(results), scheduled),
        generated_at=generated_at,
        facts=facts or {},
        notes=notes,
        legend=_legend(),
        separate=SEPARATE,
        style=Markup(style),  # noqa: S704  our own
        script=Markup(script),  # noqa: S704  our own
        policy=_policy(style, script),
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("tournaments.report", ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "number": wording.number,
        "percent": wording.percent,
        "ordinal": ordinal,
        "letters": wording.letters,
        "ranks": wording.ranks,
    }
    environment.globals["wording"] = wording
    environment.globals["wins_decimals"] = _wins_decimals
    environment.globals["seconds_decimals"] = _seconds_decimals
    return environment


def _text(name: str) -> str:
    return files("tournaments.report").joinpath(name).read_text("utf-8")


def _policy(style: str, script: str) -> str:
    """Return the rules for the browser: this style, this script, and nothing else at all."""
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _shade(share: float | None) -> tuple[str, str]:
    """Return the class and the text of a cell in the heat map."""
    if share is None:
        return "self", ""
    step = sum(max(share, 1 - share) >= limit for limit in STEPS)
    side = ("up" if share > 0.5 else "down") if step else "even"
    return f"{side}{step}", wording.chance(share)


def _legend() -> list[tuple[str, str]]:
    """Return the shades of the heat map from the surest to the least likely, with their limits."""
    limits = [f"{100 * limit:g}" for limit in STEPS]
    others = [f"{100 - 100 * limit:g}" for limit in STEPS]
    steps = range(len(STEPS), 0, -1)
    ups = [(f"up{n}", f"{limits[n - 1]} to {([*limits, '100'])[n]}") for n in steps]
    downs = [(f"down{n}", f"{([*others, '0'])[n]} to {others[n - 1]}") for n in reversed(steps)]
    return [*ups, ("even0", f"{others[0]} to {limits[0]}"), *downs]


def _tint(meeting: Meeting) -> tuple[str, str, str]:
    """Return the class and the two texts of a cell in the crosstable."""
    if meeting.share is None:
        return "self", "", ""
    side = "even" if meeting.share == 0.5 else "up" if meeting.share > 0.5 else "down"
    share = wording.number(100 * meeting.share)
    return side, share, f"{meeting.above}\N{EN DASH}{meeting.level}\N{EN DASH}{meeting.below}"


def _games(standings: Standings, results: Sequence[Result]) -> list[Game]:
    """Return what there is of each game that was played."""
    several = len(standings.by_game) > 1
    return [
        Game(
            wording.title(name) if several else "",
            of_game.table,
            place_columns(of_game.by_seats),
            score_columns([result for result in results if result.game == name]),
        )
        for name, of_game in standings.by_game.items()
    ]


def _parts(standings: Standings) -> list[tuple[str, Table]]:
    """Return the tables of parts of a game with their titles, where it has several."""
    parts: list[tuple[str, Table]] = []
    for name, of_game in standings.by_game.items():
        game = wording.title(name) if len(standings.by_game) > 1 else ""
        if len(of_game.by_seats) > 1:
            parts += [(_titled(game, f"Tables of {n}"), t) for n, t in of_game.by_seats.items()]
        if len(of_game.by_variant) > 1:
            parts += [(_titled(game, f"Variant: {n}"), t) for n, t in of_game.by_variant.items()]
    return parts


def _titled(game: str, part: str) -> str:
    """Put the game, if there are several, before a part of it."""
    return f"{game}, {part[0].lower()}{part[1:]}" if game else part


def _wins_decimals(lines: Sequence[Standing]) -> int:
    return 0 if all(line.figures.wins % 1 == 0 for line in lines) else 1


def _seconds_decimals(lines: Sequence[Standing]) -> int:
    longest = max((line.figures.seconds_per_match or 0 for line in lines), default=0)
    return 3 if longest < 1 else 2 if longest < 100 else 0
