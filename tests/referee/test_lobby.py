"""A referee that seats whoever dials in, and gives out results and records."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import itertools
import os
import re
import signal
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from highstreet.v1 import match_pb2

from referee.lobby import Lobby
from referee.matches import MatchEntry, MatchService
from referee.record import read_record, verify_record
from referee.server import RefereeServer
from referee.shelf import FolderShelf
from tests.referee.dialling import Dialler, plan, run
from tests.waiting import PATIENCE, until

SERVICE = "/highstreet.v1.MatchService/"
HIGHSTREET = Path(sys.executable).parent / "highstreet"
RANDOM_BOT = Path(__file__).parents[2] / "sample_bots" / "python" / "random_bot.py"


@contextlib.asynccontextmanager
async def lobby(
    folder: Path, seats: int = 2, tables: int = 2, *, opens_with: int = 0
) -> AsyncIterator[tuple[RefereeServer, Lobby, FolderShelf]]:
    """Run a server with a lobby and a shelf; it seats nobody before so many bots are there."""
    server, shelf = RefereeServer(), FolderShelf(folder)
    await server.start(add_services=MatchService(shelf).add_to)
    numbers = itertools.count(1)
    made = Lobby(
        server,
        shelf,
        lambda entrants: plan(*entrants, match=f"match-{next(numbers):03}"),
        seats,
        "glastonbury",
        tables,
    )

    async def open_up() -> None:
        await until(lambda: len(server.sessions) >= opens_with)
        await made.run()

    running = asyncio.create_task(open_up())
    try:
        yield server, made, shelf
    finally:
        await made.stop(grace=0)
        await running
        await server.stop(grace=0)


def finished(shelf: FolderShelf) -> int:
    return sum(entry.state == "finished" for entry in shelf.list("", 100, "", ""))


async def keep_playing(server: RefereeServer, name: str) -> None:
    bot = Dialler(server.address)
    await bot.join(server.tokens.issue(name))
    with contextlib.suppress(EOFError, grpc.aio.AioRpcError):
        await bot.play(until="goodbye")


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


def test_waiting_bots_are_seated_again_and_again(tmp_path: Path) -> None:
    async def test() -> None:
        async with lobby(tmp_path, opens_with=3) as (server, made, shelf):
            names = ("ann", "bob", "cid")
            bots = [asyncio.create_task(keep_playing(server, name)) for name in names]
            await until(lambda: finished(shelf) >= 6)
            await made.stop(grace=PATIENCE)
            await server.stop()
            await asyncio.gather(*bots)
        records = [read_record(path) for path in sorted(tmp_path.glob("*.jsonl"))]
        summaries = [verify_record(record) for record in records]
        assert len(summaries) >= 6
        for summary in summaries:
            assert len(set(summary.entrants)) == 2
        pairs = {frozenset(summary.entrants) for summary in summaries}
        assert len(pairs) == 3, "everybody met everybody"

    run(test)


def test_results_and_records_can_be_fetched(tmp_path: Path) -> None:
    async def test() -> None:
        async with lobby(tmp_path) as (server, made, shelf):
            bots = [asyncio.create_task(keep_playing(server, name)) for name in ("ann", "bob")]
            await until(lambda: finished(shelf) >= 3)
            await made.stop(grace=PATIENCE)
            address = server.address
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
            assert [match.match for match in listed] == [
                e.match for e in shelf.list("", 99, "", "")
            ]
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
            assert data == (tmp_path / header.file_name).read_bytes()
            verify_record(data)
            _, rest = await download(address, one.match, offset=1000)
            assert rest == data[1000:]
            await server.stop()
            await asyncio.gather(*bots)

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
def test_bad_requests_are_refused(tmp_path: Path, method: str, request_: Any, code: str) -> None:
    async def test() -> None:
        async with lobby(tmp_path) as (server, _, _):
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await unary(server.address, method, request_, match_pb2.GetMatchResponse)
            assert caught.value.code().name == code

    run(test)


def test_a_record_that_is_not_released_cannot_be_downloaded(tmp_path: Path) -> None:
    async def test() -> None:
        async with lobby(tmp_path) as (server, _, shelf):
            shelf.begin(MatchEntry("running", "glastonbury", "playing", ("ann", "bob")))
            for match in ("running", "../secret"):
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await download(server.address, match)
                assert caught.value.code() is grpc.StatusCode.NOT_FOUND

    run(test)


def test_matches_under_way_are_void_when_the_grace_is_over(tmp_path: Path) -> None:
    async def test() -> None:
        async with lobby(tmp_path) as (server, made, shelf):
            bots = [Dialler(server.address) for _ in range(2)]
            for bot, name in zip(bots, ("ann", "bob"), strict=True):
                await bot.join(server.tokens.issue(name))
            await bots[0].hear_kind("match_started")
            await made.stop(grace=0.05)
            (entry,) = shelf.list("", 10, "", "")
            assert entry.state == "void"
            ended = await bots[0].hear_kind("match_ended")
            assert ended.ending == "stopped"
            for bot in bots:
                await bot.cut()
        (path,) = tmp_path.glob("*.jsonl")
        assert verify_record(read_record(path)).ending == "stopped"

    run(test)


def test_a_shelf_finds_its_records_again(tmp_path: Path) -> None:
    async def test() -> None:
        async with lobby(tmp_path) as (server, made, shelf):
            bots = [asyncio.create_task(keep_playing(server, name)) for name in ("ann", "bob")]
            await until(lambda: finished(shelf))
            await made.stop(grace=PATIENCE)
            await server.stop()
            await asyncio.gather(*bots)
            known = [(e.match, e.places, e.forfeits) for e in shelf.list("", 99, "", "ann")]
        (tmp_path / "damaged.jsonl").write_text("nonsense\n", encoding="utf-8")
        again = FolderShelf(tmp_path)
        assert [(e.match, e.places, e.forfeits) for e in again.list("", 99, "", "ann")] == known
        assert again.list("", 99, "chess", "") == []
        assert again.list("", 99, "", "nobody") == []

    run(test)


def test_serve_seats_real_bots_and_stops_on_sigterm(tmp_path: Path) -> None:
    """The command itself, with two sample bots as processes of their own."""

    async def test() -> None:
        server = await asyncio.create_subprocess_exec(
            *(str(HIGHSTREET), "serve", "--seats", "2", "--recipes", "--grace", "5"),
            *("--entrant", "ann", "--entrant", "bob", "--out", str(tmp_path / "out")),
            stdout=asyncio.subprocess.PIPE,
        )
        assert server.stdout is not None
        first = (await server.stdout.readline()).decode()
        (address,) = re.findall(r"listening on (\S+);", first)
        tokens = [(await server.stdout.readline()).decode().split()[-1] for _ in range(2)]
        bots = [
            await asyncio.create_subprocess_exec(
                sys.executable,
                str(RANDOM_BOT),
                env={**os.environ, "HIGHSTREET_TARGET": address, "HIGHSTREET_TOKEN": token},
            )
            for token in tokens
        ]
        try:
            await until(lambda: len(list((tmp_path / "out").glob("*.jsonl"))) >= 3)
            server.send_signal(signal.SIGTERM)
            rest = (await server.stdout.read()).decode()
            assert await server.wait() == 0
            assert "matches played" in rest
            assert [await bot.wait() for bot in bots] == [0, 0]
        finally:
            for process in (server, *bots):
                if process.returncode is None:
                    process.kill()
        for path in (tmp_path / "out").glob("*.jsonl"):
            verify_record(read_record(path))
        kept = (tmp_path / "out" / "tokens.json").read_text(encoding="utf-8")
        assert not any(token in kept for token in tokens)

    run(test)


def test_a_single_table_is_used_again_and_again(tmp_path: Path) -> None:
    """Whoever waits for a free table is woken after it is free, not before."""

    async def test() -> None:
        async with lobby(tmp_path, tables=1) as (server, made, shelf):
            bots = [asyncio.create_task(keep_playing(server, name)) for name in ("ann", "bob")]
            await until(lambda: finished(shelf) >= 3)
            await made.stop(grace=PATIENCE)
            await server.stop()
            await asyncio.gather(*bots)

    run(test)


def test_a_result_is_known_even_if_its_record_cannot_be_written(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def test() -> None:
        folder = tmp_path / "records"
        folder.mkdir()
        async with lobby(folder) as (server, made, shelf):
            folder.rmdir()
            bots = [asyncio.create_task(keep_playing(server, name)) for name in ("ann", "bob")]
            await until(lambda: finished(shelf))
            await made.stop(grace=PATIENCE)
            await server.stop()
            await asyncio.gather(*bots)
            first = shelf.list("", 1, "", "")[0]
            assert first.places
            assert shelf.record(first.match) is None

    run(test)
    assert "is lost: cannot write the record" in caplog.text
