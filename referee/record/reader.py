"""Reading records: files, lines, the chain of their hashes, and the whole as a ``Record``."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import orjson
import zstandard

from referee.record.format import (
    FORMAT,
    FULL_HASH,
    LARGEST_RECORD,
    LONGEST_LINE,
    LONGEST_QUOTE,
    LONGEST_TEXT,
    LONGEST_TIME,
    SHORT_HASH,
    RecordError,
)

T = TypeVar("T")
E = TypeVar("E", bound=StrEnum)

_HASH: Final = re.compile(rb',"hash":"([0-9a-f]+)"}\Z')
_HEX: Final = re.compile(r"(?:[0-9a-f]{2})*")
_ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
_CHUNK: Final = 1024  # zstd turns it into 32 MiB at the very most


def read_record(path: Path) -> bytes:
    """Return the bytes of a record, decompressed if need be; raises RecordError."""
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST_RECORD + 1)
    except OSError as error:
        raise RecordError(f"cannot be read: {error.strerror}.") from error
    if len(data) > LARGEST_RECORD:
        raise _too_large()
    if path.suffix == ".zst" or data.startswith(_ZSTD_MAGIC):
        return decompressed(data)
    return data


def decompressed(data: bytes) -> bytes:
    """Decompress one frame; raises RecordError, also for more bytes than a record may have."""
    unpacking = zstandard.ZstdDecompressor(max_window_size=LARGEST_RECORD).decompressobj()
    parts: list[bytes] = []
    size = at = 0
    try:
        while at < len(data) and size <= LARGEST_RECORD and not unpacking.eof:
            parts.append(unpacking.decompress(data[at : at + _CHUNK]))
            size += len(parts[-1])
            at += _CHUNK
    except zstandard.ZstdError as error:
        raise RecordError(f"cannot be decompressed: {error}.") from error
    if size > LARGEST_RECORD:
        raise _too_large()
    if not unpacking.eof:
        raise RecordError("cannot be decompressed: it breaks off.")
    if unpacking.unused_data or at < len(data):
        raise RecordError("has more bytes after its compressed form.")
    return b"".join(parts)


def compressed(data: bytes) -> bytes:
    """Compress a record, with a checksum.

    Level 1 gives shorter records than the usual 3, and faster: much of a record is hashes.
    """
    return zstandard.ZstdCompressor(level=1, write_checksum=True).compress(data)


def final_hash(data: bytes) -> str:
    """Return the hash of the last line of a compressed record; empty if it is damaged."""
    try:
        found = _HASH.search(decompressed(data).rstrip(b"\n"))
    except RecordError:
        return ""
    return "" if found is None else found[1].decode()


def _too_large() -> RecordError:
    return RecordError(f"is larger than {LARGEST_RECORD} bytes, the most that a record can be.")


class Line:
    """One line, and what it must be: each method returns a value of the kind it names."""

    __slots__ = ("fields", "number")

    def __init__(self, number: int, fields: Mapping[str, Any]) -> None:
        self.number = number
        self.fields = fields

    def wrong(self, message: str) -> RecordError:
        """Return an error that names this line."""
        return RecordError(message, self.number)

    def text(self, key: str) -> str:
        """Return a short text."""
        value = self._of(str, key, "text")
        if len(value) > LONGEST_TEXT:
            raise self.wrong(f"{key} is longer than {LONGEST_TEXT} characters.")
        return value

    def optional_text(self, key: str) -> str | None:
        """Return a short text, or None if there is none."""
        return self.text(key) if key in self.fields else None

    def whole(self, key: str) -> int:
        """Return a whole number from 0."""
        value = self._of(int, key, "a whole number")
        if value < 0:
            raise self.wrong(f"{key} is {value}, but cannot be negative.")
        return value

    def wholes(self, key: str) -> list[int]:
        """Return a list of whole numbers."""
        value = self._of(list, key, "a list of whole numbers")
        if any(type(item) is not int for item in value):
            raise self.wrong(f"{key} must be a list of whole numbers.")
        return value

    def lists_of_wholes(self, key: str) -> list[list[int]]:
        """Return a list of lists of whole numbers."""
        value = self._of(list, key, "a list of lists of whole numbers")
        if any(type(item) is not list for item in value) or any(
            type(number) is not int for item in value for number in item
        ):
            raise self.wrong(f"{key} must be a list of lists of whole numbers.")
        return value

    def mapping(self, key: str) -> dict[str, Any]:
        """Return an object."""
        return self._of(dict, key, "an object")

    def mappings(self, key: str) -> list[dict[str, Any]]:
        """Return a list of objects."""
        value = self._of(list, key, "a list of objects")
        if any(type(item) is not dict for item in value):
            raise self.wrong(f"{key} must be a list of objects.")
        return value

    def hexadecimal(self, key: str, digits: int | None = None) -> str:
        """Return bytes as hexadecimal digits, as many as are wanted."""
        value = self.text(key)
        if not _HEX.fullmatch(value) or digits not in (None, len(value)):
            how_many = "" if digits is None else f"{digits} "
            raise self.wrong(f"{key} must be {how_many}hexadecimal digits in lower case.")
        return value

    def milliseconds(self, key: str = "ms") -> float:
        """Return the time used."""
        value = self.number_from_0(key)
        if value > LONGEST_TIME:
            raise self.wrong(
                f"{key} is {value:g}, but no decision takes more than {LONGEST_TIME:g}."
            )
        if round(value, 3) != value:
            raise self.wrong(f"{key} must have at most three decimal places.")
        return value

    def number_from_0(self, key: str) -> float:
        """Return a number that is not negative."""
        value = self.fields.get(key)
        if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
            raise self.wrong(f"{key} must be a number, and not negative.")
        return value

    def choice(self, key: str, kind: type[E]) -> E:
        """Return one of several words."""
        value = self.text(key)
        if value not in {member.value for member in kind}:
            raise self.wrong(f'{key} is "{value}", but must be one of {", ".join(kind)}.')
        return kind(value)

    def quote(self, key: str) -> str:
        """Return a text that quotes a bot or explains something."""
        value = self._of(str, key, "text")
        if len(value) > LONGEST_QUOTE:
            raise self.wrong(f"{key} is longer than {LONGEST_QUOTE} characters.")
        return value

    def _of(self, kind: type[T], key: str, description: str) -> T:
        value = self.fields.get(key)
        # Not isinstance: true is no whole number here.
        if type(value) is kind:
            return value
        lacks = "is missing" if key not in self.fields else f"must be {description}"
        raise self.wrong(f"{key} {lacks}.")


class Origin(NamedTuple):
    """The place of a match in the tournament or league that scheduled it, as its head states it.

    A value that the head lacks is None.
    """

    kind: str
    """tournament or league."""
    name: str | None
    set_id: str | None
    match: str | None
    """The id of the scheduled match; the id of an attempt begins with it."""
    variant: str | None
    position: int | None
    started: str | None


class Record:
    """A match record: head, deal, decisions and end, each parsed when it is first read.

    record = Record.read(path)
    print(record.head.fields["game"], record.end.fields["scores"])

    Hashes are checked by ``Record.checked`` and ``verify_record``.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data

    @classmethod
    def read(cls, path: Path) -> Record:
        """Read a file, plain or compressed; raises RecordError."""
        return cls(read_record(path))

    @classmethod
    def checked(cls, data: bytes) -> Record:
        """Parse all lines and check their hashes, but not the moves; raises RecordError."""
        record = cls(data)
        record.__dict__["_lines"] = lines = _all_lines(data, check_hashes=True)
        check_format(lines[0])
        return record

    @cached_property
    def head(self) -> Line:
        """The first line: match, game, options, seats, terms."""
        return Reading(self.data, check_hashes=False).line("head")

    @property
    def deal(self) -> Line:
        """The second line: seed, salt, and what they give."""
        return self._lines[1]

    @property
    def decisions(self) -> Sequence[Line]:
        """The decisions, in order."""
        return self._lines[2:-1]

    @cached_property
    def end(self) -> Line:
        """The last line: ending, scores, places, forfeits; the lines before are not parsed."""
        number = self.data.count(b"\n")
        if not self.data.endswith(b"\n"):
            raise RecordError("the line breaks off: it has no line feed.", number + 1)
        last = self.data[self.data.rfind(b"\n", 0, -1) + 1 : -1]
        return _of_kind(Line(number, _parsed(last, number)), "end")

    @property
    def origin(self) -> Origin | None:
        """The tournament or league that scheduled the match, if one did."""
        return origin_of(self.head)

    @cached_property
    def _lines(self) -> list[Line]:
        return _all_lines(self.data, check_hashes=False)


