"""Tournament files: their keys, and which values fit together."""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BeforeValidator, Field

from engine import AnyGame, UsageError, did_you_mean
from referee.model import MOST, BotCommand, ClockKind, SandboxKind, Transport
from referee.sandbox import SANDBOXES, sandboxed
from tournaments.bot_commands import SAMPLES, sample_command, split_command, variable_problem
from tournaments.config.schema import (
    ArrayOfTables,
    Between,
    DrawProbability,
    EntrantName,
    Game,
    GameNames,
    OneOf,
    Players,
    PolicyTable,
    Table,
    TableSizes,
    Text,
    TimeControlTable,
    as_refusal,
    must_be,
    read_games,
    read_policy,
    read_time_control,
    refused,
    validate,
)
from tournaments.config.toml_reader import TomlFile, either, quoted, shortened
from tournaments.model import (
    MOST_TABLES,
    MOST_WORKERS,
    RATINGS,
    Deals,
    Entrant,
    Format,
    RunSettings,
    Seatings,
    TournamentSettings,
)

MOST_SETS: Final = 100_000
MOST_MATCHES: Final = 5_000_000
LONGEST_TITLE: Final = 100
LONGEST_AUTHOR: Final = 100
LEAST_SECRET: Final = 32
LONGEST_SECRET: Final = 1024
LONGEST_WAIT: Final = 7 * 24 * 3600

_LISTEN = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):([0-9]{1,5})")
_LOCAL = {str(way): way for way in (Transport.PIPE, Transport.GRPC)}


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


def _read_secret(value: object) -> bytes:
    """Return the secret; messages never repeat it."""
    if not isinstance(value, str) or not re.fullmatch(r"(?:[0-9A-Fa-f]{2})*", value):
        problem = "secret must be an even number of hex digits in quotes."
    elif not LEAST_SECRET <= len(value) <= LONGEST_SECRET:
        needed = f"{LEAST_SECRET} to {LONGEST_SECRET}"
        problem = f"secret has {len(value)} hex digits, but must have {needed}."
    else:
        return bytes.fromhex(value)
    raise refused(f"{problem} Leave it out, and a random one is made and kept.")


def _read_address(value: str) -> tuple[str, int]:
    found = _LISTEN.fullmatch(value)
    if found is None or int(found[2]) > 65535:
        raise must_be('a host and a port, as in "127.0.0.1:0" or "[::1]:50051"')
    return found[1].strip("[]"), int(found[2])


class EntrantTable(Table):
    """A table of [[entrants]]."""

    name: EntrantName = ""
    bot: Annotated[str, Text(), AfterValidator(_check_sample)] | None = None
    command: Annotated[Any, BeforeValidator(_split_command)] = ()
    remote: bool = False
    transport: Annotated[Transport, OneOf(_LOCAL)] = Transport.PIPE
    author: Annotated[str, Text(LONGEST_AUTHOR)] | None = None
    games: GameNames | None = None
    folder: Annotated[str, Text()] | None = None
    environment: dict[str, Any] = Field(default={})
    sandbox: Annotated[SandboxKind, OneOf(SandboxKind)] = SandboxKind.NONE


class RunTable(Table):
    """The table [run]."""

    tables: Annotated[int, Between(1, MOST_TABLES)] = RunSettings().tables
    workers: Annotated[int, Between(1, MOST_WORKERS)] | None = None
    listen: Annotated[Any, Text(), AfterValidator(_read_address)] = (
        RunSettings().host,
        RunSettings().port,
    )
    tls_cert: Annotated[str, Text()] | None = None
    tls_key: Annotated[str, Text()] | None = None
    remote_seconds: Annotated[float, Between(1, LONGEST_WAIT)] = RunSettings().remote_seconds


Sets = Annotated[int, Between(1, MOST_SETS)]


class TournamentGameTable(Table):
    """A table of [[games]]. A file that has one game has the same keys at its top."""

    game: Game = None
    table_sizes: TableSizes | None = None
    sets_per_table: Sets = 1
    draw_probability: DrawProbability = None
    variants: Any = None
    options: Any = None


class TournamentPolicyTable(PolicyTable):  # type: ignore[misc, valid-type]
    """The table [policy]."""

    bench_after: Annotated[int, Between(0, MOST)] = 5


