"""The entrants in a tournament file."""

from __future__ import annotations

import os
import re
import unicodedata
from dataclasses import replace
from pathlib import Path

from engine import UsageError
from referee import BotCommand, Transport
from tournaments.bot_names import sample_command, split_command
from tournaments.file.keys import ENTRANTS, refuse_unknown
from tournaments.file.paths import is_file, read_path
from tournaments.file.toml_reader import Table, quoted
from tournaments.tournament import Entrant

LONGEST_NAME = 60
"""Four bytes for each letter, and the name of a log file is still one that systems accept."""
LONGEST_AUTHOR = 100

_NAME = re.compile(r"[\w+][\w .+-]*")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def read_entrants(root: Table, folder: Path | None) -> tuple[Entrant, ...]:
    """Read all entrants; one whose name is wrong has an empty one."""
    if not root.get("entrants", []):
        root.complain("there are no entrants: write [[entrants]] for each bot.", "entrants")
    entrants = []
    lines: dict[str, int] = {}
    for table in root.tables("entrants"):
        entrant = _entrant(table, folder)
        entrants.append(entrant)
        same = unicodedata.normalize("NFKC", entrant.name).casefold()
        if entrant.name and same in lines:
            table.complain(
                f"the name {quoted(entrant.name)} is taken by the entrant in line {lines[same]}: "
                "names must differ in more than capital letters.",
                "name",
            )
        lines.setdefault(same, table.line("name"))
    return tuple(entrants)


def _entrant(table: Table, folder: Path | None) -> Entrant:
    refuse_unknown(table, ENTRANTS)
    name = _name(table)
    author = table.text("author", None, LONGEST_AUTHOR)
    table.flag("remote", default=False)
    ways = [key for key in ("bot", "command", "remote") if table.get(key, False) is not False]
    if len(ways) != 1:
        table.complain(
            f"an entrant has exactly one of bot (a sample bot), command and remote = true, but "
            f"this one has {' and '.join(ways) or 'none'}.",
            *ways[-1:],
        )
    if "remote" in ways:
        _refuse_what_is_local(table)
        return Entrant(name, Transport.REMOTE, author=author)
    transport = table.choice("transport", [Transport.PIPE, Transport.GRPC], Transport.PIPE)
    command = _command(table, folder) if "command" in ways else _sample(table, folder)
    sample = table.text("bot", None)
    return Entrant(name, transport, command, sample, author, table.text("folder", None))


def _name(table: Table) -> str:
    if "name" not in table:
        table.complain('an entrant has no name: write name = "…" under its [[entrants]].')
    name = table.text("name", "", LONGEST_NAME)
    if name and not _NAME.fullmatch(name):
        table.complain(
            f"name is {quoted(name)}, but must be letters, digits, spaces and . _ + - and must "
            "not begin with . or -.",
            "name",
        )
    return name


def _refuse_what_is_local(table: Table) -> None:
    for key in ("transport", "folder", "environment"):
        if key in table:
            table.complain(
                f"{key} is for bots that the referee starts, but this one is remote: it is "
                f"started elsewhere and dials in over gRPC. Leave {key} out.",
                key,
            )


def _sample(table: Table, base: Path | None) -> BotCommand | None:
    """Read which sample bot is meant; it is started wherever it lies."""
    name = table.text("bot", None)
    folder = read_path(table, "folder", base, folder=True)
    environment = _environment(table)
    if name is None:
        return None
    try:
        return replace(sample_command(name), folder=folder, environment=environment)
    except UsageError as error:
        table.complain(f"{error} A program of your own is a command.", "bot")
        return None


def _command(table: Table, base: Path | None) -> BotCommand:
    """Read how a bot is started: in its own folder, or else in that of the file."""
    folder = read_path(table, "folder", base, folder=True)
    environment = _environment(table)
    arguments = _arguments(table)
    if arguments and base is not None and (folder or "folder" not in table):
        _look_for(table, arguments[0], folder or base)
    return BotCommand(arguments, folder or base, environment)


def _arguments(table: Table) -> tuple[str, ...]:
    """Read a command, as a list of words or as one text; an empty one is wrong."""
    value = table["command"]
    words = value if isinstance(value, list) else []
    if isinstance(value, str):
        try:
            words = list(split_command(value))
        except UsageError:
            table.must_be("command", "one that a shell can split: is a quotation mark missing?")
            return ()
    if not words or not all(isinstance(word, str) for word in words) or not words[0]:
        table.must_be("command", 'a program and its arguments, as in ["./my-bot", "--fast"]')
    elif any("\0" in word for word in words):
        table.complain("command contains a zero character: no program can be given one.", "command")
    else:
        return tuple(words)
    return ()


def _look_for(table: Table, program: str, folder: Path) -> None:
    """Look for a program that is given by its path."""
    if "/" not in program:
        return
    path = folder / program
    if not is_file(path):
        table.complain(
            f"the program {quoted(program)} is not in {folder}: a path is relative to folder, or "
            "else to this file.",
            "command",
        )
    elif not os.access(path, os.X_OK):
        table.complain(
            f"the program {quoted(program)} cannot be run: make it executable with chmod +x, or "
            "name the program that runs it first.",
            "command",
        )


def _environment(table: Table) -> dict[str, str] | None:
    """Read variables, and never repeat their values: they may be secret."""
    variables = table.table("environment", '{ LEVEL = "3" }')
    found = {}
    for name in variables:
        value = variables[name]
        if not _VARIABLE.fullmatch(name):
            problem = f"{quoted(name)} is no name of a variable: use letters, digits and _."
        elif name.startswith("HIGHSTREET_"):
            problem = f"{name} cannot be set: HIGHSTREET_ is for the referee's own variables."
        elif not isinstance(value, str) or "\0" in value:
            problem = f'{name} must be text in quotes, as in {name} = "3".'
        else:
            found[name] = value
            continue
        variables.complain(problem, name)
    return found or None
