"""``highstreet tournament verify``: check a tournament."""

from __future__ import annotations

from pathlib import Path

import click

from tournaments.cli.tournament import database_option, folder_argument
from tournaments.cli.verify_sources import report_on
from tournaments.runner import at_rest, opened
from tournaments.verification import TournamentRecords


@click.command("verify")
@folder_argument
@click.option("--workers", type=click.IntRange(1, 64), help="Processes; default: the cores.")
@database_option
def command(folder: Path, workers: int | None, database: str | None) -> None:
    """Check the tournament in FOLDER, as `highstreet verify FOLDER` does.

    Every record is played again, and the standings are computed from the records alone.

    Checks that each scheduled match counts once, that each deal follows from the secret, that the
    records agree with the store, and that standings.json is what the records give.

    \b
    Example:
      highstreet tournament verify tournament
    """  # noqa: D301
    with opened(folder, database) as known, at_rest(folder):
        report_on([TournamentRecords(known)], workers, problems_to_stderr=True)
