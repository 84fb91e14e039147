"""``highstreet bot retire``: a bot that plays no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tournaments.cli.output import Answer, client_command, league_argument, name_argument

if TYPE_CHECKING:
    from tournaments.server import SubmissionClient


@client_command("retire")
@league_argument
@name_argument
def command(client: SubmissionClient, league: str, name: str) -> Answer:
    """Let no version of the bot NAME play until one is activated again.

    \b
    Example:
      highstreet bot retire spring my-bot
    """  # noqa: D301  click's mark for "keep the lines"
    client.retire(league, name)
    values = {"league": league, "bot": name}
    return Answer(values, f"{name} plays no more in {league} until a version is activated")
