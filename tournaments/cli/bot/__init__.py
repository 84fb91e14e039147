"""``highstreet bot``: bots as packages, on this machine and in a league."""

from __future__ import annotations

import click

from tournaments.cli.lazy_group import LazyGroup

_SUMMARIES = {
    "activate": "Let a version that has passed all stages play, in place of another one.",
    "check": "Build a package in the sandbox, and check it at every game that it claims.",
    "download": "Download a package by its SHA-256: your own, or one whose author made it public.",
    "list": "List your bots in a league: versions, states, ratings, forfeits.",
    "log": "Print what the bot NAME wrote to its standard error in its newest matches.",
    "pack": "Write the folder of a bot as a package: one file, the same for the same folder.",
    "retire": "Let no version of the bot NAME play until one is activated again.",
    "show": "Show one version of a bot: its state, rating, faults, and how it did at each stage.",
}


@click.group("bot", cls=LazyGroup, package=__name__, summaries=_SUMMARIES)
def command() -> None:
    """Check and pack bots as packages, and look after those that you submitted to a league.

    A package is a folder with a manifest, bot.toml; `highstreet submit` sends it to a league.

    \b
    Examples:
      highstreet bot check my-bot
      highstreet bot pack my-bot --out my-bot.tar.gz
      highstreet bot list spring --server league.example:7000
    """  # noqa: D301  click's mark for "keep the lines"
