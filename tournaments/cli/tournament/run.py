"""``highstreet tournament run``: play or resume a tournament."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from shlex import quote
from types import ModuleType
from typing import Any

import click

from engine import UsageError
from referee.model import SandboxKind
from referee.record import printable
from referee.runtime import run_async, tuned_process
from referee.sandbox import SANDBOXES
from tournaments.cli.files import INTERRUPTED
from tournaments.cli.options import cluster_module, runtimes_option
from tournaments.cli.tournament import database_option, file_argument, out_option
from tournaments.cli.tournament.progress_display import log, progress_display
from tournaments.cli.tournament.standings_table import print_standings
from tournaments.model import MOST_TABLES, MOST_WORKERS, RuntimesSettings, TournamentSettings
from tournaments.runner import (
    BatchRunner,
    Dispatcher,
    DispatchListener,
    TournamentFolder,
    TournamentJobs,
    begun,
    check_entrants,
)
from tournaments.submissions import AS_INSTALLED, build_entrants


@dataclass(frozen=True, slots=True)
class RunOptions:
    """The options with which a tournament is played."""

    tables: int | None = None
    workers: int | None = None
    database: str | None = None
    runtimes: RuntimesSettings = AS_INSTALLED
    cluster: str | None = None
    require_equal: float | None = None
    without_worker: tuple[str, ...] = ()

    def check(self) -> None:
        """Raise UsageError for options that do not fit together."""
        if self.cluster is not None and (self.tables or self.workers):
            raise UsageError(
                "--tables and --workers are for this machine: on a cluster, each worker plays as "
                "many matches at once as it has threads (dask worker --nthreads)."
            )
        if self.cluster is None and (self.require_equal is not None or self.without_worker):
            raise UsageError("--require-equal and --without-worker are for a run with --cluster.")


def run_options(command: Any) -> Any:
    """Add the options of ``RunOptions``."""
    options = [
        click.option(
            "--tables",
            type=click.IntRange(1, MOST_TABLES),
            help="Matches at once, in all; default: the value in FILE.",
        ),
        click.option(
            "--workers",
            type=click.IntRange(1, MOST_WORKERS),
            help="Processes that share the tables; default: the value in FILE, or one for each "
            "core.",
        ),
        database_option,
        runtimes_option,
        click.option(
            "--cluster",
            metavar="ADDRESS",
            help="Play on the workers of the Dask cluster whose scheduler is at ADDRESS, as in "
            "tcp://host:8786. Needs highstreet[cluster].",
        ),
        click.option(
            "--require-equal",
            type=click.FloatRange(0.0, 1.0, min_open=True),
            metavar="PART",
            help="Leave out workers of the cluster whose speed differs by more than this part, "
            "as in 0.1; default: only if FILE has equal_machines = true.",
        ),
        click.option(
            "--without-worker",
            multiple=True,
            metavar="NAME",
            help="Leave out a worker of the cluster, by its name or address; may be repeated.",
        ),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@click.command("run")
@file_argument
@out_option
@run_options
def command(file: Path, out: Path | None, **options: Any) -> None:
    """Play or resume a tournament, and write standings, records and a report.

    Ctrl-C stops it; finished matches are kept, and the same command resumes it. Entrants, games
    and sets may be added to FILE at any time. The exit code is 1 if every match is played, but an
    entrant was benched or suspended.

    \b
    Example:
      highstreet tournament run tournament.toml --tables 8
      highstreet tournament run tournament.toml --cluster tcp://127.0.0.1:8786
    """  # noqa: D301
    play(file, out or file.with_suffix(""), RunOptions(**options))


def play(file: Path, path: Path, options: RunOptions) -> None:
    """Play what is missing of a tournament, and write its results."""
    options.check()
    cluster = cluster_module("dask_cluster") if options.cluster is not None else None
    with begun(path, file, options.database, options.runtimes) as folder:
        settings = folder.tournament.run
        text = folder.store.setting("file")
        dispatcher = None
        if cluster is not None:
            check_entrants(folder.tournament, text, file)
            dispatcher = _on_cluster(cluster, folder, options)
        else:
            build_entrants(folder.tournament, text, file, folder.logs, log, options.runtimes)
            _log_sandbox(folder.tournament)
        for commitment in folder.commitments():
            log(f"SHA-256 of the secret behind the deals: {commitment}")
        tournament = folder.tournament
        for sentence in [*tournament.not_playing(), *tournament.unstated_games()]:
            log(sentence)
        with progress_display(folder.question) as display:
            runner = BatchRunner(
                folder,
                display,
                workers=options.workers or settings.workers or os.cpu_count() or 1,
                tables=options.tables or settings.tables,
                dispatcher=dispatcher,
            )
            with tuned_process():
                result = run_async(runner.run())
        try:
            folder.release(folder.complete_sets())
            print_standings(folder.write_outputs(), folder.notes())
            click.echo(f"report: {folder.path / 'report.html'}; records: {folder.records}")
        except KeyboardInterrupt:
            log(f"stopped before all results were written; {_go_on(path)}")
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


def _log_sandbox(tournament: TournamentSettings) -> None:
    """Show what limits the entrants that run in a sandbox, if there are any."""
    packages = any(entrant.package is not None for entrant in tournament.entrants)
    commands = (entrant.command for entrant in tournament.entrants if entrant.command)
    if packages or any(each.sandbox.kind is SandboxKind.BUBBLEWRAP for each in commands):
        log(f"sandbox: {SANDBOXES[SandboxKind.BUBBLEWRAP].describe()}")


def _on_cluster(
    module: ModuleType, folder: TournamentFolder, options: RunOptions
) -> Callable[[DispatchListener], Dispatcher]:
    """Return what makes the dispatcher of a run on a cluster."""
    settings = replace(folder.tournament.cluster, without=options.without_worker)
    if options.require_equal is not None:
        settings = replace(settings, equal_machines=True, tolerance=options.require_equal)
    return partial(
        module.DaskCluster, TournamentJobs(folder), address=options.cluster, settings=settings
    )


def _go_on(path: Path) -> str:
    return f"go on with: highstreet tournament resume {quote(str(path))}"
