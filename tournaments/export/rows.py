"""Records as rows of two tables: one row for each match, one for each decision."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from enum import Enum
from itertools import chain
from typing import Any, Final, NamedTuple

import orjson

from engine import GAMES, Option
from referee.record import STOPPED, Line, Origin, Record, RecordError

Row = tuple[Any, ...]

ABOUT: Final = "league.json"
"""The file beside downloaded records of a league that lists what was annulled later."""


class Kind(Enum):
    """What a column holds; the value is its description in messages."""

    TEXT = "text"
    WHOLE = "a whole number of 32 bits"
    NUMBER = "a number"
    SWITCH = "true or false"
    TEXTS = "a list of texts"
    WHOLES = "a list of whole numbers of 32 bits"


class Column(NamedTuple):
    """One column of a table."""

    name: str
    kind: Kind
    optional: bool = False


class Rows(NamedTuple):
    """What one record gives."""

    match: Row
    decisions: Sequence[Row]


def _option_columns() -> Iterator[Column]:
    """Return a column for each option that any game has."""
    kinds: dict[str, set[Kind]] = {}
    for game in GAMES.values():
        for option in game.spec.options_offered:
            kinds.setdefault(option.name, set()).add(_kind(option))
    for name, found in kinds.items():
        # Where games differ, the column has JSON.
        yield Column(f"option_{name}", found.pop() if len(found) == 1 else Kind.TEXT, optional=True)


def _kind(option: Option) -> Kind:
    if isinstance(option.default, bool):
        return Kind.SWITCH
    return Kind.WHOLE if isinstance(option.default, int) else Kind.TEXT


OPTIONS: Final = tuple(_option_columns())
MATCHES: Final = (
    Column("match", Kind.TEXT),
    Column("game", Kind.TEXT),
    Column("rules_version", Kind.TEXT),
    Column("seats", Kind.WHOLE),
    Column("options", Kind.TEXT),
    *OPTIONS,
    Column("entrants", Kind.TEXTS),
    Column("scores", Kind.WHOLES),
    Column("places", Kind.WHOLES),
    Column("forfeits", Kind.WHOLES),
    Column("ending", Kind.TEXT),
    Column("decisions", Kind.WHOLE),
    Column("seed", Kind.TEXT),
    Column("tournament", Kind.TEXT, optional=True),
    Column("set", Kind.TEXT, optional=True),
    Column("scheduled_match", Kind.TEXT, optional=True),
    Column("variant", Kind.TEXT, optional=True),
    Column("league", Kind.TEXT, optional=True),
    Column("position", Kind.WHOLE, optional=True),
    Column("started", Kind.TEXT, optional=True),
    Column("status", Kind.TEXT),
    Column("file", Kind.TEXT),
)
DECISIONS: Final = (
    Column("match", Kind.TEXT),
    Column("n", Kind.WHOLE),
    Column("seat", Kind.WHOLE),
    Column("entrant", Kind.TEXT),
    Column("move", Kind.TEXT),
    Column("ms", Kind.NUMBER),
    Column("legal", Kind.WHOLE),
    Column("verdicts", Kind.TEXT, optional=True),
)

_TYPES: Final[Mapping[Kind, set[type]]] = {
    Kind.TEXT: {str},
    Kind.WHOLE: {int},
    Kind.NUMBER: {int, float},
    Kind.SWITCH: {bool},
    Kind.TEXTS: {str},
    Kind.WHOLES: {int},
}
_BOUNDS: Final = {Kind.WHOLE: 2**31, Kind.WHOLES: 2**31, Kind.NUMBER: 2**53}
"""Numbers are smaller than this."""


def rows_of(data: bytes, file: str, annulled: Collection[str] = ()) -> Rows:
    """Turn a record into rows; its hashes are checked, its moves are not. Raises RecordError.

    ``annulled`` has the ids of the matches that an organiser annulled later.
    """
    record = Record.checked(data)
    head, end = record.head.fields, record.end.fields
    match, entrants = head.get("match"), _entrants(record.head)
    row = (
        match,
        head.get("game"),
        head.get("rules_version"),
        len(entrants),
        orjson.dumps(head["options"]).decode(),
        *_options(head),
        entrants,
        end.get("scores"),
        end.get("places"),
        end.get("forfeits"),
        end.get("ending"),
        len(record.decisions),
        record.deal.fields.get("seed"),
        *_origin(record.origin),
        _status(record, annulled),
        file,
    )
    _check(MATCHES, [row])
    played = [_decision(n, line, match, entrants) for n, line in enumerate(record.decisions, 1)]
    _check(DECISIONS, played, 3)
    return Rows(row, played)


def _entrants(head: Line) -> list[Any]:
    seats = head.mappings("seats")
    if head.mapping("options").get("seats") != len(seats):
        raise head.wrong("seats has another number of entries than the options have seats.")
    return [fields.get("entrant") for fields in seats]


def _options(head: Mapping[str, Any]) -> Iterator[Any]:
    """Return a value for each column of an option: as stated, or the default of the game."""
    game = GAMES.get(str(head.get("game")))
    offered = game.spec.options_offered if game else ()
    given = {option.name: option.default for option in offered} | head["options"]
    for column in OPTIONS:
        value = given.get(column.name.removeprefix("option_"))
        as_json = column.kind is Kind.TEXT and not isinstance(value, str | None)
        yield orjson.dumps(value).decode() if as_json else value


def _origin(origin: Origin | None) -> Row:
    """Return the columns from ``tournament`` to ``started``."""
    if origin is None:
        return (None,) * 7
    tournament, league = (
        origin.name if origin.kind == kind else None for kind in ("tournament", "league")
    )
    where = (origin.set_id, origin.match, origin.variant)
    return (tournament, *where, league, origin.position, origin.started)


def _status(record: Record, annulled: Collection[str]) -> str:
    """Return whether a match counts: counted, annulled or void."""
    if record.end.fields.get("ending") == STOPPED:
        return "void"
    origin = record.origin
    return "annulled" if origin is not None and origin.match in annulled else "counted"


def about_league(league: str, commitment: str, secret: str, annulled: Mapping[str, str]) -> bytes:
    """Return the content of ``league.json``, with the reason of each annulment.

    The secret is empty until it is published.
    """
    about = {
        "league": league,
        "commitment": commitment,
        "secret": secret or None,
        "annulled": dict(annulled),
    }
    return orjson.dumps(about, option=orjson.OPT_INDENT_2)


def read_annulled(about: bytes) -> frozenset[str]:
    """Read which matches were annulled, from the file beside the records; raises RecordError."""
    try:
        content = orjson.loads(about)
    except ValueError:
        content = None
    annulled = content.get("annulled") if isinstance(content, dict) else None
    if not isinstance(annulled, dict):
        raise RecordError(f"{ABOUT} beside the record cannot be read: download the records again.")
    return frozenset(annulled)


def _decision(n: int, line: Line, match: Any, entrants: Sequence[Any]) -> Row:
    fields = line.fields
    seat = fields.get("seat")
    if type(seat) is not int or not 0 <= seat < len(entrants):
        raise line.wrong("seat must be one of the table.")
    if fields.get("n") != n:
        raise line.wrong(f"n must be {n}.")
    return (
        match,
        n,
        seat,
        entrants[seat],
        fields.get("move"),
        fields.get("ms"),
        fields.get("legal"),
        orjson.dumps(fields["verdicts"]).decode() if "verdicts" in fields else None,
    )


# Columns ----------------------------------------------------------------------------------------


def _check(columns: Sequence[Column], rows: Sequence[Row], first: int | None = None) -> None:
    """Check that every value is what its column holds; rows stand on lines from the first on."""
    for column, values in zip(columns, zip(*rows, strict=True), strict=False):
        if _fit(column, values):
            continue
        wrong = next(at for at, value in enumerate(values) if not _fit(column, [value]))
        line = None if first is None else first + wrong
        raise RecordError(f"{column.name} must be {column.kind.value}.", line)


def _fit(column: Column, values: Sequence[Any]) -> bool:
    """Return whether all values are what the column holds; many at once, which is fast."""
    if column.optional:
        values = [value for value in values if value is not None]
    if column.kind in (Kind.TEXTS, Kind.WHOLES):
        if any(type(value) is not list for value in values):
            return False
        values = list(chain.from_iterable(values))
    if not set(map(type, values)) <= _TYPES[column.kind]:
        return False
    bound = _BOUNDS.get(column.kind)
    return bound is None or not values or (-bound <= min(values) and max(values) < bound)