class TournamentTable(Table):
    """A tournament file."""

    name: Annotated[str, Text(LONGEST_TITLE)] = ""
    game: Game = None
    table_sizes: TableSizes | None = None
    sets_per_table: Sets = 1
    max_matches: Annotated[int, Between(1, MOST_MATCHES)] | None = None
    format: Annotated[Format, OneOf(Format)] = Format.ROUND_ROBIN
    challenger: Annotated[str, Text()] | None = None
    seatings: Annotated[Seatings, OneOf(Seatings)] = Seatings.ROTATIONS
    separate_authors: bool = False
    deals: Annotated[Deals, OneOf(Deals)] | None = None
    rating: Annotated[str, OneOf(RATINGS)] = RATINGS[0]
    draw_probability: DrawProbability = None
    secret: Annotated[Any, BeforeValidator(_read_secret)] = None
    variants: Any = None
    options: Any = None
    games: Annotated[list[TournamentGameTable], ArrayOfTables] | None = None
    time_control: TimeControlTable = TimeControlTable()  # type: ignore[valid-type]
    policy: TournamentPolicyTable = TournamentPolicyTable()
    run: RunTable = RunTable()
    entrants: Annotated[list[EntrantTable], ArrayOfTables] = Field(default=[])


KEYS: Final[Mapping[str, Sequence[str]]] = {
    "at the top": tuple(TournamentTable.model_fields),
    "in [[games]]": tuple(TournamentGameTable.model_fields),
    "in [time_control]": tuple(TimeControlTable.model_fields),
    "in [policy]": tuple(TournamentPolicyTable.model_fields),
    "in [run]": tuple(RunTable.model_fields),
    "in [[entrants]]": tuple(EntrantTable.model_fields),
}
"""The keys of each table; those of variants and options depend on the game."""


def template() -> str:
    """Return a tournament file with a comment for every key; it plays the sample bots."""
    file = files("tournaments.config").joinpath("tournament_template.toml")
    return file.read_text(encoding="utf-8")


def parse_tournament(text: str, source: str, folder: Path | None) -> TournamentSettings:
    """Read a tournament file; raises SettingsFileError with every mistake in it.

    Messages call the file ``source``. The folders and programs in it are relative to ``folder``
    and must exist; without a folder they are not checked, and no bot can be started.
    """
    file = TomlFile(text, source)
    tournament = _read(file, folder.absolute() if folder is not None else None)
    file.raise_problems()
    return tournament


def _read(file: TomlFile, folder: Path | None) -> TournamentSettings:
    top = validate(file, TournamentTable, KEYS)
    if "name" not in file.values:
        file.report('the tournament has no name: write name = "…" at the top.')
    if not file.values.get("entrants", []):
        file.report("there are no entrants: write [[entrants]] for each bot.", "entrants")
    entrants = tuple(
        _EntrantReader(file, number, table, folder).read()
        for number, table in enumerate(top.entrants)
    )
    _report_equal_names(file, entrants)

    def players(game: AnyGame) -> Players | None:
        return _players(entrants, game, separate_authors=top.separate_authors)

    games = read_games(file, top, top.games, players)
    if top.time_control.clock is ClockKind.CPU:  # type: ignore[attr-defined]
        _report_unmeasured(file, top.entrants)
    if folder is not None:
        _report_idle(file, entrants, [each.game for each in games])
    _check_challenger(file, top)
    parts: dict[str, Any] = {
        **dict(top),
        "title": top.name,
        "entrants": entrants,
        "games": games,
        "time_control": read_time_control(file, top.time_control),
        "policy": read_policy(top.policy),
        "bench_after": top.policy.bench_after,
        "run": _read_run(file, top.run, folder),
    }
    return TournamentSettings(
        **{part.name: parts[part.name] for part in fields(TournamentSettings)}
    )


def _report_unmeasured(file: TomlFile, entrants: Sequence[EntrantTable]) -> None:
    """Report entrants whose CPU time cannot be measured."""
    for number, table in enumerate(entrants):
        if table.sandbox is SandboxKind.NONE:
            file.report(
                f'the time control has clock = "cpu", but {quoted(table.name)} is in no sandbox, '
                'so its CPU time is unknown: give it sandbox = "bubblewrap".',
                *("entrants", number),
            )


def _players(
    everyone: Sequence[Entrant], game: AnyGame, *, separate_authors: bool
) -> Players | None:
    """Return how many entrants can share a table of a game; None if the file has no entrants."""
    if not everyone:
        return None
    entrants = [entrant for entrant in everyone if entrant.plays(game.spec.name)]
    playing = "" if len(entrants) == len(everyone) else f" that play {game.spec.name}"
    if not separate_authors:
        return Players(len(entrants), f"entrants{playing}")
    authors = [entrant.author for entrant in entrants]
    count = len(set(filter(None, authors))) + authors.count("")
    return Players(count, f"entrants{playing} of different authors")


