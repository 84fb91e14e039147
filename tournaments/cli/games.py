"""``highstreet games``: list the games."""

from __future__ import annotations

import click
from rich.console import Console
from rich.table import Table

from engine import GAMES


@click.command("games")
def command() -> None:
    """List the games with their seats and options.

    A tournament can play several values of a variant; any other option has one value in all its
    matches.

    \b
    Example:
      highstreet games
    """  # noqa: D301  click's mark for "keep the lines"
    console = Console()
    for game in GAMES.values():
        spec = game.spec
        seats = ", ".join(map(str, spec.seats))
        console.print(f"[bold]{spec.name}[/] ({spec.title}, rules version {spec.rules_version})")
        console.print(f"  seats: {seats}; at most {spec.most_decisions} decisions in a game")
        table = Table("option", "default", "", "meaning", box=None, padding=(0, 2))
        for option in spec.options_offered:
            default = (
                str(option.default).lower() if option.default in (True, False) else option.default
            )
            kind = "variant" if option.variant else ""
            table.add_row(option.name, str(default), kind, option.summary)
        console.print(table)
