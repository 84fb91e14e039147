"""MatchService over a folder of records: lists, single matches, downloads, refusals."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from highstreet.v1 import match_pb2

from referee.match_service.service import MatchService
from referee.match_service.streams import MOST_OF_ONE
from referee.record.reader import Record
from referee.record.repository import FolderRepository
from referee.record.verify import verify_record
from referee.record.writer import write_record
from referee.transports.grpc_server import RefereeServer
from tests.referee.dialling import run
from tests.tournaments.record_files import record, void_record
from tests.waiting import until

SERVICE = "/highstreet.v1.MatchService/"
RECORDS = {
    "m1": record("m1", "ann", "bob"),
    "m2": record("m2", "ann", "cid", "dan", options={"recipes": True}),
    "m3": void_record("m3"),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make a folder of three records, one of them compressed, and a file that is none."""
    for match, data in RECORDS.items():
        write_record(tmp_path, match, data, compress=match == "m2")
    (tmp_path / "damaged.jsonl").write_text("nonsense\n", encoding="utf-8")
    return tmp_path


@contextlib.asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[str]:
    server = RefereeServer()
    await server.start(add_services=MatchService(FolderRepository(folder)).add_to)
    try:
        yield server.address
    finally:
        await server.stop(grace=0)


async def unary(address: str, method: str, request: Any, response: Any) -> Any:
    async with grpc.aio.insecure_channel(address) as channel:
        call = channel.unary_unary(
            SERVICE + method, request.__class__.SerializeToString, response.FromString
        )
        return await call(request)


async def download(address: str, match: str, offset: int = 0) -> tuple[Any, bytes]:
    async with grpc.aio.insecure_channel(address) as channel:
        call: Any = channel.unary_stream(
            SERVICE + "DownloadRecord",
            match_pb2.DownloadRecordRequest.SerializeToString,
            match_pb2.DownloadRecordResponse.FromString,
        )(match_pb2.DownloadRecordRequest(match=match, offset=offset))
        header, data = None, b""
        async for part in call:
            if part.WhichOneof("part") == "header":
                assert not data
                header = part.header
            else:
                data += part.chunk
        return header, data


def test_results_and_records_can_be_fetched(folder: Path) -> None:
    async def test() -> None:
        async with serving(folder) as address:
            listed, token = [], ""
            while True:
                page = await unary(
                    address,
                    "ListMatches",
                    match_pb2.ListMatchesRequest(page_size=2, page_token=token),
                    match_pb2.ListMatchesResponse,
                )
                listed += page.matches
                token = page.next_page_token
                if not token:
                    break
            assert [match.match for match in listed] == list(RECORDS)
            one = listed[0]
            got = await unary(
                address,
                "GetMatch",
                match_pb2.GetMatchRequest(match=one.match),
                match_pb2.GetMatchResponse,
            )
            assert got.match == one
            header, data = await download(address, one.match)
            assert header.size == len(data)
            assert header.sha256 == hashlib.sha256(data).hexdigest()
            assert data == (folder / header.file_name).read_bytes()
            verify_record(data)
            _, rest = await download(address, one.match, offset=1000)
            assert rest == data[1000:]

    run(test)


@pytest.mark.parametrize(
    ("method", "request_", "code"),
    [
        ("GetMatch", match_pb2.GetMatchRequest(match="none"), "NOT_FOUND"),
        ("GetMatch", match_pb2.GetMatchRequest(match="../../etc/passwd"), "NOT_FOUND"),
        ("ListMatches", match_pb2.ListMatchesRequest(page_size=-1), "INVALID_ARGUMENT"),
        ("ListMatches", match_pb2.ListMatchesRequest(page_size=1001), "INVALID_ARGUMENT"),
    ],
)
def test_bad_requests_are_refused(folder: Path, method: str, request_: Any, code: str) -> None:
    async def test() -> None:
        async with serving(folder) as address:
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await unary(address, method, request_, match_pb2.GetMatchResponse)
            assert caught.value.code().name == code

    run(test)


class LargeRecords(FolderRepository):
    """A folder in which every record has 32 MiB."""

    def record(self, match: str) -> tuple[str, bytes] | None:
        """Return a record that no client receives without reading."""
        return f"{match}.jsonl", bytes(1 << 25)


def test_a_client_that_does_not_read_a_record_is_cut_off_and_has_two_at_most(folder: Path) -> None:
    async def test() -> None:
        server, service = RefereeServer(), MatchService(LargeRecords(folder), read_within=1.0)
        await server.start(add_services=service.add_to)
        request = match_pb2.DownloadRecordRequest(match="m1").SerializeToString()
        async with grpc.aio.insecure_channel(server.address) as channel:
            ask: Any = channel.unary_stream(SERVICE + "DownloadRecord")
            unread = [ask(request) for _ in range(MOST_OF_ONE)]
            calls = service._streams._calls
            await until(lambda: calls.total() == MOST_OF_ONE)
            with pytest.raises(grpc.aio.AioRpcError, match="2 downloads of one address") as refused:
                await download(server.address, "m1")
            assert refused.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
            await until(lambda: calls.total() == 0)
            _, data = await download(server.address, "m1", offset=(1 << 25) - 5)
            assert data == bytes(5)
            for each in unread:
                each.cancel()
        await server.stop(grace=0)

    run(test)


def test_a_record_that_is_not_released_cannot_be_downloaded(folder: Path) -> None:
    (folder.parent / "secret.jsonl").write_bytes(RECORDS["m1"])

    async def test() -> None:
        async with serving(folder) as address:
            for match in ("running", "../secret", "damaged"):
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await download(address, match)
                assert caught.value.code() is grpc.StatusCode.NOT_FOUND

    run(test)


def test_a_repository_lists_what_the_records_say(folder: Path) -> None:
    found = FolderRepository(folder)
    entries = found.list("", 99, "", "ann")
    assert [(e.match, e.entrants) for e in entries] == [
        ("m1", ("ann", "bob")),
        ("m2", ("ann", "cid", "dan")),
        ("m3", ("ann", "bob")),
    ]
    for entry in entries:
        end = Record(RECORDS[entry.match]).end
        assert list(entry.places) == end.wholes("places")
        assert entry.state == ("void" if end.text("ending") == "stopped" else "finished")
    assert found.list("", 99, "chess", "") == []
    assert found.list("", 99, "", "nobody") == []
    write_record(folder, "m4", record("m4", "eve", "bob"))
    assert found.get("m4") is not None, "a file that comes later is found"
