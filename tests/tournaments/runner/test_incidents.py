"""Cuts, leaving and voids in a league: what counts against an entrant, and what does not."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from highstreet.v1 import play_pb2 as pb

from referee.match.match import Commit, Match
from referee.match.result import MatchResult
from referee.model.policy import Policy
from tests.referee.dialling import Dialler
from tests.tournaments.leagues import BEGINNING, add_set
from tests.tournaments.serving import (
    BRIEF,
    LEAGUE,
    TWO,
    Running,
    all_matches,
    league_server,
    playing,
    run,
    until,
)
from tournaments.model import DeathKind, Forfeit, count_incidents
from tournaments.store import Store

CUT = 5.0
"""How long a connection is cut, in seconds."""
AT_ONCE = 0.05
"""A patience that is soon at its end, in seconds."""


@pytest.fixture
def file(tmp_path: Path) -> str:
    """Return the address of a database that is not there yet."""
    return f"sqlite:///{tmp_path / 'league.db'}"


# One cut is one incident ------------------------------------------------------------------------


def forfeit(began: float, ended: float, fault: str = "disconnect") -> Forfeit:
    return Forfeit(
        BEGINNING + timedelta(seconds=began), BEGINNING + timedelta(seconds=ended), fault
    )


@pytest.mark.parametrize(
    ("forfeits", "incidents"),
    [
        ([], 0),
        ([forfeit(0, 10)], 1),
        # Four tables were in play when the connection was cut.
        ([forfeit(0, 10), forfeit(5, 10), forfeit(9, 11), forfeit(1, 12)], 1),
        # The next match began after that.
        ([forfeit(0, 10), forfeit(5, 11), forfeit(10.5, 20)], 2),
        # Tables that begin one after the other do not hide that there are ever new cuts.
        ([forfeit(n, n + 10) for n in range(0, 100, 5)], 10),
        # Crashes and the like are counted one by one.
        ([forfeit(0, 10, "time_out"), forfeit(0, 10, "time_out")], 2),
        ([forfeit(0, 10), forfeit(0, 11, "crash"), forfeit(0, 12)], 3),
    ],
)
def test_forfeits_of_one_cut_are_one_incident(forfeits: list[Forfeit], incidents: int) -> None:
    assert count_incidents(forfeits) == incidents


async def seated(running: Running, number: int) -> None:
    async def enough() -> bool:
        return len(running.store.running(LEAGUE)) >= number

    await until(enough, f"{number} matches are in play")


@pytest.mark.slow
def test_a_cut_of_a_few_seconds_costs_nothing_at_four_tables(file: str) -> None:
    """The clock has two seconds a move, the cut takes five; the policy has ten for reconnecting."""

    async def test() -> None:
        names = ("bob", "cid", "dan", "eve")
        settings = replace(TWO, time_control=BRIEF, bench_after=1)
        async with league_server(file) as running:
            running.begin("ann", *names, settings=settings)
            others = [await running.join(name) for name in names]
            ann = await running.join("ann", max_matches=4)
            async with playing(*others):
                await running.open()
                started = {(await ann.hear_kind("match_started")).match for _ in range(4)}
                assert len(started) == 4
                await ann.cut()
                await asyncio.sleep(CUT)  # time itself is what is tested
                again = Dialler(running.address)
                welcome = await again.join(running.tokens["ann"], resume_id=ann.resume_id)
                assert welcome.welcome.resumed
                async with playing(again):

                    async def all_played() -> bool:
                        return all(running.store.match(one).state == "played" for one in started)

                    await until(all_played, "the four matches are played")
            for match in started:
                found = running.store.match(match)
                assert not any(seat.forfeit for seat in found.seats), found
            assert running.store.entrant(LEAGUE, "ann").state == "active"

    run(test)


@pytest.mark.slow
def test_a_cut_that_lasts_is_one_incident_for_the_bench(file: str) -> None:
    """Four forfeits by one cut do not bench a bot that may forfeit once; the next cut does."""

    async def test() -> None:
        names = ("bob", "cid", "dan", "eve")
        policy = Policy(reconnect=0)
        settings = replace(TWO, time_control=BRIEF, policy=policy, bench_after=2)
        async with league_server(file) as running:
            running.begin("ann", *names, settings=settings)
            others = [await running.join(name) for name in names]
            async with playing(*others):
                for incident in (1, 2):
                    ann = await running.join("ann", max_matches=4)
                    if incident == 1:
                        await running.open()
                    started = {(await ann.hear_kind("match_started")).match for _ in range(4)}
                    await ann.cut()

                    async def all_played(matches: set[str] = started) -> bool:
                        return all(running.store.match(one).state == "played" for one in matches)

                    await until(all_played, "ann has forfeited four matches")
                    rows = [running.store.match(one) for one in started]
                    assert all(
                        seat.forfeit == (seat.entrant == "ann")
                        for row in rows
                        for seat in row.seats
                    )
                    assert running.store.forfeits_in_a_row(LEAGUE, "ann") == incident

                async def benched() -> bool:
                    return running.store.entrant(LEAGUE, "ann").state == "benched"

                await until(benched, "ann is benched")
            assert "2 times in a row" in running.store.entrant(LEAGUE, "ann").reason

    run(test)


# Leaving ----------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_bot_that_leaves_plays_out_and_is_seated_no_more(file: str) -> None:
    async def test() -> None:
        async with league_server(file) as running:
            running.begin("ann", "bob", "cid")
            others = [await running.join(name) for name in ("bob", "cid")]
            ann = await running.join("ann", max_matches=2)
            async with playing(*others):
                await running.open()
                started = {(await ann.hear_kind("match_started")).match for _ in range(2)}
                await ann.say(pb.PlayRequest(leave=pb.Leave()))
                ended = set[str]()
                while True:
                    said = await ann.hear()
                    kind = said.WhichOneof("message")
                    assert kind != "match_started", "no new match"
                    if kind == "decision":
                        await ann.submit(said.decision)
                    elif kind == "match_ended":
                        ended.add(said.match_ended.match)
                    elif kind == "goodbye":
                        break
                assert ended == started
            await ann.cut()
            for match in started:
                found = running.store.match(match)
                assert found.state == "played", "the bot was told of what is in the store"
                assert not any(seat.forfeit for seat in found.seats)

    run(test)


# The return match -------------------------------------------------------------------------------


def test_who_leaves_in_the_middle_of_a_duplicate_set_forfeits_its_rest(file: str) -> None:
    """Ann plays the first match of a set, and is away for too long when the second is due."""

    async def test() -> None:
        settings = replace(TWO, deals="duplicate")
        async with league_server(file, patience=AT_ONCE) as running:
            running.begin("ann", "bob", settings=settings)
            ann, bob = [await running.join(name) for name in ("ann", "bob")]
            async with playing(bob):
                await running.open()
                await ann.hear_kind("match_started")
                await ann.say(pb.PlayRequest(leave=pb.Leave()))
                await ann.play(until="goodbye")
                await ann.cut()
                await running.until_played(2)
            first, second = sorted(all_matches(running.store), key=lambda each: each.position)[:2]
            assert first.set_id == second.set_id
            assert not any(seat.forfeit for seat in first.seats)
            assert {seat.entrant: seat.forfeit for seat in second.seats} == {
                "ann": True,
                "bob": False,
            }
            assert {seat.entrant: seat.place for seat in second.seats} == {"ann": 2, "bob": 1}
            assert second.released, "the record of the set can be read"
            assert running.store.counts(LEAGUE)["dropped"] == 0

    run(test)


def test_a_set_that_has_not_begun_is_dropped_without_a_penalty(file: str) -> None:
    async def test() -> None:
        settings = replace(TWO, deals="duplicate")
        async with league_server(file, patience=AT_ONCE) as running:
            running.begin("ann", "bob", settings=settings)
            for name in ("ann", "bob"):
                running.store.see_version(LEAGUE, name, "")
            table = [("ann", ""), ("bob", "")]
            add_set(running.store, LEAGUE, "glastonbury", "plain", table, why="x")
            running.store.adopt("one", 60.0)
            bob = await running.join("bob")
            await running.open()

            async def given_up() -> bool:
                return running.store.counts(LEAGUE)["dropped"] == 2

            await until(given_up, "both matches are dropped")
            await bob.cut()
            assert running.played() == ()

    run(test)


# Committed, then told ---------------------------------------------------------------------------


def test_a_result_is_in_the_store_before_any_bot_is_told_of_it(file: str) -> None:
    async def test() -> None:
        async with league_server(file) as running:
            running.begin("ann", "bob")
            await running.open()
            ann, bob = [await running.join(name) for name in ("ann", "bob")]
            async with playing(bob):
                for _ in range(5):
                    ended = await ann.play()
                    found = running.store.match(ended.match)
                    assert found.state == "played"
                    assert [seat.place for seat in found.seats] == list(ended.places)
            await ann.cut()

    run(test)


# Voids ------------------------------------------------------------------------------------------


def test_who_is_always_there_when_the_referee_fails_is_benched(
    file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ann finds a way to break every match; the counts outlive the server."""
    play = Match.play

    async def break_with_ann(self: Match, commit: Commit | None = None) -> MatchResult:
        if any(name.startswith("ann") for name in self.plan.entrants):
            raise RuntimeError("a fault of ours")
        return await play(self, commit)

    async def test() -> None:
        names = ("ann", "bob", "cid", "dan")
        tokens: dict[str, str] = {}
        for server in (1, 2):
            async with league_server(file) as running:
                if server == 1:
                    running.begin(*names)
                    tokens = running.tokens
                running.tokens = tokens
                bots = [await running.join(name) for name in names]
                async with playing(*bots):
                    if server == 1:
                        await running.open()

                    async def enough(server: int = server) -> bool:
                        state = running.store.entrant(LEAGUE, "ann").state
                        return len(running.store.deaths()) >= 5 * server and (
                            server == 1 or state == "benched"
                        )

                    await until(enough, "ann has been there often enough")
        with Store.open(file) as store:
            deaths = store.deaths()
            assert {death.kind for death in deaths} == {DeathKind.REFEREE}
            assert all("ann" in death.entrants for death in deaths)
            assert "failures of the referee" in store.entrant(LEAGUE, "ann").reason
            for name in names[1:]:
                assert store.entrant(LEAGUE, name).state == "active"
            assert any("ann was benched" in entry.text for entry in store.journal(LEAGUE))

    monkeypatch.setattr(Match, "play", break_with_ann)
    run(test)


