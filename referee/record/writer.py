"""Writing records."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path

import orjson

from engine import AnyGame, Options, Seat, Seed
from referee.record.format import (
    FILE_NAME,
    FORMAT,
    FULL_HASH,
    LONGEST_QUOTE,
    LONGEST_TEXT,
    SHORT_HASH,
    RecordWriteError,
    commitment,
    printable,
)
from referee.record.reader import compressed
from referee.runtime import write_whole


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
        cpu_ms: float | None = None,
        *,
        asked: bool = False,
    ) -> None:
        """Write a decision: its number, who moved how, the time used, how many moves were legal.

        Whether the seat was asked is written only where that does not follow: if one move was
        legal.
        """
        # Written as it stands, for every decision has one: half the time that a dict would take.
        body = b'{"kind":"decision","n":%d,"seat":%d,"move":%b,"ms":%b%b,"legal":%d%b%b}' % (
            n,
            seat,
            _text(move),
            orjson.dumps(round(ms, 3) or 0),
            b"" if cpu_ms is None else b',"cpu_ms":%b' % orjson.dumps(round(cpu_ms, 3) or 0),
            legal,
            b',"asked":true' if asked and legal == 1 else b"",
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
        tiebreaks: Sequence[Sequence[int]] = (),
    ) -> None:
        """Write the last line; a match that was stopped has neither scores nor places.

        Tie-breaks are written only if there are any, so that records of games without them stay
        as they are.
        """
        decided = {"tiebreaks": list(map(list, tiebreaks))} if tiebreaks else {}
        self._write(
            {
                "kind": "end",
                "ending": ending,
                "scores": list(scores),
                **decided,
                "places": list(places),
                "forfeits": list(forfeits),
                "causes": list(map(_short, causes)),
            },
            FULL_HASH,
        )

    def data(self) -> bytes:
        """Return the whole record as the file has it."""
        return b"\n".join([*self.lines, b""])

    def _write(self, fields: Mapping[str, object], digits: int = SHORT_HASH) -> None:
        self._write_line(_json(fields), digits)

    def _write_line(self, body: bytes, digits: int = SHORT_HASH) -> None:
        digest = hashlib.sha256(self._previous + body).hexdigest()[:digits].encode()
        self.lines.append(b'%b,"hash":"%b"}' % (body[:-1], digest))
        self._previous = digest


def _stated(game: AnyGame, options: Options) -> dict[str, object]:
    """Return the seats, every variant, and what differs from its default."""
    offered = game.spec.options_offered
    stated = [o.name for o in offered if o.variant or options[o.name] != o.default]
    return {"seats": options.seats, **{name: options[name] for name in stated}}


def _short(fields: Mapping[str, object]) -> dict[str, object]:
    """Cut long texts, so that no message of a bot makes a line too long."""
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
        # A verdict quotes a message with half a surrogate pair or a number of 100 digits.
        text = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "replace")


def write_record(folder: Path, match: str, data: bytes, *, compress: bool = False) -> Path:
    """Write a record so that it is there completely or not at all."""
    if not FILE_NAME.fullmatch(match):
        raise RecordWriteError(
            f'"{printable(match)}" cannot be the name of a record: '
            f"use at most {LONGEST_TEXT} letters, digits, dots, hyphens and underscores."
        )
    path = folder / f"{match}.jsonl"
    if compress:
        path = folder / f"{match}.jsonl.zst"
        data = compressed(data)
    try:
        write_whole(path, data)
    except OSError as error:
        raise RecordWriteError(
            f"cannot write the record {path}: {error.strerror}; nothing was left behind."
        ) from error
    return path
