"""Tournaments and leagues are competitions, in the same tables.

The tables of the leagues get the columns that tournaments need. The tables of a tournament of an
older version, if there are any, are copied and dropped.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from tournaments.store.migrations.old_tournament import copy_old_tournament

revision = "r0003"
down_revision = "r0002"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Rename leagues to competitions, give secrets a table of their own, add tables and columns.

    SQLite cannot make a table anew that others refer to: only what ALTER TABLE does is used here.
    """
    op.rename_table("leagues", "competitions")
    for table in ("entrants", "sets", "matches", "journal", "standings"):
        op.execute(f"ALTER TABLE {table} RENAME COLUMN league TO competition")
    for table, columns in (
        ("entrants", ["{}", "id"]),
        ("matches", ["state", "{}"]),
        ("journal", ["{}"]),
    ):
        old, new = ([name.format(word) for name in columns] for word in ("league", "competition"))
        op.drop_index(op.f(f"ix_{table}_{'_'.join(old)}"), table)
        op.create_index(op.f(f"ix_{table}_{'_'.join(new)}"), table, new)
    op.add_column(
        "competitions", sa.Column("kind", sa.Text(), nullable=False, server_default="league")
    )
    _add_secrets()
    op.add_column("sets", sa.Column("seatings", sa.Text(), nullable=True))
    op.add_column("sets", sa.Column("table_set", sa.Integer(), nullable=True))
    op.create_table(
        "benchings",
        sa.Column("entrant", sa.Integer(), nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("match", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("at", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["entrant"], ["entrants.id"], name=op.f("fk_benchings_entrant")),
        sa.PrimaryKeyConstraint("entrant", "game", name=op.f("pk_benchings")),
    )
    op.create_table(
        "deaths",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("competition", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("entrants", sa.Text(), nullable=False),
        sa.Column("expected", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("at", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["competition"], ["competitions.id"], name=op.f("fk_deaths_competition")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_deaths")),
    )
    copy_old_tournament(op.get_bind())


def _add_secrets() -> None:
    """Move the one secret of each league into a table that can hold several of a competition."""
    op.create_table(
        "secrets",
        sa.Column("competition", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False, autoincrement=False),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("published", sa.Boolean(), nullable=False),
        sa.ForeignKeyConstraint(
            ["competition"], ["competitions.id"], name=op.f("fk_secrets_competition")
        ),
        sa.PrimaryKeyConstraint("competition", "number", name=op.f("pk_secrets")),
    )
    op.execute(
        "INSERT INTO secrets (competition, number, secret, published) "
        "SELECT id, 1, secret, false FROM competitions"
    )
    op.drop_column("competitions", "secret")
    op.add_column("sets", sa.Column("secret", sa.Integer(), nullable=False, server_default="1"))
