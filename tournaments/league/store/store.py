"""The store as a whole."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Self

from tournaments.league.database import Database
from tournaments.league.migrate import migrate as bring_up_to_date
from tournaments.league.migrate import require_newest
from tournaments.league.store.backup import restore_from, write_backup
from tournaments.league.store.claims import ClaimPart
from tournaments.league.store.entrants import EntrantPart
from tournaments.league.store.leagues import LeaguePart
from tournaments.league.store.reading import ReadingPart
from tournaments.league.store.schedule import SchedulePart


def utc_now() -> datetime:
    """Return the time."""
    return datetime.now(UTC)


class LeagueStore(LeaguePart, EntrantPart, SchedulePart, ClaimPart, ReadingPart):
    """All leagues of a server. Every method is one transaction and waits for the database.

    Several servers may open the same PostgreSQL, and several threads the same store. Nothing that
    is promised depends on their clocks: a lease that ends too early costs a match that is played
    again, never one that counts twice.
    """

    @classmethod
    def open(cls, url: str, *, migrate: bool = True, now: Callable[[], datetime] = utc_now) -> Self:
        """Open ``sqlite:///path`` or ``postgresql+psycopg://…``; raises StoreError.

        A database that is new or of an older program is brought up to date, unless ``migrate``
        says no; one of a newer program is refused.
        """
        database = Database(url)
        try:
            if migrate:
                bring_up_to_date(database)
            else:
                require_newest(database)
        except BaseException:
            database.close()
            raise
        return cls(database, now)

    def close(self) -> None:
        """Let go of the database."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def backup(self, path: Path) -> None:
        """Write everything into one file, as it is at one moment; leagues go on meanwhile.

        The file holds the secrets of the deals and the hashes of the tokens: keep it safe.
        """
        write_backup(self._database, path)

    @classmethod
    def restore(cls, path: Path, url: str) -> None:
        """Fill an empty database from a backup of either kind; raises StoreError."""
        database = Database(url)
        try:
            bring_up_to_date(database)
            restore_from(database, path)
        finally:
            database.close()
