"""What a tournament will come to, before it is played."""

from __future__ import annotations

from statistics import fmean

from rich.console import Group as Lines
from rich.table import Table
from rich.text import Text

from engine import seed_from_text
from tournaments.random_play import random_game
from tournaments.runner.display import duration
from tournaments.schedule import Schedule
from tournaments.schedule.balance import Balance, Evenness, Group, Range
from tournaments.tournament import Tournament

SAMPLES = 5
"""So many games of random moves tell roughly how many decisions a match has."""
SECONDS_PER_DECISION = 0.002
"""What a decision takes when the bot answers at once; only for estimates."""


def plan_table(tournament: Tournament, plan: Schedule, pace: float | None) -> Lines:
    """Show the number of matches, their balance, and how long they may take.

    ``pace`` is how many seconds a match took so far, if any has been played.
    """
    balance = plan.balance
    return Lines(
        _table(balance),
        Text(
            "each plays, pairs meet, each seat, left: the fewest and the most matches that an "
            "entrant plays, a pair meets, an entrant has one seat, and one sits before another."
        ),
        Text(_estimate(tournament, balance, pace)),
    )


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


def _estimate(tournament: Tournament, balance: Balance, pace: float | None) -> str:
    tables = tournament.run.tables
    if pace is not None:
        return (
            f"about {duration(balance.total.matches * pace / tables)} for all of it at {tables} "
            "tables, as the matches so far went."
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


def _decisions(tournament: Tournament, group: Group) -> float:
    """Return roughly how often bots are asked in a match; forced moves are played for them."""
    discipline = tournament.discipline(group.game)
    options = discipline.variant(group.variant).options(group.seats)
    played = [
        random_game(discipline.game, options, seed_from_text(str(number)))
        for number in range(SAMPLES)
    ]
    return fmean(sum(decision.legal > 1 for decision in game.decisions) for game in played)
