"""A client of MatchService: lists of matches, and records as streams of bytes.

    async with RecordClient("referee.example:7000") as client:
        page = await client.page()
        async with client.record(page.matches[0].match) as arriving:
            async for chunk in arriving.chunks:
                …

A server is not trusted: names, sizes and hashes are checked before a file is made of them.
"""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import grpc
from google.protobuf.message import DecodeError
from highstreet.v1 import match_pb2 as pb

from engine import HighstreetError
from referee.record import LARGEST_RECORD, printable

LONGEST_SILENCE: Final = 30.0
"""A connection without a message for this long, in seconds, counts as cut."""
PER_PAGE: Final = 1000

_METHODS: Final = f"/{pb.DESCRIPTOR.services_by_name['MatchService'].full_name}/"
_LONGEST_ID: Final = 200
_MATCH_ID: Final = re.compile(rf"[A-Za-z0-9_][A-Za-z0-9._-]{{0,{_LONGEST_ID - 1}}}")
_SHA256: Final = re.compile(r"[0-9a-f]{64}")
_CHANNEL: Final = (
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1000),
    ("grpc.min_reconnect_backoff_ms", 10_000),  # how long one attempt to connect may take
)
_SILENT: Final = {grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.UNAVAILABLE}
"""The status of a call that the server does not answer any more."""
_PASSING: Final = {
    grpc.StatusCode.ABORTED,
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.INTERNAL,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
}
"""The status of a call that may succeed when it is repeated."""


class DownloadError(HighstreetError):
    """A record that the server refuses, or an answer of it that cannot be right."""


class OffsetError(DownloadError):
    """A download that cannot go on where it should: the record is not that long."""


class CutError(DownloadError):
    """A connection that was cut; trying again may help."""


class UnreachableError(CutError):
    """A server that does not answer at all."""


class UnsupportedError(DownloadError):
    """A server that is too old for what is asked of it."""


@dataclass(frozen=True, slots=True)
class Listed:
    """A match as the server lists it."""

    match: str
    released: bool
    """Whether its record can be downloaded."""
    league: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """A page of the list of matches, and the token of the next one, empty at the end."""

    matches: tuple[Listed, ...]
    following: str


@dataclass(frozen=True, slots=True)
class Arriving:
    """A record on its way; the chunks end when it is complete, or raise DownloadError."""

    file_name: str
    size: int
    sha256: str
    chunks: AsyncIterator[bytes]


def is_file_name(match: str) -> bool:
    """Return whether the id of a match can be the name of a file."""
    return _MATCH_ID.fullmatch(match) is not None


def file_names(match: str) -> tuple[str, str]:
    """Return the names that the record of a match may have, plain and compressed."""
    if not is_file_name(match):
        raise DownloadError(f'"{printable(match, 80)}" cannot be the name of a file.')
    return f"{match}.jsonl", f"{match}.jsonl.zst"


