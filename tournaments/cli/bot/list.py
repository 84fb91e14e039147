"""``highstreet bot list``: the bots that were submitted to a league."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tournaments.cli.output import Answer, client_command, league_argument, text_table
from tournaments.cli.submission_output import standing_texts, state_text, with_standings

if TYPE_CHECKING:
    from tournaments.server import SubmissionClient


@client_command("list")
@league_argument
@click.option("--bot", default="", help="Only versions of this bot.")
def command(client: SubmissionClient, league: str, bot: str) -> Answer:
    """List your bots in a league: versions, states, ratings, forfeits.

    An organiser sees those of all authors.

    \b
    Example:
      highstreet bot list spring
    """  # noqa: D301  click's mark for "keep the lines"
    found = with_standings(client, league, client.submissions(league, bot))
    rows = [
        (
            str(each["id"]),
            each["bot"],
            each["version"],
            each["label"],
            state_text(each),
            *standing_texts(each),
            each["submit_time"][:19],
        )
        for each in found
    ]
    titles = ("id", "bot", "version", "label", "state", "rating", "matches", "forfeits", "since")
    return Answer(found, table=text_table(titles, rows))
