"""``highstreet tournament plan``: number of matches, balance, estimated time."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from math import log
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
    growing_rounds,
    limits,
    match_bounds,
    schedule,
)
from tournaments.ratings import settled_share
from tournaments.runner import is_tournament, opened
from tournaments.submissions import read_package

SAMPLES = 5
"""The number of random games from which the decisions of a match are estimated."""
RATIOS = (1.5, 2, 4)
"""How many times as often the better of two finishes above the other, in estimates."""
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
    if tournament.stop is not None:
        for sentence in _expected(tournament, tournament.stop, balance, pace):
            console.print(sentence)
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


def _expected(
    tournament: TournamentSettings, rule: StopRule, balance: Balance, pace: float | None
) -> Iterator[str]:
    """Say after how many sets the question is probably settled, and how long the limit takes."""
    rounds = growing_rounds(tournament.request())
    first, (most_sets, most) = rounds[0][0], rounds[-1]
    scale = most / balance.total.matches
    longest = scale * _seconds(tournament, balance, pace)
    when = "" if pace is not None else " if the bots answer at once"
    met = [(kind.seats, even.pair_matches) for kind, even in balance.groups.items()]
    if tournament.format is Format.ROUND_ROBIN and all(range_ for _, range_ in met):
        meetings = sum(3 / (k + 1) * (of.low + of.high) / 2 for k, of in met if of) / first
        each = (balance.total.sets_each.low + balance.total.sets_each.high) / 2 / first
        expected = []
        for times in RATIOS:
            share = partial(settled_share, rule, len(tournament.entrants), log(times))
            found = bisect_left(
                rounds, 0.5, key=lambda at: share(at[0] * meetings, int(at[0] * each))
            )
            number = f"{rounds[found][0]} sets" if found < len(rounds) else f"over {most_sets} sets"
            matches = f" ({rounds[found][1]} matches)" if found < len(rounds) else ""
            expected.append(f"{times:g} times: {number}{matches}")
        yield (
            "Half of such tournaments are settled by about the following number of sets at each "
            "table, by how many times as often the better of two that are to be told apart "
            f"finishes above the other as below it: {', '.join(expected)}."
        )
    yield f"about {duration(longest)} at {tournament.run.tables} tables up to the limit{when}."


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
    quick = _seconds(tournament, balance, pace)
    if pace is not None:
        return (
            f"about {duration(quick)} in all at {tables} tables, at the pace of the matches so far."
        )
    control = tournament.time_control
    per_decision = (control.per_move + control.latency).total_seconds()
    longest = quick / SECONDS_PER_DECISION * per_decision
    return (
        f"about {duration(quick)} at {tables} tables if the bots answer at once, and about "
        f"{duration(longest)} if they use all their time for each move."
    )


def _seconds(tournament: TournamentSettings, balance: Balance, pace: float | None) -> float:
    """Return an estimate of the time that all tables together take."""
    if pace is not None:
        return balance.total.matches * pace / tournament.run.tables
    decisions = sum(
        even.matches * _decisions(tournament, group) for group, even in balance.groups.items()
    )
    return decisions / tournament.run.tables * SECONDS_PER_DECISION


def _decisions(tournament: TournamentSettings, group: TableKind) -> float:
    """Return an estimate of the decisions in a match, without forced moves."""
    rules = tournament.game(group.game)
    options = rules.options_of(group.variant, group.seats)
    played = [
        random_game(rules.rules, options, seed_from_text(str(number))) for number in range(SAMPLES)
    ]
    return fmean(sum(decision.legal > 1 for decision in game.decisions) for game in played)
