"""A group of commands that imports a command when it is used."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click


class LazyGroup(click.Group):
    """A group that imports a command when it is used, not when the commands are listed.

    The command NAME is ``command`` of the module NAME in ``package``. ``summaries`` are the first
    sentences of the commands' help: listing them must not import the dependencies of all commands.
    """

    def __init__(
        self, *arguments: Any, package: str, summaries: Mapping[str, str], **rest: Any
    ) -> None:
        super().__init__(*arguments, **rest)
        self.summaries = summaries
        self._package = package

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """Return the names, sorted."""
        return sorted(self.summaries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import a command; return None if there is none of that name."""
        if cmd_name not in self.summaries:
            return None
        module = import_module(f"{self._package}.{cmd_name.replace('-', '_')}")
        command: click.Command = module.command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands with their summaries."""
        names = self.list_commands(ctx)
        width = formatter.width - 6 - max(map(len, names))
        rows = [
            (name, click.Command(name, help=self.summaries[name]).get_short_help_str(width))
            for name in names
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)
