"""Many records in one call, for those who download all of them.

Records are read and encoded beside the loop that keeps the clocks, at the pace of all downloads;
the loop only passes bytes on. A client that does not read is cut off.
"""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from typing import Any, Final, Protocol, TypeVar

import grpc
from highstreet.v1 import match_pb2 as pb

from referee.match_service.background_work import BackgroundWork
from referee.transports import (
    CallLimit,
    RateLimitError,
    Reason,
    address_of,
    read_within,
    refuse,
)

MOST_RECORDS: Final = 500
"""In one call."""
READ_TOGETHER: Final = 20
"""The number of records in memory at a time."""
PIECE: Final = 128 * 1024
"""The approximate number of bytes sent at a time."""
MOST_CALLS: Final = 16
MOST_OF_ONE: Final = 2
"""Calls of one address at a time."""
READ_WITHIN: Final = 30.0
"""Within how many seconds a client must read a piece."""


T = TypeVar("T")


class Records(Protocol):
    """Where records are."""

    def records(self, matches: Sequence[str]) -> Mapping[str, tuple[str, bytes]]:
        """Return file names and bytes of those records that are released."""


class RecordStreams:
    """Answers DownloadRecords, and limits all downloads of records."""

    def __init__(
        self, source: Records, pace: BackgroundWork | None = None, read_within: float = READ_WITHIN
    ) -> None:
        self._source = source
        self._pace = pace or BackgroundWork()
        self._read_within = read_within
        self._calls = CallLimit("downloads of one address", MOST_OF_ONE, MOST_CALLS)

    def handler(self) -> grpc.RpcMethodHandler[Any, Any]:
        """Return what answers; responses are encoded in the threads."""
        return grpc.unary_stream_rpc_method_handler(
            self._download, pb.DownloadRecordsRequest.FromString, bytes
        )

    async def _download(
        self, request: pb.DownloadRecordsRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> AsyncIterator[bytes]:
        if len(request.records) > MOST_RECORDS:
            await refuse(
                context,
                grpc.StatusCode.INVALID_ARGUMENT,
                Reason.ERROR_REASON_BAD_REQUEST,
                f"{len(request.records)} records are asked for; {MOST_RECORDS} are the most.",
            )
        async for piece in self.limited(context, self._made(pieces(self._source, request.records))):
            yield piece

    async def limited(
        self, context: grpc.aio.ServicerContext[Any, Any], responses: AsyncIterator[T]
    ) -> AsyncIterator[T]:
        """Yield the responses of a download; refuse one too many, cut off one that is not read."""
        try:
            with self._calls.hold(address_of(context.peer())):
                async for response in read_within(self._read_within, responses):
                    yield response
        except RateLimitError as error:
            reason = Reason.ERROR_REASON_TOO_MANY_REQUESTS
            await refuse(context, grpc.StatusCode.RESOURCE_EXHAUSTED, reason, str(error))

    async def _made(self, made: Iterator[bytes]) -> AsyncIterator[bytes]:
        while (piece := await self._pace.next(made)) is not None:
            yield piece


def pieces(source: Records, wanted: Sequence[pb.DownloadRecordRequest]) -> Iterator[bytes]:
    """Yield the parts of records as encoded messages of about the same size."""
    waiting, size = pb.DownloadRecordsResponse(), 0
    for part in _parts(source, wanted):
        waiting.parts.append(part)
        size += len(part.chunk) + 200  # about what a header takes
        if size >= PIECE:
            yield waiting.SerializeToString()
            waiting, size = pb.DownloadRecordsResponse(), 0
    if waiting.parts:
        yield waiting.SerializeToString()


def _parts(source: Records, wanted: Sequence[pb.DownloadRecordRequest]) -> Iterator[pb.RecordPart]:
    for start in range(0, len(wanted), READ_TOGETHER):
        some = wanted[start : start + READ_TOGETHER]
        found = source.records([asked.match for asked in some])
        for index, asked in enumerate(some, start):
            yield from _record(index, asked, found.get(asked.match))


def _record(
    index: int, asked: pb.DownloadRecordRequest, found: tuple[str, bytes] | None
) -> Iterator[pb.RecordPart]:
    if found is None:
        problem = "there is no such match, or its record is not released."
        yield pb.RecordPart(index=index, problem=problem)
        return
    name, data = found
    if not 0 <= asked.offset <= len(data):
        problem = f"offset is {asked.offset}, but the record has {len(data)} bytes."
        yield pb.RecordPart(index=index, problem=problem)
        return
    digest = hashlib.sha256(data).hexdigest()
    part = pb.RecordPart(index=index)
    part.header.file_name, part.header.size, part.header.sha256 = name, len(data), digest
    part.chunk = data[asked.offset : asked.offset + PIECE]
    yield part
    for start in range(asked.offset + PIECE, len(data), PIECE):
        yield pb.RecordPart(index=index, chunk=data[start : start + PIECE])