def _report_equal_names(file: TomlFile, entrants: Sequence[Entrant]) -> None:
    lines: dict[str, int] = {}
    for number, entrant in enumerate(entrants):
        at = ("entrants", number, "name")
        same = unicodedata.normalize("NFKC", entrant.name).casefold()
        if entrant.name and same in lines:
            taken = f"is taken by the entrant in line {lines[same]}"
            needed = "names must differ in more than capital letters"
            file.report(f"the name {quoted(entrant.name)} {taken}: {needed}.", *at)
        lines.setdefault(same, file.line(at))


def _report_idle(file: TomlFile, entrants: Sequence[Entrant], games: Sequence[str]) -> None:
    """Report entrants that play none of the games."""
    for number, entrant in enumerate(entrants):
        if games and not any(map(entrant.plays, games)):
            key = "games" if "games" in file.table(("entrants", number)) else "name"
            file.report(
                f"{quoted(entrant.name)} plays {either(entrant.games or ())}, but the tournament "
                f"has only {' and '.join(games)}: leave it out, or add a game.",
                *("entrants", number, key),
            )


def _check_challenger(file: TomlFile, top: TournamentTable) -> None:
    names = [entrant.name for entrant in top.entrants]
    given = "challenger" in file.values
    if top.format is Format.GAUNTLET and not given:
        meaning = "the name of the entrant that meets all the others"
        file.report(f'a gauntlet needs a challenger: write challenger = "…", {meaning}.', "format")
    elif top.format is not Format.GAUNTLET and given:
        remedy = 'write format = "gauntlet", or leave challenger out'
        file.report(f"only a gauntlet has a challenger: {remedy}.", "challenger")
    elif top.challenger is not None and top.challenger not in names:
        hint = did_you_mean(shortened(top.challenger), names)
        sentence = f"the challenger {quoted(top.challenger)} is not among the entrants.{hint}"
        file.report(sentence, "challenger")


def _read_run(file: TomlFile, table: RunTable, folder: Path | None) -> RunSettings:
    paths = {key: value for key, value in table if key in ("tls_cert", "tls_key")}
    written = file.values.get("run")
    given = [key for key in paths if isinstance(written, dict) and key in written]
    if len(given) == 1:
        file.report("tls_cert and tls_key belong together: give both or none.", "run", *given)
    parts = dict(table) | {
        key: _read_path(file, folder, value, "run", key) for key, value in paths.items()
    }
    host, port = parts.pop("listen")
    return RunSettings(host=host, port=port, **parts)


def _read_path(
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


class _EntrantReader:
    """Checks which keys of an entrant fit together."""

    def __init__(self, file: TomlFile, number: int, table: EntrantTable, base: Path | None) -> None:
        self._file = file
        self._at = ("entrants", number)
        self._given = file.table(self._at)
        self._table = table
        self._base = base

    def _report(self, sentence: str, *at: str | int) -> None:
        self._file.report(sentence, *self._at, *at)

    def read(self) -> Entrant:
        """Return the entrant; its name is empty where it is wrong."""
        table = self._table
        if "name" not in self._given:
            self._report('an entrant has no name: write name = "…" under its [[entrants]].')
        ways = [
            key for key in ("bot", "command", "remote") if self._given.get(key, False) is not False
        ]
        if len(ways) != 1:
            self._report(
                "an entrant has exactly one of bot (a sample bot), command and remote = true, but "
                f"this one has {' and '.join(ways) or 'none'}.",
                *ways[-1:],
            )
        if "remote" in ways:
            self._report_local()
            games = self._games(None)
            return Entrant(table.name, table.author or "", games)
        folder = _read_path(self._file, self._base, table.folder, *self._at, "folder")
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

    def _games(self, of_sample: tuple[str, ...] | None) -> tuple[str, ...] | None:
        """Return the games of a bot; ``of_sample`` are those of a sample bot."""
        if self._table.games is None:
            return of_sample
        for number, name in enumerate(self._table.games):
            if of_sample is not None and name not in of_sample:
                self._report(f"this sample bot does not play {name}: take it out.", "games", number)
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
        if self._table.transport is not Transport.PIPE:
            self._report("a sandbox has no network: take the transport out.", "transport")
        if self._base is not None:
            try:
                SANDBOXES[kind].check()
            except UsageError as error:
                self._report(str(error), "sandbox")
        return sandboxed(command, kind, folder="folder" in self._given)

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
