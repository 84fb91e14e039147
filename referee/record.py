"""The record of a match: written while it is played, re-executed by whoever wants to check it.

``docs/reference/record-format.md`` describes the lines, their keys and their hashes.

    recorder = Recorder(game, options, seed, salt, "m1", seats, time_control, policy)
    recorder.decision(1, seat, "take c2", 3.41, 6)
    …
    recorder.end("line_emptied", outcome.scores, outcome.places)
    write_record(folder, "m1", recorder.data())
    print(verify_record(read_record(folder / "m1.jsonl")))
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeVar

import orjson
import zstandard

from engine import (
    AnyGame,
    Event,
    HighstreetError,
    NotationError,
    Options,
    Seat,
    Seed,
    UsageError,
    find_game,
    seed_from_text,
)
from referee.files import write_whole
from referee.policy import Cause

T = TypeVar("T")

FORMAT: Final = 1
STOPPED: Final = "stopped"
LARGEST_RECORD: Final = 64 * 2**20
"""No record has more bytes than this, however small its compressed form is."""
LONGEST_LINE: Final = 2**20
LONGEST_TEXT: Final = 200
"""No name and no move has more characters than this."""
LONGEST_QUOTE: Final = 1000
"""No text in a verdict or a cause is written with more characters than this."""

_SHORT: Final = 16
_FULL: Final = 64
_HASH: Final = re.compile(rb',"hash":"([0-9a-f]+)"}\Z')
_HEX: Final = re.compile(r"(?:[0-9a-f]{2})*")
_FILE_NAME: Final = re.compile(rf"[A-Za-z0-9_][A-Za-z0-9._-]{{0,{LONGEST_TEXT - 1}}}")
_ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
_CHUNK: Final = 1024  # zstd turns it into 32 MiB at the very most


class RecordError(HighstreetError):
    """A record that is wrong, with the first line that is."""

    def __init__(self, message: str, line: int | None = None) -> None:
        said = printable(message)
        super().__init__(said if line is None else f"line {line}: {said}")
        self.line = line


class RecordWriteError(HighstreetError):
    """A record that could not be written."""


def printable(text: str, most: int = 400) -> str:
    """Return text from a stranger so that a terminal can show it: one line, no control codes."""
    short = text if len(text) <= most else f"{text[: most - 1]}…"
    return "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in short)


def commitment(seed: Seed, salt: bytes) -> str:
    """Return what is published of a deal before it is played."""
    return hashlib.sha256(seed + salt).hexdigest()


def places_with_forfeits(scores: Sequence[int], forfeits: Sequence[Seat]) -> list[int]:
    """Return competition ranks; whoever forfeited comes after all others, the last one first."""
    kept = [score for seat, score in enumerate(scores) if seat not in forfeits]
    places = [1 + sum(other > score for other in kept) for score in scores]
    for later, seat in enumerate(reversed(forfeits)):
        places[seat] = len(kept) + 1 + later
    return places


# Writing ----------------------------------------------------------------------------------------


class Recorder:
    """Collects the lines of one match; head and deal are written at once."""

    def __init__(
        self,
        game: AnyGame,
        options: Options,
        seed: Seed,
        salt: bytes,
        match: str,
        seats: Sequence[Mapping[str, object]],
        time_control: Mapping[str, object],
        policy: Mapping[str, object],
        about: Mapping[str, object] | None = None,
    ) -> None:
        self.lines: list[bytes] = []
        self._previous = b""
        self._write(
            {
                "kind": "head",
                "format": FORMAT,
                "match": match,
                "game": game.spec.name,
                "rules_version": game.spec.rules_version,
                "options": _stated(game, options),
                "seats": list(map(dict, seats)),
                "time_control": dict(time_control),
                "policy": dict(policy),
                "commitment": commitment(seed, salt),
                **(about or {}),
            }
        )
        dealt = game.describe_deal(options, seed)
        self._write({"kind": "deal", "seed": seed.hex(), "salt": salt.hex(), **dealt})

    def decision(
        self,
        n: int,
        seat: Seat,
        move: str,
        ms: float,
        legal: int,
        verdicts: Sequence[Mapping[str, object]] = (),
    ) -> None:
        """Write a decision: its number, who moved how, the time used, how many moves were legal."""
        # Written as it stands, for every decision has one: half the time that a dict would take.
        body = b'{"kind":"decision","n":%d,"seat":%d,"move":%b,"ms":%b,"legal":%d%b}' % (
            n,
            seat,
            _text(move),
            orjson.dumps(round(ms, 3) or 0),
            legal,
            b',"verdicts":%b' % _json(list(map(_short, verdicts))) if verdicts else b"",
        )
        self._write_line(body)

    def end(
        self,
        ending: str,
        scores: Sequence[int] = (),
        places: Sequence[int] = (),
        forfeits: Sequence[Seat] = (),
        causes: Sequence[Mapping[str, object]] = (),
    ) -> None:
        """Write the last line; a match that was stopped has neither scores nor places."""
        self._write(
            {
                "kind": "end",
                "ending": ending,
                "scores": list(scores),
                "places": list(places),
                "forfeits": list(forfeits),
                "causes": list(map(_short, causes)),
            },
            _FULL,
        )

    def data(self) -> bytes:
        """Return the whole record as the file has it."""
        return b"\n".join([*self.lines, b""])

    def _write(self, fields: Mapping[str, object], digits: int = _SHORT) -> None:
        self._write_line(_json(fields), digits)

    def _write_line(self, body: bytes, digits: int = _SHORT) -> None:
        digest = hashlib.sha256(self._previous + body).hexdigest()[:digits].encode()
        self.lines.append(b'%b,"hash":"%b"}' % (body[:-1], digest))
        self._previous = digest


def _stated(game: AnyGame, options: Options) -> dict[str, object]:
    """Return the seats, every variant, and what differs from its default."""
    offered = game.spec.options_offered
    stated = [o.name for o in offered if o.variant or options[o.name] != o.default]
    return {"seats": options.seats, **{name: options[name] for name in stated}}


def _short(fields: Mapping[str, object]) -> dict[str, object]:
    """Cut long texts, so that a bot that says a million words does not make an endless line."""
    return {
        key: f"{value[: LONGEST_QUOTE - 1]}…"
        if isinstance(value, str) and len(value) > LONGEST_QUOTE
        else value
        for key, value in fields.items()
    }


@lru_cache(maxsize=1024)
def _text(text: str) -> bytes:
    return _json(text)


def _json(fields: object) -> bytes:
    try:
        return orjson.dumps(fields)
    except TypeError:
        # A bot said half a surrogate pair or a number of 100 digits, and a verdict quotes it.
        text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "replace")


def write_record(folder: Path, match: str, data: bytes, *, compress: bool = False) -> Path:
    """Write a record so that it is there completely or not at all."""
    if not _FILE_NAME.fullmatch(match):
        raise RecordWriteError(
            f'"{printable(match)}" cannot be the name of a record: '
            f"use at most {LONGEST_TEXT} letters, digits, dots, hyphens and underscores."
        )
    path = folder / f"{match}.jsonl"
    if compress:
        path = folder / f"{match}.jsonl.zst"
        data = zstandard.ZstdCompressor(write_checksum=True).compress(data)
    try:
        write_whole(path, data)
    except OSError as error:
        raise RecordWriteError(
            f"cannot write the record {path}: {error.strerror}; nothing was left behind."
        ) from error
    return path


# Reading ----------------------------------------------------------------------------------------


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
        return _decompressed(data)
    return data


def _decompressed(data: bytes) -> bytes:
    """Decompress one frame, and stop soon after the largest record."""
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


def _too_large() -> RecordError:
    return RecordError(f"is larger than {LARGEST_RECORD} bytes, the most that a record can be.")


class _Line:
    """One line, and what it must be: each method returns a value of the kind it names."""

    __slots__ = ("fields", "number")

    def __init__(self, number: int, fields: dict[str, Any]) -> None:
        self.number = number
        self.fields = fields

    def wrong(self, message: str) -> RecordError:
        return RecordError(message, self.number)

    def text(self, key: str) -> str:
        value = self._of(str, key, "text")
        if len(value) > LONGEST_TEXT:
            raise self.wrong(f"{key} is longer than {LONGEST_TEXT} characters.")
        return value

    def whole(self, key: str) -> int:
        value = self._of(int, key, "a whole number")
        if value < 0:
            raise self.wrong(f"{key} is {value}, but cannot be negative.")
        return value

    def wholes(self, key: str) -> list[int]:
        value = self._of(list, key, "a list of whole numbers")
        if any(type(item) is not int for item in value):
            raise self.wrong(f"{key} must be a list of whole numbers.")
        return value

    def mapping(self, key: str) -> dict[str, Any]:
        return self._of(dict, key, "an object")

    def mappings(self, key: str) -> list[dict[str, Any]]:
        value = self._of(list, key, "a list of objects")
        if any(type(item) is not dict for item in value):
            raise self.wrong(f"{key} must be a list of objects.")
        return value

    def hexadecimal(self, key: str, digits: int | None = None) -> str:
        value = self.text(key)
        if not _HEX.fullmatch(value) or digits not in (None, len(value)):
            how_many = "" if digits is None else f"{digits} "
            raise self.wrong(f"{key} must be {how_many}hexadecimal digits in lower case.")
        return value

    def milliseconds(self) -> float:
        value = self.fields.get("ms")
        if isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
            raise self.wrong("ms must be a number, and not negative.")
        return value

    def _of(self, kind: type[T], key: str, description: str) -> T:
        value = self.fields.get(key)
        # Not isinstance: true is no whole number here.
        if type(value) is kind:
            return value
        lacks = "is missing" if key not in self.fields else f"must be {description}"
        raise self.wrong(f"{key} {lacks}.")


class _Reading:
    """A record that is read from its first line to its last."""

    def __init__(self, data: bytes, *, trust: bool) -> None:
        self._data = data
        self._trust = trust
        self._at = 0
        self._number = 0
        self._previous = b""

    def line(self, *kinds: str) -> _Line:
        """Read the next line, which must be of one of these kinds."""
        self._number += 1
        raw = self._raw(kinds)
        line = _Line(self._number, _parsed(raw, self._number))
        if not self._trust:
            self._check_hash(line, raw)
        if line.fields.get("kind") not in kinds:
            raise line.wrong(f"this line must be of the kind {' or '.join(kinds)}.")
        return line

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

    def _check_hash(self, line: _Line, raw: bytes) -> None:
        found = _HASH.search(raw)
        if not found:
            raise line.wrong('the line must end with its hash: ,"hash":"…"}')
        digits = _FULL if line.fields.get("kind") == "end" else _SHORT
        body = raw[: found.start()] + b"}"
        right = hashlib.sha256(self._previous + body).hexdigest()[:digits].encode()
        if found[1] != right:
            before = "the line gives" if line.number == 1 else "the line and the one before give"
            raise line.wrong(f"hash is {found[1][:_FULL].decode()}, but {before} {right.decode()}.")
        self._previous = right


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


# Re-execution -----------------------------------------------------------------------------------


class Summary(NamedTuple):
    """What a correct record says."""

    match: str
    game: str
    entrants: tuple[str, ...]
    decisions: int
    ending: str
    scores: tuple[int, ...]
    places: tuple[int, ...]
    forfeits: tuple[Seat, ...]


class Played(NamedTuple):
    """One decision as it was recorded."""

    n: int
    seat: Seat
    move: str
    ms: float
    legal: int
    verdicts: Sequence[Mapping[str, Any]]


class Position(NamedTuple):
    """The state after so many decisions, and the last of them.

    Sealed decisions take effect together: until the last one is there, the state stays the same.
    """

    state: Any
    played: Played | None
    events: Sequence[Event]


@dataclass(frozen=True, slots=True)
class Replay:
    """A record as positions: ``positions[k]`` is the one after k decisions."""

    match: str
    game: AnyGame
    options: Options
    entrants: tuple[str, ...]
    positions: Sequence[Position]
    summary: Summary | None
    problem: RecordError | None
    """Why the positions end early, or why the end is wrong."""


class _Head(NamedTuple):
    match: str
    game: AnyGame
    options: Options
    entrants: tuple[str, ...]
    commitment: str


def verify_record(data: bytes) -> Summary:
    """Check everything, by playing the match again; raises RecordError for the first wrong line."""
    reading, head, match = _begun(data, trust=False)
    while (line := reading.line("decision", "end")).fields["kind"] == "decision":
        match.decide(line)
    summary = _summary(line, head, match)
    reading.finish()
    return summary


def replay_record(data: bytes) -> Replay:
    """Return the positions of a record, as far as they go; hashes are not checked."""
    reading, head, match = _begun(data, trust=True)
    positions = [match.dealt]
    summary = problem = None
    try:
        while (line := reading.line("decision", "end")).fields["kind"] == "decision":
            positions.append(match.decide(line))
        summary = _summary(line, head, match)
    except RecordError as error:
        problem = error
    return Replay(head.match, head.game, head.options, head.entrants, positions, summary, problem)


def _begun(data: bytes, *, trust: bool) -> tuple[_Reading, _Head, _Match]:
    reading = _Reading(data, trust=trust)
    head = _head(reading.line("head"))
    seed = _seed(reading.line("deal"), head, trust=trust)
    return reading, head, _Match(head.game, head.options, seed)


def _head(line: _Line) -> _Head:
    if line.whole("format") != FORMAT:
        raise line.wrong(f"format is {line.fields['format']}; this program reads {FORMAT}.")
    try:
        game = find_game(line.text("game"))
        stated = line.mapping("options")
        given = {name: value for name, value in stated.items() if name != "seats"}
        options = game.spec.options(stated.get("seats", 0), given)
    except UsageError as error:
        raise line.wrong(str(error)) from None
    version = line.text("rules_version")
    if version != game.spec.rules_version:
        raise line.wrong(
            f'rules_version is "{version}"; this program plays {game.spec.title} by '
            f'version "{game.spec.rules_version}".'
        )
    line.mapping("time_control")
    line.mapping("policy")
    return _Head(
        line.text("match"),
        game,
        options,
        _entrants(line, options),
        line.hexadecimal("commitment", _FULL),
    )


def _entrants(line: _Line, options: Options) -> tuple[str, ...]:
    seats = line.mappings("seats")
    if len(seats) != options.seats:
        raise line.wrong(f"seats has {len(seats)} entries for {options.seats} seats.")
    # Games with coloured pawns have an option that says whose is which.
    for colour, fields in zip(str(options.get("colours", "")), seats, strict=False):
        if fields.get("colour", colour) != colour:
            raise line.wrong("the colours of the seats are not those of the options.")
    return tuple(_Line(line.number, fields).text("entrant") for fields in seats)


def _seed(line: _Line, head: _Head, *, trust: bool) -> Seed:
    seed = seed_from_text(line.hexadecimal("seed", _FULL))
    committed = commitment(seed, bytes.fromhex(line.hexadecimal("salt")))
    if committed != head.commitment and not trust:
        raise line.wrong(
            f"the commitment of line 1 is {head.commitment}, but seed and salt give {committed}."
        )
    for key, dealt in head.game.describe_deal(head.options, seed).items():
        if key not in line.fields:
            raise line.wrong(f"{key} is missing.")
        if orjson.dumps(line.fields[key]) != orjson.dumps(dealt):
            raise line.wrong(f"{key} is not what the seed gives.")
    return seed


class _Match:
    """A match that is played again from its record."""

    def __init__(self, game: AnyGame, options: Options, seed: Seed) -> None:
        transition = game.deal(options, seed)
        self.game = game
        self.seats = options.seats
        self.state = transition.state
        self.dealt = Position(self.state, None, transition.events)
        self.decisions: list[tuple[Seat, Any, Any]] = []
        """Seat, state and move of each."""
        self._sealed: dict[Seat, Any] = {}
        self._to_act = sorted(game.to_act(self.state))

    def decide(self, line: _Line) -> Position:
        """Check one decision, and play it."""
        seat = self._seat(line)
        legal, ms = self._legal(line, seat), line.milliseconds()
        if legal == 1 and ms:
            raise line.wrong("ms must be 0, for a forced move takes no time.")
        move = self._move(line, seat)
        verdicts = line.mappings("verdicts") if "verdicts" in line.fields else ()
        self.decisions.append((seat, self.state, move))
        self._sealed[seat] = move
        played = Played(len(self.decisions), seat, line.fields["move"], ms, legal, verdicts)
        if len(self._sealed) < len(self._to_act):
            return Position(self.state, played, ())
        transition = self.game.apply(self.state, self._sealed)
        self.state = transition.state
        self._sealed = {}
        self._to_act = sorted(self.game.to_act(self.state))
        return Position(self.state, played, transition.events)

    def _seat(self, line: _Line) -> Seat:
        n, seat = line.whole("n"), line.whole("seat")
        if n != len(self.decisions) + 1:
            raise line.wrong(f"n is {n}, but this is decision {len(self.decisions) + 1}.")
        if not self._to_act:
            raise line.wrong("the game is over, but a decision follows.")
        expected = self._to_act[len(self._sealed)]
        if seat != expected:
            raise line.wrong(f"seat is {seat}, but seat {expected} decides here.")
        return expected

    def _legal(self, line: _Line, seat: Seat) -> int:
        legal, right = line.whole("legal"), len(self.game.legal_moves(self.state, seat))
        if legal != right:
            raise line.wrong(f"legal is {legal}, but the number of legal moves is {right}.")
        return legal

    def _move(self, line: _Line, seat: Seat) -> Any:
        text = line.text("move")
        try:
            move = self.game.parse_move(text)
        except NotationError as error:
            raise line.wrong(str(error)) from None
        if violation := self.game.check(self.state, seat, move):
            raise line.wrong(f'"{text}" is illegal: {violation.message} ({violation.rule})')
        if self.game.format_move(move) != text:
            raise line.wrong(f'"{text}" must be written "{self.game.format_move(move)}".')
        return move


def _summary(line: _Line, head: _Head, match: _Match) -> Summary:
    """Check the last line against the game that was played again."""
    ending = line.text("ending")
    scores, places = line.wholes("scores"), line.wholes("places")
    forfeits = _forfeits(line, match)
    if ending == STOPPED:
        _check(line, "scores", scores, [])
        _check(line, "places", places, [])
        if not line.fields["causes"]:
            raise line.wrong("the match was stopped, but causes is empty.")
    else:
        outcome = match.game.outcome(match.state)
        if outcome is None:
            raise line.wrong("the match ends here, but the game goes on.")
        _check(line, "ending", ending, str(outcome.ending))
        _check(line, "scores", scores, list(outcome.scores))
        _check(line, "places", places, places_with_forfeits(outcome.scores, forfeits))
    return Summary(
        head.match,
        head.game.spec.name,
        head.entrants,
        len(match.decisions),
        ending,
        tuple(scores),
        tuple(places),
        tuple(forfeits),
    )


def _check(line: _Line, key: str, found: object, right: object) -> None:
    if found != right:
        raise line.wrong(f"{key} is {found}, but the game gives {right}.")


def _forfeits(line: _Line, match: _Match) -> list[Seat]:
    """Check who forfeited and why, and that default moves were played for them."""
    since = _since(line, match)
    forfeits = [Seat(seat) for seat in line.wholes("forfeits")]
    if len(set(forfeits)) != len(forfeits) or not set(forfeits) <= set(range(match.seats)):
        raise line.wrong("forfeits must be different seats of the table.")
    for seat in forfeits:
        if seat not in since:
            raise line.wrong(f"seat {seat} forfeited, but causes does not say when.")
    for n, (seat, state, move) in enumerate(match.decisions, 1):
        if seat in forfeits and n >= since[seat] and move != match.game.default_move(state, seat):
            raise line.wrong(
                f"seat {seat} forfeited at decision {since[seat]}, "
                f"but decision {n} is not its default move."
            )
    return forfeits


def _since(line: _Line, match: _Match) -> dict[int, int]:
    """Check the causes; return the last decision that one names, by seat."""
    since: dict[int, int] = {}
    for fields in line.mappings("causes"):
        cause = _Line(line.number, fields)
        cause.text("fault")
        if cause.text("cause") not in set(Cause):
            raise line.wrong(f"cause must be one of {', '.join(Cause)}.")
        seat = cause.whole("seat") if fields.get("seat") is not None else None
        n = cause.whole("n") if fields.get("n") is not None else None
        if seat is not None and seat >= match.seats:
            raise line.wrong(f"a cause names seat {seat}, which is not at the table.")
        if n is not None and n > len(match.decisions) + match.seats:
            raise line.wrong(f"a cause names decision {n}, which was never asked for.")
        if seat is not None and n is not None:
            since[seat] = max(n, since.get(seat, 0))
    return since
