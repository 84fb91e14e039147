"""``highstreet bot runtimes``: the runtimes of this machine."""

from __future__ import annotations

import click

from referee.model import SYSTEM
from tournaments.submissions import RUNTIMES, installed_runtimes


@click.command("runtimes")
def command() -> None:
    """List the runtimes of this machine that a package can ask for.

    A bot sees the system's own programs and libraries, and the folders that are listed.

    \b
    Example:
      highstreet bot runtimes
    """  # noqa: D301  click's mark for "keep the lines"
    found = installed_runtimes()
    for name in RUNTIMES:
        if name in found:
            folders = [str(path) for path in found[name].paths if path not in SYSTEM.paths]
            click.echo(f"{name:<12}{', '.join(folders) or 'the system'}")
        else:
            click.echo(f"{name:<12}not installed: there is no program {RUNTIMES[name]}")
