"""Records for everybody: one, or many in a zip that is written while it is sent."""

from __future__ import annotations

import base64
import hashlib
import io
import zipfile
from collections.abc import Iterator
from typing import Final

from starlette.responses import Response

from tournaments.league.model import NotFoundError
from tournaments.league.store import LeagueStore
from tournaments.web.choices import Selection
from tournaments.web.replays import unpacked

PAGE: Final = 1000
LONG_AGO: Final = (1980, 1, 1, 0, 0, 0)
"""The time of every file in a zip, so that the same records make the same zip."""
NOT_YET: Final = "the record of this match appears when all matches with its deal have been played."


def record_bytes(store: LeagueStore, match: str, *, plain: bool) -> bytes:
    """Return a record that is released; raises NotFoundError."""
    record = store.record(match)
    if record is None:
        raise NotFoundError(NOT_YET)
    return unpacked(record) if plain else record


def record_response(match: str, body: bytes, *, plain: bool, known: str) -> Response:
    """Return a record with its hash; nothing but the headers if the reader knows that hash."""
    digest = hashlib.sha256(body)
    coded = base64.b64encode(digest.digest()).decode()
    name = f"{match}.jsonl" if plain else f"{match}.jsonl.zst"
    headers = {
        "ETag": f'"{digest.hexdigest()}"',
        "Digest": f"sha-256={coded}",
        "Repr-Digest": f"sha-256=:{coded}:",
        "Cache-Control": "no-cache",
    }
    if known == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    headers["Content-Disposition"] = f'attachment; filename="{name}"'
    kind = "application/x-ndjson" if plain else "application/zstd"
    return Response(body, headers=headers, media_type=kind)


def selected(store: LeagueStore, league: str, selection: Selection) -> Iterator[tuple[str, bytes]]:
    """Yield the released records of some matches."""
    if selection.is_everything:
        yield from store.records(league)
        return
    token = ""
    while True:
        page = store.matches(league, **selection.as_dict(), page_size=PAGE, page_token=token)
        yield from store.records(league, [match.id for match in page.items if match.released])
        token = page.next
        if not token:
            return


def zipped(records: Iterator[tuple[str, bytes]]) -> Iterator[bytes]:
    """Yield a zip of compressed records piece by piece, and in the end their hashes."""
    out, sums = _Pieces(), []
    with zipfile.ZipFile(out, "w") as archive:
        for match, record in records:
            name = f"{match}.jsonl.zst"
            archive.writestr(zipfile.ZipInfo(name, LONG_AGO), record)
            sums.append(f"{hashlib.sha256(record).hexdigest()}  {name}\n")
            yield out.taken()
        archive.writestr(zipfile.ZipInfo("SHA256SUMS", LONG_AGO), "".join(sums))
    yield out.taken()


class _Pieces(io.RawIOBase):
    """A file that can only be written to, and forgets what was taken from it."""

    def __init__(self) -> None:
        super().__init__()
        self._waiting: list[bytes] = []

    def writable(self) -> bool:
        """Say that it can be written to."""
        return True

    def write(self, piece: object, /) -> int:
        """Keep a piece until it is taken."""
        self._waiting.append(bytes(memoryview(piece)))  # type: ignore[arg-type]  # a buffer
        return len(self._waiting[-1])

    def taken(self) -> bytes:
        """Return what was written since."""
        taken = b"".join(self._waiting)
        self._waiting.clear()
        return taken
