"""``highstreet compare``: test whether one bot is better than another."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import click

from engine import AnyGame, UsageError
from referee.model import SandboxKind, Transport
from tournaments.cli.bots import environment_option
from tournaments.cli.options import (
    FOLDER,
    MatchRules,
    clock_option,
    game_options,
    match_rules_options,
    read_clock,
    sandbox_option,
    transport_option,
)

MOST_SETS = 100_000


@click.command("compare")
@click.argument("new")
@click.argument("old")
@click.option(
    "--opponents",
    multiple=True,
    metavar="BOT,BOT...",
    help=(
        "The bots that NEW and OLD play against, separated by commas; repeatable. Default: none, "
        "and NEW and OLD play each other."
    ),
)
@game_options
@click.option(
    "--seats",
    type=int,
    help="How many seats; default: one for each opponent, and one for NEW and OLD.",
)
@click.option(
    "--head-to-head",
    is_flag=True,
    help="Seat NEW and OLD at the same table, with the opponents if there are any.",
)
@click.option(
    "--confidence",
    type=click.FloatRange(0.5, 0.999),
    default=0.95,
    show_default=True,
    help="The probability that the verdict is right, however often the test was looked at.",
)
@click.option(
    "--max-sets",
    type=click.IntRange(1, MOST_SETS),
    default=1000,
    show_default=True,
    help="Stop after this number of deals if nothing is decided.",
)
@click.option(
    "--margin",
    type=click.FloatRange(0.001, 1),
    help="Stop, too, when the difference is known to be at most this number of points.",
)
@transport_option("How the referee communicates with bots without a prefix.")
@environment_option
@sandbox_option
@clock_option
@click.option(
    "--tables", type=click.IntRange(1, 512), default=4, show_default=True, help="Matches at once."
)
@click.option(
    "--workers", type=click.IntRange(1, 64), help="Processes that share the tables; one per core."
)
@click.option("--seed", help="Derive all deals from this seed; default: random.")
@click.option(
    "--out",
    type=FOLDER,
    help=(
        "Keep matches, records and a report in this folder; the same command continues there. "
        "Default: nothing is kept."
    ),
)
@match_rules_options
def command(
    new: str,
    old: str,
    opponents: tuple[str, ...],
    game: AnyGame,
    seats: int | None,
    options: tuple[str, ...],
    head_to_head: bool,  # noqa: FBT001
    confidence: float,
    max_sets: int,
    margin: float | None,
    transport: str,
    env: Mapping[str, str],
    sandbox: str,
    clock: str,
    tables: int,
    workers: int | None,
    seed: str | None,
    out: Path | None,
    rules: MatchRules,
) -> None:
    """Test whether the bot NEW is better than the bot OLD.

    Each deal is played in every rotation of the seats, once with NEW and once with OLD in the same
    place against the same opponents; without opponents the two play each other. The difference of
    their mean points is tested after every few deals, and play stops as soon as it is decided: at
    the confidence, NEW is better, or it is worse. Points are the share of the opponents at the
    table that came below, from 0 to 1.

    A bot is the name of a sample bot (random, greedy, search), a command in quotes, or the folder
    or archive of a package. The prefix pipe: or grpc: overrides --transport for this bot.

    The exit code is 0 if NEW is better, 1 if it is worse or nothing is decided, 2 if the matches
    could not be played, and 130 after Ctrl-C.

    \b
    Examples:
      highstreet compare "python new_bot.py" "python old_bot.py" --opponents greedy,random
      highstreet compare greedy random
      highstreet compare ./v2 ./v1 --opponents greedy --seats 4 --margin 0.02 --out v2-v1
    """  # noqa: D301  click's mark for "keep the lines"
    # Slow to load, and not needed for --help.
    from tournaments.cli.compare.run import run_comparison  # noqa: PLC0415
    from tournaments.cli.compare.settings_file import ComparisonOptions  # noqa: PLC0415

    asked = [text.strip() for each in opponents for text in each.split(",")]
    if not all(asked):
        raise UsageError("--opponents names an empty bot: write BOT,BOT without spaces between.")
    rules = replace(rules, time_control=read_clock(rules.time_control, clock, sandbox))
    comparison = ComparisonOptions(
        new=new,
        old=old,
        opponents=asked,
        game=game,
        options=options,
        seats=seats,
        same_table=head_to_head or not asked,
        confidence=confidence,
        max_sets=max_sets,
        margin=margin,
        transport=Transport(transport),
        environment=env,
        sandbox=SandboxKind(sandbox),
        rules=rules,
        seed=seed,
    )
    with contextlib.ExitStack() as stack:
        folder = out or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="highstreet-")))
        is_better = run_comparison(comparison, folder, tables, workers, kept=out is not None)
    if not is_better:
        raise click.exceptions.Exit(1)
