"""A package that is submitted again counts again, and authors take turns."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "r0009"
down_revision = "r0008"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Add the tries of submissions; those that are there were tried once."""
    op.add_column("authors", sa.Column("served_at", _MOMENT, nullable=True))
    tries = op.create_table(
        "submission_tries",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("account", sa.Integer(), nullable=False),
        sa.Column("at", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["account"], ["authors.id"], name=op.f("fk_submission_tries_account")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submission_tries")),
    )
    op.create_index(op.f("ix_submission_tries_account_at"), "submission_tries", ["account", "at"])
    known = sa.table(
        "submissions", sa.column("account", sa.Integer()), sa.column("submitted_at", _MOMENT)
    )
    op.execute(
        sa.insert(tries).from_select(
            ["account", "at"], sa.select(known.c.account, known.c.submitted_at)
        )
    )
