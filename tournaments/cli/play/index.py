"""``index.csv`` of ``highstreet play --out``: one row for each match in the folder."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import Final

import orjson

from engine import UsageError
from referee.match import MatchResult
from referee.record import RecordWriteError
from tournaments.cli.files import file_errors

NAME: Final = "index.csv"
COLUMNS: Final = (
    "match",
    "file",
    "game",
    "seats",
    "options",
    "entrants",
    "scores",
    "places",
    "forfeits",
    "ending",
    "decisions",
    "seed",
)
"""Named as in the table of matches that ``records export`` writes; lists are JSON, by seat."""


def check_index(folder: Path) -> None:
    """Raise UsageError if the folder has an index.csv of another kind."""
    path = folder / NAME
    with file_errors("read", path):
        if not path.exists():
            return
        with path.open("rb") as file:
            first = file.readline(10_000)
    if first and first != _line(COLUMNS):
        raise UsageError(
            f"{path} is not an index of matches: move it away, or name another folder with --out."
        )


def add_to_index(folder: Path, result: MatchResult, record: Path) -> None:
    """Append the row of a match; raises RecordWriteError."""
    plan = result.plan
    row = (
        plan.match,
        record.name,
        plan.game.spec.name,
        str(plan.options.seats),
        _json(dict(plan.options)),
        _json(plan.entrants),
        _json(result.scores),
        _json(result.places),
        _json(result.forfeits),
        result.ending,
        str(result.decisions),
        plan.seed.hex(),
    )
    path = folder / NAME
    try:
        with path.open("a+b") as file:
            size = file.seek(0, io.SEEK_END)
            file.seek(max(size - 1, 0))
            torn = size > 0 and file.read(1) != b"\n"  # a power cut during an earlier row
            start = b"\n" if torn else b"" if size else _line(COLUMNS)
            file.write(start + _line(row))
    except OSError as error:
        raise RecordWriteError(
            f"cannot write {path}: {error.strerror}; the record {record} is complete."
        ) from error


def _json(value: object) -> str:
    return orjson.dumps(value).decode()


def _line(cells: tuple[str, ...]) -> bytes:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerow(cells)
    return text.getvalue().encode()
