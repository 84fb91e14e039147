"""Records can be thinned out, and matches are found by the time at which they began."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "r0006"
down_revision = "r0005"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Make the tables of records that were removed and that are to be kept, and an index."""
    op.create_table(
        "thinned_records",
        sa.Column("match", sa.Text(), nullable=False),
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("sha256", sa.Text(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("at", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["match"], ["matches.id"], name=op.f("fk_thinned_records_match")),
        sa.PrimaryKeyConstraint("match", name=op.f("pk_thinned_records")),
    )
    op.create_table(
        "kept_records",
        sa.Column("match", sa.Text(), nullable=False),
        sa.Column("at", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["match"], ["matches.id"], name=op.f("fk_kept_records_match")),
        sa.PrimaryKeyConstraint("match", name=op.f("pk_kept_records")),
    )
    op.create_index(
        op.f("ix_matches_competition_started_at"), "matches", ["competition", "started_at"]
    )
