"""Everything that a league server begins with."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "r0001"
down_revision = None
branch_labels = None
depends_on = None

_MOMENT = sa.DateTime(timezone=True)


def upgrade() -> None:
    """Make all tables."""
    op.create_table(
        "leagues",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("sets", sa.Integer(), nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.Column("created_at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_leagues")),
    )
    op.create_table(
        "requests",
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("request", sa.Text(), nullable=False),
        sa.Column("content", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("at", _MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("kind", "request", name=op.f("pk_requests")),
    )
    op.create_table(
        "entrants",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("league", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("folded", sa.Text(), nullable=False),
        sa.Column("author", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("entered_at", _MOMENT, nullable=False),
        sa.Column("forgiven_at", _MOMENT, nullable=True),
        sa.ForeignKeyConstraint(["league"], ["leagues.id"], name=op.f("fk_entrants_league")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_entrants")),
        sa.UniqueConstraint("league", "folded", name=op.f("uq_entrants_league_folded")),
        sa.UniqueConstraint("league", "name", name=op.f("uq_entrants_league_name")),
    )
    op.create_table(
        "journal",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("league", sa.Text(), nullable=False),
        sa.Column("at", _MOMENT, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["league"], ["leagues.id"], name=op.f("fk_journal_league")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_journal")),
    )
    op.create_index(op.f("ix_journal_league"), "journal", ["league"], unique=False)
    op.create_table(
        "sets",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("league", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("round", sa.Integer(), nullable=True),
        sa.Column("deals", sa.Text(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["league"], ["leagues.id"], name=op.f("fk_sets_league")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_sets")),
        sa.UniqueConstraint("league", "number", name=op.f("uq_sets_league_number")),
    )
    op.create_table(
        "standings",
        sa.Column("league", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("document", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["league"], ["leagues.id"], name=op.f("fk_standings_league")),
        sa.PrimaryKeyConstraint("league", name=op.f("pk_standings")),
    )
    op.create_table(
        "matches",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("league", sa.Text(), nullable=False),
        sa.Column("set_id", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("game", sa.Text(), nullable=False),
        sa.Column("variant", sa.Text(), nullable=False),
        sa.Column("seats", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("server", sa.Text(), nullable=True),
        sa.Column("lease_until", _MOMENT, nullable=True),
        sa.Column("scheduled_at", _MOMENT, nullable=False),
        sa.Column("started_at", _MOMENT, nullable=True),
        sa.Column("ended_at", _MOMENT, nullable=True),
        sa.Column("ending", sa.Text(), nullable=False),
        sa.Column("decisions", sa.Integer(), nullable=False),
        sa.Column("annulled", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["league"], ["leagues.id"], name=op.f("fk_matches_league")),
        sa.ForeignKeyConstraint(["set_id"], ["sets.id"], name=op.f("fk_matches_set_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_matches")),
        sa.UniqueConstraint("league", "position", name=op.f("uq_matches_league_position")),
    )
    op.create_index(op.f("ix_matches_set_id_state"), "matches", ["set_id", "state"], unique=False)
    op.create_index(op.f("ix_matches_state_league"), "matches", ["state", "league"], unique=False)
    op.create_table(
        "tokens",
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.Column("start", sa.LargeBinary(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("entrant", sa.Integer(), nullable=True),
        sa.Column("label", sa.Text(), nullable=False),
        sa.Column("issued_at", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["entrant"], ["entrants.id"], name=op.f("fk_tokens_entrant")),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_tokens")),
    )
    op.create_index(op.f("ix_tokens_entrant"), "tokens", ["entrant"], unique=False)
    op.create_index(op.f("ix_tokens_start"), "tokens", ["start"], unique=False)
    op.create_table(
        "versions",
        sa.Column("entrant", sa.Integer(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("seen_at", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["entrant"], ["entrants.id"], name=op.f("fk_versions_entrant")),
        sa.PrimaryKeyConstraint("entrant", "version", name=op.f("pk_versions")),
        sa.UniqueConstraint("entrant", "number", name=op.f("uq_versions_entrant_number")),
    )
    op.create_table(
        "faults",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("match", sa.Text(), nullable=False),
        sa.Column("entrant", sa.Integer(), nullable=False),
        sa.Column("fault", sa.Text(), nullable=False),
        sa.Column("cause", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("at", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["entrant"], ["entrants.id"], name=op.f("fk_faults_entrant")),
        sa.ForeignKeyConstraint(["match"], ["matches.id"], name=op.f("fk_faults_match")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_faults")),
    )
    op.create_index(op.f("ix_faults_entrant"), "faults", ["entrant"], unique=False)
    op.create_index(op.f("ix_faults_match"), "faults", ["match"], unique=False)
    op.create_table(
        "match_seats",
        sa.Column("match", sa.Text(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("entrant", sa.Integer(), nullable=False),
        sa.Column("version", sa.Text(), nullable=False),
        sa.Column("place", sa.Integer(), nullable=True),
        sa.Column("score", sa.Integer(), nullable=True),
        sa.Column("forfeit", sa.Boolean(), nullable=False),
        sa.Column("used", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(
            ["entrant", "version"],
            ["versions.entrant", "versions.version"],
            name=op.f("fk_match_seats_entrant_version"),
        ),
        sa.ForeignKeyConstraint(["match"], ["matches.id"], name=op.f("fk_match_seats_match")),
        sa.PrimaryKeyConstraint("match", "seat", name=op.f("pk_match_seats")),
    )
    op.create_index(
        op.f("ix_match_seats_entrant_match"), "match_seats", ["entrant", "match"], unique=False
    )
    op.create_table(
        "records",
        sa.Column("match", sa.Text(), nullable=False),
        sa.Column("record", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["match"], ["matches.id"], name=op.f("fk_records_match")),
        sa.PrimaryKeyConstraint("match", name=op.f("pk_records")),
    )
    op.create_table(
        "voids",
        sa.Column("match", sa.Text(), nullable=False),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("cause", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("at", _MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["match"], ["matches.id"], name=op.f("fk_voids_match")),
        sa.PrimaryKeyConstraint("match", "attempt", name=op.f("pk_voids")),
    )
