"""Everything in one file, and back: a zip with one file of JSON lines for each table.

The file is the same whichever database it comes from, so that it leads from one to the other.
"""

from __future__ import annotations

import base64
import json
import os
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa

from tournaments.store import schema
from tournaments.store.database import Database, StoreError
from tournaments.store.migrate import known_revisions, upgrade

FORMAT: Final = 1
ABOUT: Final = "about.json"
ROWS_AT_ONCE: Final = 500
REVISION_TABLE: Final = "alembic_version"
OLD_TABLES: Final = ("leagues",)
"""Tables that older versions of the schema had."""


def write_backup(database: Database, path: Path) -> None:
    """Write all tables as they are at one moment; the file is there completely or not at all."""
    part = path.with_name(f"{path.name}.part")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
                _write_tables(database, archive)
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        raise StoreError(
            f"cannot write the backup {path}: {error.strerror or error}; nothing was left behind."
        ) from None
    finally:
        part.unlink(missing_ok=True)


def _write_tables(database: Database, archive: zipfile.ZipFile) -> None:
    rows: dict[str, int] = {}
    with database.read() as connection:
        for table in schema.metadata.sorted_tables:
            rows[table.name] = 0
            found = connection.execute(
                sa.select(table).order_by(*table.primary_key),
                execution_options={"yield_per": ROWS_AT_ONCE},
            )
            with archive.open(f"{table.name}.jsonl", "w", force_zip64=True) as file:
                for row in found:
                    line = {name: _written(value) for name, value in row._mapping.items()}  # noqa: SLF001  its public name
                    file.write(json.dumps(line).encode() + b"\n")
                    rows[table.name] += 1
    about = {"format": FORMAT, "schema": schema.REVISION, "rows": rows}
    archive.writestr(ABOUT, json.dumps(about))


def restore_from(database: Database, path: Path) -> None:
    """Fill an empty database, completely or not at all; raises StoreError.

    The tables are made as they were when the backup was written, filled, and then migrated.
    """
    database.make_file()
    try:
        with zipfile.ZipFile(path) as archive, database.write() as connection:
            database.alone(connection)
            about = _about(archive, path)
            _drop_empty_tables(database, connection)
            upgrade(connection, about["schema"])
            for table in _tables(connection):
                count = _restore(connection, archive, table)
                if count != about["rows"].get(table.name):
                    raise StoreError(f"{path} is not whole: rows of {table.name} are missing.")
            upgrade(connection)
            _go_on_counting(database, connection)
    except OSError as error:
        raise StoreError(f"cannot read the backup {path}: {error.strerror or error}.") from None
    except (zipfile.BadZipFile, KeyError, TypeError, ValueError) as error:
        raise StoreError(f"{path} is no backup, or it is damaged: {error}.") from None


def _about(archive: zipfile.ZipFile, path: Path) -> dict[str, Any]:
    about: dict[str, Any] = json.loads(archive.read(ABOUT))
    if about["format"] != FORMAT or about["schema"] not in known_revisions():
        raise StoreError(
            f"{path} was written with the schema {about['schema']}, which is newer than this "
            f"program: it knows {schema.REVISION} at most. Use the program that wrote it, or a "
            "newer one."
        )
    return about


def _drop_empty_tables(database: Database, connection: sa.Connection) -> None:
    """Drop our tables, of whatever version, if all are empty; raises StoreError if one is not."""
    names = {*schema.metadata.tables, *OLD_TABLES}
    found = sa.MetaData()
    found.reflect(connection, only=lambda name, _: name in names)
    for table in found.sorted_tables:
        count = sa.select(sa.literal(1)).select_from(sa.table(table.name)).limit(1)
        if connection.execute(count).first() is not None:
            raise StoreError(
                f"{database.name} is not empty, and nothing in it was changed: restore into a "
                "new database."
            )
    found.drop_all(connection)
    connection.exec_driver_sql(f"DROP TABLE IF EXISTS {REVISION_TABLE}")


def _tables(connection: sa.Connection) -> list[sa.Table]:
    """Return the tables as they are in the database; moments have the type of our schema."""
    found = sa.MetaData()
    found.reflect(connection)
    for table in found.tables.values():
        for column in table.columns:
            if isinstance(column.type, sa.DateTime):
                column.type = schema.Instant()
    return [table for table in found.sorted_tables if table.name != REVISION_TABLE]


def _restore(connection: sa.Connection, archive: zipfile.ZipFile, table: sa.Table) -> int:
    count = 0
    for rows in _rows(archive, table.name):
        connection.execute(sa.insert(table), rows)
        count += len(rows)
    return count


def _rows(archive: zipfile.ZipFile, name: str) -> Iterator[list[dict[str, Any]]]:
    with archive.open(f"{name}.jsonl") as file:
        rows: list[dict[str, Any]] = []
        for line in file:
            rows.append({key: _read(value) for key, value in json.loads(line).items()})
            if len(rows) == ROWS_AT_ONCE:
                yield rows
                rows = []
        if rows:
            yield rows


def _go_on_counting(database: Database, connection: sa.Connection) -> None:
    """Let PostgreSQL number new rows after the restored ones; SQLite does so by itself."""
    if database.sqlite:
        return
    for table in schema.metadata.sorted_tables:
        if table.autoincrement_column is not None:
            column = table.autoincrement_column
            most = connection.execute(sa.select(sa.func.max(column))).scalar()
            if most is not None:
                sequence = sa.func.pg_get_serial_sequence(table.name, column.name)
                connection.execute(sa.select(sa.func.setval(sequence, most)))


def _written(value: Any) -> Any:
    if isinstance(value, bytes | memoryview):
        return {"base64": base64.b64encode(value).decode()}
    if isinstance(value, datetime):
        return {"utc": value.astimezone(UTC).isoformat()}
    return value


def _read(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    if "base64" in value:
        return base64.b64decode(value["base64"], validate=True)
    return datetime.fromisoformat(value["utc"])
