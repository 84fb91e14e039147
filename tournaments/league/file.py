"""A league as its organiser writes it down: TOML, checked at the door.

A league file is a tournament file without entrants, for those come by themselves:

    title = "Autumn league"
    scheduler = "ladder"

    [[games]]
    game = "glastonbury"
    table_sizes = [2, 3]
    variants.recipes = "both"
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Final

from referee import Policy, TimeControl, Transport
from tournaments.file import TournamentFileError
from tournaments.file.kinds import read_games
from tournaments.file.terms import read_policy, read_time_control
from tournaments.file.toml_reader import Table, read_toml, unknown_key
from tournaments.league.settings import (
    LONGEST_TITLE,
    MOST_FAULTS,
    MOST_TABLES,
    RATINGS,
    Deals,
    GameRules,
    LeagueSettings,
    Scheduler,
)
from tournaments.tournament import Discipline, Entrant

_GAME: Final = ("game", "table_sizes", "variants", "options")
KEYS: Final[dict[str, tuple[str, ...]]] = {
    "at the top": (
        *("title", "scheduler", "deals", "max_tables", "bench_after", "rating"),
        *(*_GAME, "games", "time_control", "policy"),
    ),
    "in [[games]]": _GAME,
    "in [time_control]": tuple(part.name for part in fields(TimeControl)),
    "in [policy]": tuple(part.name for part in fields(Policy)),
}
"""The keys of each table; those of variants and options are the game's."""

_MOST_SEATS: Final = 64


class LeagueFileError(TournamentFileError):
    """A league file that cannot be used, with everything that is wrong in it."""


def parse_league(text: str, source: str) -> LeagueSettings:
    """Read a league file; raises LeagueFileError. Messages call the file ``source``."""
    root = read_toml(text)
    if root.problems:
        raise LeagueFileError(source, root.problems)
    _refuse_unknown(root, "at the top")
    if "title" not in root:
        root.complain('the league has no title: write title = "…" at the top.')
    times, policy = root.table("time_control"), root.table("policy")
    _refuse_unknown(times, "in [time_control]")
    _refuse_unknown(policy, "in [policy]")
    parts: dict[str, Any] = {
        "title": root.text("title", "", LONGEST_TITLE),
        "scheduler": root.choice("scheduler", list(Scheduler), Scheduler.LADDER),
        "deals": root.choice("deals", list(Deals), Deals.FRESH),
        "max_tables": root.whole("max_tables", 8, 1, MOST_TABLES),
        "bench_after": root.whole("bench_after", 3, 0, MOST_FAULTS),
        "rating": root.choice("rating", RATINGS, RATINGS[0]),
        "time_control": read_time_control(times),
        "policy": read_policy(policy),
    }
    disciplines = _games(root)
    if root.problems:
        raise LeagueFileError(source, root.problems)
    return LeagueSettings(games=tuple(map(_rules, disciplines)), **parts)


def _refuse_unknown(table: Table, place: str) -> None:
    for key in table:
        if key not in KEYS[place]:
            table.complain(unknown_key(key, KEYS[place], place), key)


def _games(root: Table) -> tuple[Discipline, ...]:
    """Read the games as a tournament does that has more entrants than any table has seats."""
    for table in root.tables("games"):
        if "sets_per_table" in table:
            table.complain(unknown_key("sets_per_table", _GAME, "in [[games]]"), "sets_per_table")
    anybody = [Entrant(f"{number}", Transport.REMOTE) for number in range(_MOST_SEATS)]
    return read_games(root, anybody, separate_authors=False)


def _rules(discipline: Discipline) -> GameRules:
    offered = discipline.game.spec.options_offered
    values = discipline.variants[0].values
    return GameRules(
        discipline.name,
        discipline.table_sizes,
        tuple(variant.name for variant in discipline.variants),
        {
            option.name: values[option.name]
            for option in offered
            if not option.variant and values[option.name] != option.default
        },
    )
