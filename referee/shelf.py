"""A folder of records as the shelf of a server, with an index in memory."""

from __future__ import annotations

import bisect
import logging
import re
from collections.abc import Iterator
from pathlib import Path

from referee.matches import MatchEntry
from referee.record import RecordError, Summary, read_record, verify_record, write_record

log = logging.getLogger(__name__)

_MATCH_ID = re.compile(r"[A-Za-z0-9_-]{1,100}")


class FolderShelf:
    """Keeps each record as a file; what is asked for by id never becomes a path unchecked."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._entries: dict[str, MatchEntry] = {}
        self._ids: list[str] = []
        for entry in self._found():
            self._note(entry)

    def __len__(self) -> int:
        return len(self._ids)

    def begin(self, entry: MatchEntry) -> None:
        """Note a match that is being played."""
        self._note(entry)

    def finish(self, entry: MatchEntry, record: bytes) -> Path:
        """Keep the record of a match, then say that it is over."""
        path = write_record(self._folder, entry.match, record)
        self._note(entry)
        return path

    def get(self, match: str) -> MatchEntry | None:
        """Return a match, if there is one with that id."""
        return self._entries.get(match)

    def list(self, after: str, count: int, game: str, entrant: str) -> list[MatchEntry]:
        """Return matches in the order of their ids, those after an id, at most so many."""
        found: list[MatchEntry] = []
        for match in self._ids[bisect.bisect_right(self._ids, after) :]:
            entry = self._entries[match]
            if game in ("", entry.game) and (not entrant or entrant in entry.entrants):
                found.append(entry)
                if len(found) == count:
                    break
        return found

    def record(self, match: str) -> tuple[str, bytes] | None:
        """Return file name and bytes of a record that is released."""
        entry = self._entries.get(match)
        if entry is None or not entry.released or not _MATCH_ID.fullmatch(match):
            return None
        path = self._folder / f"{match}.jsonl"
        return path.name, path.read_bytes()

    def _note(self, entry: MatchEntry) -> None:
        if entry.match not in self._entries:
            bisect.insort(self._ids, entry.match)
        self._entries[entry.match] = entry

    def _found(self) -> Iterator[MatchEntry]:
        for path in sorted(self._folder.glob("*.jsonl")):
            try:
                summary = verify_record(read_record(path))
            except RecordError as error:
                log.warning("%s is left out: %s", path, error)
                continue
            if summary.match == path.stem:
                yield entry_of(summary)


def entry_of(summary: Summary) -> MatchEntry:
    """Return the entry of a record that has been verified."""
    return MatchEntry(
        summary.match,
        summary.game,
        "void" if summary.ending == "stopped" else "finished",
        summary.entrants,
        summary.ending,
        summary.scores,
        summary.places,
        summary.forfeits,
        released=True,
    )
