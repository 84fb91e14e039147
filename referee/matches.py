"""Finished matches and their records, over gRPC."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NoReturn, Protocol

import grpc
from google.protobuf import timestamp_pb2
from highstreet.v1 import error_pb2
from highstreet.v1 import match_pb2 as pb

from referee.server import refuse

SERVICE: Final = "highstreet.v1.MatchService"
CHUNK: Final = 32 * 1024
MOST_PER_PAGE: Final = 1000
PER_PAGE: Final = 100
Reason = error_pb2.ErrorReason


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


class Shelf(Protocol):
    """Where matches are kept."""

    def get(self, match: str) -> MatchEntry | None:
        """Return a match, if there is one with that id."""

    def list(self, after: str, count: int, game: str, entrant: str) -> Sequence[MatchEntry]:
        """Return matches in the order of their ids, those after an id, at most so many."""

    def record(self, match: str) -> tuple[str, bytes] | None:
        """Return file name and bytes of a record that is released."""


class MatchService:
    """Gives out matches and records. Looking them up happens beside the event loop."""

    def __init__(self, shelf: Shelf) -> None:
        self._shelf = shelf

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
                pb.ListMatchesResponse.SerializeToString,
            ),
            "DownloadRecord": grpc.unary_stream_rpc_method_handler(
                self._download,
                pb.DownloadRecordRequest.FromString,
                pb.DownloadRecordResponse.SerializeToString,
            ),
        }
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))

    async def _get(
        self, request: pb.GetMatchRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.GetMatchResponse:
        entry = await asyncio.to_thread(self._shelf.get, request.match)
        if entry is None:
            return await _no_such_match(context, request.match)
        return pb.GetMatchResponse(match=_message(entry))

    async def _list(
        self, request: pb.ListMatchesRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> pb.ListMatchesResponse:
        if not 0 <= request.page_size <= MOST_PER_PAGE:
            await refuse(
                context,
                grpc.StatusCode.INVALID_ARGUMENT,
                Reason.ERROR_REASON_BAD_REQUEST,
                f"page_size is {request.page_size}; it goes from 0 to {MOST_PER_PAGE}.",
            )
        count = request.page_size or PER_PAGE
        entries = await asyncio.to_thread(
            self._shelf.list, request.page_token, count + 1, request.game, request.entrant
        )
        page = entries[:count]
        return pb.ListMatchesResponse(
            matches=map(_message, page),
            next_page_token=page[-1].match if len(entries) > count else "",
        )

    async def _download(
        self, request: pb.DownloadRecordRequest, context: grpc.aio.ServicerContext[Any, Any]
    ) -> AsyncIterator[pb.DownloadRecordResponse]:
        found = await asyncio.to_thread(self._shelf.record, request.match)
        name, data = found or await _no_such_match(context, request.match)
        if not 0 <= request.offset <= len(data):
            await refuse(
                context,
                grpc.StatusCode.OUT_OF_RANGE,
                Reason.ERROR_REASON_BAD_REQUEST,
                f"offset is {request.offset}, but the record has {len(data)} bytes.",
            )
        digest = hashlib.sha256(data).hexdigest()
        header = pb.RecordHeader(file_name=name, size=len(data), sha256=digest)
        yield pb.DownloadRecordResponse(header=header)
        for start in range(request.offset, len(data), CHUNK):
            yield pb.DownloadRecordResponse(chunk=data[start : start + CHUNK])


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
