"""``highstreet tournament``: plan, run, resume, show and verify tournaments."""

from __future__ import annotations

import click

from tournaments.cli.lazy_group import LazyGroup
from tournaments.cli.options import EXISTING_FILE, EXISTING_FOLDER, FOLDER

_SUMMARIES = {
    "init": "Write a tournament file with a comment for every key; it can be run unchanged.",
    "plan": "Show the number of matches, their balance, and an estimate of the time.",
    "resume": "Resume the tournament in FOLDER.",
    "run": "Play or resume a tournament, and write standings, records and a report.",
    "standings": "Show the standings of the tournament in FOLDER, also during a run.",
    "tokens": (
        "Print the token of each remote entrant; tokens do not change during the tournament."
    ),
    "verify": "Check the tournament in FOLDER, as `highstreet verify FOLDER` does.",
}

file_argument = click.argument("file", type=EXISTING_FILE)
folder_argument = click.argument("folder", type=EXISTING_FOLDER)
out_option = click.option(
    "--out",
    type=FOLDER,
    help="The folder of the tournament; default: the name of FILE without its ending.",
)
database_option = click.option(
    "--database",
    metavar="URL",
    help=(
        "Keep the tournament there and not in the folder: postgresql+psycopg://USER@HOST/NAME, a "
        "database of its own. The folder remembers it."
    ),
)


@click.group("tournament", cls=LazyGroup, package=__name__, summaries=_SUMMARIES)
def command() -> None:
    """Run the tournament of a file, with standings, records and a report.

    \b
    Example:
      highstreet tournament init tournament.toml
      highstreet tournament plan tournament.toml
      highstreet tournament run tournament.toml
      highstreet tournament verify tournament
    """  # noqa: D301  click's mark for "keep the lines"
