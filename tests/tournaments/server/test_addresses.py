"""Connected bots of one public network address: kept apart by a server that sees real addresses.

Loopback and private addresses do not count, so the server and its bots run in a network namespace
whose loopback interface has public addresses: a connection to one of them comes from it as well.
"""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from contextlib import AsyncExitStack
from dataclasses import replace
from pathlib import Path

import pytest

from tests.referee.dialling import Dialler
from tests.tournaments.serving import (
    BRIEF,
    LEAGUE,
    PATIENCE,
    TWO,
    Running,
    league_server,
    playing,
    until,
)

ROOT = Path(__file__).parents[3]
ONE, OTHER = "8.8.8.8", "9.9.9.9"
NAMESPACE = (
    *("unshare", "--map-root-user", "--net", "sh", "-ec"),
    f'ip link set lo up; for each in {ONE} {OTHER}; do ip addr add $each dev lo; done; exec "$@"',
    "sh",
)


def inside(scenario: str, folder: Path) -> None:
    """Play a scenario of this module in a namespace with two public addresses."""
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        pytest.skip("unshare or ip is missing: apt install util-linux iproute2")
    if subprocess.run([*NAMESPACE, "true"], check=False, capture_output=True).returncode:
        pytest.skip("this machine allows no network namespaces")
    ran = subprocess.run(
        [*NAMESPACE, sys.executable, "-m", __spec__.name, scenario, str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=3 * PATIENCE,
    )
    assert ran.returncode == 0, ran.stderr


def test_bots_of_one_public_address_never_share_a_table(tmp_path: Path) -> None:
    inside("apart", tmp_path)


def test_the_organiser_may_let_bots_of_one_address_meet(tmp_path: Path) -> None:
    inside("together", tmp_path)


# In the namespace -------------------------------------------------------------------------------


async def join(running: Running, stack: AsyncExitStack, name: str, address: str) -> None:
    bot = Dialler(f"{address}:{running.server.referee.port}")
    await bot.join(running.tokens[name], max_matches=1)
    await stack.enter_async_context(playing(bot))


async def play(folder: Path, *, apart: bool) -> None:
    """Let two bots of one address join, and then one of another address."""
    url = f"sqlite:///{folder / 'league.db'}"
    async with league_server(url, host="0.0.0.0") as running, AsyncExitStack() as stack:  # noqa: S104
        settings = replace(TWO, time_control=BRIEF, separate_addresses=apart)
        running.begin("ann", "bob", "cid", settings=settings)
        await running.open()
        await join(running, stack, "ann", ONE)
        await join(running, stack, "bob", ONE)
        if not apart:
            await running.until_played(2)
            return

        async def waits() -> bool:
            why: str = (await running.ask("league", LEAGUE))["activity"]["why"]
            return "one network address" in why

        await until(waits, "the league says that both have one address")
        assert not running.played()
        await join(running, stack, "cid", OTHER)
        tables = [{seat.entrant for seat in match.seats} for match in await running.until_played(8)]
        assert {"ann", "bob"} not in tables
        assert {"ann", "cid"} in tables
        assert {"bob", "cid"} in tables


if __name__ == "__main__":
    asyncio.run(play(Path(sys.argv[2]), apart=sys.argv[1] == "apart"))
