"""A connection to SQLite or PostgreSQL that behaves the same on both."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa

from tournaments.store import StoreError

BUSY_SECONDS: Final = 30
"""How long a writer waits for another one before it gives up."""
_POSTGRES: Final = {"connect_timeout": 10, "tcp_user_timeout": 30_000}
"""A machine that is gone without a word is noticed after so many seconds, and milliseconds."""
_WRITES: Final = "highstreet_writes"
_LOCK: Final = 0x48696768
"""Any number, as long as nobody else on that database takes it."""


class Database:
    """An engine whose transactions either read a snapshot or write.

    SQLite has one writer at a time: a transaction that will write says so at its beginning, and
    waits there; one that read first and then wanted to write would be refused.
    """

    def __init__(self, url: str) -> None:
        """Prepare to connect; raises StoreError for an address that cannot be one."""
        self.url = _checked(url)
        self.name = self.url.render_as_string(hide_password=True)
        arguments: dict[str, Any] = {"pool_pre_ping": True}
        arguments["connect_args"] = {"timeout": BUSY_SECONDS} if self.sqlite else _POSTGRES
        try:
            self.engine = sa.create_engine(self.url, **arguments)
        except ModuleNotFoundError:
            raise StoreError(
                "PostgreSQL needs a driver that is not installed: pip install "
                "'highstreet[postgres]'."
            ) from None
        if self.sqlite:
            sa.event.listen(self.engine, "connect", _prepare)
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

    def alone(self, connection: sa.Connection) -> None:
        """Wait until no other transaction is in a part that is for one at a time.

        For what no row can be locked for, because it is only about to be made. On SQLite a
        transaction that writes is alone from its beginning.
        """
        if not self.sqlite:
            connection.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))

    @contextmanager
    def explained(self) -> Iterator[None]:
        """Say what is wrong with the database, and that nothing is lost."""
        try:
            yield
        except OSError as error:
            raise StoreError(f"cannot use {self.name}: {error.strerror or error}.") from None
        except sa.exc.DBAPIError as error:
            raise StoreError(self._explanation(error)) from None
        except sa.exc.TimeoutError:
            raise StoreError(f"{self.name} is too busy: no connection became free.") from None

    def _explanation(self, error: sa.exc.DBAPIError) -> str:
        reason = " ".join(str(error.orig or error).split()).rstrip(".")
        hint = "What was committed is safe"
        lower = reason.lower()
        if "full" in lower or "disk i/o" in lower or "no space" in lower:
            hint += "; make room on the disk"
        elif "readonly" in lower or "read-only" in lower or "unable to open" in lower:
            hint += "; make the database writable for this program"
        return f"cannot use {self.name}: {reason}. {hint}."

    def close(self) -> None:
        """Let go of every connection."""
        self.engine.dispose()


def _checked(url: str) -> sa.URL:
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
            raise StoreError("a league outlives its server: sqlite:/// needs the path of a file.")
        return found.set(drivername="sqlite+pysqlite")
    return found.set(drivername="postgresql+psycopg")


def _prepare(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # the driver begins no transaction: ``_begin`` does
    cursor = connection.cursor()
    # A commit is on the disk when it returns, and readers do not wait for it.
    cursor.execute("PRAGMA journal_mode=WAL")
    cursor.execute("PRAGMA synchronous=FULL")
    cursor.execute("PRAGMA foreign_keys=ON")
    cursor.close()


def _begin(connection: sa.Connection) -> None:
    writes = connection.get_execution_options().get(_WRITES, False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
