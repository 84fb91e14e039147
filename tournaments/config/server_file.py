"""Server files: what the machine of a server has for bots."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import AfterValidator, Field

from engine import did_you_mean
from tournaments.bot_commands import variable_problem
from tournaments.config.manifest_file import LONGEST_RUNTIME
from tournaments.config.schema import PartOfTable, Table, Text, must_be, place_of, validate
from tournaments.config.toml_reader import TomlFile, quoted, shortened, shown, unknown_key
from tournaments.model import RUNTIMES, RuntimeSettings, RuntimesSettings, ServerFile

MOST_PATHS: Final = 100


def _read_path(value: str) -> Path:
    if not Path(value).is_absolute():
        raise must_be('a path that begins with /, as in "/opt/python"')
    return Path(value)


AbsolutePath = Annotated[Any, Text(), AfterValidator(_read_path)]


class RuntimeTable(Table):
    """A table [runtimes.NAME]."""

    enabled: bool = True
    program: AbsolutePath | None = None
    paths: Annotated[list[AbsolutePath], Field(max_length=MOST_PATHS)] = Field(default=[])
    environment: dict[str, Any] = Field(default={})


class RuntimesTable(PartOfTable):
    """The keys of [runtimes] that are no runtimes."""

    only_listed: bool = False


class ServerTable(Table):
    """A server file."""

    runtimes: dict[str, Any] = Field(default={})


KEYS: Final[Mapping[str, Sequence[str]]] = {
    "at the top": tuple(ServerTable.model_fields),
    "in [runtimes]": tuple(RuntimesTable.model_fields),
    "in [runtimes.NAME]": tuple(RuntimeTable.model_fields),
}


def parse_server(text: str, source: str) -> ServerFile:
    """Read a server file, which messages call ``source``; raises SettingsFileError."""
    file = TomlFile(text, source)
    top = validate(file, ServerTable, KEYS)
    runtimes = _read_runtimes(file, top.runtimes)
    file.raise_problems()
    return ServerFile(runtimes)


def _read_runtimes(file: TomlFile, tables: Mapping[str, Any]) -> RuntimesSettings:
    if not tables:
        return RuntimesSettings()
    own = validate(file, RuntimesTable, KEYS, ("runtimes",))
    listed: dict[str, RuntimeSettings] = {}
    for name, value in tables.items():
        if name in RuntimesTable.model_fields:
            continue
        if isinstance(value, Mapping):
            listed[name] = _read_runtime(file, name)
        elif name in RUNTIMES:
            sentence = f"{name} is {shown(value)}, but must be a table: [runtimes.{name}]."
            file.report(sentence, "runtimes", name)
        else:
            known = [*RuntimesTable.model_fields, *RUNTIMES]
            file.report(unknown_key(name, known, "in [runtimes]"), "runtimes", name)
    return RuntimesSettings(listed, own.only_listed)


def _read_runtime(file: TomlFile, name: str) -> RuntimeSettings:
    at = ("runtimes", name)
    table = validate(file, RuntimeTable, {place_of(at): tuple(RuntimeTable.model_fields)}, at)
    if name not in RUNTIMES and "program" not in file.table(at):
        hint = did_you_mean(shortened(name), RUNTIMES)
        needed = 'One of your own needs a program: write program = "/…" in it.'
        file.report(f"there is no runtime {quoted(name)}.{hint} {needed}", *at)
    if not name.isprintable() or not 0 < len(name) <= LONGEST_RUNTIME:
        sentence = f"the name of a runtime has 1 to {LONGEST_RUNTIME} printable characters."
        file.report(sentence, *at)
    for variable, value in table.environment.items():
        if problem := variable_problem(variable, value):
            file.report(problem, *at, "environment", variable)
    return RuntimeSettings(table.enabled, table.program, tuple(table.paths), table.environment)
