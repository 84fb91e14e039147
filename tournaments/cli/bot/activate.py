"""``highstreet bot activate``: a version that plays."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from tournaments.cli.output import Answer, client_command

if TYPE_CHECKING:
    from tournaments.server import SubmissionClient


@client_command("activate")
@click.argument("number", metavar="ID", type=click.IntRange(min=1))
def command(client: SubmissionClient, number: int) -> Answer:
    """Let a version that has passed all stages play, in place of another one.

    ID is the number that `highstreet bot list` prints.

    \b
    Example:
      highstreet bot activate 12
    """  # noqa: D301  click's mark for "keep the lines"
    active = client.activate(number)
    return Answer(active, f"{active['bot']} plays in version {active['version']}")
