"""Many tables at once: they are set up together, and one that cannot be stops no other."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from tests.tournaments.serving import LEAGUE, PATIENCE, TWO, league_server, playing, run, until

NAMES = tuple(f"bot{n}" for n in range(12))


def test_everybody_who_is_free_is_seated_together(tmp_path: Path) -> None:
    async def test() -> None:
        async with league_server(f"sqlite:///{tmp_path / 'league.db'}") as running:
            patient = replace(TWO.time_control, start_up=timedelta(seconds=PATIENCE))
            running.begin(*NAMES, settings=replace(TWO, max_tables=5, time_control=patient))
            bots = [await running.join(name, max_matches=1) for name in NAMES]
            await running.open()

            async def full() -> bool:
                return len(running.store.running(LEAGUE)) == 5

            await until(full, "as many tables as there may be")
            tables = [{seat.entrant for seat in m.seats} for m in running.store.running(LEAGUE)]
            assert len(set().union(*tables)) == 10, "nobody sits at two tables"
            assert running.server.manager.tables == 5
            async with playing(*bots):
                await running.until_played(20)

    run(test)


@pytest.mark.slow
def test_a_table_with_somebody_who_may_not_play_does_not_stop_the_others(tmp_path: Path) -> None:
    """Another server may have benched a bot whose connection is here."""

    async def test() -> None:
        async with league_server(f"sqlite:///{tmp_path / 'league.db'}") as running:
            running.begin(*NAMES, settings=TWO)
            bots = [await running.join(name, max_matches=1) for name in NAMES]
            running.store.bench(LEAGUE, NAMES[0], "it sleeps")
            await running.open()
            async with playing(*bots):
                played = await running.until_played(10)
            seated = {seat.entrant for match in played for seat in match.seats}
            assert seated <= set(NAMES[1:])
            assert running.server.manager.connections(LEAGUE, NAMES[0]) == 1

    run(test)
