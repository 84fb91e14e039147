"""The tables of competitions, the same on SQLite and on PostgreSQL.

A database holds one tournament, or the leagues of a server. A change here needs a migration too:
``migrations/README.md`` describes the steps.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, Final

import sqlalchemy as sa

REVISION: Final = "r0009"
"""The migration that leads to the tables below."""

revisions: Final = sa.Table(
    "alembic_version",
    sa.MetaData(),
    sa.Column("version_num", sa.String(32), nullable=False),
    sa.PrimaryKeyConstraint("version_num", name="alembic_version_pkc"),
)
"""Where Alembic keeps the revision of a database; of tables that are not ours."""

metadata: Final = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)


class Instant(sa.types.TypeDecorator[datetime]):
    """A moment in UTC. SQLite keeps no time zone, so it is taken off there and put on again."""

    impl = sa.DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """Write it in UTC."""
        if value is None:
            return None
        moment = value.astimezone(UTC)
        return moment.replace(tzinfo=None) if dialect.name == "sqlite" else moment

    def process_result_value(self, value: datetime | None, dialect: sa.Dialect) -> datetime | None:
        """Read it in UTC."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if dialect.name == "sqlite" else value.astimezone(UTC)


def _text(name: str, default: str | None = None) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False, default=default)


def _moment(name: str, *, nullable: bool = False) -> sa.Column[Any]:
    return sa.Column(name, Instant, nullable=nullable)


def _of_competition(name: str) -> sa.ForeignKey:
    """Return a reference to a competition, under the name that the first migration gave it."""
    return sa.ForeignKey("competitions.id", name=name)


competitions: Final = sa.Table(
    "competitions",
    metadata,
    sa.Column("id", sa.Text),
    sa.Column("kind", sa.Text, nullable=False, server_default="league"),
    _text("settings"),
    _text("state"),
    sa.Column("sets", sa.Integer, nullable=False, default=0),  # how many there have been
    sa.Column("matches", sa.Integer, nullable=False, default=0),
    _moment("created_at"),
    sa.PrimaryKeyConstraint("id", name="pk_leagues"),  # the first name of the table
)

