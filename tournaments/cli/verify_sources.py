"""What ``highstreet verify`` checks: records in files, tournaments, leagues."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from rich.console import Console

from engine import UsageError
from tournaments.cli.connection import connection_to
from tournaments.cli.files import records_in
from tournaments.cli.options import DATABASE, existing_database_url
from tournaments.cli.records.download import download_all
from tournaments.runner import at_rest, is_tournament, opened
from tournaments.server import NoLeagueServerError
from tournaments.store import Store
from tournaments.verification import (
    RecordFiles,
    Source,
    TournamentRecords,
    league_of_server,
    league_of_store,
    leagues_of_store,
    read_secret,
    verify,
)


class Sources:
    """Opens what is checked; ``stack`` closes it. A league name leaves out all others."""

    def __init__(self, stack: ExitStack, league: str, secret: str | None) -> None:
        self._stack = stack
        self._league = league
        self._secret = None if secret is None else read_secret(secret)

    def of_paths(self, paths: Iterable[Path]) -> Iterator[Source]:
        """Return tournaments and leagues, and then all records in files together, each once."""
        files: dict[Path, None] = {}
        for path in paths:
            if is_tournament(path):
                folder = self._stack.enter_context(opened(path))
                self._stack.enter_context(at_rest(path))
                yield TournamentRecords(folder)
            elif (path / DATABASE).exists():
                yield from self.of_database(path, None)
            elif path.is_dir():
                files.update(dict.fromkeys(records_in(path)))
            elif path.exists():
                files[path] = None
            else:
                raise UsageError(f"there is no file or folder {click.format_filename(path)}.")
        if files:
            yield RecordFiles(list(files), self._secret)

    def of_database(self, folder: Path | None, database: str | None) -> list[Source]:
        """Return the leagues of a database."""
        url = existing_database_url(folder, database)
        store = self._stack.enter_context(Store.open(url, migrate=False))
        leagues = [self._league] if self._league else list(leagues_of_store(store))
        if not leagues:
            raise UsageError("the database has no leagues.")
        return [league_of_store(store, each) for each in leagues]

    def of_server(self, server: str, tls_ca: Path | None) -> Iterator[Source]:
        """Download the records of each league, or all of the referee of a tournament."""
        connection = connection_to(server, tls_ca)
        temporary = Path(self._stack.enter_context(TemporaryDirectory(prefix="highstreet-")))
        with connection.client() as client:
            try:
                leagues = (
                    [self._league] if self._league else [one["league"] for one in client.leagues()]
                )
            except NoLeagueServerError:
                download_all(connection, temporary)
                yield RecordFiles(records_in(temporary), self._secret)
                return
            if not leagues:
                raise UsageError(f"{server} has no leagues.")
            for league in leagues:
                folder = temporary / league
                folder.mkdir()
                download_all(connection, folder, league)
                yield league_of_server(client, league, folder)


def report_on(
    sources: Sequence[Source],
    workers: int | None,
    *,
    quiet: bool = False,
    problems_to_stderr: bool = False,
) -> None:
    """Check sources one after the other, and print what is wrong; then the exit code is 1."""
    records = wrong = 0
    is_right = True
    summaries = []
    for source in sources:
        report = verify(source, workers or os.cpu_count() or 1, Console(stderr=True))
        # Printed afterwards: while it runs, the progress bar has the terminal.
        for problem in report.problems:
            click.echo(f"{problem.where}: {problem.sentence}", err=problems_to_stderr)
        records += report.records
        wrong += report.wrong
        is_right = is_right and not report.problems
        if report.summary and (not report.problems or isinstance(source, RecordFiles)):
            summaries.append(report.summary)
    if not quiet:
        noun = "record" if records == 1 else "records"
        click.echo(f"{records} {noun}: {records - wrong} correct, {wrong} wrong")
        for summary in summaries:
            click.echo(summary)
    if not is_right:
        raise click.exceptions.Exit(1)
