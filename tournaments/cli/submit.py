"""``highstreet submit``: a bot on its way into a league."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click
from rich.console import Console
from rich.text import Text

from tournaments.cli.connection import Connection, connection_options
from tournaments.cli.files import exit_when_interrupted, progress_bar, read_file
from tournaments.cli.submission_output import show_line, show_report

if TYPE_CHECKING:
    from tournaments.server import SubmissionClient

T = TypeVar("T")

INTERVAL: Final = 0.2
"""Seconds after which Ctrl-C is noticed at the latest."""


@click.command("submit")
@click.argument("path", metavar="FOLDER|PACKAGE", type=click.Path(exists=True, path_type=Path))
@click.option("--league", required=True, help="The league in which the bot is to play.")
@connection_options
def command(path: Path, league: str, connection: Connection) -> None:
    """Submit a bot to a league: a folder with a manifest, bot.toml, or a package of it.

    The package is uploaded, and the server builds it, checks it and lets it play in its sandbox;
    then it is the version of your bot that plays. An upload that was cut goes on with the same
    command. The exit code is 0 if the bot is active, and 1 if it failed. The token is that of your
    account: see `highstreet enrol`.

    \b
    Examples:
      highstreet submit my-bot --league spring --server league.example:7000
      highstreet submit my-bot.tar.gz --league spring --token-file ann.token
    """  # noqa: D301  click's mark for "keep the lines"
    from tournaments.submissions import pack, read_manifest  # noqa: PLC0415  slow to load

    if path.is_dir():
        packed = pack(path)
        read_manifest(path)  # raises what the server would refuse
    else:
        packed = read_file(path)
    with connection.client() as client:
        submission = _submitted(client, league, packed)
        goes_on = (
            "the submission goes on: the same command follows it, and `highstreet bot show "
            f"{submission['id']}` shows how far it is."
        )
        with exit_when_interrupted(goes_on):
            last = _beside(lambda: _follow(client, submission))
    raise click.exceptions.Exit(0 if last["state"] == "active" else 1)


def _submitted(client: SubmissionClient, league: str, packed: bytes) -> dict[str, Any]:
    """Return the submission of a package, which is uploaded unless the server has it."""
    from tournaments.submissions import package_hash  # noqa: PLC0415  slow to load

    package = package_hash(packed)
    for each in client.submissions(league):
        if each["package"] == package and each["state"] != "failed":
            return each
    cut = "interrupted; what has arrived is kept: the same command goes on."
    with exit_when_interrupted(cut), progress_bar() as bar:
        task = bar.add_task("uploading", total=len(packed))

        def show(sent: int) -> None:
            bar.update(task, completed=sent)

        return _beside(lambda: client.upload(league, packed, show))


def _beside(work: Callable[[], T]) -> T:
    """Do work in a thread: a channel that Ctrl-C interrupts within gRPC may never close.

    After Ctrl-C the thread ends when the client is closed.
    """
    executor = ThreadPoolExecutor(1)
    try:
        future = executor.submit(work)
        while not wait([future], INTERVAL).done:
            pass  # a wait without an end is not interrupted by a signal that another thread gets
        return future.result()
    finally:
        executor.shutdown(wait=False)


def _follow(client: SubmissionClient, submission: dict[str, Any]) -> dict[str, Any]:
    """Print the stages of a submission as they end; return what became of it."""
    console = Console(highlight=False, soft_wrap=True)
    size, package = submission["size"], submission["package"]
    show_line(
        console, "received", f"submission {submission['id']}, {size:,} bytes, package {package}"
    )
    shown, now = 0, submission
    for now in client.watch(submission["id"]):
        reports = client.reports(now["id"])
        for report in reports[shown:]:
            show_report(console, report)
        shown = len(reports)
    _show_end(console, now)
    return now


def _show_end(console: Console, now: dict[str, Any]) -> None:
    sentences = {
        "active": f"{now['bot']} plays in version {now['version']}",
        "failed": f"it failed: {now['reason']}",
        "retired": f"another version plays, or none: `highstreet bot activate {now['id']}`",
        "processing": f"the server stopped: `highstreet bot show {now['id']}` shows how it goes on",
    }
    style = "bold green" if now["state"] == "active" else "bold red"
    show_line(console, now["state"], sentences[now["state"]], style)
    if now["page"]:
        console.print(Text(now["page"]))
