"""``highstreet check-bot``: check whether a bot keeps the protocol."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Mapping
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from engine import AnyGame
from referee.devkit import BotCheck, CheckBench, CheckConfig, Step, StepStatus
from referee.model import BotSpec, Transport
from referee.runtime import run_async
from tournaments.cli.bots import environment_option, one_bot
from tournaments.cli.files import exit_when_interrupted
from tournaments.cli.options import (
    MatchRules,
    bot_argument,
    game_option,
    match_rules_options,
    transport_option,
)

_MARKS = {
    StepStatus.PASSED: ("✓", "green"),
    StepStatus.WARNED: ("!", "yellow"),
    StepStatus.FAILED: ("✗", "bold red"),
    StepStatus.SKIPPED: ("-", "dim"),
}


@click.command("check-bot")
@bot_argument
@game_option("The game that the bot plays.")
@transport_option("How the referee and the bot communicate.")
@environment_option
@click.option("--verbose", "-v", is_flag=True, help="Show every message.")
@match_rules_options
def command(
    bot: tuple[str, ...],
    game: AnyGame,
    transport: str,
    env: Mapping[str, str],
    verbose: bool,  # noqa: FBT001  click passes it by name
    rules: MatchRules,
) -> None:
    """Check whether a bot keeps the protocol, step by step.

    The bot plays matches against random players: every kind of decision, a rejected answer, a cut
    connection and the goodbye. A failed step is printed with the expected and the received
    messages. The exit code is 0 if all steps pass, and 1 if any fails.

    \b
    Examples:
      highstreet check-bot -- python my_bot.py
      highstreet check-bot --transport grpc --per-move 0.5 -- ./my_bot --level 3
    """  # noqa: D301  click's mark for "keep the lines"
    spec = one_bot(bot, Transport(transport), env)
    config = CheckConfig(game, rules.time_control, rules.policy)
    console = Console(highlight=False, soft_wrap=True)
    with exit_when_interrupted():
        steps = run_async(_check(spec, config, console, verbose=verbose))
    console.print(_verdict(steps))
    if any(step.status is StepStatus.FAILED for step in steps):
        raise click.exceptions.Exit(1)


async def _check(
    spec: BotSpec, config: CheckConfig, console: Console, *, verbose: bool
) -> list[Step]:
    assert spec.command is not None  # noqa: S101  checked by one_bot

    def echo(line: str) -> None:
        console.print(Text(line, "dim"))

    quiet = verbose or not console.is_terminal
    waiting = contextlib.nullcontext() if quiet else console.status("checking …")
    with waiting, tempfile.TemporaryDirectory(prefix="highstreet-") as folder:
        name = config.game.spec.name
        async with CheckBench(spec.command, spec.transport, name, Path(folder)) as bench:
            check = BotCheck(
                bench,
                config,
                lambda step: show_step(console, step),
                echo if verbose else lambda _line: None,
            )
            return await check.run()


def show_step(console: Console, step: Step) -> None:
    """Print the result of a step."""
    sign, style = _MARKS[step.status]
    console.print(Text.assemble((sign, style), " ", (step.name, "bold"), f": {step.summary}"))
    for line in step.details:
        console.print(Text(f"    {line}"))


def _verdict(steps: list[Step]) -> Text:
    failed, skipped, warned = (
        sum(step.status is status for step in steps)
        for status in (StepStatus.FAILED, StepStatus.SKIPPED, StepStatus.WARNED)
    )
    if failed:
        more = f", {skipped} skipped" if skipped else ""
        return Text(f"{failed} of {len(steps)} steps failed{more}", "bold red")
    more = f", {warned} with a warning" if warned else ""
    return Text(f"all {len(steps)} steps passed{more}", "bold green")
