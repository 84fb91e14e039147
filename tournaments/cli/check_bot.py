"""``highstreet check-bot``: see whether a bot keeps the protocol."""

from __future__ import annotations

import contextlib
import shlex
import tempfile
from pathlib import Path

import click
from rich.console import Console
from rich.text import Text

from engine import UsageError, find_game
from referee import BotSpec, Transport
from referee.loop import run_async
from tournaments.check_bot import BotCheck, Mark, Step, Syllabus
from tournaments.cli.common import INTERRUPTED, game_option
from tournaments.cli.match_options import read_bots, read_policy, read_time_control, time_options
from tournaments.examinee import Hall

_MARKS = {
    Mark.PASSED: ("✓", "green"),
    Mark.WARNED: ("!", "yellow"),
    Mark.FAILED: ("✗", "bold red"),
    Mark.SKIPPED: ("-", "dim"),
}


@click.command("check-bot")
@click.argument("bot", metavar="-- COMMAND...", nargs=-1, required=True, type=click.UNPROCESSED)
@game_option("Which game it shall play.")
@click.option(
    "--transport",
    type=click.Choice([Transport.PIPE.value, Transport.GRPC.value]),
    default=Transport.PIPE.value,
    show_default=True,
    help="How the bot is spoken with.",
)
@click.option("--verbose", "-v", is_flag=True, help="Show the whole conversation.")
@time_options
def command(
    bot: tuple[str, ...],
    game: str,
    transport: str,
    verbose: bool,  # noqa: FBT001  click passes it by name
    policy: tuple[str, ...],
    **times: float,
) -> None:
    """Check whether a bot keeps the protocol, step by step.

    The bot plays real matches against random players, is asked every kind of decision, has an
    answer rejected, its connection cut and is sent away. A failed step is printed with what was
    expected and what the bot said. The exit code is 0 if all steps pass, 1 if any fails.

    \b
    Examples:
      highstreet check-bot -- python my_bot.py
      highstreet check-bot --transport grpc --per-move 0.5 -- ./my_bot --level 3
    """  # noqa: D301  click's mark for "keep the lines"
    spec = one_bot(bot, Transport(transport))
    syllabus = Syllabus(find_game(game), read_time_control(**times), read_policy(policy))
    console = Console(highlight=False, soft_wrap=True)
    try:
        steps = run_async(_check(spec, syllabus, console, verbose=verbose))
    except KeyboardInterrupt:
        click.echo("interrupted; the bot was ended.", err=True)
        raise SystemExit(INTERRUPTED) from None
    console.print(_verdict(steps))
    if any(step.mark is Mark.FAILED for step in steps):
        raise click.exceptions.Exit(1)


def one_bot(words: tuple[str, ...], transport: Transport) -> BotSpec:
    """Return the bot that a command, or the name of a sample bot, stands for."""
    (spec,) = read_bots([words[0] if len(words) == 1 else shlex.join(words)], transport)
    if spec.command is None:
        raise UsageError("this needs a bot that can be started here: give its command, not remote.")
    return spec


async def _check(
    spec: BotSpec, syllabus: Syllabus, console: Console, *, verbose: bool
) -> list[Step]:
    assert spec.command is not None  # noqa: S101  one_bot sees to that

    def echo(line: str) -> None:
        console.print(Text(line, "dim"))

    quiet = verbose or not console.is_terminal
    waiting = contextlib.nullcontext() if quiet else console.status("checking …")
    with waiting, tempfile.TemporaryDirectory(prefix="highstreet-") as folder:
        name = syllabus.game.spec.name
        async with Hall(spec.command, spec.transport, name, Path(folder)) as hall:
            check = BotCheck(
                hall,
                syllabus,
                lambda step: _show(console, step),
                echo if verbose else lambda _line: None,
            )
            return await check.run()


def _show(console: Console, step: Step) -> None:
    sign, style = _MARKS[step.mark]
    console.print(Text.assemble((sign, style), " ", (step.name, "bold"), f": {step.summary}"))
    for line in step.details:
        console.print(Text(f"    {line}"))


def _verdict(steps: list[Step]) -> Text:
    failed, skipped, warned = (
        sum(step.mark is mark for step in steps)
        for mark in (Mark.FAILED, Mark.SKIPPED, Mark.WARNED)
    )
    if failed:
        more = f", {skipped} skipped" if skipped else ""
        return Text(f"{failed} of {len(steps)} steps failed{more}", "bold red")
    more = f", {warned} with a warning" if warned else ""
    return Text(f"all {len(steps)} steps passed{more}", "bold green")
