"""``highstreet bot check``: what happens to a package before it may play."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import NoReturn

import click
from rich.console import Console
from rich.text import Text

from engine import UsageError
from referee.devkit import Step
from referee.model import SandboxKind
from referee.runtime import run_async
from referee.sandbox import SANDBOXES
from tournaments.cli.check_bot import show_step
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


@click.command("check")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@match_rules_options
@runtimes_option
def command(folder: Path, rules: MatchRules, runtimes: RuntimesSettings) -> None:
    """Build a package in the sandbox, and check it at every game that it claims.

    FOLDER has a manifest, bot.toml. It is packed, unpacked, built without a network, and plays in
    the sandbox, where it sees its own files and its runtime only: as on a league server. The exit
    code is 0 if every stage is passed, and 1 if one fails.

    \b
    Example:
      highstreet bot check my-bot
    """  # noqa: D301  click's mark for "keep the lines"
    console = Console(highlight=False, soft_wrap=True)
    games: set[str] = set()

    def report(stage: StageReport) -> None:
        if stage.passed:
            console.print(Text.assemble((stage.stage, "bold"), f": {stage.sentence}"))

    def report_step(game: str, step: Step) -> None:
        if game not in games:
            games.add(game)
            console.print(Text(f"checking {game}:", "bold"))
        show_step(console, step)

    def plan(manifest: Manifest) -> TrialPlan:
        return TrialPlan.of_games(manifest.games, rules.time_control, rules.policy)

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


def _fail(console: Console, error: UsageError) -> NoReturn:
    console.print(Text(str(error), "bold red"))
    raise click.exceptions.Exit(1)
