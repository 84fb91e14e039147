"""The store as a whole: how it is opened, checked, saved and closed."""

from __future__ import annotations

import contextlib
import os
import secrets
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Self

import sqlalchemy as sa

from tournaments.store import schema
from tournaments.store.accounts import AccountPart
from tournaments.store.backup import restore_from, write_backup
from tournaments.store.claims import ClaimPart
from tournaments.store.competitions import CompetitionPart
from tournaments.store.database import Database, Hints, StoreError
from tournaments.store.finals import FinalPart
from tournaments.store.migrate import is_newest, migrate_database, require_newest
from tournaments.store.queries import ReadingPart
from tournaments.store.results import ResultPart
from tournaments.store.retention import RetentionPart
from tournaments.store.schedule import SchedulePart
from tournaments.store.seasons import SeasonPart
from tournaments.store.submissions import SubmissionPart

FILE: Final = "tournament.db"
FOLDER_HINTS: Final = Hints(
    "keep a copy of the folder, and begin a new tournament",
    " Then go on with `highstreet tournament resume`.",
)
_HEALTH: Final = "health"
_WRITTEN: Final = "x" * 16_384


class Store(
    CompetitionPart,
    AccountPart,
    SubmissionPart,
    SchedulePart,
    SeasonPart,
    FinalPart,
    ClaimPart,
    ResultPart,
    RetentionPart,
    ReadingPart,
):
    """The competitions of a database: leagues, or one tournament.

    Every method is one transaction and waits for the database. Several servers may open the same
    PostgreSQL, and several threads the same store. Nothing that is promised depends on their
    clocks: leases go by the clock of the database.
    """

    def __init__(self, database: Database, now: Callable[[], datetime] | None = None) -> None:
        """Take an open database of the newest schema; ``now`` takes the place of every clock."""
        super().__init__(database, now)
        self._closing = contextlib.ExitStack()
        self._closing.callback(database.close)

    @classmethod
    def open(
        cls, url: str, *, migrate: bool = True, now: Callable[[], datetime] | None = None
    ) -> Self:
        """Open ``sqlite:///path`` or ``postgresql+psycopg://…``; raises StoreError.

        A database that is new or of an older program is brought up to date, unless ``migrate``
        says no; one of a newer program is refused. ``now`` takes the place of every clock.
        """
        with contextlib.ExitStack() as opening:
            database = opening.enter_context(closing(Database(url)))
            (migrate_database if migrate else require_newest)(database)
            opening.pop_all()
            return cls(database, now)

    @classmethod
    def of_tournament(cls, folder: Path, *, writable: bool = True, url: str | None = None) -> Self:
        """Open the database of a tournament's folder, or that of an address; raises StoreError.

        One that is new or of an older version is brought up to date. If it must not be written, a
        copy of an older version is brought up to date and read.
        """
        file = folder / FILE
        if url is None and not writable and not file.exists():
            raise StoreError(f"{folder} holds no tournament: there is no {FILE} in it.")
        with contextlib.ExitStack() as opening:
            database = opening.enter_context(closing(_database(file, url, read_only=not writable)))
            if writable:
                migrate_database(database)
            elif url is not None:
                require_newest(database)
            elif not is_newest(database):
                copy = opening.enter_context(_migrated_copy(file))
                database = opening.enter_context(closing(_database(copy, None, read_only=True)))
            store = cls(database)
            store.begin_tournament(writable=writable)
            store._closing.push(opening.pop_all())
        return store

    def close(self) -> None:
        """Close every connection."""
        self._closing.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def held_for_a_run(self) -> contextlib.AbstractContextManager[bool]:
        """Keep other programs from playing this tournament; false if one does."""
        return self._database.held_for_a_run()

    def check_health(self, patience: float) -> None:
        """Connect anew, write a row, delete it and commit; raises StoreError.

        Nothing less would do: a full disk is noticed by the commit alone. A locked database is
        waited for at most ``patience`` seconds.
        """
        table, request = schema.requests, secrets.token_hex(16)
        row = {"kind": _HEALTH, "request": request, "content": _WRITTEN, "subject": ""}
        written = sa.and_(table.c.kind == _HEALTH, table.c.request == request)
        with closing(Database(self._database.url, patience)) as database:
            database.check_room()
            with database.write() as connection:
                connection.execute(sa.insert(table).values(**row, at=datetime.now(UTC)))
                connection.execute(sa.delete(table).where(written))

    def backup(self, path: Path) -> None:
        """Write everything into one file, as it is at one moment; leagues go on meanwhile.

        The file holds the secrets of the deals and the hashes of the tokens: keep it safe.
        """
        write_backup(self._database, path)

    @classmethod
    def restore(cls, path: Path, url: str) -> None:
        """Fill an empty database from a backup of either kind; raises StoreError."""
        with closing(Database(url)) as database:
            restore_from(database, path)


def _database(file: Path, url: str | None, *, read_only: bool) -> Database:
    if url is not None:
        return Database(url, read_only=read_only, hints=FOLDER_HINTS)
    database, query = str(file), {}
    if read_only and not os.access(file.parent, os.W_OK) and not _has_journal(file):
        # Readers too write beside the database, unless they know that it stays as it is.
        database = file.absolute().as_uri()
        query = {"mode": "ro", "immutable": "1", "uri": "true"}
    address = sa.URL.create("sqlite", database=database, query=query)
    return Database(address, read_only=read_only, hints=FOLDER_HINTS)


def _has_journal(file: Path) -> bool:
    return file.with_name(f"{file.name}-wal").exists()


@contextlib.contextmanager
def _migrated_copy(file: Path) -> Iterator[Path]:
    """Copy a database of an older version into a temporary folder and bring it up to date."""
    with tempfile.TemporaryDirectory(prefix="highstreet-") as folder:
        copy = Path(folder) / FILE
        mode = "mode=ro" if _has_journal(file) or os.access(file.parent, os.W_OK) else "immutable=1"
        with (
            closing(sqlite3.connect(f"{file.absolute().as_uri()}?{mode}", uri=True)) as old,
            closing(sqlite3.connect(copy)) as new,
        ):
            old.backup(new)
        with closing(_database(copy, None, read_only=False)) as database:
            migrate_database(database)
        yield copy
