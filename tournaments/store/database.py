"""A connection to SQLite or PostgreSQL that behaves the same on both."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import Enum
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects.sqlite import dialect as sqlite_dialect

from engine import HighstreetError
from tournaments.store import schema

BUSY_SECONDS: Final = 30
"""How long a writer waits for another one before it gives up."""
_IDLE_SECONDS: Final = 10
"""A transaction that waits for its program for longer is ended: a server that is frozen in one must
not keep the others from the rows that it has locked, and a lease is three times as long."""
_LOCK_SECONDS: Final = 15
"""How long a statement waits for a lock: longer than a frozen transaction may last."""
_POSTGRES: Final = {
    "connect_timeout": 10,
    "tcp_user_timeout": 30_000,
    "keepalives": 1,
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
}
"""For libpq: a database whose machine is gone is noticed within half a minute."""
_SESSION: Final = {
    "idle_in_transaction_session_timeout": f"{_IDLE_SECONDS}s",
    "lock_timeout": f"{_LOCK_SECONDS}s",
    "tcp_keepalives_idle": "10",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
    "tcp_user_timeout": "30000",
}
"""For PostgreSQL itself: so does it notice that the machine of a server is gone."""
LEAST_ROOM: Final = 16 * 1024 * 1024
"""Bytes that the disk of an SQLite database must have left; a write may still find room in the
journal when nothing else can be written."""
_WRITES: Final = "highstreet_writes"
_LOCK: Final = 0x48696768
_RUN_LOCK: Final = _LOCK + 1
"""Numbers of advisory locks: no other program on that database may use them."""


class Trouble(Enum):
    """Why a database refuses; the value is a public reason."""

    FULL = "it is full"
    READ_ONLY = "it cannot be written"
    LOCKED = "it is locked by another program"
    DAMAGED = "it is damaged"
    DISK = "its disk fails"
    OTHER = "it does not answer"


class Hints(NamedTuple):
    """What the operator of a database can do about an error."""

    if_damaged: str
    otherwise: str = ""
    """A sentence with a space before it."""


SERVER_HINTS: Final = Hints(
    "stop the server, keep a copy of the database, and fill a new one from the last backup with "
    "`highstreet league restore`"
)


class StoreError(HighstreetError):
    """A store that cannot be read or written."""


class DatabaseError(StoreError):
    """A database that refuses."""

    def __init__(self, message: str, trouble: Trouble) -> None:
        super().__init__(message)
        self.trouble = trouble


class Database:
    """An engine whose transactions either read a snapshot or write.

    SQLite has one writer at a time: a transaction that will write says so at its beginning, and
    waits there; one that read first and then wanted to write would be refused.
    """

    def __init__(
        self,
        url: str | sa.URL,
        busy_seconds: float = BUSY_SECONDS,
        *,
        read_only: bool = False,
        hints: Hints = SERVER_HINTS,
    ) -> None:
        """Prepare to connect; raises StoreError for an address that cannot be one."""
        self.url = _checked(url)
        self.name = self.url.render_as_string(hide_password=True)
        self._hints = hints
        arguments: dict[str, Any] = {"pool_pre_ping": not self.sqlite}
        arguments["connect_args"] = (
            {"timeout": busy_seconds} if self.sqlite else _postgres_arguments(self.url)
        )
        try:
            self.engine = sa.create_engine(self.url, **arguments)
        except ModuleNotFoundError:
            raise StoreError(
                "PostgreSQL needs a driver that is not installed: pip install 'psycopg[binary]'."
            ) from None
        if self.sqlite:
            sa.event.listen(self.engine, "connect", _prepare_reader if read_only else _prepare)
            sa.event.listen(self.engine, "begin", _begin)

    @property
    def sqlite(self) -> bool:
        """Whether it is a file."""
        return self.url.get_backend_name() == "sqlite"

    def make_file(self) -> None:
        """Make the file of a new SQLite database so that only its owner reads it."""
        if self.sqlite:
            with self.explained():
                Path(self.url.database or "").touch(mode=0o600)  # it holds secrets of deals

    @contextmanager
    def read(self) -> Iterator[sa.Connection]:
        """Look at one moment of the database, and change nothing."""
        with self.explained(), self.engine.connect() as connection:
            if not self.sqlite:  # a transaction of SQLite reads a snapshot anyway
                connection.execution_options(isolation_level="REPEATABLE READ")
            with connection.begin():
                yield connection

    @contextmanager
    def write(self) -> Iterator[sa.Connection]:
        """Change the database, completely or not at all."""
        with self.explained(), self.engine.connect() as connection:
            connection.execution_options(**{_WRITES: True})
            with connection.begin():
                yield connection

    def now(self, connection: sa.Connection) -> datetime:
        """Return the time by the clock that all servers of this database share.

        That of PostgreSQL, whatever the clocks of the servers say; a file has one machine.
        """
        if self.sqlite:
            return datetime.now(UTC)
        found: datetime = connection.execute(sa.select(sa.func.clock_timestamp())).scalar_one()
        return found.astimezone(UTC)

    def alone(self, connection: sa.Connection) -> None:
        """Wait until no other transaction is in a part that is for one at a time.

        For what no row can be locked for, because it is only about to be made. On SQLite a
        transaction that writes is alone from its beginning.
        """
        if not self.sqlite:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))

    @contextmanager
    def held_for_a_run(self) -> Iterator[bool]:
        """Hold the lock of a tournament's run; false if another program holds it.

        A file has none: the folder that it lies in is locked.
        """
        with self.explained(), contextlib.ExitStack() as stack:
            if self.sqlite:
                yield True
                return
            connection = stack.enter_context(self.engine.connect())
            connection.execution_options(isolation_level="AUTOCOMMIT")
            lock = sa.select(sa.func.pg_try_advisory_lock(_RUN_LOCK))
            yield bool(connection.execute(lock).scalar_one())
            connection.invalidate()  # the session ends, and its lock with it

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Say what is wrong with the database, and what is safe."""
        try:
            yield
        except OSError as error:
            raise StoreError(f"cannot use {self.name}: {error.strerror or error}.") from None
        except sa.exc.DBAPIError as error:
            raise self._explained_error(error) from None
        except sa.exc.TimeoutError:
            raise StoreError(f"{self.name} is too busy: no connection became free.") from None

    def _explained_error(self, error: sa.exc.DBAPIError) -> DatabaseError:
        reason = " ".join(str(error.orig or error).split()).rstrip(".")
        trouble = _trouble_of(error)
        hint = _advice(trouble, self._hints.if_damaged)
        if trouble is not Trouble.DAMAGED:
            hint += self._hints.otherwise
        return DatabaseError(f"cannot use {self.name}: {reason}. {hint}", trouble)

    def check_room(self) -> None:
        """Raise DatabaseError if the disk of an SQLite database is nearly full."""
        if not self.sqlite:
            return
        with self.explained():
            disk = os.statvfs(Path(self.url.database or "").parent)
        left = disk.f_bavail * disk.f_frsize
        if left < LEAST_ROOM:
            raise DatabaseError(
                f"cannot use {self.name}: its disk has {left} bytes left. Make room.", Trouble.FULL
            )

    def close(self) -> None:
        """Let go of every connection."""
        self.engine.dispose()


