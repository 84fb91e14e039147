"""How ``highstreet league`` declares its subcommands and prints what a server answers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from referee.record import printable
from tournaments.cli.connection import Connection, connection_options

league_argument = click.argument("league")
name_argument = click.argument("name")
reason_option = click.option("--reason", required=True, help="The reason, which is public.")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a subcommand prints: values as JSON, or else a table, a sentence, or both."""

    values: object
    sentence: str = ""
    table: Table | None = None

    def show(self, *, as_json: bool) -> None:
        """Print it."""
        if as_json:
            click.echo(json.dumps(self.values, indent=2, ensure_ascii=False))
            return
        if self.table is not None:
            Console(soft_wrap=True).print(self.table)
        if self.sentence:
            click.echo(printable(self.sentence))


def client_command(name: str) -> Callable[[Callable[..., Answer]], click.Command]:
    """Declare a subcommand that asks a server: it gets a client first, then its own parameters.

    It has the options of a connection, and --json.
    """

    def declare(function: Callable[..., Answer]) -> click.Command:
        own = getattr(function, "__click_params__", [])

        @wraps(function)
        def with_client(*, connection: Connection, as_json: bool, **rest: Any) -> None:
            with connection.client() as client:
                function(client, **rest).show(as_json=as_json)

        with_client.__click_params__ = []  # type: ignore[attr-defined]  # click reads it
        decorated = click.option("--json", "as_json", is_flag=True, help="Print JSON.")(
            connection_options(with_client)
        )
        decorated.__click_params__ += own  # the last one is shown first
        return click.command(name)(decorated)

    return declare


def result_text(match: dict[str, Any]) -> str:
    """Return the places and scores of a match, or its entrants if it was not played."""
    seats = [
        (each["place"], f"{each['entrant']}{'@' * bool(each['version'])}{each['version']}", each)
        for each in match["seats"]
    ]
    if match["state"] not in ("played", "annulled"):
        return ", ".join(name for _, name, _ in seats)
    said = [
        f"{place}. {name} {'(forfeit)' if each['forfeit'] else each['score']}"
        for place, name, each in sorted(seats, key=lambda seat: seat[:2])
    ]
    why = f"; annulled: {match['annulled']}" if match["annulled"] else ""
    return printable(", ".join(said) + why)


def text_table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> Table:
    """Return rows of text under their titles."""
    table = Table(*titles, box=None, padding=(0, 2, 0, 0), header_style="bold")
    for row in rows:
        table.add_row(*(Text(printable(cell)) for cell in row))
    return table
