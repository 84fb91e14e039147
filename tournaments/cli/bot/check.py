"""``highstreet bot check``: what happens to a package before it may play."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Final, NoReturn

import click
from click.core import ParameterSource
from rich.console import Console
from rich.text import Text

from engine import UsageError
from referee.devkit import Step
from referee.model import SandboxKind
from referee.runtime import run_async
from referee.sandbox import SANDBOXES
from tournaments.cli.check_bot import show_step
from tournaments.cli.connection import Connection, late_connection_options
from tournaments.cli.files import exit_when_interrupted
from tournaments.cli.options import MatchRules, match_rules_options, runtimes_option
from tournaments.cli.output import show_log
from tournaments.model import Manifest, RuntimesSettings, Stage, StageReport
from tournaments.submissions import (
    PackageCache,
    PackageTrial,
    StageError,
    TrialPlan,
    pack,
    package_hash,
)

OF_LEAGUE: Final = frozenset({"server", "token_file", "tls_ca"})
"""Options for the server of a league."""
OF_BOTH: Final = frozenset({"folder", "league", "config"})


@click.command("check")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--league",
    metavar="NAME",
    help="Check as this league does: its games, variants, table sizes, clock and policy.",
)
@late_connection_options
@match_rules_options
@runtimes_option
@click.pass_context
def command(
    context: click.Context,
    /,
    folder: Path,
    league: str | None,
    connect: Callable[[], Connection],
    rules: MatchRules,
    runtimes: RuntimesSettings,
) -> None:
    """Build a package in the sandbox, and check it at every game that it claims.

    FOLDER has a manifest, bot.toml. It is packed, unpacked, built without a network, and plays in
    the sandbox, where it sees its own files and its runtime only: as on a league server. With
    --league the games, their variants, table sizes, time limits and policy are those of a league,
    which is asked for them; the runtimes are those of this machine. The exit code is 0 if every
    stage is passed, and 1 if one fails.

    \b
    Examples:
      highstreet bot check my-bot
      highstreet bot check my-bot --league spring --server league.example:7000
    """  # noqa: D301  click's mark for "keep the lines"
    _refuse_options(context, league)
    console = Console(highlight=False, soft_wrap=True)
    plan = _plan(rules) if league is None else _league_plan(connect(), league)
    games: set[str] = set()

    def report(stage: StageReport) -> None:
        if stage.passed:
            console.print(Text.assemble((stage.stage, "bold"), f": {stage.sentence}"))

    def report_step(game: str, step: Step) -> None:
        if game not in games:
            games.add(game)
            console.print(Text(f"checking {game}:", "bold"))
        show_step(console, step)

    packed = pack(folder)
    with tempfile.TemporaryDirectory(prefix="highstreet-") as cache, exit_when_interrupted():
        trial = PackageTrial(PackageCache(Path(cache), runtimes), report, report_step)
        try:
            SANDBOXES[SandboxKind.BUBBLEWRAP].check()
            console.print(f"sandbox: {SANDBOXES[SandboxKind.BUBBLEWRAP].describe()}")
            run_async(trial.run(packed, plan))
        except StageError as error:
            if error.report.stage is not Stage.CHECKED:
                show_log(console, error.report.log)
            _fail(console, error)
        except UsageError as error:
            _fail(console, error)
    console.print(Text(f"passed: package {package_hash(packed)}", "bold green"))


def _plan(rules: MatchRules) -> Callable[[Manifest], TrialPlan]:
    return lambda manifest: TrialPlan.of_games(manifest.games, rules.time_control, rules.policy)


def _league_plan(connection: Connection, league: str) -> Callable[[Manifest], TrialPlan]:
    with connection.client() as client:
        settings = client.settings(league)
    return lambda manifest: TrialPlan.of_league(settings, manifest)


def _refuse_options(context: click.Context, league: str | None) -> None:
    """Refuse options that mean nothing with --league, or without it."""
    for parameter in context.command.params:
        name = parameter.name or ""
        if context.get_parameter_source(name) is not ParameterSource.COMMANDLINE or name in OF_BOTH:
            continue
        if league is None and name in OF_LEAGUE:
            raise UsageError(f"{parameter.opts[0]} is for --league NAME.")
        if league is not None and name not in OF_LEAGUE:
            raise UsageError(f"{parameter.opts[0]} is what the league says: leave it out.")


def _fail(console: Console, error: UsageError) -> NoReturn:
    console.print(Text(str(error), "bold red"))
    raise click.exceptions.Exit(1)
