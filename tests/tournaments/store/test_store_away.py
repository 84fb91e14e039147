"""A store that does not answer for a while, and a referee that fails: nothing is lost by it."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from referee.match.match import Commit, Match
from referee.match.result import MatchResult
from tests.tournaments.postgres import postgres_server
from tests.tournaments.serving import (
    LEAGUE,
    Place,
    check_everything_once,
    league_server,
    playing,
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
from tournaments.runner.league_matches import MOST_ATTEMPTS
from tournaments.store import Store, StoreError

BOTS = 6
TABLES = 3


@pytest.fixture
def file(tmp_path: Path) -> str:
    """Return the address of a database that is not there yet."""
    return f"sqlite:///{tmp_path / 'league.db'}"


@pytest.mark.slow
def test_what_ends_while_postgresql_is_away_is_written_when_it_is_back(tmp_path: Path) -> None:
    """It rests while matches are in their middle, and comes back after some have ended."""

    async def test() -> None:
        file = tmp_path / "league.toml"
        file.write_text(league_file(TABLES), encoding="utf-8")
        url = postgres.new_database()
        place = Place(tmp_path / "server", url, stack)
        options = ("--league", f"{LEAGUE}={file}", "--grace", "0")
        server = await asyncio.to_thread(place.start, *options)
        store = stack.enter_context(Store.open(url, migrate=False))
        swarm = Swarm()
        swarm.hold()
        tokens = [store.enter(LEAGUE, f"bot {number}", "")[1] for number in range(BOTS)]
        swarm.send(place.address, tokens)

        def said(what: str) -> bool:
            return what in place.log.read_text(encoding="utf-8")

        async def all_ended() -> bool:
            return all(said(f"match {match.id} is not written yet") for match in running)

        async def all_answered() -> bool:
            return all(said(f"match {match.id}: the store answers again") for match in running)

        async def all_written() -> bool:
            found = [await asyncio.to_thread(store.match, match.id) for match in running]
            return all(match.state == "played" for match in found)

        try:
            running = await hold_at(swarm, store, bool)
            await asyncio.to_thread(postgres.rest)
            swarm.go_on()
            await until(all_ended, "the server says that it cannot write what was played")
            assert said("cannot use postgresql+psycopg")
            swarm.hold()
            await asyncio.to_thread(postgres.start)
            await until(all_written, "what was played is written")
            assert {store.match(match.id).attempt for match in running} == {1}, "not played again"
            await until(all_answered, "the server says that it could write")
            await hold_at(swarm, store, bool)
            await everybody_heard(swarm, store)
            await asyncio.to_thread(stop, server)
        finally:
            await swarm.recall_all()
        check_everything_once(store, tmp_path)
        check_what_bots_saw(swarm, store)

    with postgres_server() as postgres, ExitStack() as stack:
        run(test)


class Doubtful(Store):
    """A store whose first commit is on the disk although the connection broke before it said so."""

    broken = False

    def commit(self, *arguments: Any, **named: Any) -> bool:
        """Commit, and lose the answer once."""
        written = super().commit(*arguments, **named)
        if not self.broken:
            self.broken = True
            raise StoreError("the connection is lost.")
        return written


def test_a_result_that_was_written_in_spite_of_an_error_counts_once(file: str) -> None:
    async def test() -> None:
        async with league_server(file, opened=Doubtful) as running:
            running.begin("ann", "bob")
            await running.open()
            bots = [await running.join(name) for name in ("ann", "bob")]
            async with playing(*bots):
                played = await running.until_played(2)
                host = running.server.manager

                async def all_counted() -> bool:
                    return host.figures.matches >= len(played)

                await until(all_counted, "the server knows of the first one too")
            assert {match.attempt for match in played} == {1}

    run(test)


def test_a_match_at_which_the_referee_fails_is_not_tried_for_ever(
    file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first table fails whenever it is set up; others are played meanwhile."""
    failing: list[str] = []
    play = Match.play

    async def fail_at_the_first(self: Match, commit: Commit | None = None) -> MatchResult:
        match = str(self.plan.match).partition("-a")[0]
        if match in (failing or [match]):
            failing.append(match)
            raise RuntimeError("a fault of ours")
        return await play(self, commit)

    async def test() -> None:
        async with league_server(file) as running:
            running.begin("ann", "bob")
            await running.open()
            bots = [await running.join(name) for name in ("ann", "bob")]

            async def given_up() -> Sequence[ScheduledMatch]:
                return running.store.matches(LEAGUE, state="dropped").items

            async with playing(*bots):
                (dropped,) = await until(given_up, "the first match is given up")
                await running.until_played(1)
            assert set(failing) == {dropped.id}
            assert len(failing) == MOST_ATTEMPTS
            assert running.server.manager.figures.void == MOST_ATTEMPTS

    monkeypatch.setattr(Match, "play", fail_at_the_first)
    run(test)
