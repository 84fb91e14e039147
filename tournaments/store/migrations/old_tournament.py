"""Tournaments of version 0.1: from their own tables in SQLite into those of all competitions.

They have a number of their schema, 1 or 2, among their settings. Their tables have names that the
common ones have too, so they are renamed before the migrations run; r0003 copies and drops them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any, Final

import sqlalchemy as sa

from tournaments.model import DuplicateSet, Seatings, folded
from tournaments.store.database import StoreError

TABLES: Final = (
    "matches", "voids", "begun", "benched", "deaths", "sets", "secrets", "settings",
)  # fmt: skip
"""A table that refers to another stands before it."""
AT_ONCE: Final = 1000
_OLD: Final = "old_"
_ID: Final = "tournament"
"""The id of a tournament's competition: a database has one at most."""

_Row = dict[str, Any]


def is_old_tournament(connection: sa.Connection) -> bool:
    """Return whether a database is that of a tournament of version 0.1; raises StoreError."""
    names = sa.inspect(connection).get_table_names()
    if connection.dialect.name != "sqlite" or "settings" not in names:
        return False
    query = "SELECT value FROM settings WHERE name = 'schema'"
    version = connection.exec_driver_sql(query).scalar_one_or_none()
    if version not in ("1", "2"):
        raise StoreError(
            f"the tournament has schema {version}, which this program cannot read: use the program "
            "that it began with."
        )
    return True


def set_old_tables_aside(connection: sa.Connection) -> None:
    """Rename the tables of an old tournament."""
    names = sa.inspect(connection).get_table_names()
    for table in TABLES:
        if table in names:
            connection.exec_driver_sql(f"ALTER TABLE {table} RENAME TO {_OLD}{table}")


def copy_old_tournament(connection: sa.Connection) -> None:
    """Copy an old tournament into the common tables, and drop its own, if there is one."""
    names = sa.inspect(connection).get_table_names()
    if f"{_OLD}settings" not in names:
        return
    _Copy(connection, with_deaths=f"{_OLD}deaths" in names).run()
    for table in TABLES:
        if f"{_OLD}{table}" in names:
            connection.exec_driver_sql(f"DROP TABLE {_OLD}{table}")


