"""``highstreet bot check``: what happens to a package before it may play."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import NoReturn

import click
from rich.console import Console
from rich.text import Text

from engine import UsageError
from referee.runtime import run_async
from tournaments.cli.check_bot import show_step
from tournaments.cli.files import exit_when_interrupted
from tournaments.cli.options import MatchRules, match_rules_options
from tournaments.submissions import BuildError, Progress, Stage, check_package, last_lines, pack


@click.command("check")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@match_rules_options
def command(folder: Path, rules: MatchRules) -> None:
    """Build a package in the sandbox, and check it at every game that it claims.

    FOLDER has a manifest, bot.toml. It is packed, unpacked, built without a network, and plays in
    the sandbox, where it sees its own files and its runtime only. The exit code is 0 if every stage
    is passed, and 1 if one fails.

    \b
    Example:
      highstreet bot check my-bot
    """  # noqa: D301  click's mark for "keep the lines"
    console = Console(highlight=False, soft_wrap=True)
    games: set[str] = set()

    def report(progress: Progress) -> None:
        if progress.step is None:
            console.print(Text.assemble((progress.stage, "bold"), f": {progress.sentence}"))
            return
        if progress.sentence not in games:
            games.add(progress.sentence)
            console.print(Text(f"{Stage.CHECKED} at {progress.sentence}:", "bold"))
        show_step(console, progress.step)

    packed = pack(folder)
    with tempfile.TemporaryDirectory(prefix="highstreet-") as logs, exit_when_interrupted():
        log = Path(logs) / "build.log"
        try:
            checked = run_async(
                check_package(packed, rules.time_control, rules.policy, report, log)
            )
        except BuildError as error:
            for line in last_lines(log):
                console.print(Text(f"    {line}"))
            _fail(console, error)
        except UsageError as error:
            _fail(console, error)
    console.print(Text(f"passed: package {checked.hash}", "bold green"))


def _fail(console: Console, error: UsageError) -> NoReturn:
    console.print(Text(str(error), "bold red"))
    raise click.exceptions.Exit(1)
