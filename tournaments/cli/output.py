"""How commands that ask a league server are declared, and how they print its answers."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any, Final

import click
from rich.console import Console
from rich.table import Table
from rich.text import Text

from engine import UsageError
from referee.record import printable
from referee.runtime import write_whole
from tournaments.cli.connection import Connection, connection_options
from tournaments.cli.options import FILE

SHOWN_LINES: Final = 20
"""How many lines of a log are shown, the last ones."""
LONGEST_LINE: Final = 10_000
UNCUT: Final = 500
"""The width of a table that is not shown on a terminal."""

league_argument = click.argument("league")
name_argument = click.argument("name")
reason_option = click.option("--reason", required=True, help="The reason, which is public.")
token_out_option = click.option(
    "--token-out",
    type=FILE,
    help="Write the token into this file, for its owner alone; default: print it.",
)


@dataclass(frozen=True, slots=True)
class Answer:
    """What a subcommand prints: values as JSON, or else a table, a sentence, further lines."""

    values: object
    sentence: str = ""
    table: Table | None = None
    lines: Sequence[str] = ()

    def show(self, *, as_json: bool) -> None:
        """Print it."""
        if as_json:
            click.echo(json.dumps(self.values, indent=2, ensure_ascii=False))
            return
        if self.table is not None:
            width = None if sys.stdout.isatty() else UNCUT
            Console(soft_wrap=True, width=width).print(self.table)
        if self.sentence:
            click.echo(printable(self.sentence))
        for line in self.lines:
            click.echo(printable(line, LONGEST_LINE))


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


def show_log(console: Console, log: str, lines: int = SHOWN_LINES) -> None:
    """Print the last lines of a log, cut to twice the width of the terminal."""
    width = 2 * shutil.get_terminal_size().columns
    for line in log.splitlines()[-lines:]:
        console.print(Text(f"    {printable(line, width)}"))


def shown_token(token: str, out: Path | None) -> str:
    """Return a token, or write it into a file and return where it is; raises UsageError."""
    if out is None:
        return token
    try:
        write_whole(out, f"{token}\n".encode(), private=True)
    except OSError as error:
        raise UsageError(f"cannot write {out}: {error.strerror}. The token: {token}") from None
    return f"in {out}"
