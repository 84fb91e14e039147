"""Bring a database to the schema of this program.

A new database gets the tables of ``schema`` as they are. One of an older version is migrated with
Alembic, which takes a quarter of a second to import: it is imported where it is needed.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import sqlalchemy as sa

from tournaments.store import schema
from tournaments.store.database import Database, StoreError

if TYPE_CHECKING:
    from alembic.config import Config


def migrate_database(database: Database) -> None:
    """Bring a database up to date; raises StoreError for one from the future.

    Servers that start together wait for each other, and the whole of it happens or nothing.
    """
    database.make_file()
    with database.write() as connection:
        database.alone(connection)
        if not sa.inspect(connection).get_table_names():
            _make_tables(connection)
        elif _known_revision(database, connection) != schema.REVISION:
            _migrate(connection)


def _make_tables(connection: sa.Connection) -> None:
    """Make the newest tables in an empty database, as the migrations would."""
    schema.metadata.create_all(connection)
    schema.revisions.create(connection)
    connection.execute(sa.insert(schema.revisions).values(version_num=schema.REVISION))


def _migrate(connection: sa.Connection) -> None:
    """Bring a database of an older version up to date."""
    from tournaments.store.migrations.old_tournament import (  # noqa: PLC0415
        is_old_tournament,
        set_old_tables_aside,
    )

    if is_old_tournament(connection):
        set_old_tables_aside(connection)  # the migrations copy what is in them
    upgrade(connection)


def upgrade(connection: sa.Connection, revision: str = "head") -> None:
    """Run the migrations up to a revision within the present transaction."""
    from alembic import command  # noqa: PLC0415

    config = _config()
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def known_revisions() -> frozenset[str]:
    """Return the revisions of every schema that this program can migrate."""
    from alembic.script import ScriptDirectory  # noqa: PLC0415

    scripts = ScriptDirectory.from_config(_config()).walk_revisions()
    return frozenset(script.revision for script in scripts)


def is_newest(database: Database) -> bool:
    """Return whether a database has the newest schema; raises StoreError for an unknown one."""
    with database.read() as connection:
        return _known_revision(database, connection) == schema.REVISION


def require_newest(database: Database) -> None:
    """Refuse a database that would have to be migrated; raises StoreError."""
    with database.read() as connection:
        found = _known_revision(database, connection)
    if found != schema.REVISION:
        raise StoreError(
            f"{database.name} has the schema {found or 'of nothing'}, but this program needs "
            f"{schema.REVISION}: open it with migrations allowed."
        )


def _known_revision(database: Database, connection: sa.Connection) -> str | None:
    """Return the revision of a database, if it has one; raises StoreError for an unknown one."""
    if not sa.inspect(connection).has_table(schema.revisions.name):
        return None
    found = connection.execute(sa.select(schema.revisions.c.version_num)).scalar_one_or_none()
    if found not in (None, schema.REVISION) and found not in known_revisions():
        raise StoreError(
            f"{database.name} has the schema {found}, which is newer than this program: it knows "
            f"{schema.REVISION} at most. Use the program that wrote it, or a newer one."
        )
    return found


def _config() -> Config:
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    folder = str(Path(__file__).parent / "migrations")
    config.set_main_option("script_location", folder.replace("%", "%%"))
    return config