def _checked(url: str | sa.URL) -> sa.URL:
    try:
        found = sa.make_url(url)
    except sa.exc.ArgumentError:
        found = None
    kind = found.get_backend_name() if found is not None else ""
    if found is None or kind not in ("sqlite", "postgresql"):
        raise StoreError(
            "a database is sqlite:///path/of/league.db or "
            "postgresql+psycopg://user@host/name, but not what was given."
        )
    if kind == "sqlite":
        if found.database in (None, "", ":memory:"):
            raise StoreError("sqlite:/// needs the path of a file: a database outlives a program.")
        return found.set(drivername="sqlite+pysqlite")
    return found.set(drivername="postgresql+psycopg")


def _postgres_arguments(url: sa.URL) -> dict[str, Any]:
    """Return the settings of a session; those of the address come last and take precedence."""
    own = url.query.get("options", "")
    ours = [f"-c {name}={value}" for name, value in _SESSION.items()]
    said = [own] if isinstance(own, str) else list(own)
    return {**_POSTGRES, "options": " ".join((*ours, *said)).strip()}


def _prepare(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # the driver begins no transaction: ``_begin`` does
    cursor = connection.cursor()
    # A commit is on the disk when it returns, and readers do not wait for it.
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def _prepare_reader(connection: Any, _record: Any) -> None:
    connection.isolation_level = None
    cursor = connection.cursor()
    cursor.execute("PRAGMA query_only=ON")
    cursor.close()


def _begin(connection: sa.Connection) -> None:
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


# Statements for many rows -----------------------------------------------------------------------


def execute_many(
    connection: sa.Connection, statement: sa.Insert | sa.Update, rows: Sequence[dict[str, Any]]
) -> int:
    """Execute a statement, whose parameters are the keys of the rows; return the changed rows.

    SQLAlchemy would process every parameter of every row, which takes longer than the database
    does. Here it compiles the statement once, and only moments are converted.
    """
    if not rows:
        return 0
    text, constants, moments = _compiled(statement, connection.dialect)
    changed = constants or moments
    ready: Sequence[dict[str, Any]] = [{**constants, **row} for row in rows] if changed else rows
    known: dict[Any, Any] = {}
    for name, convert in moments:
        for row in ready:
            value = row[name]
            if value not in known:
                known[value] = convert(value)
            row[name] = known[value]
    return connection.exec_driver_sql(text, ready).rowcount


@lru_cache(64)
def _compiled(
    statement: sa.Insert | sa.Update, dialect: sa.Dialect
) -> tuple[str, dict[str, Any], list[tuple[str, Any]]]:
    """Return the text, the constant parameters, and how moments are converted."""
    named = sqlite_dialect(paramstyle="named") if dialect.name == "sqlite" else dialect
    compiled = statement.compile(dialect=named)
    given = {name: bind.type for name, bind in compiled.binds.items() if bind.required}
    constants = {name: value for name, value in compiled.params.items() if name not in given}
    moments = [
        (name, convert)
        for name, kind in given.items()
        if isinstance(kind, schema.Instant)
        and (convert := kind.dialect_impl(named).bind_processor(named)) is not None
    ]
    return str(compiled), constants, moments


# Errors -----------------------------------------------------------------------------------------

_SQLITE_CODES: Final = {
    sqlite3.SQLITE_FULL: Trouble.FULL,
    sqlite3.SQLITE_READONLY: Trouble.READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: Trouble.READ_ONLY,
    sqlite3.SQLITE_BUSY: Trouble.LOCKED,
    sqlite3.SQLITE_LOCKED: Trouble.LOCKED,
    sqlite3.SQLITE_CORRUPT: Trouble.DAMAGED,
    sqlite3.SQLITE_NOTADB: Trouble.DAMAGED,
    sqlite3.SQLITE_IOERR: Trouble.DISK,
}
_SQLSTATES: Final = {
    "53100": Trouble.FULL,
    "25006": Trouble.READ_ONLY,
    "55P03": Trouble.LOCKED,
    "58030": Trouble.DISK,
    "XX000": Trouble.DISK,
    "XX001": Trouble.DAMAGED,
    "XX002": Trouble.DAMAGED,
}
"""SQLSTATE, from appendix A of PostgreSQL's manual; XX000 is also a block that cannot be read."""


def _trouble_of(error: sa.exc.DBAPIError) -> Trouble:
    """Return what is wrong, by the code that the database gave."""
    original = error.orig
    code = getattr(original, "sqlite_errorcode", None)
    if isinstance(code, int):
        return _SQLITE_CODES.get(code & 0xFF, Trouble.OTHER)  # the rest of the code is a detail
    return _SQLSTATES.get(getattr(original, "sqlstate", None) or "", Trouble.OTHER)


def _advice(trouble: Trouble, restore: str) -> str:
    """Say whether what was committed is safe, and what to do; ``restore`` is for a damaged one."""
    if trouble is Trouble.DAMAGED:
        return f"The file is damaged, and what was committed may be lost: {restore}."
    if trouble is Trouble.DISK:
        return "Check the disk: it may be full or failing. What was committed may be damaged."
    return {
        Trouble.FULL: "What was committed is safe; make room on the disk.",
        Trouble.READ_ONLY: "What was committed is safe; make the database writable for this "
        "program.",
        Trouble.LOCKED: "What was committed is safe; another program holds the database: end it, "
        "or wait.",
        Trouble.OTHER: "What was committed is safe.",
    }[trouble]
