"""Records as rows of two tables: one row for each match, one for each decision."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from enum import Enum
from io import BytesIO
from itertools import chain
from typing import Any, Final, NamedTuple

import orjson

from engine import GAMES, Option
from referee.record import FORMAT, RecordError

Row = tuple[Any, ...]


class Kind(Enum):
    """What a column holds; the value says so to a person."""

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

_HASH: Final = b',"hash":"'
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


def rows_of(data: bytes, file: str) -> Rows:
    """Turn a record into rows; its hashes are checked, its moves are not. Raises RecordError."""
    head, deal, *decisions, end = _lines(data)
    match, entrants = head.get("match"), _entrants(head)
    row = (
        match,
        head.get("game"),
        head.get("rules_version"),
        len(entrants),
        _json(head.get("options"), 1),
        *_options(head),
        entrants,
        end.get("scores"),
        end.get("places"),
        end.get("forfeits"),
        end.get("ending"),
        len(decisions),
        deal.get("seed"),
        *_tournament(head),
        file,
    )
    _check(MATCHES, [row])
    played = [_decision(n, fields, match, entrants) for n, fields in enumerate(decisions, 1)]
    _check(DECISIONS, played, 3)
    return Rows(row, played)


def _entrants(head: Mapping[str, Any]) -> list[Any]:
    seats, options = head.get("seats"), head.get("options")
    if type(seats) is not list or any(type(fields) is not dict for fields in seats):
        raise RecordError("seats must be a list of objects.", 1)
    if type(options) is not dict:
        raise RecordError("options must be an object.", 1)
    if options.get("seats") != len(seats):
        raise RecordError("seats has another number of entries than the options have seats.", 1)
    return [fields.get("entrant") for fields in seats]


def _options(head: Mapping[str, Any]) -> Iterator[Any]:
    """Return a value for each column of an option: as stated, or the default of the game."""
    game = GAMES.get(str(head.get("game")))
    offered = game.spec.options_offered if game else ()
    given = {option.name: option.default for option in offered} | head["options"]
    for column in OPTIONS:
        value = given.get(column.name.removeprefix("option_"))
        yield _text(value, 1) if column.kind is Kind.TEXT else value


def _tournament(head: Mapping[str, Any]) -> Iterator[Any]:
    """Return which match of which tournament it is, if it is one."""
    about = head.get("tournament")
    for key in ("name", "set", "match", "variant"):
        yield _text(about.get(key), 1) if isinstance(about, dict) else None


def _decision(n: int, fields: Mapping[str, Any], match: Any, entrants: Sequence[Any]) -> Row:
    seat = fields.get("seat")
    if type(seat) is not int or not 0 <= seat < len(entrants):
        raise RecordError("seat must be one of the table.", n + 2)
    if fields.get("n") != n:
        raise RecordError(f"n must be {n}.", n + 2)
    return (
        match,
        n,
        seat,
        entrants[seat],
        fields.get("move"),
        fields.get("ms"),
        fields.get("legal"),
        _json(fields["verdicts"], n + 2) if "verdicts" in fields else None,
    )


def _text(value: object, line: int) -> str | None:
    """Return text as it is, and anything else as JSON."""
    return value if value is None or isinstance(value, str) else _json(value, line)


def _json(value: object, line: int) -> str:
    try:
        return orjson.dumps(value).decode()
    except TypeError as error:
        raise RecordError(f"the line cannot be written again: {error}.", line) from None


# Lines ------------------------------------------------------------------------------------------


def _lines(data: bytes) -> list[dict[str, Any]]:
    """Read head, deal, decisions and end, and check the hash of each."""
    lines: list[dict[str, Any]] = []
    previous = b""
    for number, raw in enumerate(BytesIO(data), 1):
        if lines and lines[-1]["kind"] == "end":
            raise RecordError("nothing may follow the end.", number)
        if not raw.endswith(b"\n"):
            raise RecordError("the line breaks off: it has no line feed.", number)
        lines.append(_fields(raw, number))
        previous = _checked_hash(raw[:-1], previous, number)
    if not lines or lines[-1]["kind"] != "end":
        raise RecordError("the record breaks off: it has no end.", len(lines) or None)
    return lines


def _fields(raw: bytes, number: int) -> dict[str, Any]:
    try:
        fields = orjson.loads(raw)
    except ValueError as error:
        raise RecordError(f"the line cannot be read as JSON: {error}.", number) from None
    kinds = {1: ("head",), 2: ("deal",)}.get(number, ("decision", "end"))
    if type(fields) is not dict or fields.get("kind") not in kinds:
        raise RecordError(f"this line must be of the kind {' or '.join(kinds)}.", number)
    if number == 1 and fields.get("format") != FORMAT:
        raise RecordError(f"format must be {FORMAT}: this program reads no other.", number)
    return fields


def _checked_hash(raw: bytes, previous: bytes, number: int) -> bytes:
    """Return the hash of a line as it is written, if it is right."""
    body, _, written = raw.rpartition(_HASH)
    right = hashlib.sha256(b"%b%b}" % (previous, body)).hexdigest().encode()
    if written not in (b'%b"}' % right[:16], b'%b"}' % right):
        raise RecordError("the line does not have the hash that it must have.", number)
    return written[:-2]


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
    """Tell whether all these values fit; many at once, for that is quick."""
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
