"""Accounts of authors, packages, submissions with their reports, standard error of matches."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "r0005"
down_revision = "r0004"
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Make the tables, and let entrants and tokens belong to an account."""
    op.create_table(
        "authors",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("competition", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("folded", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["competition"], ["competitions.id"], name=op.f("fk_authors_competition")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_authors")),
        sa.UniqueConstraint("competition", "folded", name=op.f("uq_authors_competition_folded")),
    )
    for table in ("entrants", "tokens"):
        # Without a foreign key: SQLite would make the table anew, to which others refer.
        op.add_column(table, sa.Column("account", sa.Integer(), nullable=True))
        op.create_index(op.f(f"ix_{table}_account"), table, ["account"])
    op.create_table(
        "packages",
        sa.Column("hash", sa.Text(), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("received_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_packages")),
    )
    _create_submissions()
    op.create_table(
        "match_logs",
        sa.Column("match", sa.Text(), nullable=False),
        sa.Column("entrant", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["match"], ["matches.id"], name=op.f("fk_match_logs_match")),
        sa.ForeignKeyConstraint(["entrant"], ["entrants.id"], name=op.f("fk_match_logs_entrant")),
        sa.PrimaryKeyConstraint("match", "entrant", name=op.f("pk_match_logs")),
    )
    op.create_index(op.f("ix_match_logs_entrant"), "match_logs", ["entrant"])


def _create_submissions() -> None:
    op.create_table(
        "submissions",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("entrant", sa.Integer(), nullable=False),
        sa.Column("account", sa.Integer(), nullable=False),
        sa.Column("package", sa.Text(), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("games", sa.Text(), nullable=False),
        sa.Column("public", sa.Boolean(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("server", sa.Text(), nullable=True),
        sa.Column("lease_until", _MOMENT, nullable=True),
        sa.Column("submitted_at", _MOMENT, nullable=False),
        sa.Column("changed_at", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["entrant"], ["entrants.id"], name=op.f("fk_submissions_entrant")),
        sa.ForeignKeyConstraint(["account"], ["authors.id"], name=op.f("fk_submissions_account")),
        sa.ForeignKeyConstraint(
            ["package"], ["packages.hash"], name=op.f("fk_submissions_package")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submissions")),
        sa.UniqueConstraint("entrant", "package", name=op.f("uq_submissions_entrant_package")),
    )
    for columns in (["account"], ["package"], ["state", "id"]):
        op.create_index(op.f(f"ix_submissions_{'_'.join(columns)}"), "submissions", columns)
    op.create_table(
        "stage_reports",
        sa.Column("submission", sa.Integer(), nullable=False),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("passed", sa.Boolean(), nullable=False),
        sa.Column("sentence", sa.Text(), nullable=False),
        sa.Column("log", sa.Text(), nullable=False),
        sa.Column("seconds", sa.Double(), nullable=False),
        sa.Column("cpu_seconds", sa.Double(), nullable=False),
        sa.Column("memory_bytes", sa.BigInteger(), nullable=False),
        sa.Column("at", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(
            ["submission"], ["submissions.id"], name=op.f("fk_stage_reports_submission")
        ),
        sa.PrimaryKeyConstraint("submission", "stage", name=op.f("pk_stage_reports")),
    )
