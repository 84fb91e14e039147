"""Where a tournament is kept: its settings, its schedule, and each match with its record.

SQLAlchemy Core over SQLite, in a file of the tournament's folder. A match and its record are
committed in one transaction and keyed by the scheduled match: whatever happens to the program, a
match is there completely and once, or not at all.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import sqlalchemy as sa

from engine import HighstreetError
from tournaments.deals import commitment_to_secret
from tournaments.results import Result
from tournaments.schedule import DuplicateSet, Seatings

SCHEMA: Final = 1
FILE: Final = "tournament.db"

_metadata = sa.MetaData()

_settings = sa.Table(
    "settings",
    _metadata,
    sa.Column("name", sa.Text, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
)
_secrets = sa.Table(
    "secrets",
    _metadata,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("secret", sa.LargeBinary, nullable=False),
    sa.Column("published", sa.Boolean, nullable=False, default=False),
)
_sets = sa.Table(
    "sets",
    _metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("secret", sa.Integer, sa.ForeignKey("secrets.number"), nullable=False),
    sa.Column("game", sa.Text, nullable=False),
    sa.Column("variant", sa.Text, nullable=False),
    sa.Column("entrants", sa.Text, nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("seatings", sa.Text, nullable=False),
)
_matches = sa.Table(
    "matches",
    _metadata,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("set_id", sa.Text, sa.ForeignKey("sets.id"), nullable=False, index=True),
    sa.Column("variant", sa.Text, nullable=False),
    sa.Column("entrants", sa.Text, nullable=False),
    sa.Column("places", sa.Text, nullable=False),
    sa.Column("scores", sa.Text, nullable=False),
    sa.Column("forfeits", sa.Text, nullable=False),
    sa.Column("used", sa.Text, nullable=False),
    sa.Column("decisions", sa.Integer, nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("seconds", sa.Float, nullable=False),
    sa.Column("record", sa.LargeBinary, nullable=False),
)
_voids = sa.Table(
    "voids",
    _metadata,
    sa.Column("match", sa.Text, primary_key=True),
    sa.Column("attempt", sa.Integer, primary_key=True),
    sa.Column("cause", sa.Text, nullable=False),
    sa.Column("detail", sa.Text, nullable=False),
)
_begun = sa.Table(
    "begun",
    _metadata,
    sa.Column("match", sa.Text, primary_key=True),
    sa.Column("attempt", sa.Integer, nullable=False),
)
_benched = sa.Table(
    "benched",
    _metadata,
    sa.Column("entrant", sa.Text, primary_key=True),
    sa.Column("match", sa.Text, nullable=False),
    sa.Column("reason", sa.Text, nullable=False),
)


class StoreError(HighstreetError):
    """A store that cannot be read or written."""


@dataclass(frozen=True, slots=True)
class Finished:
    """A match that counts, with its record."""

    result: Result
    attempt: int
    seconds: float
    """How long it took."""
    record: bytes
    """Compressed."""


@dataclass(frozen=True, slots=True)
class Void:
    """An attempt at a match that does not count."""

    match: str
    attempt: int
    cause: str
    detail: str


@dataclass(frozen=True, slots=True)
class Benched:
    """An entrant whose remaining matches are played for it."""

    entrant: str
    match: str
    """After which match."""
    reason: str


@dataclass(frozen=True, slots=True)
class Secret:
    """What the deals of some sets are made from."""

    number: int
    secret: bytes
    published: bool
    """Whether everybody may know it: then no new set is dealt from it."""

    @property
    def commitment(self) -> str:
        """What everybody may know of it from the beginning."""
        return commitment_to_secret(self.secret)


class Store:
    """The database of one tournament. Its functions wait for the disk: call them off the loop."""

    def __init__(self, folder: Path, *, writable: bool = True) -> None:
        """Open the store of a folder, or make it; raises StoreError."""
        self.path = folder / FILE
        if not writable and not self.path.exists():
            raise StoreError(f"{folder} holds no tournament: there is no {FILE} in it.")
        self._writable = writable
        database, query = str(self.path), {}
        if not writable and _is_frozen(folder):
            # Readers too write beside the database, unless they are told that it stays as it is.
            database = self.path.absolute().as_uri()
            query = {"mode": "ro", "immutable": "1", "uri": "true"}
        url = sa.URL.create("sqlite+pysqlite", database=database, query=query)
        self._engine = sa.create_engine(url, connect_args={"timeout": 30})
        sa.event.listen(self._engine, "connect", self._prepare)
        try:
            self._open()
        except BaseException:
            self._engine.dispose()
            raise

    def _prepare(self, connection: Any, _record: Any) -> None:
        cursor = connection.cursor()
        if self._writable:
            # A commit is on the disk when it returns, and readers do not wait for it.
            cursor.execute("PRAGMA journal_mode=WAL")
            cursor.execute("PRAGMA synchronous=FULL")
        else:
            cursor.execute("PRAGMA query_only=ON")
        cursor.execute("PRAGMA foreign_keys=ON")
        cursor.close()

    def _open(self) -> None:
        with self._explained():
            if self._writable:
                self.path.touch(mode=0o600)  # it holds the secret of the deals
            known = sa.inspect(self._engine).get_table_names()
            if not known and self._writable:
                with self._engine.begin() as connection:
                    _metadata.create_all(connection)
                    _put(connection, "schema", SCHEMA)
        version = self.setting("schema")
        if version != SCHEMA:
            raise StoreError(
                f"{self.path} has schema {version}, but this program reads {SCHEMA}: use the "
                "program that the tournament began with."
            )

    def close(self) -> None:
        """Let go of the file."""
        self._engine.dispose()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Say what is wrong with the disk, and that nothing is lost."""
        try:
            yield
        except OSError as error:
            raise StoreError(f"cannot use {self.path}: {error.strerror}.") from None
        except sa.exc.IntegrityError as error:
            raise StoreError(f"{self.path} has that already: {error.orig}.") from None
        except sa.exc.DBAPIError as error:
            reason = str(error.orig or error).rstrip(".")
            hint = "What was committed is safe"
            if "full" in reason or "disk I/O" in reason:
                hint += "; make room on the disk, and go on with `highstreet tournament resume`"
            elif "readonly" in reason or "unable to open" in reason:
                hint += "; make the folder writable, and go on with `highstreet tournament resume`"
            raise StoreError(f"cannot use {self.path}: {reason}. {hint}.") from None

    # Settings -----------------------------------------------------------------------------------

    def setting(self, name: str) -> Any:
        """Return a setting, or nothing."""
        with self._explained(), self._engine.connect() as connection:
            query = sa.select(_settings.c.value).where(_settings.c.name == name)
            found = connection.execute(query).scalar_one_or_none()
        return None if found is None else json.loads(found)

    def put(self, **settings: Any) -> None:
        """Keep settings, all of them or none."""
        with self._explained(), self._engine.begin() as connection:
            for name, value in settings.items():
                _put(connection, name, value)

    # Secrets and sets ---------------------------------------------------------------------------

    def secrets(self) -> list[Secret]:
        """Return every secret, the first one first."""
        with self._explained(), self._engine.connect() as connection:
            rows = connection.execute(sa.select(_secrets).order_by(_secrets.c.number))
            return [Secret(row.number, row.secret, row.published) for row in rows]

    def publish_secrets(self) -> None:
        """Note that everybody may know the secrets: no set is dealt from them any more."""
        with self._explained(), self._engine.begin() as connection:
            connection.execute(sa.update(_secrets).values(published=True))

    def add_sets(self, sets: Sequence[DuplicateSet], given: bytes | None) -> None:
        """Add sets to the schedule; they are dealt from a secret that nobody knows yet."""
        with self._explained(), self._engine.begin() as connection:
            known = connection.execute(sa.select(sa.func.max(_secrets.c.number))).scalar()
            if known is not None and not sets:
                return
            hidden = sa.select(_secrets.c.number).where(~_secrets.c.published)
            number = connection.execute(hidden).scalars().first()
            if number is None:
                number = (known or 0) + 1
                fresh = given if given is not None and known is None else secrets.token_bytes(32)
                connection.execute(
                    sa.insert(_secrets).values(number=number, secret=fresh, published=False)
                )
            if sets:
                connection.execute(sa.insert(_sets), [_set_row(each, number) for each in sets])

    def sets(self) -> dict[str, tuple[DuplicateSet, Secret]]:
        """Return every set of the schedule with the secret that it is dealt from, by id."""
        known = {secret.number: secret for secret in self.secrets()}
        with self._explained(), self._engine.connect() as connection:
            rows = connection.execute(sa.select(_sets)).all()
        return {
            row.id: (
                DuplicateSet(
                    row.game,
                    row.variant,
                    tuple(json.loads(row.entrants)),
                    row.number,
                    Seatings(row.seatings),
                ),
                known[row.secret],
            )
            for row in rows
        }

    # Matches ------------------------------------------------------------------------------------

    def commit(
        self,
        finished: Sequence[Finished],
        voids: Sequence[Void] = (),
        benched: Sequence[Benched] = (),
    ) -> None:
        """Keep matches with their records, all of them or none; each can be kept once only."""
        with self._explained(), self._engine.begin() as connection:
            if finished:
                connection.execute(sa.insert(_matches), [_match_row(each) for each in finished])
            for table, rows in ((_voids, voids), (_benched, benched)):
                for row in rows:
                    values = {name: getattr(row, name) for name in row.__slots__}
                    connection.execute(sa.insert(table).prefix_with("OR REPLACE").values(values))

    def begin(self, match: str, attempt: int) -> None:
        """Note an attempt before it begins: whatever becomes of it, the next one is another."""
        row = {"match": match, "attempt": attempt}
        with self._explained(), self._engine.begin() as connection:
            connection.execute(sa.insert(_begun).prefix_with("OR REPLACE").values(row))

    def attempts(self) -> dict[str, int]:
        """Return the number of the last attempt at each match, as far as it was noted."""
        found: dict[str, int] = {}
        with self._explained(), self._engine.connect() as connection:
            for table in (_voids, _begun):
                query = sa.select(table.c.match, sa.func.max(table.c.attempt))
                for match, attempt in connection.execute(query.group_by(table.c.match)):
                    found[match] = max(attempt, found.get(match, 0))
        return found

    def results(self) -> dict[str, Result]:
        """Return every match that counts, by the id of the scheduled match."""
        columns = [column for column in _matches.c if column.name != "record"]
        query = sa.select(*columns, _sets.c.game).join(_sets, _sets.c.id == _matches.c.set_id)
        with self._explained(), self._engine.connect() as connection:
            rows = connection.execute(query)
            return {row.id: _result(row) for row in rows}

    def played(self) -> set[str]:
        """Return the ids of the scheduled matches that count."""
        with self._explained(), self._engine.connect() as connection:
            return set(connection.execute(sa.select(_matches.c.id)).scalars())

    def record(self, match: str) -> bytes | None:
        """Return the compressed record of a match that counts."""
        query = sa.select(_matches.c.record).where(_matches.c.id == match)
        with self._explained(), self._engine.connect() as connection:
            return connection.execute(query).scalar_one_or_none()

    def records(self, matches: Sequence[str]) -> dict[str, bytes]:
        """Return the compressed records of those of a few matches that count."""
        query = sa.select(_matches.c.id, _matches.c.record).where(_matches.c.id.in_(matches))
        with self._explained(), self._engine.connect() as connection:
            return dict(connection.execute(query).tuples().all())

    def seconds(self) -> float:
        """Return how long all matches took together."""
        with self._explained(), self._engine.connect() as connection:
            return connection.execute(sa.select(sa.func.sum(_matches.c.seconds))).scalar() or 0.0

    def voids(self) -> list[Void]:
        """Return the attempts that do not count."""
        query = sa.select(_voids).order_by(_voids.c.match, _voids.c.attempt)
        with self._explained(), self._engine.connect() as connection:
            return [Void(*row) for row in connection.execute(query)]

    def benched(self) -> dict[str, Benched]:
        """Return who is benched, by name."""
        with self._explained(), self._engine.connect() as connection:
            return {row.entrant: Benched(*row) for row in connection.execute(sa.select(_benched))}


