"""A connection that makes no call is closed; one with a bot stays."""

from __future__ import annotations

import asyncio

import pytest

from referee.transports.grpc_connection import Limits
from tests.referee.dialling import Dialler, referee, run
from tests.waiting import PATIENCE

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
SETTINGS = bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])
"""An empty SETTINGS frame of HTTP/2."""
IDLE = 1.0


async def until_closed(port: int, said: bytes) -> None:
    """Connect, say something and nothing more, and read until the server closes the connection."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(said)
    try:
        async with asyncio.timeout(PATIENCE):
            while await reader.read(4096):
                pass
    except ConnectionResetError:
        pass
    finally:
        writer.close()


@pytest.mark.slow
@pytest.mark.parametrize("said", [b"", b"PRI", PREFACE + SETTINGS], ids=["nothing", "part", "all"])
def test_a_connection_without_a_call_is_closed_and_a_bot_stays(said: bytes) -> None:
    async def test() -> None:
        # Without keepalive, which would end a connection that does not answer, too.
        async with referee(Limits(keepalive_seconds=None, idle_seconds=IDLE)) as server:
            bot = Dialler(server.address)
            await bot.join(server.tokens.issue("ann"))
            await until_closed(server.port, said)
            await asyncio.sleep(IDLE)
            assert [session.connected for session in server.sessions] == [True]
            await bot.cut()

    run(test)
