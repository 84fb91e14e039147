"""``highstreet records download``: fetch the records of a referee."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from engine import UsageError
from referee.record import printable
from referee.runtime import run_async
from tournaments.cli.connection import Connection, read_connection, server_option, tls_ca_option
from tournaments.cli.files import exit_when_interrupted, file_errors, make_folder, progress_bar
from tournaments.cli.options import FOLDER
from tournaments.export import ABOUT, about_league

if TYPE_CHECKING:
    from referee.match_service import Tally

MOST_PROBLEMS = 50
"""At most this number of failures is printed: a server can list a million matches."""


@click.command("download")
@click.argument("matches", nargs=-1, metavar="[MATCH]...")
@server_option(
    "The referee: HOST:PORT or unix:PATH; or HIGHSTREET_SERVER, or the configuration file.",
    "ADDRESS",
)
@click.option(
    "--out",
    type=FOLDER,
    default=Path("records"),
    show_default=True,
    help="The folder for the records.",
)
@tls_ca_option(
    "Use TLS, and trust the certificates in this file (PEM); or HIGHSTREET_CA, or the "
    "configuration file."
)
@click.option("--league", default="", help="Only matches of this league.")
@click.option("--game", default="", help="Only matches of this game.")
@click.option("--entrant", default="", help="Only matches of this entrant.")
def command(
    matches: tuple[str, ...],
    server: str | None,
    out: Path,
    tls_ca: Path | None,
    league: str,
    game: str,
    entrant: str,
) -> None:
    """Fetch released records of a referee: all of them, or those of each MATCH.

    A record that is there already and has the right SHA-256 is not fetched again. A download that
    was interrupted leaves FILE.part, and the same command goes on from there. The exit code is 0
    if all records are there, 1 if any is not, 2 if the referee cannot be asked.

    With --league there is also league.json: which matches were annulled, and the secret of a league
    that is closed.

    Which server, and which certificates to trust, may stand in the configuration file, as for
    `highstreet league`.

    \b
    Examples:
      highstreet records download --server referee.example:7000 --tls-ca cert.pem
      highstreet records download --league spring
      highstreet records download --server localhost:7000 --entrant greedy --out greedy
    """  # noqa: D301  click's mark for "keep the lines"
    if matches and (league or game or entrant):
        raise UsageError(
            "name matches, or say which with --league, --game and --entrant, but not both."
        )
    connection = read_connection(server, None, tls_ca)
    make_folder(out)
    with exit_when_interrupted("interrupted; the same command goes on from here."):
        tally, held_back = run_async(_download(connection, out, matches, (game, entrant, league)))
        if league:
            _write_about(connection, out, league)
    _report(tally, held_back)
    if tally.failed:
        raise click.exceptions.Exit(1)


def download_all(connection: Connection, folder: Path, league: str = "") -> None:
    """Fetch all released records of a server, or of a league; raises UsageError if any fails."""
    tally, _ = run_async(_download(connection, folder, (), ("", "", league)))
    if tally.failed:
        _print_failures(tally)
        raise UsageError(f"{tally.failed} of {tally.total} records could not be downloaded.")


async def _download(
    connection: Connection, out: Path, matches: Sequence[str], filters: tuple[str, str, str]
) -> tuple[Tally, int]:
    """Fetch records by their ids, or by game, entrant and league; count what is not released."""
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # our own errors say what its log would
    from referee.match_service import Downloads, RecordClient  # noqa: PLC0415  an export needs no gRPC

    async with RecordClient(connection.server, connection.ca) as client:
        downloads = Downloads(client, out)
        matches, held_back = tuple(dict.fromkeys(matches)), 0
        if not matches:
            listing = await downloads.listing(*filters)
            matches, held_back = listing.matches, listing.held_back
            league = filters[-1]
            if league and not (matches or held_back):
                raise UsageError(
                    f'the server has no matches of a league "{printable(league, 80)}" '
                    "that are as asked for."
                )
        with progress_bar() as progress:
            task = progress.add_task("records", total=len(matches))
            tally = await downloads.fetch_all(matches, lambda: progress.advance(task))
    if tally.stopped and not downloads.answered:
        raise UsageError(tally.stopped)
    return tally, held_back


def _write_about(connection: Connection, out: Path, league: str) -> None:
    """Write the file beside the records of a league with what the records do not contain."""
    with connection.client() as client:
        found = client.league(league)
        annulled = {
            match["match"]: match["annulled"] for match in client.matches(league, state="annulled")
        }
    said = about_league(league, found["commitment"], found["secret"], annulled)
    with file_errors("write", out / ABOUT):
        (out / ABOUT).write_bytes(said)


def _print_failures(tally: Tally) -> None:
    for match, problem in list(tally.failures.items())[:MOST_PROBLEMS]:
        click.echo(f"{printable(match, 80)}: {problem}", err=True)
    if len(tally.failures) > MOST_PROBLEMS:
        click.echo(f"and {len(tally.failures) - MOST_PROBLEMS} more.", err=True)
    if tally.stopped:
        click.echo(f"stopped: {tally.stopped} The same command goes on from here.", err=True)


def _report(tally: Tally, held_back: int) -> None:
    _print_failures(tally)
    noun = "record" if tally.total == 1 else "records"
    click.echo(
        f"{tally.total} {noun}: {tally.fetched} fetched, {tally.there} there already, "
        f"{tally.failed} failed"
    )
    if tally.replaced:
        click.echo(f"{tally.replaced} of them took the place of a file with other bytes")
    if held_back:
        click.echo(f"{held_back} more will be released later")
