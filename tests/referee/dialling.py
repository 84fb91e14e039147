"""A gRPC client for tests: says exactly what a test tells it to, over a real socket."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from highstreet.v1 import play_pb2 as pb

from engine.registry import find_game
from engine.shuffle import Seed, seed_from_text
from referee.match.player import MatchPlan
from referee.model.clock import TimeControl
from referee.model.policy import Policy
from referee.transports.grpc_connection import Limits
from referee.transports.grpc_server import RefereeServer, Tls
from tests.waiting import PATIENCE

METHOD = "/highstreet.v1.PlayService/Play"
GAME = find_game("glastonbury")


class Dialler:
    """One stream to a referee."""

    def __init__(self, target: str, certificate: bytes | None = None) -> None:
        options = [("grpc.use_local_subchannel_pool", 1)]
        if certificate is None:
            self._channel = grpc.aio.insecure_channel(target, options)
        else:
            trusted = grpc.ssl_channel_credentials(certificate)
            self._channel = grpc.aio.secure_channel(target, trusted, options)
        self.call: Any = self._channel.stream_stream(METHOD)()
        self.resume_id = ""

    async def join(self, token: str, **fields: Any) -> pb.PlayResponse:
        """Join and return what comes first."""
        join = pb.Join(token=token, protocol_version=1)
        for name, value in fields.items():
            setattr(join, name, value)
        await self.say(pb.PlayRequest(join=join))
        first = await self.hear()
        self.resume_id = first.welcome.resume_id
        return first

    async def say(self, request: pb.PlayRequest) -> None:
        """Send a request."""
        await self.call.write(request.SerializeToString())

    async def say_bytes(self, data: bytes) -> None:
        """Send bytes that need not be a request."""
        await self.call.write(data)

    async def hear_bytes(self) -> bytes:
        """Return the next message as it came."""
        async with asyncio.timeout(PATIENCE):
            data = await self.call.read()
        if data is grpc.aio.EOF:
            raise EOFError(await self.call.code())
        return bytes(data)

    async def hear(self) -> pb.PlayResponse:
        """Return the next message."""
        return pb.PlayResponse.FromString(await self.hear_bytes())

    async def hear_kind(self, kind: str) -> Any:
        """Skip messages until one of that kind comes, and return it."""
        while True:
            said = await self.hear()
            if said.WhichOneof("message") == kind:
                return getattr(said, kind)

    async def submit(self, decision: pb.Decision, number: int = 0) -> None:
        """Answer a decision with one of its legal moves."""
        answer = pb.SubmitMove(
            match=decision.match,
            decision_id=decision.decision_id,
            move=decision.legal_moves[number],
        )
        await self.say(pb.PlayRequest(submit_move=answer))

    async def play(self, until: str = "match_ended") -> Any:
        """Answer every decision with its first legal move until something comes."""
        while True:
            said = await self.hear()
            kind = said.WhichOneof("message")
            if kind == until:
                return getattr(said, until)
            if kind == "decision":
                await self.submit(said.decision)

    async def cut(self) -> None:
        """Drop the connection without a word."""
        self.call.cancel()
        await self._channel.close()

    async def end_status(self) -> tuple[grpc.StatusCode, str]:
        """Wait for the end of the stream; return its code and the reason in ErrorInfo."""
        async with asyncio.timeout(PATIENCE):
            with contextlib.suppress(grpc.aio.AioRpcError):
                while await self.call.read() is not grpc.aio.EOF:
                    pass
            code = await self.call.code()
        details, metadata = await self.call.details(), await self.call.trailing_metadata()
        ended: Any = _Ended(self.call, code, details, metadata)
        status = rpc_status.from_call(ended)
        reason = ""
        for detail in status.details if status else ():
            info = error_details_pb2.ErrorInfo()
            if detail.Unpack(info):
                assert info.domain == "highstreet"
                reason = info.reason
        return code, reason


class _Ended:
    """An ended call as grpc_status wants it: with plain methods."""

    def __init__(self, call: Any, code: Any, details: Any, metadata: Any) -> None:
        self._call, self._code, self._details, self._metadata = call, code, details, metadata

    def code(self) -> Any:
        return self._code

    def details(self) -> Any:
        return self._details

    def trailing_metadata(self) -> Any:
        return tuple((key, value) for key, value in self._metadata)


@contextlib.asynccontextmanager
async def referee(
    limits: Limits | None = None, tls: Tls | None = None, unix: Path | None = None
) -> AsyncIterator[RefereeServer]:
    """Run a real server on a free port."""
    server = RefereeServer(limits, tls)
    await server.start(unix=unix)
    try:
        yield server
    finally:
        await server.stop(grace=0)


def plan(
    *entrants: str,
    seed: Seed | None = None,
    control: TimeControl | None = None,
    policy: Policy | None = None,
    recipes: bool = False,
    match: str = "match-1",
) -> MatchPlan:
    """Make the plan of a match of Glastonbury."""
    return MatchPlan(
        match,
        GAME,
        GAME.spec.options(len(entrants), {"recipes": recipes}),
        seed or seed_from_text("1"),
        b"0123456789abcdef",
        entrants,
        control or TimeControl(),
        policy or Policy(),
    )


def run(test: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run a test on a loop of its own, and find what it leaves behind."""

    async def guarded() -> None:
        async with asyncio.timeout(2 * PATIENCE):
            await test()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        ours = [task for task in others if "referee" in repr(task.get_coro())]
        assert not ours, f"left over: {ours}"

    asyncio.run(guarded())
