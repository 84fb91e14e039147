"""What a bot sends over gRPC that cannot be read is a fault of its match, and nothing more."""

from __future__ import annotations

import json

import pytest
from highstreet.v1 import play_pb2 as pb

from tests.referee.dialling import Dialler, referee, run
from tests.referee.transports.test_server import match_of, seated

NO_MOVE = pb.SubmitMove(match="match-1", decision_id=1)
UNREADABLE = {
    "no protobuf": b"\xff" * 40,
    "a message that is cut short": pb.PlayRequest(submit_move=NO_MOVE).SerializeToString()[:-1],
    "an empty message": b"",
    "a submit_move without a move": pb.PlayRequest(submit_move=NO_MOVE).SerializeToString(),
    "every byte": bytes(range(256)),
}


@pytest.mark.parametrize("data", UNREADABLE.values(), ids=UNREADABLE)
def test_an_unreadable_message_is_a_fault_and_the_match_goes_on(data: bytes) -> None:
    async def test() -> None:
        async with referee() as server:
            bot, session, _ = await seated(server)
            other = Dialler(server.address)
            await other.join(server.tokens.issue("bob"))
            playing = match_of(session)
            decision = await bot.hear_kind("decision")
            await bot.say_bytes(data)
            rejected = await bot.hear_kind("move_rejected")
            assert rejected.decision_id == decision.decision_id
            await bot.submit(decision)
            await bot.play()
            result = await playing
            assert result.forfeits == ()
            first = json.loads(result.record.splitlines()[2])
            assert [verdict["fault"] for verdict in first["verdicts"]] == ["malformed"]
            assert len(server.sessions) == 2, "nobody was cut off"
            await bot.cut()
            await other.cut()

    run(test)
