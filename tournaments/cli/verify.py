"""``highstreet verify``: play recorded matches again and compare."""

from __future__ import annotations

from contextlib import ExitStack
from pathlib import Path

import click

from tournaments.cli.connection import tls_ca_option


@click.command("verify")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--database",
    metavar="URL",
    help="Check the leagues of this database; a folder of a league server is one of PATHS.",
)
@click.option(
    "--server",
    metavar="ADDRESS",
    help="Download the records of this server, HOST:PORT or unix:PATH, and check them.",
)
@tls_ca_option("With --server: use TLS, and trust the certificates in this file (PEM).")
@click.option("--league", default="", help="Of a league server or database: only this league.")
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=None,
    help="How many processes check many records; default: one for each core.",
)
@click.option(
    "--secret",
    default=None,
    metavar="HEX",
    help="Check also that the deals of records in files follow from this secret.",
)
@click.option("--quiet", "-q", is_flag=True, help="Print what is wrong only.")
def command(
    paths: tuple[Path, ...],
    database: str | None,
    server: str | None,
    tls_ca: Path | None,
    league: str,
    workers: int | None,
    secret: str | None,
    quiet: bool,  # noqa: FBT001  click passes it by name
) -> None:
    """Check match records by playing them again.

    PATHS are records, folders of records, folders of tournaments, and --data folders of league
    servers. Each wrong record is printed with its first wrong line. The exit code is 0 if all is
    correct, 1 if anything is wrong, and 2 if there is nothing to check.

    Of a tournament and of a league, records are also compared with the schedule, the settings and
    the results, and deals with the secret: of a tournament always, of a league when it is closed
    and its secret is published. SHA-256 of a secret must be the commitment that was published
    before the first match.

    \b
    Examples:
      highstreet verify records/
      highstreet verify records/ --secret 3f0a…
      highstreet verify tournament/
      highstreet verify --server league.example:7000 --league spring
    """  # noqa: D301  click's mark for "keep the lines"
    if not (paths or database or server):
        raise click.UsageError("Missing argument 'PATHS...', or --database, or --server.")
    from tournaments.cli.verify_sources import Sources, report_on  # noqa: PLC0415  slow to load

    with ExitStack() as stack:
        sources = Sources(stack, league, secret)
        found = list(sources.of_paths(paths))
        if database is not None:
            found += sources.of_database(None, database)
        if server is not None:
            found += sources.of_server(server, tls_ca)
        report_on(found, workers, quiet=quiet)
