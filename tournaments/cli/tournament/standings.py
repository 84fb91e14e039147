"""``highstreet tournament standings``: show the standings."""

from __future__ import annotations

from pathlib import Path

import click

from tournaments.cli.tournament import database_option, folder_argument
from tournaments.cli.tournament.standings_table import print_standings
from tournaments.runner import begun, file_of, opened


@click.command("standings")
@folder_argument
@click.option("--write", is_flag=True, help="Rewrite the files of the folder too.")
@database_option
def command(folder: Path, write: bool, database: str | None) -> None:  # noqa: FBT001  click passes it by name
    """Show the standings of the tournament in FOLDER, also during a run.

    \b
    Example:
      highstreet tournament standings tournament
    """  # noqa: D301
    with opened(folder, database) as known:
        print_standings(known.standings(), known.notes())
    if write:
        with begun(folder, file_of(folder, database), database) as known:
            known.write_outputs()
