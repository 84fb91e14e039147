"""``highstreet new-bot``: write a new project."""

from __future__ import annotations

from pathlib import Path

import click

from engine import UsageError
from referee.model import Transport
from sample_bots.languages import HOME, Language, find_language, find_template, languages
from sample_bots.projects import play_commands, write_sample, write_template
from tournaments.cli.files import file_errors
from tournaments.config import is_entrant_name

PYTHON = "python"
DEFAULT_NAME = "my-bot"


@click.command("new-bot")
@click.argument("language", metavar="LANGUAGE")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option(
    "--transport",
    type=click.Choice([Transport.PIPE.value, Transport.GRPC.value]),
    default=Transport.PIPE.value,
    show_default=True,
    help="pipe: a package without libraries; grpc: a sample bot that dials the referee.",
)
def command(language: str, folder: Path, transport: str) -> None:
    """Write the beginning of your own bot: a package that builds and plays as it stands.

    LANGUAGE is python, go, rust, java, typescript, javascript, cpp, perl, bash or c. The bot plays
    every game at random, over a pipe; its folder has a manifest, bot.toml, for `highstreet bot
    check`. With --transport grpc (python, go, rust, java, typescript, cpp) it is a copy of the
    sample bots, with the .proto files where they are needed. Tools that this machine lacks are
    listed.

    \b
    Examples:
      highstreet new-bot go my-bot
      highstreet new-bot go my-bot --transport grpc
    """  # noqa: D301  click's mark for "keep the lines"
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} exists and is not empty: choose another name.")
    if transport == Transport.PIPE:
        own: Language | None = find_template(language)
    else:
        own = _find_sample(language)
    with file_errors("write", folder):
        if own is None:
            write_sample(HOME / PYTHON, folder)
        elif own.transport is Transport.GRPC:
            write_sample(own.folder, folder)
        else:
            write_template(own, folder, _bot_name(folder))
    if own and own.key != language and transport == Transport.PIPE:
        click.echo(f"{language}: {own.name} with types in comments, which runs without a compiler")
    _echo_next_steps(own, folder)


def _find_sample(key: str) -> Language | None:
    """Return a language with sample bots over gRPC, None for Python; raises UsageError."""
    if key == PYTHON:
        return None
    speaking = [PYTHON, *(each.key for each in languages().values() if each.transport == "grpc")]
    if key not in speaking and (key in languages() or key == find_template(key).key):
        raise UsageError(
            f"there is no {key} bot over gRPC, but in {', '.join(speaking)}. Leave --transport "
            "out: `highstreet bridge` lets a bot over pipes play on a remote referee."
        )
    return find_language(key)


def _bot_name(folder: Path) -> str:
    """Return the name of the folder if it can be that of a bot."""
    name = folder.resolve().name
    return name if is_entrant_name(name) else DEFAULT_NAME


def _echo_next_steps(own: Language | None, folder: Path) -> None:
    click.echo(f"wrote {folder}; the next steps are in {folder / 'README.md'}")
    click.echo(f"  cd {folder}")
    if own is None:
        lines = ['highstreet play "python greedy_bot.py" random']
    elif own.transport is Transport.GRPC:
        lines = play_commands(own, "greedy")
    else:
        lines = [*play_commands(own), "highstreet bot check ."]
    for line in lines:
        click.echo(f"  {line}")
    if own and (missing := own.missing()):
        click.echo(
            f"Needed to build it, and not installed: {', '.join(missing)}. {own.how_to_get()}",
            err=True,
        )
