"""Downloads of records into a folder; an interrupted one continues where it stopped.

A record on its way is FILE.part. It becomes FILE when its SHA-256 is the one that was announced.
"""

from __future__ import annotations

import asyncio
import fcntl
import hashlib
import os
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import partial
from pathlib import Path
from typing import Final, Self, TypeVar

from referee.match_service.client import (
    Arriving,
    CutError,
    DownloadError,
    OffsetError,
    RecordClient,
    UnreachableError,
    UnsupportedError,
    file_names,
    is_file_name,
)
from referee.record import LARGEST_RECORD

T = TypeVar("T")

TOGETHER: Final = 200
"""How many records one call asks for."""
AT_ONCE: Final = 8
"""How many single records are requested at a time."""
PAUSES: Final = (0.25, 0.5, 1.0, 2.0, 4.0)
"""How many seconds to wait before each new attempt after a cut."""
MOST_PAGES: Final = 10_000
MOST_MATCHES: Final = 1_000_000

_HINT: Final = "Is the address right, is a referee there, and does it want TLS or not?"


class Fate(Enum):
    """The result of fetching a record."""

    FETCHED = auto()
    REPLACED = auto()
    """A file of that name was there, with other bytes."""
    THERE = auto()


class _StalePartError(Exception):
    """A partial file whose bytes are not those of the record on the server."""


@dataclass(frozen=True, slots=True)
class Listing:
    """The records that a server has released, and the number that it has not."""

    matches: tuple[str, ...]
    held_back: int


@dataclass(slots=True)
class Tally:
    """The progress of a download."""

    total: int
    fates: Counter[Fate] = field(default_factory=Counter)
    failures: dict[str, str] = field(default_factory=dict)
    """What was wrong, by match."""
    stopped: str = ""
    """Why the rest was not tried."""

    @property
    def fetched(self) -> int:
        """How many records have come."""
        return self.fates[Fate.FETCHED] + self.replaced

    @property
    def replaced(self) -> int:
        """How many of them took the place of a file with other bytes."""
        return self.fates[Fate.REPLACED]

    @property
    def there(self) -> int:
        """How many records need not come."""
        return self.fates[Fate.THERE]

    @property
    def failed(self) -> int:
        """How many records are not there."""
        return self.total - self.fates.total()


