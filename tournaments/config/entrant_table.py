"""The table of an entrant in a tournament file: its keys, and which of them fit together."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BeforeValidator, Field

from engine import UsageError
from referee.model import BotCommand, SandboxKind, Transport
from referee.sandbox import SANDBOXES, sandboxed
from tournaments.bot_commands import SAMPLES, sample_command, split_command, variable_problem
from tournaments.config.schema import (
    EntrantName,
    GameNames,
    OneOf,
    Table,
    Text,
    as_refusal,
    must_be,
    refused,
)
from tournaments.config.toml_reader import TomlFile, quoted
from tournaments.model import Entrant, Package

LONGEST_AUTHOR: Final = 100
_LOCAL: Final = {str(way): way for way in (Transport.PIPE, Transport.GRPC)}

WAYS: Final = ("bot", "command", "package", "remote")
"""The keys of which an entrant has one."""
ReadPackage = Callable[[str, Path | None], Package]
"""Reads the package at a path as the file has it, which is relative to the folder of the file."""


def _check_sample(name: str) -> str:
    with as_refusal(" A program of your own is a command."):
        sample_command(name)
    return name


def _split_command(value: object) -> tuple[str, ...]:
    """Return the words of a command, which is a list of words or one text."""
    words: Any = value
    if isinstance(value, str):
        try:
            words = split_command(value)
        except UsageError:
            problem = "one that a shell can split: is a quotation mark missing?"
            raise must_be(problem) from None
    if not isinstance(words, list | tuple) or not all(isinstance(word, str) for word in words):
        words = ()
    if not words or not words[0]:
        raise must_be('a program and its arguments, as in ["./my-bot", "--fast"]')
    if any("\0" in word for word in words):
        raise refused("command contains a zero character: no program can be given one.")
    return tuple(words)


class EntrantTable(Table):
    """A table of [[entrants]]."""

    name: EntrantName = ""
    bot: Annotated[str, Text(), AfterValidator(_check_sample)] | None = None
    command: Annotated[Any, BeforeValidator(_split_command)] = ()
    package: Annotated[str, Text()] | None = None
    remote: bool = False
    transport: Annotated[Transport, OneOf(_LOCAL)] = Transport.PIPE
    author: Annotated[str, Text(LONGEST_AUTHOR)] | None = None
    games: GameNames | None = None
    folder: Annotated[str, Text()] | None = None
    environment: dict[str, Any] = Field(default={})
    sandbox: Annotated[SandboxKind, OneOf(SandboxKind)] = SandboxKind.NONE


def read_path(
    file: TomlFile, base: Path | None, written: str | None, *at: str | int
) -> Path | None:
    """Return the path of a file, or of a folder for the key "folder"; with a base it must exist."""
    if written is None or base is None:
        return None if written is None else Path(written)
    path, what = base / written, "folder" if at[-1] == "folder" else "file"
    if _exists(path, what):
        return path
    file.report(f"{at[-1]} is {quoted(written)}, but there is no {what} {path}.", *at)
    return None


def _exists(path: Path, what: str) -> bool:
    """Return whether a file or folder exists; a path that is no path does not."""
    try:
        return path.is_dir() if what == "folder" else path.is_file()
    except (OSError, ValueError):
        return False


class EntrantReader:
    """Checks which keys of an entrant fit together."""

    def __init__(
        self,
        file: TomlFile,
        number: int,
        table: EntrantTable,
        base: Path | None,
        read_package: ReadPackage | None,
    ) -> None:
        self._file = file
        self._read_package = read_package
        self._at = ("entrants", number)
        self._given = file.table(self._at)
        self._table = table
        self._base = base

    def _report(self, sentence: str, *at: str | int) -> None:
        self._file.report(sentence, *self._at, *at)

    def read(self) -> Entrant:
        """Return the entrant; its name is empty where it is wrong."""
        table = self._table
        if "name" not in self._given and "package" not in self._given:
            self._report('an entrant has no name: write name = "…" under its [[entrants]].')
        ways = [key for key in WAYS if self._given.get(key, False) is not False]
        if len(ways) != 1:
            self._report(
                "an entrant has exactly one of bot (a sample bot), command, package and "
                f"remote = true, but this one has {' and '.join(ways) or 'none'}.",
                *ways[-1:],
            )
        if "remote" in ways:
            self._report_local()
            games = self._games(None)
            return Entrant(table.name, table.author or "", games)
        if "package" in ways:
            return self._packaged(self._package(table.package or ""))
        folder = read_path(self._file, self._base, table.folder, *self._at, "folder")
        command = self._sandboxed(self._command(folder, self._environment()))
        games = self._games(SAMPLES[table.bot] if table.bot else None)
        return Entrant(
            table.name,
            table.author or "",
            games,
            table.transport,
            command,
            table.bot,
            table.folder,
        )

    def _packaged(self, package: Package | None) -> Entrant:
        """Return the entrant of a package; None stands for one that cannot be read."""
        table, environment = self._table, self._environment()
        for key in ("transport", "folder"):
            if key in self._given:
                self._report(f"the manifest of a package decides on the {key}: take it out.", key)
        if self._given.get("sandbox") == SandboxKind.NONE:
            self._report(
                'a package always runs in the sandbox: take sandbox = "none" out.', "sandbox"
            )
        if package is None:
            return Entrant(table.name, table.author or "", self._games(None), Transport.PIPE)
        manifest, command = package.manifest, package.command
        return Entrant(
            table.name or ("" if "name" in self._given else manifest.name),
            table.author or "",
            self._games(manifest.games, "package"),
            manifest.transport,
            command and replace(command, environment=environment),
            package=package,
        )

    def _package(self, written: str) -> Package | None:
        """Return the package at a path; report why it cannot be used."""
        if not written or self._read_package is None:
            return None
        self._check_sandbox(SandboxKind.BUBBLEWRAP, "package")
        try:
            return self._read_package(written, self._base)
        except UsageError as error:
            for sentence in str(error).splitlines():
                self._report(f"package {quoted(written)}: {sentence}", "package")
            return None

    def _games(
        self, known: tuple[str, ...] | None, what: str = "sample bot"
    ) -> tuple[str, ...] | None:
        """Return the games of a bot; ``known`` are those of a sample bot or a package."""
        if self._table.games is None:
            return known
        for number, name in enumerate(self._table.games):
            if known is not None and name not in known:
                self._report(f"this {what} does not play {name}: take it out.", "games", number)
        return tuple(dict.fromkeys(self._table.games))

    def _report_local(self) -> None:
        for key in ("transport", "folder", "environment", "sandbox"):
            if key in self._given:
                self._report(
                    f"{key} is for bots that the referee starts, but this one is remote: it is "
                    f"started elsewhere and connects over gRPC. Leave {key} out.",
                    key,
                )

    def _command(
        self, folder: Path | None, environment: Mapping[str, str] | None
    ) -> BotCommand | None:
        """Return how the bot is started: in its folder, or else in that of the file."""
        table = self._table
        if "command" in self._given:
            base = folder or self._base
            if table.command and self._base and base and (folder or "folder" not in self._given):
                self._check_program(table.command[0], base)
            return BotCommand(table.command, base, environment)
        if table.bot is None:
            return None
        return replace(sample_command(table.bot), folder=folder, environment=environment)

    def _sandboxed(self, command: BotCommand | None) -> BotCommand | None:
        """Return the command in the sandbox that is asked for, which this machine must have."""
        kind = self._table.sandbox
        if command is None or kind is SandboxKind.NONE:
            return command
        self._check_sandbox(kind, "sandbox")
        return sandboxed(command, kind, folder="folder" in self._given)

    def _check_sandbox(self, kind: SandboxKind, key: str) -> None:
        """Report a sandbox that this machine does not have, if bots can be started."""
        if self._base is not None:
            try:
                SANDBOXES[kind].check()
            except UsageError as error:
                self._report(str(error), key)

    def _check_program(self, program: str, folder: Path) -> None:
        """Report a program that is given by its path and cannot be run."""
        if "/" not in program:
            return
        path = folder / program
        if not _exists(path, "file"):
            relative = "a path without / at its start is relative to folder, or else to this file"
            self._report(
                f"there is no program {path}."
                if Path(program).is_absolute()
                else f"the program {quoted(program)} is not in {folder}: {relative}.",
                "command",
            )
        elif not os.access(path, os.X_OK):
            remedy = "make it executable with chmod +x, or name the program that runs it first"
            self._report(f"the program {quoted(program)} cannot be run: {remedy}.", "command")

    def _environment(self) -> Mapping[str, str] | None:
        for name, value in self._table.environment.items():
            if problem := variable_problem(name, value):
                self._report(problem, "environment", name)
        return self._table.environment or None
