"""What Alembic runs: the migrations, on a connection that is open."""

from __future__ import annotations

from alembic import context

from tournaments.store.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,  # SQLite can do it too, as ``Database`` begins its transactions
    render_as_batch=True,  # SQLite changes a table by making it anew
)
context.run_migrations()
