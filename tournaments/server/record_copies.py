"""Copies of the records of a store, as files in a folder."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Final

from referee.record import RecordWriteError, decompressed, write_record
from tournaments.model import MatchState
from tournaments.store import Store, StoreError

log = logging.getLogger(__name__)

PAGE: Final = 100


class RecordCopies:
    """Writes each released record of every league into a folder, once."""

    def __init__(self, store: Store, folder: Path) -> None:
        self._store = store
        self._folder = folder
        self._copied: set[str] = set()

    def update(self, *, everything: bool = False) -> None:
        """Write the records that were released since the last call; errors are logged.

        Matches are read from the newest on, to the first page of which all are copied, or to the
        end if ``everything`` is set: a set of duplicates may be released late.
        """
        try:
            for league in self._store.leagues(PAGE).items:
                self._update(league.id, everything=everything)
        except (RecordWriteError, StoreError) as error:
            log.error("records are not copied: %s", error)  # noqa: TRY400  it says why

    def _update(self, league: str, *, everything: bool) -> None:
        token = ""
        while True:
            page = self._store.matches(
                league, state=MatchState.PLAYED, page_size=PAGE, page_token=token
            )
            missing = [match.id for match in page.items if match.id not in self._copied]
            for match, record in self._store.records(league, missing):
                write_record(self._folder, match, decompressed(record))
                self._copied.add(match)
            token = page.next
            if not token or not (missing or everything):
                return
