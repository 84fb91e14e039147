"""The stream of an upload: a header, then the bytes of a package, within limits."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Final

import grpc
from highstreet.v1 import submission_pb2 as pb

from referee.transports import Reason
from tournaments.server.store_service import Code, Context, Refusal
from tournaments.submissions import PackageError, PackageLimits, Uploads

LARGEST_CHUNK: Final = 60 * 1024
"""Bytes; the server refuses messages of more than 64 KiB."""
SMALLEST_CHUNK: Final = 16 * 1024
"""Bytes of a chunk but the last one: it limits how many messages an upload has."""
LONGEST_SILENCE: Final = 30.0
"""Seconds within which the next message must arrive."""
LONGEST_UPLOAD: Final = 900.0
"""Seconds within which the stream must end; the next one goes on where it was."""


@dataclass(frozen=True, slots=True)
class PackageUpload:
    """One package of an author on its way."""

    uploads: Uploads
    author: str
    header: pb.UploadHeader
    silence: float = LONGEST_SILENCE

    async def receive(self, context: Context) -> bytes:
        """Return the package when all of it has arrived; raises PackageError and Refusal."""
        header = self.header
        place = (header.league, self.author, header.package)
        arrived = await asyncio.to_thread(self.uploads.offset, *place)
        if header.offset != arrived:
            detail = f"{arrived} bytes have arrived; the upload cannot go on at {header.offset}."
            raise Refusal(Code.OUT_OF_RANGE, Reason.ERROR_REASON_BAD_REQUEST, detail)
        try:
            async with asyncio.timeout(LONGEST_UPLOAD):
                while arrived < header.size:
                    chunk = self._checked(await read_part(context, self.silence), arrived)
                    arrived = await asyncio.to_thread(self.uploads.append, *place, arrived, chunk)
        except TimeoutError:
            raise _too_slow(f"the upload took more than {LONGEST_UPLOAD:.0f} seconds") from None
        return await asyncio.to_thread(self.uploads.finish, *place)

    def _checked(self, part: pb.UploadPackageRequest | None, arrived: int) -> bytes:
        """Return the bytes of the next chunk; raises PackageError."""
        left = self.header.size - arrived
        if part is None:
            raise PackageError(f"the upload ended {left} bytes too early; it can go on there.")
        if not min(SMALLEST_CHUNK, left) <= len(part.chunk) <= min(LARGEST_CHUNK, left):
            raise PackageError(
                f"a chunk has {len(part.chunk)} bytes, with {left} left; it must have "
                f"{SMALLEST_CHUNK} to {LARGEST_CHUNK}, or all that are left."
            )
        return part.chunk


async def read_header(context: Context, silence: float = LONGEST_SILENCE) -> pb.UploadHeader:
    """Return the first message of an upload; raises PackageError and Refusal."""
    part = await read_part(context, silence)
    if part is None or not part.HasField("header"):
        raise PackageError("the first message of an upload must be its header.")
    most = PackageLimits().packed
    if not 0 < part.header.size <= most:
        raise PackageError(
            f"the package has {part.header.size} bytes; it must have 1 to {most / 2**20:g} MiB."
        )
    return part.header


async def read_part(context: Context, silence: float) -> pb.UploadPackageRequest | None:
    """Return the next message; None at the end of the stream. Raises Refusal if none arrives.

    The rate limits of the server count requests that are iterated over: not those of one upload.
    """
    try:
        async with asyncio.timeout(silence):
            part: Any = await context.read()
    except TimeoutError:
        raise _too_slow(f"nothing arrived for {silence:g} seconds") from None
    return None if part is grpc.aio.EOF else part


def _too_slow(what: str) -> Refusal:
    detail = f"{what}: begin again where it stopped."
    return Refusal(Code.DEADLINE_EXCEEDED, Reason.ERROR_REASON_BAD_REQUEST, detail)
