"""The run of a comparison: play until it is decided, and print the verdict."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from shlex import quote

import click

from engine import UsageError
from referee.record import printable
from referee.runtime import run_async, tuned_process
from tournaments.cli.compare.settings_file import ComparisonOptions, comparison_file
from tournaments.cli.files import INTERRUPTED
from tournaments.cli.tournament.progress_display import log, progress_display
from tournaments.ratings import Verdict
from tournaments.report import difference_words
from tournaments.runner import TOML, BatchRunner, TournamentFolder, begun
from tournaments.submissions import build_entrants


def run_comparison(
    order: ComparisonOptions, path: Path, tables: int, workers: int | None, *, kept: bool
) -> bool:
    """Play a comparison in a folder, or continue it, and print it; return if NEW is better."""
    here = Path.cwd()
    text = comparison_file(order, here)
    with begun(path, path / TOML, text=text, base=here) as folder:
        build_entrants(folder.tournament, text, path / TOML, folder.logs, log)
        with progress_display(lambda: status(folder)) as display:
            runner = BatchRunner(
                folder, display, workers=workers or os.cpu_count() or 1, tables=tables
            )
            with tuned_process():
                result = run_async(runner.run())
        folder.release(folder.complete_sets())
        folder.write_outputs()
        for sentence in [*_forfeits(folder), *folder.notes()]:
            click.echo(printable(sentence, 2000))
        if kept:
            click.echo(f"report: {path / 'report.html'}; records: {folder.records}")
        complete = folder.progress().complete
        found = folder.stop_state()
    if result.given_up:
        raise UsageError(f"{len(result.given_up)} matches failed in every attempt.{_logs(path)}")
    if not complete:
        again = f"the same command with --out {quote(str(path))} continues" if kept else ""
        click.echo(f"stopped; {again or 'nothing is kept without --out'}.", err=True)
        raise SystemExit(INTERRUPTED)
    comparison = found.comparison if found is not None else None
    return comparison is not None and comparison.verdict is Verdict.BETTER


def status(folder: TournamentFolder) -> str:
    """Say how far a comparison is, in one line."""
    state = folder.stop_state()
    found = state.comparison if state is not None else None
    if state is None or found is None or not found.sets:
        return ""
    towards = "better" if found.evidence >= 0 else "worse"
    far = f'{100 * abs(found.evidence):.0f} % of the evidence for "{towards}"'
    left = found.sets_left
    more = f", about {left} more sets at this rate" if left is not None else ""
    return f"{difference_words(found, state.rule.confidence)}, {found.sets} sets, {far}{more}"


def _forfeits(folder: TournamentFolder) -> list[str]:
    """Say which bots forfeited matches: these count as lost."""
    lost: Counter[str] = Counter()
    for result in folder.results():
        lost.update(result.entrants[seat] for seat in result.forfeits)
    return [
        f"{name} forfeited {times} matches, which count as lost." for name, times in lost.items()
    ]


def _logs(path: Path) -> str:
    return f" See {path / 'logs'}." if path.exists() else ""
