"""``kill -9`` in the middle of twenty matches: nothing is lost, nothing is doubled."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

import pytest
import sqlalchemy as sa

from tests.tournaments.serving import LEAGUE, Place, check_everything_once, kill, run, stop, until
from tests.tournaments.swarm import (
    Swarm,
    check_what_bots_saw,
    everybody_heard,
    hold_at,
    league_file,
)
from tournaments.model import ScheduledMatch
from tournaments.store import Store, schema

TABLES = 20
BOTS = 2 * TABLES + 8
"""A few more than find a seat, so that all tables are taken, whatever matches there were before."""

Rows = dict[str, list[tuple[object, ...]]]


def is_full(running: Sequence[ScheduledMatch]) -> bool:
    """Tell whether all tables are taken."""
    return len(running) == TABLES


def committed(store: Store) -> Rows:
    """Return everything that is kept of the matches that count, as it is in the database."""
    matches = schema.matches
    played = sa.select(matches.c.id).where(matches.c.state == "played").scalar_subquery()
    queries = {
        "matches": sa.select(matches).where(matches.c.state == "played"),
        "seats": sa.select(schema.match_seats).where(schema.match_seats.c.match.in_(played)),
        "records": sa.select(schema.records),
        "faults": sa.select(schema.faults),
    }
    with store._database.read() as connection:
        return {
            name: sorted(map(tuple, connection.execute(query).all()), key=repr)
            for name, query in queries.items()
        }


@pytest.mark.slow
def test_twenty_matches_are_cut_off_and_every_one_counts_once(url: str, tmp_path: Path) -> None:
    async def test() -> None:
        (tmp_path / "league.toml").write_text(league_file(TABLES), encoding="utf-8")
        place = Place(tmp_path / "server", url, stack)
        options = ("--league", f"{LEAGUE}={tmp_path / 'league.toml'}", "--grace", "0")
        server = await asyncio.to_thread(place.start, *options)
        store = stack.enter_context(Store.open(url, migrate=False))
        swarm = Swarm()
        tokens = [store.enter(LEAGUE, f"bot {number}", "")[1] for number in range(BOTS)]
        swarm.send(place.address, tokens)
        try:

            async def some_results() -> bool:
                return len(await asyncio.to_thread(store.results, LEAGUE)) >= TABLES

            await until(some_results, f"{TABLES} results")
            left = await hold_at(swarm, store, is_full)
            await everybody_heard(swarm, store)
            before = committed(store)
            assert len(before["records"]) == len(before["matches"]) >= TABLES

            kill(server)
            assert store.running(LEAGUE) == left, "it was killed in the middle of all of them"
            assert committed(store) == before

            swarm.forget_welcomes()
            swarm.go_on()
            server = await asyncio.to_thread(place.start, *options)

            async def all_back() -> bool:
                return swarm.welcomed == BOTS

            await until(all_back, "all bots are back by themselves")

            async def played_again() -> bool:
                found = [await asyncio.to_thread(store.match, match.id) for match in left]
                return all(match.state == "played" for match in found)

            await until(played_again, "what was cut off is played")
            assert all(store.match(match.id).attempt > match.attempt for match in left)
            log = place.log.read_text(encoding="utf-8")
            assert f"{TABLES} matches were being played when this server ended; they go on" in log
            names = sorted({name for match in left for name in match.entrants})
            assert not await asyncio.to_thread(store.deaths), "the kill counts against no entrant"
            states = {store.entrant(LEAGUE, name).state for name in names}
            assert states == {"active"}

            await hold_at(swarm, store, is_full)
            await everybody_heard(swarm, store)
            after = committed(store)
            await asyncio.to_thread(stop, server)
        finally:
            await swarm.recall_all()
        for name, rows in before.items():
            assert not Counter(rows) - Counter(after[name]), "bit for bit as before"
        assert committed(store) == after
        check_everything_once(store, tmp_path)
        check_what_bots_saw(swarm, store)
        assert store.counts(LEAGUE)["dropped"] == 0

    with ExitStack() as stack:
        run(test)
