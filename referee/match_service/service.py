"""Finished matches and their records, over gRPC."""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, NoReturn

import grpc
from google.protobuf import timestamp_pb2
from highstreet.v1 import match_pb2 as pb

from referee.match_service.background_work import BackgroundWork
from referee.match_service.streams import READ_WITHIN, RecordStreams
from referee.record import MatchEntry, MatchRepository
from referee.transports import MOST_PER_PAGE, PER_PAGE, Reason, refuse

SERVICE: Final = "highstreet.v1.MatchService"
CHUNK: Final = 32 * 1024
TOGETHER: Final = 20
"""How many entries of a page are made before other threads get their turn."""
KEPT: Final = 4096
"""How many matches are kept as they are sent: one that is over does not change."""


class MatchService:
    """Implements MatchService. Matches are queried and encoded in threads.

    One page is made at a time: a thread that computes keeps the loop from running, and several of
    them would keep it for longer.
    """

    def __init__(
        self,
        repository: MatchRepository,
        pace: BackgroundWork | None = None,
        read_within: float = READ_WITHIN,
    ) -> None:
        """Take within how many seconds a client must read a piece of a record."""
        self._repository = repository
        self._streams = RecordStreams(repository, pace, read_within)
        self._turn = asyncio.Semaphore()

    def add_to(self, server: grpc.aio.Server) -> None:
        """Add the service to a server."""
        unary = grpc.unary_unary_rpc_method_handler
        handlers: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
            "GetMatch": unary(
                self._get,
                pb.GetMatchRequest.FromString,
                pb.GetMatchResponse.SerializeToString,
            ),
            "ListMatches": unary(
                self._list,
                pb.ListMatchesRequest.FromString,
                bytes,  # encoded already
            ),
            "DownloadRecord": grpc.unary_stream_rpc_method_handler(
                self._download,
                pb.DownloadRecordRequest.FromString,
                pb.DownloadRecordResponse.SerializeToString,
            ),
            "DownloadRecords": self._streams.handler(),
        }
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))

    async def _get(
        self, request: pb.GetMatchRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.GetMatchResponse:
        entry = await asyncio.to_thread(self._repository.get, request.match)
        if entry is None:
            return await _no_such_match(context, request.match)
        return pb.GetMatchResponse(match=_message(entry))

    async def _list(
        self, request: pb.ListMatchesRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> bytes:
        if not 0 <= request.page_size <= MOST_PER_PAGE:
            await refuse(
                context,
                grpc.StatusCode.INVALID_ARGUMENT,
                Reason.ERROR_REASON_BAD_REQUEST,
                f"page_size is {request.page_size}; it goes from 0 to {MOST_PER_PAGE}.",
            )
        async with self._turn:
            return await asyncio.to_thread(self._page, request)

    def _page(self, request: pb.ListMatchesRequest) -> bytes:
        """Return a page of matches, encoded."""
        count = request.page_size or PER_PAGE
        entries = self._repository.list(
            request.page_token, count + 1, request.game, request.entrant, request.league
        )
        parts = []
        for number, entry in enumerate(entries[:count]):
            if not number % TOGETHER:
                time.sleep(0)  # lets the loop run
            parts.append(_listed(entry))
        if len(entries) > count:
            token = entries[count - 1].match
            parts.append(pb.ListMatchesResponse(next_page_token=token).SerializeToString())
        return b"".join(parts)  # messages are merged by writing one behind the other

    async def _download(
        self, request: pb.DownloadRecordRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> AsyncIterator[pb.DownloadRecordResponse]:
        async for response in self._streams.limited(context, self._record_parts(request, context)):
            yield response

    async def _record_parts(
        self, request: pb.DownloadRecordRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> AsyncIterator[pb.DownloadRecordResponse]:
        found = await asyncio.to_thread(self._record, request.match)
        name, data, digest = found or await _no_such_match(context, request.match)
        if not 0 <= request.offset <= len(data):
            await refuse(
                context,
                grpc.StatusCode.OUT_OF_RANGE,
                Reason.ERROR_REASON_BAD_REQUEST,
                f"offset is {request.offset}, but the record has {len(data)} bytes.",
            )
        header = pb.RecordHeader(file_name=name, size=len(data), sha256=digest)
        yield pb.DownloadRecordResponse(header=header)
        for start in range(request.offset, len(data), CHUNK):
            yield pb.DownloadRecordResponse(chunk=data[start : start + CHUNK])

    def _record(self, match: str) -> tuple[str, bytes, str] | None:
        """Return file name, bytes and SHA-256 of a record."""
        found = self._repository.record(match)
        return None if found is None else (*found, hashlib.sha256(found[1]).hexdigest())


@lru_cache(maxsize=KEPT)
def _listed(entry: MatchEntry) -> bytes:
    """Return a page with one match in it, encoded."""
    return pb.ListMatchesResponse(matches=[_message(entry)]).SerializeToString()


_STATES = {
    "playing": pb.MatchState.MATCH_STATE_PLAYING,
    "finished": pb.MatchState.MATCH_STATE_FINISHED,
    "void": pb.MatchState.MATCH_STATE_VOID,
}


def _message(entry: MatchEntry) -> pb.Match:
    return pb.Match(
        match=entry.match,
        game=entry.game,
        state=_STATES[entry.state],
        entrants=entry.entrants,
        ending=entry.ending,
        scores=entry.scores,
        places=entry.places,
        forfeits=entry.forfeits,
        start_time=_timestamp(entry.started),
        end_time=_timestamp(entry.ended),
        record_released=entry.released,
        league=entry.league,
    )


def _timestamp(moment: datetime | None) -> timestamp_pb2.Timestamp | None:
    if moment is None:
        return None
    stamp = timestamp_pb2.Timestamp()
    stamp.FromDatetime(moment)
    return stamp


async def _no_such_match(context: grpc.aio.ServicerContext[Any, Any], match: str) -> NoReturn:
    await refuse(
        context,
        grpc.StatusCode.NOT_FOUND,
        Reason.ERROR_REASON_NO_SUCH_MATCH,
        f'there is no match "{match[:100]}", or its record is not released.',
    )
