"""``highstreet serve``: a league server, with a default league if it is given no other."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from engine import UsageError
from tournaments.cli.options import (
    FOLDER,
    database_options,
    game_options,
    listen_options,
    match_rules_options,
    runtimes_option,
)


@click.command("serve")
@database_options
@click.option(
    "--init",
    is_flag=True,
    help="Create the database, print the token of its organiser once, and end.",
)
@click.option(
    "leagues",
    "--league",
    multiple=True,
    metavar="LEAGUE=FILE",
    help="Create this league as FILE describes it, unless it exists. Repeatable.",
)
@click.option(
    "--open-entry",
    is_flag=True,
    help="Bots may be entered without a token; default: by organisers only.",
)
@click.option(
    "--house",
    multiple=True,
    metavar="LEAGUE/NAME=COMMAND",
    help="Run a bot on this machine, again whenever it ends. Repeatable.",
)
@click.option(
    "--submissions/--no-submissions",
    default=True,
    help=(
        "Take packages of bots from authors, with --data and where the sandbox is; default: "
        "--submissions."
    ),
)
@click.option(
    "--slots",
    type=click.IntRange(min=1),
    help=(
        "How many matches with submitted bots, which this server runs itself, are played at once; "
        "default: one for each core. Their processes may use half of the memory."
    ),
)
@click.option(
    "--package-cache",
    type=click.FloatRange(min=0, min_open=True),
    default=10.0,
    show_default=True,
    metavar="GIB",
    help=(
        "How much built packages of submitted bots may take of the disk before one more is built; "
        "those that do not play are removed first, and built again when they are needed."
    ),
)
@click.option(
    "--cluster",
    metavar="ADDRESS",
    help=(
        "Play matches between submitted bots on the workers of the Dask cluster whose scheduler is "
        "at ADDRESS, as in tcp://host:8786; on this machine while it has no worker. Needs --data "
        "and highstreet[cluster]."
    ),
)
@click.option(
    "--without-worker",
    multiple=True,
    metavar="NAME",
    help="Leave out a worker of the cluster, by its name or address. Repeatable.",
)
@runtimes_option
@click.option("--out", type=FOLDER, help="Write a copy of each record into this folder.")
@click.option("--matches", type=click.IntRange(min=1), help="Stop after this number of matches.")
@click.option(
    "--grace",
    type=click.FloatRange(min=0),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="How long running matches may go on after SIGTERM or Ctrl-C.",
)
@listen_options
@click.option("--unix", type=click.Path(path_type=Path), help="Listen on this socket too.")
@click.option(
    "--web-port",
    type=click.IntRange(0, 65535),
    help="Serve web pages on this port; 0 is any free one.",
)
@click.option("--web-host", default="127.0.0.1", show_default=True, help="For the pages.")
@click.option(
    "--web-address",
    metavar="URL",
    help="Where people find the pages, such as behind a proxy; default: that of --web-port.",
)
@click.option(
    "proxies",
    "--proxy",
    multiple=True,
    metavar="ADDRESS",
    help=(
        "Believe the X-Forwarded-For of the reverse proxy at this address, or in this network, "
        "about who reads the pages. Repeatable."
    ),
)
@click.option("--log-json", is_flag=True, help="Log one JSON object a line.")
@game_options
@click.option("--seats", type=int, help="How many seats; default: the fewest of the game.")
@click.option(
    "entrants",
    "--entrant",
    multiple=True,
    metavar="NAME",
    help=(
        "Enter a bot, and print its token; without any, a bot is entered with "
        "`highstreet league enter default NAME`. Repeatable."
    ),
)
@click.option(
    "--tables",
    type=click.IntRange(min=1),
    default=4,
    show_default=True,
    help="How many matches run at once.",
)
@match_rules_options
@click.pass_context
def command(context: click.Context, /, *, init: bool, **given: Any) -> None:
    """Run a league server: it pairs the bots that connect, and keeps results and records.

    With --data or --database it serves the leagues of that database, which are created with
    `highstreet league` or --league and outlive the server. Without, it opens the league "default"
    in a temporary folder, of one game, and seats every bot that connects with a token; the options
    from --game on describe that league.

    Health checking and reflection are on; MatchService gives out results and records.

    \b
    Examples:
      highstreet serve --seats 2 --entrant ann --entrant bob --port 7000
      highstreet serve --house default/a=greedy --house default/b=random --web-port 8000
      highstreet serve --data leagues --init
      highstreet serve --data leagues --port 7000 --web-port 8000
      highstreet serve --data leagues --port 7000 --cluster tcp://127.0.0.1:8786
    """  # noqa: D301  click's mark for "keep the lines"
    # Slow to load, and not needed for --help.
    from tournaments.cli.server_process import initialise, read_server_options, serve  # noqa: PLC0415

    names = ("game", "options", "seats", "entrants", "tables", "rules")
    default_league = {name: given.pop(name) for name in names}
    stored = given["data"] is not None or given["database"] is not None
    if init or stored or given["leagues"]:
        _refuse_default_league_options(context)
        default_league = {}
    if init:
        initialise(given["data"], given["database"], given["runtimes"])
    else:
        serve(read_server_options(given, default_league))


def _refuse_default_league_options(context: click.Context) -> None:
    """Refuse options of the default league where there is none: those from --game on."""
    parameters = context.command.params
    first = next(n for n, parameter in enumerate(parameters) if parameter.name == "game")
    for parameter in parameters[first:]:
        if context.get_parameter_source(parameter.name or "") is ParameterSource.COMMANDLINE:
            raise UsageError(
                f"{parameter.opts[0]} describes the default league of a server without --data, "
                "--database, HIGHSTREET_DATABASE and --league; other leagues are described by "
                "their files."
            )