# Standings --------------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_standings_are_counted_at_once_after_a_disqualification(file: str) -> None:
    """They do not wait for their turn, which comes in an hour here."""

    async def test() -> None:
        async with league_server(file) as running:
            running.server.manager._standings._every = 3600.0
            running.begin("ann", "bob", "cid")
            await running.open()
            bots = [await running.join(name) for name in ("ann", "bob", "cid")]

            async def listed() -> set[str]:
                rows, _ = await running.ask("standings", LEAGUE)
                return {row["entrant"] for row in rows}

            async with playing(*bots):
                await running.until_played(3)
                await until(listed, "the standings are counted once")
                await running.manage("disqualify", LEAGUE, "cid", "it cheats")

                async def gone() -> bool:
                    return "cid" not in await listed()

                await until(gone, "cid is out of the standings")

    run(test)


def test_a_version_is_rated_at_once_after_its_first_match(file: str) -> None:
    """The turn of the standings comes in an hour here."""

    async def test() -> None:
        async with league_server(file) as running:
            running.server.manager._standings._every = 3600.0
            running.begin("ann", "bob", "cid")
            await running.open()

            async def rated(name: str) -> bool:
                rows, _ = await running.ask("standings", LEAGUE)
                return any(row["matches"] for row in rows if row["entrant"] == name)

            async with playing(*[await running.join(name) for name in ("ann", "bob")]):
                await until(lambda: rated("bob"), "bob is rated")
                async with playing(await running.join("cid")):
                    await until(lambda: rated("cid"), "cid is rated")

    run(test)
