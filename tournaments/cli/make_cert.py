"""``highstreet make-cert``: a self-signed certificate."""

from __future__ import annotations

from pathlib import Path

import click

from engine import UsageError
from referee.runtime import write_whole
from referee.transports import self_signed
from tournaments.cli.options import FOLDER


@click.command("make-cert")
@click.argument("folder", type=FOLDER, default=Path())
@click.option(
    "--host",
    "hosts",
    multiple=True,
    default=("localhost", "127.0.0.1"),
    show_default=True,
    help="A host name or address of the referee. Repeatable.",
)
@click.option("--days", type=click.IntRange(1, 36500), default=365, show_default=True)
@click.option("--force", is_flag=True, help="Replace files that exist.")
def command(folder: Path, hosts: tuple[str, ...], days: int, force: bool) -> None:  # noqa: FBT001
    """Make a self-signed certificate for tests: cert.pem and key.pem.

    \b
    Example:
      highstreet make-cert certificates
      highstreet play remote random --tls-cert certificates/cert.pem --tls-key certificates/key.pem
    """  # noqa: D301  click's mark for "keep the lines"
    paths = folder / "cert.pem", folder / "key.pem"
    for path in paths:
        if path.exists() and not force:
            raise UsageError(f"{path} exists: give --force to replace it.")
    try:
        certificate, key = self_signed(list(hosts), days)
    except ValueError as error:
        raise UsageError(f"cannot make a certificate for {', '.join(hosts)}: {error}") from None
    try:
        folder.mkdir(parents=True, exist_ok=True)
        paths[0].write_bytes(certificate)
        write_whole(paths[1], key, private=True)
    except OSError as error:
        raise UsageError(f"cannot write {error.filename}: {error.strerror}.") from None
    click.echo(f"{paths[0]} and {paths[1]} are for {', '.join(hosts)}, for {days} days.")
