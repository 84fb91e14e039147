"""``highstreet records export``: matches and decisions as tables."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import click

from engine import UsageError
from tournaments.cli.files import exit_when_interrupted, make_folder, progress_bar, records_in
from tournaments.cli.options import EXISTING_FOLDER, FOLDER
from tournaments.export import CsvTable, Exporter, MakeTable, two_tables


@click.command("export")
@click.argument("folder", type=EXISTING_FOLDER)
@click.option("--parquet", is_flag=True, help="Write matches.parquet and decisions.parquet.")
@click.option("as_csv", "--csv", is_flag=True, help="Write matches.csv and decisions.csv.")
@click.option(
    "--out",
    type=FOLDER,
    help="The folder for the tables; default: parquet or csv in FOLDER.",
)
@click.option("--verify", is_flag=True, help="Play each match again first, as `verify` does.")
def command(
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
      highstreet records export tournament --csv --out tables
    """  # noqa: D301  click's mark for "keep the lines"
    forms = [form for form, wanted in (("parquet", parquet), ("csv", as_csv)) if wanted]
    if not forms:
        raise UsageError("say in which form: --parquet, --csv or both.")
    inner = folder / "records"
    records = records_in(inner if inner.is_dir() else folder)
    makers = {form: _maker(form) for form in forms}
    places = {form: make_folder(out or folder / form) for form in forms}
    try:
        with exit_when_interrupted("interrupted; nothing was written."), ExitStack() as stack:
            tables = [
                stack.enter_context(two_tables(places[form], form, makers[form])) for form in forms
            ]
            exporter = Exporter(folder, tables, verify=verify)
            broken = _add_all(exporter, records)
            if not exporter.matches:
                raise UsageError("no record could be read, so nothing was written.")
    except OSError as error:
        raise UsageError(f"cannot write the tables: {error}; nothing is left behind.") from None
    where = " and ".join(dict.fromkeys(click.format_filename(place) for place in places.values()))
    click.echo(
        f"{exporter.matches} matches and {exporter.decisions} decisions are in {where}; "
        f"broken records: {broken}"
    )
    if broken:
        raise click.exceptions.Exit(1)


def _maker(form: str) -> MakeTable:
    if form == "csv":
        return CsvTable
    from tournaments.export.parquet import ParquetTable  # noqa: PLC0415  it needs pyarrow

    return ParquetTable


def _add_all(exporter: Exporter, records: Sequence[Path]) -> int:
    """Add records to the tables; print those that are broken, and return how many."""
    with progress_bar() as progress:
        problems = [exporter.add(path) for path in progress.track(records, description="records")]
    for path, problem in zip(records, problems, strict=True):
        if problem is not None:
            click.echo(f"{click.format_filename(path)}: {problem}", err=True)
    return len(problems) - problems.count(None)
