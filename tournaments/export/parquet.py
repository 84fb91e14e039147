"""Tables as Parquet files, with the optional package pyarrow."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from engine import UsageError
from tournaments.export.rows import Column, Kind, Row

try:
    import pyarrow as pa
    from pyarrow import parquet as pq
except ImportError as error:
    raise UsageError(
        f"Parquet needs pyarrow, which cannot be loaded ({error}): "
        "pip install pyarrow, or use --csv."
    ) from error

CELLS_PER_GROUP: Final = 200_000
"""This number of cells is kept in memory and written at once."""


class ParquetTable:
    """A Parquet file that is written group by group."""

    def __init__(self, path: Path, columns: Sequence[Column], cells: int = CELLS_PER_GROUP) -> None:
        self._schema = pa.schema(
            [pa.field(name, _type(kind), nullable=optional) for name, kind, optional in columns]
        )
        self._most = cells // len(columns)
        self._rows: list[Row] = []
        self._writer = pq.ParquetWriter(path, self._schema, compression="zstd")

    def write(self, rows: Iterable[Row]) -> None:
        """Add rows."""
        self._rows += rows
        if len(self._rows) > self._most:
            self._flush()

    def close(self) -> None:
        """Write what is left, and the end of the file."""
        if self._rows:
            self._flush()
        self._writer.close()

    def _flush(self) -> None:
        arrays = [
            pa.array(values, field.type)
            for field, values in zip(self._schema, zip(*self._rows, strict=True), strict=True)
        ]
        self._writer.write_table(pa.table(arrays, schema=self._schema))
        self._rows.clear()


def _type(kind: Kind) -> Any:
    return {
        Kind.TEXT: pa.string(),
        Kind.WHOLE: pa.int32(),
        Kind.NUMBER: pa.float64(),
        Kind.SWITCH: pa.bool_(),
        Kind.TEXTS: pa.list_(pa.string()),
        Kind.WHOLES: pa.list_(pa.int32()),
    }[kind]
