"""``highstreet bot log``: what a bot wrote to its standard error."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from engine import UsageError
from tournaments.cli.output import Answer, client_command, league_argument, name_argument

if TYPE_CHECKING:
    from tournaments.server import SubmissionClient


@client_command("log")
@league_argument
@name_argument
@click.option("--match", default="", help="Of this match alone.")
def command(client: SubmissionClient, league: str, name: str, match: str) -> Answer:
    """Print what the bot NAME wrote to its standard error in its newest matches.

    \b
    Example:
      highstreet bot log spring my-bot
    """  # noqa: D301  click's mark for "keep the lines"
    found = client.match_logs(league, name)
    if match:
        found = [each for each in found if each["match"] == match]
        if not found:
            raise UsageError(f"nothing is kept of {name} in the match {match}.")
    lines = [
        line
        for each in found
        for line in (f"{each['match']}:", *(f"    {text}" for text in each["text"].splitlines()))
    ]
    sentence = "" if found else f"nothing is kept of {name}: it has played no match"
    return Answer(found, sentence, lines=lines)
