"""``highstreet league``: the subcommands that work on the database itself."""

from __future__ import annotations

from pathlib import Path

import click

from tournaments.cli.files import make_folder, refuse_existing
from tournaments.cli.options import (
    EXISTING_FILE,
    FILE,
    database_options,
    database_url,
    existing_database_url,
)


@click.command("backup")
@click.argument("file", type=FILE)
@database_options
def backup(file: Path, data: Path | None, database: str | None) -> None:
    """Write all leagues of a server into FILE, while they go on.

    The file holds the secrets of the deals: keep it as safe as the database.

    \b
    Example:
      highstreet league backup leagues.zip --data leagues
    """  # noqa: D301  click's mark for "keep the lines"
    from tournaments.store import Store  # noqa: PLC0415  slow to load

    refuse_existing(file)
    with Store.open(existing_database_url(data, database), migrate=False) as store:
        store.backup(file)
    click.echo(f"{file}: {file.stat().st_size} bytes")


@click.command("restore")
@click.argument("file", type=EXISTING_FILE)
@database_options
def restore(file: Path, data: Path | None, database: str | None) -> None:
    """Fill a new database with what `backup` wrote; the tokens stay good.

    \b
    Example:
      highstreet league restore leagues.zip --data new-leagues
    """  # noqa: D301  click's mark for "keep the lines"
    from tournaments.store import Store  # noqa: PLC0415  slow to load

    if data is not None:
        make_folder(data).chmod(0o700)
    Store.restore(file, database_url(data, database))
    click.echo(f"{file} is restored")


@click.command("organiser")
@click.argument("label")
@database_options
def organiser(label: str, data: Path | None, database: str | None) -> None:
    """Print one more token of an organiser, for the person that LABEL names.

    \b
    Example:
      highstreet league organiser ann --data leagues
    """  # noqa: D301  click's mark for "keep the lines"
    from tournaments.store import Store  # noqa: PLC0415  slow to load

    with Store.open(existing_database_url(data, database), migrate=False) as store:
        click.echo(store.issue_organiser(label))
