"""The manifest of a package, ``bot.toml``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Final

from pydantic import Field

from referee.model import Transport
from tournaments.config.schema import EntrantName, GameNames, OneOf, Table, Text, validate
from tournaments.config.toml_reader import TomlFile
from tournaments.model import Manifest

LONGEST_VERSION: Final = 40
LONGEST_RUNTIME: Final = 40
MOST_ARGUMENTS: Final = 100
_STARTED: Final = {str(way): way for way in (Transport.PIPE, Transport.GRPC)}

Command = Annotated[list[Annotated[str, Text()]], Field(min_length=1, max_length=MOST_ARGUMENTS)]


class BotTable(Table):
    """The table [bot]."""

    name: EntrantName = ""
    version: Annotated[str, Text(LONGEST_VERSION)] = ""
    games: GameNames = Field(default=[])
    public: bool = False


class BuildTable(Table):
    """The table [build]."""

    command: Command = Field(default=[])


class RunTable(Table):
    """The table [run]."""

    command: Command = Field(default=[])
    transport: Annotated[Transport, OneOf(_STARTED)] = Transport.PIPE
    runtime: Annotated[str, Text(LONGEST_RUNTIME)] = ""


class ManifestTable(Table):
    """A manifest."""

    bot: BotTable = BotTable()
    build: BuildTable = BuildTable()
    run: RunTable = RunTable()


KEYS: Final[Mapping[str, Sequence[str]]] = {
    "at the top": tuple(ManifestTable.model_fields),
    "in [bot]": tuple(BotTable.model_fields),
    "in [build]": tuple(BuildTable.model_fields),
    "in [run]": tuple(RunTable.model_fields),
}
_REQUIRED: Final = (
    ("bot", "name", '"my-bot"'),
    ("bot", "games", '["glastonbury"]'),
    ("run", "command", '["python3", "bot.py"]'),
    ("run", "runtime", '"python"'),
)


def parse_manifest(text: str, source: str) -> Manifest:
    """Read a manifest, which messages call ``source``; raises SettingsFileError."""
    file = TomlFile(text, source)
    top = validate(file, ManifestTable, KEYS)
    for table, key, example in _REQUIRED:
        found = file.values.get(table, {})
        if isinstance(found, Mapping) and key not in found:
            file.report(f"[{table}] has no {key}: write {key} = {example} in it.", table)
    file.raise_problems()
    return Manifest(
        name=top.bot.name,
        version=top.bot.version,
        games=tuple(dict.fromkeys(top.bot.games)),
        public=top.bot.public,
        build=tuple(top.build.command),
        run=tuple(top.run.command),
        transport=top.run.transport,
        runtime=top.run.runtime,
    )
