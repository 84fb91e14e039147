"""The database of a tournament: what a commit, a read and a match on the disk cost.

A commit is on the disk when it returns, so the disk decides; beside it, the same rows in one bare
SQLite table with the same settings.
"""

from __future__ import annotations

import asyncio
import secrets
import sqlite3
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import zstandard

from benchmarks.measuring import Asked, Chapter, Contestant, Sample
from benchmarks.questions import GAME, plan
from referee.match import LagMeter, Match
from referee.transports import InProcessPlayer
from tournaments.model import DuplicateSet, PlayedMatch, Result, Seatings
from tournaments.store import FILE, TOURNAMENT, Store

RATE = "matches/s"
BYTES = "bytes a match"
OPTIONS = GAME.spec.options(4, {"recipes": True})


def measure(asked: Asked) -> Chapter:
    """Measure commits of several sizes, and reads, in turn with bare SQLite."""
    chapter = Chapter(
        "store",
        "Store: commits and reads",
        "Matches per second with their records (Glastonbury, 4 seats), and bytes on the disk.",
    )
    matches = 8 * asked.choose(25, 250)
    record = _record()
    contestants: dict[str, Contestant] = {}
    for at_once in (1, 8):
        contestants[f"commit of {at_once}"] = partial(_commits, matches, at_once, record)
        contestants[f"bare SQLite, commit of {at_once}"] = partial(_bare, matches, at_once, record)
    contestants["read the results"] = partial(_reads, matches, record)
    chapter.take_turns(contestants, asked.how_often(3, 7))
    for at_once in (1, 8):
        name = f"commit of {at_once}"
        chapter.compare(name, f"bare SQLite, {name}", RATE)
    return chapter


def _record() -> bytes:
    """Play one match at random and return its compressed record."""

    async def play() -> bytes:
        lag = LagMeter()
        players = [InProcessPlayer(lambda q: secrets.choice(q.legal)) for _ in range(4)]
        result = await Match(plan(1, GAME, OPTIONS), players, lag).play()
        lag.stop()
        return result.record

    return zstandard.ZstdCompressor(write_checksum=True).compress(asyncio.run(play()))


def _sets(matches: int) -> list[DuplicateSet]:
    return [
        DuplicateSet(GAME.spec.name, "recipes", ("a", "b", "c", "d"), number, Seatings.ROTATIONS)
        for number in range(1, matches // 4 + 1)
    ]


def _finished(matches: int, record: bytes) -> list[PlayedMatch]:
    blank = Result(
        "", "", GAME.spec.name, "recipes", ("a", "b", "c", "d"), (1, 2, 3, 4), (40, 30, 20, 10),
        (), (0.1, 0.2, 0.3, 0.4), 80,
    )  # fmt: skip
    return [
        PlayedMatch(replace(blank, match=f"{each.id}-{turn}", set_id=each.id), 1, 0.5, record)
        for each in _sets(matches)
        for turn in range(1, 5)
    ]


def _filled(folder: Path, matches: int, at_once: int, record: bytes) -> tuple[Store, float]:
    store = Store.of_tournament(folder)
    store.enter_all(dict.fromkeys(("a", "b", "c", "d"), ""))
    store.add_schedule(_sets(matches), None)
    finished = _finished(matches, record)
    start = time.perf_counter()
    for n in range(0, matches, at_once):
        store.commit(None, finished[n : n + at_once])
    return store, time.perf_counter() - start


def _commits(matches: int, at_once: int, record: bytes) -> Sample:
    with tempfile.TemporaryDirectory() as name:
        store, seconds = _filled(Path(name), matches, at_once, record)
        store.close()
        return {RATE: matches / seconds, BYTES: (Path(name) / FILE).stat().st_size / matches}


def _reads(matches: int, record: bytes) -> Sample:
    with tempfile.TemporaryDirectory() as name:
        store, _ = _filled(Path(name), matches, 200, record)
        rate = _rate(partial(store.results, TOURNAMENT), matches)
        store.close()
    return {RATE: rate}


def _rate(work: Callable[[], object], matches: int) -> float:
    start = time.perf_counter()
    work()
    return matches / (time.perf_counter() - start)


def _bare(matches: int, at_once: int, record: bytes) -> Sample:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "bare.db"
        database = sqlite3.connect(path, isolation_level=None)
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=FULL")
        database.execute("CREATE TABLE matches (id TEXT PRIMARY KEY, result TEXT, record BLOB)")
        rows = [
            (each.result.match, repr(each.result), record) for each in _finished(matches, record)
        ]
        start = time.perf_counter()
        for n in range(0, matches, at_once):
            database.execute("BEGIN")
            database.executemany("INSERT INTO matches VALUES (?, ?, ?)", rows[n : n + at_once])
            database.execute("COMMIT")
        seconds = time.perf_counter() - start
        database.close()
        return {RATE: matches / seconds, BYTES: path.stat().st_size / matches}
