"""Bring a database to the schema of this program, with Alembic."""

from __future__ import annotations

from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory

from tournaments.league.database import Database
from tournaments.store import StoreError


def newest_revision() -> str:
    """Return the revision of the schema that this program speaks."""
    head = ScriptDirectory.from_config(_config()).get_current_head()
    assert head is not None  # noqa: S101  there is a first revision
    return head


def migrate(database: Database) -> None:
    """Bring a database up to date; raises StoreError for one from the future.

    Servers that start together wait for each other, and the whole of it happens or nothing.
    """
    database.make_file()
    with database.write() as connection:
        database.alone(connection)
        _refuse_unknown(database, connection)
        config = _config()
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


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
    known = {script.revision for script in ScriptDirectory.from_config(_config()).walk_revisions()}
    if found is not None and found not in known:
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
