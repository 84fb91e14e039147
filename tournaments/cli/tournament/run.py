"""``highstreet tournament run``: play or resume a tournament."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from shlex import quote
from typing import Any

import click
from rich.console import Console

from engine import UsageError
from referee.record import printable
from referee.runtime import run_async, tuned_process
from tournaments.cli.files import INTERRUPTED
from tournaments.cli.tournament import database_option, file_argument, out_option
from tournaments.cli.tournament.progress_display import LiveDisplay, PlainDisplay
from tournaments.cli.tournament.standings_table import print_standings
from tournaments.model import MOST_TABLES, MOST_WORKERS
from tournaments.runner import BatchRunner, ProgressListener, begun
from tournaments.submissions import build_entrants


def run_options(command: Any) -> Any:
    """Add --tables, --workers and --database."""
    tables = click.option(
        "--tables",
        type=click.IntRange(1, MOST_TABLES),
        help="Matches at once, in all; default: the value in FILE.",
    )
    workers = click.option(
        "--workers",
        type=click.IntRange(1, MOST_WORKERS),
        help="Processes that share the tables; default: the value in FILE, or one for each core.",
    )
    return tables(workers(database_option(command)))


@click.command("run")
@file_argument
@out_option
@run_options
def command(
    file: Path, out: Path | None, tables: int | None, workers: int | None, database: str | None
) -> None:
    """Play or resume a tournament, and write standings, records and a report.

    Ctrl-C stops it; finished matches are kept, and the same command resumes it. Entrants, games
    and sets may be added to FILE at any time. The exit code is 1 if every match is played, but an
    entrant was benched or suspended.

    \b
    Example:
      highstreet tournament run tournament.toml --tables 8
    """  # noqa: D301
    play(file, out or file.with_suffix(""), tables, workers, database)


def play(
    file: Path, path: Path, tables: int | None, workers: int | None, database: str | None
) -> None:
    """Play what is missing of a tournament, and write its results."""
    with begun(path, file, database) as folder:
        settings = folder.tournament.run
        text = folder.store.setting("file")
        build_entrants(folder.tournament, text, file, folder.logs, _log)
        for commitment in folder.commitments():
            _log(f"SHA-256 of the secret behind the deals: {commitment}")
        for sentence in folder.tournament.not_playing():
            _log(sentence)
        with _display() as display:
            runner = BatchRunner(
                folder,
                display,
                workers=workers or settings.workers or os.cpu_count() or 1,
                tables=tables or settings.tables,
            )
            with tuned_process():
                result = run_async(runner.run())
        try:
            folder.release(folder.complete_sets())
            print_standings(folder.write_outputs(), folder.notes())
            click.echo(f"report: {folder.path / 'report.html'}; records: {folder.records}")
        except KeyboardInterrupt:
            _log(f"stopped before all results were written; {_go_on(path)}")
            raise SystemExit(INTERRUPTED) from None
        progress = folder.progress()
        out_of_play = list(folder.store.benched().values())
    if result.given_up:
        raise UsageError(
            f"{len(result.given_up)} matches failed in every attempt; see {folder.logs}, and "
            f"{_go_on(path)}"
        )
    if not progress.complete:
        click.echo(f"stopped after {progress.played} of {progress.matches} matches; {_go_on(path)}")
        raise SystemExit(INTERRUPTED)
    if out_of_play:
        click.echo(
            "every match is played, but not by every entrant:\n"
            + "\n".join(printable(f"  {each.sentence}") for each in out_of_play),
            err=True,
        )
        raise SystemExit(1)


def _go_on(path: Path) -> str:
    return f"go on with: highstreet tournament resume {quote(str(path))}"


@contextlib.contextmanager
def _display() -> Iterator[ProgressListener]:
    console = Console(stderr=True)
    if console.is_terminal:
        with LiveDisplay(console) as live:
            yield live
    else:
        yield PlainDisplay(_log)


def _log(line: str) -> None:
    """Write a line to standard error; a closed standard error does not end the run."""
    try:
        click.echo(line, err=True)
    except OSError:
        # The rest of the buffer would fail again when the program ends.
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
