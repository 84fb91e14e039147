"""``highstreet bot show``: one version of a bot, with its stages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from tournaments.cli.output import SHOWN_LINES, Answer, client_command, text_table
from tournaments.cli.submission_output import standing_texts, state_text, with_standings

if TYPE_CHECKING:
    from tournaments.server import SubmissionClient


@client_command("show")
@click.argument("number", metavar="ID", type=click.IntRange(min=1))
@click.option("--log", is_flag=True, help="Print the whole logs of all stages.")
def command(client: SubmissionClient, *, number: int, log: bool) -> Answer:
    """Show one version of a bot: its state, rating, faults, and how it did at each stage.

    ID is the number that `highstreet submit` and `highstreet bot list` print. The faults are those
    that led to forfeits, as records name them: time_out, illegal_move, malformed, disconnect and
    crash, each with its number of matches. Of a stage that failed the last lines of the log are
    shown.

    \b
    Example:
      highstreet bot show 12
    """  # noqa: D301  click's mark for "keep the lines"
    submission = client.submission(number)
    (found,) = with_standings(client, submission["league"], [submission])
    reports = client.reports(number)
    faults = client.faults(number)
    rows = [
        (
            each["stage"],
            "passed" if each["passed"] else "failed",
            f"{each['seconds']:.1f} s",
            f"{each['cpu_seconds']:.1f} s",
            f"{int(each['memory_bytes']) / 2**20:.0f} MiB",
            each["sentence"],
        )
        for each in reports
    ]
    titles = ("stage", "result", "time", "CPU", "memory", "")
    lines = [line for each in reports for line in _log_lines(each, whole=log)]
    values = {**found, "reports": reports, "faults": faults}
    return Answer(values, _sentence(found, faults), text_table(titles, rows), lines)


def _sentence(found: dict[str, Any], faults: dict[str, int]) -> str:
    rating, matches, forfeits = standing_texts(found)
    rated = f"; rating {rating} after {matches} matches, {forfeits} forfeits"
    counts = ", ".join(f"{fault} in {count}" for fault, count in faults.items())
    faulty = f"; matches with faults: {counts}" if faults else ""
    about = f"{found['bot']} by {found['author']} in {found['league']}, version {found['version']}"
    failed = f": {found['reason']}" if found["reason"] else ""
    return f"{about}: {state_text(found)}{failed}{rated if matches != '-' else ''}{faulty}"


def _log_lines(report: dict[str, Any], *, whole: bool) -> list[str]:
    """Return the log of a stage under its name: all of it, or the end of a failed one."""
    lines = [f"    {line}" for line in report["log"].splitlines()]
    if not whole:
        lines = [] if report["passed"] else lines[-SHOWN_LINES:]
    return [f"{report['stage']}:", *lines] if lines else []
