"""Clients that attack over gRPC, each a process of its own.

python -m tests.attacks.callers NAME ADDRESS TOKEN
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from highstreet.v1 import match_pb2
from highstreet.v1 import play_pb2 as pb

PLAY = "/highstreet.v1.PlayService/Play"
LIST = "/highstreet.v1.MatchService/ListMatches"
AT_ONCE = 8


def own_channel(address: str) -> grpc.aio.Channel:
    """Return a channel with a connection of its own."""
    return grpc.aio.insecure_channel(address, [("grpc.use_local_subchannel_pool", 1)])


def request(decision: pb.Decision, behind: int = 0, move: pb.Move | None = None) -> bytes:
    """Write an answer to a decision, or to the one ``behind`` numbers after it."""
    submitted = pb.SubmitMove(
        match=decision.match,
        decision_id=decision.decision_id + behind,
        move=move or decision.legal_moves[0],
    )
    return pb.PlayRequest(submit_move=submitted).SerializeToString()


async def joined(channel: grpc.aio.Channel, token: str) -> Any:
    """Return a stream that has joined."""
    call: Any = channel.stream_stream(PLAY)()
    join = pb.Join(token=token, protocol_version=1)
    await call.write(pb.PlayRequest(join=join).SerializeToString())
    return call


async def play(
    address: str, token: str, each: Callable[[Any, pb.Decision], Awaitable[None]]
) -> None:
    """Play, and do something before each answer."""
    while True:
        with contextlib.suppress(grpc.aio.AioRpcError):
            async with own_channel(address) as channel:
                call = await joined(channel, token)
                while (data := await call.read()) is not grpc.aio.EOF:
                    said = pb.PlayResponse.FromString(data)
                    if said.WhichOneof("message") == "decision":
                        await each(call, said.decision)
                        await call.write(request(said.decision))
        await asyncio.sleep(0.05)


async def stale_long(address: str, token: str) -> None:
    """Send 64 KB answers with the right match and a wrong decision; each of them another one."""

    async def each(call: Any, decision: pb.Decision) -> None:
        for number in range(1, 9):
            parts = {"ingredients": [1 + number % 18] * 65_000}
            move = pb.Move(glastonbury={"immuto": parts})
            await call.write(request(decision, -number, move))

    await play(address, token, each)


async def leave(address: str, token: str) -> None:
    """Send one leave after the other while the match goes on."""
    word = pb.PlayRequest(leave=pb.Leave()).SerializeToString()

    async def each(call: Any, _decision: pb.Decision) -> None:
        for _ in range(100):
            await call.write(word)

    await play(address, token, each)


async def reconnect(address: str, token: str) -> None:
    """Join, hang up, and join again."""

    async def storm() -> None:
        while True:
            with contextlib.suppress(grpc.aio.AioRpcError):
                async with own_channel(address) as channel:
                    call = await joined(channel, token)
                    await call.read()
                    call.cancel()

    await asyncio.gather(*(storm() for _ in range(AT_ONCE)))


async def list_pages(address: str, _token: str) -> None:
    """Ask for the largest page there is, again and again."""

    async def ask(channel: grpc.aio.Channel) -> None:
        page = match_pb2.ListMatchesRequest(page_size=1000).SerializeToString()
        call: Any = channel.unary_unary(LIST)
        while True:
            with contextlib.suppress(grpc.aio.AioRpcError):
                await call(page)

    async with own_channel(address) as channel:
        await asyncio.gather(*(ask(channel) for _ in range(AT_ONCE)))


async def unknown(address: str, _token: str) -> None:
    """Call a method that there is not."""

    async def ask(channel: grpc.aio.Channel) -> None:
        call: Any = channel.unary_unary("/highstreet.v1.MatchService/NoSuchMethod")
        while True:
            with contextlib.suppress(grpc.aio.AioRpcError):
                await call(b"")

    async with own_channel(address) as channel:
        await asyncio.gather(*(ask(channel) for _ in range(AT_ONCE)))


async def reflect(address: str, _token: str) -> None:
    """Ask what services there are, as fast as one stream after the other lets us."""
    symbol = reflection_pb2.ServerReflectionRequest(
        file_containing_symbol="highstreet.v1.PlayService"
    )

    async def requests() -> AsyncIterator[Any]:
        while True:
            yield symbol

    async def ask(channel: grpc.aio.Channel) -> None:
        stub: Any = reflection_pb2_grpc.ServerReflectionStub(channel)  # type: ignore[arg-type]
        while True:
            with contextlib.suppress(grpc.aio.AioRpcError):
                async for _ in stub.ServerReflectionInfo(requests()):
                    pass

    async with own_channel(address) as channel:
        await asyncio.gather(*(ask(channel) for _ in range(AT_ONCE)))


CALLERS: dict[str, Callable[[str, str], Awaitable[None]]] = {
    "stale-long": stale_long,
    "leave": leave,
    "reconnect": reconnect,
    "list-pages": list_pages,
    "reflect": reflect,
    "unknown": unknown,
}


async def main() -> None:
    """Attack until killed."""
    name, address, token = sys.argv[1:]
    await CALLERS[name](address, token)


if __name__ == "__main__":
    asyncio.run(main())
