"""Tournament files: their keys, and which values fit together."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import fields
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BeforeValidator, Field

from engine import GAMES, AnyGame, did_you_mean
from referee.model import MOST, ClockKind, SandboxKind
from tournaments.config.entrant_table import EntrantReader, EntrantTable, ReadPackage, read_path
from tournaments.config.schema import (
    ArrayOfTables,
    Between,
    DrawProbability,
    Game,
    OneOf,
    Players,
    PolicyTable,
    Table,
    TableSizes,
    Text,
    TimeControlTable,
    TrueSkillTable,
    must_be,
    read_games,
    read_policy,
    read_time_control,
    read_trueskill,
    refused,
    validate,
)
from tournaments.config.stop_keys import Confidence, Margin, MostSets, Question, read_stop
from tournaments.config.toml_reader import (
    Problem,
    SettingsFileError,
    TomlFile,
    either,
    quoted,
    shortened,
)
from tournaments.model import (
    BY_ROUNDS,
    KNOCK_OUTS,
    MOST_TABLES,
    MOST_WORKERS,
    RATINGS,
    ClusterSettings,
    Deals,
    Entrant,
    Format,
    RunSettings,
    Seatings,
    TournamentSettings,
)

MOST_SETS: Final = 100_000
MOST_ROUNDS: Final = 1000
MOST_MATCHES: Final = 5_000_000
LONGEST_TITLE: Final = 100
LEAST_SECRET: Final = 32
LONGEST_SECRET: Final = 1024
LONGEST_WAIT: Final = 7 * 24 * 3600

_SEATINGS: Final = (Seatings.ROTATIONS, Seatings.ALL)
_LISTEN = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):([0-9]{1,5})")


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


class ClusterTable(Table):
    """The table [cluster]."""

    shared_filesystem: bool = False
    equal_machines: bool = False


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
    stop_when: Question = None
    confidence: Confidence = 0.95
    max_sets: MostSets = None
    format: Annotated[Format, OneOf(Format)] = Format.ROUND_ROBIN
    challenger: Annotated[str, Text()] | None = None
    baseline: Annotated[str, Text()] | None = None
    same_table: bool = False
    margin: Margin = None
    rounds: Annotated[int, Between(1, MOST_ROUNDS)] | None = None
    best_of: Annotated[int, Between(1, MOST_ROUNDS)] = 1
    extra_sets: Annotated[int, Between(0, MOST_ROUNDS)] = 2
    third_place: bool = False
    seeding: Annotated[str, Text()] | None = None
    seatings: Annotated[Seatings, OneOf(_SEATINGS)] = Seatings.ROTATIONS
    separate_authors: bool = False
    deals: Annotated[Deals, OneOf(Deals)] | None = None
    rating: Annotated[str, OneOf(RATINGS)] = RATINGS[0]
    draw_probability: DrawProbability = None
    secret: Annotated[Any, BeforeValidator(_read_secret)] = None
    variants: Any = None
    options: Any = None
    games: Annotated[list[TournamentGameTable], ArrayOfTables] | None = None
    trueskill: TrueSkillTable = TrueSkillTable()
    time_control: TimeControlTable = TimeControlTable()  # type: ignore[valid-type]
    policy: TournamentPolicyTable = TournamentPolicyTable()
    run: RunTable = RunTable()
    cluster: ClusterTable = ClusterTable()
    entrants: Annotated[list[EntrantTable], ArrayOfTables] = Field(default=[])


KEYS: Final[Mapping[str, Sequence[str]]] = {
    "at the top": tuple(TournamentTable.model_fields),
    "in [[games]]": tuple(TournamentGameTable.model_fields),
    "in [trueskill]": tuple(TrueSkillTable.model_fields),
    "in [time_control]": tuple(TimeControlTable.model_fields),
    "in [policy]": tuple(TournamentPolicyTable.model_fields),
    "in [run]": tuple(RunTable.model_fields),
    "in [cluster]": tuple(ClusterTable.model_fields),
    "in [[entrants]]": tuple(EntrantTable.model_fields),
}
"""The keys of each table; those of variants and options depend on the game."""


def template() -> str:
    """Return a tournament file with a comment for every key; it plays the sample bots."""
    file = files("tournaments.config").joinpath("tournament_template.toml")
    return file.read_text(encoding="utf-8")


def parse_tournament(
    text: str, source: str, folder: Path | None, read_package: ReadPackage | None = None
) -> TournamentSettings:
    """Read a tournament file; raises SettingsFileError with every mistake in it.

    Messages call the file ``source``. The folders and programs in it are relative to ``folder``
    and must exist; without a folder they are not checked, and no bot can be started. Without
    ``read_package`` the packages are not read.
    """
    file = TomlFile(text, source)
    base = folder.absolute() if folder is not None else None
    tournament = _read(file, base, read_package)
    file.raise_problems()
    return tournament


def entrant_error(
    text: str, source: str, number: int, sentence: str, key: str = "package"
) -> SettingsFileError:
    """Return the error for a key of an entrant, with its line in the tournament file."""
    file = TomlFile(text, source)
    return SettingsFileError(source, [Problem(file.line(("entrants", number, key)), sentence)])


def _read(
    file: TomlFile, folder: Path | None, read_package: ReadPackage | None
) -> TournamentSettings:
    top = validate(file, TournamentTable, KEYS)
    if "name" not in file.values:
        file.report('the tournament has no name: write name = "…" at the top.')
    if not file.values.get("entrants", []):
        file.report("there are no entrants: write [[entrants]] for each bot.", "entrants")
    entrants = tuple(
        EntrantReader(file, number, table, folder, read_package).read()
        for number, table in enumerate(top.entrants)
    )
    _report_equal_names(file, entrants)

    if top.format in BY_ROUNDS:
        top = _at_tables_of_two(top)

    def players(game: AnyGame) -> Players | None:
        return _players(entrants, game, separate_authors=top.separate_authors)

    games = read_games(file, top, top.games, players)
    if top.time_control.clock is ClockKind.CPU:  # type: ignore[attr-defined]
        _report_unmeasured(file, top.entrants, entrants)
    if folder is not None:
        _report_idle(file, entrants, [each.game for each in games])
    names = [entrant.name for entrant in entrants]
    _check_challenger(file, top, names)
    _check_format(file, top)
    parts: dict[str, Any] = {
        **dict(top),
        "title": top.name,
        "entrants": entrants,
        "games": games,
        "trueskill": read_trueskill(file, top.trueskill, top.rating),
        "time_control": read_time_control(file, top.time_control),
        "policy": read_policy(top.policy),
        "bench_after": top.policy.bench_after,
        "run": _read_run(file, top.run, folder),
        "cluster": ClusterSettings(**dict(top.cluster)),
        "stop": read_stop(file, top, names, games),
        "seeds": _read_seeds(file, top.seeding, folder, names),
    }
    return TournamentSettings(
        **{part.name: parts[part.name] for part in fields(TournamentSettings)}
    )


def _report_unmeasured(
    file: TomlFile, tables: Sequence[EntrantTable], entrants: Sequence[Entrant]
) -> None:
    """Report entrants whose CPU time cannot be measured; a package always runs in a sandbox."""
    for number, (table, entrant) in enumerate(zip(tables, entrants, strict=True)):
        if table.sandbox is SandboxKind.NONE and table.package is None:
            file.report(
                f'the time control has clock = "cpu", but {quoted(entrant.name)} is in no sandbox, '
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
            written = file.table(("entrants", number))
            key = next(key for key in ("games", "package", "name") if key in written)
            file.report(
                f"{quoted(entrant.name)} plays {either(entrant.games or ())}, but the tournament "
                f"has only {' and '.join(games)}: leave it out, or add a game.",
                *("entrants", number, key),
            )


_CHALLENGED: Final = {
    Format.GAUNTLET: ("a gauntlet", "the name of the entrant that meets all the others"),
    Format.COMPARISON: ("a comparison", "the name of the entrant that may be better"),
}
"""The formats that have a challenger, and what it is there."""


def _check_challenger(file: TomlFile, top: TournamentTable, names: Sequence[str]) -> None:
    given = "challenger" in file.values
    if top.format in _CHALLENGED and not given:
        which, meaning = _CHALLENGED[top.format]
        file.report(f'{which} needs a challenger: write challenger = "…", {meaning}.', "format")
    elif top.format not in _CHALLENGED and given:
        remedy = 'write format = "gauntlet", or leave challenger out'
        file.report(f"only a gauntlet or a comparison has a challenger: {remedy}.", "challenger")
    elif top.challenger is not None and top.challenger not in names:
        hint = did_you_mean(shortened(top.challenger), names)
        sentence = f"the challenger {quoted(top.challenger)} is not among the entrants.{hint}"
        file.report(sentence, "challenger")


_ONLY: Final[Mapping[str, Sequence[Format]]] = {
    "rounds": (Format.SWISS,),
    "best_of": KNOCK_OUTS,
    "extra_sets": KNOCK_OUTS,
    "third_place": (Format.KNOCK_OUT,),
    "seeding": BY_ROUNDS,
}
"""The keys that only some formats have."""


def _check_format(file: TomlFile, top: TournamentTable) -> None:
    """Report keys that the format does not have, unless they are at their defaults."""
    defaults = {key: field.default for key, field in TournamentTable.model_fields.items()}
    for key, formats in _ONLY.items():
        if getattr(top, key) != defaults[key] and top.format not in formats:
            needed = either(map(quoted, formats))
            file.report(f"{key} goes with format = {needed}, not {quoted(top.format)}.", key)
    for key in ("max_matches", "separate_authors") if top.format in BY_ROUNDS else ():
        if getattr(top, key):
            file.report(f"{key} does not go with format = {quoted(top.format)}.", key)


def _at_tables_of_two(top: TournamentTable) -> TournamentTable:
    """Return a file with tables of two where it states no size, and the game allows them."""

    def taken(table: Any) -> Any:
        game = table.game or next(iter(GAMES.values()))
        if table.table_sizes is None and 2 in game.spec.seats:
            return table.model_copy(update={"table_sizes": [2]})
        return table

    games = None if top.games is None else [taken(table) for table in top.games]
    changed: TournamentTable = taken(top).model_copy(update={"games": games})
    return changed


def _read_seeds(
    file: TomlFile, seeding: str | None, folder: Path | None, names: Sequence[str]
) -> tuple[str, ...]:
    """Return the entrants in the order of a standings file; those that it does not have are last.

    Without a folder the file is not read.
    """
    path = read_path(file, folder, seeding, "seeding")
    if path is None or folder is None:
        return ()
    try:
        lines = json.loads(path.read_text(encoding="utf-8"))["standings"]
        order = [str(line["entrant"]) for line in lines]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        file.report(f"{quoted(str(seeding))} is no standings.json that can be read.", "seeding")
        return ()
    known = [name for name in order if name in names]
    if not known:
        file.report(f"{quoted(str(seeding))} has none of the entrants.", "seeding")
    return (*known, *(name for name in names if name not in known))


def _read_run(file: TomlFile, table: RunTable, folder: Path | None) -> RunSettings:
    paths = {key: value for key, value in table if key in ("tls_cert", "tls_key")}
    written = file.values.get("run")
    given = [key for key in paths if isinstance(written, dict) and key in written]
    if len(given) == 1:
        file.report("tls_cert and tls_key belong together: give both or none.", "run", *given)
    parts = dict(table) | {
        key: read_path(file, folder, value, "run", key) for key, value in paths.items()
    }
    host, port = parts.pop("listen")
    return RunSettings(host=host, port=port, **parts)