class _Copy:
    """Reads the old tables and fills the new ones, as r0003 has them."""

    def __init__(self, connection: sa.Connection, *, with_deaths: bool) -> None:
        self._connection = connection
        self._with_deaths = with_deaths
        rows = connection.exec_driver_sql("SELECT name, value FROM old_settings").all()
        self._settings = {row.name: json.loads(row.value) for row in rows if row.name != "schema"}
        self._identity: Mapping[str, Any] = self._settings.get("identity") or {}
        began = self._settings.get("began")
        self._began = datetime.fromisoformat(began) if began else datetime.now(UTC)
        self._entrants: dict[str, int] = {}

    def run(self) -> None:
        """Copy everything."""
        old_sets = self._old("SELECT * FROM old_sets ORDER BY number, id")
        self._add_competition(old_sets)
        self._add_entrants(old_sets)
        self._insert("sets", map(self._set, range(1, len(old_sets) + 1), old_sets))
        played = {
            row.id: row
            for row in self._old(
                "SELECT rowid AS nth, id, places, scores, forfeits, used, decisions, attempt, "
                "seconds FROM old_matches"
            )
        }
        attempts = self._attempts()
        scheduled = [
            (match, each)
            for row in old_sets
            for each in [_duplicate_set(row)]
            for match in each.matches
        ]
        self._insert(
            "matches",
            (
                self._match(position, match, played.get(match.id), attempts.get(match.id))
                for position, (match, _) in enumerate(scheduled, 1)
            ),
        )
        self._insert(
            "match_seats",
            (row for match, _ in scheduled for row in self._seats(match, played.get(match.id))),
        )
        self._connection.exec_driver_sql(
            'INSERT INTO records ("match", record) SELECT id, record FROM old_matches'
        )
        self._add_notes()

    def _old(self, query: str) -> list[Any]:
        return list(self._connection.exec_driver_sql(query).all())

    def _insert(self, table: str, rows: Iterator[_Row]) -> None:
        """Insert rows, some at once."""
        while some := list(islice(rows, AT_ONCE)):
            columns = [sa.column(name, _TYPES.get(name)) for name in some[0]]
            self._connection.execute(sa.insert(sa.table(table, *columns)), some)

    def _add_competition(self, old_sets: list[Any]) -> None:
        matches = sum(len(_duplicate_set(row).matches) for row in old_sets)
        row = {
            "id": _ID,
            "kind": "tournament",
            "settings": json.dumps(self._settings),
            "state": "open",
            "sets": len(old_sets),
            "matches": matches,
            "created_at": self._began,
        }
        self._insert("competitions", iter([row]))
        secrets = self._old("SELECT number, secret, published FROM old_secrets")
        self._insert("secrets", ({"competition": _ID, **each._mapping} for each in secrets))  # noqa: SLF001  its public name

    def _add_entrants(self, old_sets: list[Any]) -> None:
        known: Mapping[str, Any] = self._identity.get("entrants", {})
        benched = [row.entrant for row in self._old("SELECT entrant FROM old_benched")]
        seated = [name for row in old_sets for name in json.loads(row.entrants)]
        names = list(dict.fromkeys([*known, *seated, *benched]))
        self._entrants = {name: number for number, name in enumerate(names, 1)}
        self._insert(
            "entrants",
            (
                {
                    "id": number,
                    "competition": _ID,
                    "name": name,
                    "folded": folded(name),
                    "author": known.get(name, {}).get("author") or "",
                    "state": "active",
                    "reason": "",
                    "entered_at": self._began,
                }
                for name, number in self._entrants.items()
            ),
        )
        self._insert(
            "versions",
            (
                {"entrant": number, "version": "", "number": 1, "seen_at": self._began}
                for number in self._entrants.values()
            ),
        )

    def _set(self, number: int, row: Any) -> _Row:
        return {
            "id": row.id,
            "competition": _ID,
            "number": number,
            "deals": self._deals(json.loads(row.entrants)),
            "why": "",
            "secret": row.secret,
            "seatings": row.seatings,
            "table_set": row.number,
        }

    def _deals(self, names: list[str]) -> str:
        """Return which deals a table has, as the old program decided it in each run."""
        known = self._identity.get("entrants", {})
        remote = any(known.get(name, {}).get("transport") == "remote" for name in names)
        return self._identity.get("deals") or ("fresh" if remote else "duplicate")

    def _attempts(self) -> dict[str, tuple[str, int]]:
        """Return state and attempt of each match of which an attempt was begun or void."""
        found: dict[str, tuple[str, int]] = {}
        for row in self._old(
            'SELECT "match", max(attempt) AS last FROM old_voids GROUP BY "match"'
        ):
            found[row.match] = ("scheduled", row.last + 1)
        for row in self._old('SELECT "match", attempt FROM old_begun'):
            if row.match not in found or row.attempt >= found[row.match][1]:
                found[row.match] = ("running", row.attempt)
        return found

    def _match(
        self, position: int, match: Any, played: Any | None, attempt: tuple[str, int] | None
    ) -> _Row:
        state, number = attempt or ("scheduled", 1)
        return {
            "id": match.id,
            "competition": _ID,
            "set_id": match.set_id,
            "position": position,
            "game": match.game,
            "variant": match.variant,
            "seats": len(match.entrants),
            "state": state if played is None else "played",
            "attempt": number if played is None else played.attempt,
            "scheduled_at": self._began,
            **self._times(played),
            "ending": "",
            "decisions": 0 if played is None else played.decisions,
            "annulled": "",
        }

    def _times(self, played: Any | None) -> _Row:
        """Return when a match began and ended: the old store knew only the order of the commits."""
        if played is None:
            return {"started_at": None, "ended_at": None}
        end = self._began + timedelta(milliseconds=played.nth)
        return {"started_at": end - timedelta(seconds=played.seconds), "ended_at": end}

    def _seats(self, match: Any, played: Any | None) -> Iterator[_Row]:
        empty = [None] * len(match.entrants)
        places, scores, used, forfeits = (
            (empty, empty, [0.0] * len(empty), [])
            if played is None
            else map(json.loads, (played.places, played.scores, played.used, played.forfeits))
        )
        for seat, name in enumerate(match.entrants):
            yield {
                "match": match.id,
                "seat": seat,
                "entrant": self._entrants[name],
                "version": "",
                "place": places[seat],
                "score": scores[seat],
                "forfeit": seat in forfeits,
                "used": used[seat],
            }

    def _add_notes(self) -> None:
        """Copy void attempts, benched entrants and deaths of processes."""
        self._insert(
            "voids",
            ({**row._mapping, "at": self._began} for row in self._old("SELECT * FROM old_voids")),  # noqa: SLF001  its public name
        )
        self._insert("benchings", map(self._benching, self._old("SELECT * FROM old_benched")))
        deaths = self._old("SELECT * FROM old_deaths ORDER BY number") if self._with_deaths else []
        self._insert(
            "deaths",
            (
                {
                    "competition": _ID,
                    "kind": row.kind,
                    "entrants": row.entrants,
                    "expected": row.expected,
                    "detail": row.detail,
                    "at": self._began,
                }
                for row in deaths
            ),
        )

    def _benching(self, row: Any) -> _Row:
        found: _Row = {**row._mapping, "entrant": self._entrants[row.entrant], "at": self._began}  # noqa: SLF001  its public name
        if "game" not in found:  # schema 1: benched in the game of its last match
            query = "SELECT game FROM old_sets WHERE id = substr(?, 1, length(id))"
            found["game"] = self._connection.exec_driver_sql(query, (row.match,)).scalar_one()
        return found


_TYPES: Final = dict.fromkeys(
    ("at", "created_at", "ended_at", "entered_at", "scheduled_at", "seen_at", "started_at"),
    sa.DateTime(),
)


def _duplicate_set(row: Any) -> DuplicateSet:
    order = tuple(json.loads(row.entrants))
    return DuplicateSet(row.game, row.variant, order, row.number, Seatings(row.seatings))
