"""Time that goes into the requests of a bot is not credited to it as lag of the referee."""

from __future__ import annotations

import asyncio

import pytest
from highstreet.v1 import play_pb2 as pb

from tests.referee.dialling import referee, run
from tests.referee.transports.test_server import match_of, seated
from tests.waiting import until

REQUESTS = {
    "leave": pb.PlayRequest(leave=pb.Leave()).SerializeToString(),
    "an answer to another decision": pb.PlayRequest(
        submit_move=pb.SubmitMove(match="match-1", decision_id=77)
    ).SerializeToString(),
    "an answer to another match": pb.PlayRequest(
        submit_move=pb.SubmitMove(match="match-77", decision_id=1)
    ).SerializeToString(),
    "no protobuf": b"\xff" * 40,
    "nothing": b"",
}


@pytest.mark.parametrize("data", REQUESTS.values(), ids=REQUESTS)
def test_every_request_that_answers_nothing_counts_as_lag_of_the_bot(data: bytes) -> None:
    async def test() -> None:
        async with referee() as server:
            bot, session, _ = await seated(server)
            playing = match_of(session)
            await bot.hear_kind("decision")
            (player,) = session._players.values()
            before = player.inbox.handling_seconds
            await bot.say_bytes(data)
            await until(lambda: player.inbox.handling_seconds > before)
            await bot.cut()
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)

    run(test)
