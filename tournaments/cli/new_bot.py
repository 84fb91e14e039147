"""``highstreet new-bot``: a project to begin with."""

from __future__ import annotations

import shutil
from pathlib import Path

import click

import sample_bots
from engine import UsageError
from tournaments.languages import HOME, Language, find_language

PROTO = "../../proto"
"""How the sample bots write where the protocol is."""
PYTHON = "python"


@click.command("new-bot")
@click.argument("language", metavar="LANGUAGE")
@click.argument("folder", type=click.Path(path_type=Path))
def command(language: str, folder: Path) -> None:
    """Write a project that builds and plays as it stands, to make your own bot of.

    LANGUAGE is python, go, rust, java, typescript, cpp, or perl, bash, c for bots over pipes. The
    project is a copy of the sample bot with the protocol beside it.

    \b
    Example:
      highstreet new-bot go my-bot
    """  # noqa: D301  click's mark for "keep the lines"
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UsageError(f"{folder} is there already, and is not empty: choose another name.")
    own = None if language == PYTHON else find_language(language)
    source = own.folder if own else HOME / PYTHON
    try:
        _write(source, folder)
    except OSError as error:
        raise UsageError(f"cannot write {folder}: {error.strerror}.") from None
    click.echo(f"wrote {folder}; what to do next is in {folder / 'README.md'}")
    for line in _next(own, folder):
        click.echo(f"  {line}")


def _next(own: Language | None, folder: Path) -> list[str]:
    lines = [f"cd {folder}"]
    if own is None:
        return [*lines, 'highstreet play "python greedy_bot.py" random']
    lines += [" ".join(words) for words in own.build]
    run, how = " ".join([*own.run, "greedy"]), f"--transport {own.transport.value} "
    return [*lines, f'highstreet play {how}"{run}" random']


def _write(source: Path, folder: Path) -> None:
    """Copy what is part of a sample bot; nothing that was built, and the protocol where needed."""
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
    """Tell whether a file is the output of a build, as the .gitignore of the folder says."""
    ignore = source / ".gitignore"
    made = ignore.read_text(encoding="utf-8").split() if ignore.exists() else []
    names = {name.strip("/") for name in [*made, "__pycache__"]}
    folders = {folder.as_posix() for folder in [inner, *inner.parents]}
    return not names.isdisjoint(folders | set(inner.parts))


def _protocol() -> Path:
    """Return where the .proto files are: in the wheel beside the bots, else in the sources."""
    home = Path(sample_bots.__file__).parent
    return home / "proto" if (home / "proto").exists() else home.parent / "proto"
