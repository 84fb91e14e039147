"""Write records as tables: matches and decisions, as Parquet or CSV files."""

from __future__ import annotations

import csv
import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, Protocol

import orjson

from referee.record import RecordError, printable, read_record, verify_record
from tournaments.export.rows import ABOUT, DECISIONS, MATCHES, Column, Row, read_annulled, rows_of


class Table(Protocol):
    """A file that takes in rows."""

    def write(self, rows: Iterable[Row]) -> None:
        """Add rows."""

    def close(self) -> None:
        """Write what is left."""


_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "'")
"""How a text begins that a spreadsheet would calculate, or that was marked already."""

MakeTable = Callable[[Path, Sequence[Column]], Table]
_CONTENTS: Final = {"matches": MATCHES, "decisions": DECISIONS}


class CsvTable:
    """A CSV file with a line of names; lists are written as JSON, what is missing as nothing.

    A text that a spreadsheet would take for a formula has an apostrophe before it.
    """

    def __init__(self, path: Path, columns: Sequence[Column]) -> None:
        self._file = path.open("w", encoding="utf-8", newline="")
        self._csv = csv.writer(self._file, lineterminator="\n")
        self._csv.writerow(column.name for column in columns)

    def write(self, rows: Iterable[Row]) -> None:
        """Add rows."""
        self._csv.writerows(map(_cell, row) for row in rows)

    def close(self) -> None:
        """Write what is left."""
        self._file.close()


def csv_cell(value: Any) -> Any:
    """Return a cell to write: a text that could be a formula gets an apostrophe before it.

    Numbers stay numbers, negative ones too. To get a text back, remove one leading apostrophe.
    """
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _cell(value: Any) -> Any:
    return orjson.dumps(value).decode() if isinstance(value, bool | list) else csv_cell(value)


@contextmanager
def two_tables(folder: Path, ending: str, make: MakeTable) -> Iterator[list[Table]]:
    """Give a table for matches and one for decisions; their files appear when all went well."""
    mark = secrets.token_hex(8)
    temporary = {
        folder / f"{name}.{ending}": folder / f".{name}.{ending}.{mark}" for name in _CONTENTS
    }
    tables: list[Table] = []
    try:
        for path, columns in zip(temporary.values(), _CONTENTS.values(), strict=True):
            tables.append(make(path, columns))
        yield tables
        for table in tables:
            table.close()
        for path, written in temporary.items():
            written.replace(path)
    except BaseException:
        for table in tables:
            with suppress(Exception):  # it failed already, and goes away
                table.close()
        for written in temporary.values():
            written.unlink(missing_ok=True)
        raise


class Exporter:
    """Writes records into tables, those of one folder one after the other."""

    def __init__(self, folder: Path, tables: Sequence[Sequence[Table]], *, verify: bool) -> None:
        self.decisions = 0
        self._folder = folder
        self._tables = tables
        self._verify = verify
        self._known: dict[Path, frozenset[str]] = {}
        """Which matches were annulled, by folder."""
        self._files: dict[str, str] = {}
        """Which file each match came from."""

    @property
    def matches(self) -> int:
        """How many matches have been written."""
        return len(self._files)

    def _annulled(self, folder: Path) -> frozenset[str]:
        """Return the annulled matches that ``league.json`` lists; read once per folder."""
        if folder not in self._known:
            about = folder / ABOUT
            try:
                self._known[folder] = read_annulled(about.read_bytes())
            except FileNotFoundError:
                self._known[folder] = frozenset()
            except OSError as error:
                raise RecordError(f"{ABOUT} cannot be read: {error.strerror}.") from None
        return self._known[folder]

    def add(self, path: Path) -> str | None:
        """Write a record, or return what is wrong with it."""
        file = os.fsencode(path.relative_to(self._folder)).decode(errors="replace")
        try:
            data = read_record(path)
            if self._verify:
                verify_record(data)
            row, decisions = rows_of(data, file, self._annulled(path.parent))
        except RecordError as error:
            return str(error)
        if row[0] in self._files:
            return f"match {printable(row[0])} is in {self._files[row[0]]} already."
        self._files[row[0]] = file
        self.decisions += len(decisions)
        for matches, played in self._tables:
            matches.write([row])
            played.write(decisions)
        return None
