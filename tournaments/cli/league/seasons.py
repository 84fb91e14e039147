"""``highstreet league season``: start, end and show the seasons of a league."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import click

from tournaments.cli.output import Answer, client_command, league_argument, text_table

if TYPE_CHECKING:
    from tournaments.server import LeagueClient

POLL: Final = 0.5
"""The interval at which ``end`` asks whether the season is archived, in seconds."""


@click.group("season")
def command() -> None:
    """Start, end and show the seasons of a league.

    \b
    Examples:
      highstreet league season start spring --ends 2027-06-30
      highstreet league season end spring --another
      highstreet league season show spring --number 1
    """  # noqa: D301  click's mark for "keep the lines"


@client_command("start")
@league_argument
@click.option(
    "--ends",
    type=click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"]),
    help="When it ends by itself, in UTC; default: after the season_days of the league.",
)
def start(client: LeagueClient, league: str, ends: datetime | None) -> Answer:
    """Start the next season. For organisers.

    \b
    Example:
      highstreet league season start spring --ends 2027-06-30
    """  # noqa: D301  click's mark for "keep the lines"
    season = client.start_season(league, ends.replace(tzinfo=UTC) if ends else None)
    return Answer(season, f"season {season['number']} of {league} is open", _members(season))


@client_command("end")
@league_argument
@click.option("--another", is_flag=True, help="Start the next season when this one is archived.")
@click.option("--no-wait", is_flag=True, help="Do not wait until the season is archived.")
def end(client: LeagueClient, league: str, *, another: bool, no_wait: bool) -> Answer:
    """End the open season: finish its matches, then promote and relegate. For organisers.

    It waits until the server has archived the season. Ctrl-C ends only the wait.

    \b
    Example:
      highstreet league season end spring --another
    """  # noqa: D301  click's mark for "keep the lines"
    season = client.end_season(league, another=another)
    number = season["number"]
    if season["state"] != "archived" and not no_wait:
        click.echo(f"season {number} of {league} ends: waiting for its last matches", err=True)
    while season["state"] != "archived" and not no_wait:
        time.sleep(POLL)
        season = client.season(league, number)
    return Answer(season, f"season {number} of {league} is {season['state']}", _members(season))


@client_command("list")
@league_argument
def list_seasons(client: LeagueClient, league: str) -> Answer:
    """List the seasons of a league, the newest first.

    \b
    Example:
      highstreet league season list spring
    """  # noqa: D301  click's mark for "keep the lines"
    found = client.seasons(league)
    rows = [
        (
            str(each["number"]),
            each["state"],
            each["start_time"][:10],
            (each.get("end_time") or each.get("ends_at") or "")[:10],
            str(each["divisions"]),
            str(len(each["entrants"])),
        )
        for each in found
    ]
    titles = ("season", "state", "start", "end", "divisions", "bots")
    return Answer(found, table=text_table(titles, rows))


@client_command("show")
@league_argument
@click.option("--number", type=click.IntRange(min=1), help="Which season; default: the newest.")
def show(client: LeagueClient, league: str, number: int | None) -> Answer:
    """Show the divisions of a season, and who is promoted and relegated.

    \b
    Example:
      highstreet league season show spring --number 1
    """  # noqa: D301  click's mark for "keep the lines"
    season = client.season(league, number or 0)
    return Answer(season, f"season {season['number']}: {season['state']}", _members(season))


def _members(season: dict[str, Any]) -> Any:
    rows = [
        (str(each["division"]), str(each["rank"] or "-"), each["name"], each["move"])
        for each in season["entrants"]
    ]
    return text_table(("division", "rank", "bot", ""), rows)


for _subcommand in (start, end, list_seasons, show):
    command.add_command(_subcommand)
