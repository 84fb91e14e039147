"""Many records in one call: what comes, in which order, and what an unread call costs."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Any

import grpc
import pytest
from highstreet.v1 import match_pb2 as pb

from referee.match_service.background_work import BackgroundWork
from referee.match_service.streams import (
    MOST_OF_ONE,
    MOST_RECORDS,
    PIECE,
    READ_TOGETHER,
    RecordStreams,
)
from tests.referee.dialling import run
from tests.waiting import until

SERVICE = "highstreet.v1.MatchService"
METHOD = f"/{SERVICE}/DownloadRecords"


class Kept:
    """Records in memory; notes how many were asked for at a time."""

    def __init__(self, **records: bytes) -> None:
        self._records = records
        self.asked: list[int] = []

    def records(self, matches: Sequence[str]) -> Mapping[str, tuple[str, bytes]]:
        """Return those that are there."""
        self.asked.append(len(matches))
        there = [match for match in matches if match in self._records]
        return {match: (f"{match}.jsonl", self._records[match]) for match in there}


@contextlib.asynccontextmanager
async def serving(
    kept: Kept, read_within: float = 30.0
) -> AsyncIterator[tuple[RecordStreams, grpc.aio.Channel]]:
    """Serve records, and dial."""
    streams, server = RecordStreams(kept, BackgroundWork(), read_within), grpc.aio.server()
    handlers = {"DownloadRecords": streams.handler()}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            yield streams, channel
    finally:
        await server.stop(0)


def call(channel: grpc.aio.Channel, *asked: tuple[str, int]) -> Any:
    """Ask for records."""
    wanted = [pb.DownloadRecordRequest(match=match, offset=offset) for match, offset in asked]
    request = pb.DownloadRecordsRequest(records=wanted).SerializeToString()
    ask: Any = channel.unary_stream(METHOD)
    return ask(request)


async def parts_of(answer: Any) -> list[pb.RecordPart]:
    """Read an answer to its end."""
    found: list[pb.RecordPart] = []
    async for said in answer:
        found += pb.DownloadRecordsResponse.FromString(said).parts
    return found


def test_records_come_in_the_order_of_the_request() -> None:
    large = os.urandom(3 * PIECE + 5)

    async def test() -> None:
        kept = Kept(a=b"alpha", b=b"", large=large)
        async with serving(kept) as (_, channel):
            asked = [
                ("large", 0),
                ("nothing", 0),
                ("b", 0),
                ("a", 2),
                ("a", 5),
                ("a", 6),
                ("a", -1),
            ]
            parts = await parts_of(call(channel, *asked))
            by_index = [[part for part in parts if part.index == n] for n in range(len(asked))]
            assert [part.index for part in parts] == sorted(part.index for part in parts)
            assert b"".join(part.chunk for part in by_index[0]) == large
            assert by_index[0][0].header.sha256 == hashlib.sha256(large).hexdigest()
            assert (by_index[0][0].header.file_name, by_index[0][0].header.size) == (
                "large.jsonl",
                len(large),
            )
            assert "no such match" in by_index[1][0].problem
            assert [(p[0].header.size, p[0].chunk) for p in by_index[2:5]] == [
                (0, b""),
                (5, b"pha"),
                (5, b""),
            ]
            assert by_index[3][0].header.sha256 == hashlib.sha256(b"alpha").hexdigest()
            assert "has 5 bytes" in by_index[5][0].problem
            assert "has 5 bytes" in by_index[6][0].problem

    run(test)


def test_few_records_are_in_memory_at_a_time() -> None:
    async def test() -> None:
        names = [f"m{number}" for number in range(MOST_RECORDS)]
        kept = Kept(**dict.fromkeys(names, b"x" * 2000))
        async with serving(kept) as (_, channel):
            parts = await parts_of(call(channel, *((name, 0) for name in names)))
            assert [part.index for part in parts] == list(range(MOST_RECORDS))
            assert max(kept.asked) == READ_TOGETHER
            with pytest.raises(grpc.aio.AioRpcError, match="501 records are asked for"):
                await parts_of(call(channel, *((name, 0) for name in [*names, "m0"])))

    run(test)


def test_client_that_does_not_read_is_cut_off_and_costs_little() -> None:
    """Its records are made as it reads them, its calls are limited, and other clients are not."""

    async def test() -> None:
        names = [f"m{number}" for number in range(MOST_RECORDS)]
        kept = Kept(**dict.fromkeys(names, os.urandom(PIECE)))  # 64 MB in all
        async with serving(kept, read_within=1.0) as (streams, channel):
            asked = [(name, 0) for name in names]
            unread = [call(channel, *asked) for _ in range(MOST_OF_ONE)]
            await until(lambda: streams._calls.total() == MOST_OF_ONE)
            with pytest.raises(grpc.aio.AioRpcError, match="2 downloads of one address") as refused:
                await parts_of(call(channel, ("m0", 0)))
            assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
            await until(lambda: streams._calls.total() == 0)
            read = sum(kept.asked)
            assert read <= MOST_OF_ONE * 8 * READ_TOGETHER, "a few windows, of 1000 records"
            assert len(await parts_of(call(channel, ("m0", 0)))) == 1
            for each in unread:
                each.cancel()

    run(test)
