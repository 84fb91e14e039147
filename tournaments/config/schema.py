"""What tournament and league files share: types of values, games, time control and policy.

A file is checked in two steps. The pydantic models check each value by itself; ``validate`` reports
every mistake at its line and goes on with the defaults of the wrong keys, so that the second step,
plain functions over the models, can check which values fit together.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import product
from types import GenericAlias
from typing import Annotated, Any, Final, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    create_model,
)
from pydantic_core import (
    CoreSchema,
    ErrorDetails,
    InitErrorDetails,
    PydanticCustomError,
    core_schema,
)

from engine import GAMES, AnyGame, Option, OptionValue, UsageError, did_you_mean, find_game
from referee.model import LONGEST, MOST, ClockKind, Policy, Reaction, TimeControl
from tournaments.config.toml_lines import Location
from tournaments.config.toml_reader import (
    TomlFile,
    either,
    header,
    quoted,
    shortened,
    shown,
    unknown_key,
)
from tournaments.model import (
    DRAW_PROBABILITIES,
    TRUESKILL_BOUNDS,
    GameSettings,
    TrueSkillSettings,
)

LONGEST_NAME: Final = 60
"""With four bytes for each letter, the name of a log file is not longer than systems accept."""
LARGEST_OPTION: Final = 2**31 - 1
"""The protocol sends options that are whole numbers in 32 bits."""

_NAME: Final = re.compile(r"[\w+][\w .+-]*")
_SWITCH: Final = {"off": (False,), "on": (True,), "both": (False, True)}
_EXPECTED: Final = {
    "bool_type": "true or false, without quotes",
    "int_type": "a whole number",
    "string_type": "text in quotes",
    "string_unicode": "text in quotes",
    "list_type": "a list with at least one value",
    "too_short": "a list with at least one value",
}
"""What a value must be, by the type of pydantic's error."""