class RecordClient:
    """Calls the MatchService of one server."""

    def __init__(
        self, server: str, certificate: bytes | None = None, silence: float = LONGEST_SILENCE
    ) -> None:
        self._server = server
        self._certificate = certificate
        self._silence = silence
        self._channel: grpc.aio.Channel | None = None

    async def __aenter__(self) -> Self:
        if self._certificate is None:
            self._channel = grpc.aio.insecure_channel(self._server, _CHANNEL)
        else:
            trusted = grpc.ssl_channel_credentials(self._certificate)
            self._channel = grpc.aio.secure_channel(self._server, trusted, _CHANNEL)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._open.close()

    async def page(
        self, token: str = "", game: str = "", entrant: str = "", league: str = ""
    ) -> Page:
        """Return a page of matches, of a game, an entrant or a league only if one is named."""
        request = pb.ListMatchesRequest(
            page_size=PER_PAGE, page_token=token, game=game, entrant=entrant, league=league
        )
        ask: Any = self._open.unary_unary(f"{_METHODS}ListMatches")
        with self._errors(UnreachableError):
            said = await ask(request.SerializeToString(), timeout=self._silence)
            response = pb.ListMatchesResponse.FromString(said)
        # An id that is too long is refused anyway; megabytes of it need not be kept until then.
        matches = tuple(
            Listed(
                found.match[: _LONGEST_ID + 1], found.record_released, found.league[:_LONGEST_ID]
            )
            for found in response.matches
        )
        return Page(matches, response.next_page_token)

    @contextlib.asynccontextmanager
    async def record(self, match: str, offset: int = 0) -> AsyncIterator[Arriving]:
        """Ask for a record from an offset on; its header is checked, its bytes are counted."""
        request = pb.DownloadRecordRequest(match=match, offset=offset)
        ask: Any = self._open.unary_stream(f"{_METHODS}DownloadRecord")
        call = ask(request.SerializeToString())
        try:
            header = await self._header(call, match)
            if offset > header.size:
                raise OffsetError(f"{match} has {header.size} bytes only, not {offset}.")
            chunks = self._chunks(call, header.size - offset)
            yield Arriving(header.file_name, header.size, header.sha256, chunks)
        finally:
            call.cancel()

    @contextlib.asynccontextmanager
    async def records(
        self, wanted: Sequence[tuple[str, int]]
    ) -> AsyncIterator[AsyncIterator[tuple[str, Arriving | str]]]:
        """Request many records, each from an offset on; raises UnsupportedError.

        They arrive in that order, each as a stream or as a problem. All chunks of one must be read
        before the next one.
        """
        asked = [pb.DownloadRecordRequest(match=match, offset=offset) for match, offset in wanted]
        request = pb.DownloadRecordsRequest(records=asked)
        ask: Any = self._open.unary_stream(f"{_METHODS}DownloadRecords")
        call = ask(request.SerializeToString())
        try:
            yield self._records(self._parts(call), wanted)
        finally:
            call.cancel()

    async def _records(
        self, parts: AsyncIterator[pb.RecordPart], wanted: Sequence[tuple[str, int]]
    ) -> AsyncIterator[tuple[str, Arriving | str]]:
        for index, (match, offset) in enumerate(wanted):
            part = await anext(parts, None)
            if part is None:
                raise CutError(f"the download breaks off before {match}.")
            if part.index != index:
                raise DownloadError("the server sent records in another order than asked for.")
            if part.problem:
                yield match, printable(part.problem, 200)
                continue
            header = _checked(part.header, match)
            chunks = _rest(parts, part, header.size - offset)
            yield match, Arriving(header.file_name, header.size, header.sha256, chunks)

    async def _parts(self, call: Any) -> AsyncIterator[pb.RecordPart]:
        cut: type[CutError] = UnreachableError
        while True:
            with self._errors(cut):
                async with asyncio.timeout(self._silence):
                    said = await call.read()
                if said is grpc.aio.EOF:
                    return
                response = pb.DownloadRecordsResponse.FromString(said)
            cut = CutError
            for part in response.parts:
                yield part

    async def _header(self, call: Any, match: str) -> pb.RecordHeader:
        part = await self._part(call, UnreachableError)
        if part is None or part.WhichOneof("part") != "header":
            raise DownloadError("the server sent bytes before it said what they are.")
        return _checked(part.header, match)

    async def _chunks(self, call: Any, left: int) -> AsyncIterator[bytes]:
        while (part := await self._part(call, CutError)) is not None:
            if not part.chunk:
                raise DownloadError("the server sent a part without bytes.")
            left -= len(part.chunk)
            if left < 0:
                raise DownloadError("the server sent more bytes than it had announced.")
            yield part.chunk
        if left:
            raise CutError(f"the record breaks off, {left} bytes before its end.")

    async def _part(self, call: Any, cut: type[CutError]) -> pb.DownloadRecordResponse | None:
        with self._errors(cut):
            async with asyncio.timeout(self._silence):
                said = await call.read()
            return None if said is grpc.aio.EOF else pb.DownloadRecordResponse.FromString(said)

    @contextlib.contextmanager
    def _errors(self, cut: type[CutError]) -> Iterator[None]:
        """Turn gRPC errors into DownloadError and its subclasses."""
        try:
            yield
        except TimeoutError:
            raise cut(
                f"{self._server} has not said anything for {self._silence:g} seconds."
            ) from None
        except DecodeError:
            raise DownloadError(f"{self._server} sent what cannot be read.") from None
        except grpc.aio.AioRpcError as error:
            detail = f"{printable(error.details() or error.code().name).rstrip('.')}."
            if error.code() is grpc.StatusCode.UNIMPLEMENTED:
                raise UnsupportedError(f"the server is too old: {detail}") from None
            if error.code() is grpc.StatusCode.OUT_OF_RANGE:
                raise OffsetError(detail) from None
            if error.code() in _SILENT:
                raise cut(f"{self._server}: {detail}") from None
            if error.code() in _PASSING:
                raise CutError(f"{self._server}: {detail}") from None
            raise DownloadError(f"the server refuses: {detail}") from None

    @property
    def _open(self) -> grpc.aio.Channel:
        assert self._channel is not None  # noqa: S101  it is used in a with statement
        return self._channel


def _checked(header: pb.RecordHeader, match: str) -> pb.RecordHeader:
    """Return what a server announces, if it can be the record of a match."""
    if header.file_name not in file_names(match):
        raise DownloadError(
            f'the server calls the file "{printable(header.file_name, 80)}", '
            f"which is no name for the record of {match}."
        )
    if not 0 <= header.size <= LARGEST_RECORD:
        raise DownloadError(
            f"the server announces {header.size} bytes; a record has at most {LARGEST_RECORD}."
        )
    if not _SHA256.fullmatch(header.sha256):
        raise DownloadError("the server sent no SHA-256 that can be checked.")
    return header


async def _rest(
    parts: AsyncIterator[pb.RecordPart], part: pb.RecordPart, left: int
) -> AsyncIterator[bytes]:
    """Return the bytes of a record from its first part on."""
    index = part.index
    while True:
        left -= len(part.chunk)
        if left < 0:
            raise DownloadError("the server sent more bytes than it had announced.")
        if part.chunk:
            yield part.chunk
        if not left:
            return
        following = await anext(parts, None)
        if following is None:
            raise CutError(f"the record breaks off, {left} bytes before its end.")
        if following.index != index or not following.chunk:
            raise DownloadError("the server sent a part without bytes.")
        part = following
