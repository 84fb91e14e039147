"""``highstreet records``: fetch the records of a referee, and turn records into tables."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.progress import Progress

from engine import UsageError
from referee.loop import run_async
from referee.record import printable
from tournaments.cli.common import INTERRUPTED
from tournaments.records.export import CsvTable, Exporter, MakeTable, two_tables

if TYPE_CHECKING:
    from tournaments.records.download import Tally

MOST_PROBLEMS = 50
"""So many failures of a download are printed: a server can list a million matches."""
_ENDINGS = ("*.jsonl", "*.jsonl.zst")
_ADDRESS = re.compile(r"unix:.+|(?:\[[0-9A-Fa-f:.]+\]|[^\s:/\[\]]+):([0-9]{1,5})")


@click.group("records")
def command() -> None:
    """Fetch the records of a referee, and turn records into tables.

    \b
    Examples:
      highstreet records download --server referee.example:7000 --out records
      highstreet records export records --parquet
    """  # noqa: D301  click's mark for "keep the lines"


# download ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Order:
    """What the command line asks for."""

    server: str
    certificate: bytes | None
    out: Path
    matches: tuple[str, ...]
    game: str
    entrant: str


@command.command("download")
@click.argument("matches", nargs=-1, metavar="[MATCH]...")
@click.option(
    "--server", required=True, metavar="ADDRESS", help="The referee: HOST:PORT or unix:PATH."
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("records"),
    show_default=True,
    help="The folder for the records.",
)
@click.option(
    "--tls-ca",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Speak TLS, and trust the certificates in this file (PEM).",
)
@click.option("--game", default="", help="Only matches of this game.")
@click.option("--entrant", default="", help="Only matches of this entrant.")
def download(
    matches: tuple[str, ...],
    server: str,
    out: Path,
    tls_ca: Path | None,
    game: str,
    entrant: str,
) -> None:
    """Fetch released records of a referee: all of them, or those of each MATCH.

    A record that is there already and has the right SHA-256 is not fetched again. A download that
    was interrupted leaves FILE.part, and the same command goes on from there. The exit code is 0
    if all records are there, 1 if any is not, 2 if the referee cannot be asked.

    \b
    Examples:
      highstreet records download --server referee.example:7000 --tls-ca cert.pem
      highstreet records download --server localhost:7000 --entrant greedy --out greedy
    """  # noqa: D301  click's mark for "keep the lines"
    if matches and (game or entrant):
        raise UsageError("name matches, or say which with --game and --entrant, but not both.")
    order = Order(
        _address(server, tls_ca), _certificate(tls_ca), _made(out), matches, game, entrant
    )
    try:
        tally, held_back = run_async(_download(order))
    except KeyboardInterrupt:
        click.echo("interrupted; the same command goes on from here.", err=True)
        raise SystemExit(INTERRUPTED) from None
    _report(tally, held_back)
    if tally.failed:
        raise click.exceptions.Exit(1)


def _address(server: str, certificate: Path | None) -> str:
    found = _ADDRESS.fullmatch(server)
    if not found or int(found[1] or 0) > 65535:
        raise UsageError(
            f'"{printable(server)}" is no address: write HOST:PORT, such as localhost:7000, '
            "or unix:PATH."
        )
    if certificate is not None and server.startswith("unix:"):
        raise UsageError("a referee speaks no TLS on a unix socket: leave --tls-ca out.")
    return server


def _certificate(path: Path | None) -> bytes | None:
    if path is None:
        return None
    from cryptography import x509  # noqa: PLC0415  it is slow to load, and rarely needed

    try:
        data = path.read_bytes()
        x509.load_pem_x509_certificates(data)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}.") from None
    except ValueError:
        raise UsageError(f"{path} holds no certificate in PEM format.") from None
    return data


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot make the folder {folder}: {error.strerror}.") from None
    return folder


async def _download(order: Order) -> tuple[Tally, int]:
    os.environ.setdefault("GRPC_VERBOSITY", "NONE")  # what its log would say, our errors say
    from referee.download import RecordClient  # noqa: PLC0415  an export need not wait for gRPC
    from tournaments.records.download import Downloads  # noqa: PLC0415

    async with RecordClient(order.server, order.certificate) as client:
        downloads = Downloads(client, order.out)
        matches, held_back = tuple(dict.fromkeys(order.matches)), 0
        if not matches:
            listing = await downloads.listing(order.game, order.entrant)
            matches, held_back = listing.matches, listing.held_back
        with _progress() as progress:
            task = progress.add_task("records", total=len(matches))
            tally = await downloads.fetch_all(matches, lambda: progress.advance(task))
    if tally.stopped and not downloads.answered:
        raise UsageError(tally.stopped)
    return tally, held_back


def _progress() -> Progress:
    return Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty())


def _report(tally: Tally, held_back: int) -> None:
    for match, problem in list(tally.failures.items())[:MOST_PROBLEMS]:
        click.echo(f"{printable(match, 80)}: {problem}", err=True)
    if len(tally.failures) > MOST_PROBLEMS:
        click.echo(f"and {len(tally.failures) - MOST_PROBLEMS} more.", err=True)
    if tally.stopped:
        click.echo(f"stopped: {tally.stopped} The same command goes on from here.", err=True)
    noun = "record" if tally.total == 1 else "records"
    click.echo(
        f"{tally.total} {noun}: {tally.fetched} fetched, {tally.there} there already, "
        f"{tally.failed} failed"
    )
    if tally.replaced:
        click.echo(f"{tally.replaced} of them took the place of a file with other bytes")
    if held_back:
        click.echo(f"{held_back} more will be released later")


# export -----------------------------------------------------------------------------------------


@command.command("export")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--parquet", is_flag=True, help="Write matches.parquet and decisions.parquet.")
@click.option("as_csv", "--csv", is_flag=True, help="Write matches.csv and decisions.csv.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder for the tables; default: parquet or csv in FOLDER.",
)
@click.option("--verify", is_flag=True, help="Play each match again first, as `verify` does.")
def export(
    folder: Path,
    parquet: bool,  # noqa: FBT001  click passes it by name
    as_csv: bool,  # noqa: FBT001
    out: Path | None,
    verify: bool,  # noqa: FBT001
) -> None:
    """Write the matches and decisions of records as tables, for data frames.

    FOLDER is searched for *.jsonl and *.jsonl.zst; of a tournament's folder only its records. The
    hashes of each record are checked. A broken one is printed and left out: then the exit code is
    1. It is 2 if there is nothing to write.

    \b
    Examples:
      highstreet records export records --parquet
      highstreet records export league --csv --out tables
    """  # noqa: D301  click's mark for "keep the lines"
    forms = [form for form, wanted in (("parquet", parquet), ("csv", as_csv)) if wanted]
    if not forms:
        raise UsageError("say in which form: --parquet, --csv or both.")
    records = _records(folder)
    makers = {form: _maker(form) for form in forms}
    places = {form: _made(out or folder / form) for form in forms}
    try:
        with ExitStack() as stack:
            tables = [
                stack.enter_context(two_tables(places[form], form, makers[form])) for form in forms
            ]
            exporter = Exporter(folder, tables, verify=verify)
            broken = _add_all(exporter, records)
            if not exporter.matches:
                raise UsageError("no record could be read, so nothing was written.")
    except OSError as error:
        raise UsageError(f"cannot write the tables: {error}; nothing is left behind.") from None
    except KeyboardInterrupt:
        click.echo("interrupted; nothing was written.", err=True)
        raise SystemExit(INTERRUPTED) from None
    where = " and ".join(dict.fromkeys(click.format_filename(place) for place in places.values()))
    click.echo(
        f"{exporter.matches} matches and {exporter.decisions} decisions are in {where}; "
        f"broken records: {broken}"
    )
    if broken:
        raise click.exceptions.Exit(1)


def _records(folder: Path) -> list[Path]:
    """Return the records of a folder, or of the folder of a tournament, in order."""
    inner = folder / "records"
    searched = inner if inner.is_dir() else folder
    found = [path for form in _ENDINGS for path in searched.rglob(form) if path.is_file()]
    if not found:
        raise UsageError(
            f"no records in {click.format_filename(searched)}: there is neither "
            f"{' nor '.join(_ENDINGS)} in it."
        )
    return sorted(found)


def _maker(form: str) -> MakeTable:
    if form == "csv":
        return CsvTable
    from tournaments.records.parquet import ParquetTable  # noqa: PLC0415  it needs pyarrow

    return ParquetTable


def _add_all(exporter: Exporter, records: Sequence[Path]) -> int:
    """Add records to the tables; print those that are broken, and return how many."""
    with _progress() as progress:
        problems = [exporter.add(path) for path in progress.track(records, description="records")]
    for path, problem in zip(records, problems, strict=True):
        if problem is not None:
            click.echo(f"{click.format_filename(path)}: {problem}", err=True)
    return len(problems) - problems.count(None)
