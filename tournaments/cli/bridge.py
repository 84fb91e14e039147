"""``highstreet bridge``: connect a pipe bot to a remote referee."""

from __future__ import annotations

import asyncio
import signal
import sys
from pathlib import Path

import click

from referee.model import BotCommand
from referee.runtime import run_async
from referee.transports import TRIES, Bridge, files_version, program_files
from tournaments.bot_commands import SAMPLES, sample_command
from tournaments.cli.connection import tls_ca_option, token_options
from tournaments.cli.files import exit_when_interrupted, read_file
from tournaments.cli.options import FILE, bot_argument


@click.command("bridge")
@bot_argument
@click.option(
    "--target",
    envvar="HIGHSTREET_TARGET",
    required=True,
    metavar="HOST:PORT",
    help="Where the referee listens; or HIGHSTREET_TARGET.",
)
@token_options
@tls_ca_option("The certificate of the authority, if the referee uses TLS.")
@click.option(
    "--tries",
    envvar="HIGHSTREET_TRIES",
    type=click.IntRange(min=0),
    default=TRIES,
    show_default=True,
    help="How often to connect again after the connection is lost; 300 is about an hour.",
)
@click.option(
    "--stderr",
    type=FILE,
    help="The file for the standard error of the bot; default: that of the bridge.",
)
@click.option(
    "--bot-version",
    envvar="HIGHSTREET_BOT_VERSION",
    help="The version of the bot; default: a hash of its program and of the files in COMMAND.",
)
def command(
    bot: tuple[str, ...],
    target: str,
    token: str,
    tls_ca: Path | None,
    tries: int,
    stderr: Path | None,
    bot_version: str | None,
) -> None:
    """Connect a bot that reads and writes lines to a remote referee.

    The bridge starts the bot, which uses the stdio protocol, connects to the referee, forwards
    every message, and reconnects after a cut connection. It ends with the referee's goodbye. After
    SIGINT or SIGTERM it accepts no more matches and finishes those that are running; a second
    signal ends it at once.

    \b
    Example:
      HIGHSTREET_TOKEN=… highstreet bridge --target referee.example:7000 -- python my_bot.py
    """  # noqa: D301  click's mark for "keep the lines"
    chosen = sample_command(bot[0]) if bot in [(name,) for name in SAMPLES] else BotCommand(bot)
    certificate = read_file(tls_ca) if tls_ca else None
    version = bot_version or _program_version(chosen)
    bridge = Bridge(target, token, certificate, tries, version)
    with exit_when_interrupted():
        run_async(_run(bridge, chosen, stderr or sys.stderr.fileno()))
    click.echo(f"goodbye after {bridge.matches} matches", err=True)


def _program_version(command: BotCommand) -> str:
    """Return a hash of the files in a command, and print their names."""
    files = program_files(command)
    try:
        version = files_version(files)
    except OSError as error:
        unknown = f"cannot read {error.filename}: {error.strerror}. Set HIGHSTREET_BOT_VERSION."
        click.echo(f"the version of this bot is unknown: {unknown}", err=True)
        return ""
    click.echo(
        f"bot_version {version} is a hash of {' and '.join(file.name for file in files)}; "
        "if the bot has more files, set HIGHSTREET_BOT_VERSION.",
        err=True,
    )
    return version


async def _run(bridge: Bridge, command: BotCommand, stderr: Path | int) -> None:
    running = asyncio.current_task()
    assert running is not None  # noqa: S101  in a coroutine
    loop = asyncio.get_running_loop()
    signals = (signal.SIGINT, signal.SIGTERM)

    def leave() -> None:
        for number in signals:
            loop.add_signal_handler(number, running.cancel)
        click.echo(
            f"leaving after {bridge.playing} running matches; a second signal ends it at once.",
            err=True,
        )
        bridge.leave()

    for number in signals:
        loop.add_signal_handler(number, leave)
    await bridge.run(command, stderr)