class Table(BaseModel):
    """A table of a file; every key has a default."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, arbitrary_types_allowed=True
    )


class PartOfTable(Table):
    """Some keys of a table; the others are read by themselves."""

    model_config = ConfigDict(extra="ignore")


T = TypeVar("T", bound=Table)

# Types of values --------------------------------------------------------------------------------


def must_be(what: str) -> PydanticCustomError:
    """Return the error of a value; the message adds the key and the value."""
    return PydanticCustomError("must_be", what)


def refused(sentence: str) -> PydanticCustomError:
    """Return the error of a value; the message is the sentence alone."""
    return PydanticCustomError("sentence", sentence)


@contextmanager
def as_refusal(more: str = "") -> Iterator[None]:
    """Turn a UsageError into the error of a value."""
    try:
        yield
    except UsageError as error:
        raise refused(f"{error}{more}") from None


def _described(schema: CoreSchema, what: str, words: Collection[str] = ()) -> CoreSchema:
    """Replace the errors of a schema by one that describes the right values."""
    return core_schema.custom_error_schema(
        schema, "must_be", custom_error_message=what, custom_error_context={"words": [*words]}
    )


@dataclass(frozen=True, slots=True)
class Between:
    """Annotates a number within bounds: an int is a whole number, a float one of ``unit``."""

    low: float
    high: float
    unit: str = " of seconds"

    def __get_pydantic_core_schema__(self, source: type, _: object) -> CoreSchema:
        schema = core_schema.int_schema if source is int else core_schema.float_schema
        kind = "a whole number" if source is int else f"a number{self.unit}"
        bounds: Any = {"ge": self.low, "le": self.high}
        return _described(schema(**bounds), f"{kind} from {self.low} to {self.high}")


@dataclass(frozen=True, slots=True)
class Text:
    """Annotates one line of printable text without spaces around it."""

    longest: int = 1000

    def __get_pydantic_core_schema__(self, *_: object) -> CoreSchema:
        schema = core_schema.str_schema(strict=True)
        return core_schema.with_info_after_validator_function(self._check, schema)

    def _check(self, value: str, info: ValidationInfo) -> str:
        if not value or len(value) > self.longest:
            needed = f"but must have 1 to {self.longest}"
            raise refused(f"{info.field_name} has {len(value)} characters, {needed}.")
        if not value.isprintable() or value != value.strip():
            raise must_be("one line of text without spaces around it")
        return value


class OneOf:
    """Annotates one of several words; a mapping gives the value that a word stands for."""

    def __init__(self, words: Iterable[str]) -> None:
        self._values = words if isinstance(words, Mapping) else {str(word): word for word in words}

    def __get_pydantic_core_schema__(self, *_: object) -> CoreSchema:
        schema = core_schema.literal_schema([*self._values])
        described = _described(schema, either(map(quoted, self._values)), self._values)
        return core_schema.no_info_after_validator_function(self._values.__getitem__, described)


def _check_tables(value: object, info: ValidationInfo) -> object:
    if isinstance(value, list) and all(isinstance(part, dict) for part in value):
        return value
    raise must_be(f"tables, each under [[{info.field_name}]] in double brackets")


ArrayOfTables = BeforeValidator(_check_tables)


# Validation -------------------------------------------------------------------------------------


def validate(
    file: TomlFile, model: type[T], keys: Mapping[str, Sequence[str]], where: Location = ()
) -> T:
    """Return the model of a table; keys with mistakes are reported and have their defaults.

    ``keys`` are those of each table, by the place that messages name.
    """
    values = copy.deepcopy(dict(file.table(where)))
    reported = False
    while True:
        try:
            return model.model_validate(values)
        except ValidationError as error:
            for detail in error.errors(include_url=False):
                if not reported:
                    at = (*where, *detail["loc"])
                    file.report(_sentence(detail, at, keys), *at)
                _remove(values, detail["loc"])
            reported = True


def _remove(values: dict[str, Any], at: Location) -> None:
    """Remove the innermost key of a location; it may be gone already."""
    while not isinstance(at[-1], str):
        at = at[:-1]
    inner: Any = values
    for part in at[:-1]:
        inner = inner[part]
    inner.pop(at[-1], None)


def _sentence(detail: ErrorDetails, at: Location, keys: Mapping[str, Sequence[str]]) -> str:
    """Return the message for an error of pydantic."""
    kind, value = detail["type"], detail["input"]
    what = _EXPECTED.get(kind, detail["msg"])
    key = next(part for part in reversed(at) if isinstance(part, str))
    hint = ""
    if kind == "sentence":
        return what
    if kind == "extra_forbidden":
        return _unknown_key(key, place_of(at[:-1]), keys)
    if kind in ("model_type", "dict_type"):
        what = f"a table: {header(at)}"
    elif kind == "list_type" and not isinstance(value, dict):
        what = f"a list, as in {key} = [{shown(value)}]"
    elif isinstance(value, str):
        hint = did_you_mean(shortened(value), detail.get("ctx", {}).get("words", ()))
    return f"{key} is {shown(value)}, but must be {what}.{hint}"


def place_of(table: Location) -> str:
    """Return the place of a table as messages name it."""
    if not table:
        return "at the top"
    return f"in [[{table[0]}]]" if isinstance(table[-1], int) else f"in {header(table)}"


def _unknown_key(key: str, place: str, keys: Mapping[str, Sequence[str]]) -> str:
    places = [place for place, known in keys.items() if key in known]
    if not places:
        return unknown_key(key, keys[place], place)
    hint = " What is at the top stands before the first [table]." if "at the top" in places else ""
    return f"{quoted(key)} belongs {either(places)}, not {place}.{hint}"


# Time control and policy ------------------------------------------------------------------------


def _policy_field(name: str, default: str | int) -> tuple[Any, Any]:
    def check(value: Any) -> Any:
        """Check a key by itself, so that the message has its line."""
        with as_refusal():
            Policy(**{name: value})
        return value

    if isinstance(default, int):
        return Annotated[int, Between(0, MOST), AfterValidator(check)], default
    return Annotated[Reaction, OneOf(Reaction), AfterValidator(check)], Reaction(default)


_times: dict[str, Any] = {
    name: (Annotated[float, Between(0, int(LONGEST.total_seconds()))], default)
    for name, default in TimeControl().as_dict().items()
} | {"clock": (Annotated[ClockKind, OneOf(ClockKind)], ClockKind.WALL)}
_policies: dict[str, Any] = {
    name: _policy_field(name, default) for name, default in Policy().as_dict().items()
} | {"ponder": (bool, False)}
TimeControlTable: type[Table] = create_model("TimeControlTable", __base__=Table, **_times)
PolicyTable: type[Table] = create_model("PolicyTable", __base__=Table, **_policies)


def read_time_control(file: TomlFile, table: Table) -> TimeControl:
    """Return the time control; one that leaves no time is reported."""
    try:
        return TimeControl.from_dict(dict(table))
    except UsageError as error:
        file.report(str(error), "time_control", "per_move")
        return TimeControl()


def read_policy(table: Table) -> Policy:
    """Return the policy."""
    return Policy(**{name: getattr(table, name) for name in PolicyTable.model_fields})


# TrueSkill --------------------------------------------------------------------------------------


def _bounds(name: str) -> Between:
    return Between(*TRUESKILL_BOUNDS[name], unit="")


class TrueSkillTable(Table):
    """The table [trueskill]; which values fit together is checked with the rating."""

    mu: Annotated[float, _bounds("mu")] = TrueSkillSettings().mu
    sigma: Annotated[float, _bounds("sigma")] = TrueSkillSettings().sigma
    beta: Annotated[float, _bounds("beta")] = TrueSkillSettings().beta
    tau: Annotated[float, _bounds("tau")] = TrueSkillSettings().tau


def read_trueskill(file: TomlFile, table: TrueSkillTable, rating: str) -> TrueSkillSettings:
    """Return the parameters of TrueSkill; those that do not fit the rating are reported."""
    found = TrueSkillSettings(**dict(table))
    problem = found.problem(rating)
    if problem is None:
        return found
    file.report(problem, "trueskill")
    return TrueSkillSettings()


# Names ------------------------------------------------------------------------------------------


def is_entrant_name(name: str) -> bool:
    """Return whether an entrant of a file can have this name."""
    return bool(_NAME.fullmatch(name)) and len(name) <= LONGEST_NAME and name == name.strip()


def _check_name(name: str) -> str:
    if not is_entrant_name(name):
        raise must_be("letters, digits, spaces and . _ + - and must not begin with . or -")
    return name


def _check_game(name: object) -> str:
    if isinstance(name, str) and name in GAMES:
        return name
    hint = did_you_mean(name, GAMES) if isinstance(name, str) else ""
    raise refused(f"{shown(name)} is no game.{hint} `highstreet games` lists them.")


EntrantName = Annotated[str, Text(LONGEST_NAME), AfterValidator(_check_name)]
GameNames = Annotated[list[Annotated[Any, BeforeValidator(_check_game)]], Field(min_length=1)]


# Games ------------------------------------------------------------------------------------------


def _find_game(name: str) -> AnyGame:
    with as_refusal():
        return find_game(name)


Game = Annotated[Any, Text(), AfterValidator(_find_game)]
TableSizes = Annotated[list[Any], Field(min_length=1)]


DrawProbability = Annotated[float, Between(*DRAW_PROBABILITIES, unit="")] | None


class GameTable(Table):
    """A table of [[games]]. A file that has one game has the same keys at its top."""

    game: Game = None
    table_sizes: TableSizes | None = None
    draw_probability: DrawProbability = None
    variants: Any = None
    options: Any = None


@dataclass(frozen=True, slots=True)
class Players:
    """How many entrants can share a table of a game."""

    count: int
    description: str


def read_games(
    file: TomlFile,
    top: Any,
    games: Sequence[Table] | None,
    players: Callable[[AnyGame], Players | None],
) -> tuple[GameSettings, ...]:
    """Return the games of a file; those with mistakes are reported.

    ``players`` returns None for a game that any number of entrants can play.
    """
    found: dict[str, GameSettings] = {}
    lines: dict[str, int] = {}
    for table, at in _game_tables(file, top, games):
        game: AnyGame | None = table.game
        if "game" not in file.table(at):
            if at:
                file.report('a game has no name: write game = "…" under its [[games]].', *at)
            else:
                game = next(iter(GAMES.values()))
        if game is None:
            continue
        name = game.spec.name
        if name in lines:
            sentence = f"{name} is the game in line {lines[name]} too: put both into one table."
            file.report(sentence, *at, "game")
            continue
        lines[name] = file.line((*at, "game"))
        sizes = _table_sizes(file, at, table, game, players(game))
        variants = _read_variants(file, at, game, sizes)
        if not sizes:  # it is reported, and no settings are returned
            found[name] = GameSettings(name, tuple(game.spec.seats))
            continue
        sets = getattr(table, "sets_per_table", 1)
        found[name] = GameSettings.of(game, sizes, variants, sets, table.draw_probability)
    return tuple(found.values())


def _game_tables(
    file: TomlFile, top: Any, games: Sequence[Table] | None
) -> Iterator[tuple[Any, Location]]:
    if "games" not in file.values:
        yield top, ()
        return
    for key in (*GameTable.model_fields, "sets_per_table"):
        if key in file.values and key in type(top).model_fields:
            sentence = f"there are [[games]], so {key} belongs in each of them, not at the top."
            file.report(sentence, key)
    if file.values["games"] == []:
        file.report('there are no games: write [[games]] for each, or game = "…".', "games")
    for number, table in enumerate(games or ()):
        yield table, ("games", number)


def _table_sizes(
    file: TomlFile, at: Location, table: Any, game: AnyGame, players: Players | None
) -> tuple[int, ...]:
    """Return the given sizes, or all that the game and the number of its entrants allow."""
    spec = game.spec
    most, whom = (players.count, players.description) if players else (max(spec.seats), "")
    are = f"there {'is' if most == 1 else 'are'} {most}"
    if table.table_sizes is None:
        sizes = tuple(size for size in spec.seats if size <= most)
        if not sizes and "table_sizes" not in file.table(at):
            where = (*at, "game") if at else ("entrants",)
            needed = f"{spec.title} needs at least {min(spec.seats)} {whom}"
            file.report(f"{needed}, but {are}.", *where)
        return sizes
    chosen: list[int] = []
    for number, size in enumerate(table.table_sizes):
        if type(size) is not int or size not in spec.seats:
            problem = f"{spec.title} is for {either(spec.seats)} seats, not for {shown(size)}."
        elif size in chosen:
            problem = f"table_sizes has {size} twice: once is enough."
        elif size > most:
            remedy = f"enter more, or take {size} out of table_sizes"
            problem = f"a table of {size} needs {size} {whom}, but {are}: {remedy}."
        else:
            chosen.append(size)
            continue
        file.report(problem, *at, "table_sizes", number)
    return tuple(sorted(chosen))


def _option_type(game: AnyGame, option: Option, sizes: Sequence[int]) -> Any:
    """Return the type of a value that an option can have at every size of table."""

    def check(value: OptionValue) -> OptionValue:
        if isinstance(value, int) and abs(value) > LARGEST_OPTION:
            raise refused(f"{option.name} is {shown(value)}, which is too large.")
        for size in sizes:
            with as_refusal():
                game.spec.options(size, {option.name: value})
        return value

    return Annotated[type(option.default), AfterValidator(check)]


def _check_doubles(values: list[OptionValue], info: ValidationInfo) -> list[OptionValue]:
    for number, value in enumerate(values):
        if value in values[:number]:
            problem = refused(f"{info.field_name} has {shown(value)} twice.")
            details = InitErrorDetails(type=problem, loc=(number,), input=value)
            raise ValidationError.from_exception_data("list", [details])
    return values


def _read_variants(
    file: TomlFile, at: Location, game: AnyGame, sizes: Sequence[int]
) -> list[dict[str, OptionValue]]:
    """Return the values of all options for every combination of the variants in a game's table."""
    offered = game.spec.options_offered
    fields: dict[str, dict[str, Any]] = {"variants": {}, "options": {}}
    for option in offered:
        kind = _option_type(game, option, sizes)
        if not option.variant:
            fields["options"][option.name] = kind, option.default
        elif isinstance(option.default, bool):
            fields["variants"][option.name] = Annotated[Any, OneOf(_SWITCH)], (option.default,)
        else:
            kinds: Any = GenericAlias(list, (kind,))
            kinds = Annotated[kinds, Field(min_length=1), AfterValidator(_check_doubles)]
            fields["variants"][option.name] = kinds, [option.default]
    keys = {place_of((*at, name)): tuple(inner) for name, inner in fields.items()}
    tables: dict[str, Any] = {}
    for name, inner in fields.items():
        model = create_model(name, __base__=Table, **inner)
        tables[name] = model, model()
    both = create_model("game", __base__=PartOfTable, **tables)
    values = {key: value for _, table in validate(file, both, keys, at) for key, value in table}
    names = [option.name for option in offered]
    choices = [values[each.name] if each.variant else [values[each.name]] for each in offered]
    return [dict(zip(names, chosen, strict=True)) for chosen in product(*choices)]
