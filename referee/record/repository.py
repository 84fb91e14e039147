"""Repositories of matches and their records; one is a folder of record files."""

from __future__ import annotations

import bisect
import logging
import re
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import product
from pathlib import Path
from typing import Final, Protocol

from referee.record.format import STOPPED, RecordError
from referee.record.reader import Line, Record

log = logging.getLogger(__name__)

SETTLED: Final = 1_000_000_000
"""A folder changed longer ago than this, in nanoseconds, is recognised by its time stamp."""
REST: Final = 20
"""The pause between two scans of the folder, as a multiple of the time that a scan takes."""
_ENDINGS: Final = (".jsonl.zst", ".jsonl")
_MATCH_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,100}")


@dataclass(frozen=True, slots=True)
class MatchEntry:
    """What is known of a match without its record."""

    match: str
    game: str
    state: str
    """playing, finished or void."""
    entrants: tuple[str, ...]
    ending: str = ""
    scores: tuple[int, ...] = ()
    places: tuple[int, ...] = ()
    forfeits: tuple[int, ...] = ()
    started: datetime | None = None
    ended: datetime | None = None
    released: bool = False
    league: str = ""
    """Empty where there are no leagues."""


class MatchRepository(Protocol):
    """Where matches and their records are kept."""

    def get(self, match: str) -> MatchEntry | None:
        """Return the match with that id, or None."""

    def list(
        self, after: str, count: int, game: str, entrant: str, league: str = ""
    ) -> Sequence[MatchEntry]:
        """Return at most ``count`` matches in the order of their ids, those after an id."""

    def record(self, match: str) -> tuple[str, bytes] | None:
        """Return file name and bytes of a record that is released."""

    def records(self, matches: Sequence[str]) -> Mapping[str, tuple[str, bytes]]:
        """Return file names and bytes of those records that are released."""


class FolderRepository:
    """A folder of records, plain or compressed, into which another program adds files.

    Files are read once, as they do not change. A match id is checked before it becomes a path.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._entries: dict[str, MatchEntry] = {}
        self._ids: dict[tuple[str, str], list[str]] = {}
        """Sorted match ids by game and entrant, either of them empty for all: so the cost of a
        page is the number of its entries, whatever the filter."""
        self._scanned = -1
        self._rest_until = 0.0
        """When the folder may be scanned again: scans must not keep the referee busy."""
        self._lock = threading.Lock()

    def get(self, match: str) -> MatchEntry | None:
        """Return the match with that id, or None."""
        with self._lock:
            if match not in self._entries and (path := self._path(match)):
                self._add(match, path)
            return self._entries.get(match)

    def list(
        self, after: str, count: int, game: str, entrant: str, league: str = ""
    ) -> list[MatchEntry]:
        """Return at most ``count`` matches in the order of their ids, those after an id."""
        self._scan()
        ids = self._ids.get((game, entrant), []) if not league else []
        start = bisect.bisect_right(ids, after)
        return [self._entries[match] for match in ids[start : start + count]]

    def record(self, match: str) -> tuple[str, bytes] | None:
        """Return file name and bytes of a record."""
        if self.get(match) is None or (path := self._path(match)) is None:
            return None
        return path.name, path.read_bytes()

    def records(self, matches: Sequence[str]) -> Mapping[str, tuple[str, bytes]]:
        """Return file names and bytes of those records that exist."""
        return {match: found for match in matches if (found := self.record(match)) is not None}

    def _path(self, match: str) -> Path | None:
        """Return the file of a record, if there is one."""
        if not _MATCH_ID.fullmatch(match):
            return None
        paths = (self._folder / f"{match}{ending}" for ending in _ENDINGS)
        return next(filter(Path.exists, paths), None)

    def _scan(self) -> None:
        """Read the files that were added since the last scan."""
        with self._lock:
            began, changed = time.monotonic(), self._folder.stat().st_mtime_ns
            if changed == self._scanned or began < self._rest_until:
                return
            # A file that is added right now may leave the time stamp of the folder as it is.
            settled = time.time_ns() - changed > SETTLED
            self._scanned = changed if settled else -1
            for path in self._folder.glob("*.jsonl*"):
                match, _, ending = path.name.partition(".")
                if (
                    f".{ending}" in _ENDINGS
                    and match not in self._entries
                    and _MATCH_ID.fullmatch(match)
                ):
                    self._add(match, path)
            now = time.monotonic()
            self._rest_until = now + REST * (now - began)

    def _add(self, match: str, path: Path) -> None:
        """Index a match by the first and the last line of its record."""
        try:
            entry = _entry(match, Record.read(path))
        except RecordError as error:
            log.warning("%s is left out: %s", path, error)
            return
        self._entries[match] = entry
        for key in product(("", entry.game), ("", *entry.entrants)):
            bisect.insort(self._ids.setdefault(key, []), match)


def _entry(match: str, record: Record) -> MatchEntry:
    head, end = record.head, record.end
    ending = end.text("ending")
    return MatchEntry(
        match,
        head.text("game"),
        "void" if ending == STOPPED else "finished",
        tuple(Line(head.number, seat).text("entrant") for seat in head.mappings("seats")),
        ending,
        tuple(end.wholes("scores")),
        tuple(end.wholes("places")),
        tuple(end.wholes("forfeits")),
        released=True,
    )
