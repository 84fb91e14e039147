"""What a tournament will come to, before it is played."""

from __future__ import annotations

from rich.console import Group
from rich.table import Table
from rich.text import Text

from tournaments.runner.display import duration
from tournaments.schedule import Schedule
from tournaments.schedule.balance import Evenness, Range
from tournaments.tournament import Tournament

DECISIONS_PER_SEAT = 36
"""How often a seat decides in a match, roughly; only for estimates."""
SECONDS_PER_DECISION = 0.002
"""What a decision takes when the bot answers at once; only for estimates."""


def plan_table(tournament: Tournament, plan: Schedule, pace: float | None) -> Group:
    """Show the number of matches, their balance, and how long they may take.

    ``pace`` is how many seconds a match took so far, if any has been played.
    """
    table = Table(
        "seats",
        "variant",
        "sets",
        "matches",
        "each plays",
        "pairs meet",
        "each seat",
        "left",
        box=None,
    )
    balance = plan.balance
    for (size, variant), even in sorted(balance.groups.items()):
        table.add_row(str(size), variant, *_row(even))
    table.add_row("all", "", *_row(balance.total))
    return Group(
        table,
        Text(
            "each plays, pairs meet, each seat, left: the fewest and the most matches that an "
            "entrant plays, a pair meets, an entrant has one seat, and one sits before another."
        ),
        Text(_estimate(tournament, balance.total.matches, pace)),
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


def _estimate(tournament: Tournament, matches: int, pace: float | None) -> str:
    tables = tournament.run.tables
    if pace is not None:
        return (
            f"about {duration(matches * pace / tables)} for all of it at {tables} tables, as the "
            "matches so far went."
        )
    seats = max(tournament.table_sizes)
    decisions = matches * seats * DECISIONS_PER_SEAT / tables
    quick = decisions * SECONDS_PER_DECISION
    control = tournament.time_control
    longest = decisions * (control.per_move + control.latency).total_seconds()
    return (
        f"about {duration(quick)} at {tables} tables if the bots answer at once; at most "
        f"{duration(longest)} if they use all their time for each move."
    )
