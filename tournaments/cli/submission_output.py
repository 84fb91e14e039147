"""How commands print submissions and their stages."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from rich.console import Console
from rich.text import Text

from referee.record import printable
from tournaments.cli.output import show_log

if TYPE_CHECKING:
    from tournaments.server import LeagueClient


def show_line(console: Console, what: str, about: str, style: str = "bold") -> None:
    """Print a word, and what there is to say about it."""
    console.print(Text.assemble((f"{what:<13}", style), printable(about)))


def show_report(console: Console, report: dict[str, Any]) -> None:
    """Print how a stage ended in one line; of a failed one the end of the log too."""
    about = f"{report['seconds']:6.1f} s  {report['sentence']}"
    if report["passed"]:
        show_line(console, report["stage"], about)
        return
    show_line(console, f"not {report['stage']}", about, "bold red")
    show_log(console, report["log"])


def with_standings(
    client: LeagueClient, league: str, submissions: Iterable[dict[str, Any]]
) -> list[dict[str, Any]]:
    """Return submissions, each with its row of the standings as "standing", None if it has none."""
    table, _ = client.standings(league)
    rows = {(row["entrant"], row["version"]): row for row in table}
    return [{**each, "standing": rows.get((each["bot"], each["version"]))} for each in submissions]


def standing_texts(submission: dict[str, Any]) -> tuple[str, str, str]:
    """Return rating, matches and forfeits of a submission with its standing."""
    row = submission["standing"]
    if row is None or not row["matches"]:
        return "-", "-", "-"
    return f"{row['rating']:.2f}", str(row["matches"]), str(row["forfeits"])


def state_text(submission: dict[str, Any]) -> str:
    """Return the state of a submission in words."""
    if submission["state"] == "processing":
        return f"processing, {submission['stage']}"
    if submission["state"] == "failed":
        return f"failed, not {submission['failed_at']}"
    return str(submission["state"])
