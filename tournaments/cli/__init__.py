"""The command line: ``highstreet``."""

from __future__ import annotations

from typing import Any

import click

from engine import HighstreetError, __version__
from referee.runtime.environment import prepare_environment
from tournaments.cli.lazy_group import LazyGroup

_SUMMARIES = {
    "bot": "Check and pack bots as packages, and look after those that you submitted to a league.",
    "bridge": "Connect a bot that reads and writes lines to a remote referee.",
    "check-bot": "Check whether a bot keeps the protocol, step by step.",
    "compare": "Test whether the bot NEW is better than the bot OLD.",
    "enrol": (
        "Sign up as the author NAME, who submits bots to a league; the token is shown this once."
    ),
    "feed": "Rerun the decisions of a seat of a recorded match with a bot, and compare moves.",
    "games": "List the games with their seats and options.",
    "league": "Make leagues on a league server, enter bots, and show their matches and standings.",
    "make-cert": "Make a self-signed certificate for tests: cert.pem and key.pem.",
    "new-bot": "Write the beginning of your own bot: a package that builds and plays as it stands.",
    "play": "Play matches between bots and show the result.",
    "records": "Fetch the records of a referee, and turn records into tables.",
    "replay": "Step through a recorded match.",
    "runtimes": "List the runtimes of this machine that a package can ask for.",
    "serve": "Run a league server: it pairs the bots that connect, and keeps results and records.",
    "show": "Deal, play, and print the position with its legal moves.",
    "simulate": "Play games of random moves and print their statistics.",
    "submit": "Submit a bot to a league: a folder with a manifest, bot.toml, or a package of it.",
    "tournament": "Run the tournament of a file, with standings, records and a report.",
    "verify": "Check match records by playing them again.",
}


class _Refusal(click.ClickException):
    """A HighstreetError as click prints it: one message, exit code 2."""

    exit_code = 2


class _Main(LazyGroup):
    def main(self, *args: Any, **kwargs: Any) -> Any:
        prepare_environment()
        return super().main(*args, **kwargs)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except HighstreetError as error:
            raise _Refusal(str(error)) from error


@click.group(
    cls=_Main,
    package=__name__,
    summaries=_SUMMARIES,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="highstreet")
def main() -> None:
    """Referee AI tournaments of card games.

    \b
    Example:
      highstreet play greedy random
      highstreet tournament init tournament.toml
    """  # noqa: D301  click's mark for "keep the lines"
