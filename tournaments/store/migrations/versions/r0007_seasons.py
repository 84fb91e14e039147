"""Leagues have seasons with divisions; the standings of a season that is over are kept."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "r0007"
down_revision = "r0006"
branch_labels = None
depends_on = None


def _moment(name: str, *, nullable: bool) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def _of_season(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["competition", "season"],
        ["seasons.competition", "seasons.number"],
        name=op.f(f"fk_{table}_competition_season"),
    )


def upgrade() -> None:
    """Add the tables of seasons, and the season of each set."""
    op.add_column("sets", sa.Column("season", sa.Integer(), nullable=True))
    op.create_table(
        "seasons",
        sa.Column("competition", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        _moment("started_at", nullable=False),
        _moment("ends_at", nullable=True),
        _moment("ended_at", nullable=True),
        sa.Column("another", sa.Boolean(), nullable=False),
        sa.Column("divisions", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["competition"], ["competitions.id"], name=op.f("fk_seasons_competition")
        ),
        sa.PrimaryKeyConstraint("competition", "number", name=op.f("pk_seasons")),
    )
    op.create_table(
        "season_entrants",
        sa.Column("competition", sa.Text(), nullable=False),
        sa.Column("season", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("entrant", sa.Integer(), nullable=False),
        sa.Column("division", sa.Integer(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=True),
        sa.Column("next_division", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(
            ["entrant"], ["entrants.id"], name=op.f("fk_season_entrants_entrant")
        ),
        _of_season("season_entrants"),
        sa.PrimaryKeyConstraint(
            "competition", "season", "entrant", name=op.f("pk_season_entrants")
        ),
    )
    op.create_table(
        "season_sections",
        sa.Column("competition", sa.Text(), nullable=False),
        sa.Column("season", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("section", sa.Text(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        _of_season("season_sections"),
        sa.PrimaryKeyConstraint(
            "competition", "season", "section", name=op.f("pk_season_sections")
        ),
    )
