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
from tournaments.records.rows import DECISIONS, MATCHES, Column, Row, rows_of


class Table(Protocol):
    """A file that takes in rows."""

    def write(self, rows: Iterable[Row]) -> None:
        """Add rows."""

    def close(self) -> None:
        """Write what is left."""


MakeTable = Callable[[Path, Sequence[Column]], Table]
_CONTENTS: Final = {"matches": MATCHES, "decisions": DECISIONS}


class CsvTable:
    """A CSV file with a line of names; lists are written as JSON, what is missing as nothing."""

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


def _cell(value: Any) -> Any:
    return orjson.dumps(value).decode() if isinstance(value, bool | list) else value


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
        self._files: dict[str, str] = {}
        """Which file each match came from."""

    @property
    def matches(self) -> int:
        """How many matches have been written."""
        return len(self._files)

    def add(self, path: Path) -> str | None:
        """Write a record, or return what is wrong with it."""
        file = os.fsencode(path.relative_to(self._folder)).decode(errors="replace")
        try:
            data = read_record(path)
            if self._verify:
                verify_record(data)
            row, decisions = rows_of(data, file)
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
