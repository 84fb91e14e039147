"""A server that gives out records as a script says, and downloads from it."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import grpc
from highstreet.v1 import match_pb2 as pb

from referee.match_service.client import RecordClient
from referee.match_service.download import Downloads
from tests.waiting import PATIENCE

SERVICE = "highstreet.v1.MatchService"
DATA = bytes(range(256)) * 400
"""102,400 bytes: a record of four chunks, as far as a download knows."""
SHA256 = hashlib.sha256(DATA).hexdigest()

Said = bytes | grpc.StatusCode | float


def header(name: str = "m1.jsonl", size: int = len(DATA), sha256: str = SHA256) -> bytes:
    made = pb.RecordHeader(file_name=name, size=size, sha256=sha256)
    return pb.DownloadRecordResponse(header=made).SerializeToString()


def chunk(data: bytes) -> bytes:
    return pb.DownloadRecordResponse(chunk=data).SerializeToString()


class Scripted:
    """A server that says what it is told to: bytes, a status, or nothing for some seconds."""

    def __init__(self) -> None:
        self.says: Callable[[str, int], list[Said]] = honest
        self.pages: Callable[[pb.ListMatchesRequest], bytes] = lambda _: b""
        self.asked: list[tuple[str, int]] = []
        self.open = self.most_open = 0
        self.together: Callable[[list[tuple[str, int]]], list[Said]] | None = None
        """What it says when many records are asked for in one call; nothing if it is too old."""
        self.asked_together: list[list[tuple[str, int]]] = []

    async def download(
        self, request: bytes, context: grpc.aio.ServicerContext[Any, Any]
    ) -> AsyncIterator[bytes]:
        """Send what the script says."""
        asked = pb.DownloadRecordRequest.FromString(request)
        self.asked.append((asked.match, asked.offset))
        self.open += 1
        self.most_open = max(self.open, self.most_open)
        try:
            await asyncio.sleep(0.005)
            for said in self.says(asked.match, asked.offset):
                if isinstance(said, grpc.StatusCode):
                    await context.abort(said, "as the script says")
                elif isinstance(said, float):
                    await asyncio.sleep(said)
                else:
                    yield said
        finally:
            self.open -= 1

    async def download_many(
        self, request: bytes, context: grpc.aio.ServicerContext[Any, Any]
    ) -> AsyncIterator[bytes]:
        """Send what the script says."""
        if self.together is None:
            await context.abort(grpc.StatusCode.UNIMPLEMENTED, "Method not found!")
        assert self.together is not None
        records = pb.DownloadRecordsRequest.FromString(request).records
        asked = [(each.match, each.offset) for each in records]
        self.asked_together.append(asked)
        for said in self.together(asked):
            if isinstance(said, grpc.StatusCode):
                await context.abort(said, "as the script says")
            elif isinstance(said, bytes):
                yield said

    async def list(self, request: bytes, _: grpc.aio.ServicerContext[Any, Any]) -> bytes:
        """Send a page of the script."""
        return self.pages(pb.ListMatchesRequest.FromString(request))


def honest(match: str, offset: int) -> list[Said]:
    """Send what is asked for, as MatchService does."""
    if offset > len(DATA):
        return [grpc.StatusCode.OUT_OF_RANGE]
    rest = DATA[offset:]
    parts = [chunk(rest[start : start + 32768]) for start in range(0, len(rest), 32768)]
    return [header(f"{match}.jsonl"), *parts]


@contextlib.asynccontextmanager
async def serving(
    folder: Path, silence: float = PATIENCE
) -> AsyncIterator[tuple[Scripted, Downloads, list[float]]]:
    """Run a scripted server; give downloads into a folder, and the pauses that they made."""
    script, server = Scripted(), grpc.aio.server()
    handlers: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
        "DownloadRecord": grpc.unary_stream_rpc_method_handler(script.download),
        "DownloadRecords": grpc.unary_stream_rpc_method_handler(script.download_many),
        "ListMatches": grpc.unary_unary_rpc_method_handler(script.list),
    }
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    try:
        async with RecordClient(f"127.0.0.1:{port}", silence=silence) as client:
            yield script, Downloads(client, folder, pause), pauses
    finally:
        await server.stop(0)


def everything(folder: Path) -> dict[str, bytes]:
    """Return every file in and around a folder."""
    around = folder.parent
    return {
        str(path.relative_to(around)): path.read_bytes()
        for path in around.rglob("*")
        if path.is_file()
    }
