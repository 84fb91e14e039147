"""``highstreet play``: play matches between bots that are started or connect."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import click

from engine import AnyGame, UsageError
from referee.model import SandboxKind, Transport
from tournaments.cli.bots import environment_option, read_bots
from tournaments.cli.files import make_folder
from tournaments.cli.options import (
    FOLDER,
    Listen,
    MatchRules,
    clock_option,
    game_options,
    listen_options,
    match_rules_options,
    read_clock,
    read_options,
    sandbox_option,
    transport_option,
)


@click.command("play")
@click.argument("bots", nargs=-1, required=True, metavar="BOT BOT...")
@game_options
@click.option("--seats", type=int, help="How many seats; default: one for each bot.")
@transport_option("How the referee communicates with bots without a prefix.")
@environment_option
@sandbox_option
@clock_option
@click.option("--matches", type=click.IntRange(min=1), default=1, help="How many matches.")
@click.option("--rotate/--no-rotate", default=True, help="Change seats from match to match.")
@click.option("--seed", help="The seed of the first deal; default: random.")
@click.option(
    "--out",
    type=FOLDER,
    help=(
        "Write the records, the standard error of each bot and an index of the matches, "
        "index.csv, into this folder."
    ),
)
@click.option("--watch", is_flag=True, help="Draw the board after each move.")
@listen_options
@match_rules_options
def command(
    bots: tuple[str, ...],
    game: AnyGame,
    seats: int | None,
    options: tuple[str, ...],
    transport: str,
    env: Mapping[str, str],
    sandbox: str,
    clock: str,
    matches: int,
    rotate: bool,  # noqa: FBT001
    seed: str | None,
    out: Path | None,
    watch: bool,  # noqa: FBT001
    listen: Listen,
    rules: MatchRules,
) -> None:
    """Play matches between bots and show the result.

    A BOT is the name of a sample bot (random, greedy, search), a command in quotes, or remote: then
    its token is printed, and the match waits until the bot has connected. The prefix pipe: or
    grpc: overrides --transport for this bot.

    The exit code is 0 if all matches were played without a forfeit, 1 if any bot forfeited, 2 if
    the matches could not be played, and 130 after Ctrl-C.

    \b
    Examples:
      highstreet play greedy random
      highstreet play --seats 3 --recipes --transport grpc greedy random random --out records
      highstreet play --matches 20 "python my_bot.py" greedy
      highstreet play "grpc:./my-bot --level 3" "pipe:python old_bot.py" --env API_KEY
    """  # noqa: D301  click's mark for "keep the lines"
    # Slow to load, and not needed for --help.
    from tournaments.cli.play.index import check_index  # noqa: PLC0415
    from tournaments.cli.play.matches import PlayOptions, play_matches  # noqa: PLC0415

    chosen = read_options(game, len(bots) if seats is None else seats, options)
    if len(bots) != chosen.seats:
        raise UsageError(f"{chosen.seats} seats need {chosen.seats} bots, not {len(bots)}.")
    specs = read_bots(bots, Transport(transport), env, SandboxKind(sandbox))
    rules = replace(rules, time_control=read_clock(rules.time_control, clock, sandbox))
    with contextlib.ExitStack() as stack:
        if out is None:
            logs = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="highstreet-")))
        else:
            logs = make_folder(out)
            check_index(out)
        forfeited = play_matches(
            PlayOptions(game, chosen, specs, rules, matches, seed, out, logs, listen, rotate, watch)
        )
    if forfeited:
        raise click.exceptions.Exit(1)
