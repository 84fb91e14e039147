"""``highstreet tournament standings``: show the standings."""

from __future__ import annotations

from pathlib import Path

import click

from tournaments.cli.options import runtimes_option
from tournaments.cli.tournament import database_option, folder_argument
from tournaments.cli.tournament.standings_table import print_standings
from tournaments.model import RuntimesSettings
from tournaments.runner import begun, file_of, opened


@click.command("standings")
@folder_argument
@click.option("--write", is_flag=True, help="Rewrite the files of the folder too.")
@database_option
@runtimes_option
def command(
    folder: Path,
    write: bool,  # noqa: FBT001  click passes it by name
    database: str | None,
    runtimes: RuntimesSettings,
) -> None:
    """Show the standings of the tournament in FOLDER, also during a run.

    \b
    Example:
      highstreet tournament standings tournament
    """  # noqa: D301
    with opened(folder, database) as known:
        print_standings(known.standings(), known.notes())
    if write:
        with begun(folder, file_of(folder, database), database, runtimes) as known:
            known.write_outputs()
