"""``highstreet league``: the subcommands about standings and matches."""

from __future__ import annotations

import time
from itertools import islice
from typing import TYPE_CHECKING, Final

import click

from tournaments.cli.connection import Connection, connection_options
from tournaments.cli.files import INTERRUPTED
from tournaments.cli.output import (
    Answer,
    client_command,
    league_argument,
    reason_option,
    result_text,
    text_table,
)

if TYPE_CHECKING:
    from tournaments.server import LeagueClient

POLL: Final = 2.0
"""The interval at which ``watch`` asks the server, in seconds."""
FIRST: Final = 10
"""How many matches that are over already ``watch`` prints first."""
RECENT: Final = 200
_STATES: Final = ("scheduled", "running", "played", "annulled", "dropped")


@client_command("standings")
@league_argument
@click.option("--game", default="", help="The table of this game alone.")
@click.option(
    "--seats",
    type=click.IntRange(min=1),
    help="The table of matches with this number of seats alone.",
)
@click.option("--variant", default="", help="The table of this variant alone.")
@click.option("--season", type=click.IntRange(min=1), help="The table of this season.")
@click.option("--division", type=click.IntRange(min=1), help="The table of this division alone.")
def standings(
    client: LeagueClient,
    league: str,
    game: str,
    seats: int | None,
    variant: str,
    season: int | None,
    division: int | None,
) -> Answer:
    """Show the table of a league, or of a part of it, the best first.

    \b
    Examples:
      highstreet league standings spring
      highstreet league standings spring --seats 4 --variant recipes
      highstreet league standings spring --season 1 --division 2
    """  # noqa: D301  click's mark for "keep the lines"
    found, matches = client.standings(
        league,
        game=game,
        seats=seats or 0,
        variant=variant,
        season=season or 0,
        division=division or 0,
    )
    rows = [
        (
            str(each["rank"] or "-"),
            each["name"],
            f"{each['rating']:.2f}",
            f"{each['mu']:.2f}",
            f"{each['sigma']:.2f}",
            str(each["matches"]),
            f"{each['rank_low']}-{each['rank_high']}" if each["rank"] else "-",
            str(each["forfeits"]),
        )
        for each in found
    ]
    titles = ("rank", "bot", "rating", "mu", "sigma", "matches", "ranks", "forfeits")
    values = {"matches": matches, "standings": found}
    return Answer(values, f"{matches} matches", text_table(titles, rows))


@client_command("residuals")
@league_argument
@click.option("--most", type=click.IntRange(min=1), default=20, show_default=True)
@click.option("--striking", is_flag=True, help="Only pairs that are striking.")
def residuals(
    client: LeagueClient,
    league: str,
    most: int,
    striking: bool,  # noqa: FBT001  click passes it by name
) -> Answer:
    """Show pairs of bots whose results do not fit their ratings, the most striking first.

    A bot that loses to a friend on purpose shows up here: the friend has more points against it
    than their skills lead one to expect. p is the probability that any pair of an honest league is
    as striking as this one; below 5 % a pair is called striking. It is a reason to look at the
    records, not a proof: a style that beats another style looks the same. The results of a striking
    pair with 0.25 points a set more than expected are not rated, unless the league's file says
    count_striking_pairs = true.

    \b
    Example:
      highstreet league residuals spring --striking
    """  # noqa: D301  click's mark for "keep the lines"
    found, tested = client.residuals(league)
    found = [each for each in found if each["striking"] or not striking][:most]
    rows = [
        (
            each["entrant"],
            each["opponent"],
            str(each["sets"]),
            f"{each['observed']:.1f}",
            f"{each['expected']:.1f}",
            f"{each['z']:.1f}",
            f"{each['p_value']:.4f}",
            "not rated" if each["left_out"] else "striking" if each["striking"] else "",
        )
        for each in found
    ]
    titles = ("bot", "against", "sets", "points", "expected", "z", "p", "")
    values = {"pairs": tested, "residuals": found}
    return Answer(values, f"{tested} pairs were tested", text_table(titles, rows))


@client_command("matches")
@league_argument
@click.option("--entrant", default="", help="Only matches of this bot.")
@click.option("--game", default="", help="Only matches of this game.")
@click.option("--state", default="", type=click.Choice(["", *_STATES]), help="Only such matches.")
@click.option("--most", type=click.IntRange(min=1), default=50, show_default=True)
def matches(
    client: LeagueClient, league: str, entrant: str, game: str, state: str, most: int
) -> Answer:
    """List matches, the newest first.

    \b
    Example:
      highstreet league matches spring --entrant greedy --state played
    """  # noqa: D301  click's mark for "keep the lines"
    wanted = client.matches(league, entrant=entrant, game=game, state=state)
    found = list(islice(wanted, most))
    rows = [
        (each["match"], each["game"], each["variant"], each["state"], result_text(each))
        for each in found
    ]
    titles = ("match", "game", "variant", "state", "result")
    return Answer(found, table=text_table(titles, rows))


@client_command("annul")
@click.argument("match")
@reason_option
def annul(client: LeagueClient, match: str, reason: str) -> Answer:
    """Take the result of MATCH out of the standings. For organisers.

    \b
    Example:
      highstreet league annul 4c1d2a90aa3be0f1-1 --reason "the machine was out of memory"
    """  # noqa: D301  click's mark for "keep the lines"
    annulled = client.annul(match, reason)
    said = f"the match {match} is annulled; the standings are counted again now"
    return Answer(annulled, said)


@click.command("watch")
@league_argument
@click.option(
    "--matches", "most", type=click.IntRange(min=1), help="End after this number of matches."
)
@connection_options
def watch(league: str, most: int | None, connection: Connection) -> None:
    """Print every match when it is over, until Ctrl-C.

    \b
    Example:
      highstreet league watch spring
    """  # noqa: D301  click's mark for "keep the lines"
    try:
        with connection.client() as client:
            _watch(client, league, most)
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None


def _watch(client: LeagueClient, league: str, most: int | None) -> None:
    """Print matches as they end, beginning with the last few, at most ``most``."""
    left = float("inf") if most is None else most
    seen: set[str] | None = None
    while True:
        recent = list(islice(client.matches(league, state="played"), RECENT))
        fresh = [each for each in reversed(recent) if each["match"] not in (seen or ())]
        for each in fresh if seen is not None else fresh[-FIRST:]:
            click.echo(f"{each['end_time'][:19]}  {each['game']}  {result_text(each)}")
            left -= 1
            if left <= 0:
                return
        seen = {each["match"] for each in recent}
        time.sleep(POLL)
