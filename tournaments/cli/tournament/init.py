"""``highstreet tournament init``: write a tournament file."""

from __future__ import annotations

from pathlib import Path
from shlex import quote

import click

from engine import UsageError
from referee.runtime import write_whole
from tournaments.cli.files import file_errors
from tournaments.cli.options import FILE
from tournaments.config import template


@click.command("init")
@click.argument("file", type=FILE, default="tournament.toml")
def command(file: Path) -> None:
    """Write a tournament file with a comment for every key; it can be run unchanged.

    \b
    Example:
      highstreet tournament init tournament.toml
    """  # noqa: D301
    if file.exists():
        raise UsageError(f"{file} exists: choose another name, or remove it.")
    with file_errors("write", file):
        write_whole(file, template().encode())
    click.echo(f"wrote {file}; next: highstreet tournament run {quote(str(file))}")
