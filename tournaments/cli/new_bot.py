"""``highstreet new-bot``: copy a sample bot as a new project."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

import sample_bots
from engine import UsageError
from sample_bots.languages import HOME, Language, find_language
from tournaments.cli.files import file_errors

PROTO = "../../proto"
"""The path of the .proto files in the sources of the sample bots."""
PYTHON = "python"


@click.command("new-bot")
@click.argument("language", metavar="LANGUAGE")
@click.argument("folder", type=click.Path(path_type=Path))
def command(language: str, folder: Path) -> None:
    """Copy a sample bot as the beginning of your own: a project that builds and plays.

    LANGUAGE is python, go, rust, java, typescript, cpp, or perl, bash, c for bots over pipes. The
    .proto files are copied too where the bot needs them. Tools for building it that this machine
    lacks are listed.

    \b
    Example:
      highstreet new-bot go my-bot
    """  # noqa: D301  click's mark for "keep the lines"
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} exists and is not empty: choose another name.")
    own = None if language == PYTHON else find_language(language)
    source = own.folder if own else HOME / PYTHON
    with file_errors("write", folder):
        _write(source, folder)
    click.echo(f"wrote {folder}; the next steps are in {folder / 'README.md'}")
    for line in _next(own, folder):
        click.echo(f"  {line}")
    if own and (missing := own.missing()):
        click.echo(
            f"Needed to build it, and not installed: {', '.join(missing)}. {own.how_to_get()}",
            err=True,
        )


def _next(own: Language | None, folder: Path) -> list[str]:
    lines = [f"cd {folder}"]
    if own is None:
        return [*lines, 'highstreet play "python greedy_bot.py" random']
    lines += [" ".join(words) for words in own.build]
    run, how = " ".join([*own.run, "greedy"]), f"--transport {own.transport.value} "
    return [*lines, f'highstreet play {how}"{run}" random']


def _write(source: Path, folder: Path) -> None:
    """Copy the sources of a sample bot, and the .proto files if they name them."""
    needs_protocol = False
    for path in sorted(source.rglob("*")):
        inner = path.relative_to(source)
        if path.is_dir() or _is_made(inner, source):
            continue
        target = folder / inner
        target.parent.mkdir(parents=True, exist_ok=True)
        data = path.read_bytes()
        needs_protocol |= PROTO.encode() in data
        target.write_bytes(data.replace(PROTO.encode(), b"proto"))
        shutil.copymode(path, target)
    if needs_protocol:
        shutil.copytree(_protocol() / "highstreet", folder / "proto" / "highstreet")


def _is_made(inner: Path, source: Path) -> bool:
    """Return whether the .gitignore of the folder lists a file as output of a build."""
    ignore = source / ".gitignore"
    made = ignore.read_text(encoding="utf-8").split() if ignore.exists() else []
    names = {name.strip("/") for name in [*made, "__pycache__"]}
    folders = {folder.as_posix() for folder in [inner, *inner.parents]}
    return not names.isdisjoint(folders | set(inner.parts))


def _protocol() -> Path:
    """Return the folder of the .proto files: in a wheel beside the bots, else in the sources."""
    home = Path(sample_bots.__file__).parent
    return home / "proto" if (home / "proto").exists() else home.parent / "proto"
