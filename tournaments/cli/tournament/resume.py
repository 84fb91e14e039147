"""``highstreet tournament resume``: go on with a tournament."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from tournaments.cli.tournament import folder_argument
from tournaments.cli.tournament.run import RunOptions, play, run_options
from tournaments.runner import file_of


@click.command("resume")
@folder_argument
@run_options
def command(folder: Path, **options: Any) -> None:
    """Resume the tournament in FOLDER.

    \b
    Example:
      highstreet tournament resume tournament
    """  # noqa: D301
    play(file_of(folder, options["database"]), folder, RunOptions(**options))
