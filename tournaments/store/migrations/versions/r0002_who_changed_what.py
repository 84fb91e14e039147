"""The journal says whom an entry is about and who did it; entrants are listed by an index."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "r0002"
down_revision = "r0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the columns, which are empty in older entries, and the index."""
    with op.batch_alter_table("journal") as batch:
        batch.add_column(sa.Column("entrant", sa.Integer(), nullable=True))
        batch.add_column(sa.Column("role", sa.Text(), nullable=True))
        batch.create_foreign_key(op.f("fk_journal_entrant"), "entrants", ["entrant"], ["id"])
        batch.create_index(op.f("ix_journal_entrant"), ["entrant"])
    op.create_index(op.f("ix_entrants_league_id"), "entrants", ["league", "id"])
