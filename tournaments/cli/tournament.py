"""``highstreet tournament``: plan, run, resume, look at and verify tournaments."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from shlex import quote

import click
from rich.console import Console

from engine import UsageError
from referee.files import write_whole
from referee.loop import run_async
from referee.record import printable
from referee.tuning import refereeing
from tournaments.cli.common import INTERRUPTED
from tournaments.file import parse_tournament, template
from tournaments.folder import (
    BusyError,
    TournamentFolder,
    at_rest,
    begun,
    file_of,
    is_tournament,
    opened,
    read_text,
)
from tournaments.plan import plan_table
from tournaments.ratings import Standings
from tournaments.runner.display import LiveDisplay, PlainDisplay
from tournaments.runner.run import Runner, Watcher
from tournaments.schedule import schedule
from tournaments.terminal import standings_notes, standings_tables
from tournaments.tournament import MOST_TABLES, MOST_WORKERS
from tournaments.verify import Problem, verify_tournament

_file = click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
_folder = click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
_out = click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=None,
    help="The folder of the tournament; default: the name of FILE without its ending.",
)
_tables = click.option(
    "--tables",
    type=click.IntRange(1, MOST_TABLES),
    help="Matches at once, in all; default: as FILE says.",
)
_workers = click.option(
    "--workers",
    type=click.IntRange(1, MOST_WORKERS),
    help="Processes that share the tables; default: as FILE says, or one for each core.",
)


@click.group("tournament")
def command() -> None:
    """Run tournaments: one file in, a ranking with records and a report out.

    \b
    Example:
      highstreet tournament init league.toml
      highstreet tournament plan league.toml
      highstreet tournament run league.toml
      highstreet tournament verify league
    """  # noqa: D301  click's mark for "keep the lines"


@command.command("init")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path), default="league.toml")
def init(file: Path) -> None:
    """Write a tournament file with a comment for every key; it plays as it is.

    \b
    Example:
      highstreet tournament init league.toml
    """  # noqa: D301
    if file.exists():
        raise UsageError(f"{file} is there already: choose another name, or remove it.")
    try:
        write_whole(file, template().encode())
    except OSError as error:
        raise UsageError(f"cannot write {file}: {error.strerror}.") from None
    click.echo(f"wrote {file}; next: highstreet tournament run {quote(str(file))}")


@command.command("plan")
@_file
@_out
def plan(file: Path, out: Path | None) -> None:
    """Show how many matches there will be, how balanced they are, and how long they may take.

    \b
    Example:
      highstreet tournament plan league.toml
    """  # noqa: D301
    tournament = parse_tournament(read_text(file), str(file), file.resolve().parent)
    folder, keep, pace = out or file.with_suffix(""), [], None
    if is_tournament(folder):
        with opened(folder) as known:
            keep = list(known.schedule.sets)
            played = known.progress().played
            pace = known.store.seconds() / played if played else None
    _console().print(plan_table(tournament, schedule(tournament.request(), keep), pace))


@command.command("run")
@_file
@_out
@_tables
@_workers
def run(file: Path, out: Path | None, tables: int | None, workers: int | None) -> None:
    """Play a tournament, or go on with it, and write standings, records and a report.

    Ctrl-C stops it; nothing that was finished is lost, and the same command goes on. Entrants,
    games and sets may be added to FILE at any time.

    \b
    Example:
      highstreet tournament run league.toml --tables 8
    """  # noqa: D301
    _play(file, out or file.with_suffix(""), tables, workers)


@command.command("resume")
@_folder
@_tables
@_workers
def resume(folder: Path, tables: int | None, workers: int | None) -> None:
    """Go on with the tournament in FOLDER.

    \b
    Example:
      highstreet tournament resume league
    """  # noqa: D301
    _play(file_of(folder), folder, tables, workers)


@command.command("standings")
@_folder
@click.option("--write", is_flag=True, help="Write the files of the folder anew as well.")
def standings(folder: Path, write: bool) -> None:  # noqa: FBT001  click passes it by name
    """Show the standings of the tournament in FOLDER, also while it is being played.

    \b
    Example:
      highstreet tournament standings league
    """  # noqa: D301
    with opened(folder) as known:
        table = known.standings()
        _show(table, known.notes())
    if write:
        with begun(folder, file_of(folder)) as known:
            known.write_outputs()


@command.command("tokens")
@_file
@_out
def tokens(file: Path, out: Path | None) -> None:
    """Print the token of each remote entrant; it stays the same for the whole tournament.

    \b
    Example:
      highstreet tournament tokens league.toml
    """  # noqa: D301
    path = out or file.with_suffix("")
    try:
        with begun(path, file) as folder:
            found = folder.tokens()
    except BusyError:  # it is being played, and the tokens are what they were
        with opened(path) as folder:
            found = folder.tokens()
    if not found:
        click.echo("no entrant is remote: nobody needs a token.")
    for name, token in found.items():
        click.echo(f"{name}: {token}")


@command.command("verify")
@_folder
@click.option("--workers", type=click.IntRange(1, 64), help="Processes; default: the cores.")
def verify(folder: Path, workers: int | None) -> None:
    """Re-execute every record of FOLDER and work out the standings from the records alone.

    Checks that each scheduled match counts once, that each deal follows from the secret, that the
    records give what the store says, and that standings.json is what the records give.

    \b
    Example:
      highstreet tournament verify league
    """  # noqa: D301
    console = Console(stderr=True)
    with opened(folder) as known, at_rest(folder):
        report = verify_tournament(known, workers or os.cpu_count() or 1, console)
    for problem in report.problems:
        _tell(problem)
    if report.problems:
        raise SystemExit(1)
    click.echo(report.summary)


def _tell(problem: Problem) -> None:
    click.echo(f"{problem.where}: {problem.sentence}", err=True)


def _play(file: Path, path: Path, tables: int | None, workers: int | None) -> None:
    with begun(path, file) as folder:
        settings = folder.tournament.run
        for commitment in folder.commitments():
            _say(f"SHA-256 of the secret behind the deals: {commitment}")
        with _display() as display:
            runner = Runner(
                folder,
                display,
                workers=workers or settings.workers or os.cpu_count() or 1,
                tables=tables or settings.tables,
            )
            with refereeing():
                result = run_async(runner.run())
        try:
            folder.release(folder.complete_sets())
            _finish(folder)
        except KeyboardInterrupt:
            again = f"highstreet tournament resume {quote(str(path))}"
            _say(f"stopped before everything was written; {again} does")
            raise SystemExit(INTERRUPTED) from None
        progress = folder.progress()
    if result.given_up:
        raise UsageError(
            f"{len(result.given_up)} matches could not be played, however often they were tried; "
            f"see {folder.logs}, and go on with: highstreet tournament resume {quote(str(path))}"
        )
    if not progress.complete:
        click.echo(
            f"stopped after {progress.played} of {progress.matches} matches; go on with: "
            f"highstreet tournament resume {quote(str(path))}"
        )
        raise SystemExit(INTERRUPTED)


def _finish(folder: TournamentFolder) -> None:
    table = folder.write_outputs()
    _show(table, folder.notes())
    click.echo(f"report: {folder.path / 'report.html'}; records: {folder.records}")


def _show(table: Standings, notes: Sequence[str]) -> None:
    console = _console()
    for part in standings_tables(table, console.width):
        console.print(part)
    for sentence in [*standings_notes(table), *map(printable, notes)]:
        console.print(sentence)


@contextlib.contextmanager
def _display() -> Iterator[Watcher]:
    console = Console(stderr=True)
    if console.is_terminal:
        with LiveDisplay(console) as live:
            yield live
    else:
        yield PlainDisplay(_say)


def _say(line: str) -> None:
    """Write a line for whoever listens; a run does not end because nobody does."""
    try:
        click.echo(line, err=True)
    except OSError:
        # What is left in the buffer would fail once more when the program ends.
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def _console() -> Console:
    # A table is as wide as it must be where nobody's terminal limits it.
    width = None if sys.stdout.isatty() else 160
    return Console(highlight=False, markup=False, width=width)
