"""``highstreet league``: the subcommands about entrants and their tokens."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tournaments.cli.files import refuse_existing
from tournaments.cli.output import (
    Answer,
    client_command,
    league_argument,
    name_argument,
    reason_option,
    shown_token,
    text_table,
    token_out_option,
)

if TYPE_CHECKING:
    from tournaments.server import LeagueClient


@client_command("enter")
@league_argument
@name_argument
@click.option("--author", default="", help="Who wrote the bot; default: no author is named.")
@token_out_option
def enter(
    client: LeagueClient, league: str, name: str, author: str, token_out: Path | None
) -> Answer:
    """Enter the bot NAME, and print its token, which is shown this once.

    \b
    Example:
      highstreet league enter spring greedy --author Ann --token-out greedy.token
    """  # noqa: D301  click's mark for "keep the lines"
    refuse_existing(token_out)
    entrant, issued = client.enter(league, name, author, secrets.token_urlsafe(12))
    return _token_answer(entrant, issued, token_out)


@client_command("token")
@league_argument
@name_argument
@token_out_option
def token(client: LeagueClient, league: str, name: str, token_out: Path | None) -> Answer:
    """Give the bot NAME a new token, if the old one is lost or known to others.

    Its old tokens are revoked; its connections stay. For organisers and the
    bot itself.

    \b
    Example:
      highstreet league token spring greedy --token-out greedy.token
    """  # noqa: D301  click's mark for "keep the lines"
    refuse_existing(token_out)
    issued = client.reissue_token(league, name)
    return _token_answer({"league": league, "name": name}, issued, token_out)


@client_command("withdraw")
@league_argument
@name_argument
@click.option("--reason", default="", help="The reason, which is public.")
def withdraw(client: LeagueClient, league: str, name: str, reason: str) -> Answer:
    """Take a bot out of a league; what it has played counts. For organisers and the bot itself.

    \b
    Example:
      highstreet league withdraw spring greedy --reason "a better one comes"
    """  # noqa: D301  click's mark for "keep the lines"
    entrant = client.withdraw(league, name, reason)
    return Answer(entrant, f"{name} is withdrawn from {league}")


@client_command("disqualify")
@league_argument
@name_argument
@reason_option
def disqualify(client: LeagueClient, league: str, name: str, reason: str) -> Answer:
    """Take a bot and all its results out of a league. For organisers.

    \b
    Example:
      highstreet league disqualify spring greedy --reason "it is a copy of another bot"
    """  # noqa: D301  click's mark for "keep the lines"
    entrant = client.disqualify(league, name, reason)
    said = f"{name} is disqualified from {league}; the standings are counted again now"
    return Answer(entrant, said)


@client_command("unbench")
@league_argument
@name_argument
def unbench(client: LeagueClient, league: str, name: str) -> Answer:
    """Let a bot play again that was benched after forfeits. For organisers and the bot itself.

    \b
    Example:
      highstreet league unbench spring greedy
    """  # noqa: D301  click's mark for "keep the lines"
    return Answer(client.unbench(league, name), f"{name} may play again in {league}")


@client_command("entrants")
@league_argument
def entrants(client: LeagueClient, league: str) -> Answer:
    """List the entrants: state, connections, versions, and why one does not play.

    \b
    Example:
      highstreet league entrants spring
    """  # noqa: D301  click's mark for "keep the lines"
    found = list(client.entrants(league))
    rows = [
        (
            each["name"],
            each["author"],
            each["state"],
            str(each["connections"] or "-"),
            ", ".join(version or '""' for version in each["versions"]),
            each["reason"],
        )
        for each in found
    ]
    titles = ("name", "author", "state", "here", "versions", "reason")
    return Answer(found, table=text_table(titles, rows))


def _token_answer(entrant: dict[str, Any], token: str, out: Path | None) -> Answer:
    """Return the token of a bot, or write it into a file and return where."""
    shown = shown_token(token, out)
    values = {"entrant": entrant, "token": shown}
    return Answer(values, f"token of {entrant['name']}: {shown}")
