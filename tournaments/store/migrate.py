"""Bring a database to the schema of this program, with Alembic."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from tournaments.store.database import Database, StoreError
from tournaments.store.migrations.old_tournament import is_old_tournament, set_old_tables_aside


def newest_revision() -> str:
    """Return the revision of the schema that this program speaks."""
    head = ScriptDirectory.from_config(_config()).get_current_head()
    assert head is not None  # noqa: S101  there is a first revision
    return head


def migrate_database(database: Database) -> None:
    """Bring a database up to date; raises StoreError for one from the future.

    Servers that start together wait for each other, and the whole of it happens or nothing.
    """
    database.make_file()
    with database.write() as connection:
        database.alone(connection)
        if is_old_tournament(connection):
            set_old_tables_aside(connection)  # the migrations copy what is in them
        _refuse_unknown(database, connection)
        upgrade(connection)


def upgrade(connection: sa.Connection, revision: str = "head") -> None:
    """Run the migrations up to a revision within the present transaction."""
    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def known_revisions() -> frozenset[str]:
    """Return the revisions of every schema that this program can migrate."""
    scripts = ScriptDirectory.from_config(_config()).walk_revisions()
    return frozenset(script.revision for script in scripts)


def is_newest(database: Database) -> bool:
    """Return whether a database has the newest schema; raises StoreError for an unknown one."""
    with database.read() as connection:
        return _refuse_unknown(database, connection) == newest_revision()


def require_newest(database: Database) -> None:
    """Refuse a database that would have to be migrated; raises StoreError."""
    with database.read() as connection:
        found = _refuse_unknown(database, connection)
    if found != newest_revision():
        raise StoreError(
            f"{database.name} has the schema {found or 'of nothing'}, but this program needs "
            f"{newest_revision()}: open it with migrations allowed."
        )


def _refuse_unknown(database: Database, connection: sa.Connection) -> str | None:
    """Return the revision of a database, if it is one of ours."""
    found = MigrationContext.configure(connection).get_current_revision()
    if found is not None and found not in known_revisions():
        raise StoreError(
            f"{database.name} has the schema {found}, which is newer than this program: it knows "
            f"{newest_revision()} at most. Use the program that wrote it, or a newer one."
        )
    return found


def _config() -> Config:
    config = Config()
    folder = str(Path(__file__).parent / "migrations")
    config.set_main_option("script_location", folder.replace("%", "%%"))
    return config
