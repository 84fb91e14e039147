"""A bot or a client that sends too much costs the honest tables at most a tenth of their decisions.

What each attack costs stands in the report of the tests (``--junit-xml``).
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Callable

import pytest

from referee.match_service.service import MatchService
from referee.transports.grpc_server import RefereeServer
from tests.attacks.harness import ROOT, cost_of
from tests.attacks.referee_process import Matches
from tests.referee.dialling import run

pytestmark = pytest.mark.slow

MOST_MEMORY = 64
"""MB: sixteen answers of 64 KB made more than that before they were bounded."""

BOTS = {
    ("pipe", "blank"): {"malformed"},
    ("pipe", "leave"): {"malformed"},
    ("pipe", "stale-long"): {"malformed"},
    ("pipe", "stale-short"): set[str](),  # as much as is no fault
    ("pipe", "endless"): {"malformed"},
    ("grpc", "stale-long"): {"malformed"},
    ("grpc", "leave"): {"malformed"},
}
"""Bots that flood, with the faults that this leads to."""


@pytest.mark.alone
@pytest.mark.parametrize(("transport", "attack"), BOTS, ids=map("-".join, BOTS))
def test_a_bot_that_floods_costs_the_others_at_most_a_tenth(
    transport: str, attack: str, record_property: Callable[[str, object], None]
) -> None:
    cost = cost_of(transport, attack)
    record_property("attack", str(cost))
    assert cost.kept > 0.9
    assert cost.grown_mb < MOST_MEMORY
    assert cost.last["matches"] > 0
    assert set(cost.last["verdicts"]) == BOTS[transport, attack]


CLIENTS = ["list-pages", "reflect", "reconnect", "unknown"]
SECONDS = 4.0
FIRST_REQUEST = 0.03
"""Seconds of CPU time after which the attack has certainly begun."""


@pytest.mark.parametrize("attack", CLIENTS)
def test_a_client_that_floods_takes_at_most_a_tenth_of_the_loop(
    attack: str, record_property: Callable[[str, object], None]
) -> None:
    """All CPU time of the referee goes into the attack: no match is played here.

    The measurement begins with the first request, so it includes what the limits allow at once.
    """

    async def test() -> None:
        server = RefereeServer()
        await server.start(add_services=MatchService(Matches()).add_to)
        program = [sys.executable, "-m", "tests.attacks.callers", attack, server.address]
        program.append(server.tokens.issue("x"))
        idle = time.process_time()
        client = await asyncio.create_subprocess_exec(*program, cwd=ROOT)
        try:
            while time.process_time() - idle < FIRST_REQUEST:
                await asyncio.sleep(0.01)
            cpu, wall = time.process_time(), time.monotonic()
            await asyncio.sleep(SECONDS)
            share = (time.process_time() - cpu) / (time.monotonic() - wall)
        finally:
            client.kill()
            await client.wait()
            await server.stop(grace=0)
        record_property("attack", f"{share:.1%} of a core")
        assert 0 < share < 0.1

    run(test)
