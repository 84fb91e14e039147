"""Two servers on one database: what one plays, the other leaves alone, until it is gone."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.tournaments.postgres import PostgresServer
from tests.tournaments.serving import (
    LEAGUE,
    Place,
    all_matches,
    check_everything_once,
    kill,
    run,
    stop,
    until,
)
from tests.tournaments.swarm import (
    Swarm,
    check_what_bots_saw,
    everybody_heard,
    hold_at,
    league_file,
)
from tournaments.model import ScheduledMatch
from tournaments.store import Store, schema

BOTS = 6
EACH = 8
"""The results that each server has before the test looks."""


def check_rounds(store: Store) -> None:
    """No two have met twice in a round: each was planned once."""
    met: defaultdict[int | None, Counter[frozenset[str]]] = defaultdict(Counter)
    for match in all_matches(store):
        met[match.round][frozenset(seat.entrant for seat in match.seats)] += 1
    assert None not in met
    for number, pairs in met.items():
        assert set(pairs.values()) == {1}, f"round {number} was planned twice"


def let_leases_end(store: Store, server: str) -> None:
    """Let the time pass for which a server that is gone still holds what it had."""
    table = schema.matches
    held = sa.update(table).where(table.c.server == server, table.c.lease_until.is_not(None))
    with store._database.write() as connection:
        connection.execute(held.values(lease_until=datetime(2000, 1, 1, tzinfo=UTC)))


async def each_shows(places: Sequence[Place], results: int) -> None:
    """Wait until the standings that each server shows count a number of matches."""
    clients = [place.client() for place in places]

    async def all_counted() -> bool:
        shown = [await asyncio.to_thread(client.standings, LEAGUE) for client in clients]
        return {matches for _, matches in shown} == {results}

    await until(all_counted, "each server shows the standings of both")


@pytest.mark.slow
@pytest.mark.parametrize("scheduler", ["rounds", "ladder"])
def test_two_servers_play_every_match_once_and_one_takes_over(
    postgres: PostgresServer, tmp_path: Path, scheduler: str
) -> None:
    """All bots are connected to both, so that both want to play the same matches."""

    async def test() -> None:
        file = tmp_path / "league.toml"
        file.write_text(league_file(BOTS, scheduler), encoding="utf-8")
        options = ("--league", f"{LEAGUE}={file}", "--grace", "0")
        places = [Place(tmp_path / name, url, stack) for name in ("one", "two")]
        servers = [await asyncio.to_thread(place.start, *options) for place in places]
        one, two = places
        store = stack.enter_context(Store.open(url, migrate=False))
        tokens = [store.enter(LEAGUE, f"bot {number}", "")[1] for number in range(BOTS)]
        swarm = Swarm()
        for place in places:
            swarm.send(place.address, tokens)

        async def both_have_played() -> bool:
            assert not swarm.refused, swarm.refused
            played = await asyncio.to_thread(all_matches, store, "played")
            counted = Counter(match.server for match in played)
            return all(counted[place.name] >= EACH for place in places)

        def both_play(running: Sequence[ScheduledMatch]) -> bool:
            return {match.server for match in running} == {one.name, two.name}

        try:
            await until(both_have_played, "both servers play")
            running = await hold_at(swarm, store, both_play)
            await everybody_heard(swarm, store)
            await each_shows(places, len(store.results(LEAGUE)))

            kill(servers[0])
            await swarm.recall(one.address)
            left = [match for match in running if match.server == one.name]
            let_leases_end(store, one.name)
            swarm.go_on()

            async def taken_over() -> bool:
                found = [await asyncio.to_thread(store.match, match.id) for match in left]
                return all(match.state == "played" for match in found)

            await until(taken_over, "the other server plays what was left")
            again = [store.match(match.id) for match in left]
            assert {match.server for match in again} == {two.name}
            assert all(match.attempt > 1 for match in again)
            unfinished = [m for m in all_matches(store) if m.state in ("scheduled", "running")]
            assert {match.server for match in unfinished} <= {two.name}, "nothing is left alone"

            await hold_at(swarm, store, bool)
            await everybody_heard(swarm, store)
            await asyncio.to_thread(stop, servers[1])
        finally:
            await swarm.recall_all()
        check_everything_once(store, tmp_path)
        check_what_bots_saw(swarm, store)
        assert store.counts(LEAGUE)["dropped"] == 0
        if scheduler == "rounds":
            check_rounds(store)

    url = postgres.new_database()
    with ExitStack() as stack:
        stack.callback(postgres.drop_database, url)
        run(test)
