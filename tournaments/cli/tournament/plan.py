"""``highstreet tournament plan``: number of matches, balance, estimated time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from statistics import fmean

import click
from rich.table import Table

from engine import seed_from_text
from referee.devkit import random_game
from referee.runtime import read_text
from tournaments.cli.options import runtimes_option
from tournaments.cli.tournament import file_argument, out_option
from tournaments.cli.tournament.progress_display import duration
from tournaments.cli.tournament.standings_table import wide_console
from tournaments.config import parse_tournament
from tournaments.model import (
    ALL,
    BY_ROUNDS,
    DIFFERENCE,
    LEADER,
    Format,
    RuntimesSettings,
    StopRule,
    TableKind,
    TournamentSettings,
    check_request,
    kinds_of,
    sets_with_even_neighbours,
)
from tournaments.pairing import (
    Balance,
    Evenness,
    Limits,
    Range,
    evenness_of_rounds,
    limits,
    match_bounds,
    schedule,
)
from tournaments.runner import is_tournament, opened
from tournaments.submissions import read_package

SAMPLES = 5
"""The number of random games from which the decisions of a match are estimated."""
SECONDS_PER_DECISION = 0.002
"""The time of a decision when the bot answers at once; for estimates."""


@click.command("plan")
@file_argument
@out_option
@runtimes_option
def command(file: Path, out: Path | None, runtimes: RuntimesSettings) -> None:
    """Show the number of matches, their balance, and an estimate of the time.

    \b
    Example:
      highstreet tournament plan tournament.toml
    """  # noqa: D301
    packages = partial(read_package, runtimes=runtimes)
    tournament = parse_tournament(read_text(file), str(file), file.resolve().parent, packages)
    folder, keep, pace = out or file.with_suffix(""), [], None
    if is_tournament(folder):
        with opened(folder) as known:
            keep = list(known.schedule.sets)
            played = known.progress().played
            pace = known.store.seconds() / played if played else None
    if tournament.format in BY_ROUNDS:
        _say_rounds(tournament)
        return
    console = wide_console()
    asked = tournament.request()
    if tournament.stop is not None:
        found = limits(asked)
        console.print(_until_settled(tournament.stop, found))
        if tournament.format is Format.COMPARISON:
            return
        console.print("The table and the time are those of its first round:")
        keep, asked = [], replace(asked, max_matches=None)
    balance = schedule(asked, keep).balance
    console.print(_table(balance))
    console.print(
        "each plays, pairs meet, each seat, left: the fewest and the most matches that an "
        "entrant plays, a pair meets, an entrant has one seat, and one sits before another."
    )
    console.print(_estimate(tournament, balance, pace))
    games = [*tournament.not_playing(), *tournament.unstated_games()]
    for sentence in [*games, *_uneven_neighbours(tournament, balance.groups)]:
        click.echo(f"warning: {sentence}")


def _until_settled(rule: StopRule, found: Limits) -> str:
    """Say how many matches a tournament may have that stops by itself."""
    question = {
        DIFFERENCE: "whether the challenger is better or worse than the baseline",
        ALL: "the whole order",
        LEADER: "who is first",
    }.get(rule.question, f"who is in the {rule.question}")
    return (
        f"It stops when it is settled {question}, at {100 * rule.confidence:.3g} % confidence: "
        f"after {found.fewest} matches at the earliest, and after {found.most} in any case."
    )


def _say_rounds(tournament: TournamentSettings) -> None:
    """Say how many rounds and matches a tournament has whose rounds depend on results."""
    request = tournament.request()
    check_request(request)
    fewest, most = match_bounds(request)
    entrants = len(request.entries)
    if request.format is Format.SWISS:
        click.echo(f"{request.swiss_rounds} rounds of {entrants} entrants, {most} matches in all.")
    else:
        rounds = (entrants - 1).bit_length()
        click.echo(
            f"{entrants} entrants, {rounds} rounds in the bracket, series of best of "
            f"{request.best_of} sets: {fewest} to {most} matches."
        )
    names = ", ".join(entry.name for entry in request.entries)
    click.echo(f"seeds, the best one first: {names}.")
    tables = tournament.run.tables
    decisions = max(_decisions(tournament, kind) for kind in kinds_of(request.games))
    quick = most * decisions / tables * SECONDS_PER_DECISION
    click.echo(f"at most about {duration(quick)} at {tables} tables if the bots answer at once.")
    if request.format is Format.SWISS:
        for sentence in _uneven_neighbours(tournament, evenness_of_rounds(request), " of a round"):
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


def _uneven_neighbours(
    tournament: TournamentSettings, evenness: Mapping[TableKind, Evenness], of_what: str = ""
) -> Iterator[str]:
    """Say at which tables it matters who sits after whom, and what evens that out."""
    for kind, even in sorted(evenness.items()):
        if even.has_even_neighbours(kind.seats):
            continue
        sets = tournament.game(kind.game).sets_per_table
        enough = sets_with_even_neighbours(kind.seats)
        remedy = (
            f"sets_per_table = {-(-sets // enough) * enough} evens that out"
            if enough and sets % enough
            else "more sets or a larger max_matches even that out"
        )
        yield (
            f"at tables of {kind.seats} of {kind.game} ({kind.variant}) an entrant sits directly "
            f"before another in {even.left_neighbours} matches{of_what}, and a weak player before "
            f"one can be an advantage: {remedy}."
        )


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