class Downloads:
    """Fetches records of one server into one folder."""

    def __init__(
        self,
        client: RecordClient,
        folder: Path,
        pause: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._client = client
        self._folder = folder
        self._pause = pause
        self.answered = False
        """Whether the server has answered yet."""

    async def listing(self, game: str = "", entrant: str = "", league: str = "") -> Listing:
        """List the records of the server; raises DownloadError, also for a list without end."""
        found: dict[str, bool] = {}
        token = ""
        for _ in range(MOST_PAGES):
            page = await self._persist(partial(self._client.page, token, game, entrant, league))
            self.answered = True
            if league and any(listed.league != league for listed in page.matches):
                raise DownloadError("the server cannot choose a league: it is too old for that.")
            found.update((listed.match, listed.released) for listed in page.matches)
            if not page.following:
                released = tuple(match for match in found if found[match])
                return Listing(released, len(found) - len(released))
            if len(found) > MOST_MATCHES:
                break
            token = page.following
        raise DownloadError(
            f"the server lists matches without end: {len(found)} so far. Name those that you want."
        )

    async def fetch_all(
        self, matches: Sequence[str], progress: Callable[[], object] = lambda: None
    ) -> Tally:
        """Fetch records, many in one call; stop only if the server is lost or a file fails.

        What does not come as it should in such a call is fetched again by itself, a few at a time:
        then it is known what is wrong with it.
        """
        tally = Tally(len(matches))
        left = await self._fetch_together(matches, tally, progress)
        waiting = iter(() if tally.stopped else left)
        async with asyncio.TaskGroup() as group:
            for _ in range(AT_ONCE):
                group.create_task(self._work(waiting, tally, progress))
        return tally

    async def _work(
        self, waiting: Iterator[str], tally: Tally, progress: Callable[[], object]
    ) -> None:
        for match in waiting:
            try:
                tally.fates[await self.fetch(match)] += 1
            except UnreachableError as error:
                tally.stopped = str(error)
            except DownloadError as error:
                tally.failures[match] = str(error)
            except OSError as error:
                tally.stopped = self._cannot_write(error)
            if tally.stopped:
                return
            progress()

    async def _fetch_together(
        self, matches: Sequence[str], tally: Tally, progress: Callable[[], object]
    ) -> list[str]:
        """Fetch what comes as it should; return the rest."""
        left = [match for match in matches if not is_file_name(match)]
        usual = [match for match in matches if is_file_name(match)]
        for start in range(0, len(usual), TOGETHER):
            pending = usual[start : start + TOGETHER]
            try:
                await self._persist(partial(self._take_together, pending, left, tally, progress))
            except UnsupportedError:
                return list(matches)
            except UnreachableError as error:
                tally.stopped = str(error)
            except DownloadError:
                left += pending  # what the server sent is not to be relied on
            except OSError as error:
                tally.stopped = self._cannot_write(error)
            if tally.stopped:
                break
        return left

    async def _take_together(
        self,
        pending: list[str],
        left: list[str],
        tally: Tally,
        progress: Callable[[], object],
    ) -> None:
        """Take in many records; what is done is taken from those that are pending."""
        wanted = [(match, self._offset(match)) for match in pending]
        async with self._client.records(wanted) as arriving:
            async for match, record in arriving:
                self.answered = True
                fate = None if isinstance(record, str) else await self._accept(match, record)
                pending.remove(match)
                if fate is None:
                    left.append(match)
                else:
                    tally.fates[fate] += 1
                    progress()

    def _offset(self, match: str) -> int:
        """Return from where on a record is needed."""
        found = self._on_disk(match, "") or self._on_disk(match, ".part")
        size = _size(found[0]) if found else 0
        return size if size <= LARGEST_RECORD else 0

    async def _accept(self, match: str, arriving: Arriving) -> Fate | None:
        """Take in a record of many; nothing if it must be asked for by itself."""
        there = self._on_disk(match, "")
        if there:
            announced = (arriving.file_name, arriving.size, arriving.sha256)
            found = (there[0].name, _size(there[0]), _sha256(there[0]))
            return Fate.THERE if announced == found else None
        begun = self._on_disk(match, ".part")
        path = self._folder / f"{arriving.file_name}.part"
        if begun and begun != [path]:
            return None
        try:
            with _Part(path, self._offset(match)) as part:
                await _take_in(arriving, part)
        except _StalePartError:
            return None
        return Fate.FETCHED

    def _cannot_write(self, error: OSError) -> str:
        return f"cannot write {error.filename or self._folder}: {error.strerror}."

    async def fetch(self, match: str) -> Fate:
        """Fetch one record, unless it is there; raises DownloadError or OSError."""
        return await self._persist(lambda: self._attempt(match))

    async def _persist(self, attempt: Callable[[], Awaitable[T]]) -> T:
        """Try again after a cut; a server that never answered is given up at once."""
        for seconds in PAUSES:
            try:
                return await attempt()
            except CutError as error:
                if not self.answered:
                    raise UnreachableError(f"{error} {_HINT}") from None
            await self._pause(seconds)
        return await attempt()

    async def _attempt(self, match: str) -> Fate:
        there = self._on_disk(match, "")
        for path in there:
            if await self._is_right(match, path):
                return Fate.THERE
        begun = next(iter(self._on_disk(match, ".part")), None)
        try:
            name = await self._transfer(match, begun)
        except (_StalePartError, OffsetError):
            name = await self._transfer(match, None)
        return Fate.REPLACED if self._folder / name in there else Fate.FETCHED

    def _on_disk(self, match: str, suffix: str) -> list[Path]:
        paths = [self._folder / f"{name}{suffix}" for name in file_names(match)]
        return [path for path in paths if path.exists()]

    async def _is_right(self, match: str, path: Path) -> bool:
        """Compare a file with what the server announces; its bytes need not be sent for that."""
        size = _size(path)
        if size > LARGEST_RECORD:
            return False
        try:
            async with self._client.record(match, size) as arriving:
                self.answered = True
                announced = (arriving.file_name, arriving.size, arriving.sha256)
        except OffsetError:
            return False
        return announced == (path.name, size, _sha256(path))

    async def _transfer(self, match: str, begun: Path | None) -> str:
        """Take in a record, or the rest of it; return the name of its file."""
        offset = _size(begun) if begun else 0
        if offset > LARGEST_RECORD:
            raise _StalePartError
        async with self._client.record(match, offset) as arriving:
            self.answered = True
            path = self._folder / f"{arriving.file_name}.part"
            if begun is not None and begun != path:
                _remove(begun)
                raise _StalePartError
            with _Part(path, offset) as part:
                await _take_in(arriving, part)
            return arriving.file_name


async def _take_in(arriving: Arriving, part: _Part) -> None:
    """Write what arrives, and give the file its name if the whole is right."""
    try:
        async for chunk in arriving.chunks:
            part.write(chunk)
    except CutError:
        raise
    except DownloadError:
        part.remove()
        raise
    if part.become(arriving.file_name, arriving.sha256):
        return
    part.remove()
    if part.offset:
        raise _StalePartError
    raise DownloadError("the bytes do not have the SHA-256 that the server announced.")


class _Part:
    """FILE.part, locked against other downloads, to write from an offset on."""

    def __init__(self, path: Path, offset: int) -> None:
        self.offset = offset
        self._path = path
        self._file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o666), "r+b")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self._file.close()
            raise DownloadError(f"another download is writing {path}.") from None
        self._file.truncate(offset)
        self._file.seek(offset)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def write(self, chunk: bytes) -> None:
        """Add bytes and flush them, so that they survive a kill."""
        self._file.write(chunk)
        self._file.flush()

    def become(self, name: str, sha256: str) -> bool:
        """Take another name, if the bytes are the right ones."""
        right = _sha256(self._path) == sha256
        if right:
            self._path.replace(self._path.with_name(name))
        return right

    def remove(self) -> None:
        """Remove the file."""
        self._path.unlink()


def _size(path: Path) -> int:
    return path.stat().st_size


def _remove(path: Path) -> None:
    path.unlink()


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