def _is_frozen(folder: Path) -> bool:
    """Tell whether we cannot write to a folder, and nobody else is writing to its store."""
    return not os.access(folder, os.W_OK) and not (folder / f"{FILE}-wal").exists()


def _put(connection: sa.Connection, name: str, value: Any) -> None:
    row = {"name": name, "value": json.dumps(value)}
    connection.execute(sa.insert(_settings).prefix_with("OR REPLACE").values(row))


def _set_row(each: DuplicateSet, secret: int) -> Mapping[str, object]:
    return {
        "id": each.id,
        "secret": secret,
        "game": each.game,
        "variant": each.variant,
        "entrants": json.dumps(each.order),
        "number": each.number,
        "seatings": each.seatings.value,
    }


def _match_row(finished: Finished) -> Mapping[str, object]:
    result = finished.result
    return {
        "id": result.match,
        "set_id": result.set_id,
        "variant": result.variant,
        **{name: json.dumps(getattr(result, name)) for name in _LISTS},
        "decisions": result.decisions,
        "attempt": finished.attempt,
        "seconds": finished.seconds,
        "record": finished.record,
    }


_LISTS: Final = ("entrants", "places", "scores", "forfeits", "used")


def _result(row: Any) -> Result:
    lists = {name: tuple(json.loads(getattr(row, name))) for name in _LISTS}
    return Result(row.id, row.set_id, row.game, row.variant, **lists, decisions=row.decisions)
