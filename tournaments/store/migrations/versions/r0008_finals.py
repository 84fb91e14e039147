"""A league shows its finals, and keeps their records."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "r0008"
down_revision = "r0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the tables of finals."""
    op.create_table(
        "finals",
        sa.Column("competition", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("season", sa.Integer(), nullable=True),
        sa.Column("commitment", sa.Text(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.Column("published_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["competition"], ["competitions.id"], name=op.f("fk_finals_competition")
        ),
        sa.PrimaryKeyConstraint("competition", "number", name=op.f("pk_finals")),
        sa.UniqueConstraint(
            "competition", "commitment", name=op.f("uq_finals_competition_commitment")
        ),
    )
    op.create_table(
        "final_records",
        sa.Column("competition", sa.Text(), nullable=False),
        sa.Column("final", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("match", sa.Text(), nullable=False),
        sa.Column("record", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["competition", "final"],
            ["finals.competition", "finals.number"],
            name=op.f("fk_final_records_competition_final"),
        ),
        sa.PrimaryKeyConstraint("competition", "final", "match", name=op.f("pk_final_records")),
    )
