"""``highstreet tournament plan``: number of matches, balance, estimated time."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean

import click
from rich.table import Table

from engine import seed_from_text
from referee.devkit import random_game
from referee.runtime import read_text
from tournaments.cli.tournament import file_argument, out_option
from tournaments.cli.tournament.progress_display import duration
from tournaments.cli.tournament.standings_table import wide_console
from tournaments.config import parse_tournament
from tournaments.model import TableKind, TournamentSettings
from tournaments.pairing import Balance, Evenness, Range, schedule
from tournaments.runner import is_tournament, opened
from tournaments.submissions import read_package

SAMPLES = 5
"""The number of random games from which the decisions of a match are estimated."""
SECONDS_PER_DECISION = 0.002
"""The time of a decision when the bot answers at once; for estimates."""


@click.command("plan")
@file_argument
@out_option
def command(file: Path, out: Path | None) -> None:
    """Show the number of matches, their balance, and an estimate of the time.

    \b
    Example:
      highstreet tournament plan tournament.toml
    """  # noqa: D301
    tournament = parse_tournament(read_text(file), str(file), file.resolve().parent, read_package)
    folder, keep, pace = out or file.with_suffix(""), [], None
    if is_tournament(folder):
        with opened(folder) as known:
            keep = list(known.schedule.sets)
            played = known.progress().played
            pace = known.store.seconds() / played if played else None
    balance = schedule(tournament.request(), keep).balance
    console = wide_console()
    console.print(_table(balance))
    console.print(
        "each plays, pairs meet, each seat, left: the fewest and the most matches that an "
        "entrant plays, a pair meets, an entrant has one seat, and one sits before another."
    )
    console.print(_estimate(tournament, balance, pace))
    for sentence in tournament.not_playing():
        click.echo(f"warning: {sentence}")


def _table(balance: Balance) -> Table:
    titles = ["seats", "variant", "sets", "matches", "each plays", "pairs meet", "each seat"]
    several = len(balance.games) > 1
    table = Table(*(["game"] if several else []), *titles, "left", box=None)
    for game, of_game in sorted(balance.games.items()):
        name = [game] if several else []
        for group, even in sorted(balance.groups.items()):
            if group.game == game:
                table.add_row(*name, str(group.seats), group.variant, *_row(even))
        if several:
            table.add_row(game, "all", "", *_row(of_game))
    table.add_row(*(["all", ""] if several else ["all"]), "", *_row(balance.total))
    return table


def _row(even: Evenness) -> list[str]:
    seats = Range(min(r.low for r in even.seats), max(r.high for r in even.seats))
    return [
        str(even.sets),
        str(even.matches),
        str(even.matches_each),
        str(even.pair_matches or "-"),
        str(seats),
        str(even.left_neighbours or "-"),
    ]


def _estimate(tournament: TournamentSettings, balance: Balance, pace: float | None) -> str:
    """Return the estimated time; ``pace`` is the mean time of the matches so far, if any."""
    tables = tournament.run.tables
    if pace is not None:
        return (
            f"about {duration(balance.total.matches * pace / tables)} in all at {tables} tables, "
            "at the pace of the matches so far."
        )
    decisions = sum(
        even.matches * _decisions(tournament, group) for group, even in balance.groups.items()
    )
    quick = decisions / tables * SECONDS_PER_DECISION
    control = tournament.time_control
    longest = decisions / tables * (control.per_move + control.latency).total_seconds()
    return (
        f"about {duration(quick)} at {tables} tables if the bots answer at once, and about "
        f"{duration(longest)} if they use all their time for each move."
    )


def _decisions(tournament: TournamentSettings, group: TableKind) -> float:
    """Return an estimate of the decisions in a match, without forced moves."""
    rules = tournament.game(group.game)
    options = rules.options_of(group.variant, group.seats)
    played = [
        random_game(rules.rules, options, seed_from_text(str(number))) for number in range(SAMPLES)
    ]
    return fmean(sum(decision.legal > 1 for decision in game.decisions) for game in played)
