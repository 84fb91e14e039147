"""Trouble with the database: one clear sentence, and what was committed is safe."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from tests.tournaments.leagues import LEAGUE, begin, commit, finished, seat, take
from tests.tournaments.postgres import PostgresServer
from tournaments.store import Store, StoreError


@contextmanager
def each_connection_says(store: Store, statement: str) -> Iterator[None]:
    """Let every new connection of a store begin with a statement."""

    def say(connection: Any, _record: Any) -> None:
        with closing(connection.cursor()) as cursor:
            cursor.execute(statement)

    engine = store._database.engine
    engine.dispose()
    sa.event.listen(engine, "connect", say)
    yield
    sa.event.remove(engine, "connect", say)
    engine.dispose()


def test_a_full_disk_is_said_so_and_nothing_is_half_written(tmp_path: Path) -> None:
    """SQLite is told that it may not grow, and answers as on a full disk."""
    path = tmp_path / "league.db"
    with Store.open(f"sqlite:///{path}") as store:
        begin(store, "ann", "bob")
        (match,) = seat(store, "ann", "bob")
        take(store, match)
        record = bytes(1_000_000)
        with each_connection_says(store, "PRAGMA max_page_count=1"):
            with pytest.raises(StoreError, match=r"full.*committed is safe; make room"):
                commit(store, "one", match.id, 1, finished(2), record)
            assert store.match(match.id).state == "running"
        assert commit(store, "one", match.id, 1, finished(2), record)
        assert store.record(match.id) == record


def test_a_file_that_cannot_be_written_is_said_so(tmp_path: Path) -> None:
    with Store.open(f"sqlite:///{tmp_path / 'league.db'}") as store:
        begin(store, "ann")
        with each_connection_says(store, "PRAGMA query_only=ON"):
            with pytest.raises(StoreError, match=r"readonly.*make the database writable"):
                store.enter(LEAGUE, "bob", "")
            assert store.entrant(LEAGUE, "ann").name == "ann"


def test_a_server_that_may_only_be_read_is_said_so(postgres: PostgresServer) -> None:
    url = postgres.new_database()
    with Store.open(url) as store:
        begin(store, "ann")
        name = sa.make_url(url).database
        postgres.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on")
        store._database.engine.dispose()
        with pytest.raises(StoreError, match=r"read-only.*make the database writable"):
            store.enter(LEAGUE, "bob", "")
        assert store.entrant(LEAGUE, "ann").name == "ann"
    postgres.drop_database(url)


def test_a_folder_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="No such file or directory"):
        Store.open(f"sqlite:///{tmp_path / 'nowhere' / 'league.db'}")


def test_what_is_no_database_is_said_so(tmp_path: Path) -> None:
    path = tmp_path / "league.db"
    path.write_text("hello " * 1000)
    with pytest.raises(StoreError, match="not a database"):
        Store.open(f"sqlite:///{path}")
    assert path.read_text() == "hello " * 1000


def damage(path: Path) -> None:
    """Overwrite everything but the header of a database, as a failing disk does."""
    data = path.read_bytes()
    path.write_bytes(data[:4096] + b"\xa5" * (len(data) - 4096))


def test_a_damaged_database_is_not_called_safe(tmp_path: Path) -> None:
    path = tmp_path / "league.db"
    with Store.open(f"sqlite:///{path}") as store:
        begin(store, "ann")
    damage(path)
    with (
        pytest.raises(StoreError, match="damaged, and what was committed may be lost") as raised,
        Store.open(f"sqlite:///{path}") as store,
    ):
        store.entrant(LEAGUE, "ann")
    assert "is safe" not in str(raised.value)
    assert "highstreet league restore" in str(raised.value)


def test_a_damaged_postgresql_is_not_called_safe(postgres: PostgresServer) -> None:
    """The server answers with SQLSTATE XX001, as it does for a page with a wrong checksum."""
    url = postgres.new_database()
    with Store.open(url) as store:
        begin(store, "ann")
        with pytest.raises(StoreError, match="damaged") as raised, store._database.read() as reads:
            reads.exec_driver_sql(
                "DO $$ BEGIN RAISE EXCEPTION 'invalid page in block 0' USING ERRCODE = 'XX001'; "
                "END $$"
            )
        assert "is safe" not in str(raised.value)
    postgres.drop_database(url)


def test_a_server_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=r"cannot use postgresql\+psycopg:.*committed is safe"):
        Store.open(f"postgresql+psycopg://postgres@/x?host={tmp_path}")


def test_a_server_that_comes_back_is_used_again(postgres: PostgresServer) -> None:
    """Connections that were cut while nobody used them are made anew."""
    url = postgres.new_database()
    with Store.open(url) as store:
        begin(store, "ann")
        postgres.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname LIKE 'test%%'"
        )
        assert store.entrant(LEAGUE, "ann").name == "ann"
    postgres.drop_database(url)


def test_a_writer_waits_for_another_one(tmp_path: Path) -> None:
    """A transaction that reads first and writes then is not refused because another one wrote."""
    path = tmp_path / "league.db"
    with Store.open(f"sqlite:///{path}") as store:
        begin(store, "ann")
        with closing(sqlite3.connect(path, isolation_level=None)) as foreign:
            foreign.execute("BEGIN IMMEDIATE")
            assert store.entrant(LEAGUE, "ann").name == "ann", "readers do not wait"
            foreign.execute("UPDATE competitions SET state = 'open'")
            foreign.execute("COMMIT")
        store.enter(LEAGUE, "bob", "")
    assert not path.with_name("league.db-wal").exists(), "everything is in the file"
