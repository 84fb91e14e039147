"""Downloads of records: one, or many in a zip that is written while it is sent."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from collections.abc import Iterator
from functools import partial
from itertools import chain
from typing import Final

from starlette.responses import Response

from referee.record import decompressed
from tournaments.export import ABOUT, about_league
from tournaments.model import MatchState, NotFoundError, ThinnedRecord, all_items
from tournaments.store import Store
from tournaments.web.query import MatchFilter

PAGE: Final = 1000
CHUNK: Final = 64 * 1024
"""The approximate size of a chunk of a zip, in bytes."""
ZIP_TIME: Final = (1980, 1, 1, 0, 0, 0)
"""The time of every file in a zip, so that the same records make the same zip."""
NOT_RELEASED: Final = (
    "the record of this match appears when all matches with its deal have been played."
)


def released_record(store: Store, match: str) -> bytes:
    """Return a compressed record; raises NotFoundError unless it is released and still there."""
    record = store.record(match)
    if record is None:
        thinned = store.thinned_record(match)
        raise NotFoundError(NOT_RELEASED if thinned is None else thinned_note(thinned))
    return record


def thinned_note(record: ThinnedRecord) -> str:
    """Return when a record was removed, and what is left of it."""
    return (
        f"the record was thinned out on {record.thinned_at:%Y-%m-%d}, as the league's rule says; "
        f"its hash is {record.hash}, the SHA-256 of its compressed file {record.sha256}."
    )


def record_response(store: Store, match: str, *, plain: bool, known_tag: str) -> Response:
    """Return a record with its hash, or 304 if the client has it; raises NotFoundError."""
    record = released_record(store, match)
    body = decompressed(record) if plain else record
    digest = hashlib.sha256(body)
    coded = base64.b64encode(digest.digest()).decode()
    name = f"{match}.jsonl" if plain else f"{match}.jsonl.zst"
    headers = {
        "ETag": f'"{digest.hexdigest()}"',
        "Digest": f"sha-256={coded}",
        "Repr-Digest": f"sha-256=:{coded}:",
        "Cache-Control": "no-cache",
    }
    if known_tag == headers["ETag"]:
        return Response(status_code=304, headers=headers)
    headers["Content-Disposition"] = f'attachment; filename="{name}"'
    media_type = "application/x-ndjson" if plain else "application/zstd"
    return Response(body, headers=headers, media_type=media_type)


def selected_records(store: Store, league: str, chosen: MatchFilter) -> Iterator[tuple[str, bytes]]:
    """Yield the released records of the chosen matches."""
    if chosen == MatchFilter():
        yield from store.records(league)
        return
    token = ""
    while True:
        page = store.matches(league, **chosen.as_dict(), page_size=PAGE, page_token=token)
        yield from store.records(league, [match.id for match in page.items if match.released])
        token = page.next
        if not token:
            return


def league_file(store: Store, league: str) -> bytes:
    """Return what the records of a league lack: its secret, and which matches were annulled."""
    found = store.league(league)
    read = partial(store.matches, league, state=MatchState.ANNULLED, page_size=PAGE)
    annulled = {match.id: match.annulled for match in all_items(lambda at: read(page_token=at))}
    return about_league(found.id, found.commitment, found.secret, annulled)


def zip_chunks(
    records: Iterator[tuple[str, bytes]], about: bytes, name_of_about: str = ABOUT
) -> Iterator[bytes]:
    """Yield a zip of compressed records in chunks, then the file about them and all hashes."""
    written, sums = _Buffer(), []
    with zipfile.ZipFile(written, "w") as archive:
        named = ((f"{match}.jsonl.zst", record) for match, record in records)
        for name, data in chain(named, [(name_of_about, about)]):
            archive.writestr(zipfile.ZipInfo(name, ZIP_TIME), data)
            sums.append(f"{hashlib.sha256(data).hexdigest()}  {name}\n")
            if len(written.data) >= CHUNK:
                yield written.take()
        archive.writestr(zipfile.ZipInfo("SHA256SUMS", ZIP_TIME), "".join(sums))
    yield written.take()


class _Buffer:
    """A file to write to, from which the bytes are taken."""

    def __init__(self) -> None:
        self.data = bytearray()

    def write(self, data: bytes, /) -> int:
        self.data += data
        return len(data)

    def flush(self) -> None:
        """Do nothing: everything is in memory."""

    def close(self) -> None:
        """Do nothing: there is nothing to close."""

    def take(self) -> bytes:
        taken = bytes(self.data)
        self.data.clear()
        return taken
