"""``highstreet league``: the subcommands about which records are kept."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.progress import Progress

from engine import UsageError
from tournaments.cli.files import INTERRUPTED
from tournaments.cli.options import database_options, existing_database_url
from tournaments.cli.output import league_argument
from tournaments.model import MOST_EVERY, MOST_KEEP_DAYS

if TYPE_CHECKING:
    from tournaments.model import Retention, Thinning
    from tournaments.store import Store


@click.command("prune")
@league_argument
@click.option(
    "--keep-days",
    type=click.IntRange(1, MOST_KEEP_DAYS),
    help="Keep every record of this number of days; default: keep_days of the league.",
)
@click.option(
    "--every",
    type=click.IntRange(0, MOST_EVERY),
    help="Of older ones keep those of every n-th set, 0 for none; default: keep_every of the "
    "league.",
)
@click.option("--dry-run", is_flag=True, help="Print what would be removed, and remove nothing.")
@database_options
def prune(
    league: str,
    keep_days: int | None,
    every: int | None,
    dry_run: bool,  # noqa: FBT001  click passes it by name
    data: Path | None,
    database: str | None,
) -> None:
    """Thin out the old records of LEAGUE; their results and hashes stay.

    Records of the last days, of every n-th set before, of annulled matches, and those that `league
    keep` has marked are kept. The server may go on meanwhile. After Ctrl-C or a crash the next call
    goes on. SQLite uses the freed space again, but its file does not become smaller.

    \b
    Examples:
      highstreet league prune spring --keep-days 30 --every 10 --dry-run --data leagues
      highstreet league prune spring --keep-days 30 --every 10 --data leagues
    """  # noqa: D301  click's mark for "keep the lines"
    from tournaments.store import Store  # noqa: PLC0415  slow to load

    with Store.open(existing_database_url(data, database), migrate=False) as store:
        rule = _rule(store.league(league).settings.retention, keep_days, every)
        planned = store.planned_thinning(league, rule)
        if not dry_run:
            planned = _thin(store, league, rule, planned)
    verb = "would be removed" if dry_run else "removed"
    click.echo(
        f"{league}: {planned.removed} records {verb} ({planned.removed_bytes} bytes), "
        f"{planned.kept} kept ({planned.kept_bytes} bytes); {planned.thinned_before} had been "
        "removed before"
    )


def _rule(rule: Retention, keep_days: int | None, every: int | None) -> Retention:
    """Return the rule of the league, with what the command says instead."""
    from tournaments.model import Retention  # noqa: PLC0415  slow to load

    days = rule.keep_days if keep_days is None else keep_days
    if not days:
        raise UsageError("the league keeps all records: say which to keep with --keep-days.")
    return Retention(days, rule.keep_every if every is None else every)


def _thin(store: Store, league: str, rule: Retention, planned: Thinning) -> Thinning:
    """Remove records, with a progress bar; Ctrl-C ends it between two transactions."""
    done = replace(planned, removed=0, removed_bytes=0)
    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("records", total=planned.removed)
        try:
            for done in store.thin_records(league, rule):
                progress.update(task, completed=done.removed)
        except KeyboardInterrupt:
            click.echo(f"stopped after {done.removed} records; the next call goes on", err=True)
            raise SystemExit(INTERRUPTED) from None
    return done


@click.command("keep")
@click.argument("matches", nargs=-1, required=True, metavar="MATCH...")
@database_options
def keep(matches: tuple[str, ...], data: Path | None, database: str | None) -> None:
    """Mark the records of matches, so that `prune` and the server keep them.

    \b
    Example:
      highstreet league keep 4c1d2a90aa3be0f1-1 --data leagues
    """  # noqa: D301  click's mark for "keep the lines"
    from tournaments.store import Store  # noqa: PLC0415  slow to load

    with Store.open(existing_database_url(data, database), migrate=False) as store:
        for match in matches:
            thinned = store.thinned_record(match)
            if thinned is not None:
                at = f"{thinned.thinned_at:%Y-%m-%d}"
                raise UsageError(f"the record of {match} was thinned out on {at}.")
            store.keep_record(match)
    click.echo(f"{len(matches)} {'record is' if len(matches) == 1 else 'records are'} kept")
