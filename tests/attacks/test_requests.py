"""Every request counts, whatever it is and however it comes in."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from highstreet.v1 import play_pb2 as pb

from referee.match.lag import LagMeter
from referee.match.match import Match
from referee.match.player import Player
from referee.match.result import MatchResult
from referee.model.clock import TimeControl
from referee.transports.grpc_session import GrpcPlayer
from referee.transports.in_process import InProcessPlayer
from tests.referee.dialling import Dialler, plan, referee, run
from tests.tournaments.serving import league_server
from tests.waiting import PATIENCE


def test_health_can_be_watched_on_a_league_server(tmp_path: Path) -> None:
    async def test() -> None:
        async with (
            league_server(f"sqlite:///{tmp_path / 'league.db'}") as running,
            grpc.aio.insecure_channel(running.address) as channel,
        ):
            stub: Any = health_pb2_grpc.HealthStub(channel)
            watched = stub.Watch(health_pb2.HealthCheckRequest(), timeout=PATIENCE)
            assert (await watched.read()).status == health_pb2.HealthCheckResponse.SERVING
            watched.cancel()

    run(test)


def test_a_stream_of_reflection_requests_is_refused_when_there_are_too_many() -> None:
    """Each counts as five: 100 of 500 at once, then 20 a second for at most two seconds."""

    async def ask(channel: grpc.aio.Channel) -> grpc.StatusCode:
        """Ask one question after the other, until that is refused."""
        stub: Any = reflection_pb2_grpc.ServerReflectionStub(channel)  # type: ignore[arg-type]
        call = stub.ServerReflectionInfo(timeout=PATIENCE)
        try:
            while True:
                await call.write(reflection_pb2.ServerReflectionRequest(list_services=""))
                if await call.read() is grpc.aio.EOF:
                    return await call.code()  # type: ignore[no-any-return]
        except grpc.aio.AioRpcError as error:
            return error.code()

    async def test() -> None:
        async with (
            referee() as server,
            grpc.aio.insecure_channel(server.address) as channel,
        ):
            # Of many streams that wait for their turn one has to wait too long.
            streams = [asyncio.create_task(ask(channel)) for _ in range(60)]
            done, rest = await asyncio.wait(streams, return_when=asyncio.FIRST_COMPLETED)
            for task in rest:
                task.cancel()
            assert {task.result() for task in done} == {grpc.StatusCode.RESOURCE_EXHAUSTED}
            await asyncio.gather(*rest, return_exceptions=True)

    run(test)


def test_a_token_with_which_somebody_joins_again_and_again_has_to_wait() -> None:
    """docs/guides/run-a-referee.md: 40 at once, and then one a second."""

    async def test() -> None:
        async with referee() as server:
            token = server.tokens.issue("ann")
            bots = [Dialler(server.address) for _ in range(90)]  # some may take a while
            joining = [asyncio.create_task(bot.join(token)) for bot in bots]
            await asyncio.wait(joining)
            refused = [error for task in joining if (error := task.exception()) is not None]
            codes = {error.code() for error in refused if isinstance(error, grpc.aio.AioRpcError)}
            assert grpc.StatusCode.UNAVAILABLE in codes
            for bot in bots:
                await bot.cut()
            other = Dialler(server.address)
            assert (await other.join(server.tokens.issue("bob"))).HasField("welcome")
            await other.cut()

    run(test)


def play(session: Any) -> asyncio.Task[MatchResult]:
    """Begin a match between a bot that has dialled in and an obedient one."""

    async def table() -> MatchResult:
        lag = LagMeter()
        players: list[Player] = [
            GrpcPlayer(session),
            InProcessPlayer(lambda question: question.legal[0]),
        ]
        try:
            return await Match(plan("ann", "home", control=TimeControl()), players, lag).play()
        finally:
            lag.stop()

    return asyncio.create_task(table())


LEAVE = pb.PlayRequest(leave=pb.Leave()).SerializeToString()
LONG = pb.PlayRequest(
    submit_move=pb.SubmitMove(
        match="match-1",
        decision_id=0,
        move=pb.Move(glastonbury={"immuto": {"ingredients": [1] * 4096}}),
    )
).SerializeToString()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("said", "times", "detail"),
    [
        pytest.param(LEAVE, 20, "more than 16 messages", id="leave"),
        pytest.param(LONG, 1, "4096 are the most after the join", id="long"),
    ],
)
def test_what_answers_nothing_within_a_match_counts(said: bytes, times: int, detail: str) -> None:
    async def test() -> None:
        async with referee() as server:
            bot = Dialler(server.address)
            welcome = (await bot.join(server.tokens.issue("ann"))).welcome
            assert welcome.limits.max_message_bytes == 4096
            playing = play(await server.wait_for_bot("ann"))
            await bot.hear_kind("decision")
            for _ in range(times):
                await bot.say_bytes(said)
            rejected = await bot.hear_kind("move_rejected")
            assert detail in rejected.message
            await bot.cut()
            result = await playing
            assert b'"malformed"' in result.record

    run(test)
