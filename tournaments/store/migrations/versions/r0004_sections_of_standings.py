"""Standings are kept in sections, which are read one by one, and have a revision.

Those of older versions are dropped: a server computes standings from the results.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "r0004"
down_revision = "r0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Replace the document of the standings by a revision and a table of sections."""
    op.execute("DELETE FROM standings")
    op.drop_column("standings", "document")
    op.add_column("standings", sa.Column("revision", sa.Integer(), nullable=False))
    op.create_table(
        "standings_sections",
        sa.Column("competition", sa.Text(), nullable=False),
        sa.Column("section", sa.Text(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["competition"], ["competitions.id"], name=op.f("fk_standings_sections_competition")
        ),
        sa.PrimaryKeyConstraint("competition", "section", name=op.f("pk_standings_sections")),
    )
