"""``highstreet league``: create leagues, enter bots, show matches and standings."""

from __future__ import annotations

import secrets
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import click

from referee.runtime import read_text, write_whole
from tournaments.cli.files import file_errors, refuse_existing
from tournaments.cli.league import accounts, database, entrants, final, matches, retention, seasons
from tournaments.cli.options import EXISTING_FILE, FILE
from tournaments.cli.output import Answer, client_command, league_argument, text_table

if TYPE_CHECKING:
    from tournaments.server import LeagueClient


@click.group("league")
def command() -> None:
    """Make leagues on a league server, enter bots, and show their matches and standings.

    The server is --server, HIGHSTREET_SERVER, or `server` in ~/.config/highstreet/config.toml. A
    token comes from --token-file, from HIGHSTREET_TOKEN, or from that file, and never from the
    command line, where others can read it:

    \b
      server = "league.example:7000"
      [servers."league.example:7000"]
      token = "…"

    \b
    Examples:
      highstreet league init spring.toml
      highstreet league create spring spring.toml --server league.example:7000
      highstreet league standings spring
    """  # noqa: D301  click's mark for "keep the lines"


@click.command("init")
@click.argument("file", type=FILE)
def init(file: Path) -> None:
    """Write a commented example of a league into FILE.

    \b
    Example:
      highstreet league init spring.toml
    """  # noqa: D301  click's mark for "keep the lines"
    refuse_existing(file)
    template = files("tournaments.config").joinpath("league_template.toml")
    with file_errors("write", file):
        write_whole(file, template.read_bytes())
    click.echo(f"{file} is written; change what you like, then: highstreet league create ID {file}")


@client_command("create")
@league_argument
@click.argument("file", type=EXISTING_FILE)
def create(client: LeagueClient, league: str, file: Path) -> Answer:
    """Make the league LEAGUE as FILE describes it. For organisers.

    \b
    Example:
      highstreet league create spring spring.toml --server league.example:7000
    """  # noqa: D301  click's mark for "keep the lines"
    from tournaments.config import parse_league  # noqa: PLC0415  slow to load

    settings = parse_league(read_text(file), str(file))
    made = client.create(league, settings, secrets.token_urlsafe(12))
    return Answer(made, f'the league "{league}" is open')


@client_command("list")
def list_leagues(client: LeagueClient) -> Answer:
    """List the leagues of the server.

    \b
    Example:
      highstreet league list --server league.example:7000
    """  # noqa: D301  click's mark for "keep the lines"
    found = list(client.leagues())
    rows = [
        (each["league"], each["settings"]["title"], each["state"], each["settings"]["scheduler"])
        for each in found
    ]
    return Answer(found, table=text_table(("league", "title", "state", "scheduler"), rows))


@client_command("show")
@league_argument
def show(client: LeagueClient, league: str) -> Answer:
    """Show what LEAGUE does now: whether it plays, waits or rests, since when, why, what wakes it.

    \b
    Example:
      highstreet league show spring
    """  # noqa: D301  click's mark for "keep the lines"
    found = client.league(league)
    activity, settings = found["activity"], found["settings"]
    pace = settings["pace"]
    rows = [
        ("title", settings["title"]),
        ("state", f"{found['state']}, {activity['state']}"),
        ("since", (activity.get("since_time") or "-")[:19]),
        ("why", activity["why"]),
        ("wakes", activity["wakes"] or "-"),
        ("matches an hour", _limit(pace["matches_per_hour"])),
        ("of each bot", _limit(pace["bot_matches_per_hour"])),
        ("rests", {"never": "never"}.get(pace["settle"], f"when the {pace['settle']} is settled")),
    ]
    return Answer(found, table=text_table(("", league), rows))


def _limit(number: int) -> str:
    return str(number) if number else "any number"


@client_command("close")
@league_argument
def close(client: LeagueClient, league: str) -> Answer:
    """End a league: what is running finishes, nothing more begins. For organisers.

    \b
    Example:
      highstreet league close spring
    """  # noqa: D301  click's mark for "keep the lines"
    return Answer(client.close(league), f'the league "{league}" is closed')


for _subcommand in (
    *(init, create, list_leagues, show, close),
    *(entrants.enter, entrants.token, entrants.withdraw, entrants.disqualify, entrants.unbench),
    *(entrants.entrants, matches.standings, matches.matches, matches.annul, matches.watch),
    *(matches.residuals, retention.prune, retention.keep),
    *(seasons.command, final.command, final.publish),
    *(accounts.accounts, accounts.approve, accounts.block, accounts.author_token),
    *(database.backup, database.restore, database.organiser),
):
    command.add_command(_subcommand)