def origin_of(head: Line) -> Origin | None:
    """Read the ``tournament`` or ``league`` object of a head; raises RecordError."""
    for kind in ("tournament", "league"):
        if kind in head.fields:
            stated = Line(head.number, head.mapping(kind))
            return Origin(
                kind,
                stated.optional_text("name"),
                stated.optional_text("set"),
                stated.optional_text("match"),
                stated.optional_text("variant"),
                stated.whole("position") if "position" in stated.fields else None,
                stated.optional_text("started"),
            )
    return None


def check_format(head: Line) -> None:
    """Refuse a record of another format; raises RecordError."""
    if head.whole("format") != FORMAT:
        raise head.wrong(f"format is {head.fields['format']}; this program reads {FORMAT}.")


def _all_lines(data: bytes, *, check_hashes: bool) -> list[Line]:
    reading = Reading(data, check_hashes=check_hashes)
    lines = [reading.line("head"), reading.line("deal")]
    while lines[-1].fields["kind"] != "end":
        lines.append(reading.line("decision", "end"))
    reading.finish()
    return lines


class Reading:
    """A record that is read from its first line to its last."""

    def __init__(self, data: bytes, *, check_hashes: bool) -> None:
        self._data = data
        self._check_hashes = check_hashes
        self._at = 0
        self._number = 0
        self._previous = b""

    def line(self, *kinds: str) -> Line:
        """Read the next line, which must be of one of these kinds."""
        self._number += 1
        raw = self._raw(kinds)
        line = Line(self._number, _parsed(raw, self._number))
        if self._check_hashes:
            self._check_hash(line, raw)
        return _of_kind(line, *kinds)

    def finish(self) -> None:
        """Check that there is nothing more."""
        if self._at < len(self._data):
            raise RecordError("nothing may follow the end.", self._number + 1)

    def _raw(self, kinds: Sequence[str]) -> bytes:
        end = self._data.find(b"\n", self._at)
        if self._at == len(self._data):
            raise RecordError(
                f"the record breaks off: {' or '.join(kinds)} must follow.", self._number
            )
        if end < 0:
            raise RecordError("the line breaks off: it has no line feed.", self._number)
        if end - self._at > LONGEST_LINE:
            raise RecordError(f"the line is longer than {LONGEST_LINE} bytes.", self._number)
        raw = self._data[self._at : end]
        self._at = end + 1
        return raw

    def _check_hash(self, line: Line, raw: bytes) -> None:
        found = _HASH.search(raw)
        if not found:
            raise line.wrong('the line must end with its hash: ,"hash":"…"}')
        digits = FULL_HASH if line.fields.get("kind") == "end" else SHORT_HASH
        body = raw[: found.start()] + b"}"
        right = hashlib.sha256(self._previous + body).hexdigest()[:digits].encode()
        if found[1] != right:
            before = "the line gives" if line.number == 1 else "the line and the one before give"
            raise line.wrong(
                f"hash is {found[1][:FULL_HASH].decode()}, but {before} {right.decode()}."
            )
        self._previous = right


def _of_kind(line: Line, *kinds: str) -> Line:
    if line.fields.get("kind") not in kinds:
        raise line.wrong(f"this line must be of the kind {' or '.join(kinds)}.")
    return line


def _parsed(raw: bytes, number: int) -> dict[str, Any]:
    """Read one line of JSON; refuse what two readers may read differently."""
    try:
        fields = orjson.loads(raw)
        # Our own lines come out as they went in; others may have a key twice.
        if orjson.dumps(fields) != raw:
            json.loads(raw, object_pairs_hook=_distinct)
    except (ValueError, TypeError, RecursionError) as error:
        raise RecordError(f"the line cannot be read as JSON: {error}.", number) from None
    if type(fields) is not dict:
        raise RecordError("the line must be a JSON object.", number)
    return fields


def _distinct(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("an object has a key twice")
    return fields
