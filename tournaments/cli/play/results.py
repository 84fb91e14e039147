"""The output of ``highstreet play``: results, and the reasons of forfeits."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from statistics import fmean
from typing import Final

import click
from rich.console import Console
from rich.table import Table as RichTable

from engine import Seat
from referee.match import MatchResult
from referee.model import BotSpec, Transport
from referee.record import printable
from tournaments.cli.options import FIRST_GAME

LAST_LINES: Final = 12
LAST_BYTES: Final = 8192
LONGEST_LINE: Final = 400


@dataclass(slots=True)
class Tally:
    """The matches played so far."""

    results: list[MatchResult] = field(default_factory=list)
    paths: list[Path] = field(default_factory=list)
    log_starts: dict[str, int] = field(default_factory=dict)
    """The offset in the log of each bot where this run begins; earlier runs may share --out."""
    stderr: dict[str, list[str]] = field(default_factory=dict)
    """The last lines of standard error of each bot that forfeited, after its latest forfeit."""

    @property
    def forfeited(self) -> bool:
        """Whether any bot forfeited a match."""
        return any(result.forfeits for result in self.results)


def log_size(path: Path) -> int:
    """Return the size of a log; 0 if there is none."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def last_lines(path: Path, since: int) -> list[str]:
    """Return the last lines of a log after an offset, printable."""
    try:
        with path.open("rb") as file:
            end = file.seek(0, 2)
            start = max(since, end - LAST_BYTES)
            file.seek(start)
            lines = file.read(LAST_BYTES).decode(errors="replace").splitlines()
    except OSError:
        return []
    if start > since:
        lines = lines[1:] or lines  # the first one is incomplete
    shown = [printable(line.expandtabs(), LONGEST_LINE).rstrip() for line in lines[-LAST_LINES:]]
    return shown if any(shown) else []


def show(bots: Sequence[BotSpec], tally: Tally, out: Path | None) -> None:
    """Print the results of all matches, and the standard error of bots that forfeited."""
    if not tally.results:
        return
    console = Console(highlight=False, markup=False)  # messages of bots contain no markup
    if len(tally.results) == 1:
        _show_one(console, tally.results[0])
    else:
        _show_many(console, bots, tally.results)
    if out is not None and tally.paths:
        one = len(tally.paths) == 1
        click.echo(f"record: {tally.paths[0]}" if one else f"records: {out}")
    for spec in bots:
        _show_forfeits(spec, tally, out)


def _show_one(console: Console, result: MatchResult) -> None:
    if result.void:
        console.print(f"the match is void: {result.causes[-1].detail}")
        return
    table = RichTable("place", "entrant", "seat", "score", "time", "", box=None)
    faults = {cause.seat: f"forfeit: {printable(cause.detail)}" for cause in result.causes}
    for seat in sorted(range(len(result.places)), key=lambda seat: result.places[seat]):
        table.add_row(
            str(result.places[seat]),
            result.plan.entrants[seat],
            str(seat),
            str(result.scores[seat]),
            _seconds(result.used[seat]),
            faults.get(Seat(seat), ""),
        )
    console.print(table)
    console.print(f"{result.decisions} decisions; ended by {result.ending}")


def _show_many(console: Console, bots: Sequence[BotSpec], results: Sequence[MatchResult]) -> None:
    table = RichTable(
        "entrant", "matches", "won", "mean place", "mean score", "forfeits", "time", box=None
    )
    counted = [result for result in results if not result.void]
    rows = [_summary(spec.name, counted) for spec in bots]
    for row in sorted(rows, key=lambda row: row[3]):
        table.add_row(*row)
    console.print(table)
    if len(counted) < len(results):
        console.print(f"{len(results) - len(counted)} matches were void and do not count")


def _summary(name: str, results: Sequence[MatchResult]) -> tuple[str, ...]:
    at = [(result, result.plan.entrants.index(name)) for result in results]
    if not at:
        return (name, "0", "", "", "", "", "")
    won = sum(1 / result.places.count(1) for result, seat in at if result.places[seat] == 1)
    return (
        name,
        str(len(at)),
        f"{won / len(at):.1%}",
        f"{fmean(result.places[seat] for result, seat in at):.2f}",
        f"{fmean(result.scores[seat] for result, seat in at):.1f}",
        str(sum(seat in result.forfeits for result, seat in at)),
        _seconds(sum((result.used[seat] for result, seat in at), timedelta(0))),
    )


def _seconds(duration: timedelta) -> str:
    return f"{duration.total_seconds():.2f} s"


def _show_forfeits(spec: BotSpec, tally: Tally, out: Path | None) -> None:
    """Print on standard error the forfeits of a bot, their cause, and its last output."""
    causes = [
        cause
        for result in tally.results
        for cause in result.causes
        if cause.seat in result.forfeits and result.plan.entrants[cause.seat] == spec.name
    ]
    if not causes:
        return
    latest = causes[-1]
    which = ", the latest" if len(causes) > 1 else ""
    at = f" at decision {latest.decision}" if latest.decision is not None else ""
    why = f"{which}{at}: {printable(latest.detail)}"
    lines = [f"{spec.name} forfeited {len(causes)} of {len(tally.results)} matches{why}"]
    if spec.command is None:
        lines.append("  its standard error is where it runs")
    else:
        game = tally.results[-1].plan.game.spec.name
        lines += [f"  {line}" for line in stderr_notes(spec, tally.stderr[spec.name], out)]
        lines.append(f"  to find the fault: {_check_command(spec, game)}")
    click.echo("\n".join(lines), err=True)


def stderr_notes(spec: BotSpec, lines: Sequence[str], out: Path | None) -> list[str]:
    """Return lines with the end of a bot's standard error and the path of all of it."""
    if not lines:
        return ["it wrote nothing on standard error"]
    name = f"{spec.name}.stderr.log"
    where = str(out / name) if out else f"play again with --out FOLDER, and read FOLDER/{name}"
    return ["its last lines of standard error:", *(f"  {line}" for line in lines), f"more: {where}"]


def _check_command(spec: BotSpec, game: str) -> str:
    assert spec.command is not None  # noqa: S101  it was started
    transport = "" if spec.transport is Transport.PIPE else f" --transport {spec.transport}"
    chosen = "" if game == FIRST_GAME else f" --game {game}"
    return f"highstreet check-bot{transport}{chosen} -- {shlex.join(spec.command.arguments)}"
