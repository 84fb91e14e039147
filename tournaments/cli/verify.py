"""``highstreet verify``: play recorded matches again and compare."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context
from pathlib import Path

import click
from rich.console import Console
from rich.progress import track

from engine import HighstreetError, UsageError
from referee.record import RecordError, read_record, verify_record

_ENDINGS = ("*.jsonl", "*.jsonl.zst")
_FEW = 50
"""So many records are checked sooner than worker processes start."""


@click.command("verify")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=None,
    help="How many processes check many records; default: one for each core.",
)
@click.option("--quiet", "-q", is_flag=True, help="Print wrong records only.")
def command(
    paths: tuple[Path, ...],
    workers: int | None,
    quiet: bool,  # noqa: FBT001  click passes it by name
) -> None:
    """Check match records by playing them again.

    PATHS are records or folders, which are searched for *.jsonl and *.jsonl.zst. Each wrong
    record is printed with its first wrong line. The exit code is 0 if all are correct, 1 if any
    is wrong, and 2 if there is nothing to check.

    \b
    Example:
      highstreet verify records/
    """  # noqa: D301  click's mark for "keep the lines"
    records = _records(paths)
    with _checking(records, workers or os.cpu_count() or 1) as checking:
        # Printed afterwards: while it runs, the progress bar has the terminal.
        problems = list(_with_progress(checking, len(records)))
    for path, problem in zip(records, problems, strict=True):
        if problem is not None:
            click.echo(f"{click.format_filename(path)}: {problem}")
    wrong = len(records) - problems.count(None)
    if not quiet:
        noun = "record" if len(records) == 1 else "records"
        click.echo(f"{len(records)} {noun}: {len(records) - wrong} correct, {wrong} wrong")
    if wrong:
        raise click.exceptions.Exit(1)


def _records(paths: Iterable[Path]) -> list[Path]:
    """Return every record once, in the order of the command line and then of the names."""
    found: dict[Path, None] = {}
    for path in paths:
        if path.is_dir():
            inside = [p for ending in _ENDINGS for p in path.rglob(ending) if p.is_file()]
            if not inside:
                raise UsageError(f"no records in {click.format_filename(path)}: {_wanted()}.")
            found.update(dict.fromkeys(sorted(inside)))
        elif path.exists():
            found[path] = None
        else:
            raise UsageError(f"there is no file or folder {click.format_filename(path)}.")
    return list(found)


def _wanted() -> str:
    return f"there is neither {' nor '.join(_ENDINGS)} in it"


@contextmanager
def _checking(records: Sequence[Path], workers: int) -> Iterator[Iterator[str | None]]:
    """Check the records, here or in worker processes, and give what is wrong with each in turn."""
    if len(records) <= _FEW or workers == 1:
        yield map(_problem, records)
        return
    pool = ProcessPoolExecutor(workers, get_context("spawn"), _ignore_interrupts)
    try:
        yield pool.map(_problem, records, chunksize=8)
    except BrokenProcessPool:
        raise HighstreetError("a worker process died; try again with --workers 1.") from None
    finally:
        pool.shutdown(cancel_futures=True)


def _ignore_interrupts() -> None:
    """Leave Ctrl-C to the process that prints."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _problem(path: Path) -> str | None:
    try:
        verify_record(read_record(path))
    except RecordError as error:
        return str(error)
    return None


def _with_progress(checking: Iterator[str | None], total: int) -> Iterable[str | None]:
    if total <= _FEW or not sys.stderr.isatty():
        return checking
    return track(checking, "records", total=total, console=Console(stderr=True), transient=True)