secrets: Final = sa.Table(
    "secrets",
    metadata,
    sa.Column("competition", sa.Text, sa.ForeignKey("competitions.id"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("secret", sa.LargeBinary, nullable=False),
    sa.Column("published", sa.Boolean, nullable=False),
)

authors: Final = sa.Table(
    "authors",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("competition", sa.Text, sa.ForeignKey("competitions.id"), nullable=False),
    _text("name"),
    _text("folded"),
    _text("state"),
    _text("reason", ""),
    _moment("created_at"),
    _moment("served_at", nullable=True),  # when a submission was last taken through the stages
    sa.UniqueConstraint("competition", "folded"),
)

entrants: Final = sa.Table(
    "entrants",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("competition", sa.Text, _of_competition("fk_entrants_league"), nullable=False),
    _text("name"),
    _text("folded"),
    _text("author"),
    _text("state"),
    _text("reason", ""),
    _moment("entered_at"),
    _moment("forgiven_at", nullable=True),  # when it last came back from the bench
    sa.Column("account", sa.Integer, index=True),  # who submits it, in ``authors``
    # SQLite cannot rename constraints: these have the names that they had before r0003.
    sa.UniqueConstraint("competition", "name", name="uq_entrants_league_name"),
    sa.UniqueConstraint("competition", "folded", name="uq_entrants_league_folded"),
    sa.Index(None, "competition", "id"),
)

versions: Final = sa.Table(
    "versions",
    metadata,
    sa.Column("entrant", sa.Integer, sa.ForeignKey("entrants.id"), primary_key=True),
    sa.Column("version", sa.Text, primary_key=True),
    sa.Column("number", sa.Integer, nullable=False),
    _moment("seen_at"),
    sa.UniqueConstraint("entrant", "number"),
)

tokens: Final = sa.Table(
    "tokens",
    metadata,
    sa.Column("hash", sa.LargeBinary, primary_key=True),
    sa.Column("start", sa.LargeBinary, nullable=False, index=True),
    _text("role"),
    sa.Column("entrant", sa.Integer, sa.ForeignKey("entrants.id"), index=True),
    sa.Column("account", sa.Integer, index=True),  # of an author, in ``authors``
    _text("label", ""),
    _moment("issued_at"),
)

requests: Final = sa.Table(
    "requests",
    metadata,
    sa.Column("kind", sa.Text, primary_key=True),
    sa.Column("request", sa.Text, primary_key=True),
    _text("content"),
    _text("subject"),
    _moment("at"),
)

sets: Final = sa.Table(
    "sets",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("competition", sa.Text, _of_competition("fk_sets_league"), nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("round", sa.Integer),
    _text("deals"),
    _text("why"),
    sa.Column("secret", sa.Integer, nullable=False, server_default="1"),  # number in ``secrets``
    sa.Column("seatings", sa.Text),  # tournaments: in which seatings the deal is played
    sa.Column("table_set", sa.Integer),  # tournaments: which set of its table it is, from 1
    sa.Column("season", sa.Integer),  # leagues with seasons: number in ``seasons``
    sa.UniqueConstraint("competition", "number", name="uq_sets_league_number"),
)

matches: Final = sa.Table(
    "matches",
    metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("competition", sa.Text, _of_competition("fk_matches_league"), nullable=False),
    sa.Column("set_id", sa.Text, sa.ForeignKey("sets.id"), nullable=False),
    sa.Column("position", sa.Integer, nullable=False),
    _text("game"),
    _text("variant"),
    sa.Column("seats", sa.Integer, nullable=False),
    _text("state"),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("server", sa.Text),
    _moment("lease_until", nullable=True),
    _moment("scheduled_at"),
    _moment("started_at", nullable=True),
    _moment("ended_at", nullable=True),
    _text("ending", ""),
    sa.Column("decisions", sa.Integer, nullable=False, default=0),
    _text("annulled", ""),
    sa.UniqueConstraint("competition", "position", name="uq_matches_league_position"),
    sa.Index(None, "set_id", "state"),
    sa.Index(None, "state", "competition"),
    sa.Index(None, "competition", "started_at"),
)

match_seats: Final = sa.Table(
    "match_seats",
    metadata,
    sa.Column("match", sa.Text, sa.ForeignKey("matches.id"), primary_key=True),
    sa.Column("seat", sa.Integer, primary_key=True),
    sa.Column("entrant", sa.Integer, nullable=False),
    sa.Column("version", sa.Text, nullable=False),
    sa.Column("place", sa.Integer),
    sa.Column("score", sa.Integer),
    sa.Column("forfeit", sa.Boolean, nullable=False, default=False),
    sa.Column("used", sa.Double, nullable=False, default=0.0),
    sa.ForeignKeyConstraint(["entrant", "version"], ["versions.entrant", "versions.version"]),
    sa.Index(None, "entrant", "match"),
)

records: Final = sa.Table(
    "records",
    metadata,
    sa.Column("match", sa.Text, sa.ForeignKey("matches.id"), primary_key=True),
    sa.Column("record", sa.LargeBinary, nullable=False),
)

thinned_records: Final = sa.Table(
    "thinned_records",
    metadata,
    sa.Column("match", sa.Text, sa.ForeignKey("matches.id"), primary_key=True),
    _text("hash"),  # of the last line of the record
    _text("sha256"),  # of the compressed record
    sa.Column("size", sa.Integer, nullable=False),  # of the compressed record
    _moment("at"),
)

kept_records: Final = sa.Table(
    "kept_records",
    metadata,
    sa.Column("match", sa.Text, sa.ForeignKey("matches.id"), primary_key=True),
    _moment("at"),  # when an organiser said that it is to be kept
)

voids: Final = sa.Table(
    "voids",
    metadata,
    sa.Column("match", sa.Text, sa.ForeignKey("matches.id"), primary_key=True),
    sa.Column("attempt", sa.Integer, primary_key=True),
    _text("cause"),
    _text("detail"),
    _moment("at"),
)

faults: Final = sa.Table(
    "faults",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("match", sa.Text, sa.ForeignKey("matches.id"), nullable=False, index=True),
    sa.Column("entrant", sa.Integer, sa.ForeignKey("entrants.id"), nullable=False, index=True),
    _text("fault"),
    _text("cause"),
    _text("detail"),
    _moment("at"),
)

benchings: Final = sa.Table(
    "benchings",
    metadata,
    sa.Column("entrant", sa.Integer, sa.ForeignKey("entrants.id"), primary_key=True),
    sa.Column("game", sa.Text, primary_key=True),  # empty: in every game
    _text("match"),
    _text("reason"),
    _moment("at"),
)

deaths: Final = sa.Table(
    "deaths",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("competition", sa.Text, sa.ForeignKey("competitions.id"), nullable=False),
    _text("kind"),
    _text("entrants"),
    _text("expected"),
    _text("detail"),
    _moment("at"),
)

journal: Final = sa.Table(
    "journal",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column(
        "competition", sa.Text, _of_competition("fk_journal_league"), nullable=False, index=True
    ),
    _moment("at"),
    _text("kind"),
    _text("text"),
    sa.Column("entrant", sa.Integer, sa.ForeignKey("entrants.id"), index=True),  # whom it is about
    sa.Column("role", sa.Text),  # who did it: an organiser, the entrant itself, or the server
)

packages: Final = sa.Table(
    "packages",
    metadata,
    sa.Column("hash", sa.Text, primary_key=True),
    sa.Column("content", sa.LargeBinary, nullable=False),
    _moment("received_at"),
)

submissions: Final = sa.Table(
    "submissions",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("entrant", sa.Integer, sa.ForeignKey("entrants.id"), nullable=False),
    sa.Column("account", sa.Integer, sa.ForeignKey("authors.id"), nullable=False, index=True),
    sa.Column("package", sa.Text, sa.ForeignKey("packages.hash"), nullable=False, index=True),
    sa.Column("size", sa.Integer, nullable=False),
    _text("label"),
    _text("games"),  # a JSON list
    sa.Column("public", sa.Boolean, nullable=False),
    _text("state"),
    _text("stage"),  # the last one that it passed
    _text("reason", ""),
    sa.Column("server", sa.Text),  # which takes it through the stages
    _moment("lease_until", nullable=True),
    _moment("submitted_at"),
    _moment("changed_at"),
    sa.UniqueConstraint("entrant", "package"),
    sa.Index(None, "state", "id"),
)

submission_tries: Final = sa.Table(
    "submission_tries",
    metadata,
    sa.Column("id", sa.Integer, primary_key=True),
    sa.Column("account", sa.Integer, sa.ForeignKey("authors.id"), nullable=False),
    _moment("at"),  # of the first try or a later one; those of the last 24 hours count
    sa.Index(None, "account", "at"),
)

stage_reports: Final = sa.Table(
    "stage_reports",
    metadata,
    sa.Column("submission", sa.Integer, sa.ForeignKey("submissions.id"), primary_key=True),
    sa.Column("stage", sa.Text, primary_key=True),
    sa.Column("passed", sa.Boolean, nullable=False),
    _text("sentence"),
    _text("log"),
    sa.Column("seconds", sa.Double, nullable=False),
    sa.Column("cpu_seconds", sa.Double, nullable=False),
    sa.Column("memory_bytes", sa.BigInteger, nullable=False),
    _moment("at"),
)

match_logs: Final = sa.Table(
    "match_logs",
    metadata,
    sa.Column("match", sa.Text, sa.ForeignKey("matches.id"), primary_key=True),
    sa.Column("entrant", sa.Integer, sa.ForeignKey("entrants.id"), primary_key=True, index=True),
    _text("text"),  # the standard error of a submitted bot
    _moment("at"),
)

standings: Final = sa.Table(
    "standings",
    metadata,
    sa.Column("competition", sa.Text, _of_competition("fk_standings_league"), primary_key=True),
    sa.Column("position", sa.Integer, nullable=False),  # how many results had been committed
    sa.Column("revision", sa.Integer, nullable=False),  # one more each time they are saved
)

standings_sections: Final = sa.Table(
    "standings_sections",
    metadata,
    sa.Column("competition", sa.Text, sa.ForeignKey("competitions.id"), primary_key=True),
    sa.Column("section", sa.Text, primary_key=True),
    _text("document"),
)

seasons: Final = sa.Table(
    "seasons",
    metadata,
    sa.Column("competition", sa.Text, sa.ForeignKey("competitions.id"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    _text("state"),
    _moment("started_at"),
    _moment("ends_at", nullable=True),
    _moment("ended_at", nullable=True),
    sa.Column("another", sa.Boolean, nullable=False),  # whether the next one starts at its end
    sa.Column("divisions", sa.Integer, nullable=False),
)

season_entrants: Final = sa.Table(
    "season_entrants",
    metadata,
    sa.Column("competition", sa.Text, primary_key=True),
    sa.Column("season", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("entrant", sa.Integer, sa.ForeignKey("entrants.id"), primary_key=True),
    sa.Column("division", sa.Integer, nullable=False),
    sa.Column("rank", sa.Integer),  # in its division, once the season is archived
    sa.Column("next_division", sa.Integer),
    sa.ForeignKeyConstraint(["competition", "season"], ["seasons.competition", "seasons.number"]),
)

season_sections: Final = sa.Table(
    "season_sections",  # the standings of archived seasons
    metadata,
    sa.Column("competition", sa.Text, primary_key=True),
    sa.Column("season", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("section", sa.Text, primary_key=True),
    _text("document"),
    sa.ForeignKeyConstraint(["competition", "season"], ["seasons.competition", "seasons.number"]),
)

finals: Final = sa.Table(
    "finals",  # tournaments of their own that a league shows
    metadata,
    sa.Column("competition", sa.Text, sa.ForeignKey("competitions.id"), primary_key=True),
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("season", sa.Integer),
    _text("commitment"),  # to the first secret of the tournament: which one it is
    _text("document"),
    _moment("published_at"),
    sa.UniqueConstraint("competition", "commitment"),
)

final_records: Final = sa.Table(
    "final_records",  # no retention rule removes them
    metadata,
    sa.Column("competition", sa.Text, primary_key=True),
    sa.Column("final", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("match", sa.Text, primary_key=True),
    sa.Column("record", sa.LargeBinary, nullable=False),
    sa.ForeignKeyConstraint(["competition", "final"], ["finals.competition", "finals.number"]),
)
