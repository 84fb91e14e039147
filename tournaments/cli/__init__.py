"""The command line: ``highstreet``."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import click

from engine import HighstreetError, __version__

_COMMANDS = {
    "bridge": "tournaments.cli.bridge",
    "check-bot": "tournaments.cli.check_bot",
    "feed": "tournaments.cli.feed",
    "games": "tournaments.cli.games",
    "league": "tournaments.cli.league",
    "make-cert": "tournaments.cli.make_cert",
    "new-bot": "tournaments.cli.new_bot",
    "play": "tournaments.cli.play",
    "records": "tournaments.cli.records",
    "replay": "tournaments.cli.replay",
    "serve": "tournaments.cli.serve",
    "show": "tournaments.cli.show",
    "simulate": "tournaments.cli.simulate",
    "tournament": "tournaments.cli.tournament",
    "verify": "tournaments.cli.verify",
}
"""Where each command lives; a command is imported when it is needed."""


class _Refusal(click.ClickException):
    """An error of ours as click shows it: one message, exit code 2."""

    exit_code = 2


class _Commands(click.Group):
    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        if cmd_name not in _COMMANDS:
            return None
        command: click.Command = import_module(_COMMANDS[cmd_name]).command
        return command

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
