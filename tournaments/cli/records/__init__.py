"""``highstreet records``: fetch the records of a referee, and turn records into tables."""

from __future__ import annotations

import click

from tournaments.cli.lazy_group import LazyGroup

_SUMMARIES = {
    "download": "Fetch released records of a referee: all of them, or those of each MATCH.",
    "export": "Write the matches and decisions of records as tables, for data frames.",
}


@click.group("records", cls=LazyGroup, package=__name__, summaries=_SUMMARIES)
def command() -> None:
    """Fetch the records of a referee, and turn records into tables.

    \b
    Examples:
      highstreet records download --server referee.example:7000 --out records
      highstreet records export records --parquet
    """  # noqa: D301  click's mark for "keep the lines"
