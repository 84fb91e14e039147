"""``highstreet tournament resume``: go on with a tournament."""

from __future__ import annotations

from pathlib import Path

import click

from tournaments.cli.tournament import folder_argument
from tournaments.cli.tournament.run import play, run_options
from tournaments.runner import file_of


@click.command("resume")
@folder_argument
@run_options
def command(folder: Path, tables: int | None, workers: int | None, database: str | None) -> None:
    """Resume the tournament in FOLDER.

    \b
    Example:
      highstreet tournament resume tournament
    """  # noqa: D301
    play(file_of(folder, database), folder, tables, workers, database)
