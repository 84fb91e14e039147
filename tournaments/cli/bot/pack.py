"""``highstreet bot pack``: the folder of a bot as one file."""

from __future__ import annotations

from pathlib import Path

import click

from tournaments.cli.files import file_errors, refuse_existing
from tournaments.submissions import pack, package_hash, read_manifest


@click.command("pack")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--out", type=click.Path(dir_okay=False, path_type=Path), help="Default: NAME.tar.gz."
)
def command(folder: Path, out: Path | None) -> None:
    """Write the folder of a bot as a package: one file, the same for the same folder.

    Version control and caches (.git, __pycache__, .venv and the like) are left out. The SHA-256 of
    the file, which is printed, is the identity of this version of the bot.

    \b
    Example:
      highstreet bot pack my-bot --out my-bot.tar.gz
    """  # noqa: D301  click's mark for "keep the lines"
    manifest = read_manifest(folder)
    target = out or Path(f"{manifest.name}.tar.gz")
    refuse_existing(target)
    packed = pack(folder)
    with file_errors("write", target):
        target.write_bytes(packed)
    click.echo(f"{target}: {len(packed):,} bytes, package {package_hash(packed)}")
