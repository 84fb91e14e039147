"""``highstreet bot download``: a package as it was submitted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from tournaments.cli.files import file_errors, refuse_existing
from tournaments.cli.options import FILE
from tournaments.cli.output import Answer, client_command

if TYPE_CHECKING:
    from tournaments.server import SubmissionClient


@client_command("download")
@click.argument("package")
@click.option("--out", type=FILE, help="Default: PACKAGE.tar.gz.")
def command(client: SubmissionClient, package: str, out: Path | None) -> Answer:
    """Download a package by its SHA-256: your own, or one whose author made it public.

    \b
    Example:
      highstreet bot download 4c1d2a90… --out my-bot.tar.gz
    """  # noqa: D301  click's mark for "keep the lines"
    packed = client.download(package)  # it has that hash, so the name of the file is safe
    target = out or Path(f"{package}.tar.gz")
    refuse_existing(target)
    with file_errors("write", target):
        target.write_bytes(packed)
    values = {"package": package, "file": str(target), "size": len(packed)}
    return Answer(values, f"{target}: {len(packed):,} bytes")
