"""``highstreet league``: the subcommands about accounts of authors."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tournaments.cli.files import refuse_existing
from tournaments.cli.output import (
    Answer,
    client_command,
    league_argument,
    shown_token,
    text_table,
    token_out_option,
)

if TYPE_CHECKING:
    from tournaments.server import SubmissionClient

_author_argument = click.argument("name", metavar="AUTHOR")


@client_command("accounts")
@league_argument
def accounts(client: SubmissionClient, league: str) -> Answer:
    """List the accounts of authors, and which wait for approval. For organisers.

    \b
    Example:
      highstreet league accounts spring
    """  # noqa: D301  click's mark for "keep the lines"
    found = list(client.accounts(league))
    rows = [
        (each["name"], each["state"], each["create_time"][:19], each["reason"]) for each in found
    ]
    return Answer(found, table=text_table(("author", "state", "since", "reason"), rows))


@client_command("approve")
@league_argument
@_author_argument
def approve(client: SubmissionClient, league: str, name: str) -> Answer:
    """Let an author submit bots whose account is pending or blocked. For organisers.

    \b
    Example:
      highstreet league approve spring Ann
    """  # noqa: D301  click's mark for "keep the lines"
    return Answer(client.approve(league, name), f"{name} may submit bots to {league}")


@client_command("block")
@league_argument
@_author_argument
@click.option("--reason", required=True, help="The reason, which the author is shown.")
def block(client: SubmissionClient, league: str, name: str, reason: str) -> Answer:
    """Refuse everything from an author, whose bots play no more. For organisers.

    \b
    Example:
      highstreet league block spring Ann --reason "three accounts of one person"
    """  # noqa: D301  click's mark for "keep the lines"
    account = client.block(league, name, reason)
    return Answer(account, f"{name} is blocked in {league}: approve undoes it")


@client_command("author-token")
@league_argument
@click.argument("name", metavar="[AUTHOR]", required=False, default="")
@token_out_option
def author_token(
    client: SubmissionClient, league: str, name: str, token_out: Path | None
) -> Answer:
    """Give an author a new token, if the old one is lost or known to others.

    The old tokens are revoked. For organisers, and for the author itself, who need not be named.

    \b
    Example:
      highstreet league author-token spring Ann --token-out ann.token
    """  # noqa: D301  click's mark for "keep the lines"
    refuse_existing(token_out)
    author, token = client.reissue_author_token(league, name)
    shown = shown_token(token, token_out)
    values = {"league": league, "name": author, "token": shown}
    return Answer(values, f"token of {author}: {shown}")
