"""``highstreet bridge``: let a pipe bot play on a remote referee."""

from __future__ import annotations

import asyncio
import signal
from pathlib import Path

import click

from engine import UsageError
from referee import BotCommand
from referee.bridge import TRIES, Bridge
from referee.loop import run_async
from tournaments.bot_names import SAMPLES, sample_command
from tournaments.cli.common import INTERRUPTED


@click.command("bridge")
@click.argument("bot", metavar="-- COMMAND...", nargs=-1, required=True, type=click.UNPROCESSED)
@click.option(
    "--target",
    envvar="HIGHSTREET_TARGET",
    required=True,
    metavar="HOST:PORT",
    help="Where the referee listens; or HIGHSTREET_TARGET.",
)
@click.option(
    "--token",
    envvar="HIGHSTREET_TOKEN",
    required=True,
    help="The token of the bot; HIGHSTREET_TOKEN keeps it out of the list of processes.",
)
@click.option(
    "--tls-ca",
    envvar="HIGHSTREET_CA",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="The certificate of the authority, if the referee speaks TLS.",
)
@click.option(
    "--tries",
    envvar="HIGHSTREET_TRIES",
    type=click.IntRange(min=0),
    default=TRIES,
    show_default=True,
    help="How often to dial again, once a referee that was there is away; 300 is about an hour.",
)
@click.option(
    "--stderr",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where the standard error of the bot goes; default: nowhere.",
)
def command(
    bot: tuple[str, ...],
    target: str,
    token: str,
    tls_ca: Path | None,
    tries: int,
    stderr: Path | None,
) -> None:
    """Let a bot that reads and writes lines play on a remote referee.

    The bot is started here and speaks the stdio protocol; the bridge dials the referee, passes
    every message on, and comes back after a cut connection. It ends when the referee says goodbye.

    \b
    Example:
      highstreet bridge --target referee.example:7000 --token T -- python my_bot.py
    """  # noqa: D301  click's mark for "keep the lines"
    chosen = sample_command(bot[0]) if bot in [(name,) for name in SAMPLES] else BotCommand(bot)
    try:
        certificate = tls_ca.read_bytes() if tls_ca else None
    except OSError as error:
        raise UsageError(f"cannot read {tls_ca}: {error.strerror}.") from None
    bridge = Bridge(target, token, certificate, tries)
    try:
        run_async(_run(bridge, chosen, stderr))
    except (KeyboardInterrupt, asyncio.CancelledError):
        click.echo("interrupted; the bot was ended.", err=True)
        raise SystemExit(INTERRUPTED) from None
    click.echo(f"goodbye after {bridge.matches} matches", err=True)


async def _run(bridge: Bridge, command: BotCommand, stderr: Path | None) -> None:
    running = asyncio.current_task()
    assert running is not None  # noqa: S101  this is it
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, running.cancel)
    await bridge.run(command, stderr)
