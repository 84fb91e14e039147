"""``highstreet tournament tokens``: print the tokens of remote entrants."""

from __future__ import annotations

from pathlib import Path

import click

from tournaments.cli.options import runtimes_option
from tournaments.cli.tournament import file_argument, out_option
from tournaments.model import RuntimesSettings
from tournaments.runner import BusyError, begun, opened


@click.command("tokens")
@file_argument
@out_option
@runtimes_option
def command(file: Path, out: Path | None, runtimes: RuntimesSettings) -> None:
    """Print the token of each remote entrant; tokens do not change during the tournament.

    \b
    Example:
      highstreet tournament tokens tournament.toml
    """  # noqa: D301
    path = out or file.with_suffix("")
    try:
        with begun(path, file, runtimes=runtimes) as folder:
            found = folder.tokens()
    except BusyError:  # during a run
        with opened(path) as folder:
            found = folder.tokens()
    if not found:
        click.echo("no entrant is remote: there are no tokens.")
    for name, token in found.items():
        click.echo(f"{name}: {token}")
