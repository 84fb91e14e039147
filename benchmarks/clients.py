"""The other side of benchmarks/referee.py: trivial bots and echoes, as processes of their own.

python -m benchmarks.clients echo ADDRESS STREAMS     answer every message with the same bytes
python -m benchmarks.clients bots ADDRESS TOKEN...    one trivial gRPC bot for each token
"""

from __future__ import annotations

import asyncio
import sys
from typing import Any

import grpc
from highstreet.v1 import play_pb2 as pb

METHOD = "/highstreet.v1.PlayService/Play"
ECHO = "/bench.Echo/Echo"
ANSWER = b"x" * 45
"""As long as a usual answer on the wire."""

DECISION = pb.PlayResponse.DECISION_FIELD_NUMBER << 3 | 2
MOVE = bytes([pb.SubmitMove.MOVE_FIELD_NUMBER << 3 | 2])
SUBMIT_MOVE = bytes([pb.PlayRequest.SUBMIT_MOVE_FIELD_NUMBER << 3 | 2])
"""What stands in front of these messages."""


async def echo(address: str, streams: int) -> None:
    """Answer every message of every stream."""

    async def one() -> None:
        async with grpc.aio.insecure_channel(address, own_connection()) as channel:
            call: Any = channel.stream_stream(ECHO)()
            await call.write(b"join")
            while await call.read() is not grpc.aio.EOF:
                await call.write(ANSWER)

    await asyncio.gather(*(one() for _ in range(streams)))


async def bots(address: str, tokens: list[str]) -> None:
    """Play the first legal move, everywhere."""

    async def one(token: str) -> None:
        async with grpc.aio.insecure_channel(address, own_connection()) as channel:
            call: Any = channel.stream_stream(METHOD)()
            join = pb.Join(token=token, protocol_version=1)
            await call.write(pb.PlayRequest(join=join).SerializeToString())
            while (data := await call.read()) is not grpc.aio.EOF:
                if data[0] == DECISION:
                    await call.write(first_move(data))

    await asyncio.gather(*(one(token) for token in tokens))


def first_move(data: bytes) -> bytes:
    """Play the first legal move, without reading more of a decision than that takes.

    Match and number of a decision are the first fields in it, and of the answer to it: they are
    copied as they are. Behind them comes the clock, then the legal moves.
    """
    match = 1 + _size(data, 1)
    number = match + 2 + data[match + 1]
    clock = number + 1 + _size(data, number + 1)
    move = clock + 2 + data[clock + 1]
    said = data[match:clock] + MOVE + data[move + 1 : move + 2 + data[move + 1]]
    assert len(said) < 128  # noqa: S101  so that its length is one byte
    return SUBMIT_MOVE + bytes([len(said)]) + said


def _size(data: bytes, at: int) -> int:
    """Return how many bytes a number takes that is not large."""
    return 1 if data[at] < 128 else 2


def answer(asked: pb.Decision, move: pb.Move) -> bytes:
    """Return the request that answers a decision."""
    said = pb.SubmitMove(match=asked.match, decision_id=asked.decision_id, move=move)
    return pb.PlayRequest(submit_move=said).SerializeToString()


def own_connection() -> list[tuple[str, int]]:
    """Give every stream a connection of its own, as bots of different people have."""
    return [("grpc.use_local_subchannel_pool", 1)]


def main() -> None:
    """Do what the first argument says."""
    kind, *rest = sys.argv[1:]
    if kind == "echo":
        asyncio.run(echo(rest[0], int(rest[1])))
    elif kind == "bots":
        asyncio.run(bots(rest[0], rest[1:]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    try:
        main()
    except (KeyboardInterrupt, grpc.RpcError):
        sys.exit(1)
