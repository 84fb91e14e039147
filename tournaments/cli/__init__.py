"""The command line: ``highstreet``."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from engine import HighstreetError, __version__

_COMMANDS = {
    "bridge": "Let a bot that reads and writes lines play on a remote referee.",
    "check-bot": "Check whether a bot keeps the protocol, step by step.",
    "feed": "Ask a bot what a seat was asked in a recorded match, and compare the answers.",
    "games": "List the games with their seats and options.",
    "league": "Make leagues on a league server, enter bots, and look at what they do.",
    "make-cert": "Make a self-signed certificate for tests: cert.pem and key.pem.",
    "new-bot": "Write a project that builds and plays as it stands, to make your own bot of.",
    "play": "Play matches between bots and show the result.",
    "records": "Fetch the records of a referee, and turn records into tables.",
    "replay": "Step through a recorded match.",
    "serve": "Run a referee that seats the bots that dial in, and keeps the records.",
    "show": "Deal, play, and print the position with its legal moves.",
    "simulate": "Play games of random moves and print their figures.",
    "tournament": "Run tournaments: one file in, a ranking with records and a report out.",
    "verify": "Check match records by playing them again.",
}
"""Every command and what its help begins with. A command is imported when it is used, but not to
be listed: that would import everything that any of them needs."""


class _Refusal(click.ClickException):
    """An error of ours as click shows it: one message, exit code 2."""

    exit_code = 2


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = import_module(f"{__name__}.{cmd_name.replace('-', '_')}").command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        names = self.list_commands(ctx)
        room = formatter.width - 6 - max(map(len, names))
        briefs = [
            click.Command(name, help=_COMMANDS[name]).get_short_help_str(room) for name in names
        ]
        with formatter.section("Commands"):
            formatter.write_dl(list(zip(names, briefs, strict=True)))

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except HighstreetError as error:
            raise _Refusal(str(error)) from error


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="highstreet")
def main() -> None:
    """Referee AI tournaments of card games.

    \b
    Example:
      highstreet play greedy random
      highstreet tournament init league.toml
    """  # noqa: D301  click's mark for "keep the lines"
