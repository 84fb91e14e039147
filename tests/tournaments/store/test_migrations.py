"""The schema: what the migrations make is what the code speaks of."""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from alembic.autogenerate import compare_metadata
from alembic.runtime.migration import MigrationContext

from tests.tournaments.leagues import FRESH, LEAGUE
from tournaments.model import Enrolment, FullError, Manifest
from tournaments.store import Store, StoreError, schema
from tournaments.store.database import Database
from tournaments.store.migrate import upgrade


def tables(connection: sa.Connection) -> dict[str, Any]:
    """Return everything that the database says of its tables, in an order of ours."""
    inspector = sa.inspect(connection)
    of_table = (
        inspector.get_columns,
        inspector.get_foreign_keys,
        inspector.get_unique_constraints,
        inspector.get_check_constraints,
        inspector.get_indexes,
    )
    return {
        name: [
            inspector.get_pk_constraint(name),
            *(sorted(map(repr, _plain(found(name)))) for found in of_table),
        ]
        for name in sorted(inspector.get_table_names())
    }


def _plain(found: Any) -> Any:
    """Return what an inspector found with types as text: they have no equality."""
    return [{key: str(value) for key, value in each.items()} for each in found]


def test_the_migrations_make_exactly_the_schema(url: str) -> None:
    database = Database(url)
    database.make_file()
    with database.write() as connection:
        upgrade(connection)
        context = MigrationContext.configure(connection, opts={"compare_server_default": True})
        assert compare_metadata(context, schema.metadata) == []
        assert context.get_current_revision() == schema.REVISION
    database.close()


def test_a_new_database_is_as_the_migrations_make_it(url: str) -> None:
    Store.open(url).close()
    database = Database(url)
    with database.write() as connection:
        new = tables(connection)
        assert set(new) == {*schema.metadata.tables, schema.revisions.name}
        assert MigrationContext.configure(connection).get_current_revision() == schema.REVISION
        schema.metadata.drop_all(connection)
        schema.revisions.drop(connection)
        upgrade(connection)
        assert tables(connection) == new
    database.close()


def test_a_column_that_no_migration_made_would_be_noticed(url: str) -> None:
    """The comparison above can fail."""
    Store.open(url).close()
    database = Database(url)
    with database.write() as connection:
        connection.exec_driver_sql("ALTER TABLE sets DROP COLUMN why")
        connection.exec_driver_sql("DROP INDEX ix_matches_state_competition")
        context = MigrationContext.configure(connection)
        found = {difference[0] for difference in compare_metadata(context, schema.metadata)}
    database.close()
    assert found == {"add_column", "add_index"}


def test_opening_again_changes_nothing(store: Store, url: str) -> None:
    token = store.first_organiser()
    assert token
    with Store.open(url) as again:
        assert again.identify(token).role == "organiser"
    with Store.open(url, migrate=False) as again:
        assert again.first_organiser() is None


def test_packages_that_were_submitted_before_tries_were_counted_count(url: str) -> None:
    """A database of r0008 has no tries: each of its submissions is one."""
    settings = replace(FRESH, enrolment=Enrolment.OPEN, submissions_per_day=1)
    with Store.open(url) as store:
        store.create_league(LEAGUE, settings)
        store.sign_up(LEAGUE, "ann")
        manifest = Manifest("crow", ("glastonbury",), ("./bot",), "go")
        store.submit(LEAGUE, "ann", manifest, b"package")
    database = Database(url)
    with database.write() as connection:
        connection.exec_driver_sql("DROP TABLE submission_tries")
        connection.exec_driver_sql("ALTER TABLE authors DROP COLUMN served_at")
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = 'r0008'")
    database.close()
    with Store.open(url) as store, pytest.raises(FullError, match="1 packages in 24 hours"):
        store.check_upload(LEAGUE, "ann", 1)


def test_a_schema_from_the_future_is_refused(url: str) -> None:
    Store.open(url).close()
    database = Database(url)
    with database.write() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = 'r9999'")
    database.close()
    for migrate in (True, False):
        with pytest.raises(StoreError, match=r"schema r9999, which is newer than this program"):
            Store.open(url, migrate=migrate)


def test_an_empty_database_is_refused_where_nothing_may_be_migrated(
    url: str, tmp_path: Path
) -> None:
    (tmp_path / "league.db").touch()
    with pytest.raises(StoreError, match=f"needs {schema.REVISION}"):
        Store.open(url, migrate=False)


def test_servers_that_start_together_migrate_once(url: str) -> None:
    start, problems = threading.Barrier(6), list[BaseException]()

    def begin() -> None:
        start.wait()
        try:
            Store.open(url).close()
        except BaseException as error:  # noqa: BLE001  reported below
            problems.append(error)

    threads = [threading.Thread(target=begin) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []


def test_the_names_of_constraints_are_ours(url: str) -> None:
    """A later migration can only change what it can name, on both databases."""
    Store.open(url).close()
    database = Database(url)
    inspector = sa.inspect(database.engine)
    names = {
        constraint["name"]
        for table in schema.metadata.tables
        for constraint in (
            *inspector.get_foreign_keys(table),
            *inspector.get_unique_constraints(table),
            inspector.get_pk_constraint(table),
        )
    }
    database.close()
    assert None not in names
    assert all(name and name.startswith(("fk_", "uq_", "pk_")) for name in names)
