"""A folder of records as the shelf of a server, with an index in memory."""

from __future__ import annotations

import bisect
import json
import logging
import re
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from referee.matches import MatchEntry
from referee.record import RecordError, Summary, read_record, verify_record, write_record

log = logging.getLogger(__name__)

SETTLED = 1_000_000_000
"""How long a folder stays as it is before its time stamp is believed, in nanoseconds."""
_COMPRESSED = ".jsonl.zst"
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
        return _page(self._entries, self._ids, after, count, game, entrant)

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


class ReleasedShelf:
    """A folder into which somebody else puts compressed records, one after the other."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._entries: dict[str, MatchEntry] = {}
        self._ids: list[str] = []
        self._looked = -1
        self._lock = threading.Lock()

    def get(self, match: str) -> MatchEntry | None:
        """Return a match, if there is one with that id."""
        self._look()
        return self._entries.get(match)

    def list(self, after: str, count: int, game: str, entrant: str) -> list[MatchEntry]:
        """Return matches in the order of their ids, those after an id, at most so many."""
        self._look()
        return _page(self._entries, self._ids, after, count, game, entrant)

    def record(self, match: str) -> tuple[str, bytes] | None:
        """Return file name and bytes of a record."""
        if self.get(match) is None:
            return None
        path = self._folder / f"{match}{_COMPRESSED}"
        return path.name, path.read_bytes()

    def _look(self) -> None:
        """Read what has come since the last look; files never change once they are there."""
        with self._lock:
            changed = self._folder.stat().st_mtime_ns
            if changed == self._looked:
                return
            # A file that comes right now may leave the folder with the time that it has already.
            settled = time.time_ns() - changed > SETTLED
            self._looked = changed if settled else -1
            for path in self._folder.glob(f"*{_COMPRESSED}"):
                match = path.name.removesuffix(_COMPRESSED)
                if match not in self._entries and _MATCH_ID.fullmatch(match):
                    try:
                        self._entries[match] = _glance(match, read_record(path))
                    except (RecordError, ValueError, KeyError) as error:
                        log.warning("%s is left out: %s", path, error)
            self._ids = sorted(self._entries)


def _glance(match: str, data: bytes) -> MatchEntry:
    """Return the entry of a record that we wrote ourselves, from its first and last line."""
    head, *_, end = data.splitlines()
    said, ended = json.loads(head), json.loads(end)
    return MatchEntry(
        match,
        said["game"],
        "void" if ended["ending"] == "stopped" else "finished",
        tuple(seat["entrant"] for seat in said["seats"]),
        ended["ending"],
        tuple(ended["scores"]),
        tuple(ended["places"]),
        tuple(ended["forfeits"]),
        released=True,
    )


def _page(
    entries: Mapping[str, MatchEntry],
    ids: Sequence[str],
    after: str,
    count: int,
    game: str,
    entrant: str,
) -> list[MatchEntry]:
    found: list[MatchEntry] = []
    for match in ids[bisect.bisect_right(ids, after) :]:
        entry = entries[match]
        if game in ("", entry.game) and (not entrant or entrant in entry.entrants):
            found.append(entry)
            if len(found) == count:
                break
    return found
