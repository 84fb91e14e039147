"""``highstreet bot``: bots as packages."""

from __future__ import annotations

import click

from tournaments.cli.lazy_group import LazyGroup

_SUMMARIES = {
    "check": "Build a package in the sandbox, and check it at every game that it claims.",
    "pack": "Write the folder of a bot as a package: one file, the same for the same folder.",
}


@click.group("bot", cls=LazyGroup, package=__name__, summaries=_SUMMARIES)
def command() -> None:
    """Check and pack bots as packages: a folder with a manifest, bot.toml.

    \b
    Examples:
      highstreet bot check my-bot
      highstreet bot pack my-bot --out my-bot.tar.gz
    """  # noqa: D301  click's mark for "keep the lines"
